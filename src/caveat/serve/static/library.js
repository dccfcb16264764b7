// The library that is served: how many sources it has, which they are, adding to it and removing from it.
import { by, icon, make } from "./elements.js";
import { meet, nameOf } from "./names.js";
import { passages } from "./passages.js";
import { Points } from "./points.js";
import { call, Fault } from "./server.js";
import { pathOf, suggestions } from "./suggestions.js";
import { markedTable } from "./tables.js";
import { count, onLanguage, say, size } from "./words.js";

const PICTURES = { document: "file", table: "table", knowledge: "knowledge" };

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

  get length() {
    return this.#entries.length;
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
    if (this.served) this.questions = await suggestions(this.#entries);
  }

  async #read() {
    this.#entries = byFile(await call("GET", "library"));
    this.served = true;
    meet(this.#entries.map(({ source }) => source));
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
      ? make(
          "ul",
          { class: "entries" },
          this.#entries.map((entry) => this.#entry(entry)),
        )
      : make("p", { class: "hint" }, say("library.empty"));
    by("library-body").replaceChildren(inside);
  }

  #entry(entry) {
    const amount = entry.passages ? count("library.passages", entry.passages) : "";
    const kinds = entry.kinds.map((kind) => say(`kind.${kind}`)).join(say("comma"));
    const facts = [kinds, size(entry.bytes), amount].filter(Boolean).join(" · ");
    return make(
      "li",
      {},
      icon(PICTURES[entry.kinds[0]] || "file"),
      make(
        "div",
        {},
        make(
          "button",
          { type: "button", class: "link name", dir: "auto", title: entry.source, click: () => this.#show(entry) },
          nameOf(entry.source),
        ),
        make("small", {}, [entry.title, facts].filter(Boolean).join(" — ")),
      ),
      make(
        "button",
        {
          type: "button",
          class: "quiet icon",
          "aria-label": say("remove", nameOf(entry.source)),
          click: (event) => this.#confirm(event.currentTarget, entry),
        },
        icon("close"),
      ),
    );
  }

  // Removing is said twice: the button asks whether one is sure.
  #confirm(button, entry) {
    const sure = make(
      "button",
      { type: "button", class: "danger small", click: () => this.#remove(entry) },
      say("library.sure"),
    );
    sure.addEventListener("blur", () => sure.isConnected && sure.replaceWith(button));
    button.replaceWith(sure);
    sure.focus();
  }

  async #remove(entry) {
    await this.#doing(async () => {
      await call("DELETE", `library/${pathOf(entry.source)}`);
      await this.#read();
      this.#say(say("library.removed", nameOf(entry.source)));
    });
    by("library-close").focus();
  }

  async #add(files) {
    for (const file of files) {
      this.#say(say("library.adding", file.name));
      await this.#doing(async () => {
        await call("PUT", `library/${pathOf(file.name)}`, { body: file });
        await this.#read();
        this.#say(say("library.added", file.name));
      });
    }
  }

  async #show(entry) {
    await this.#doing(async () => {
      const source = await call("GET", `library/${pathOf(entry.source)}`);
      const back = make(
        "button",
        { type: "button", class: "quiet", click: () => this.#list() },
        "← ",
        say("library.back"),
      );
      const shown =
        source.text !== undefined ? passages({ ...source, points: new Points(source.text) }, [], () => {}) : [];
      if (source.rows) shown.push(markedTable(source, [], () => {}));
      if (!shown.length) shown.push(make("p", { class: "hint" }, say("library.facts")));
      by("library-body").replaceChildren(
        back,
        make("h3", { dir: "auto" }, nameOf(entry.source)),
        make("div", { class: "pane-body" }, make("article", { dir: "auto" }, shown)),
      );
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

// What a file gave may be several sources of one name: a text, and the tables in it.
function byFile(entries) {
  const files = new Map();
  for (const { source, kind, bytes, passages, title } of entries) {
    const file = files.get(source);
    if (!file) files.set(source, { source, kinds: [kind], bytes, passages, title });
    else
      Object.assign(file, {
        kinds: [...new Set([...file.kinds, kind])],
        bytes: file.bytes + bytes,
        passages: file.passages + passages,
      });
  }
  return [...files.values()];
}
