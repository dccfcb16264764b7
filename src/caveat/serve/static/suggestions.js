// Questions to begin with: those of the library that comes with Caveat, or headings of documents that ask something.
import { nameOf } from "./names.js";
import { call, Fault } from "./server.js";
import { languageOf } from "./words.js";

const MOST = 4;
// So many documents are looked into, and only short ones: this must cost nothing.
const DOCUMENTS = 5;
const LARGEST = 200_000;
const LONGEST = 60;
// "Who can join" asks, "What it costs" does not.
const ASKS =
  /[?？]$|^(who|what|when|where|why|how) (can|may|do|does|is|are|must|should|much|many|long)\b|谁|什么|多少|怎么|如何|哪/i;

const examples = await (await fetch(new URL("examples.json", import.meta.url))).json();

export async function suggestions(entries) {
  const here = new Set(entries.map(({ source }) => nameOf(source)));
  const known = Object.entries(examples).flatMap(([source, question]) => (here.has(source) ? [question] : []));
  if (known.length) return known;
  const short = entries.filter(({ kinds, bytes }) => kinds.includes("document") && bytes <= LARGEST);
  const found = await Promise.all(short.slice(0, DOCUMENTS).map(({ source }) => headings(source)));
  return [...new Set(found.flat())].slice(0, MOST);
}

async function headings(source) {
  try {
    const { elements = [] } = await call("GET", `library/${pathOf(source)}`);
    const texts = elements.filter(({ tag }) => /^h\d$/.test(tag)).map(({ text }) => text.trim());
    return texts.filter((text) => text.length <= LONGEST && ASKS.test(text)).map(asQuestion);
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return [];
  }
}

const asQuestion = (text) => text.replace(/[?？:：。.]*$/, languageOf(text) === "zh" ? "？" : "?");

// Sources of a folder have slashes in their names.
export const pathOf = (source) => source.split("/").map(encodeURIComponent).join("/");
