// One item under one's hands: its question, its text, its spans and links; every key and button ends in a new work.
import { icon, make } from "../elements.js";
import { known, language, languageOf, onLanguage, say } from "../words.js";
import { Characters } from "./characters.js";
import { dragged, Passage } from "./passage.js";
import * as works from "./work.js";

const TYPING = 600; // milliseconds after the last letter
const VERDICT_KEYS = { yes: "y", no: "n", unanswerable: "u" };
const EXCERPT = 60;
// A remark on more spans than this is on all of it.
const FEW = 2;
const isOnSpans = ({ spans }) => spans?.length > 0 && spans.length <= FEW;

export const kindWords = (kind) => (known(`kind.${kind.name}`) ? say(`kind.${kind.name}`) : kind.words);

// In the first of ConditionalQA's two steps there is a question and a scenario, and nothing else yet.
export const asksOnly = (task, stage) => task.name === "conditionalqa" && Boolean(stage?.writes_question);

// Labels of spans: the key of the kind and a number, in the order of the text.
export function tagsOf(task, work, characters) {
  const met = {};
  return Object.fromEntries(
    works.inOrder(work.spans).map((span) => {
      const kind = task.kinds.find(({ name }) => name === span.kind);
      met[span.kind] = (met[span.kind] ?? 0) + 1;
      const label = `${(kind?.key ?? span.kind[0]).toUpperCase()}${met[span.kind]}`;
      return [span.id, { label, title: `${kind ? kindWords(kind) : span.kind}: ${excerpt(characters, span)}` }];
    }),
  );
}

export function excerpt(characters, { start, end }) {
  const text = characters.slice(start, end);
  return end - start > EXCERPT ? `${characters.slice(start, start + EXCERPT)} …` : text;
}

export class Editor {
  #active = null;
  #linking = null; // {from, only}
  #remarks = [];
  #suggestion = null;
  #typing = null;
  #readOnly = false;

  // `changed` is given every new work, `decided` the outcome of a suggestion, `say` a sentence for the status line.
  constructor(host, task, { changed, decided = () => {}, announce }) {
    Object.assign(this, { host, task, changed, decided, announce });
    this.characters = new Characters("");
    this.work = works.NO_WORK;
    this.#build();
  }

