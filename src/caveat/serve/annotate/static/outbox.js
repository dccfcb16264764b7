// Changes on their way to the server: kept in the browser until it has said that they are on disk, sent in order, each
// with an id of its own, so that one that is sent twice is saved once.
import { call, Fault } from "../server.js";
import { fresh } from "./work.js";

const KEPT = "caveat.annotate.unsent";
const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;
const TIMEOUT = 15000;
// The server, or the way to it, may do better another time.
const PASSING = new Set([0, 408, 429, 500, 502, 503, 504]);
const UNKNOWN = 401;

// Tabs keep theirs apart; what a closed one left behind is taken over by the next that opens the item.
const TAB = tab();

// The addresses of what an earlier visit could not send.
export function unsent(owner) {
  const addresses = Object.keys(stored()).map((key) => key.slice(0, key.lastIndexOf(" ")));
  return [...new Set(addresses)].filter((address) => address.startsWith(owner));
}

function tab() {
  try {
    const known = sessionStorage.getItem(`${KEPT}.tab`) ?? fresh();
    sessionStorage.setItem(`${KEPT}.tab`, known);
    return known;
  } catch {
    return fresh();
  }
}

// {"address tab": {version, entries}}
function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}

function leftBehind(address) {
  const all = stored();
  const keys = [`${address} ${TAB}`, ...Object.keys(all).filter((key) => key.startsWith(`${address} `))];
  const key = keys.find((each) => each in all);
  return key ? { key, ...all[key] } : null;
}

export class Outbox {
  #entries = [];
  #undone = []; // null for what the server has undone, a work for what was taken back before it was sent
  #sending = null;
  #awake = null;

  // `address` names what is kept in this browser, `path` is where it goes; `told` hears of every change of state.
  constructor({ address, path, version, told, query = "" }) {
    this.address = address;
    this.path = path;
    this.query = query;
    this.version = version;
    this.told = told;
    this.conflict = null;
    this.attempts = 0;
    const kept = leftBehind(address);
    if (kept) {
      this.#entries = kept.entries;
      this.version = kept.version;
      this.#keep(kept.key);
      this.#send();
    }
  }

  get waiting() {
    return this.#entries.length;
  }

  get offline() {
    return this.attempts > 0;
  }

  // The last work that was made here and is not on disk yet.
  get last() {
    return this.#entries.at(-1)?.work ?? null;
  }

  put(work) {
    this.#undone = [];
    this.#add(work);
  }

  // What waits behind a change that is under way is taken back here; `known` is the last work that is on disk.
  async undo(known) {
    const work = this.last;
    if (this.#entries.length > 1) {
      this.#entries.pop();
      this.#keep();
      this.told({});
    } else if (this.#entries.length && this.offline) this.#add(known);
    else return this.#elsewhere("undo");
    this.#undone.push(work);
    return { work: this.last, version: this.version };
  }

  async redo() {
    const work = this.#undone.pop();
    if (!work) return this.#elsewhere("redo");
    this.#add(work);
    return { work, version: this.version };
  }

  // Mine, the other's or both: whichever is taken, the others stay in the history.
  settle(...works) {
    this.version = this.conflict.version;
    this.conflict = null;
    this.#entries = works.map((work) => ({ work, request: fresh(20) }));
    this.#keep();
    this.#send();
  }

  async flushed() {
    while (this.#sending) await this.#sending;
    return !this.waiting;
  }

  retry() {
    this.#awake?.();
    this.#send();
  }

  #add(work) {
    this.#entries.push({ work, request: fresh(20) });
    this.#keep();
    this.told({});
    this.#send();
  }

  #send() {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
      this.told({});
    });
  }

  async #sendAll() {
    while (this.#entries.length && !this.conflict) {
      const { work, request } = this.#entries[0];
      try {
        const body = { work, version: this.version, request };
        const saved = await call("PUT", this.path + this.query, { body, signal: AbortSignal.timeout(TIMEOUT) });
        this.attempts = 0;
        this.version = saved.version;
        this.#entries.shift();
        this.#keep();
        this.told({ remarks: saved.remarks, work, saved: true });
      } catch (fault) {
        if (!(fault instanceof Fault)) throw fault;
        await this.#failed(fault);
      }
    }
  }

  async #failed(fault) {
    if (fault.status === 409 && fault.told?.version !== undefined) {
      this.conflict = fault.told;
      this.attempts = 0;
      this.told({ conflict: this.conflict });
    } else if (PASSING.has(fault.status) || fault.status === UNKNOWN) {
      this.attempts++;
      this.told({});
      // Who has been asked for a token and gave none is not asked again before they want to.
      const time = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (this.attempts - 1));
      await this.#wait(fault.status === UNKNOWN ? null : time);
    } else {
      // It will not be taken however often it is sent.
      this.#entries = [];
      this.attempts = 0;
      this.#keep();
      this.told({ refused: fault.message });
    }
  }

  #wait(time) {
    return new Promise((resolve) => {
      this.#awake = resolve;
      if (time !== null) setTimeout(resolve, time);
      addEventListener("online", resolve, { once: true });
    });
  }

  async #elsewhere(verb) {
    if (!(await this.flushed())) return null;
    const body = { version: this.version, request: fresh(20) };
    let moved;
    try {
      moved = await call("POST", `${this.path}/${verb}${this.query}`, { body, signal: AbortSignal.timeout(TIMEOUT) });
      if (verb === "undo" && moved.version !== this.version) this.#undone.push(null);
    } catch (fault) {
      // It was done already, or another tab was quicker: what the server has is shown.
      if (fault.status !== 409) throw fault;
      moved = fault.told;
    }
    this.version = moved.version;
    return moved;
  }

  #keep(taken = null) {
    try {
      const all = stored();
      const key = `${this.address} ${TAB}`;
      delete all[taken];
      if (this.#entries.length) all[key] = { version: this.version, entries: this.#entries };
      else delete all[key];
      localStorage.setItem(KEPT, JSON.stringify(all));
    } catch {
      return; // a browser may refuse to keep anything: what is not sent is then only in this tab
    }
  }
}
