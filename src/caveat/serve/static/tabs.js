// The tabs, by arrow keys too; the address remembers which is open.
import { by } from "./elements.js";

export function tabs(list, opened) {
  const all = [...list.querySelectorAll('[role="tab"]')];

  const select = (tab, focus = false) => {
    for (const each of all) {
      const chosen = each === tab;
      each.setAttribute("aria-selected", chosen);
      each.tabIndex = chosen ? 0 : -1;
      by(each.getAttribute("aria-controls")).hidden = !chosen;
    }
    if (focus) tab.focus();
    opened(tab.getAttribute("aria-controls"));
  };

  const choose = (tab, focus) => {
    const name = tab.getAttribute("aria-controls");
    history.replaceState(history.state, "", location.pathname + location.search + (tab === all[0] ? "" : `#${name}`));
    select(tab, focus);
  };

  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 };
  list.addEventListener("keydown", (event) => {
    const at = all.indexOf(document.activeElement);
    let to = -1;
    if (event.key in steps) to = (at + steps[event.key] + all.length) % all.length;
    if (event.key === "Home") to = 0;
    if (event.key === "End") to = all.length - 1;
    if (at < 0 || to < 0) return;
    event.preventDefault();
    choose(all[to], true);
  });
  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) choose(tab, false);
  });
  const addressed = () => all.find((tab) => tab.getAttribute("aria-controls") === location.hash.slice(1)) || all[0];
  addEventListener("hashchange", () => select(addressed()));
  select(addressed());
}
