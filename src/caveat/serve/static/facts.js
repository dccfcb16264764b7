// What the asker has told, in words or by a condition's question: chips that stay for the next question.
import { by, icon, make } from "./elements.js";
import { remember } from "./remember.js";
import { onLanguage, say } from "./words.js";

const same = (one, other) => one.toLowerCase() === other.toLowerCase();

export class Facts {
  #all = []; // {text} or {question, value}
  #inReply = [];
  #removed;

  // `removed` is told which one was taken back.
  constructor(removed) {
    this.#removed = removed;
    try {
      this.#all = JSON.parse(localStorage.getItem("caveat.facts")) ?? [];
    } catch {
      this.#all = []; // storage may be switched off
    }
    onLanguage(() => this.show());
    this.show();
  }

  get told() {
    return this.#all.flatMap(({ text }) => (text ? [text] : [])).join(" ");
  }

  // The questions that were answered with yes, or with no.
  answered(value) {
    return this.#all.filter((fact) => fact.question && fact.value === value).map(({ question }) => question);
  }

  valueOf(question) {
    return this.#all.find((fact) => fact.question && same(fact.question, question))?.value;
  }

  tell(text) {
    if (text && !this.#all.some((fact) => fact.text === text)) this.#change([...this.#all, { text }]);
  }

  // No value takes back what was said.
  settle(question, value) {
    const others = this.#all.filter((fact) => !fact.question || !same(fact.question, question));
    this.#change(value === undefined ? others : [...others, { question, value }]);
  }

  clear() {
    this.#change([]);
  }

  // What the reply shows itself, among what was said to it, is not shown twice.
  shownInReply(questions) {
    this.#inReply = questions;
    this.show();
  }

  show() {
    const shown = this.#all.filter((fact) => !this.#inReply.some((each) => fact.question && same(each, fact.question)));
    by("facts").hidden = !shown.length;
    by("facts").querySelector("ul").replaceChildren(...shown.map((fact) => this.#chip(fact)));
  }

  #chip(fact) {
    const words = fact.text ?? fact.question;
    const remove = () => {
      this.#change(this.#all.filter((each) => each !== fact));
      this.#removed(fact);
      (by("facts").querySelector("button") || by("question")).focus();
    };
    return make(
      "li",
      { class: "chip" },
      make(
        "span",
        { class: "name", dir: "auto", title: words },
        words,
        fact.question && [" ", make("b", {}, say(fact.value ? "yes" : "no"))],
      ),
      make("button", { type: "button", "aria-label": say("remove", words), click: remove }, icon("close")),
    );
  }

  #change(all) {
    this.#all = all;
    remember("facts", JSON.stringify(all));
    this.show();
  }
}
