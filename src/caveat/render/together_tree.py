"""Answers that hold together as a tree: the unconditional ones, a branch a condition, fine answers under coarse ones.

The sentences that they stand in come behind them, each once with all its answers highlighted, and then the place: most
answers of a structured reply share both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from caveat.core.records import Answer, Document, Place
from caveat.render.branches import branches_of
from caveat.render.checklist_tree import in_words
from caveat.render.reply_text import apart, clean, scored, sentence, where
from caveat.sources.outline import element_at, introduction_of, sentence_around

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

__all__ = ["add_together"]

Span = tuple[int, int]


def add_together(
    tree: Tree, answers: Sequence[Answer], documents: Mapping[str, Document], plain: bool
) -> None:
    """Add the answers, then what shows them."""
    _add_branches(tree, answers, documents)
    _add_sentences(tree, answers, documents, plain)


def _add_branches(tree: Tree, answers: Iterable[Answer], documents: Mapping[str, Document]) -> None:
    for branch in branches_of(answers, documents):
        under = tree.add(_if(branch.answers[0])) if branch.conditions else tree
        for answer in branch.answers:
            _add_branches(under.add(scored(answer.text, answer.score, "bold green")), answer.parts, documents)


def _if(answer: Answer) -> Text:
    from rich.text import Text

    if answer.requires is not None or not all(condition.wanted for condition in answer.conditions):
        return Text(f"if {in_words(answer)}")
    shown = Text("if ")
    shown.append(Text(" and ").join(Text(clean(condition.text), "bold") for condition in answer.conditions))
    return shown


def _add_sentences(
    tree: Tree, answers: Iterable[Answer], documents: Mapping[str, Document], plain: bool
) -> None:
    from rich.text import Text

    spans: dict[str, list[Span]] = {}
    # Under their headings, which are said once.
    sentences: dict[Place, list[Span]] = {}
    for answer in _every(answers):
        own = _span(answer.place)
        if answer.place is not None and own is not None:
            spans.setdefault(answer.place.source, []).append(own)
        conditions = (condition.place for condition in answer.conditions)
        for place in filter(None, (answer.place, *conditions, *answer.evidence)):
            under = sentences.setdefault(Place(place.source, headings=place.headings), [])
            document, span = documents.get(place.source), _span(place)
            if document is not None and span is not None:
                under.append(sentence_around(document, *span))
                under += _introduction(document, span[0])
                # Evidence may be where the answer stands again.
                again = document.text.find(answer.text, *span) if place in answer.evidence else -1
                if again >= 0 and (own is None or not span[0] <= own[0] < span[1]):
                    spans.setdefault(place.source, []).append((again, again + len(answer.text)))
    for above, found in sorted(sentences.items(), key=lambda item: min(item[1], default=(0, 0))):
        for first, last in apart(found):
            document = documents[above.source]
            own_spans = [span for span in spans.get(above.source, ()) if first <= span[0] < last]
            if _says_more(document.text, first, last, own_spans):
                tree.add(sentence(document, first, last, own_spans, plain))
        tree.add(Text(where(above), style="dim"))


def _introduction(document: Document, offset: int) -> list[Span]:
    """For an item of a list the sentence that introduces the list, if there is one."""
    item = element_at(document, offset)
    introduction = None if item is None else introduction_of(document, item)
    return [] if introduction is None else [sentence_around(document, introduction.end - 1, introduction.end)]


def _every(answers: Iterable[Answer]) -> Iterator[Answer]:
    for answer in answers:
        yield answer
        yield from _every(answer.parts)


def _span(place: Place | None) -> Span | None:
    return None if place is None or place.start is None or place.end is None else (place.start, place.end)


def _says_more(text: str, first: int, last: int, spans: Iterable[Span]) -> bool:
    """Whether a sentence has words beside the spans: an item of a list may have none."""
    for start, end in apart(spans):
        if any(map(str.isalnum, text[first:start])):
            return True
        first = end
    return any(map(str.isalnum, text[first:last]))
