"""A reply as a tree for the terminal: each answer in its sentence or its cells, where it stands, what it depends on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from caveat.answerers.tables.answerer import answer_cells
from caveat.core.records import AllOf, Answer, AnyOf, Cells, Condition, Document, Place, Reply, Requirement
from caveat.render.reply import branches_of, is_around, logic_in_words, requirement_of
from caveat.render.terminal_text import apart, brief, clean, marked, scored, sentence, where
from caveat.render.words import Words, words_of
from caveat.sources.outline import element_at, introduction_of, sentence_around

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text
    from rich.tree import Tree

__all__ = ["add_checklist", "in_words", "print_reply", "reply_tree"]

_MOST_ROWS = 5
_MOST_COLUMNS = 6
_LONGEST = 60
Span = tuple[int, int]
_MOST_EVIDENCE, _MOST_TRIPLES = 3, 5
# Answers less probable than this are counted, not shown; JSON has them all.
_WORTH_SHOWING = 0.01


class _Manner(NamedTuple):
    """What a tree is drawn with: texts by their names, marks in place of styles, the words of the language."""

    documents: Mapping[str, Document]
    plain: bool
    words: Words


def print_reply(
    reply: Reply, documents: Mapping[str, Document], others: Collection[str] = (), *, heading: str = ""
) -> None:
    """Print a reply on standard output; a pipe gets marks in place of styles, and lines of any length."""
    from rich.console import Console

    console = Console(highlight=False)
    plain = not console.is_terminal or console.is_dumb_terminal
    if not console.is_terminal:
        console = Console(highlight=False, width=100_000)
    console.print(reply_tree(reply, documents, others, plain=plain, heading=heading))


def reply_tree(
    reply: Reply,
    documents: Mapping[str, Document],
    others: Collection[str] = (),
    *,
    plain: bool = False,
    heading: str = "",
) -> Tree:
    """The reply as a tree; `documents` by the names that its places give, `others` the names of other sources.

    Over it stands the question, or another `heading`.
    """
    from rich.text import Text
    from rich.tree import Tree

    words = words_of(reply.question.spoken)
    manner = _Manner(documents, plain, words)
    tree = Tree(Text(clean(heading or reply.question.text), style="bold"))
    if not reply.answered:
        forms = words.not_answered_by_sources if others else words.not_answered
        tree.add(scored(forms[len(documents) + len(others) > 1], reply.unanswerable, "bold yellow"))
    if reply.together:
        _add_together(tree, reply.answers, manner)
        return tree
    shown = [answer for answer in reply.answers if answer.score >= _WORTH_SHOWING]
    for number, answer in enumerate(shown):
        _add_answer(tree, answer, manner, first=number == 0)
    if more := len(reply.answers) - len(shown):
        tree.add(Text(words.count(words.improbable, more), style="dim"))
    return tree


def _add_answer(tree: Tree, answer: Answer, manner: _Manner, *, first: bool = True) -> None:
    from rich.text import Text

    words = manner.words
    branch = tree.add(scored(words.answer(answer), answer.score, "bold green"))
    if answer.otherwise:
        branch.add(words.otherwise)
    if answer.cells is not None:
        _add_cells(branch, answer, answer.cells, manner, first=first)
    for triple in answer.triples[:_MOST_TRIPLES]:
        branch.add(Text(" · ".join(map(brief, (triple.subject, triple.predicate, triple.object)))))
    if (more := len(answer.triples) - _MOST_TRIPLES) > 0:
        branch.add(Text(words.more.format(more), style="dim"))
    if (place := answer.place) is not None:
        document = manner.documents.get(place.source)
        if document is not None and place.start is not None and place.end is not None:
            around = sentence_around(document, place.start, place.end)
            branch.add(sentence(document, *around, [(place.start, place.end)], manner.plain))
        branch.add(Text(where(place, words), style="dim"))
    for evidence in [place for place in answer.evidence if not is_around(place, answer.place)][
        :_MOST_EVIDENCE
    ]:
        _add_evidence(branch, evidence, "" if answer.kind in ("yes", "no") else answer.text, manner)
    if answer.conditions:
        add_checklist(branch, answer, words)
    for part in answer.parts:
        _add_answer(branch, part, manner)


def _add_evidence(branch: Tree, evidence: Place, answer: str, manner: _Manner) -> None:
    """What shows the answer elsewhere, with the answer highlighted if its words stand there."""
    from rich.text import Text

    document = manner.documents.get(evidence.source)
    if document is not None and evidence.start is not None and evidence.end is not None:
        start = document.text.find(answer, evidence.start, evidence.end) if answer else -1
        spans = [] if start < 0 else [(start, start + len(answer))]
        branch.add(sentence(document, evidence.start, evidence.end, spans, manner.plain))
    branch.add(Text(where(evidence, manner.words), style="dim"))


def add_checklist(branch: Tree, answer: Answer, words: Words) -> None:
    """Add "if" with a box for each condition under it, in "all of" and "any of"; what must not be comes as "unless"."""
    whole = requirement_of(answer)
    parts = whole.parts if isinstance(whole, AllOf) else (whole,)
    unless = [part for part in parts if isinstance(part, int) and not answer.conditions[part].wanted]
    wanted = [part for part in parts if part not in unless]
    if len(wanted) == 1 and isinstance(wanted[0], AnyOf):
        _add_parts(branch.add(words.if_any), wanted[0].parts, answer, words)
    elif wanted:
        _add_parts(branch.add(words.if_all if len(wanted) > 1 else words.if_one), wanted, answer, words)
    if unless:
        under = branch.add(words.unless[len(unless) > 1])
        _add_parts(under, unless, answer, words, asked_plainly=True)


def in_words(answer: Answer, words: Words) -> str:
    """The same on one line: "A and (B or C)", for conditions of a few words."""

    def name_of(number: int) -> str:
        condition = answer.conditions[number]
        return clean(condition.text) if condition.wanted else words.negated[1].format(clean(condition.text))

    return logic_in_words(answer, name_of, words.joints, words.brackets)


def _add_parts(
    branch: Tree, parts: Sequence[Requirement], answer: Answer, words: Words, *, asked_plainly: bool = False
) -> None:
    for part in parts:
        if isinstance(part, int):
            no = "" if asked_plainly or answer.conditions[part].wanted else words.verdicts["no"]
            branch.add(_box(answer.conditions[part], answer, no))
        else:
            under = branch.add(words.all_of if isinstance(part, AllOf) else words.any_of)
            _add_parts(under, part.parts, answer, words)


def _box(condition: Condition, answer: Answer, no: str) -> Text:
    """A condition's question with its box, and `no` after one that must be answered so."""
    from rich.text import Text

    places = [answer.place, *answer.evidence[:1]]

    shown = Text("☐ " + clean(condition.question or condition.text))
    if no:
        shown.append(f"  {no}", "bold")
    # What stands under the same headings as the answer need not say so.
    same = any(
        place is not None and place.headings == condition.place.headings
        for place in places
        if condition.place
    )
    if condition.place is not None and condition.place.headings and not same:
        shown.append(f"  ({' › '.join(map(clean, condition.place.headings))})", "dim")
    return shown


