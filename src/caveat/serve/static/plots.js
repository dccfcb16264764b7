// Bars from 0 to 100, a group for each metric and a bar for each run; widths are in per cent, so that they fit any screen.
import { draw, make } from "./elements.js";
import { say } from "./words.js";

const BAR = 14;
const LABEL = 22;
const GAP = 10;
const GRID = [0, 25, 50, 75, 100];
// On the left the bars begin, on the right their figures stand.
const WIDTH = 86;

const at = (value) => `${(value * WIDTH) / 100}%`;

// `groups` is [{label, values: [number or undefined, one a run]}].
export function barPlot(groups, runs) {
  const tall = (group) => LABEL + group.values.length * (BAR + 3) + GAP;
  const height = groups.reduce((sum, group) => sum + tall(group), 0) + 18;
  const lines = GRID.map((value) => [
    draw("line", { class: "grid", x1: at(value), x2: at(value), y1: 4, y2: height - 16 }),
    draw("text", { class: "tick", x: at(value), y: height - 3, "text-anchor": value ? "middle" : "start" }, `${value}`),
  ]);
  let y = 0;
  const bars = groups.map((group) => {
    const top = y;
    y += tall(group);
    return [
      draw("text", { class: "name", x: 0, y: top + 15 }, group.label),
      group.values.map((value, run) => bar(value, run, top + LABEL + run * (BAR + 3))),
    ];
  });
  const svg = draw(
    "svg",
    { class: "plot", role: "img", "aria-label": say("score.plot"), width: "100%", height },
    lines,
    bars,
  );
  const names = runs.map((run, number) => make("li", {}, make("i", { class: `run run-${number}` }), run));
  return make("figure", {}, runs.length > 1 ? make("ul", { class: "runs" }, names) : null, svg);
}

function bar(value, run, y) {
  if (value === undefined) return [];
  return [
    draw("rect", { class: "track", x: 0, y, width: at(100), height: BAR, rx: 3 }),
    draw("rect", { class: `run run-${run}`, x: 0, y, width: at(Math.max(0.4, value)), height: BAR, rx: 3 }),
    draw("text", { class: "value", x: "100%", y: y + BAR - 3, "text-anchor": "end" }, value.toFixed(2)),
  ];
}
