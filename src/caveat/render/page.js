// Pointing at a node of the tree, or moving the focus there, shows its span in the text, and the reverse.
// The page can be read without this: every node is a link to its span, every span to its node.
(() => {
  "use strict";
  const main = document.querySelector("main");
  const tree = main.querySelector(".tree");
  const lines = main.querySelector(".lines");
  const SVG = "http://www.w3.org/2000/svg";
  let shown = [];

  const all = (number) => [...main.querySelectorAll(`[data-of~="${number}"]`)];
  const nodes = (number) => all(number).filter((found) => found.closest(".tree"));
  const piece = (number) => main.querySelector(`mark[data-of~="${number}"]`);
  const heads = (node) => (node.dataset.heads || "").split(" ").filter(Boolean);
  const colour = (element) =>
    `var(--${["condition", "coarse", "fine", "plain"].find((kind) => element.classList.contains(kind)) || "evidence"})`;

  // A pair is a head and what hangs on it.
  function pairs(number) {
    const found = nodes(number).flatMap(heads).map((head) => [head, number]);
    for (const node of main.querySelectorAll(`.node[data-heads~="${number}"]`)) found.push([number, node.dataset.of]);
    return found;
  }

  const beside = () => getComputedStyle(lines).display !== "none";

  function clear() {
    for (const element of main.querySelectorAll(".on, .near")) element.classList.remove("on", "near");
    lines.replaceChildren();
    shown = [];
  }

  function show(numbers) {
    clear();
    shown = numbers;
    for (const number of numbers) {
      for (const [head, tail] of pairs(number))
        for (const element of all(head === number ? tail : head)) element.classList.add("near");
    }
    for (const number of numbers) {
      for (const element of all(number)) {
        element.classList.remove("near");
        element.classList.add("on");
      }
    }
    draw();
  }

  function draw() {
    lines.replaceChildren();
    if (!beside()) return;
    const origin = main.getBoundingClientRect();
    const pane = tree.getBoundingClientRect();
    const edge = main.querySelector(".text").getBoundingClientRect().left - origin.left;
    for (const number of shown) {
      const target = piece(number);
      if (!target) continue;
      const at = target.getClientRects()[0];
      const y = at.top - origin.top - 3;
      for (const node of nodes(number)) {
        const box = node.getBoundingClientRect();
        const from = (box.top + box.bottom) / 2;
        if (node.closest("details:not([open])") || from < pane.top || from > pane.bottom) continue;
        // Through the gutter to the line of the span, and above that line to the span.
        const start = `${box.right - origin.left} ${from - origin.top}`;
        const bend = `${edge - 22} ${from - origin.top} ${edge - 38} ${y}`;
        path(`M${start}C${bend} ${edge - 6} ${y}H${at.left - origin.left + 7}v3`, colour(node));
      }
      for (const [head, tail] of pairs(number)) arrow(piece(head), piece(tail), origin);
    }
  }

  // From a head in the text to what hangs on it: over the lines between them, or in an arc over their own line.
  function arrow(from, to, origin) {
    if (!from || !to || from === to) return;
    const a = from.getClientRects()[0], b = to.getClientRects()[0];
    const down = b.top > a.bottom - 4, up = a.top > b.bottom - 4;
    const x1 = a.left + Math.min(a.width / 2, 40) - origin.left, x2 = b.left + Math.min(b.width / 2, 40) - origin.left;
    const y1 = (down ? a.bottom : a.top) - origin.top, y2 = (up ? b.bottom : b.top) - origin.top;
    const bend = down || up ? (y2 - y1) * 0.5 : -22;
    const end = down || up ? y2 - bend : y2 - 22;
    path(`M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${end} ${x2} ${y2}`, colour(from));
    const way = up ? 7 : -7;
    path(`M${x2 - 4} ${y2 + way}L${x2} ${y2}L${x2 + 4} ${y2 + way}`, colour(from));
  }

  function path(d, stroke) {
    const made = lines.appendChild(document.createElementNS(SVG, "path"));
    made.setAttribute("d", d);
    made.style.stroke = stroke;
  }

  // The tree may be longer than the window and scrolls on its own: bring the node into it, and leave the page alone.
  function reveal(node) {
    if (!node || tree.scrollHeight <= tree.clientHeight) return;
    const box = node.getBoundingClientRect(), pane = tree.getBoundingClientRect();
    if (box.top < pane.top || box.bottom > pane.bottom)
      tree.scrollTop += (box.top + box.bottom - pane.top - pane.bottom) / 2;
  }

  function point(event) {
    const found = event.target.closest?.("main [data-of]") || focused();
    if (!found) clear();
    else turn(found);
  }

  // A link in the text is around its span, a node of the tree is the link itself.
  function focused() {
    const link = main.querySelector("a:focus-visible");
    return link && (link.matches("[data-of]") ? link : link.querySelector("[data-of]"));
  }

  function turn(found) {
    const numbers = found.dataset.of.split(" ");
    if (numbers.join() === shown.join()) return;
    if (!found.closest(".tree")) reveal(nodes(numbers[numbers.length - 1])[0]);
    show(numbers);
  }

  // Beside the text the tree is always in view: going to a node must not move the text.
  function go(event) {
    const link = event.target.closest?.(".text a");
    const node = link && document.getElementById(link.hash.slice(1));
    if (!node?.dataset.of || !beside()) return;
    event.preventDefault();
    node.closest("details")?.setAttribute("open", "");
    reveal(node);
    node.focus({ preventScroll: true });
  }

  document.addEventListener("pointerover", point);
  main.addEventListener("focusin", () => focused() && turn(focused()));
  main.addEventListener("focusout", clear);
  main.addEventListener("click", go);
  document.addEventListener("keydown", (event) => event.key === "Escape" && clear());
  let waiting = 0;
  const redraw = () => {
    if (!shown.length || waiting) return;
    waiting = requestAnimationFrame(() => {
      waiting = 0;
      draw();
    });
  };
  addEventListener("resize", redraw);
  document.addEventListener("scroll", redraw, { capture: true, passive: true });
})();
