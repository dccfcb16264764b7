// The language and the theme, chosen and remembered.
import { by } from "./elements.js";
import { remember } from "./remember.js";
import { language, onLanguage, say, speak } from "./words.js";

export function switches() {
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
}
