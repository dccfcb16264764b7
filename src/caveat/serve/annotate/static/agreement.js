// The third tab: how far annotators agree, by kind, by annotator and over time, for as long as it is looked at.
import { by, draw, make } from "../elements.js";
import { figure, metricName, rowsOf } from "../figures.js";
import { barPlot } from "../plots.js";
import { call, Fault } from "../server.js";
import { count, known, onLanguage, say } from "../words.js";

const AGAIN = 5000;
// Heights in pixels, widths in per cent, so that it fits any screen.
const [HEIGHT, BELOW, LEFT, RIGHT] = [170, 22, 7, 98];

let looking = false;
let timer = null;
let last = "";

export function showAgreement(shown) {
  looking = shown;
  clearTimeout(timer);
  if (shown) load();
}

async function load() {
  try {
    show(await call("GET", "api/agreement"));
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    by("agreement-status").textContent = fault.message;
  }
  if (looking) timer = setTimeout(load, AGAIN);
}

onLanguage(() => {
  last = "";
  if (looking) showAgreement(true);
});

function show(report) {
  const now = JSON.stringify(report);
  if (now === last) return;
  last = now;
  by("agreement-status").textContent = [count("agreement.items", report.items), count("agreement.people", report.annotators)].join(say("comma"));
  const people = Object.entries(report.by_annotator).map(([name, { f1 }]) => [name, f1]);
  const panels = [
    ["agreement.paper", tableOf(rowsOf(report.paper).map((row) => [[row.group, metricName(row.name)].filter(Boolean).join(" · "), figure(row)]))],
    ["agreement.kinds", bars(Object.entries(report.kinds).map(([name, value]) => [kindName(name), value]))],
    ["agreement.annotators", bars(people)],
    ["agreement.time", course(report.over_time)],
    ["agreement.pairs", tableOf(report.pairs.map(({ one, other, items, f1 }) => [`${one} – ${other}`, items.toLocaleString("en"), shown(f1)]), ["agreement.pair", "agreement.shared", "F1"])],
    ["agreement.alpha", tableOf(Object.entries(report.alpha).map(([name, value]) => [kindName(name), value === null ? "–" : value.toFixed(3)]))],
  ];
  by("figures").replaceChildren(
    ...panels.filter(([, inside]) => inside).map(([title, inside]) => make("section", { class: "panel" }, make("h3", {}, say(title)), inside)),
  );
}

const shown = (value) => (value === null ? "–" : value.toFixed(2));

function kindName(name) {
  for (const key of [`kind.${name}`, `linkkind.${name}`, `judged.${name}`]) if (known(key)) return say(key);
  return name.replaceAll("_", " ");
}

function bars(pairs) {
  const known = pairs.filter(([, value]) => value !== null);
  const groups = known.map(([label, value]) => ({ label, values: [value] }));
  return groups.length ? barPlot(groups, [""]) : null;
}

function tableOf(rows, heads = null) {
  if (!rows.length) return null;
  const head = heads && make("thead", {}, make("tr", {}, heads.map((key) => make("th", { scope: "col" }, known(key) ? say(key) : key))));
  const body = rows.map(([name, ...values]) =>
    make("tr", {}, make("th", { scope: "row", dir: "auto" }, name), values.map((value) => make("td", {}, value))),
  );
  return make("div", { class: "wide" }, make("table", { class: "figures" }, head, make("tbody", {}, body)));
}

// The agreement of each stretch of time, one after the other.
function course(moments) {
  const points = moments.filter(({ f1 }) => f1 !== null);
  if (points.length < 2) return null;
  const x = (at) => `${LEFT + (at * (RIGHT - LEFT)) / (points.length - 1)}%`;
  const y = (value) => 6 + ((100 - value) * (HEIGHT - BELOW - 6)) / 100;
  const grid = [0, 50, 100].map((value) => [
    draw("line", { class: "grid", x1: `${LEFT}%`, x2: "100%", y1: y(value), y2: y(value) }),
    draw("text", { x: `${LEFT - 1.5}%`, y: y(value) + 4, "text-anchor": "end" }, `${value}`),
  ]);
  const lines = points.slice(1).map(({ f1 }, at) =>
    draw("line", { class: "run-0", x1: x(at), x2: x(at + 1), y1: y(points[at].f1), y2: y(f1) }),
  );
  const dots = points.map(({ f1, time, items }, at) =>
    draw("circle", { class: "run-0", cx: x(at), cy: y(f1), r: 3 }, draw("title", {}, `${time}: ${shown(f1)} (${items})`)),
  );
  const day = ({ time }) => time.slice(0, 16).replace("T", " ");
  const ends = [
    draw("text", { x: `${LEFT}%`, y: HEIGHT - 3 }, day(points[0])),
    draw("text", { x: "100%", y: HEIGHT - 3, "text-anchor": "end" }, day(points.at(-1))),
  ];
  return draw("svg", { class: "course", role: "img", "aria-label": say("agreement.time"), width: "100%", height: HEIGHT }, grid, lines, dots, ends);
}
