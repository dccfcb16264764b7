// The page: who is there, which tabs they see, and the keys.
import { by } from "../elements.js";
import { call, keep } from "../server.js";
import { switches } from "../switches.js";
import { tabs } from "../tabs.js";
import { learn, onLanguage, say, tell } from "../words.js";
import { Adjudicating } from "./adjudicate.js";
import { showAgreement } from "./agreement.js";
import { Annotating, patiently } from "./annotate.js";
import { isTaken, latin, showHelp } from "./keys.js";

const SAID = 4000;

const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) {
  keep(token);
  history.replaceState(null, "", location.pathname + location.search);
}

await learn(new URL("words.json", import.meta.url));
switches();
tell();

let hiding = null;
function announce(sentence) {
  by("said").textContent = sentence;
  clearTimeout(hiding);
  hiding = setTimeout(() => (by("said").textContent = ""), SAID);
}

const project = await patiently(
  () => call("GET", "api/project"),
  (sentence) => {
    by("starting").textContent = sentence;
    by("starting").hidden = false;
  },
);
by("starting").hidden = true;
by("project-name").textContent = project.name;
by("me").textContent = project.me.name;
document.title = `${project.name}: ${project.me.name}`;

const adjudicates = project.me.role === "adjudicator";
const annotating = new Annotating(project, announce);
const adjudicating = adjudicates ? new Adjudicating(project, announce) : null;
by("by").closest("label").hidden = !project.uncertainty;
tell();

await patiently(() => annotating.start(), announce);

let shown = "annotate";
if (adjudicates) {
  const list = document.querySelector('[role="tablist"]');
  list.hidden = false;
  if (annotating.empty && !location.hash) history.replaceState(null, "", "#adjudicate");
  tabs(list, (name) => {
    shown = name;
    if (name === "adjudicate") adjudicating.load();
    showAgreement(name === "agreement");
  });
}

const bench = () => (shown === "adjudicate" ? adjudicating : shown === "annotate" ? annotating : null);
const help = () => showHelp(project.task, shown === "adjudicate");
by("help-open").addEventListener("click", help);
by("help-close").addEventListener("click", () => by("help").close());
onLanguage(() => by("help").open && (by("help").close(), help()));

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented) return;
  const key = latin(event);
  if (key.key === "Escape" && event.target.closest("textarea")) event.target.blur();
  const send = key.key === "Enter" && (key.ctrlKey || key.metaKey) && !document.querySelector("dialog[open]");
  if (send && event.target.closest("textarea")) {
    event.preventDefault();
    bench()?.key({ ...key, ctrlKey: false, metaKey: false });
    return;
  }
  if (isTaken(event)) return;
  if (key.key === "?") help();
  else if (!bench()?.key(key)) return;
  event.preventDefault();
});

document.documentElement.dataset.ready = "";
window.addEventListener("unhandledrejection", (event) => announce(say("fault.page", `${event.reason?.message ?? event.reason}`)));
