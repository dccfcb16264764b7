// Replies as text to take along: an answer, its citation, a link that asks again, all of a thread as Markdown.
import { icon, make } from "./elements.js";
import { nameOf } from "./names.js";
import { clean } from "./passages.js";
import { count, percent, say } from "./words.js";

// The node of the best answer, with its branch; none where nothing was found.
export function bestOf(tree) {
  const { node: number } = tree.conclusion ?? {};
  for (const branch of tree.branches ?? [])
    for (const node of branch.answers) if (node.number === number) return { node, branch };
  return null;
}

// Yes and no are said in the language of the page, everything else as the source says it.
export const wordsOf = ({ verdict, text }) => (verdict ? say(verdict) : clean(text).replace(/\s+/g, " ").trim());

// How sure the answer of a conclusion is; of there being none only the figure.
export const sureness = ({ kind, certainty, score }) =>
  kind === "none" || kind === "unsure" ? percent(score) : say("how.sure", say(`certainty.${certainty}`), percent(score));

// What a reply comes to, in one line.
export function conclusionOf(tree, sources) {
  const conclusion = tree.conclusion;
  if (!conclusion || conclusion.kind === "none") return count("none", sources);
  if (conclusion.kind === "unsure") return say("not.sure");
  if (conclusion.kind === "together") return count("side.by.side", topOf(tree).length);
  const words = wordsOf(conclusion);
  return conclusion.conditional ? say("provided", words) : words;
}

const topOf = ({ branches = [] }) => branches.flatMap((branch) => branch.answers);

const quoteOf = ({ quote, place }) =>
  clean(quote ? quote.pieces.map(({ text }) => text).join("") : (place?.sentence ?? ""))
    .replace(/\s+/g, " ")
    .trim();

export function placeNames(place) {
  if (!place) return "";
  const names = [nameOf(place.source), ...(place.headings || [])];
  if (place.page) names.push(say("page", place.page));
  return names.join(" › ");
}

const placeOf = (node) => node.place || (node.evidence ?? [])[0]?.place;

export function citationOf(node) {
  const quote = quoteOf(node);
  const place = placeNames(placeOf(node));
  const words = wordsOf(node);
  return [words, quote && quote !== words && `“${quote}”`, place && `(${place})`].filter(Boolean).join(" ");
}

// A link that asks a question of the library again, with what was told.
export function linkOf(question, facts) {
  const parameters = new URLSearchParams({ q: question });
  if (facts.told) parameters.set("about", facts.told);
  for (const each of facts.answered(true)) parameters.append("yes", each);
  for (const each of facts.answered(false)) parameters.append("no", each);
  return `${location.origin}${location.pathname}?${parameters}`;
}

export function markdownOf(turns) {
  const parts = [`# ${say("thread.title")}`];
  for (const { reply, sources } of turns) {
    const { tree, question } = reply;
    parts.push(`## ${question.text}`);
    if (question.scenario) parts.push(`*${question.scenario}*`);
    parts.push(`**${conclusionOf(tree, sources)}** (${sureness(tree.conclusion)})`);
    const nodes = tree.conclusion.kind === "together" ? topOf(tree) : [bestOf(tree)?.node].filter(Boolean);
    for (const node of nodes) parts.push(`> ${citationOf(node)}`);
    const conditions = tree.conclusion.conditional ? bestOf(tree).branch.conditions : [];
    const said = ({ state }) => (state === "yes" || state === "no" ? ` – ${say(state)}` : "");
    const lines = conditions.map((each) => `- ${each.label} ${clean(each.question || each.text)}${said(each)}`);
    if (lines.length) parts.push(lines.join("\n"));
    for (const { place, quote } of tree.found ?? []) parts.push(`> ${quoteOf({ quote })} (${placeNames(place)})`);
  }
  return `${parts.join("\n\n")}\n`;
}

export function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// Buttons that copy, and say so; `texts` is [[word, function that gives the text]].
export function copying(texts) {
  const done = make("span", { class: "hint", role: "status" });
  const one = ([word, text]) => {
    const copy = async () => {
      await toClipboard(text());
      done.textContent = say("copied");
    };
    return make("button", { type: "button", class: "quiet small", click: copy }, icon("copy"), make("span", {}, say(word)));
  };
  return make("div", { class: "row copying" }, texts.map(one), done);
}

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Only pages from this machine or over https may write to the clipboard.
    const field = make("textarea", { class: "unseen" }, text);
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}
