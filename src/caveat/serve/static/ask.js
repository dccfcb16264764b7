// The first tab: a question, what is asked about, and the reply.
import { by, make } from "./elements.js";
import { LibraryDialog } from "./library.js";
import { ShownReply } from "./reply.js";
import { call, Fault } from "./server.js";
import { Sources } from "./sources.js";
import { onLanguage, say } from "./words.js";

// After so long the reader is told that it goes on.
const LONG = 6000;
// In pixels; a longer question scrolls in its field.
const HIGHEST = 200;

export function asking() {
  const question = by("question");
  let shown = null;
  let stopping = null;

  const library = new LibraryDialog(() => examples());
  const sources = new Sources(() => {
    by("from-files").checked = sources.length > 0 || !library.served;
    by("from-library").checked = !by("from-files").checked;
    complain("");
    examples();
  });

  const complain = (sentence) => {
    by("complaint").textContent = sentence;
    by("complaint").hidden = !sentence;
    question.setAttribute("aria-invalid", Boolean(sentence));
  };

  // `again` is what the button of the notice does.
  const failed = (fault, again = null) => {
    const notice = by("fault");
    notice.replaceChildren(make("p", {}, fault.message));
    if (again) notice.append(make("button", { type: "button", class: "quiet", click: again }, say("retry")));
    notice.hidden = false;
  };

  const busy = (on) => {
    by("send").hidden = on;
    by("cancel").hidden = !on;
    if (on) by("reply").setAttribute("aria-busy", "true");
    else by("reply").removeAttribute("aria-busy");
    by("status").classList.toggle("seen", on);
  };

  const ask = async () => {
    const text = question.value.trim();
    const ofLibrary = library.served && by("from-library").checked;
    complain("");
    by("fault").hidden = true;
    if (!text) {
      complain(say("fault.question"));
      question.focus();
      return;
    }
    if (!ofLibrary && !sources.length) {
      complain(say("fault.sources"));
      by("choose").focus();
      return;
    }
    stopping?.abort();
    const stop = (stopping = new AbortController());
    const had = document.activeElement;
    busy(true);
    if (had === by("send")) by("cancel").focus();
    by("status").textContent = say("busy");
    const waiting = setTimeout(() => (by("status").textContent = say("busy.long")), LONG);
    try {
      const body = { question: text, scenario: by("about").value.trim(), documents: true };
      if (ofLibrary) body.library = true;
      else body.sources = await sources.read();
      const reply = await call("POST", "ask", { body, signal: stop.signal });
      if (stop !== stopping) return;
      address(text);
      document.body.classList.add("answered");
      shown = new ShownReply(reply, by("reply"), {
        sources: ofLibrary ? library.length : sources.length,
        failed,
        said: (sentence) => (by("status").textContent = sentence),
      });
      examples();
    } catch (fault) {
      if (stop !== stopping) return;
      by("status").textContent = fault.cancelled ? fault.message : "";
      if (!(fault instanceof Fault)) throw fault;
      if (fault.cancelled) return;
      by("reply").hidden = true; // it answers another question
      failed(fault, fault.status ? null : ask);
    } finally {
      clearTimeout(waiting);
      if (stop === stopping) {
        const back = document.activeElement === by("cancel");
        busy(false);
        if (back) by("send").focus();
        by("status").classList.toggle("seen", stop.signal.aborted);
      }
    }
  };

  // The question stands in the address, so that it can be shared; documents and what the asker says do not.
  const address = (text) => {
    const to = `${location.pathname}?${new URLSearchParams({ q: text })}`;
    if (new URLSearchParams(location.search).get("q") === text) history.replaceState(null, "", to);
    else history.pushState(null, "", to);
    document.title = `${text} – Caveat`;
  };

  const examples = () => {
    const shownNow = library.served && library.questions.length && by("from-library").checked && !shown;
    by("examples").hidden = !shownNow;
    const one = (text) => {
      const choose = () => {
        question.value = text;
        grow();
        ask();
      };
      return make("li", {}, make("button", { type: "button", class: "example", dir: "auto", click: choose }, text));
    };
    if (shownNow)
      by("examples")
        .querySelector("ul")
        .replaceChildren(...library.questions.map(one));
    by("chips").classList.toggle("aside", library.served && by("from-library").checked);
  };

  // The field is as high as what is in it.
  const grow = () => {
    question.style.blockSize = "auto";
    question.style.blockSize = `${Math.min(question.scrollHeight, HIGHEST)}px`;
    question.style.overflowY = question.scrollHeight > HIGHEST ? "auto" : "hidden";
  };

  by("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  by("composer").addEventListener("change", (event) => event.target.name === "from" && examples());
  question.addEventListener("input", () => {
    complain("");
    grow();
  });
  for (const field of [question, by("about")])
    field.addEventListener("keydown", (event) => {
      const plain = field === question ? !event.shiftKey : event.ctrlKey || event.metaKey;
      // The Enter that ends the choice of a Chinese character is not for us.
      if (event.key !== "Enter" || !plain || event.isComposing) return;
      event.preventDefault();
      ask();
    });
  by("cancel").addEventListener("click", () => stopping?.abort());
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
    if (!by("cancel").hidden) stopping?.abort();
    by("fault").hidden = true;
    shown?.pane.close();
  });
  by("about-open").addEventListener("click", () => {
    const open = by("about-box").hidden;
    by("about-box").hidden = !open;
    by("about-open").setAttribute("aria-expanded", open);
    if (open) by("about").focus();
  });
  onLanguage(() => {
    shown?.draw();
    examples();
  });

  const fromAddress = () => {
    question.value = new URLSearchParams(location.search).get("q") || "";
    grow();
    return Boolean(question.value);
  };
  addEventListener("popstate", () => {
    const before = shown?.first.question.text;
    if (fromAddress() && before && question.value !== before) ask();
  });

  const begin = async () => {
    const given = fromAddress();
    await library.load();
    examples();
    if (given && library.served) await ask();
    else if (matchMedia("(min-width: 60rem)").matches && !by("ask").hidden) question.focus({ preventScroll: true });
  };
  return { loaded: begin() };
}
