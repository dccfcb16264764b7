// The text with its spans: what is selected, by mouse, by touch or by keys, becomes places in code points.
import { make } from "../elements.js";
import { inOrder } from "./work.js";

const LANE = 5; // pixels between the lines under spans that share characters
const LINE = 3;

export class Passage {
  #characters = null;
  #pieces = [];
  #caret = null;
  #picked = null;
  #within = false;
  #drawn = "";

  // `picked` hears of a selection or null, `chosen` of a span that was clicked, `dropped` of two that were connected.
  constructor(host, { picked, chosen, dropped }) {
    this.host = host;
    this.told = { picked, chosen, dropped };
    document.addEventListener("selectionchange", () => this.#selectionChanged());
    host.addEventListener("keydown", (event) => this.#key(event));
    host.addEventListener("pointerdown", (event) => this.#pointer(event));
    host.addEventListener("click", (event) => this.#click(event));
    host.addEventListener("blur", () => this.#drawCaret());
    host.addEventListener("focus", () => this.#drawCaret());
    new ResizeObserver(() => this.#drawCaret()).observe(host);
    this.mark = make("i", { class: "caret", hidden: true, "aria-hidden": "true" });
  }

  // `tags` are {id: {label, title}}; `look` is {active, near, numbered: {id: number}, warned}, ids of spans.
  show(characters, spans, tags, look = {}) {
    // Whoever is selecting keeps hold of the text: it is drawn anew only where other spans stand in it.
    const drawn = JSON.stringify([spans, Object.values(tags)]);
    if (this.#characters === characters && this.#drawn === drawn) {
      decorate(this.host, this.#pieces, tags, look);
      return;
    }
    const again = this.#characters === characters ? this.#picked : null;
    if (this.#characters !== characters) this.#caret = this.#picked = null;
    this.#characters = characters;
    this.#drawn = drawn;
    this.#pieces = drawText(this.host, characters, spans, tags, look);
    this.host.append(this.mark);
    if (again) this.select(...again);
    else this.#drawCaret();
  }

  get picked() {
    this.#selectionChanged(); // the browser tells of it a little later
    return this.#picked;
  }

  // Where the keyboard is in the text.
  get caret() {
    return this.#caret ?? this.#picked?.[1] ?? 0;
  }

  forget() {
    this.#picked = null;
    if (this.#within) getSelection().removeAllRanges();
    this.told.picked(null);
  }

  select(start, end) {
    this.#set(start, end);
  }

  reveal(id) {
    const piece = this.#pieces.find((each) => each.dataset.spans?.split(" ").includes(id));
    piece?.scrollIntoView({ block: "nearest", behavior: "instant" });
    if (piece) this.#caret = Number(piece.dataset.start);
  }

  #set(anchor, focus) {
    this.#caret = focus;
    getSelection().setBaseAndExtent(...this.#nodeAt(anchor), ...this.#nodeAt(focus));
    this.#within = true;
    this.#selectionChanged();
  }

  #nodeAt(point) {
    let piece = this.#pieces[0];
    for (const each of this.#pieces) if (Number(each.dataset.start) <= point) piece = each;
    if (!piece?.firstChild) return [this.host, 0];
    const unit = this.#characters.unit(point) - this.#characters.unit(Number(piece.dataset.start));
    return [piece.firstChild, Math.min(unit, piece.firstChild.length)];
  }

  #pointAt(node, offset) {
    return this.#characters.point(this.#unitAt(node, offset));
  }

  #unitAt(node, offset) {
    const piece = node.nodeType === Node.TEXT_NODE ? node.parentElement.closest("[data-start]") : null;
    if (piece && this.host.contains(piece)) return this.#characters.unit(Number(piece.dataset.start)) + offset;
    // Between pieces, in a tag, or beyond the text: where the first piece after it begins.
    const range = document.createRange();
    range.setStart(node, offset);
    const after = this.#pieces.find((each) => range.comparePoint(each, 0) >= 0);
    return this.#characters.unit(after ? Number(after.dataset.start) : this.#characters.length);
  }

  #selectionChanged() {
    const selection = getSelection();
    this.#within = selection.rangeCount > 0 && selection.getRangeAt(0).intersectsNode(this.host);
    if (!this.#within || !this.#characters) return;
    const inside = this.host.contains(selection.anchorNode) || this.host.contains(selection.focusNode);
    if (!inside) return;
    const anchor = this.#unitAt(selection.anchorNode, selection.anchorOffset);
    const focus = this.#unitAt(selection.focusNode, selection.focusOffset);
    this.#caret = this.#characters.point(focus);
    const picked = this.#characters.snapUnits(anchor, focus);
    const same = String(picked) === String(this.#picked);
    this.#picked = picked;
    this.#drawCaret();
    if (!same) this.told.picked(picked);
  }

  #key(event) {
    if (event.altKey || !/^(Arrow|Home$|End$)/.test(event.key)) return;
    event.preventDefault();
    const selection = getSelection();
    const here = this.caret;
    const anchor = event.shiftKey && this.#within ? this.#pointAt(selection.anchorNode, selection.anchorOffset) : here;
    const to = this.#moved(event, here);
    this.#set(event.shiftKey ? anchor : to, to);
    this.#nodeAt(to)[0].parentElement?.scrollIntoView({ block: "nearest" });
  }

  #moved(event, here) {
    const forward = { ArrowRight: true, ArrowLeft: false, ArrowDown: true, ArrowUp: false, End: true, Home: false }[event.key];
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      const onwards = forward !== this.#characters.rightToLeft;
      const byWord = event.ctrlKey || event.metaKey;
      return byWord ? this.#characters.stepWord(here, onwards) : this.#characters.step(here, onwards);
    }
    if ((event.ctrlKey || event.metaKey) && /^(Home|End)$/.test(event.key)) return forward ? this.#characters.length : 0;
    const selection = getSelection();
    selection.collapse(...this.#nodeAt(here));
    const unit = /^Arrow/.test(event.key) ? "line" : "lineboundary";
    selection.modify("move", forward ? "forward" : "backward", unit);
    if (!this.host.contains(selection.focusNode)) return forward ? this.#characters.length : 0;
    const found = this.#pointAt(selection.focusNode, selection.focusOffset);
    return this.#characters.edges.includes(found) ? found : this.#characters.step(found, false);
  }

  #drawCaret() {
    const shown = document.activeElement === this.host && this.#caret !== null && !this.#picked;
    this.mark.hidden = !shown;
    if (!shown) return;
    const range = document.createRange();
    range.setStart(...this.#nodeAt(this.#caret));
    const spot = range.getClientRects()[0];
    if (!spot) return;
    const frame = this.host.getBoundingClientRect();
    this.mark.style.left = `${spot.left - frame.left + this.host.scrollLeft - this.host.clientLeft}px`;
    this.mark.style.top = `${spot.top - frame.top + this.host.scrollTop - this.host.clientTop}px`;
    this.mark.style.height = `${spot.height}px`;
  }

  // A click chooses the innermost span there.
  #click(event) {
    if (!getSelection().isCollapsed) return;
    const on = event.target.closest("[data-spans], [data-span]");
    const id = on?.dataset.span ?? on?.dataset.spans?.split(" ").at(-1);
    this.told.chosen(id ?? null);
  }

  // A tag that is dragged on to another connects them; with a finger too.
  #pointer(event) {
    const tag = event.target.closest("[data-span]");
    if (!tag) return;
    event.preventDefault();
    dragged(tag, event, (target) => this.told.dropped(tag.dataset.span, target));
    this.host.focus({ preventScroll: true });
  }
}

// From a tag, of the text or of the list, to whatever shows another span; told of its id.
export function dragged(tag, event, dropped) {
  const under = ({ clientX, clientY }) => {
    const on = document.elementFromPoint(clientX, clientY)?.closest("[data-span], [data-spans]");
    const id = on?.dataset.span ?? on?.dataset.spans.split(" ").at(-1);
    return id && id !== tag.dataset.span ? { on, id } : null;
  };
  let marked = null;
  const mark = (element) => {
    marked?.classList.remove("under");
    marked = element;
    marked?.classList.add("under");
  };
  const move = (moved) => mark(under(moved)?.on ?? null);
  const end = (ended) => {
    for (const [name, listener] of Object.entries({ pointermove: move, pointerup: end, pointercancel: end }))
      removeEventListener(name, listener);
    document.documentElement.classList.remove("dragging");
    mark(null);
    const found = ended.type === "pointerup" ? under(ended) : null;
    if (found) dropped(found.id);
  };
  document.documentElement.classList.add("dragging");
  if (tag.hasPointerCapture?.(event.pointerId)) tag.releasePointerCapture(event.pointerId);
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

// The text with tags and lines, for those who look; gives its pieces.
export function drawText(host, characters, spans, tags, look = {}) {
  const lanes = lanesOf(spans);
  host.style.setProperty("--lanes", Math.max(0, ...lanes.values()) + 1);
  host.dir = characters.rightToLeft ? "rtl" : "ltr";
  const pieces = piecesOf(characters, spans).map(({ start, end, over }) =>
    pieceOf(characters.slice(start, end), start, over, lanes),
  );
  host.replaceChildren(...pieces.flatMap((piece) => [...tagsAt(piece, spans, tags), piece]));
  decorate(host, pieces, tags, look);
  return pieces;
}

// Which spans are chosen, linked, warned of; the text itself stays as it is.
function decorate(host, pieces, tags, { active, near = [], numbered = {}, warned = [], differing = [] }) {
  const among = { active: [active], near, warned, differs: differing };
  const marked = (element, ids) => {
    for (const [name, chosen] of Object.entries(among))
      element.classList.toggle(name, ids.some((id) => chosen.includes(id)));
  };
  for (const piece of pieces) if (piece.dataset.spans) marked(piece, piece.dataset.spans.split(" "));
  for (const tag of host.querySelectorAll(".tag")) {
    const id = tag.dataset.span;
    const text = `${numbered[id] ?? tags[id].label}`;
    marked(tag, [id]);
    tag.classList.toggle("numbered", id in numbered);
    if (tag.textContent !== text) tag.textContent = text;
  }
}

// Short ones lie next to the text, those around them below.
function lanesOf(spans) {
  const lanes = new Map();
  const bySize = [...spans].sort((a, b) => a.end - a.start - (b.end - b.start));
  bySize.forEach((span, at) => {
    const taken = new Set(
      bySize.slice(0, at).filter((other) => other.start < span.end && span.start < other.end).map(({ id }) => lanes.get(id)),
    );
    let lane = 0;
    while (taken.has(lane)) lane++;
    lanes.set(span.id, lane);
  });
  return lanes;
}

// The text cut at every edge of a span; each piece has the spans that it stands in, the shortest last.
function piecesOf(characters, spans) {
  const edges = new Set([0, characters.length, ...spans.flatMap(({ start, end }) => [start, end])]);
  const cuts = [...edges].filter((edge) => edge <= characters.length).sort((a, b) => a - b);
  const pieces = cuts.slice(1).map((end, at) => {
    const over = spans.filter((span) => span.start <= cuts[at] && end <= span.end);
    return { start: cuts[at], end, over: over.sort((a, b) => b.end - b.start - (a.end - a.start)) };
  });
  return pieces.length ? pieces : [{ start: 0, end: 0, over: [] }];
}

function pieceOf(text, start, over, lanes) {
  const piece = make("span", { dataset: { start } }, text);
  if (!over.length) return piece;
  const ids = over.map(({ id }) => id);
  piece.dataset.spans = ids.join(" ");
  piece.className = `piece kind-${over.at(-1).kind}`;
  const deepest = Math.max(...ids.map((id) => lanes.get(id)));
  const line = ({ id, kind }) =>
    `linear-gradient(var(--${colourOf(kind)}) 0 0) 0 calc(100% - ${(deepest - lanes.get(id)) * LANE}px) / 100% ${LINE}px no-repeat`;
  piece.style.setProperty("--lines", over.map(line).join(", "));
  piece.style.setProperty("--depth", `${(deepest + 1) * LANE}px`);
  return piece;
}

const COLOURS = { condition: "condition", coarse: "coarse", fine: "fine", answer: "plain", evidence: "evidence" };
export const colourOf = (kind) => COLOURS[kind] ?? "plain";

function tagsAt(piece, spans, tags) {
  const start = Number(piece.dataset.start);
  return inOrder(spans.filter((span) => span.start === start)).map(({ id, kind }) =>
    make("span", { class: `tag kind-${kind}`, dataset: { span: id }, title: tags[id].title, "aria-hidden": "true" }),
  );
}
