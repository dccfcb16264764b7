// The source beside the answers, scrolled to what was asked for; on a narrow screen a sheet over them.
import { icon, make } from "./elements.js";
import { nameOf } from "./names.js";
import { KINDS, passages } from "./passages.js";
import { markedTable } from "./tables.js";
import { languageOf, say } from "./words.js";

const NARROW = matchMedia("(max-width: 60rem)");
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

export class Pane {
  #shown = null; // the name of the source
  #opener = null;

  // `marks` are those of the tree, by number; `chosen` is told which of them was clicked in a source.
  constructor(texts, tables, marks, chosen) {
    Object.assign(this, { texts, tables, marks: [...marks.values()] });
    this.chosen = (mark) => {
      this.close();
      chosen(mark);
    };
    this.body = make("div", { class: "pane-body", tabindex: "0", role: "group", "aria-label": say("source") });
    this.element = make("section", { class: "pane", "aria-label": say("pane") }, this.#head(), this.body);
  }

  // Those with marks first, in the order of their marks; what is not here cannot be shown.
  get names() {
    const here = [...Object.keys(this.texts), ...Object.keys(this.tables)];
    const marked = this.marks.map((mark) => mark.source).filter((name) => here.includes(name));
    return [...new Set([...marked, ...here])];
  }

  // With the first answer in view.
  begin(mark) {
    if (!this.names.length) return;
    const known = mark && this.names.includes(mark.source);
    this.#draw(known ? mark.source : this.names[0]);
    const own = known ? this.body.querySelector(`.hit mark[data-of~="${mark.number}"], mark[data-of~="${mark.number}"]`) : null;
    if (own) this.#scrollTo(own, "instant");
  }

  get source() {
    return this.#shown;
  }

  #head() {
    const names = this.names;
    this.select = make(
      "select",
      { "aria-label": say("source"), change: () => this.#draw(this.select.value) },
      names.map((name) => make("option", { value: name }, nameOf(name))),
    );
    const close = make(
      "button",
      { type: "button", class: "quiet icon sheet-only", "aria-label": say("close"), click: () => this.close() },
      icon("close"),
    );
    return make("header", { class: "pane-head" }, this.select, this.#legend(), close);
  }

  #legend() {
    const marks = this.marks.filter((mark) => !mark.faint);
    // A cell beside those of the answer only shows it.
    const shows = marks.some((mark) => mark.shows);
    const kinds = KINDS.filter((kind) => marks.some((mark) => mark.kind === kind) || (kind === "evidence" && shows));
    const items = kinds.map((kind) =>
      make("li", {}, make("mark", { class: `${kind} first last` }, say(`kinds.${kind}`))),
    );
    return make("ul", { class: "legend", "aria-label": say("legend") }, items);
  }

  #draw(name) {
    this.#shown = name;
    this.select.value = name;
    const text = this.texts[name];
    const inside = [];
    const heading = text?.elements?.find((element) => element.tag.startsWith("h"));
    if (text?.title && text.title !== heading?.text)
      inside.push(make("p", { class: "title", dir: "auto" }, text.title));
    const marks = this.marks.filter((mark) => mark.source === name);
    const cells = marks.filter((mark) => mark.start === undefined && mark.label !== undefined);
    const spans = marks.filter((mark) => mark.start !== undefined);
    // A text may have the name of a table in it: that stands alone only where an answer is from there.
    const table =
      this.tables[name] && (cells.length || !text) ? [markedTable(this.tables[name], cells, this.chosen)] : [];
    const prose = text ? passages(text, spans, this.chosen) : [];
    inside.push(...(cells.some((mark) => !mark.faint) ? [...table, ...prose] : [...prose, ...table]));
    const sample = text ? text.points.slice(0, 2000) : JSON.stringify(this.tables[name]).slice(0, 2000);
    this.body.replaceChildren(make("article", { dir: "auto", lang: languageOf(sample) }, inside));
    this.body.scrollTop = 0;
    this.#scrollTo(this.body.querySelector(".hit mark, mark[data-label]"), "instant");
  }

  // The source of a mark, with the mark in view; on a narrow screen over everything else.
  show(mark, opener) {
    if (!this.names.includes(mark.source)) return;
    this.element.hidden = false;
    this.element.parentElement.classList.remove("alone");
    if (this.#shown !== mark.source) this.#draw(mark.source);
    for (const lit of this.body.querySelectorAll(".on")) lit.classList.remove("on");
    const pieces = this.body.querySelectorAll(`mark[data-of~="${mark.number}"]`);
    for (const piece of pieces) piece.classList.add("on");
    if (NARROW.matches) this.#open(opener);
    const own = [...pieces].find((piece) => piece.closest(".hit"));
    this.#scrollTo(own || pieces[0] || this.body.firstChild, STILL.matches ? "instant" : "smooth");
  }

  // Only lights it up, where it is in the source that is shown.
  point(mark, lit) {
    for (const piece of this.body.querySelectorAll(`mark[data-of~="${mark.number}"]`))
      piece.classList.toggle("near", lit);
  }

  #scrollTo(target, behavior) {
    if (!target) return;
    requestAnimationFrame(() => {
      const box = target.getBoundingClientRect();
      const pane = this.body.getBoundingClientRect();
      this.body.scrollTo({ top: this.body.scrollTop + box.top - pane.top - pane.height / 3, behavior });
      // A wide table scrolls by itself.
      const cells = target.closest(".cells");
      cells?.scrollTo({ left: cells.scrollLeft + box.left - pane.left - pane.width / 2, behavior });
    });
  }

  #open(opener) {
    this.#opener = opener;
    this.element.classList.add("open");
    this.element.setAttribute("role", "dialog");
    this.element.setAttribute("aria-modal", "true");
    under(true);
    this.element.querySelector(".sheet-only").focus();
  }

  close() {
    if (!this.element.classList.contains("open")) return;
    this.element.classList.remove("open");
    this.element.removeAttribute("role");
    this.element.removeAttribute("aria-modal");
    under(false);
    this.#opener?.focus();
  }
}

// What a sheet covers cannot be reached by keys either.
function under(covered) {
  document.body.classList.toggle("under-sheet", covered);
  for (const element of document.querySelectorAll(".top, .composer, .column")) element.inert = covered;
}
