// The library that is served: how many sources it has, which they are, adding to it and removing from it.
import { by, icon, make } from "./elements.js";
import { passages } from "./passages.js";
import { Points } from "./points.js";
import { call, Fault } from "./server.js";
import { markedTable } from "./tables.js";
import { count, onLanguage, say, size } from "./words.js";

// What can be asked of the library that comes with Caveat, by source.
const examples = await (await fetch(new URL("examples.json", import.meta.url))).json();
const PICTURES = { document: "file", table: "table", knowledge: "knowledge" };
const AMOUNTS = { document: "library.passages", table: "library.rows", knowledge: "library.triples" };

export class LibraryDialog {
  served = false;
  questions = [];
  #entries = [];
  #changed;

  constructor(changed) {
    this.#changed = changed;
    this.dialog = by("library");
    by("library-open").addEventListener("click", () => this.#open());
    by("library-close").addEventListener("click", () => this.dialog.close());
    by("library-add").addEventListener("click", () => by("library-files").click());
    by("library-files").addEventListener("change", async () => {
      const files = [...by("library-files").files];
      by("library-files").value = "";
      await this.#add(files);
    });
    this.dialog.addEventListener("dragover", (event) => event.preventDefault());
    this.dialog.addEventListener("drop", (event) => {
      event.preventDefault();
      this.#add([...event.dataTransfer.files]);
    });
    onLanguage(() => this.#tell());
  }

  // A server without a library is nothing to complain about.
  async load() {
    try {
      const health = await call("GET", "health");
      if (health.library) await this.#read();
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
    }
    by("from").hidden = !this.served;
    if (!this.served) by("from-files").checked = true;
    this.#tell();
  }

  async #read() {
    this.#entries = await call("GET", "library");
    this.served = true;
    const here = new Set(this.#entries.map(({ source }) => source.split("/").at(-1)));
    this.questions = Object.entries(examples).flatMap(([source, question]) => (here.has(source) ? [question] : []));
  }

  #tell() {
    by("library-name").textContent = count("library.use", this.#entries.length);
    if (this.dialog.open) this.#list();
  }

  #say(sentence) {
    by("library-status").textContent = sentence;
  }

  #open() {
    this.#say("");
    this.#list();
    this.dialog.showModal();
  }

  #list() {
    const inside = this.#entries.length
      ? make("ul", { class: "entries" }, this.#entries.map((entry) => this.#entry(entry)))
      : make("p", { class: "hint" }, say("library.empty"));
    by("library-body").replaceChildren(inside);
  }

  #entry(entry) {
    const amount = entry.passages ? count(AMOUNTS[entry.kind] || AMOUNTS.document, entry.passages) : "";
    const facts = [say(`kind.${entry.kind}`), size(entry.bytes), amount].filter(Boolean).join(" · ");
    return make(
      "li",
      {},
      icon(PICTURES[entry.kind] || "file"),
      make(
        "div",
        {},
        make("button", { type: "button", class: "link name", dir: "auto", click: () => this.#show(entry) }, entry.source),
        make("small", {}, [entry.title, facts].filter(Boolean).join(" — ")),
      ),
      make(
        "button",
        {
          type: "button",
          class: "quiet icon",
          "aria-label": say("remove", entry.source),
          click: (event) => this.#confirm(event.currentTarget, entry),
        },
        icon("close"),
      ),
    );
  }

  // Removing is said twice: the button asks whether one is sure.
  #confirm(button, entry) {
    const sure = make("button", { type: "button", class: "danger small", click: () => this.#remove(entry) }, say("library.sure"));
    sure.addEventListener("blur", () => sure.isConnected && sure.replaceWith(button));
    button.replaceWith(sure);
    sure.focus();
  }

  async #remove(entry) {
    await this.#doing(async () => {
      await call("DELETE", `library/${path(entry.source)}`);
      await this.#read();
      this.#say(say("library.removed", entry.source));
    });
    by("library-close").focus();
  }

  async #add(files) {
    for (const file of files) {
      this.#say(say("library.adding", file.name));
      await this.#doing(async () => {
        await call("PUT", `library/${path(file.name)}`, { body: file });
        await this.#read();
        this.#say(say("library.added", file.name));
      });
    }
  }

  async #show(entry) {
    await this.#doing(async () => {
      const source = await call("GET", `library/${path(entry.source)}`);
      const back = make("button", { type: "button", class: "quiet", click: () => this.#list() }, "← ", say("library.back"));
      const shown = source.text !== undefined ? passages({ ...source, points: new Points(source.text) }, [], () => {}) : [];
      if (source.rows) shown.push(markedTable(source, [], () => {}));
      for (const { subject, predicate, object } of source.triples || [])
        shown.push(make("p", { dir: "auto" }, [subject, predicate, object].join(" · ")));
      by("library-body").replaceChildren(back, make("h3", { dir: "auto" }, entry.source), make("article", { class: "pane-body", dir: "auto" }, shown));
      back.focus();
    }, false);
  }

  async #doing(work, relist = true) {
    try {
      await work();
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      this.#say(fault.message);
      return;
    }
    if (relist) {
      this.#tell();
      this.#changed();
    }
  }
}

// Sources of a folder have slashes in their names.
const path = (source) => source.split("/").map(encodeURIComponent).join("/");
