// What the page says itself, in the language that was chosen.
import { remember } from "./remember.js";

const tables = await (await fetch(new URL("words.json", import.meta.url))).json();
const root = document.documentElement;
const listeners = [];

export const language = () => (root.lang in tables ? root.lang : "en");

export function say(key, ...values) {
  const said = tables[language()][key];
  return put(Array.isArray(said) ? said[1] : (said ?? key), values);
}

export const known = (key) => key in tables[language()];

// A pair of words is for one and for more.
export function count(key, number, ...values) {
  return put(tables[language()][key][number === 1 ? 0 : 1], [number.toLocaleString("en"), ...values]);
}

function put(text, values) {
  let next = 0;
  return text.replaceAll("{}", () => values[next++] ?? "");
}

// A page beside this one has words of its own; where both have one, its own is said.
export async function learn(address) {
  const more = await (await fetch(address)).json();
  for (const [name, words] of Object.entries(more)) Object.assign(tables[name], words);
}

export const onLanguage = (listener) => listeners.push(listener);

export function speak(chosen) {
  root.lang = chosen;
  remember("language", chosen);
  tell();
}

export function tell() {
  const settings = { word: "textContent", wordPlaceholder: "placeholder", wordLabel: "ariaLabel" };
  for (const [name, property] of Object.entries(settings)) {
    const attribute = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    for (const element of document.querySelectorAll(`[data-${attribute}]`))
      element[property] = say(element.dataset[name]);
  }
  for (const listener of listeners) listener();
}

// A probability in whole per cent; nothing that is not certain or impossible is called so.
export function percent(score) {
  if (score > 0 && score < 0.01) return "<1%";
  if (score > 0.99 && score < 1) return ">99%";
  return `${Math.round(100 * score)}%`;
}

// The language of a text, for those who read it aloud or choose its letters.
export function languageOf(text) {
  const sample = text.slice(0, 2000);
  return (sample.match(/[\u4e00-\u9fff]/g) || []).length > sample.length / 10 ? "zh" : "en";
}

export function size(bytes) {
  if (bytes < 1000) return `${bytes}\u00a0B`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)}\u00a0kB` : `${(bytes / 1e6).toFixed(1)}\u00a0MB`;
}
