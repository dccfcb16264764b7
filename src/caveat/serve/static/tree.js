// The answers of a reply as a tree, with labels and marks, as `caveat ask --html` draws it: conditions are A, B, C …,
// answers 1, 2, 3 …, the fine answers under 2 are 2.1, 2.2 …, an answer under condition A is A→2 in the text, and 2* is
// what else shows it.
export const KINDS = ["condition", "coarse", "fine", "plain", "evidence"];

// Alternatives less probable than this are put aside.
const WORTH_SHOWING = 0.01;

// What a condition asks for; two that ask the same are settled together.
export const questionOf = (condition) => condition.question || condition.text;
export const factOf = (condition) => questionOf(condition).toLowerCase();

export function everyAnswer(answers) {
  return answers.flatMap((answer) => [answer, ...everyAnswer(answer.parts || [])]);
}

export function conditionsOf(reply) {
  const found = new Map();
  for (const answer of everyAnswer(reply.answers || []))
    for (const condition of answer.conditions || [])
      if (!found.has(factOf(condition))) found.set(factOf(condition), condition);
  return found;
}

// A letter for each fact; what was lettered before keeps its letter as the reply narrows.
export function lettersOf(reply) {
  return new Map([...conditionsOf(reply).keys()].map((fact, number) => [fact, letter(number)]));
}

function letter(number) {
  let letters = "";
  for (number++; number; number = Math.floor((number - 1) / 26))
    letters = String.fromCharCode(65 + ((number - 1) % 26)) + letters;
  return letters;
}

// What is left of a reply, with all the conditions that its answers had at first; `open` are those that still matter.
// So what was ticked stays where it was.
export function withFirstConditions(first, left) {
  const key = (answer) => JSON.stringify([answer.text, answer.kind, answer.place ?? null]);
  const before = new Map();
  for (const answer of first) before.set(key(answer), [...(before.get(key(answer)) || []), answer]);
  return left.map((answer) => {
    const { conditions, requires, parts } = before.get(key(answer))?.shift() || answer;
    const open = new Set((answer.conditions || []).map(factOf));
    const inside = answer.parts && { parts: withFirstConditions(parts || [], answer.parts) };
    return { ...answer, conditions, requires, open, ...inside };
  });
}

// {branches, improbable, marks: by source, cells: by source}; a branch is {conditions, requires, answers}, a node
// {number, kind, label, answer, mark, evidence: [{mark, place}], branches}.
export function answerTree(reply, texts, tables, letters) {
  const drawing = new Drawing(texts, tables, letters);
  const answers = reply.answers || [];
  if (reply.together) return drawing.finish(drawing.branches(inBranches(answers, Object.keys(texts))), []);
  const shown = answers.filter((answer) => answer.score >= WORTH_SHOWING);
  const branches = drawing.branches(shown.map((answer) => [answer]));
  drawing.faint = true; // what is put aside is not to be seen in the text until it is asked for
  return drawing.finish(branches, drawing.branches(answers.slice(shown.length).map((answer) => [answer])));
}

// Answers by their conditions, in the order of the text: unconditional ones first.
function inBranches(answers, sources) {
  const position = (place) => [place ? sources.indexOf(place.source) : sources.length, place?.start ?? 0];
  const before = (a, b) => a.findIndex((each, at) => each !== b[at]);
  const compare = (a, b) => {
    const at = before(a, b);
    return at < 0 ? 0 : a[at] - b[at];
  };
  const groups = new Map();
  for (const answer of [...answers].sort((a, b) => compare(position(a.place), position(b.place)))) {
    const key = JSON.stringify([answer.conditions || [], answer.requires ?? null]);
    groups.set(key, [...(groups.get(key) || []), answer]);
  }
  const order = ([first]) => [first.conditions ? 1 : 0, ...position(first.conditions?.[0].place)];
  return [...groups.values()].sort((a, b) => compare(order(a), order(b)));
}

class Drawing {
  faint = false;
  #nodes = 0;
  #answers = 0;
  #marks = new Map(); // by source, kind and span: {number, kind, start, end, labels, node}
  #cells = [];

  constructor(texts, tables, letters) {
    this.texts = texts;
    this.tables = tables;
    this.letters = letters;
  }

  branches(groups, prefix = "") {
    let parts = 0;
    return groups.map((answers) => {
      const [{ conditions = [], requires = null }] = answers;
      const over = conditions.map((condition) => this.#condition(condition));
      const under = answers.map((answer) => {
        const label = prefix ? `${prefix}.${++parts}` : `${++this.#answers}`;
        return this.#answer(answer, prefix ? "fine" : null, label, over);
      });
      return { conditions: over, requires, answers: under };
    });
  }

  #condition(condition) {
    const mark = this.#mark("condition", condition.place);
    const label = this.letters.get(factOf(condition)) || "";
    const number = this.#node(mark, label);
    return { number, kind: "condition", label, condition, mark };
  }

  #answer(answer, kind, label, over) {
    kind ||= answer.parts ? "coarse" : "plain";
    const mark = this.#ofCells(kind, answer) || this.#mark(kind, answer.place);
    const letters = over.map((node) => node.label).join(",");
    const number = this.#node(mark, letters ? `${letters}→${label}` : label);
    const evidence = [];
    for (const place of answer.evidence || []) {
      const shows = isAround(place, answer.place) ? null : this.#mark("evidence", place);
      if (!shows || evidence.some((each) => each.mark === shows)) continue;
      evidence.push({ mark: shows, place });
      name(shows, number, `${label}*`);
    }
    const parts = (answer.parts || []).length ? inBranches(answer.parts, Object.keys(this.texts)) : [];
    return { number, kind, label, answer, mark, evidence, branches: this.branches(parts, label) };
  }

  #node(mark, label) {
    this.#nodes++;
    if (mark) name(mark, this.#nodes, label);
    return this.#nodes;
  }

  #mark(kind, place) {
    const text = place && this.texts[place.source]?.points;
    if (!text || !(place.start >= 0 && place.start < place.end && place.end <= text.length)) return null;
    if (!text.slice(place.start, place.end).trim()) return null;
    const key = JSON.stringify([place.source, kind, place.start, place.end]);
    if (!this.#marks.has(key)) {
      const { source, start, end } = place;
      this.#marks.set(key, { number: this.#next(), kind, source, start, end, labels: [], node: 0, faint: this.faint });
    }
    return this.#marks.get(key);
  }

  #ofCells(kind, answer) {
    if (!answer.cells || !this.tables[answer.place?.source]) return null;
    const { source } = answer.place;
    const mark = { number: this.#next(), kind, source, answer, labels: [], node: 0, faint: this.faint };
    this.#cells.push(mark);
    return mark;
  }

  #next() {
    return this.#marks.size + this.#cells.length + 1;
  }

  finish(branches, improbable) {
    const marks = {};
    for (const mark of this.#marks.values()) (marks[mark.source] ||= []).push(mark);
    // Of marks that begin together the widest first: it is what the others stand in.
    for (const several of Object.values(marks))
      several.sort((a, b) => a.start - b.start || b.end - a.end || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
    const cells = {};
    for (const mark of this.#cells) (cells[mark.source] ||= []).push(mark);
    return { branches, improbable, marks, cells };
  }
}

function name(mark, node, label) {
  mark.node ||= node;
  if (label && !mark.labels.includes(label)) mark.labels.push(label);
}

// Whether evidence is nothing new: it is around the answer's own place.
export function isAround(evidence, place) {
  if (!place || evidence.source !== place.source) return false;
  return evidence.start <= place.start && place.end <= evidence.end;
}
