// Elements of the page. Text is only ever set as text, so that a document stays what it says.
const SVG = "http://www.w3.org/2000/svg";

export const by = (id) => document.getElementById(id);

// `make("p", {class: "where", click: go}, "text", child)`: functions are listeners, true is an attribute without a value.
export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

export function icon(name) {
  return draw("svg", { class: "i", "aria-hidden": "true" }, draw("use", { href: `#i-${name}` }));
}

export function fold(summary, ...children) {
  return make("details", {}, make("summary", {}, summary), ...children);
}

// A fold whose inside is made when it is first opened: a long document costs nothing until then.
export function lazyFold(summary, inside) {
  const details = fold(summary);
  const fill = () => details.open && details.append(...inside());
  details.addEventListener("toggle", fill, { once: true });
  return details;
}
