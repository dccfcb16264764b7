// The first tab: a question, what is asked about, and the reply; what was asked before stays below.
import { linkOf } from "./citing.js";
import { by, make } from "./elements.js";
import { Facts } from "./facts.js";
import { LibraryDialog } from "./library.js";
import { ShownReply } from "./reply.js";
import { call, Fault } from "./server.js";
import { Sources } from "./sources.js";
import { Thread } from "./thread.js";
import { count, onLanguage, say } from "./words.js";

// After so long the reader is told that it goes on.
const LONG = 6000;
// In pixels; a longer question scrolls in its field.
const HIGHEST = 200;
// From so many characters on it is said how many are left.
const NEARLY = 0.9;

export function asking() {
  const question = by("question");
  let shown = null;
  let stopping = null;

  const complain = (sentence) => {
    by("complaint").textContent = sentence;
    by("complaint").hidden = !sentence;
    question.setAttribute("aria-invalid", Boolean(sentence));
  };

  const library = new LibraryDialog(() => examples());
  const sources = new Sources((complaint) => {
    complain(complaint);
    examples();
  });
  const facts = new Facts(() => shown?.reply.factsChanged());
  const thread = new Thread(
    (turn) => {
      history.pushState({ turn: turn.id }, "", addressOf(turn.typed));
      show(turn);
      scrollTo({ top: 0 });
    },
    () => {
      facts.clear();
      begin();
    },
  );

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

  const said = (sentence) => (by("status").textContent = sentence);

  // What is being done for a question, as the server tells.
  const progress = ({ stage, done = 0, of }) => {
    if (stage === "read" && of > 1) said(say("busy.files", done + 1, of));
    else if (stage === "search") said(say("busy.search"));
    else if (stage === "answer" && done > 0) said(count("busy.parts", done));
    else said(say("busy"));
  };

  // `before` is the question that this one may go on from.
  const ask = async (before = shown?.turn.reply.question.text ?? "") => {
    const text = question.value.trim();
    const ofLibrary = library.length > 0;
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
    if (sources.complaint) {
      complain(sources.complaint);
      return;
    }
    facts.tell(by("about").value.trim());
    by("about").value = "";
    stopping?.abort();
    const stop = (stopping = new AbortController());
    const had = document.activeElement;
    busy(true);
    if (had === by("send")) by("cancel").focus();
    said(say("busy"));
    const waiting = setTimeout(() => by("status").textContent === say("busy") && said(say("busy.long")), LONG);
    try {
      const body = { question: text, scenario: facts.told, documents: true };
      if (before) body.before = before;
      if (ofLibrary) body.library = library.asked;
      if (sources.length) body.sources = await sources.read();
      const reply = await call("POST", "ask", { body, signal: stop.signal, progress });
      if (stop !== stopping) return;
      if (reply.follow_up?.keeps) facts.tell(reply.follow_up.told);
      const asked = (ofLibrary ? library.length : 0) + sources.length;
      const turn = thread.add({ typed: text, before, reply, sources: asked, ofLibrary: ofLibrary && !sources.length });
      const same = new URLSearchParams(location.search).get("q") === text && !history.state?.turn;
      history[same ? "replaceState" : "pushState"]({ turn: turn.id }, "", addressOf(text));
      show(turn);
    } catch (fault) {
      if (stop !== stopping) return;
      said(fault.cancelled ? fault.message : "");
      if (!(fault instanceof Fault)) throw fault;
      if (fault.cancelled) return;
      hideReply(); // it answers another question
      failed(fault, fault.status ? null : () => ask(before));
    } finally {
      clearTimeout(waiting);
      if (stop === stopping) {
        const back = document.activeElement === by("cancel");
        busy(false);
        if (back) by("send").focus();
        // What is typed next takes the place of what was asked.
        if (document.activeElement === question) question.select();
        by("status").classList.toggle("seen", stop.signal.aborted);
      }
    }
  };

  const show = (turn) => {
    question.value = turn.typed;
    grow();
    complain("");
    by("fault").hidden = true;
    document.body.classList.add("answered");
    document.title = `${turn.typed} – Caveat`;
    const again = () => {
      question.value = turn.typed;
      ask("");
    };
    const reply = new ShownReply(turn.reply, by("reply"), {
      typed: turn.typed,
      sources: turn.sources,
      facts,
      link: turn.ofLibrary ? () => linkOf(turn.reply.question.text, facts) : null,
      again: turn.reply.follow_up ? again : null,
      fresh: () => {
        facts.clear();
        history.pushState(null, "", location.pathname);
        begin();
      },
      failed,
      said,
    });
    shown = { turn, reply };
    thread.show(turn.id);
    examples();
  };

  const hideReply = () => {
    by("reply").hidden = true;
    by("ask").append(by("thread"));
  };

  // As at the beginning; what was asked before is below.
  const begin = () => {
    shown?.reply.pane.close();
    shown = null;
    facts.shownInReply([]);
    hideReply();
    by("fault").hidden = true;
    document.body.classList.remove("answered");
    document.title = "Caveat";
    question.value = "";
    grow();
    said("");
    thread.show(null);
    examples();
    question.focus({ preventScroll: true });
  };

  // The question stands in the address, so that it can be shared; documents and what the asker says do not.
  const addressOf = (text) => `${location.pathname}?${new URLSearchParams({ q: text })}`;

  const examples = () => {
    const shownNow = library.served && library.questions.length && library.length && !shown;
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
  };

  // The field is as high as what is in it.
  const grow = () => {
    question.style.blockSize = "auto";
    question.style.blockSize = `${Math.min(question.scrollHeight, HIGHEST)}px`;
    question.style.overflowY = question.scrollHeight > HIGHEST ? "auto" : "hidden";
    const left = question.maxLength - question.value.length;
    by("left").textContent = say("question.left", left.toLocaleString("en"));
    by("left").hidden = left > question.maxLength * (1 - NEARLY);
  };

  by("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  by("from-library").addEventListener("change", () => examples());
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
    shown?.reply.pane.close();
  });
  by("about-open").addEventListener("click", () => {
    const open = by("about-box").hidden;
    by("about-box").hidden = !open;
    by("about-open").setAttribute("aria-expanded", open);
    if (open) by("about").focus();
  });
  onLanguage(() => {
    shown?.reply.draw();
    grow();
    examples();
  });

  // A link may bring what its sender told, too.
  const fromAddress = () => {
    const given = new URLSearchParams(location.search);
    question.value = given.get("q") || "";
    if (given.get("about")) facts.tell(given.get("about"));
    for (const each of given.getAll("yes")) facts.settle(each, true);
    for (const each of given.getAll("no")) facts.settle(each, false);
    grow();
    return Boolean(question.value);
  };

  // What is at this place of the browser's history: a reply that was kept, a question to be asked, or the beginning.
  const visit = async () => {
    const turn = thread.find(history.state?.turn);
    if (turn) show(turn);
    else if (fromAddress() && (library.served || sources.length)) await ask("");
    else if (!question.value) return false;
    return true;
  };
  addEventListener("popstate", async (event) => {
    // A change of tab has no state of its own.
    if (event.state === null && location.hash) return;
    stopping?.abort();
    if (!(await visit())) begin();
  });

  const start = async () => {
    await Promise.all([library.load(), sources.load(), thread.load()]);
    sources.limits = library.limits;
    if (library.limits.question) question.maxLength = library.limits.question;
    examples();
    if (!(await visit()) && matchMedia("(min-width: 60rem)").matches && !by("ask").hidden)
      question.focus({ preventScroll: true });
  };
  return { loaded: start() };
}
