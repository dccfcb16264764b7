// Requests to the server this page came from; what goes wrong is a Fault with a sentence for people.
import { by } from "./elements.js";
import { say } from "./words.js";

const TOKEN = "caveat.token";
const EVENTS = "text/event-stream";

export class Fault extends Error {
  constructor(sentence, { status = 0, cancelled = false, told = null } = {}) {
    super(sentence);
    this.status = status;
    this.cancelled = cancelled;
    this.told = told; // the server's whole answer, where it is JSON
  }
}

// `progress` hears what is being done, {stage, done, of}, while it is.
export async function call(method, path, { body, signal, progress } = {}) {
  const answer = await sent(method, path, body, signal, progress ? EVENTS : null);
  if (answer.status === 401 && (await askForToken())) return call(method, path, { body, signal, progress });
  if (answer.ok && answer.headers.get("Content-Type")?.startsWith(EVENTS)) return followed(answer, progress);
  const text = await received(answer);
  if (answer.ok) return text ? JSON.parse(text) : null;
  const told = parsed(text);
  throw new Fault(sentenceOf(answer.status, told), { status: answer.status, told });
}

async function sent(method, path, body, signal, accept) {
  const headers = accept ? { Accept: accept } : {};
  const token = kept();
  if (token) headers.Authorization = `Bearer ${token}`;
  const file = body instanceof Blob;
  if (body !== undefined) headers["Content-Type"] = file ? "application/octet-stream" : "application/json";
  const sending = body === undefined || file ? body : JSON.stringify(body);
  try {
    return await fetch(path, { method, headers, signal, body: sending, cache: "no-store" });
  } catch (error) {
    throw failed(error);
  }
}

// Events one after the other, up to the one that has the reply.
async function followed(answer, progress) {
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    let read;
    try {
      read = await reader.read();
    } catch (error) {
      throw failed(error);
    }
    if (read.done) throw new Fault(say("fault.gone"));
    const events = (text + decoder.decode(read.value, { stream: true })).split("\n\n");
    text = events.pop();
    for (const event of events) {
      const [, name, data] = /^event: (\w+)\ndata: ([^]*)$/.exec(event) ?? [];
      if (name === "reply") return JSON.parse(data);
      if (name === "error") throw new Fault(JSON.parse(data).error, { status: 422 });
      if (name === "progress") progress(JSON.parse(data));
    }
  }
}

async function received(answer) {
  try {
    return await answer.text();
  } catch (error) {
    throw failed(error);
  }
}

function failed(error) {
  const cancelled = error.name === "AbortError";
  return new Fault(say(cancelled ? "cancelled" : "fault.gone"), { cancelled });
}

// The server's own sentence names the file or the limit; of these people understand more here.
const OURS = { 401: "fault.token", 413: "fault.large" };
const OTHERWISE = { 503: "fault.busy", 504: "fault.slow" };

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function sentenceOf(status, told) {
  if (status in OURS) return say(OURS[status]);
  const sentence = told?.error;
  if (typeof sentence === "string" && sentence) return sentence;
  return status in OTHERWISE ? say(OTHERWISE[status]) : say("fault.server", status);
}

// A link that someone was sent may bring the token along.
export function keep(token) {
  try {
    sessionStorage.setItem(TOKEN, token);
  } catch {
    return;
  }
}

function kept() {
  try {
    return sessionStorage.getItem(TOKEN) || "";
  } catch {
    return "";
  }
}

// The token is asked for once and kept until the tab is closed; several requests wait for the same answer.
let asking = null;
function askForToken() {
  asking ??= new Promise((resolve) => {
    const dialog = by("token");
    const field = by("token-value");
    const done = () => {
      asking = null;
      resolve(dialog.returnValue === "given");
    };
    by("token-form").onsubmit = (event) => {
      event.preventDefault();
      keep(field.value.trim());
      dialog.close(field.value.trim() ? "given" : "");
    };
    by("token-close").onclick = () => dialog.close("");
    dialog.addEventListener("close", done, { once: true });
    field.value = "";
    dialog.returnValue = "";
    dialog.showModal();
  });
  return asking;
}
