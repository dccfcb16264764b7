// Before anything is drawn: the theme and the language that were chosen, or else the browser's.
(() => {
  "use strict";
  const remembered = (name) => {
    try {
      return localStorage.getItem(`caveat.${name}`);
    } catch {
      return null; // storage may be switched off
    }
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const draw = () => (root.dataset.theme = remembered("theme") || (dark.matches ? "dark" : "light"));
  draw();
  dark.addEventListener("change", draw);
  root.lang = remembered("language") || (/^zh\b/i.test(navigator.language) ? "zh" : "en");
})();
