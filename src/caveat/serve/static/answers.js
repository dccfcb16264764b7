// The answers of a reply as cards: how probable, under which conditions, what shows them.
import { asked, choice } from "./checklist.js";
import { fold, icon, make } from "./elements.js";
import { nameOf } from "./names.js";
import { clean } from "./passages.js";
import { pictureOf } from "./sources.js";
import { factOf, isAround } from "./tree.js";
import { count, languageOf, percent, say } from "./words.js";

const LONGEST = 600;
// Beyond this an answer is set as text, not as a headline.
const LONG = 120;
const LONGEST_QUOTE = 280;

export class Answers {
  // `settled` is what the asker said of facts; `told` hears more of it.
  constructor(reply, tree, { texts, pane, settled, told }) {
    Object.assign(this, { reply, tree, texts, pane, settled, told });
  }

  list() {
    const cards = make(
      "ol",
      { class: "answers" },
      this.tree.branches.map((branch) => this.#branch(branch)),
    );
    const inside = [cards];
    const { improbable } = this.tree;
    if (improbable.length) {
      const more = make(
        "ol",
        { class: "answers" },
        improbable.map((branch) => this.#branch(branch)),
      );
      inside.push(fold(count("improbable", improbable.length), more));
    }
    return inside;
  }

  // Alternatives are a card each; answers that hold together under the same conditions share theirs.
  #branch(branch) {
    const kind = branch.answers[0].kind;
    const over = branch.conditions.length ? this.#conditions(branch) : null;
    return make(
      "li",
      { class: `card ${kind}` },
      this.reply.together ? over : null,
      branch.answers.map((node, at) => {
        const next = branch.answers[at + 1];
        // What is the same for the next answer is said there.
        const shows = next && marksOf(next) === marksOf(node) ? null : this.#evidence(node);
        const where = next && placeNames(next) === placeNames(node) ? null : this.#where(node);
        return this.#answer(node, this.reply.together ? null : over, [shows, where]);
      }),
    );
  }

  #answer(node, over, placed) {
    const { answer } = node;
    const fine = node.branches.length
      ? fold(
          count(
            "parts",
            node.branches.reduce((sum, branch) => sum + branch.answers.length, 0),
          ),
          make(
            "ol",
            { class: "parts" },
            node.branches.map((branch) => this.#part(branch)),
          ),
        )
      : null;
    return make(
      "div",
      { class: `answer ${node.kind}`, id: `n${node.number}`, tabindex: "-1" },
      make(
        "div",
        { class: "said" },
        make("b", { class: "label" }, node.label),
        make(
          "p",
          { class: answer.text.length > LONG ? "words long" : "words", dir: "auto", lang: languageOf(answer.text) },
          wordsOf(answer),
        ),
        chance(answer.score),
      ),
      answer.otherwise ? make("p", { class: "otherwise" }, say("otherwise"), " — ", say("otherwise.text")) : null,
      over,
      this.#quote(node),
      answer.cells ? this.#operation(node) : null,
      answer.triples ? chain(answer.triples) : null,
      placed,
      fine,
    );
  }

  #part(branch) {
    const over = branch.conditions.length ? this.#conditions(branch) : null;
    return make(
      "li",
      {},
      over,
      branch.answers.map((node) => {
        const inside = [
          make("b", { class: "label" }, node.label),
          " ",
          make("span", { dir: "auto" }, short(node.answer.text, LONGEST)),
        ];
        return make(
          "div",
          { class: "answer fine part", id: `n${node.number}`, tabindex: "-1" },
          this.#link(node.mark, "words", inside),
          make("span", { class: "percent" }, percent(node.answer.score)),
        );
      }),
    );
  }

