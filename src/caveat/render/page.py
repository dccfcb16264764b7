"""A reply as one page that needs nothing else: the question, the tree of answers, the text with its marks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import inf

from caveat.core.answers import Place
from caveat.core.languages import language_of
from caveat.core.records import Document, Reply, Table
from caveat.render.answer_tree import answer_tree
from caveat.render.page_shell import page_shell
from caveat.render.page_table import marked_table
from caveat.render.page_text import WHOLE, clean, marked_text, reach_of
from caveat.render.tree import (
    KINDS,
    AnswerNode,
    AnswerTree,
    Branch,
    CellMark,
    ConditionNode,
    Group,
    Mark,
)
from caveat.render.words import Forms, Words, percent, words_of

_LONGEST = 600
_LONGEST_TITLE = 120
# Enough of a text to tell its language.
_SAMPLE = 2_000


def reply_page(
    reply: Reply, documents: Mapping[str, Document], tables: Mapping[str, Table] | None = None
) -> str:
    """The reply as HTML; `documents` and `tables` by the names that its places give."""
    language = reply.question.spoken
    words = words_of(language)
    tables = tables or {}
    tree = answer_tree(reply, documents, tables, others=set(tables).difference(documents))
    body = "".join(
        (
            *_header(reply, tree, words),
            '<main>\n<svg class="lines" aria-hidden="true"></svg>\n',
            *_answers(tree, dict.fromkeys((*documents, *tables)), words),
            *_sources(tree, documents, tables, words),
            "</main>\n",
        )
    )
    return page_shell(language, _short(reply.question.text, _LONGEST_TITLE), "page", body)


def _header(reply: Reply, tree: AnswerTree, words: Words) -> Iterator[str]:
    yield f"<header>\n<h1>{clean(reply.question.text)}</h1>\n"
    if reply.understood:
        yield f'<p class="scenario">{clean(words.of_corrections(reply))}</p>\n'
    if reply.question.scenario.strip():
        yield f'<p class="scenario"><b>{words.scenario}</b> {clean(reply.question.scenario)}</p>\n'
    kinds = [mark.kind for marks in tree.marks.values() for mark in marks]
    kinds += [mark.kind for marks in tree.cells.values() for mark in marks]
    if kinds:
        yield f'<ul class="legend" aria-label="{words.legend}">\n'
        for kind in KINDS:
            if kind in kinds:
                yield f'<li><mark class="{kind} first last">{words.kinds[kind]}</mark> {kinds.count(kind):,}</li>\n'
        yield "</ul>\n"
    yield "</header>\n"


def _answers(tree: AnswerTree, sources: Collection[str], words: Words) -> Iterator[str]:
    yield f'<section class="tree" aria-labelledby="answers">\n<h2 id="answers">{words.answers}'
    if sum(len(branch.answers) for branch in (*tree.branches, *tree.improbable)) > 1:
        yield f" <small>{words.together if tree.together else words.ranked}</small>"
    yield "</h2>\n"
    yield from _conclusion(tree, words)
    places = _Places(sources, words)
    # Of alternatives the first is open, unless nothing is sure.
    is_sure = tree.conclusion is not None and tree.conclusion.kind in ("answer", "together")
    opened = len(tree.branches) if tree.together else int(is_sure)
    yield from _branches(tree.branches[:opened], places, words)
    yield from _folded(tree.branches[opened:], words.page_further, places, words)
    yield from _folded(tree.improbable, words.improbable, places, words)
    yield "</section>\n"


def _folded(branches: Sequence[Branch], forms: Forms, places: _Places, words: Words) -> Iterator[str]:
    if branches:
        count = sum(len(branch.answers) for branch in branches)
        yield f"<details><summary>{words.count(forms, count)}</summary>\n"
        yield from _branches(branches, places, words)
        yield "</details>\n"


def _conclusion(tree: AnswerTree, words: Words) -> Iterator[str]:
    """How sure the reply is; where it is not, or nothing was found, passages that may help."""
    found = tree.conclusion
    if found is None:
        return
    certainty = clean(words.of_certainty(found.certainty, found.score))
    if found.kind in ("none", "unsure"):
        sentence = words.not_found[tree.not_answered.sources > 1] if found.kind == "none" else words.not_sure
        score = certainty if found.kind == "none" else clean(percent(found.score))
        yield f'<p class="none">{sentence} <span class="score">{score}</span></p>\n'
        if tree.found:
            yield f"<p>{words.may_help}</p>\n"
        for passage in tree.found:
            pieces = (
                f"<b>{clean(piece.text)}</b>" if piece.marked else clean(piece.text)
                for piece in passage.quote.pieces
            )
            where = " › ".join(
                clean(name) for name in (words.named(passage.place.source), *passage.place.headings)
            )
            yield f'<blockquote class="found">{"".join(pieces)}<p class="where">{where}</p></blockquote>\n'
    elif found.kind == "answer":
        said = words.answer(found.text, found.verdict)
        if found.conditional:
            said = words.provided.format(said, words.and_more)
        yield f'<p class="conclusion"><b>{_short(said, _LONGEST)}</b> <span class="score">{certainty}</span></p>\n'


def _branches(branches: Iterable[Branch], places: _Places, words: Words) -> Iterator[str]:
    if not branches:
        return
    yield "<ol>\n"
    for branch in branches:
        if branch.conditions:
            yield '<li class="branch">'
            if branch.requires is not None:
                yield from _groups(branch.checklist, branch, words, set())
            else:
                for number, condition in enumerate(branch.conditions):
                    joint = words.conditions[number > 0]
                    yield f'<p class="over"><span>{joint}</span> {_node(condition, condition.text, "condition")}</p>\n'
            yield "<ol>\n"
        for answer in branch.answers:
            text = words.answer(answer.text, answer.verdict)
            if answer.otherwise:
                text = words.with_otherwise.format(text)
            yield f"<li>{_node(answer, text, answer.kind, answer.heads, ' ' + _score(answer.score))}"
            if marks := [evidence.mark for evidence in answer.evidence if evidence.mark is not None]:
                links = (
                    f'<a data-of="{mark}" href="#t{mark}">{number}</a>'
                    for number, mark in enumerate(marks, 1)
                )
                yield f'<p class="also">{words.evidence} {" ".join(links)}</p>'
            if answer.table is not None:
                yield f'<p class="where">{clean(answer.table.operation or words.table_alone)}</p>'
            for triple in answer.triples:
                facts = (triple.subject, triple.predicate, triple.object)
                yield f'<p class="where">{" · ".join(_short(part, _LONGEST) for part in facts)}</p>'
            yield places.said(answer)
            yield from _branches(answer.branches, places, words)
            yield "</li>\n"
        if branch.conditions:
            yield "</ol></li>\n"
    yield "</ol>\n"


def _groups(
    groups: Iterable[int | Group], branch: Branch, words: Words, said: set[int], inside: str = ""
) -> Iterator[str]:
    """Conditions in their groups: all of, any of, unless; one in such a group that must not hold says so."""
    yield '<ul class="groups">\n'
    for part in groups:
        if isinstance(part, int):
            condition = branch.conditions[part]
            text = condition.text
            if not condition.wanted and not inside.startswith("unless"):
                text = words.negated[1].format(text)
            # What is named twice is a node once.
            named = f"<b>{condition.label}</b>" if part in said else _node(condition, text, "condition")
            said.add(part)
            yield f"<li>{named}</li>\n"
        else:
            yield f'<li><span class="group">{words.group(part.how)}</span>\n'
            yield from _groups(part.parts, branch, words, said, part.how)
            yield "</li>\n"
    yield "</ul>\n"


def _node(
    node: AnswerNode | ConditionNode, text: str, kind: str, heads: tuple[int, ...] = (), score: str = ""
) -> str:
    inside = f'<b>{node.label}</b> <span class="words">{_short(text, _LONGEST)}</span>{score}'
    attributes = f'class="node {kind}" id="n{node.number}"'
    if node.mark is None:
        return f"<span {attributes}>{inside}</span>"
    attributes += f' data-of="{node.mark}" href="#t{node.mark}"'
    if heads:
        attributes += f' data-heads="{" ".join(map(str, heads))}"'
    return f"<a {attributes}>{inside}</a>"


def _score(score: float) -> str:
    return f'<span class="score">{clean(percent(score))}</span>'


class _Places:
    """Where answers stand, said once for neighbours that stand in one place."""

    def __init__(self, sources: Collection[str], words: Words) -> None:
        self.sources = sources
        self.words = words
        self.last: tuple[str, ...] = ()

    def said(self, answer: AnswerNode) -> str:
        if answer.place is None:
            return ""
        where = self._where(answer.place)
        if where == self.last or answer.kind == "fine":
            return ""
        self.last = where
        return f'<p class="where">{" › ".join(clean(name) for name in where)}</p>' if where else ""

    def _where(self, place: Place) -> tuple[str, ...]:
        # One source needs no name; one that is not shown does.
        known = len(self.sources) == 1 and place.source in self.sources
        return place.headings if known else (self.words.named(place.source), *place.headings)


def _sources(
    tree: AnswerTree, documents: Mapping[str, Document], tables: Mapping[str, Table], words: Words
) -> Iterator[str]:
    """The documents and tables that have marks, or the only one that there is; of others the name."""
    texts: dict[str, tuple[Mark, ...]] = tree.marks
    if not texts and not tree.cells and len(documents) == 1 and not tables:
        texts = {next(iter(documents)): ()}
    heading = words.sources if tables else words.text
    yield f'<section class="text" aria-labelledby="text">\n<h2 id="text">{heading}</h2>\n'
    shown = [_tables(tree.cells, tables, words), _texts(texts, documents, words)]
    if _first(texts) < _first(tree.cells):
        shown.reverse()
    for articles in shown:
        yield from articles
    if others := [name for name in dict.fromkeys((*documents, *tables)) if name not in {*texts, *tree.cells}]:
        forms = words.other_sources if tables else words.other_texts
        yield f'<details class="others"><summary>{words.count(forms, len(others))}</summary>\n<ul>\n'
        yield from (f"<li>{clean(words.named(name))}</li>\n" for name in others)
        yield "</ul>\n</details>\n"
    yield "</section>\n"


def _first(marks: Mapping[str, Sequence[Mark | CellMark]]) -> float:
    """The number of the first mark: the most probable answer has it."""
    return min((mark.number for several in marks.values() for mark in several), default=inf)


def _tables(
    marks: Mapping[str, tuple[CellMark, ...]], tables: Mapping[str, Table], words: Words
) -> Iterator[str]:
    for name, several in marks.items():
        yield f'<article class="cells" lang="{language_of(_sample_of(tables[name]))}">\n'
        yield f"<h3>{clean(words.named(name))}</h3>\n"
        yield marked_table(tables[name], several, words)
        yield "</article>\n"


def _texts(
    marks: Mapping[str, tuple[Mark, ...]], documents: Mapping[str, Document], words: Words
) -> Iterator[str]:
    characters = sum(len(documents[name].text) for name in marks)
    reach = None if characters <= WHOLE else reach_of(sum(map(len, marks.values())))
    for name, several in marks.items():
        document = documents[name]
        yield f'<article lang="{language_of(document.text[:_SAMPLE])}">\n'
        title = f" <small>{clean(document.title)}</small>" if document.title.strip() else ""
        yield f"<h3>{clean(words.named(name))}{title}</h3>\n"
        yield marked_text(document, several, words, reach)
        yield "</article>\n"


def _sample_of(table: Table) -> str:
    return " ".join((table.caption, *table.headers, *(cell for row in table.rows[:20] for cell in row)))


def _short(text: str, longest: int) -> str:
    """Text on one line, the middle of a long one left out."""
    text = " ".join(text.split())
    if len(text) > longest:
        text = f"{text[: longest // 2]} … {text[-longest // 3 :]}"
    return clean(text)
