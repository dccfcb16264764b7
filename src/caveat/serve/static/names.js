// Sources as people call them: a file by its name alone, with its folders where two files have the same.
const ends = new Map();

const endOf = (source) => source.split("/").at(-1) || source;

export function meet(sources) {
  for (const source of sources) {
    if (!ends.has(endOf(source))) ends.set(endOf(source), new Set());
    ends.get(endOf(source)).add(source);
  }
}

export function nameOf(source) {
  return (ends.get(endOf(source))?.size ?? 0) > 1 ? source : endOf(source);
}
