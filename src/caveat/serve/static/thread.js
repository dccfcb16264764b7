// The questions that were asked, newest first, each with what its reply came to; kept in the browser until cleared.
import { conclusionOf, download, markdownOf, sureness } from "./citing.js";
import { by, make } from "./elements.js";
import { all, drop, empty, freshId, put } from "./kept.js";
import { onLanguage, say } from "./words.js";

// Older ones are forgotten.
const MOST = 50;

export class Thread {
  #turns = []; // {id, reply, sources, ofLibrary, typed}, the oldest first
  #shown = null;

  // `open` shows a turn again; `cleared` is told when there are none any more.
  constructor(open, cleared) {
    this.open = open;
    by("thread-clear").addEventListener("click", async () => {
      await empty("turns");
      this.#turns = [];
      this.show(null);
      cleared();
    });
    by("thread-export").addEventListener("click", () =>
      download("caveat.md", markdownOf(this.#turns), "text/markdown;charset=utf-8"),
    );
    onLanguage(() => this.show(this.#shown));
  }

  async load() {
    this.#turns = await all("turns");
    this.show(null);
  }

  find(id) {
    return this.#turns.find((turn) => turn.id === id);
  }

  add(turn) {
    const whole = { id: freshId(), ...turn };
    this.#turns.push(whole);
    put("turns", whole);
    while (this.#turns.length > MOST) drop("turns", this.#turns.shift().id);
    return whole;
  }

  // All but the one that is shown.
  show(id) {
    this.#shown = id;
    const others = this.#turns.filter((turn) => turn.id !== id).reverse();
    by("thread").hidden = !this.#turns.length;
    by("thread-title").hidden = !others.length;
    by("thread")
      .querySelector("ol")
      .replaceChildren(...others.map((turn) => this.#line(turn)));
  }

  #line(turn) {
    const { tree, question } = turn.reply;
    return make(
      "li",
      {},
      make(
        "button",
        { type: "button", class: "turn", click: () => this.open(turn) },
        make("b", { dir: "auto" }, question.text),
        make("span", { dir: "auto" }, conclusionOf(tree, turn.sources)),
        make("small", {}, sureness(tree.conclusion)),
      ),
    );
  }
}
