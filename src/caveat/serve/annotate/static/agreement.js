// The third tab: how far annotators agree, by kind, by annotator and over time, for as long as it is looked at.
import { by, make } from "../elements.js";
import { figure, metricName, rowsOf } from "../figures.js";
import { barPlot } from "../plots.js";
import { call, Fault } from "../server.js";
import { onLanguage, say } from "../words.js";

const AGAIN = 5000;

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
    const report = await call("GET", "api/agreement");
    by("agreement-status").textContent = "";
    draw(report);
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

function draw(report) {
  const now = JSON.stringify(report);
  if (now === last) return;
  last = now;
  const rows = rowsOf(report).filter((row) => !row.counts);
  by("figures").replaceChildren(
    make("section", { class: "panel" }, barPlot(rows.map((row) => ({ label: `${row.group} · ${metricName(row.name)}`, values: [row.value] })), [""])),
    make("section", { class: "panel" }, rows.map((row) => make("p", {}, `${row.group} ${metricName(row.name)} ${figure(row)}`)), say("agreement.title")),
  );
}
