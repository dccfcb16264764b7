// Keys, as the letters on them, whatever input method or layout is on; and the list of all of them.
import { by, make } from "../elements.js";
import { say } from "../words.js";
import { kindWords } from "./editor.js";

// A key by what it does, for those whose keyboard writes other letters.
export function latin(event) {
  let { key } = event;
  const code = /^(?:Key|Digit)(\w)$/.exec(event.code)?.[1];
  if (code && (key === "Process" || (key.length === 1 && key > "\u007f"))) key = code;
  if (key.length === 1 && !event.shiftKey) key = key.toLowerCase();
  const { altKey, ctrlKey, metaKey, shiftKey } = event;
  return { key, altKey, ctrlKey, metaKey, shiftKey };
}

// Whether what is typed goes into a field, or presses a button.
export function isTaken(event) {
  const { target, key } = event;
  if (event.isComposing || document.querySelector("dialog[open]")) return true;
  if (target.closest("input, textarea, select")) return true;
  return Boolean(target.closest("button, summary, a")) && (key === "Enter" || key === " ");
}

const row = (keys, words) =>
  make("div", {}, make("dt", {}, keys.map((key) => make("kbd", {}, key))), make("dd", {}, words));

export function showHelp(task, adjudicates) {
  const verdicts = { yes: "y", no: "n", unanswerable: "u" };
  const groups = [
    [
      "help.spans",
      ...task.kinds.map((kind) => [[kind.key], kindWords(kind)]),
      [["←", "→", "↑", "↓"], say("help.move")],
      [["Shift", "→"], say("help.extend")],
      [["Ctrl", "→"], say("help.words")],
      [["[", "]"], say("help.walk")],
      [["Alt", "→"], say("help.end")],
      [["Alt", "Shift", "→"], say("help.start")],
      [["x"], say("span.remove")],
      [["Esc"], say("help.escape")],
    ],
    [
      "help.links",
      ...task.links.map((link) => [[link.key, "1"], say(`linkkind.${link.name}`)]),
      ...(task.links.length ? [[["l"], say("help.link")]] : []),
    ],
    [
      "help.item",
      ...task.verdicts.filter((verdict) => verdict in verdicts).map((verdict) => [[verdicts[verdict]], say(`verdict.${verdict}`)]),
      ...(task.question_types.length && !adjudicates ? [[["1", "…", "9"], say("types")]] : []),
      [["Enter"], say(adjudicates ? "gold.save" : "done.next")],
      [["j"], say("next")],
      [["k"], say("previous")],
      [["z"], say("undo")],
      [["Shift", "Z"], say("redo")],
      [["t"], say("help.text")],
      [["i"], say("help.field")],
      ...(task.question === "written" && !adjudicates ? [[["+"], say("further")]] : []),
    ],
    adjudicates
      ? ["help.gold", [["1", "…", "9"], say("gold.take.any")], [["m"], say("gold.all")], [["o"], say("gold.common")]]
      : ["help.suggestions", [["g"], say("suggestion.accept")], [["h"], say("suggestion.change")], [["r"], say("suggestion.refuse")]],
  ];
  by("help-body").replaceChildren(
    ...groups
      .filter(([, ...rows]) => rows.length)
      .map(([title, ...rows]) => make("section", {}, make("h3", {}, say(title)), make("dl", {}, rows.map(([keys, words]) => row(keys, words))))),
  );
  by("help").showModal();
}
