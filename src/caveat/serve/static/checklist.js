// The open conditions of a reply as a checklist: yes, no, or don't know; each fact is asked once.
import { make } from "./elements.js";
import { factOf, questionOf } from "./tree.js";
import { say } from "./words.js";

const CHOICES = [
  ["yes", true],
  ["no", false],
  ["unsure", undefined],
];

// `facts` of the reply as it was first given, `open` those that still matter, `settled` what was said; `told` hears more.
export function checklist(facts, open, settled, letters, told) {
  const items = [...facts.values()].map((condition) => {
    const fact = factOf(condition);
    const moot = !open.has(fact) && !settled.has(fact);
    const name = `fact-${letters.get(fact)}`;
    const choices = CHOICES.map(([word, value]) =>
      make(
        "label",
        { class: `choice ${word}` },
        make("input", {
          type: "radio",
          name,
          id: `${name}-${word}`,
          value: word,
          checked: settled.get(fact) === value,
          change: () => told(condition, value),
        }),
        make("span", {}, say(word)),
      ),
    );
    return make(
      "li",
      { class: moot ? "moot" : "" },
      make(
        "fieldset",
        { disabled: moot },
        make(
          "legend",
          {},
          make("b", { class: "label" }, letters.get(fact)),
          make("span", { dir: "auto" }, asked(condition)),
          moot && make("small", {}, say("checklist.moot")),
        ),
        make("div", { class: "choices" }, choices),
      ),
    );
  });
  const clear = make("button", { type: "button", class: "quiet small", click: () => told(null) }, say("checklist.clear"));
  return make(
    "section",
    { class: "checklist", "aria-labelledby": "checklist-title" },
    make("header", {}, make("h3", { id: "checklist-title" }, say("checklist")), settled.size ? clear : null),
    make("p", { class: "hint" }, say("checklist.text")),
    make("ol", {}, items),
  );
}

const asked = (condition) => condition.question || `${questionOf(condition).replace(/[ .。；;，,]+$/, "")}?`;
