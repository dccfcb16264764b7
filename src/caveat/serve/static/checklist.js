// Conditions as a checklist: what each asks, and yes, no or don't know; what was said can be taken back.
import { icon, make } from "./elements.js";
import { factOf, questionOf } from "./tree.js";
import { say } from "./words.js";

const CHOICES = [
  ["yes", true],
  ["no", false],
  ["unsure", undefined],
];

// The question, or else the condition as the source says it.
export const asked = (condition) => questionOf(condition).replace(/[ .。；;，,]+$/, "");

// The choice for one condition of one answer; `moot` where it no longer matters, `told` hears what is chosen.
export function choice({ condition, label, number }, settled, moot, told) {
  const fact = factOf(condition);
  const chosen = settled.get(fact);
  const options = CHOICES.map(([word, value]) =>
    make(
      "label",
      { class: `choice ${word}` },
      make("input", {
        type: "radio",
        name: `choice-${number}`,
        value: word,
        checked: chosen === value,
        disabled: moot,
        dataset: { fact: label },
        change: () => told(condition, value),
      }),
      make("span", {}, say(word)),
    ),
  );
  return make("div", { class: "choices", role: "radiogroup", "aria-label": asked(condition) }, options);
}

// What the asker has said so far; each can be taken back, for what it ruled out is no longer there to be asked.
export function saidSoFar(facts, settled, letters, told) {
  const items = [...settled].map(([fact, value]) => {
    const condition = facts.get(fact);
    const back = () => told(condition, undefined);
    const question = asked(condition);
    return make(
      "li",
      { class: "chip" },
      make("span", { dir: "auto" }, question, " ", make("b", {}, say(value ? "yes" : "no"))),
      make(
        "button",
        { type: "button", "aria-label": say("remove", question), dataset: { fact: letters.get(fact) }, click: back },
        icon("close"),
      ),
    );
  });
  return make(
    "section",
    { class: "so-far", "aria-label": say("so.far") },
    make(
      "header",
      {},
      make("small", {}, say("so.far")),
      make("button", { type: "button", class: "quiet small", click: () => told(null) }, say("so.far.clear")),
    ),
    make("ul", {}, items),
  );
}
