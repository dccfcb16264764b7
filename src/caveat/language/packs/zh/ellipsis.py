"""Chinese questions that are only begun: 那冬天呢？儿童呢？要是我有学生证呢？"""

from __future__ import annotations

from caveat.language.ellipsis import cues, last_of, pattern

Span = tuple[int, int]


def whole(line: str, before: str) -> tuple[str, str] | None:
    """The question that is meant, and what is supposed of the asker; None for a line that stands by itself."""
    chinese = cues().chinese
    said = line.removesuffix(chinese.ending)
    if opening := pattern(chinese.suppositions).match(said):
        return _supposed(said[opening.end() :], before) if said != line else None
    opening = pattern(chinese.openings).match(said)
    if opening is None and said == line:
        return None
    part = said[opening.end() if opening else 0 :].lstrip("，, ")
    if not 0 < len(part) <= chinese.most_characters or _is_clause(part):
        return None
    return _with_part(part, before), ""


def _supposed(clause: str, before: str) -> tuple[str, str] | None:
    chinese = cues().chinese
    if not clause or pattern(chinese.asking).search(clause):
        return None
    if pattern(chinese.first_person).match(clause):
        return before, f"{clause}。"
    if clause.startswith("是"):  # 如果是冬天呢
        return _with_part(clause[1:], before), ""
    return f"如果{clause}，{before}", ""


def _is_clause(part: str) -> bool:
    chinese = cues().chinese
    return (
        pattern(chinese.asking).search(part) is not None
        or pattern(chinese.first_person).match(part) is not None
    )


def _with_part(part: str, before: str) -> str:
    found = pattern(cues().chinese.prepositions).match(part)
    preposition = found[0] if found else ""
    core = part.removeprefix(preposition)
    for kind in cues().kinds:
        if pattern(kind.chinese).fullmatch(core):
            span = last_of(pattern(kind.chinese), before)
            return part + before if span is None else _in_place(core, before, span)
    span = _same_ending(core, before) or _behind(preposition, before)
    if span is None and not preposition:
        span = _object(before) or _subject(before)
    return part + before if span is None else _in_place(core, before, span)


def _in_place(core: str, before: str, span: Span) -> str:
    return before[: span[0]] + core + before[span[1] :]


def _same_ending(core: str, before: str) -> Span | None:
    """成人票 for 儿童票: what ends as the part does, from where it begins."""
    chinese = cues().chinese
    edge = pattern(chinese.bounds, chinese.asking, chinese.prepositions, chinese.verbs)
    edges = [found.span() for found in edge.finditer(before)]
    for length in range(len(core) - 1, 0, -1):
        at = before.rfind(core[-length:])
        if at >= 0 and all(end <= at or at + length <= start for start, end in edges):
            return max((end for _, end in edges if end <= at), default=0), at + length
    return None


def _behind(preposition: str, before: str) -> Span | None:
    at = before.rfind(preposition) if preposition else -1
    return None if at < 0 else _up_to_an_edge(before, at + len(preposition))


def _object(before: str) -> Span | None:
    """What stands behind the last verb that has something behind it."""
    verbs = [found.end() for found in pattern(cues().chinese.verbs).finditer(before)]
    return next((span for start in reversed(verbs) if (span := _up_to_an_edge(before, start))), None)


def _subject(before: str) -> Span | None:
    span = _up_to_an_edge(before, 0)
    return span if span and span[1] < len(before) else None


def _up_to_an_edge(before: str, start: int) -> Span | None:
    chinese = cues().chinese
    edge = pattern(chinese.bounds, chinese.asking).search(before, start)
    end = edge.start() if edge else len(before)
    return (start, end) if end > start else None
