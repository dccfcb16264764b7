// What an annotator makes of an item: each change gives a new work, so that the one before is still there.
const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

export const NO_WORK = {
  ...{ question: "", question_type: null, verdict: "span", spans: [], links: [], scenario: null, note: "" },
};

export function fresh(length = 10) {
  const random = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(random, (value) => LETTERS[value % LETTERS.length]).join("");
}

export const spanOf = (work, id) => work.spans.find((span) => span.id === id);

export const inOrder = (spans) => [...spans].sort((a, b) => a.start - b.start || b.end - a.end);

const meets = (a, b) => a.start < b.end && b.start < a.end;
const within = (a, b) => b.start <= a.start && a.end <= b.end;

// What stands in the way of a span there: the rule it would break, or nothing.
function obstacle(task, work, span) {
  for (const other of work.spans) {
    if (other.id === span.id || !meets(span, other)) continue;
    if (other.kind !== span.kind) {
      if (!task.overlap) return "refused.overlap";
    } else if (!(task.nested && (within(span, other) || within(other, span)))) return "refused.nested";
  }
  return null;
}

// {work, id} with the span, or {refused} where the task does not allow it.
export function withSpan(task, work, kind, start, end) {
  const same = work.spans.find((span) => span.kind === kind && span.start === start && span.end === end);
  if (same) return { work, id: same.id };
  const span = { id: fresh(), kind, start, end };
  // The one answer of a task that has no more is moved, not given twice.
  const kept = task.several ? work.spans : work.spans.filter((other) => other.kind !== kind);
  const rest = { ...work, spans: kept, links: linksAmong(task, kept, work.links), verdict: "span" };
  const refused = obstacle(task, rest, span);
  if (refused) return { refused };
  return { work: { ...rest, spans: inOrder([...kept, span]) }, id: span.id };
}

export function withoutSpan(task, work, id) {
  const spans = work.spans.filter((span) => span.id !== id);
  return { ...work, spans, links: linksAmong(task, spans, work.links) };
}

export function withChanged(task, work, id, change) {
  const changed = { ...spanOf(work, id), ...change };
  if (changed.start >= changed.end) return { refused: "refused.empty" };
  const refused = obstacle(task, work, changed);
  if (refused) return { refused };
  const spans = inOrder(work.spans.map((span) => (span.id === id ? changed : span)));
  return { work: { ...work, spans, links: linksAmong(task, spans, work.links) }, id };
}

// The kind of link between two spans, and which of them it goes from; null where the task has none.
export function linkBetween(task, one, other, only = null) {
  for (const kind of task.links) {
    if (only && kind.name !== only) continue;
    for (const [source, target] of [[one, other], [other, one]])
      if (kind.source_kinds.includes(source.kind) && kind.target_kinds.includes(target.kind))
        return { kind: kind.name, source: source.id, target: target.id };
  }
  return null;
}

const alike = (one, other) => one.source === other.source && one.target === other.target;

// A link that is there already is taken away.
export function withLink(task, work, one, other) {
  const link = linkBetween(task, spanOf(work, one), spanOf(work, other));
  if (!link) return { refused: "refused.link" };
  const kept = work.links.filter((each) => !alike(each, link));
  return { work: { ...work, links: kept.length < work.links.length ? kept : [...kept, link] } };
}

export const candidates = (task, work, id, only = null) =>
  work.spans.filter((span) => span.id !== id && linkBetween(task, spanOf(work, id), span, only));

export const linked = (work, id) =>
  work.links.flatMap(({ source, target }) => (source === id ? [target] : target === id ? [source] : []));

// A verdict of yes, no or none leaves evidence and conditions; a second time takes it back.
export function withVerdict(work, verdict) {
  return { ...work, verdict: work.verdict === verdict ? "span" : verdict };
}

function linksAmong(task, spans, links) {
  const found = (id) => spans.find((span) => span.id === id);
  return links.filter(({ source, target, kind }) => {
    const [from, to] = [found(source), found(target)];
    return from && to && linkBetween(task, from, to)?.kind === kind;
  });
}

// All that several works hold, the first of them where they cannot both be had.
export function union(task, works) {
  let [whole] = works;
  for (const other of works.slice(1)) {
    const met = new Map();
    for (const span of other.spans) {
      const added = withSpan({ ...task, several: true }, whole, span.kind, span.start, span.end);
      if (!added.work) continue;
      met.set(span.id, added.id);
      whole = { ...added.work, verdict: whole.verdict };
    }
    const links = other.links.map((link) => ({ ...link, source: met.get(link.source), target: met.get(link.target) }));
    const added = links.filter((link) => link.source && link.target && !whole.links.some((each) => alike(each, link)));
    whole = { ...whole, links: [...whole.links, ...added] };
    for (const field of ["question", "scenario", "note", "question_type"]) whole[field] ||= other[field];
  }
  return whole;
}

// What is in all of them: the first one's spans that every other has too.
export function common(task, works) {
  const [first] = works;
  const spans = first.spans.filter((span) => works.every((work) => hasAt(work, span)));
  return { ...first, spans, links: linksAmong(task, spans, first.links) };
}

const placed = ({ kind, start, end }) => `${kind} ${start} ${end}`;

export const hasAt = (work, span) => work.spans.some((each) => placed(each) === placed(span));
