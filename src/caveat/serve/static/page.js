// The page: switches, tabs, and what each tab does.
import { asking } from "./ask.js";
import { by } from "./elements.js";
import { showModels } from "./models.js";
import { remember } from "./remember.js";
import { scoring } from "./score.js";
import { tabs } from "./tabs.js";
import { language, say, speak, onLanguage, tell } from "./words.js";

const root = document.documentElement;

by("language").addEventListener("click", () => speak(language() === "en" ? "zh" : "en"));
onLanguage(() => {
  by("language").textContent = say("language");
  by("language").lang = language() === "en" ? "zh" : "en";
});
by("theme").addEventListener("click", () => {
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  remember("theme", root.dataset.theme);
});

tell();
const { loaded } = asking();
scoring();
tabs(document.querySelector('[role="tablist"]'), (name) => name === "models" && showModels());
await loaded;
root.dataset.ready = "";
