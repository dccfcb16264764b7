// The library that is served: how many files it has, which are asked, adding to it and removing from it.
import { by, icon, make } from "./elements.js";
import { meet, nameOf } from "./names.js";
import { passages } from "./passages.js";
import { Points } from "./points.js";
import { call, Fault } from "./server.js";
import { pathOf, suggestions } from "./suggestions.js";
import { markedTable } from "./tables.js";
import { count, onLanguage, say, size } from "./words.js";

// More are found by searching.
const MOST_SHOWN = 200;
const PICTURES = { document: "file", table: "table", knowledge: "knowledge" };

export class LibraryDialog {
  served = false;
  questions = [];
  limits = {};
  #entries = [];
  #left = new Set(); // files that are not asked
  #lasts = true;
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
    by("library-search").addEventListener("input", () => this.#list());
    by("library-all").addEventListener("click", () => this.#choose(this.#seen(), this.#left.size > 0));
    onLanguage(() => this.#tell());
  }

  // How many files are asked.
  get length() {
    return by("from-library").checked && this.served ? this.#entries.length - this.#left.size : 0;
  }

  // As /ask takes it: all of it, or the names of the files that are asked.
  get asked() {
    const names = this.#entries.map(({ source }) => source).filter((source) => !this.#left.has(source));
    return this.#left.size ? names : true;
  }

  // A server without a library is nothing to complain about.
  async load() {
    try {
      const health = await call("GET", "health");
      this.limits = health.limits ?? {};
      this.#lasts = health.lasts !== false;
      if (health.library) await this.#read();
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
    }
    by("from").hidden = !this.served;
    this.#tell();
    if (this.served) this.questions = await suggestions(this.#entries);
  }

  async #read() {
    this.#entries = byFile(await call("GET", "library"));
    this.served = true;
    this.#left = new Set(this.#entries.map(({ source }) => source).filter((source) => this.#left.has(source)));
    meet(this.#entries.map(({ source }) => source));
  }

  #tell() {
    const all = this.#entries.length;
    by("library-name").textContent = this.#left.size
      ? say("library.some", all - this.#left.size, all)
      : count("library.use", all);
    by("library-lasts").hidden = this.#lasts;
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

  #seen() {
    const wanted = by("library-search").value.trim().toLowerCase();
    return this.#entries.filter(({ source, title }) => `${source} ${title ?? ""}`.toLowerCase().includes(wanted));
  }

  #list() {
    const seen = this.#seen();
    const inside = seen.length
      ? make(
          "ul",
          { class: "entries" },
          seen.slice(0, MOST_SHOWN).map((entry) => this.#entry(entry)),
        )
      : make("p", { class: "hint" }, say(this.#entries.length ? "library.none" : "library.empty"));
    const more = seen.length - MOST_SHOWN;
    by("library-body").replaceChildren(
      inside,
      ...(more > 0 ? [make("p", { class: "hint" }, count("library.more", more))] : []),
    );
    by("library-find").hidden = this.#entries.length < 2;
    by("library-all").textContent = say(this.#left.size ? "library.all" : "library.nothing");
  }

  #choose(entries, asked) {
    for (const { source } of entries) {
      if (asked) this.#left.delete(source);
      else this.#left.add(source);
    }
    this.#tell();
    this.#changed();
  }

  #entry(entry) {
    const amount = entry.passages ? count("library.passages", entry.passages) : "";
    const kinds = entry.kinds.map((kind) => say(`kind.${kind}`)).join(say("comma"));
    const facts = [kinds, size(entry.bytes), amount].filter(Boolean).join(" · ");
    return make(
      "li",
      {},
      make("input", {
        type: "checkbox",
        checked: !this.#left.has(entry.source),
        "aria-label": say("library.ask", nameOf(entry.source)),
        change: (event) => this.#choose([entry], event.target.checked),
      }),
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

  // What was wrong with each file is said of each.
  async #add(files) {
    const said = [];
    for (const file of files) {
      this.#say([...said, say("library.adding", file.name)].join("\n"));
      try {
        await call("PUT", `library/${pathOf(file.name)}`, { body: file });
        said.push(say("library.added", file.name));
      } catch (fault) {
        if (!(fault instanceof Fault)) throw fault;
        said.push(fault.message.includes(file.name) ? fault.message : `${file.name}: ${fault.message}`);
      }
    }
    await this.#doing(() => this.#read());
    this.#say(said.join("\n"));
  }

  async #show(entry) {
    await this.#doing(async () => {
      const parts = await Promise.all(entry.parts.map((part) => call("GET", `library/${pathOf(part)}`)));
      const back = make(
        "button",
        { type: "button", class: "quiet", click: () => this.#list() },
        "← ",
        say("library.back"),
      );
      by("library-find").hidden = true;
      by("library-body").replaceChildren(
        back,
        make("h3", { dir: "auto" }, nameOf(entry.source)),
        make("div", { class: "pane-body" }, make("article", { dir: "auto" }, parts.map(shownSource))),
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

// A text with its paragraphs, a table, or facts, one a line.
function shownSource(source) {
  if (source.text !== undefined) return passages({ ...source, points: new Points(source.text) }, [], () => {});
  if (source.rows) return markedTable(source, [], () => {});
  const headers = ["subject", "predicate", "object"].map((name) => say(`facts.${name}`));
  const rows = (source.facts ?? []).map(({ subject, predicate, object }) => [subject, predicate, object]);
  return rows.length ? markedTable({ headers, rows }, [], () => {}) : make("p", { class: "hint" }, say("library.facts"));
}

// The file of a table that may be one of several in it: `fees.xlsx#2026` is of `fees.xlsx`.
const fileOf = ({ source, kind }) => (kind === "table" ? (/^(.*\.\w{1,8})#[^#]*$/s.exec(source)?.[1] ?? source) : source);

// What a file gave may be several sources: a text, and the tables in it.
function byFile(entries) {
  const files = new Map();
  for (const entry of entries) {
    const { kind, bytes, passages, title } = entry;
    const source = fileOf(entry);
    const file = files.get(source);
    if (!file) files.set(source, { source, kinds: [kind], bytes, passages, title, parts: [entry.source] });
    else
      Object.assign(file, {
        kinds: [...new Set([...file.kinds, kind])],
        bytes: Math.max(file.bytes, bytes),
        passages: file.passages + passages,
        parts: [...new Set([...file.parts, entry.source])],
      });
  }
  return [...files.values()];
}
