// Conditions as a checklist: what each asks, and yes, no or don't know; what was said can be taken back.
import { icon, make } from "./elements.js";
import { say } from "./words.js";

// What is asked for a condition, as /settle takes it, and as people read it.
export const questionOf = (condition) => condition.question || condition.text;
export const asked = (condition) => questionOf(condition).replace(/[ .。；;，,]+$/, "");

// The choice for one condition of one answer; `told` hears what is chosen.
export function choice(condition, told) {
  const state = condition.state || "open";
  const option = (word, value, checked) =>
    make(
      "label",
      { class: `choice ${word}` },
      make("input", {
        type: "radio",
        name: `choice-${condition.number}`,
        value: word,
        checked,
        disabled: state === "moot",
        dataset: { fact: condition.label },
        change: () => told(condition, value),
      }),
      make("span", {}, say(word)),
    );
  return make(
    "div",
    { class: "choices", role: "radiogroup", "aria-label": asked(condition) },
    option("yes", true, state === "yes"),
    option("no", false, state === "no"),
    option("unsure", undefined, state === "open" || state === "moot"),
  );
}

// What the asker has said so far, [condition, value]; each can be taken back, for what it ruled out is no longer there.
export function saidSoFar(settled, told) {
  const items = settled.map(([condition, value]) => {
    const question = asked(condition);
    const back = () => told(condition, undefined);
    return make(
      "li",
      { class: "chip" },
      make("span", { dir: "auto" }, question, " ", make("b", {}, say(value ? "yes" : "no"))),
      make(
        "button",
        { type: "button", "aria-label": say("remove", question), dataset: { fact: condition.label }, click: back },
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
