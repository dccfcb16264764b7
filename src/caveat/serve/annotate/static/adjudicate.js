// The second tab: works that differ, side by side; one is taken, or they are merged, and what comes of it is gold.
import { by, make } from "../elements.js";
import { call, Fault } from "../server.js";
import { count, onLanguage, say } from "../words.js";
import { pathOf } from "./annotate.js";
import { picture, settleConflict } from "./conflict.js";
import { Editor } from "./editor.js";
import { Leaving } from "./leaving.js";
import { Outbox } from "./outbox.js";
import * as works from "./work.js";

const CHECKING = 250;

export class Adjudicating {
  #list = [];
  #current = null;
  #before = [];
  #after = [];
  #checking = null;
  #leaving = new Leaving();

  constructor(project, announce) {
    this.project = project;
    this.task = project.task;
    this.announce = announce;
    this.editor = new Editor(by("gold-editor"), this.task, { changed: (work) => this.#changed(work), announce });
    by("gold-save").addEventListener("click", () => this.save());
    by("gold-all").addEventListener("click", () => this.merge());
    by("gold-common").addEventListener("click", () => this.common());
    by("gold-undo").addEventListener("click", () => this.undo());
    onLanguage(() => this.#draw());
  }

  async load() {
    if (!this.#leaving.underWay) await this.#leaving.during(() => this.#load());
  }

  async #load() {
    try {
      this.#list = await call("GET", "api/disagreements");
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      this.announce(fault.message);
      return;
    }
    this.#draw();
    if (!this.#current) await this.#openNext();
  }

  async #openNext() {
    const next = this.#list.find(({ decided }) => !decided);
    if (next) await this.open(next.item);
    else if (this.#list.length) this.announce(say("gold.done"));
  }

  open(item) {
    return this.#leaving.during(() => this.#open(item));
  }

  async #open(item) {
    let found;
    try {
      found = await call("GET", `api/gold/${encodeURIComponent(item)}`);
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      this.announce(fault.message);
      return;
    }
    this.#current = found;
    this.#before = [];
    this.#after = [];
    const outbox = new Outbox({
      address: `${this.project.name}/${this.project.me.name}/gold/${item}`,
      ...{ path: `api/gold/${encodeURIComponent(item)}`, version: found.version },
      told: (news) => this.#told(outbox, news),
    });
    this.outbox = outbox;
    const all = Object.values(found.works);
    this.editor.open({ sample: found.sample, stage: null, work: found.gold ?? works.common(this.task, all), remarks: found.remarks });
    this.#check();
    this.#draw();
    if (!matchMedia("(pointer: coarse)").matches) this.editor.focus();
  }

  async #told(outbox, { conflict, refused }) {
    if (outbox !== this.outbox) return;
    if (refused) this.announce(refused);
    by("gold-saved").textContent = outbox.offline ? count("saved.offline", outbox.waiting) : "";
    if (conflict) this.editor.show(await settleConflict(outbox, this.task, this.editor.characters));
  }

  #changed(work) {
    this.#before.push(this.shown ?? work);
    this.#after = [];
    this.shown = work;
    this.#check();
  }

  #set(work) {
    this.#before.push(this.editor.work);
    this.#after = [];
    this.shown = work;
    this.editor.show(work);
    this.#check();
  }

  #check() {
    this.shown = this.editor.work;
    clearTimeout(this.#checking);
    const { item } = this.#current;
    this.#checking = setTimeout(async () => {
      try {
        const { remarks } = await call("POST", `${pathOf(item)}/check`, { body: { work: this.editor.work } });
        if (item === this.#current.item) this.editor.remark(remarks);
      } catch (fault) {
        if (!(fault instanceof Fault)) throw fault;
      }
    }, CHECKING);
  }

  take(name) {
    const work = this.#current?.works[name];
    if (!work) return;
    this.#set(work);
    this.announce(say("gold.taken", name));
  }

  merge() {
    if (!this.#current) return;
    this.#set(works.union(this.task, Object.values(this.#current.works)));
    this.announce(say("gold.merged"));
  }

  common() {
    if (this.#current) this.#set(works.common(this.task, Object.values(this.#current.works)));
  }

  undo() {
    this.#back(this.#before, this.#after);
  }

  redo() {
    this.#back(this.#after, this.#before);
  }

  #back(from, to) {
    if (!from.length) return;
    to.push(this.editor.work);
    this.editor.show(from.pop());
    this.#check();
  }

  async save() {
    if (this.#current && !this.#leaving.underWay) await this.#leaving.during(() => this.#save(this.#current));
  }

  async #save(current) {
    this.editor.settle();
    const { outbox } = this;
    outbox.put(this.editor.work);
    if (!(await outbox.flushed())) return;
    const entry = this.#list.find(({ item }) => item === current.item);
    if (entry) entry.decided = true;
    this.announce(say("gold.saved"));
    this.#draw();
    if (current === this.#current) await this.#openNext();
  }

  step(by) {
    const at = this.#list.findIndex(({ item }) => item === this.#current?.item);
    if (this.#list[at + by]) this.open(this.#list[at + by].item);
  }

  key(event) {
    if (this.#leaving.underWay) return true;
    const held = event.ctrlKey || event.metaKey || event.altKey;
    const names = Object.keys(this.#current?.works ?? {});
    const plain = { m: () => this.merge(), o: () => this.common(), j: () => this.step(1), k: () => this.step(-1) };
    if (!held && /^[1-9]$/.test(event.key) && !this.editor.linking && names[event.key - 1]) this.take(names[event.key - 1]);
    else if (!held && event.key in plain) plain[event.key]();
    else if (event.key.toLowerCase() === "z" && !event.altKey) (event.shiftKey ? () => this.redo() : () => this.undo())();
    else if (this.editor.key(event)) return true;
    else if (!held && event.key === "Enter") this.save();
    else return false;
    return true;
  }

  #draw() {
    const left = this.#list.filter(({ decided }) => !decided).length;
    by("contested-words").textContent = this.#list.length ? count("contested", left) : say("contested.none");
    by("contested").replaceChildren(
      ...this.#list.map(({ item, decided }) =>
        make(
          "li",
          {},
          make(
            "button",
            { type: "button", class: `entry ${decided ? "done" : "open"}`, "aria-current": item === this.#current?.item ? "true" : null, click: () => this.open(item) },
            make("span", { "aria-hidden": "true" }, decided ? "●" : "○"),
            make("span", { class: "name", dir: "auto" }, item),
          ),
        ),
      ),
    );
    by("gold-bench").hidden = !this.#current;
    if (this.#current) this.#drawColumns();
  }

  #drawColumns() {
    const all = Object.entries(this.#current.works);
    const differing = (span) => !all.every(([, work]) => works.hasAt(work, span));
    by("columns").replaceChildren(
      ...all.map(([name, work], at) =>
        make(
          "article",
          { class: "column", "aria-label": name },
          make(
            "header",
            { class: "row" },
            make("h3", { dir: "auto" }, name),
            make("button", { type: "button", class: "quiet take", click: () => this.take(name) }, make("kbd", {}, `${at + 1}`), say("gold.take")),
          ),
          picture(this.task, this.editor.characters, work, differing),
        ),
      ),
    );
  }
}
