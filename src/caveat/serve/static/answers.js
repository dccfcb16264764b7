// The answers of a reply as cards: how probable, under which conditions, what shows them.
import { asked, choice } from "./checklist.js";
import { fold, icon, make } from "./elements.js";
import { nameOf } from "./names.js";
import { clean } from "./passages.js";
import { pictureOf } from "./sources.js";
import { count, languageOf, percent, say } from "./words.js";

const LONGEST = 600;
// Beyond this an answer is set as text, not as a headline.
const LONG = 120;

export class Answers {
  // `marks` are those of the tree, by number; `told` hears what the asker says of a condition.
  constructor(tree, { marks, pane, told }) {
    Object.assign(this, { tree, marks, pane, told });
  }

  list() {
    const cards = (branches) =>
      make(
        "ol",
        { class: "answers" },
        branches.map((branch) => this.#branch(branch)),
      );
    const { branches = [], improbable = [] } = this.tree;
    const inside = [cards(branches)];
    if (improbable.length) inside.push(fold(count("improbable", improbable.length), cards(improbable)));
    return inside;
  }

  // Answers that hold together under the same conditions share these; an alternative has its own.
  #branch(branch) {
    const over = branch.conditions ? this.#conditions(branch) : null;
    return make(
      "li",
      { class: `card ${branch.answers[0].kind}` },
      this.tree.together ? over : null,
      branch.answers.map((node, at) => {
        const next = branch.answers[at + 1];
        // What is the same for the next answer is said there.
        const shows = next && marksOf(next) === marksOf(node) ? null : this.#evidence(node);
        const where = next && placeNames(next) === placeNames(node) ? null : this.#where(node);
        return this.#answer(node, this.tree.together ? null : over, [shows, where]);
      }),
    );
  }

  #answer(node, over, placed) {
    const parts = (node.branches || []).flatMap((branch) => branch.answers);
    const fine = parts.length
      ? fold(
          count("parts", parts.length),
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
          { class: node.text.length > LONG ? "words long" : "words", dir: "auto", lang: languageOf(node.text) },
          wordsOf(node),
        ),
        chance(node.score),
      ),
      node.otherwise ? make("p", { class: "otherwise" }, say("otherwise"), " — ", say("otherwise.text")) : null,
      over,
      this.#quote(node),
      node.table ? this.#operation(node) : null,
      node.triples ? chain(node.triples) : null,
      placed,
      fine,
    );
  }

  #part(branch) {
    const over = branch.conditions ? this.#conditions(branch) : null;
    return make(
      "li",
      {},
      over,
      branch.answers.map((node) => {
        const inside = [
          make("b", { class: "label" }, node.label),
          " ",
          make("span", { dir: "auto" }, short(node.text, LONGEST)),
        ];
        return make(
          "div",
          { class: "answer fine part", id: `n${node.number}`, tabindex: "-1" },
          this.#link(node.mark, "words", inside),
          make("span", { class: "percent" }, percent(node.score)),
        );
      }),
    );
  }

  // What has to hold, and what must not, in the groups of the tree.
  #conditions({ conditions, checklist, met }) {
    const parts = (group) =>
      make(
        "ul",
        {},
        group.parts.map((part) =>
          typeof part === "number"
            ? this.#condition(conditions[part], group)
            : make("li", { class: "group" }, make("small", {}, say(`group.${part.how}`)), parts(part)),
        ),
      );
    const hint = !met && !this.hinted;
    this.hinted ||= hint;
    return make(
      "div",
      { class: `conditions ${met ? "met" : ""}` },
      met ? make("p", {}, make("b", {}, "✓ ", say("holds"))) : null,
      checklist.map((group, number) => [
        met
          ? null
          : make(
              "p",
              {},
              make("b", {}, say(`group.${group.how}`)),
              hint && !number ? make("small", {}, say("narrow")) : null,
            ),
        parts(group),
      ]),
    );
  }

  #condition(condition, group) {
    const moot = condition.state === "moot";
    const refused = condition.wanted === false && !group.how.startsWith("unless");
    const inside = [make("b", { class: "label" }, condition.label), make("span", {}, short(asked(condition), LONGEST))];
    return make(
      "li",
      { class: moot ? "asks moot" : "asks" },
      make(
        "div",
        {},
        this.#link(condition.mark, "condition", inside),
        moot ? make("small", {}, say("moot")) : refused ? make("small", {}, say("needed", say("no"))) : null,
      ),
      choice(condition, this.told),
    );
  }

  // The sentence of the answer, with the answer in it.
  #quote({ quote, place, kind, mark }) {
    if (!quote) return place?.sentence ? this.#link(null, "quote", [clean(place.sentence)]) : null;
    return quote.more ? this.#link(mark, "quote", pieces(quote, kind)) : null;
  }

  #operation({ table, mark }) {
    return this.#link(mark, "operation", [icon("table"), make("span", {}, table.operation || say("table.alone"))]);
  }

  #evidence(node) {
    const evidence = marked(node);
    if (!evidence.length) return null;
    const items = evidence.map(({ mark, quote }) => make("li", {}, this.#link(mark, "shows", pieces(quote))));
    return make(
      "div",
      { class: "evidence-list" },
      make("small", {}, say(node.place ? "evidence" : "evidence.own")),
      make("ul", {}, items),
    );
  }

  #where(node) {
    const place = placeOf(node);
    if (!place) return null;
    const picture = node.triples ? "knowledge" : node.table ? "table" : pictureOf(place.source);
    const inside = [icon(picture), make("span", { dir: "auto" }, placeNames(node))];
    return this.#link(node.mark ?? marked(node)[0]?.mark, "where", inside);
  }

  // A button that shows a mark in its source; plain text where there is none to show.
  #link(number, name, inside) {
    const mark = this.marks.get(number);
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
export function wordsOf({ verdict, text }) {
  return verdict ? say(verdict) : short(text, LONGEST);
}

// Evidence that can be shown in its source.
const marked = ({ evidence = [] }) => evidence.filter(({ mark }) => mark);
const marksOf = (node) =>
  marked(node)
    .map(({ mark }) => mark)
    .join();
const placeOf = (node) => node.place || marked(node)[0]?.place;

// A sentence, with what is marked in it in the colour of its kind.
function pieces(quote, kind) {
  return quote.pieces.map(({ text, marked }) =>
    marked && kind ? make("mark", { class: `${kind} first last` }, clean(text)) : clean(text),
  );
}

function placeNames(node) {
  const place = placeOf(node);
  if (!place) return "";
  const names = [nameOf(place.source), ...(place.headings || [])];
  if (place.page) names.push(say("page", place.page));
  return names.join(" › ");
}

// That none of the sources answers: said first where it is the most probable, else in a line below.
export function notAnswered({ not_answered: { score, first }, branches, improbable }, sources) {
  if (!first) return make("p", { class: "rest" }, make("span", {}, say("none.rest")), chance(score));
  const text = make("p", { class: "hint" }, say(branches || improbable ? "none.text" : "none.empty"));
  return make(
    "div",
    { class: "card none" },
    make(
      "div",
      { class: "said" },
      make("p", { class: "words" }, count("none", sources)),
      chance(score),
    ),
    text,
  );
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
