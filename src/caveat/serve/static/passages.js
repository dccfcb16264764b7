// The text of a document with its marks: what is marked with its neighbours, the rest folded.
import { lazyFold, make } from "./elements.js";
import { count, say } from "./words.js";

// Kinds of marks, from the outermost to the innermost.
export const KINDS = ["condition", "coarse", "fine", "plain", "evidence"];

// Up to this many characters nothing is folded.
const SHORT = 6000;
const NEIGHBOURS = 2;
const BEGINNING = 40;
// A run that is no more than this need not be folded.
const FEW_BLOCKS = 2;
const FEW_CHARACTERS = 400;
// What a fold opens into at once: more would make the page slow.
const MOST_BLOCKS = 400;
// How far lists in lists may go to the right.
const MOST_COLUMNS = 24;
const LONGEST_MARKER = 6;
const BULLETS = /^[-*+·•●○▪■◦‣◆\uf0a7\uf0b7]$/;
const HEADINGS = { h1: "h3", h2: "h4", h3: "h5", h4: "h6", h5: "h6", h6: "h6" };
const AROUND = { li: "ul", tr: "table" };
const BAR = /(?<!\\)[ \t]*\|[ \t]*/g;
const WIDE = "\\u3400-\\u9fff\\u3000-\\u303f\\uff01-\\uff60“”‘’…—";
// Chinese is broken into lines without a blank, but a browser shows a line end as one.
const LINE_END = new RegExp(`(?<=[${WIDE}])[ \\t]*[\\r\\n]+[ \\t]*(?=[${WIDE}])`, "g");
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

export const clean = (text) => text.replace(LINE_END, "").replace(CONTROLS, " ");

export function passages({ points, elements, pages = [] }, marks, chosen) {
  const writer = new Writer(points, chosen, pages);
  return writer.write(folded(blocksOf(points, elements, marks)));
}

function blocksOf(points, elements, marks) {
  const spans = elements?.length
    ? [...elements].sort((a, b) => a.start - b.start)
    : points.lines().map(([start, end]) => ({ tag: "p", start, end }));
  const blocks = [];
  const touching = (start, end) => marks.filter((mark) => mark.start < end && start < mark.end);
  // A bullet or a rule is not part of any element, but a mark may extend over it.
  const between = (start, end) => {
    const found = touching(start, end);
    const seen = (mark) => points.slice(Math.max(start, mark.start), Math.min(end, mark.end)).trim();
    // A passage that was found says nothing of its own with a bullet.
    if (found.some((mark) => mark.label && seen(mark))) blocks.push({ tag: "", start, end, marks: found });
  };
  let at = 0;
  for (const { tag, start, end } of spans) {
    if (end <= at || start === end) continue;
    const from = Math.max(at, start);
    if (at < from) between(at, from);
    blocks.push({ tag, start: from, end, marks: touching(from, end) });
    at = end;
  }
  if (at < points.length) between(at, points.length);
  return blocks;
}

const lengthOf = (blocks) => blocks.reduce((sum, block) => sum + block.end - block.start, 0);

// Blocks, and runs of blocks that are to be folded.
function folded(blocks) {
  if (lengthOf(blocks) <= SHORT) return blocks;
  const near = nearMarks(blocks);
  const shown = [];
  for (let at = 0; at < blocks.length;) {
    let end = at + 1;
    while (end < blocks.length && near.has(end) === near.has(at)) end++;
    const run = blocks.slice(at, end);
    if (near.has(at) || (run.length <= FEW_BLOCKS && lengthOf(run) <= FEW_CHARACTERS)) shown.push(...run);
    else shown.push(run);
    at = end;
  }
  return shown;
}

// What is marked, its neighbours, and the headings over it; the beginning where nothing is marked.
function nearMarks(blocks) {
  const marked = blocks.flatMap((block, at) => (block.marks.length ? [at] : []));
  if (!marked.length) return new Set([...blocks.keys()].slice(0, BEGINNING));
  const near = new Set();
  for (const at of marked) for (let by = -NEIGHBOURS; by <= NEIGHBOURS; by++) near.add(at + by);
  let headings = [];
  blocks.forEach((block, at) => {
    if (block.tag[0] === "h") headings = [...headings.filter((over) => blocks[over].tag < block.tag), at];
    if (block.marks.length) headings.forEach((over) => near.add(over));
  });
  return near;
}

class Writer {
  #met = new Set();

  #page = 0;

