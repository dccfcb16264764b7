// A reply on the page: the checklist, the cards, the source beside them; narrowed as conditions are settled.
import { Answers, notAnswered, wordsOf } from "./answers.js";
import { questionOf, saidSoFar } from "./checklist.js";
import { by, fold, icon, make } from "./elements.js";
import { meet, nameOf } from "./names.js";
import { Pane } from "./pane.js";
import { Points } from "./points.js";
import { call } from "./server.js";
import { count, percent, say } from "./words.js";

export class ShownReply {
  #settled = new Map(); // by the question: [condition, value]
  #turn = 0;

  // `sources` is how many were asked; `failed` is told of a fault, `said` what a screen reader is to say.
  constructor({ documents = {}, tables = {}, ...reply }, place, { sources, failed, said }) {
    Object.assign(this, { place, sources, failed, said, tables });
    this.first = reply;
    this.reply = reply;
    this.texts = Object.fromEntries(
      Object.entries(documents).map(([name, { text, title, elements }]) => [
        name,
        { points: new Points(text), title, elements },
      ]),
    );
    meet([...Object.keys(documents), ...Object.keys(tables)]);
    this.draw();
    this.said(this.#sentence());
  }

  draw() {
    const { dataset, value } = document.activeElement || {};
    const { tree } = this.reply;
    const marks = marksOf(tree);
    this.pane?.close();
    this.pane = new Pane(this.texts, this.tables, marks, (mark) => this.#go(mark));
    const column = make("div", { class: "column" }, this.#column(tree, marks));
    // Facts are shown in their cards: then the texts stay away until something in them is asked for.
    const useful = tree.not_answered.first || [...marks.values()].some((mark) => !mark.faint);
    this.pane.element.hidden = !this.pane.names.length || !useful;
    this.place.replaceChildren(column, this.pane.element);
    this.place.classList.toggle("alone", this.pane.element.hidden);
    this.place.hidden = false;
    // Where the choice is gone with its answer, what was said can be taken back.
    if (dataset?.fact) {
      const again = [...this.place.querySelectorAll(`[data-fact="${dataset.fact}"]`)];
      (again.find((each) => each.value === value && !each.disabled) || again[0])?.focus({ preventScroll: true });
    }
  }

  #column(tree, marks) {
    const told = (condition, value) => this.settle(condition, value);
    const answers = new Answers(tree, { marks, pane: this.pane, told });
    const left = answersOf(tree);
    const { first, score } = tree.not_answered;
    const inside = [];
    const many = topOf(tree).length > 1;
    const order = many && make("small", {}, say(tree.together ? "together" : "ranked"));
    inside.push(make("header", { class: "answers-head" }, make("h2", {}, say("answers")), order));
    for (const { typed, meant } of this.reply.understood || []) {
      inside.push(make("p", { class: "hint" }, say("corrected", typed, meant)));
    }
    const ruled = answersOf(this.first.tree).length - left.length;
    if (!left.length && this.#settled.size) inside.push(make("p", { class: "card none" }, say("none.left")));
    else if (first) inside.push(notAnswered(tree, this.sources));
    inside.push(make("div", { class: first ? "doubtful" : "" }, answers.list()));
    if (ruled > 0) inside.push(make("p", { class: "ruled" }, count("ruled", ruled)));
    // Below the cards, which must not move under the hand that ticks.
    if (this.#settled.size) inside.push(saidSoFar([...this.#settled.values()], told));
    if (!first && score) inside.push(notAnswered(tree, this.sources));
    inside.push(...this.#notes(), this.#json());
    return inside;
  }

  #notes() {
    const notes = [];
    for (const key of ["unread", "remarks"]) {
      const several = this.reply[key] || [];
      if (!several.length) continue;
      const items = several.map(({ source, text }) =>
        make("li", {}, make("b", { dir: "auto" }, nameOf(source)), " ", text),
      );
      const note = fold(count(key, several.length), make("ul", { class: "notes" }, items));
      note.open = key === "unread";
      notes.push(note);
    }
    return notes;
  }

  #json() {
    const { tree, ...reply } = this.reply; // the page shows the tree
    const text = JSON.stringify(reply, null, 2);
    const copy = make("button", { type: "button", class: "quiet small" }, icon("copy"), make("span", {}, say("copy")));
    const done = make("span", { class: "hint", role: "status" });
    const shown = make("pre", { tabindex: "0" }, text);
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        // Only pages from this machine or over https may write to the clipboard.
        getSelection().selectAllChildren(shown);
        document.execCommand("copy");
      }
      done.textContent = say("copied");
    });
    const details = fold(say("json"), make("div", { class: "row" }, copy, done), shown);
    details.classList.add("json");
    return details;
  }

  // From a mark in the source to what speaks of it.
  #go(mark) {
    const card = by(`n${mark.node}`) || this.place.querySelector(`[data-mark="${mark.number}"]`);
    if (!card) return;
    card.closest("details")?.setAttribute("open", "");
    card.focus({ preventScroll: true });
    card.scrollIntoView({ block: "nearest" });
  }

  // No condition starts over; no value takes back what was said. The reply is always narrowed from its beginning.
  async settle(condition, value) {
    const before = new Map(this.#settled);
    if (!condition) this.#settled.clear();
    else if (value === undefined) this.#settled.delete(questionOf(condition));
    else this.#settled.set(questionOf(condition), [condition, value]);
    const turn = ++this.#turn;
    this.place.setAttribute("aria-busy", "true");
    try {
      const reply = await this.#narrowed();
      if (turn !== this.#turn) return;
      this.reply = reply;
      this.said(count("narrowed", (reply.answers || []).length));
    } catch (fault) {
      if (turn !== this.#turn) return;
      this.#settled = before;
      this.failed(fault);
    }
    this.place.removeAttribute("aria-busy");
    this.draw();
  }

  async #narrowed() {
    let reply = this.first;
    for (const [question, [, answer]] of this.#settled) {
      // What was said before may have decided this already.
      const open = conditionsOf(reply.tree).some((each) => questionOf(each) === question && !each.state);
      if (open) reply = await call("POST", "settle", { body: { reply, condition: question, answer } });
    }
    return reply;
  }

  #sentence() {
    const { tree } = this.reply;
    const { first, score } = tree.not_answered;
    if (first) return say("said.none", percent(score));
    const answers = topOf(tree);
    const best = answers.reduce((a, b) => (b.score > a.score ? b : a));
    return count("said", answers.length, wordsOf(best), percent(best.score));
  }
}

const topOf = ({ branches = [], improbable = [] }) => [...branches, ...improbable].flatMap((branch) => branch.answers);
const withParts = (nodes) => nodes.flatMap((node) => [node, ...withParts(topOf(node))]);
const answersOf = (tree) => withParts(topOf(tree));

function conditionsOf({ branches = [], improbable = [] }) {
  const inside = (branch) => [...(branch.conditions || []), ...branch.answers.flatMap(conditionsOf)];
  return [...branches, ...improbable].flatMap(inside);
}

// The marks by their numbers, each with the name of its source.
function marksOf({ marks = {}, cells = {} }) {
  const all = [...Object.entries(marks), ...Object.entries(cells)];
  return new Map(all.flatMap(([source, several]) => several.map((mark) => [mark.number, { ...mark, source }])));
}