  // What has to hold: all of it, or as `requires` says. Answers of a branch have the same conditions, open or not.
  #conditions({ conditions, requires, answers }) {
    const { open } = answers[0].answer;
    const one = (number) => this.#condition(conditions[number], open);
    const part = (required) => {
      if (typeof required === "number") return one(required);
      const inside = make("ul", {}, required.parts.map(part));
      return make("li", { class: "group" }, make("small", {}, say(required.type === "any" ? "any" : "all")), inside);
    };
    const whole = requires ?? { type: "all", parts: [...conditions.keys()] };
    const parts = typeof whole === "number" ? [whole] : whole.parts;
    const how = parts.length > 1 ? ` ${say(whole.type === "any" ? "any" : "all")}` : "";
    const head = open.size ? [`${say("if")}${how}`] : ["✓ ", say("holds")];
    const hint = open.size && !this.hinted;
    this.hinted ||= hint;
    return make(
      "div",
      { class: `conditions ${open.size ? "" : "met"}` },
      make("p", {}, make("b", {}, head), hint ? make("small", {}, say("narrow")) : null),
      make("ul", {}, parts.map(part)),
    );
  }

  #condition(node, open) {
    const fact = factOf(node.condition);
    const moot = !open.has(fact) && !this.settled.has(fact);
    const refused = node.condition.wanted === false;
    const inside = [make("b", { class: "label" }, node.label), make("span", {}, short(asked(node.condition), LONGEST))];
    return make(
      "li",
      { class: moot ? "asks moot" : "asks" },
      make(
        "div",
        {},
        this.#link(node.mark, "condition", inside),
        moot ? make("small", {}, say("moot")) : refused ? make("small", {}, say("needed", say("no"))) : null,
      ),
      choice(node, this.settled, moot, this.told),
    );
  }

  // The sentence of the answer, with the answer in it.
  #quote({ answer, kind, mark }) {
    const { place } = answer;
    if (!place || place.start === undefined) return null;
    if (!this.texts[place.source]) return place.sentence ? this.#link(null, "quote", [clean(place.sentence)]) : null;
    const { points } = this.texts[place.source];
    const around = (answer.evidence || []).find((evidence) => isAround(evidence, place)) || place;
    const from = Math.max(around.start, place.start - LONGEST_QUOTE);
    const to = Math.min(around.end, place.end + LONGEST_QUOTE);
    if (place.end - place.start >= (to - from) * 0.9) return null;
    const inside = [
      from > around.start ? "… " : "",
      clean(points.slice(from, place.start)),
      make("mark", { class: `${kind} first last` }, clean(points.slice(place.start, place.end))),
      clean(points.slice(place.end, to)),
      to < around.end ? " …" : "",
    ];
    return this.#link(mark, "quote", inside);
  }

  #operation({ answer, mark }) {
    return this.#link(mark, "operation", [
      icon("table"),
      make("span", {}, answer.cells.operation || say("table.alone")),
    ]);
  }

  #evidence({ answer, evidence }) {
    if (!evidence.length) return null;
    const items = evidence.map(({ mark, place }) => {
      const text = place.sentence || this.texts[place.source].points.slice(place.start, place.end);
      return make("li", {}, this.#link(mark, "shows", [short(text, LONGEST_QUOTE)]));
    });
    return make(
      "div",
      { class: "evidence-list" },
      make("small", {}, say(answer.place ? "evidence" : "evidence.own")),
      make("ul", {}, items),
    );
  }

  #where({ answer, mark, evidence }) {
    const place = answer.place || evidence[0]?.place;
    if (!place) return null;
    const inside = [icon(answer.triples ? "knowledge" : answer.cells ? "table" : pictureOf(place.source))];
    inside.push(make("span", { dir: "auto" }, placeNames({ answer, evidence })));
    return this.#link(mark || evidence[0]?.mark, "where", inside);
  }

  // A button that shows a mark in its source; plain text where there is none to show.
  #link(mark, name, inside) {
    if (!mark) return make(name === "quote" ? "p" : "span", { class: name, dir: "auto" }, inside);
    const button = make(
      "button",
      { type: "button", class: `link ${name}`, dir: "auto", dataset: { mark: mark.number } },
      inside,
    );
    button.addEventListener("click", () => this.pane.show(mark, button));
    for (const [event, lit] of Object.entries({ pointerenter: true, focus: true, pointerleave: false, blur: false }))
      button.addEventListener(event, () => this.pane.point(mark, lit));
    return button;
  }
}

// Yes and no are said in the language of the page, everything else as the source says it.
export function wordsOf(answer) {
  return answer.kind === "yes" || answer.kind === "no" ? say(answer.kind) : short(answer.text, LONGEST);
}

const marksOf = ({ evidence }) => evidence.map(({ mark }) => mark.number).join();

function placeNames({ answer, evidence }) {
  const place = answer.place || evidence[0]?.place;
  if (!place) return "";
  const names = [nameOf(place.source), ...(place.headings || [])];
  if (place.page) names.push(say("page", place.page));
  return names.join(" › ");
}

// That none of the sources answers: said first where it is the most probable, else in a line below.
export function notAnswered(reply, sources, first) {
  if (!first) return make("p", { class: "rest" }, make("span", {}, say("none.rest")), chance(reply.unanswerable || 0));
  const text = make("p", { class: "hint" }, say(reply.answers?.length ? "none.text" : "none.empty"));
  return make(
    "div",
    { class: "card none" },
    make(
      "div",
      { class: "said" },
      make("p", { class: "words" }, count("none", sources)),
      chance(reply.unanswerable || 0),
    ),
    text,
  );
}

export function isAnswered(reply) {
  const [best] = reply.answers || [];
  return Boolean(best) && (reply.unanswerable || 0) <= (reply.together ? 0.5 : best.score);
}

function chance(score) {
  const full = make("span");
  full.style.inlineSize = `${Math.max(1, 100 * score)}%`;
  return make(
    "div",
    { class: "chance", title: say("probability") },
    make("span", { class: "bar", "aria-hidden": "true" }, full),
    make("span", { class: "percent" }, make("span", { class: "unseen" }, say("probability"), " "), percent(score)),
  );
}

// Facts that lead to one another stand in one line: subject – predicate → object – predicate → object.
function chain(triples) {
  const lines = [];
  for (const { subject, predicate, object } of triples) {
    const last = lines.at(-1);
    if (last?.end === subject) Object.assign(last, { end: object, steps: [...last.steps, [predicate, object]] });
    else lines.push({ subject, steps: [[predicate, object]], end: object });
  }
  const thing = (text) => make("span", { class: "thing", dir: "auto" }, short(text, LONGEST));
  return make(
    "ul",
    { class: "facts", "aria-label": say("facts") },
    lines.map(({ subject, steps }) =>
      make(
        "li",
        {},
        thing(subject),
        steps.map(([predicate, object]) => [make("span", { class: "step", dir: "auto" }, predicate), thing(object)]),
      ),
    ),
  );
}

// Text on one line, the middle of a long one left out.
function short(text, longest) {
  const line = clean(text).replace(/\s+/g, " ").trim();
  return line.length > longest ? `${line.slice(0, longest / 2)} … ${line.slice(-longest / 3)}` : line;
}
