// What `caveat eval` and a model's card measure: nested objects of numbers, as rows of a table.
import { known, say } from "./words.js";

// These count; everything else is on 0 to 100.
const COUNTS = /(^|_)(total|questions|samples|missing|unknown|steps|of|spans|sets|pairs|tied_questions)$/;

export const isCount = (name) => COUNTS.test(name);

export function metricName(name) {
  return known(`metric.${name}`) ? say(`metric.${name}`) : name.replaceAll("_", " ");
}

// [{group, name, key, value, counts}] in the order of the figures.
export function rowsOf(figures, group = []) {
  return Object.entries(figures).flatMap(([name, value]) => {
    if (value && typeof value === "object" && !Array.isArray(value)) return rowsOf(value, [...group, name]);
    if (typeof value !== "number") return [];
    return [
      { group: group.map(metricName).join(" › "), name, key: [...group, name].join("."), value, counts: isCount(name) },
    ];
  });
}

export const figure = ({ value, counts }) => (counts ? value.toLocaleString("en") : value.toFixed(2));
