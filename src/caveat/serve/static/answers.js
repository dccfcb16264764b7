// The answers of a reply as cards: how probable, under which conditions, what shows them.
import { asked, choice } from "./checklist.js";
import { bestOf, citationOf, conclusionOf, copying, placeNames, sureness, wordsOf } from "./citing.js";
import { fold, icon, make } from "./elements.js";
import { clean } from "./passages.js";
import { pictureOf } from "./sources.js";
import { count, languageOf, percent, say } from "./words.js";

const LONGEST = 600;
// Beyond this an answer is set as text, not as a headline.
const LONG = 120;

export class Answers {
  // `marks` are those of the tree, by number; `told` hears what the asker says of a condition; `link` gives a link to
  // the question, where there is one.
  constructor(tree, { marks, pane, told, link, sources }) {
    Object.assign(this, { tree, marks, pane, told, link, sources });
  }

  // The best answer, or all that hold together, open; what else may be is folded.
  list() {
    const cards = (branches, folded = false) =>
      make(
        "ol",
        { class: folded ? "answers doubtful" : "answers" },
        branches.map((branch) => this.#branch(branch)),
      );
    const { branches = [], improbable = [], conclusion } = this.tree;
    const best = bestOf(this.tree)?.branch;
    const open = conclusion.kind === "together" ? branches : conclusion.kind === "answer" ? [best] : [];
    const others = branches.filter((branch) => !open.includes(branch));
    const inside = [open.length ? cards(open) : null];
    if (conclusion.kind === "none" || conclusion.kind === "unsure") inside.push(this.#found());
    const further = [...others, ...improbable];
    const number = further.reduce((sum, branch) => sum + branch.answers.length, 0);
    if (number) {
      const folded = fold(count("further", number), cards(further, true));
      folded.classList.add("further");
      // Without a passage that may help, the best that there is.
      folded.open = !open.length && !this.tree.found?.length;
      inside.push(folded);
    }
    return inside;
  }

  // What the reply comes to, where that is not one answer, which says so itself.
  conclusion() {
    const { kind } = this.tree.conclusion;
    if (kind === "answer") return null;
    return make(
      "div",
      { class: `card conclusion ${kind === "together" ? "" : "none"}` },
      make("p", { class: "words" }, conclusionOf(this.tree, this.sources)),
      make("span", { class: "percent", title: say("probability") }, sureness(this.tree.conclusion)),
    );
  }

  // Passages that may help, as a search gives them.
  #found() {
    const { found = [], branches, improbable } = this.tree;
    if (!found.length) return make("p", { class: "hint" }, say(branches || improbable ? "none.text" : "none.empty"));
    const items = found.map(({ place, quote }, at) =>
      make(
        "li",
        {},
        this.#link(`found-${at}`, "quote", pieces(quote, "evidence")),
        this.#link(`found-${at}`, "where", [
          icon(pictureOf(place.source)),
          make("span", { dir: "auto" }, placeNames(place)),
        ]),
      ),
    );
    return make("section", { class: "found" }, make("h3", {}, say("may.help")), make("ul", {}, items));
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
        const where = next && placeNames(placeOf(next)) === placeNames(placeOf(node)) ? null : this.#where(node);
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
    const { conclusion } = this.tree;
    const concludes = conclusion.kind === "answer" && conclusion.node === node.number;
    return make(
      "div",
      { class: `answer ${node.kind} ${concludes ? "concludes" : ""}`, id: `n${node.number}`, tabindex: "-1" },
      make(
        "div",
        { class: "said" },
        make("b", { class: "label" }, node.label),
        make(
          "p",
          { class: node.text.length > LONG ? "words long" : "words", dir: "auto", lang: languageOf(node.text) },
          short(wordsOf(node), LONGEST),
          concludes && conclusion.conditional ? make("span", { class: "provided" }, `, ${this.#provided(node)}`) : null,
        ),
        chance(node.score, concludes ? conclusion : null),
      ),
      node.otherwise ? make("p", { class: "otherwise" }, say("otherwise"), " — ", say("otherwise.text")) : null,
      over,
      this.#quote(node),
      node.table ? this.#operation(node) : null,
      node.triples ? chain(node.triples) : null,
      placed,
      fine,
      concludes || this.tree.conclusion.kind === "together" ? this.#copying(node) : null,
    );
  }

  #copying(node) {
    const texts = [
      ["copy.answer", () => wordsOf(node)],
      ["copy.citation", () => citationOf(node)],
    ];
    if (this.link) texts.push(["copy.link", this.link]);
    return copying(texts);
  }

  // The conditions of an answer and how they belong together: "if A and (B or C), unless D".
  #provided(node) {
    const { conditions, checklist } = this.tree.branches.find((branch) => branch.answers.includes(node));
    const said = (part, inside) => {
      if (typeof part === "number") {
        const { label, wanted } = conditions[part];
        return wanted === false && !inside?.startsWith("unless") ? say("not", label) : label;
      }
      const or = part.how.includes("any");
      const words = part.parts.map((each) => said(each, part.how)).join(say(or ? "or" : "and"));
      return inside && part.parts.length > 1 ? `(${words})` : words;
    };
    const groups = checklist.map((group) => {
      const several = checklist.length > 1 && group.how.includes("any") ? "group" : "";
      const unless = group.how.startsWith("unless");
      return say(unless ? "logic.unless" : "logic.if", said(group, unless ? "" : several));
    });
    return groups.join(say("comma"));
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
    const inside = [icon(picture), make("span", { dir: "auto" }, placeNames(place))];
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

// That none of the sources answers, where something does: a line below.
export function notAnswered({ not_answered: { score } }) {
  return make("p", { class: "rest" }, make("span", {}, say("none.rest")), chance(score));
}

function chance(score, conclusion = null) {
  const full = make("span");
  full.style.inlineSize = `${Math.max(1, 100 * score)}%`;
  return make(
    "div",
    { class: "chance", title: say("probability") },
    make("span", { class: "bar", "aria-hidden": "true" }, full),
    make(
      "span",
      { class: "percent" },
      make("span", { class: "unseen" }, say("probability"), " "),
      conclusion ? sureness(conclusion) : percent(score),
    ),
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
