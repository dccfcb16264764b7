// Two tabs, or two people, changed the same item: both are shown, and whichever is taken, both stay in the history.
import { by, make } from "../elements.js";
import { say } from "../words.js";
import { excerpt, tagsOf } from "./editor.js";
import { drawText } from "./passage.js";
import { hasAt, union } from "./work.js";

// A work to look at: its text with the spans, and what was judged.
export function picture(task, characters, work, differing = () => false) {
  const text = make("div", { class: "text still", tabindex: "0" });
  const tags = tagsOf(task, work, characters);
  const warned = work.spans.filter(differing).map(({ id }) => id);
  drawText(text, characters, work.spans, tags, { differing: warned });
  const linked = (id) =>
    work.links.filter(({ source }) => source === id).map(({ target }) => ` → ${tags[target]?.label ?? "?"}`);
  const spans = work.spans.map((span) =>
    make(
      "li",
      { class: `kind-${span.kind} ${differing(span) ? "differs" : ""}` },
      make("b", {}, tags[span.id].label),
      make("span", { dir: "auto" }, ` ${excerpt(characters, span)}`),
      linked(span.id),
    ),
  );
  return [
    work.verdict !== "span" && make("p", { class: "judged" }, say(`verdict.${work.verdict}`)),
    text,
    make("ul", { class: "spans" }, spans),
    work.note && make("p", { class: "hint", dir: "auto" }, work.note),
  ].filter(Boolean);
}

// Asks which to take; gives the work that holds now.
export function settleConflict(outbox, task, characters) {
  const dialog = by("conflict");
  const mine = outbox.last;
  const theirs = outbox.conflict.work;
  for (const [name, work, other] of [["mine", mine, theirs], ["theirs", theirs, mine]]) {
    const written = [work.question, work.scenario].filter(Boolean);
    by(`conflict-${name}`).replaceChildren(
      ...written.map((text) => make("p", { class: "asked-was", dir: "auto" }, text)),
      ...picture(task, characters, work, (span) => !hasAt(other, span)),
    );
  }
  return new Promise((resolve) => {
    const choices = { mine: [mine], theirs: [mine, theirs], both: [mine, union(task, [mine, theirs])] };
    dialog.onclose = () => {
      const taken = choices[dialog.returnValue] ?? choices.both;
      outbox.settle(...taken);
      resolve(taken.at(-1));
    };
    for (const name of Object.keys(choices)) by(`conflict-take-${name}`).onclick = () => dialog.close(name);
    // To leave without a choice is to keep both.
    dialog.returnValue = "both";
    if (!dialog.open) dialog.showModal();
  });
}
