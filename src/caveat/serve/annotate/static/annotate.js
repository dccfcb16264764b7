// The first tab: one's own queue, the item that is open, and whether everything is saved.
import { by, make } from "../elements.js";
import { call, Fault } from "../server.js";
import { count, onLanguage, say } from "../words.js";
import { settleConflict } from "./conflict.js";
import { Editor } from "./editor.js";
import { Leaving } from "./leaving.js";
import { Outbox, unsent } from "./outbox.js";

const RETRY = 3000;
const STATES = { open: "○", begun: "◐", done: "●" };

export const pathOf = (item) => `api/items/${encodeURIComponent(item)}`;
export const sampleOf = (item) => item.slice(0, item.lastIndexOf("#") < 0 ? item.length : item.lastIndexOf("#"));

export class Annotating {
  #queue = [];
  #current = null;
  #outboxes = new Map();
  #opening = 0;
  #moving = null; // a step back or forward that is under way
  #later = []; // keys that were pressed meanwhile
  #leaving = new Leaving();

  constructor(project, announce) {
    this.project = project;
    this.task = project.task;
    this.announce = announce;
    this.owner = `${project.name}/${project.me.name}/`;
    this.editor = new Editor(by("editor"), this.task, {
      changed: (work) => this.#changed(work),
      decided: (outcome) => this.#decided(outcome),
      announce,
    });
    by("undo").addEventListener("click", () => this.undo());
    by("redo").addEventListener("click", () => this.redo());
    by("previous").addEventListener("click", () => this.step(-1));
    by("next").addEventListener("click", () => this.step(1));
    by("done").addEventListener("click", () => this.finish());
    by("further").addEventListener("click", () => this.further());
    by("queue-open").addEventListener("click", () => this.#toggleQueue());
    by("retry").addEventListener("click", () => this.#outboxes.forEach((outbox) => outbox.retry()));
    addEventListener("beforeunload", (event) => this.#unsent() && event.preventDefault());
    document.addEventListener("visibilitychange", () => document.hidden || this.#refresh());
    addEventListener("focus", () => this.#refresh());
    onLanguage(() => this.#draw());
  }

  async start() {
    await this.#loadQueue();
    const left = unsent(this.owner).map((address) => address.slice(this.owner.length));
    const asked = new URLSearchParams(location.search).get("item");
    const first = [...left, asked].find((item) => this.#queue.some((entry) => entry.item === item));
    if (first) await this.open(first);
    else await this.#openNext();
  }

  get empty() {
    return !this.#queue.length;
  }

  async #loadQueue() {
    this.#queue = await call("GET", "api/queue");
    this.#draw();
  }

  async #openNext() {
    const order = by("by").value;
    const found = await this.#asked(() => call("GET", `api/next?by=${order}`));
    if (found === undefined) return;
    if (!found) {
      await this.#loadQueue();
      if (!this.#queue.length) return;
      if (!this.#current) await this.open(this.#queue.at(-1).item);
      this.announce(say("all.done"));
      by("finished").hidden = false;
      return;
    }
    if (!this.#queue.some((entry) => entry.item === found.item)) await this.#loadQueue();
    await this.open(found.item);
  }

  async open(item) {
    this.editor.settle();
    const turn = ++this.#opening;
    const view = await this.#leaving.during(() => this.#asked(() => call("GET", pathOf(item))));
    if (!view || turn !== this.#opening) return;
    const outbox = this.#outboxOf(view);
    const work = outbox.last ?? view.work;
    const suggestion = view.version || outbox.waiting ? null : view.suggestion;
    this.#current = { ...view, saved: view.work, outbox };
    by("finished").hidden = true;
    history.replaceState(null, "", `?${new URLSearchParams({ item })}${location.hash}`);
    this.editor.open({ ...view, work, suggestion });
    this.#toggleQueue(false);
    this.#draw();
    if (!matchMedia("(pointer: coarse)").matches) this.editor.focus();
    if (outbox.conflict) this.#settle(outbox);
  }

  #outboxOf({ item, version }) {
    const known = this.#outboxes.get(item);
    if (known) {
      if (!known.waiting) known.version = version;
      return known;
    }
    const outbox = new Outbox({
      ...{ address: this.owner + item, path: pathOf(item), version },
      told: (news) => this.#told(item, news),
    });
    this.#outboxes.set(item, outbox);
    return outbox;
  }

  #told(item, { remarks, work, saved, conflict, refused }) {
    const outbox = this.#outboxes.get(item);
    const current = this.#current?.item === item ? this.#current : null;
    if (current && saved) {
      current.saved = work;
      this.#mark(item, "begun", (state) => state === "open");
      if (!outbox.waiting) this.editor.remark(remarks);
    }
    if (current && conflict) this.#settle(outbox);
    if (current && refused) {
      this.announce(refused);
      this.editor.show(current.saved);
    }
    this.#drawSaved();
  }

  async #settle(outbox) {
    const work = await settleConflict(outbox, this.task, this.editor.characters);
    this.editor.show(work);
    this.announce(say("conflict.settled"));
  }

  async #changed(work) {
    const { outbox } = this.#current;
    if (this.#moving) await this.#moving;
    outbox.put(work);
  }

  #decided(outcome) {
    this.#asked(() => call("POST", `${pathOf(this.#current.item)}/suggestion`, { body: { outcome } }));
  }

  // Another tab may have gone on with the item meanwhile.
  async #refresh() {
    const current = this.#current;
    if (!current || current.outbox.waiting || document.querySelector("dialog[open]")) return;
    let view;
    try {
      view = await call("GET", pathOf(current.item));
    } catch {
      return;
    }
    const untouched = current === this.#current && !current.outbox.waiting && view.version > current.outbox.version;
    if (!untouched) return;
    current.outbox.version = view.version;
    current.saved = view.work;
    this.editor.show(view.work, view.remarks);
    this.announce(say("refreshed"));
  }

  undo() {
    return this.#move("undo");
  }

  redo() {
    return this.#move("redo");
  }

  async #move(verb) {
    if (!this.#current || this.#moving) return;
    this.editor.settle();
    this.#moving = this.#moved(verb, this.#current);
    await this.#moving;
    this.#moving = null;
    while (this.#later.length && !this.#moving) this.key(this.#later.shift());
  }

  async #moved(verb, current) {
    try {
      const moved = await (verb === "undo" ? current.outbox.undo(current.saved) : current.outbox.redo());
      if (!moved || current !== this.#current) return;
      if (moved.remarks) current.saved = moved.work;
      this.editor.show(moved.work, moved.remarks);
      this.announce(say(`${verb}.done`));
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      this.announce(fault.status === 422 ? say(`${verb}.none`) : fault.message);
    }
    this.#drawSaved();
  }

  step(by) {
    const at = this.#queue.findIndex(({ item }) => item === this.#current?.item);
    const next = this.#queue[at + by];
    if (next) this.open(next.item);
    else this.announce(say(by > 0 ? "queue.end" : "queue.beginning"));
  }

  // Through with it, once everything is on disk; then what comes next.
  finish() {
    return this.#leaving.during(() => this.#finish());
  }

  async #finish() {
    const current = this.#current;
    if (!current) return;
    this.editor.settle();
    if (current.outbox.offline || !(await current.outbox.flushed())) {
      this.announce(say("done.offline"));
      return;
    }
    const marked = await this.#asked(() => call("POST", `${pathOf(current.item)}/done`, { body: { done: true } }));
    if (!marked) return;
    this.#mark(current.item, "done");
    this.announce(say("done.said"));
    await this.#openNext();
  }

  async further() {
    const current = this.#current;
    if (!current || by("further").hidden) return;
    const made = await this.#asked(() => call("POST", `${pathOf(current.item)}/questions`));
    if (!made) return;
    await this.#loadQueue();
    await this.open(made.item);
    by("editor").querySelector("textarea[name=question]")?.focus();
  }

  key(event) {
    if (this.#leaving.underWay) return true;
    if (this.#moving) {
      this.#later.push(event);
      return true;
    }
    if (this.editor.key(event)) return true;
    if (event.altKey) return false;
    const held = event.ctrlKey || event.metaKey;
    const does = { j: () => this.step(1), k: () => this.step(-1), "+": () => this.further(), Enter: () => this.finish() };
    if (event.key.toLowerCase() === "z") (event.shiftKey ? () => this.redo() : () => this.undo())();
    else if (held && event.key === "y") this.redo();
    else if (!held && event.key in does) does[event.key]();
    else return false;
    return true;
  }

  // A request that is made now or not at all; what went wrong is said.
  async #asked(request) {
    try {
      return await request();
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      this.announce(fault.message);
      return undefined;
    }
  }

  #unsent() {
    return [...this.#outboxes.values()].some((outbox) => outbox.waiting);
  }

  #mark(item, state, only = () => true) {
    const entry = this.#queue.find((each) => each.item === item);
    if (!entry || !only(entry.state)) return;
    entry.state = state;
    this.#draw();
  }

  #toggleQueue(open = by("queue").dataset.open === undefined) {
    if (open) by("queue").dataset.open = "";
    else delete by("queue").dataset.open;
    by("queue-open").setAttribute("aria-expanded", `${open}`);
    if (open) by("queue-list").querySelector("[aria-current]")?.focus();
  }

  #draw() {
    const done = this.#queue.filter(({ state }) => state === "done").length;
    const all = this.#queue.length;
    by("progress").max = all || 1;
    by("progress").value = done;
    by("progress-words").textContent = count("progress", all, done.toLocaleString("en"));
    by("queue-open-words").textContent = `${done} / ${all}`;
    const stages = new Set(this.#queue.map(({ stage }) => stage)).size > 1;
    by("queue-list").replaceChildren(...this.#queue.map((entry) => this.#entry(entry, stages)));
    by("queue-list").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    by("nothing").hidden = all > 0;
    by("bench").hidden = !this.#current;
    this.#drawPassage();
    this.#drawSaved();
  }

  #entry({ item, stage, state }, stages) {
    const here = item === this.#current?.item;
    const conflict = this.#outboxes.get(item)?.conflict;
    return make(
      "li",
      {},
      make(
        "button",
        { type: "button", class: `entry ${state}`, "aria-current": here ? "true" : null, click: () => this.open(item) },
        make("span", { "aria-hidden": "true" }, conflict ? "!" : STATES[state]),
        make("span", { class: "name", dir: "auto" }, item),
        stages ? make("small", {}, say(`stage.${stage}`)) : null,
        make("span", { class: "unseen" }, say(`state.${state}`)),
      ),
    );
  }

  // The questions on a passage that its writer has.
  #drawPassage() {
    const current = this.#current;
    const writes = Boolean(current && this.task.question === "written" && current.stage.writes_question);
    by("further").hidden = !writes || !current.stage || current.stage.sees !== "nothing";
    const same = current ? this.#queue.filter(({ item, stage }) => sampleOf(item) === sampleOf(current.item) && stage === current.stage.name) : [];
    by("questions").hidden = !writes || same.length < 2;
    by("questions").replaceChildren(
      ...same.map(({ item, state }, at) =>
        make("button", { type: "button", class: "chip", "aria-current": item === current.item ? "true" : null, click: () => this.open(item) }, `${STATES[state]} ${say("question.number", at + 1)}`),
      ),
    );
    by("item-name").textContent = current?.item ?? "";
    by("item-stage").textContent = current && this.task.stages.length > 1 ? say(`stage.${current.stage.name}`) : "";
  }

  #drawSaved() {
    const boxes = [...this.#outboxes.values()];
    const waiting = boxes.reduce((sum, outbox) => sum + outbox.waiting, 0);
    const offline = boxes.some((outbox) => outbox.offline);
    const state = offline ? "offline" : waiting ? "saving" : "saved";
    by("saved").dataset.state = state;
    const words = offline ? count("saved.offline", waiting) : say(`saved.${state}`);
    if (by("saved-words").textContent !== words) by("saved-words").textContent = words;
    by("retry").hidden = !offline;
  }
}

// Until the server is there.
export async function patiently(request, waiting) {
  for (;;) {
    try {
      return await request();
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      waiting(fault.message);
      await new Promise((resolve) => setTimeout(resolve, RETRY));
    }
  }
}