  #build() {
    const text = make("div", {
      ...{ class: "text", tabindex: "0", role: "textbox", "aria-readonly": "true", "aria-multiline": "true" },
      "data-word-label": "text.label",
    });
    this.text = text;
    this.asked = make("div", { class: "asked" });
    this.tools = make("div", { class: "tools", role: "toolbar", "data-word-label": "tools" });
    this.notes = make("div", { class: "notes", role: "status" });
    this.list = make("ul", { class: "spans" });
    this.offer = make("div", { class: "offer" });
    this.note = make("textarea", { rows: "2", maxlength: "4000", input: () => this.#typed(), change: () => this.settle(), "data-word-placeholder": "note.placeholder", "data-word-label": "note" });
    const side = make("aside", { class: "side", "data-word-label": "side" }, this.notes, this.offer, this.list, this.note);
    // Buttons leave the selection in the text as it is.
    this.tools.addEventListener("pointerdown", (event) => event.preventDefault());
    this.host.replaceChildren(
      make("div", { class: "desk" }, this.asked, make("div", { class: "page" }, text), this.tools),
      side,
    );
    this.passage = new Passage(text, {
      picked: () => this.#drawTools(),
      chosen: (id) => this.#chose(id),
      dropped: (from, to) => this.#link(from, to),
    });
    onLanguage(() => {
      if (!this.sample) return;
      this.settle();
      this.#drawAsked();
      this.draw();
    });
  }

  open({ sample, stage, work, remarks = [], suggestion = null, readOnly = false }) {
    this.sample = sample;
    this.stage = stage;
    this.characters = new Characters(sample.context);
    this.text.lang = languageOf(sample.context);
    this.work = work;
    this.#remarks = remarks;
    this.#suggestion = suggestion;
    this.#readOnly = readOnly;
    this.#active = this.#linking = null;
    clearTimeout(this.#typing);
    this.#typing = null;
    this.note.value = work.note;
    this.#drawAsked();
    this.draw();
  }

  // The same item with what another step has made of it.
  show(work, remarks = this.#remarks) {
    const before = this.work;
    this.work = work;
    this.#remarks = remarks;
    if (!works.spanOf(work, this.#active)) this.#active = null;
    this.note.value = work.note;
    if (before.question !== work.question || before.scenario !== work.scenario || before.question_type !== work.question_type)
      this.#drawAsked();
    this.draw();
  }

  remark(remarks) {
    this.#remarks = remarks;
    this.draw();
  }

  focus() {
    this.text.focus({ preventScroll: true });
  }

  get marks() {
    return !asksOnly(this.task, this.stage) && !this.#readOnly;
  }

  get linking() {
    return this.#linking !== null;
  }

  // What is being typed is taken as it stands.
  settle() {
    if (this.#typing === null) return;
    clearTimeout(this.#typing);
    this.#typing = null;
    this.#change(this.#withTyped(), { typed: true });
  }

  #withTyped() {
    const typed = { ...this.work, note: this.note.value };
    for (const field of this.asked.querySelectorAll("textarea[name]")) typed[field.name] = field.value;
    if (!typed.scenario) typed.scenario = this.work.scenario === null ? null : "";
    return typed;
  }

  #typed() {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.settle(), TYPING);
  }

  #change(work, { typed = false } = {}) {
    if (work === this.work || JSON.stringify(work) === JSON.stringify(this.work)) return;
    this.work = work;
    if (!typed) this.draw();
    this.changed(work);
  }

  #try({ work, id, refused }, said) {
    if (refused) {
      this.announce(say(refused));
      return;
    }
    if (id) this.#active = id;
    this.#change(work);
    if (said) this.announce(said());
  }

  // The text that a key is meant for: what is selected, else the element that the keyboard is in.
  #stretches(kind) {
    const picked = this.passage.picked;
    const elements = kind.element ? (this.sample.elements ?? []) : [];
    if (!elements.length) return picked ? [picked] : [];
    const [start, end] = picked ?? [this.passage.caret, this.passage.caret + 1];
    const touched = elements.filter((element) => element.start < end && start < element.end);
    return touched.map((element) => [element.start, element.end]);
  }

  give(kind) {
    this.settle();
    if (!this.marks) return;
    const active = works.spanOf(this.work, this.#active);
    if (!this.passage.picked && active) {
      if (active.kind !== kind.name) this.#try(works.withChanged(this.task, this.work, active.id, { kind: kind.name }));
      return;
    }
    const stretches = this.#stretches(kind);
    if (!stretches.length) {
      this.announce(say("select.first"));
      return;
    }
    let result = { work: this.work };
    for (const [start, end] of stretches) {
      const next = works.withSpan(this.task, result.work, kind.name, start, end);
      if (next.refused && stretches.length === 1) result = next;
      else if (next.work) result = next;
    }
    if (!result.refused) this.passage.forget();
    this.#try(result, () => this.#tags[this.#active]?.title ?? "");
  }

  judge(verdict) {
    this.settle();
    if (!this.marks || !this.task.verdicts.includes(verdict)) return;
    this.#try({ work: works.withVerdict(this.work, verdict) }, () => say(`verdict.${this.work.verdict}`));
  }

  remove(id = this.#active) {
    this.settle();
    if (!this.marks || !works.spanOf(this.work, id)) return;
    if (id === this.#active) this.#active = null;
    this.#try({ work: works.withoutSpan(this.task, this.work, id) }, () => say("removed"));
  }

  // Alt and an arrow move the end of the span, with Shift its beginning.
  #edge(forward, beginning) {
    this.settle();
    const span = works.spanOf(this.work, this.#active);
    if (!span || !this.marks) return;
    const edge = beginning ? "start" : "end";
    this.#try(works.withChanged(this.task, this.work, span.id, { [edge]: this.characters.step(span[edge], forward) }));
  }

  #walk(forward) {
    const spans = this.#linking
      ? works.candidates(this.task, this.work, this.#linking.from, this.#linking.only)
      : this.work.spans;
    if (!spans.length) return;
    const ids = works.inOrder(spans).map(({ id }) => id);
    const at = ids.indexOf(this.#active);
    const next = ids[(at + (forward ? 1 : -1) + ids.length + (at < 0 && !forward ? 1 : 0)) % ids.length];
    this.#active = next;
    this.passage.forget();
    this.draw();
    this.passage.reveal(next);
    this.announce(this.#tags[next].title);
  }

  startLink(only = null) {
    if (!this.marks || !this.task.links.length) return;
    const from = this.#active;
    const found = from ? works.candidates(this.task, this.work, from, only) : [];
    if (!found.length) {
      this.announce(say(from ? "link.none" : "link.first"));
      return;
    }
    if (found.length === 1) {
      this.#link(from, found[0].id);
      return;
    }
    this.#linking = { from, only };
    this.announce(say("link.choose"));
    this.draw();
  }

  #link(from, to) {
    this.settle();
    this.#linking = null;
    const before = this.work.links.length;
    const [one, other] = [this.#tags[from]?.label, this.#tags[to]?.label];
    this.#active = from;
    this.#try(works.withLink(this.task, this.work, from, to), () =>
      say(this.work.links.length < before ? "unlinked" : "linked", one, other),
    );
    this.draw();
  }

  #chose(id) {
    if (this.#linking && id) {
      this.#link(this.#linking.from, id);
      return;
    }
    this.#linking = null;
    this.#active = id;
    this.draw();
  }

  choose(type) {
    this.settle();
    if (this.#readOnly) return;
    this.#try({ work: { ...this.work, question_type: this.work.question_type === type ? null : type } });
    this.#drawAsked();
  }

  // A key that was pressed outside fields; true where it meant something here.
  key(event) {
    const { key } = event;
    if (event.altKey && /^Arrow(Left|Right)$/.test(key) && this.#active) {
      this.#edge((key === "ArrowRight") !== this.characters.rightToLeft, event.shiftKey);
      return true;
    }
    if (event.altKey || event.ctrlKey || event.metaKey) return false;
    if (this.#linking && this.#linkKey(key)) return true;
    const kind = this.task.kinds.find((each) => each.key === key);
    if (kind) this.give(kind);
    else if (this.task.links.some((each) => each.key === key))
      this.startLink(this.task.links.find((each) => each.key === key).name);
    else if (Object.values(VERDICT_KEYS).includes(key))
      this.judge(Object.keys(VERDICT_KEYS).find((name) => VERDICT_KEYS[name] === key));
    else if (/^[1-9]$/.test(key) && this.task.question_types[key - 1]) this.choose(this.task.question_types[key - 1]);
    else if (key === "g" && this.#suggestion) this.accept();
    else if (key === "h" && this.#suggestion) this.accept("changed");
    else if (key === "r" && this.#suggestion) this.refuse();
    else return this.#ownKey(key);
    return true;
  }

  #ownKey(key) {
    const does = {
      l: () => this.startLink(),
      x: () => this.remove(),
      Delete: () => this.remove(),
      Backspace: () => this.remove(),
      "[": () => this.#walk(false),
      "]": () => this.#walk(true),
      t: () => this.focus(),
      i: () => this.asked.querySelector("textarea")?.focus(),
      Escape: () => {
        this.#linking = this.#active = null;
        this.passage.forget();
        this.draw();
        this.focus();
      },
    };
    if (!(key in does)) return false;
    does[key]();
    return true;
  }

  #linkKey(key) {
    const { from, only } = this.#linking;
    const found = works.inOrder(works.candidates(this.task, this.work, from, only));
    if (/^[1-9]$/.test(key) && found[key - 1]) this.#link(from, found[key - 1].id);
    else if (key === "Enter" && found.some(({ id }) => id === this.#active)) this.#link(from, this.#active);
    else return false;
    return true;
  }

  accept(outcome = "accepted") {
    this.settle();
    const { work } = this.#suggestion;
    this.#suggestion = null;
    const { question, scenario, question_type } = this.work;
    this.decided(outcome);
    this.#try({ work: { ...work, question: question || work.question, scenario: scenario ?? work.scenario, question_type: question_type ?? work.question_type } });
    this.draw();
  }

  refuse() {
    this.#suggestion = null;
    this.decided("refused");
    this.announce(say("suggestion.refused"));
    this.draw();
  }

  #tags = {};

  draw() {
    this.#tags = tagsOf(this.task, this.work, this.characters);
    const { spans } = this.work;
    const warned = this.#remarks.filter(isOnSpans).flatMap((remark) => remark.spans);
    const numbered = {};
    if (this.#linking)
      works
        .inOrder(works.candidates(this.task, this.work, this.#linking.from, this.#linking.only))
        .slice(0, 9)
        .forEach(({ id }, at) => (numbered[id] = at + 1));
    const near = works.linked(this.work, this.#linking?.from ?? this.#active);
    this.passage.show(this.characters, spans, this.#tags, { active: this.#active, near, numbered, warned });
    this.#drawTools();
    this.#drawNotes();
    this.#drawOffer();
    this.#drawSpans();
    this.note.readOnly = this.#readOnly;
  }

  #drawAsked() {
    const writes = this.task.question === "written" && this.stage?.writes_question && !this.#readOnly;
    const { question, scenario, question_type } = this.work;
    const shown = (value, words, name) =>
      value && make("div", { class: name }, make("small", {}, say(words)), make("p", { dir: "auto", lang: languageOf(value) }, value));
    const field = (name, value) =>
      make("label", { class: "written" }, make("small", {}, say(`${name}.label`)), make("textarea", { name, rows: "2", maxlength: "4000", dir: "auto", input: () => this.#typed(), change: () => this.settle() }, value ?? ""));
    const withScenario = this.task.name === "conditionalqa";
    const types = this.task.question_types.map((type, at) =>
      make(
        "button",
        { type: "button", class: "chip type", "aria-pressed": `${type === question_type}`, disabled: this.#readOnly, click: () => this.choose(type) },
        at < 9 && this.stage ? make("kbd", {}, `${at + 1}`) : null,
        known(`type.${type}`) ? say(`type.${type}`) : type,
      ),
    );
    this.asked.replaceChildren(
      ...[
        this.sample.title && make("p", { class: "title", dir: "auto" }, this.sample.title),
        writes ? field("question", question) : shown(question, "question.label", "question"),
        writes && withScenario ? field("scenario", scenario) : shown(scenario, "scenario.label", "scenario"),
        types.length ? make("div", { class: "types", role: "group", "aria-label": say("types") }, types) : null,
      ].filter(Boolean),
    );
  }

  #drawTools() {
    if (!this.sample) return;
    const picked = Boolean(this.passage.picked);
    const active = works.spanOf(this.work, this.#active);
    const kinds = this.task.kinds.map((kind) =>
      make(
        "button",
        { type: "button", class: `tool kind-${kind.name}`, disabled: !picked && !active && !kind.element, click: () => this.give(kind) },
        make("kbd", {}, kind.key), make("span", {}, kindWords(kind)),
      ),
    );
    const verdicts = this.task.verdicts.filter((verdict) => verdict !== "span").map((verdict) =>
      make(
        "button",
        { type: "button", class: "tool verdict", "aria-pressed": `${this.work.verdict === verdict}`, click: () => this.judge(verdict) },
        make("kbd", {}, VERDICT_KEYS[verdict]), make("span", {}, say(`verdict.${verdict}`)),
      ),
    );
    const link = this.task.links.length && make("button", { type: "button", class: "tool", disabled: !active, "aria-pressed": `${Boolean(this.#linking)}`, click: () => this.startLink() }, make("kbd", {}, "l"), make("span", {}, say("link")));
    const remove = make("button", { type: "button", class: "tool", disabled: !active, click: () => this.remove() }, make("kbd", {}, "x"), make("span", {}, say("span.remove")));
    const focused = this.tools.contains(document.activeElement) ? [...this.tools.children].indexOf(document.activeElement) : -1;
    this.tools.hidden = !this.marks;
    this.tools.replaceChildren(...[...kinds, ...verdicts, link, remove].filter(Boolean));
    if (focused >= 0) this.tools.children[focused]?.focus();
  }

  #drawNotes() {
    const general = this.#remarks.filter((remark) => !isOnSpans(remark));
    const verdict = this.work.verdict !== "span" && make("p", { class: "judged" }, say(`verdict.${this.work.verdict}`));
    this.notes.replaceChildren(...[verdict, ...general.map((remark) => remarkOf(remark))].filter(Boolean));
  }

  #drawOffer() {
    this.offer.hidden = !this.#suggestion || this.#readOnly;
    if (this.offer.hidden) return;
    const { work, model, uncertainty } = this.#suggestion;
    const tags = tagsOf(this.task, work, this.characters);
    const said = works.inOrder(work.spans).map((span) =>
      make("li", { class: `kind-${span.kind}` }, make("b", {}, tags[span.id].label), " ", make("span", { dir: "auto" }, excerpt(this.characters, span))),
    );
    const verdict = work.verdict !== "span" && make("li", {}, say(`verdict.${work.verdict}`));
    const choice = (key, words, click) =>
      make("button", { type: "button", class: "quiet", click }, make("kbd", {}, key), say(words));
    this.offer.replaceChildren(
      make("h3", {}, say("suggestion.title")),
      make("small", {}, say("suggestion.of", model, `${Math.round(100 * uncertainty)}%`)),
      make("ul", {}, ...said, verdict || null),
      make("div", { class: "row" }, choice("g", "suggestion.accept", () => this.accept()), choice("h", "suggestion.change", () => this.accept("changed")), choice("r", "suggestion.refuse", () => this.refuse())),
    );
  }

  #drawSpans() {
    const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.span : null;
    const items = works.inOrder(this.work.spans).map((span) => this.#spanItem(span));
    if (!items.length && this.marks) items.push(make("li", { class: "hint" }, say("spans.none")));
    this.list.replaceChildren(...items);
    if (focused) this.list.querySelector(`.span[data-span="${focused}"]`)?.focus();
  }

  #spanItem(span) {
    const { label, title } = this.#tags[span.id];
    const choose = make(
      "button",
      {
        ...{ type: "button", class: `span kind-${span.kind}`, "aria-pressed": `${span.id === this.#active}`, "aria-label": title },
        dataset: { span: span.id },
        click: () => {
          this.#chose(span.id);
          this.passage.reveal(span.id);
        },
        pointerdown: (event) => this.marks && event.pointerType === "mouse" && dragged(choose, event, (to) => this.#link(span.id, to)),
      },
      make("b", {}, label), make("span", { class: "words", dir: "auto" }, excerpt(this.characters, span)),
    );
    const links = this.work.links.filter(({ source }) => source === span.id).map((link) => this.#linkItem(link));
    const remarks = this.#remarks.filter((remark) => isOnSpans(remark) && remark.spans.includes(span.id)).map((remark) => remarkOf(remark));
    const remove = this.marks && make("button", { type: "button", class: "quiet icon", "aria-label": say("remove", label), click: () => this.remove(span.id) }, icon("close"));
    return make("li", {}, make("div", { class: "line" }, choose, remove), links.length ? make("div", { class: "links" }, links) : null, remarks);
  }

  #linkItem({ source, target }) {
    const to = this.#tags[target];
    const remove = () => this.#link(source, target);
    return make("button", { type: "button", class: "chip link", disabled: !this.marks, "aria-label": `${say("link.to", to.title)} ${say("unlink")}`, click: remove }, "→ ", make("b", {}, to.label));
  }
}

export function remarkOf({ rule, message }) {
  // The rule's own sentence names the words that it is about, in English.
  const words = language() !== "en" && known(`rule.${rule}`) ? say(`rule.${rule}`) : message;
  return make("p", { class: "remark" }, icon("warn"), make("span", {}, words));
}
