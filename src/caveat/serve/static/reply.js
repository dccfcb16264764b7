// A reply on the page: the checklist, the cards, the source beside them; narrowed as conditions are settled.
import { Answers, isAnswered, notAnswered, wordsOf } from "./answers.js";
import { saidSoFar } from "./checklist.js";
import { by, fold, icon, make } from "./elements.js";
import { meet, nameOf } from "./names.js";
import { Pane } from "./pane.js";
import { Points } from "./points.js";
import { call } from "./server.js";
import { answerTree, conditionsOf, everyAnswer, factOf, lettersOf, questionOf, withFirstConditions } from "./tree.js";
import { count, percent, say } from "./words.js";

export class ShownReply {
  #settled = new Map(); // by fact
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
    this.letters = lettersOf(reply);
    meet([...Object.keys(documents), ...Object.keys(tables)]);
    this.draw();
    this.said(this.#sentence());
  }

  draw() {
    const { dataset, value } = document.activeElement || {};
    const shown = { ...this.reply, answers: withFirstConditions(this.first.answers || [], this.reply.answers || []) };
    const tree = answerTree(shown, this.texts, this.tables, this.letters);
    this.pane?.close();
    this.pane = new Pane(this.texts, this.tables, tree, (mark) => this.#go(mark));
    const column = make("div", { class: "column" }, this.#column(tree));
    // Facts are shown in their cards: then the texts stay away until something in them is asked for.
    const shownByText = (node) =>
      node.mark || node.evidence.length || node.branches.some((branch) => branch.answers.some(shownByText));
    const useful =
      !isAnswered(this.reply) ||
      tree.branches.some((branch) => branch.conditions.length || branch.answers.some(shownByText));
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

  #column(tree) {
    const { reply } = this;
    const told = (condition, value) => this.settle(condition, value);
    const answers = new Answers(reply, tree, { texts: this.texts, pane: this.pane, settled: this.#settled, told });
    const many = (reply.answers || []).length > 1;
    const answered = isAnswered(reply);
    const inside = [];
    const order = many && make("small", {}, say(reply.together ? "together" : "ranked"));
    inside.push(make("header", { class: "answers-head" }, make("h2", {}, say("answers")), order));
    const ruled = everyAnswer(this.first.answers || []).length - everyAnswer(reply.answers || []).length;
    if (!reply.answers?.length && this.#settled.size) inside.push(make("p", { class: "card none" }, say("none.left")));
    else if (!answered) inside.push(notAnswered(reply, this.sources, true));
    inside.push(make("div", { class: answered ? "" : "doubtful" }, answers.list()));
    if (ruled > 0) inside.push(make("p", { class: "ruled" }, count("ruled", ruled)));
    // Below the cards, which must not move under the hand that ticks.
    if (this.#settled.size) inside.push(saidSoFar(conditionsOf(this.first), this.#settled, this.letters, told));
    if (answered && reply.unanswerable) inside.push(notAnswered(reply, this.sources, false));
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
    const text = JSON.stringify(this.reply, null, 2);
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
    else if (value === undefined) this.#settled.delete(factOf(condition));
    else this.#settled.set(factOf(condition), value);
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
    const facts = conditionsOf(this.first);
    let reply = this.first;
    for (const [fact, answer] of this.#settled) {
      // What was said before may have decided this already.
      if (!conditionsOf(reply).has(fact)) continue;
      reply = await call("POST", "settle", { body: { reply, condition: questionOf(facts.get(fact)), answer } });
    }
    return reply;
  }

  #sentence() {
    const { reply } = this;
    if (!isAnswered(reply)) return say("said.none", percent(reply.unanswerable || 0));
    const [best] = reply.answers;
    return count("said", reply.answers.length, wordsOf(best), percent(best.score));
  }
}
