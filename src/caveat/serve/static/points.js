// Places count characters as Python does; a string of JavaScript counts some of them twice.
export class Points {
  #text;
  #split;

  constructor(text) {
    this.#split = /[\ud800-\udfff]/.test(text);
    this.#text = this.#split ? Array.from(text) : text;
  }

  get length() {
    return this.#text.length;
  }

  slice(start, end) {
    const part = this.#text.slice(start, end);
    return this.#split ? part.join("") : part;
  }

  // The half-open spans of the lines that have anything in them.
  lines() {
    const found = [];
    for (let start = 0, at = 0; at <= this.length; at++) {
      if (at < this.length && this.#text[at] !== "\n" && this.#text[at] !== "\r") continue;
      if (this.slice(start, at).trim()) found.push([start, at]);
      start = at + 1;
    }
    return found;
  }
}
