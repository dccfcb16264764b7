// The third tab: the models' cards, the limits before the figures.
import { by, fold, make } from "./elements.js";
import { figure, metricName, rowsOf } from "./figures.js";
import { call, Fault } from "./server.js";
import { count, known, onLanguage, say, size } from "./words.js";

// What a task is first judged by, of its benchmark.
const HEADLINES = [
  ["f1", "exact_match"],
  ["all.f1", "fine.f1", "condition.f1"],
  ["accuracy", "macro_f1"],
  ["mrr", "map"],
];
// Figures of how the model was made, not of how well it does.
const MAKING = new Set(["training", "calibration", "export"]);

let models = null;

export async function showModels() {
  if (models) return;
  try {
    models = await call("GET", "models");
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    by("models-fault").replaceChildren(
      make("p", {}, fault.message),
      make("button", { type: "button", class: "quiet", click: showModels }, say("retry")),
    );
    by("models-fault").hidden = false;
    return;
  }
  by("models-fault").hidden = true;
  draw();
}

onLanguage(() => models && draw());

function draw() {
  by("cards").replaceChildren(...models.map(({ card, bytes, size: sized }) => shown(card, bytes ?? sized)));
}

function shown(card, bytes) {
  const research = /research|non-?commercial|not commercial/i.test(card.licence);
  const facts = [
    ["models.encoder", card.encoder],
    ["models.size", bytes ? size(bytes) : ""],
    ["models.precision", card.precision],
    ["models.licence", card.licence],
  ];
  return make(
    "li",
    { class: "panel model" },
    make(
      "header",
      {},
      make("h3", {}, card.name),
      make("span", { class: "badge" }, word(`models.language.${card.language}`, card.language)),
      research && make("span", { class: "badge warn" }, say("models.research")),
    ),
    make("p", { class: "purpose" }, word(`models.${card.task}`, card.task)),
    headlines(card),
    make(
      "dl",
      {},
      facts
        .filter(([, value]) => value)
        .map(([key, value]) => make("div", {}, make("dt", {}, say(key)), make("dd", {}, value))),
    ),
    limits(card),
    data(card),
    fold(say("models.figures"), figures(card)),
  );
}

const word = (key, otherwise) => (known(key) ? say(key) : otherwise);

// The first figures of the benchmark that the model was measured on, and how honest its probabilities are.
function headlines(card) {
  const measured = Object.entries(card.figures || {}).find(([name]) => !MAKING.has(name));
  const boxes = [];
  if (measured) {
    const rows = rowsOf(measured[1]);
    const keys = HEADLINES.find((several) => several.every((key) => rows.some((row) => row.key === key))) || [];
    for (const key of keys) {
      const row = rows.find((each) => each.key === key);
      const name = row.group ? `${row.group} ${metricName(row.name)}` : metricName(row.name);
      boxes.push(box(row.value.toFixed(1), `${name} · ${measured[0]}`, row.value));
    }
  }
  const error = card.expected_calibration_error;
  if (typeof error === "number")
    boxes.push(box(`${(100 * error).toFixed(1)}%`, say("models.calibration"), null, say("models.calibration.text")));
  return boxes.length ? make("div", { class: "headlines" }, boxes) : null;
}

function box(value, name, share, title) {
  const bar = make("span", { class: "bar", "aria-hidden": "true" });
  if (share !== null) {
    const full = bar.appendChild(make("span"));
    full.style.inlineSize = `${share}%`;
  }
  return make(
    "div",
    { class: "headline", title },
    make("b", {}, value),
    make("small", {}, name),
    share === null ? null : bar,
  );
}

function limits(card) {
  if (!card.not_for?.length) return null;
  return make(
    "div",
    { class: "limits" },
    make("h4", {}, say("models.limits")),
    make(
      "ul",
      {},
      card.not_for.map((text) => make("li", {}, text)),
    ),
  );
}

function data(card) {
  if (!card.data?.length) return null;
  const heads = ["models.name", "models.use", "models.questions", "models.licence"];
  const rows = card.data.map((set) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, set.name),
      make("td", {}, say(`models.use.${set.use || "training"}`)),
      make("td", { class: "number" }, set.questions?.toLocaleString("en") ?? ""),
      make("td", {}, set.licence),
    ),
  );
  const head = make(
    "tr",
    {},
    heads.map((key) => make("th", { scope: "col" }, say(key))),
  );
  return fold(
    count("models.data", card.data.length),
    make(
      "div",
      { class: "wide", tabindex: "0" },
      make("table", { class: "figures left" }, make("thead", {}, head), make("tbody", {}, rows)),
    ),
  );
}

function figures(card) {
  const rows = rowsOf(card.figures || {}).map((row) =>
    make(
      "tr",
      { class: row.counts ? "counts" : "" },
      make("th", { scope: "row" }, row.group ? `${row.group} · ${metricName(row.name)}` : metricName(row.name)),
      make("td", {}, figure(row)),
    ),
  );
  return make("div", { class: "wide", tabindex: "0" }, make("table", { class: "figures" }, make("tbody", {}, rows)));
}