def _add_cells(branch: Tree, answer: Answer, cells: Cells, manner: _Manner, *, first: bool = True) -> None:
    """Add what was done, and the rows that it was done with; a table alone has rows only if it is the first answer."""
    from rich.text import Text

    words = manner.words
    branch.add(Text(clean(cells.operation) or words.table_alone))
    if not cells.texts or (cells.kind == "table" and not first):
        return
    branch.add(_table(answer, cells, manner.plain))
    if more := len(cells.rows) - min(len(cells.texts), _MOST_ROWS):
        branch.add(Text(words.count(words.more_rows, more), style="dim"))


def _table(answer: Answer, cells: Cells, plain: bool) -> Table:
    from rich import box
    from rich.table import Table

    # The most important columns come first; they are shown in the table's own order.
    order = sorted(range(len(cells.columns))[:_MOST_COLUMNS], key=cells.columns.__getitem__)
    answers = set(answer_cells(answer))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in order:
        table.add_column(_cell(cells.names[column], "bold"), overflow="fold")
    for number, row in enumerate(cells.texts[:_MOST_ROWS]):
        table.add_row(
            *(
                marked(_short(row[column]), plain) if (number, column) in answers else _cell(row[column])
                for column in order
            )
        )
    return table


def _cell(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(_short(text), style)


def _short(text: str) -> str:
    text = clean(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _add_together(tree: Tree, answers: Sequence[Answer], manner: _Manner) -> None:
    """Add the answers, then what shows them."""
    _add_branches(tree, answers, manner)
    _add_sentences(tree, answers, manner)


def _add_branches(tree: Tree, answers: Iterable[Answer], manner: _Manner) -> None:
    for branch in branches_of(answers, manner.documents):
        under = tree.add(_if(branch.answers[0], manner.words)) if branch.conditions else tree
        for answer in branch.answers:
            node = under.add(scored(manner.words.answer(answer), answer.score, "bold green"))
            _add_branches(node, answer.parts, manner)


def _if(answer: Answer, words: Words) -> Text:
    from rich.text import Text

    if answer.requires is not None or not all(condition.wanted for condition in answer.conditions):
        return Text(words.under.format(in_words(answer, words)))
    before, _, after = words.under.partition("{}")
    conditions = (Text(clean(condition.text), "bold") for condition in answer.conditions)
    return Text.assemble(before, Text(words.joints[0]).join(conditions), after)


def _add_sentences(tree: Tree, answers: Iterable[Answer], manner: _Manner) -> None:
    from rich.text import Text

    documents = manner.documents
    spans: dict[str, list[Span]] = {}
    # Under their headings, which are said once.
    sentences: dict[Place, list[Span]] = {}
    for answer in _with_parts(answers):
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
                tree.add(sentence(document, first, last, own_spans, manner.plain))
        tree.add(Text(where(above, manner.words), style="dim"))


def _introduction(document: Document, offset: int) -> list[Span]:
    """For an item of a list the sentence that introduces the list, if there is one."""
    item = element_at(document, offset)
    introduction = None if item is None else introduction_of(document, item)
    return [] if introduction is None else [sentence_around(document, introduction.end - 1, introduction.end)]


def _with_parts(answers: Iterable[Answer]) -> Iterator[Answer]:
    for answer in answers:
        yield answer
        yield from _with_parts(answer.parts)


def _span(place: Place | None) -> Span | None:
    return None if place is None or place.start is None or place.end is None else (place.start, place.end)


def _says_more(text: str, first: int, last: int, spans: Iterable[Span]) -> bool:
    """Whether a sentence has words beside the spans: an item of a list may have none."""
    for start, end in apart(spans):
        if any(map(str.isalnum, text[first:start])):
            return True
        first = end
    return any(map(str.isalnum, text[first:last]))
