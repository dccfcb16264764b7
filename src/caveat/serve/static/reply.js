// A reply on the page: the checklist, the cards, the source beside them; narrowed as conditions are settled.
import { Answers, notAnswered } from "./answers.js";
import { questionOf, saidSoFar } from "./checklist.js";
import { bestOf, conclusionOf, copying, sureness } from "./citing.js";
import { by, fold, make } from "./elements.js";
import { meet, nameOf } from "./names.js";
import { Pane } from "./pane.js";
import { Points } from "./points.js";
import { call } from "./server.js";
import { count, say } from "./words.js";

export class ShownReply {
  #settled = new Map(); // by the question: [condition, value]
  #turn = 0;
  #unfolded = false;

  // `sources` is how many were asked; `facts` are what the asker told before; `link` gives a link to the question, and
  // `again` asks it as it was typed, where these can be; `failed` is told of a fault, `said` what is to be said aloud.
  constructor({ documents = {}, tables = {}, ...reply }, place, { typed, sources, facts, link, again, fresh, failed, said }) {
    Object.assign(this, { typed, place, sources, facts, link, again, fresh, failed, said, tables });
    this.first = reply;
    this.reply = reply;
    this.texts = Object.fromEntries(
      Object.entries(documents).map(([name, { text, title, elements, pages }]) => [
        name,
        { points: new Points(text), title, elements, pages },
      ]),
    );
    meet([...Object.keys(documents), ...Object.keys(tables)]);
    this.draw();
    this.said(this.#sentence());
    this.factsChanged();
  }

  // What was told before counts for this reply too.
  async factsChanged() {
    const before = [...this.#settled.keys()].join();
    this.#settled.clear();
    for (const condition of conditionsOf(this.first.tree)) {
      const value = this.facts.valueOf(questionOf(condition));
      if (value !== undefined) this.#settled.set(questionOf(condition), [condition, value]);
    }
    this.facts.shownInReply([...this.#settled.keys()]);
    if (before !== [...this.#settled.keys()].join()) await this.#narrow();
  }

  draw() {
    const { dataset, value } = document.activeElement || {};
    const before = this.pane?.element.isConnected ? this.place.querySelector(".further") : null;
    if (before) this.#unfolded = before.open;
    const { tree } = this.reply;
    const marks = marksOf(tree);
    this.pane?.close();
    this.pane = new Pane(this.texts, this.tables, marks, (mark) => this.#go(mark));
    const column = make("div", { class: "column" }, this.#column(tree, marks));
    // Facts are shown in their cards: then the texts stay away until something in them is asked for.
    const useful = tree.not_answered.first || [...marks.values()].some((mark) => !mark.faint);
    const best = bestOf(tree)?.node;
    this.pane.begin(marks.get(best?.mark ?? (best?.evidence ?? []).find(({ mark }) => mark)?.mark ?? "found-0"));
    this.pane.element.hidden = !this.pane.names.length || !useful;
    if (this.#unfolded) column.querySelector(".further")?.setAttribute("open", "");
    // What was asked before stands under the answers, beside the source.
    column.append(by("thread"));
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
    const { pane, link, sources } = this;
    const answers = new Answers(tree, { marks, pane, told, link, sources });
    const left = answersOf(tree);
    const { first, score } = tree.not_answered;
    const inside = [];
    const fresh = make("button", { type: "button", class: "quiet small", click: this.fresh }, say("fresh"));
    inside.push(make("header", { class: "answers-head" }, make("h2", { dir: "auto" }, this.typed), fresh));
    inside.push(...this.#understood());
    const ruled = answersOf(this.first.tree).length - left.length;
    if (!left.length && this.#settled.size) inside.push(make("p", { class: "card none" }, say("none.left")));
    else inside.push(answers.conclusion());
    inside.push(make("div", {}, left.length || !this.#settled.size ? answers.list() : []));
    if (ruled > 0) inside.push(make("p", { class: "ruled" }, count("ruled", ruled)));
    // Below the cards, which must not move under the hand that ticks.
    if (this.#settled.size) inside.push(saidSoFar([...this.#settled.values()], told));
    if (!first && score) inside.push(notAnswered(tree));
    inside.push(...this.#notes(), this.#json());
    return inside;
  }

  // The question that was meant, where it is not the one that was typed.
  #understood() {
    const notes = (this.reply.understood || []).map(({ typed, meant }) =>
      make("p", { class: "hint" }, say("corrected", typed, meant)),
    );
    const { follow_up: meant } = this.reply;
    if (meant) {
      const words = meant.told
        ? say(meant.keeps ? "understood.told" : "understood.supposed", meant.told)
        : say("understood", meant.question);
      const again = make("button", { type: "button", class: "quiet small", click: this.again }, say("understood.not"));
      notes.unshift(make("p", { class: "hint understood" }, words, this.again ? again : null));
    }
    return notes;
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
    const shown = make("pre", { tabindex: "0" }, text);
    const details = fold(say("json"), copying([["copy", () => text]]), shown);
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
    const said = condition ? [questionOf(condition)] : [...this.#settled.keys()];
    for (const question of said) {
      this.facts.settle(question, condition ? value : undefined);
      if (!condition || value === undefined) this.#settled.delete(question);
      else this.#settled.set(question, [condition, value]);
    }
    this.facts.shownInReply([...this.#settled.keys()]);
    await this.#narrow();
  }

  async #narrow() {
    const turn = ++this.#turn;
    this.place.setAttribute("aria-busy", "true");
    try {
      const reply = await this.#narrowed();
      if (turn !== this.#turn) return;
      this.reply = reply;
      this.said(count("narrowed", (reply.answers || []).length));
    } catch (fault) {
      if (turn !== this.#turn) return;
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
    return say("said", conclusionOf(tree, this.sources), sureness(tree.conclusion));
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
function marksOf({ marks = {}, cells = {}, found = [] }) {
  const all = [...Object.entries(marks), ...Object.entries(cells)];
  const passages = found.map(({ place: { source, start, end } }, at) => {
    const number = `found-${at}`;
    return [number, { number, kind: "evidence", source, ...(start === undefined ? {} : { start, end }) }];
  });
  const spoken = all.flatMap(([source, several]) => several.map((mark) => [mark.number, { ...mark, source }]));
  return new Map([...spoken, ...passages]);
}
