// A table with its answering cells marked; of a large one the rows and columns around the marks.
import { make } from "./elements.js";
import { clean, markOf } from "./passages.js";
import { count } from "./words.js";

// A table with no more rows or columns than this is shown whole.
const FEW_ROWS = 30;
const FEW_COLUMNS = 12;
const MORE_ROWS = 200;
const LONGEST = 400;

export function markedTable(table, marks, chosen) {
  const placed = place(marks);
  const columns = shownColumns(table, marks);
  const met = new Set();

  const cell = (text, row, column) => {
    const short = text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
    const own = placed.answers.get(`${row} ${column}`);
    const shows = placed.shows.get(`${row} ${column}`);
    const over = own || (text && shows);
    if (!over) return make("td", {}, clean(short));
    // What only shows an answer has its label where the answer stands nowhere in the table.
    const beginning = over.filter((mark) => !met.has(mark.number) && (own || !ownCells(mark).length));
    beginning.forEach((mark) => met.add(mark.number));
    const drawn = own ? over : over.map((mark) => ({ ...mark, kind: "evidence" }));
    const starts = drawn.filter((mark) => beginning.some((each) => each.number === mark.number));
    return make("td", { class: own ? "hit" : "shows" }, markOf(clean(short), drawn, starts, Boolean(own), chosen));
  };

  const rowOf = (row) =>
    make(
      "tr",
      {},
      columns.map((column) => cell(table.rows[row][column] ?? "", row, column)),
    );
  const head = columns.map((column) => make("th", { scope: "col" }, clean(table.headers[column])));
  const leftOut = table.headers.length - columns.length;
  if (leftOut) head.push(make("th", { class: "gap" }, `… ${count("columns", leftOut)}`));

  const body = make("tbody");
  fill(body, table.rows.length, nearRows(table, marks, placed), rowOf, columns.length);
  return make(
    "div",
    { class: "cells", tabindex: "0" },
    make(
      "table",
      {},
      caption(table, marks, chosen),
      make("thead", {}, make("tr", {}, head)),
      body,
    ),
  );
}

// A table that is an answer as a whole is marked here.
function caption(table, marks, chosen) {
  const whole = marks.filter((mark) => !ownCells(mark).length && !mark.shows);
  if (!whole.length) return table.caption && make("caption", {}, clean(table.caption));
  return make("caption", {}, markOf(clean(table.caption || ""), whole, whole, true, chosen));
}

// By cell: the marks of answers that stand in it or were computed from it, and those of answers that it shows.
function place(marks) {
  const answers = new Map();
  const shows = new Map();
  const add = (to, cell, mark) => to.set(cell.join(" "), [...(to.get(cell.join(" ")) || []), mark]);
  for (const mark of marks) {
    for (const cell of ownCells(mark)) add(answers, cell, mark);
    for (const cell of mark.shows || []) add(shows, cell, mark);
  }
  return { answers, shows };
}

const ownCells = (mark) => [...(mark.answers || []), ...(mark.used || [])];

function shownColumns(table, marks) {
  const every = [...table.headers.keys()];
  if (every.length <= FEW_COLUMNS) return every;
  const wanted = marks.flatMap((mark) => mark.columns || []);
  return [...new Set([...wanted, ...every])].slice(0, FEW_COLUMNS).sort((a, b) => a - b);
}

function nearRows(table, marks, placed) {
  const every = new Set(table.rows.keys());
  if (every.size <= FEW_ROWS) return every;
  const rows = [...placed.answers.keys(), ...placed.shows.keys()].map((key) => Number(key.split(" ")[0]));
  for (const mark of marks) rows.push(...(mark.rows || []));
  const wanted = rows.length ? rows : [...every].slice(0, FEW_ROWS);
  return new Set(wanted.flatMap((row) => [row - 1, row, row + 1]).filter((row) => every.has(row)));
}

// Rows, and in the place of those left out a line that unfolds so many of them at a time.
function fill(body, height, near, rowOf, width) {
  for (let row = 0; row < height;) {
    if (near.has(row)) {
      body.append(rowOf(row++));
      continue;
    }
    let end = row;
    while (end < height && !near.has(end)) end++;
    body.append(gap(row, end, rowOf, width));
    row = end;
  }
}

function gap(from, to, rowOf, width) {
  const line = make("tr");
  const unfold = () => {
    const next = Math.min(to, from + MORE_ROWS);
    const rows = Array.from({ length: next - from }, (_, number) => rowOf(from + number));
    line.replaceWith(...rows, ...(next < to ? [gap(next, to, rowOf, width)] : []));
  };
  const button = make("button", { type: "button", class: "gap", click: unfold }, `… ${count("rows", to - from)} …`);
  line.append(make("td", { colspan: width }, button));
  return line;
}