  // `pages` are the places at which pages begin.
  constructor(points, chosen, pages) {
    Object.assign(this, { points, chosen, pages });
  }

  write(shown) {
    const written = [];
    let around = null;
    for (const item of shown) {
      const { start } = Array.isArray(item) ? item[0] : item;
      const page = this.pages.filter((begin) => begin <= start).length;
      if (page > this.#page) written.push(make("p", { class: "page-break" }, say("page", page)));
      this.#page = Math.max(page, this.#page);
      const tag = Array.isArray(item) ? null : AROUND[item.tag];
      if (!tag) written.push(Array.isArray(item) ? this.#fold(item) : this.#block(item));
      else {
        if (around?.tag !== tag || written.at(-1) !== around.element) {
          around = { tag, element: make(tag) };
          written.push(around.element);
        }
        around.element.append(this.#block(item));
      }
    }
    return written;
  }

  #fold(blocks) {
    const amount = [count("paragraphs", blocks.length), count("characters", lengthOf(blocks))].join(say("comma"));
    return lazyFold(amount, () => {
      const rest = blocks.slice(MOST_BLOCKS);
      return this.write(rest.length ? [...blocks.slice(0, MOST_BLOCKS), rest] : blocks);
    });
  }

  #block(block) {
    if (block.tag === "tr") return make("tr", {}, this.#cells(block));
    const pieces = this.#pieces(block.start, block.end, block.marks);
    const before = /[^\r\n]*$/.exec(this.points.slice(Math.max(0, block.start - 40), block.start))[0];
    if (block.tag !== "li") return make(HEADINGS[block.tag] || "p", {}, pieces);
    const item = make("li", { dataset: { marker: this.#marker(before) } }, pieces);
    item.style.setProperty("--columns", Math.min(MOST_COLUMNS, /^ */.exec(before)[0].length));
    return item;
  }

  // What an item begins with in its line, where that is a number; a bullet for everything else.
  #marker(before) {
    const marker = before.trim().replace(/^[> ]+/, "");
    return marker && marker.length <= LONGEST_MARKER && !BULLETS.test(marker) ? marker : "•";
  }

  // A row's cells, without the bars between them.
  #cells(block) {
    const text = this.points.slice(block.start, block.end);
    const cells = [];
    let at = block.start;
    const end = (before) => block.start + Array.from(text.slice(0, before)).length;
    for (const bar of text.matchAll(BAR)) {
      cells.push(make("td", {}, this.#pieces(at, end(bar.index), block.marks)));
      at = end(bar.index + bar[0].length);
    }
    return [...cells, make("td", {}, this.#pieces(at, block.end, block.marks))];
  }

  // The text cut at every edge of a mark: each piece has all the marks that it stands in.
  #pieces(start, end, marks) {
    const edges = new Set([start, end]);
    for (const mark of marks) {
      if (mark.start > start && mark.start < end) edges.add(mark.start);
      if (mark.end > start && mark.end < end) edges.add(mark.end);
    }
    const cuts = [...edges].sort((a, b) => a - b);
    return cuts.slice(1).map((last, at) => {
      const first = cuts[at];
      const text = clean(this.points.slice(first, last));
      const over = marks.filter((mark) => mark.start <= first && last <= mark.end);
      return over.length ? this.#marked(text, last, over) : text;
    });
  }

  #marked(text, end, over) {
    const beginning = over.filter((mark) => !this.#met.has(mark.number));
    beginning.forEach((mark) => this.#met.add(mark.number));
    const ending = over.some((mark) => mark.end === end);
    return markOf(text, over, beginning, ending, this.chosen);
  }
}

// A piece of text in its colours; where a mark begins, its label and the way to its answer.
export function markOf(text, over, beginning, ending, chosen) {
  const classes = KINDS.filter((kind) => over.some((mark) => mark.kind === kind && !mark.faint));
  const labelled = beginning.filter((mark) => !mark.faint && mark.label);
  if (labelled.length) classes.push("first");
  if (ending && classes.length) classes.push("last");
  const inner = labelled.at(-1);
  const dataset = { of: over.map((mark) => mark.number).join(" ") };
  if (inner) Object.assign(dataset, { label: labelled.map((mark) => mark.label).join(" "), kind: inner.kind });
  const piece = make("mark", { class: classes.join(" "), dataset }, text);
  if (!inner) return piece;
  const go = (event) => {
    event.preventDefault();
    chosen(inner);
  };
  return make("a", { href: `#n${inner.node}`, click: go }, piece);
}
