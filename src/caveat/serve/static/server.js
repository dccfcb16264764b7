// Requests to the server this page came from; what goes wrong is a Fault with a sentence for people.
import { by } from "./elements.js";
import { say } from "./words.js";

const TOKEN = "caveat.token";

export class Fault extends Error {
  constructor(sentence, { status = 0, cancelled = false } = {}) {
    super(sentence);
    this.status = status;
    this.cancelled = cancelled;
  }
}

export async function call(method, path, { body, signal } = {}) {
  const answer = await sent(method, path, body, signal);
  if (answer.status === 401 && (await askForToken())) return call(method, path, { body, signal });
  const text = await received(answer);
  if (answer.ok) return text ? JSON.parse(text) : null;
  throw new Fault(sentenceOf(answer.status, text), { status: answer.status });
}

async function sent(method, path, body, signal) {
  const headers = {};
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

function sentenceOf(status, text) {
  if (status in OURS) return say(OURS[status]);
  let told = "";
  try {
    told = JSON.parse(text).error;
  } catch {
    told = "";
  }
  if (typeof told === "string" && told) return told;
  return status in OTHERWISE ? say(OTHERWISE[status]) : say("fault.server", status);
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
      try {
        sessionStorage.setItem(TOKEN, field.value.trim());
      } catch {
        return;
      } finally {
        dialog.close(field.value.trim() ? "given" : "");
      }
    };
    by("token-close").onclick = () => dialog.close("");
    dialog.addEventListener("close", done, { once: true });
    field.value = "";
    dialog.returnValue = "";
    dialog.showModal();
  });
  return asking;
}
