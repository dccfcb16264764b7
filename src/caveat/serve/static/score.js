// The second tab: prediction files scored against gold; runs on the same benchmark stand side by side.
import { by, make } from "./elements.js";
import { figure, metricName, rowsOf } from "./figures.js";
import { barPlot } from "./plots.js";
import { call, Fault } from "./server.js";
import { onLanguage, say } from "./words.js";

const MOST_RUNS = 4;
const TASKS = [
  ...["mrqa", "squad", "squad2", "cmrc2018", "cmqa", "multispan", "conditionalqa"],
  ...["nlpcc-kbqa", "nlpcc-dbqa", "nlpcc-tbqa"],
];

export function scoring() {
  let runs = []; // {task, name, rows}
  let stopping = null;

  const complain = (sentence) => {
    by("score-complaint").textContent = sentence;
    by("score-complaint").hidden = !sentence;
  };

  const busy = (on) => {
    by("score-send").hidden = on;
    by("score-cancel").hidden = !on;
  };

  const score = async () => {
    const task = by("task").value;
    const [gold] = by("gold").files;
    const [pred] = by("predictions").files;
    complain("");
    if (!gold || !pred) {
      complain(say("fault.files"));
      by(gold ? "predictions" : "gold").focus();
      return;
    }
    stopping = new AbortController();
    busy(true);
    by("score-status").textContent = say("busy");
    try {
      const official = by("official").checked;
      const body = { gold: await textOf(gold), pred: await textOf(pred), official };
      const scores = await call("POST", `eval/${encodeURIComponent(task)}`, { body, signal: stopping.signal });
      const name = official ? `${pred.name} (${say("score.official.short")})` : pred.name;
      runs = [...runs.filter((run) => run.task === task && run.name !== name), { task, name, rows: rowsOf(scores) }];
      runs = runs.slice(-MOST_RUNS);
      by("score-status").textContent = say("score.done", pred.name);
      show();
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      by("score-status").textContent = "";
      complain(fault.message);
    } finally {
      busy(false);
    }
  };

  const show = () => {
    by("score-clear").hidden = !runs.length;
    if (!runs.length) {
      by("scores").replaceChildren();
      return;
    }
    const keys = [...new Map(runs.flatMap((run) => run.rows.map((row) => [row.key, row]))).values()];
    keys.sort((a, b) => Boolean(a.group) - Boolean(b.group)); // what is of no group stands before the groups
    const metrics = keys.filter((row) => !row.counts);
    const values = (row) => runs.map((run) => run.rows.find((each) => each.key === row.key)?.value);
    const label = (row) => (row.group ? `${row.group} · ${metricName(row.name)}` : metricName(row.name));
    const plot = barPlot(
      metrics.map((row) => ({ label: label(row), values: values(row) })),
      runs.map((run) => run.name),
    );
    by("scores").replaceChildren(
      make(
        "div",
        { class: "scores" },
        make("section", { class: "panel" }, table(keys)),
        make("section", { class: "panel" }, plot),
      ),
    );
  };

  const table = (keys) => {
    const head = make(
      "tr",
      {},
      make("th", { scope: "col" }, say("score.metric")),
      runs.map((run) => make("th", { scope: "col", dir: "auto" }, run.name)),
    );
    const body = [];
    let group = "";
    for (const row of keys) {
      if (row.group !== group && row.group)
        body.push(
          make("tr", { class: "group" }, make("th", { scope: "rowgroup", colspan: runs.length + 1 }, row.group)),
        );
      group = row.group;
      const cells = runs.map((run) => {
        const found = run.rows.find((each) => each.key === row.key);
        return make("td", {}, found ? figure(found) : "–");
      });
      body.push(
        make("tr", { class: row.counts ? "counts" : "" }, make("th", { scope: "row" }, metricName(row.name)), cells),
      );
    }
    const caption = make("caption", {}, runs[0].task);
    return make(
      "div",
      { class: "wide", tabindex: "0" },
      make("table", { class: "figures" }, caption, make("thead", {}, head), make("tbody", {}, body)),
    );
  };

  for (const id of ["gold", "predictions"])
    by(id).addEventListener("change", () => (by(`${id}-name`).textContent = by(id).files[0]?.name ?? ""));
  by("task").append(...TASKS.map((task) => make("option", { value: task }, task)));
  by("scoring").addEventListener("submit", (event) => {
    event.preventDefault();
    score();
  });
  by("score-cancel").addEventListener("click", () => stopping?.abort());
  by("score-clear").addEventListener("click", () => {
    runs = [];
    by("score-status").textContent = "";
    show();
    by("task").focus();
  });
  onLanguage(show);
}

// Files of the Chinese benchmarks are in UTF-8 or in GB 18030; any may be compressed.
async function textOf(file) {
  let bytes;
  try {
    bytes = await file.arrayBuffer();
    const [first, second] = new Uint8Array(bytes.slice(0, 2));
    if (first === 0x1f && second === 0x8b) {
      const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      bytes = await new Response(plain).arrayBuffer();
    }
  } catch {
    throw new Fault(say("fault.file", file.name));
  }
  if (!bytes.byteLength) throw new Fault(say("fault.empty", file.name));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("gb18030").decode(bytes);
  }
}
