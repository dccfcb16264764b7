// A text by code points, as Python counts them; spans begin and end between characters as people see them.
const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });
const BLANK = /^\s$/u;
const RIGHT_TO_LEFT = /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;

export class Characters {
  #units = []; // where in JavaScript's string each code point begins, and the end
  #words = null;

  constructor(text) {
    this.text = text;
    for (let at = 0; at < text.length; at += text.codePointAt(at) > 0xffff ? 2 : 1) this.#units.push(at);
    this.#units.push(text.length);
    this.edges = this.#pointsOf(GRAPHEMES);
  }

  get length() {
    return this.#units.length - 1;
  }

  get rightToLeft() {
    return RIGHT_TO_LEFT.test(this.text.slice(0, 500));
  }

  slice(start, end) {
    return this.text.slice(this.unit(start), this.unit(end));
  }

  unit(point) {
    return this.#units[Math.max(0, Math.min(point, this.length))];
  }

  // The code point that a unit is in.
  point(unit) {
    return lastUpTo(this.#units, unit);
  }

  // What a selection touches, which may begin and end within a code point.
  snapUnits(start, end) {
    if (start === end) return null;
    return this.snap(this.point(Math.min(start, end)), firstFrom(this.#units, Math.max(start, end)));
  }

  // The characters that a stretch touches, without the blanks around them; null where nothing is left.
  snap(start, end) {
    let [from, to] = [Math.min(start, end), Math.max(start, end)];
    if (from === to) return null;
    from = this.edges[lastUpTo(this.edges, from)];
    to = this.edges[firstFrom(this.edges, to)];
    while (from < to && BLANK.test(this.slice(from, from + 1))) from++;
    while (from < to && BLANK.test(this.slice(to - 1, to))) to--;
    return from < to ? [from, to] : null;
  }

  step(point, forward) {
    return stepped(this.edges, point, forward);
  }

  stepWord(point, forward) {
    this.#words ??= this.#pointsOf(WORDS);
    return stepped(this.#words, point, forward);
  }

  #pointsOf(segmenter) {
    const found = [];
    let point = 0;
    for (const { segment } of segmenter.segment(this.text)) {
      found.push(point);
      for (const _ of segment) point++;
    }
    found.push(point);
    return found;
  }
}

function lastUpTo(sorted, value) {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

function firstFrom(sorted, value) {
  const at = lastUpTo(sorted, value);
  return sorted[at] < value ? Math.min(at + 1, sorted.length - 1) : at;
}

function stepped(sorted, value, forward) {
  if (forward) return sorted[Math.min(lastUpTo(sorted, value) + 1, sorted.length - 1)];
  return sorted[Math.max(firstFrom(sorted, value) - 1, 0)];
}
