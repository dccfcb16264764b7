"""A reply as one page that needs nothing else: the question, the tree of answers, the text with its marks."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files

from caveat.records import Document, Place, Reply
from caveat.serve.answer_tree import KINDS, AnswerTree, Branch, Mark, Node, answer_tree
from caveat.serve.excerpt import WHOLE, reach_of
from caveat.serve.marked_text import clean, marked_text
from caveat.serve.page_words import WORDS, Words
from caveat.text.percent import percent
from caveat.text.script import language_of

__all__ = ["reply_page"]

_LONGEST = 600
_LONGEST_TITLE = 120
# Enough of a text to tell its language.
_SAMPLE = 2_000


def reply_page(reply: Reply, documents: Mapping[str, Document]) -> str:
    """The reply as HTML; `documents` by the names that its places give."""
    language = reply.question.spoken
    words = WORDS[language]
    tree = answer_tree(reply, documents)
    style, script, script_hash = _resources()
    body = "".join(
        (
            *_header(reply, tree, words),
            '<main>\n<svg class="lines" aria-hidden="true"></svg>\n',
            *_answers(reply, tree, documents, words),
            *_texts(tree, documents, words),
            "</main>\n",
        )
    )
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        # Nothing is fetched from anywhere, and no script runs but the page's own.
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        f"style-src 'unsafe-inline'; script-src 'sha256-{script_hash}'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_short(reply.question.text, _LONGEST_TITLE)}</title>\n"
        f'<link rel="icon" href="data:,">\n<style>\n{style}</style>\n</head>\n<body>\n{body}'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


@cache
def _resources() -> tuple[str, str, str]:
    """The style, the script, and the script's hash as a content security policy wants it."""
    folder = files("caveat.serve")
    style, script = (
        folder.joinpath(f"reply_page.{ending}").read_text(encoding="utf-8") for ending in ("css", "js")
    )
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return style, script, base64.b64encode(digest).decode("ascii")


def _header(reply: Reply, tree: AnswerTree, words: Words) -> Iterator[str]:
    yield f"<header>\n<h1>{clean(reply.question.text)}</h1>\n"
    if reply.question.scenario.strip():
        yield f'<p class="scenario"><b>{words.scenario}</b> {clean(reply.question.scenario)}</p>\n'
    kinds = [mark.kind for marks in tree.marks.values() for mark in marks]
    if kinds:
        yield f'<ul class="legend" aria-label="{words.legend}">\n'
        for kind in KINDS:
            if kind in kinds:
                yield f'<li><mark class="{kind} first last">{words.kinds[kind]}</mark> {kinds.count(kind):,}</li>\n'
        yield "</ul>\n"
    yield "</header>\n"


def _answers(
    reply: Reply, tree: AnswerTree, documents: Mapping[str, Document], words: Words
) -> Iterator[str]:
    yield f'<section class="tree" aria-labelledby="answers">\n<h2 id="answers">{words.answers}'
    if len(reply.answers) > 1:
        yield f" <small>{words.together if reply.together else words.ranked}</small>"
    yield "</h2>\n"
    if not reply.answered:
        sentence = words.not_answered[len(documents) > 1]
        yield f'<p class="none">{sentence} {_score(reply.unanswerable)}</p>\n'
    places = _Places(documents, words)
    yield from _branches(tree.branches, places, words)
    if tree.improbable:
        count = sum(len(branch.answers) for branch in tree.improbable)
        yield f"<details><summary>{words.count(words.improbable, count)}</summary>\n"
        yield from _branches(tree.improbable, places, words)
        yield "</details>\n"
    yield "</section>\n"


def _branches(branches: Iterable[Branch], places: _Places, words: Words) -> Iterator[str]:
    if not branches:
        return
    yield "<ol>\n"
    for branch in branches:
        if branch.conditions:
            yield '<li class="branch">'
            for number, condition in enumerate(branch.conditions):
                yield f'<p class="over"><span>{words.conditions[number > 0]}</span> {_node(condition)}</p>\n'
            yield "<ol>\n"
        for answer in branch.answers:
            yield f"<li>{_node(answer)}"
            if answer.evidence:
                links = (
                    f'<a data-of="{mark}" href="#t{mark}">{number}</a>'
                    for number, mark in enumerate(answer.evidence, 1)
                )
                yield f'<p class="also">{words.evidence} {" ".join(links)}</p>'
            yield places.said(answer)
            yield from _branches(answer.branches, places, words)
            yield "</li>\n"
        if branch.conditions:
            yield "</ol></li>\n"
    yield "</ol>\n"


def _node(node: Node) -> str:
    label = f"<b>{node.label}</b> " if node.label else ""
    score = "" if node.score is None else " " + _score(node.score)
    inside = f'{label}<span class="words">{_short(node.text, _LONGEST)}</span>{score}'
    attributes = f'class="node {node.kind}" id="n{node.number}"'
    if node.mark is None:
        return f"<span {attributes}>{inside}</span>"
    attributes += f' data-of="{node.mark}" href="#t{node.mark}"'
    if node.heads:
        attributes += f' data-heads="{" ".join(map(str, node.heads))}"'
    return f"<a {attributes}>{inside}</a>"


def _score(score: float) -> str:
    return f'<span class="score">{clean(percent(score))}</span>'


class _Places:
    """Where answers stand, said once for neighbours that stand in one place."""

    def __init__(self, documents: Mapping[str, Document], words: Words) -> None:
        self.documents = documents
        self.words = words
        self.last: tuple[str, ...] = ()

    def said(self, answer: Node) -> str:
        if answer.place is None:
            return ""
        where = self._where(answer.place)
        if where == self.last or answer.kind == "fine":
            return ""
        self.last = where
        return f'<p class="where">{" › ".join(clean(name) for name in where)}</p>' if where else ""

    def _where(self, place: Place) -> tuple[str, ...]:
        # One document needs no name; one that is not shown does.
        known = len(self.documents) == 1 and place.source in self.documents
        return place.headings if known else (named(place.source, self.words), *place.headings)


def named(source: str, words: Words) -> str:
    """A document's name as a page shows it."""
    return words.standard_input if source == "-" else source


def _texts(tree: AnswerTree, documents: Mapping[str, Document], words: Words) -> Iterator[str]:
    """The documents that have marks, or the only one that there is; of others the name."""
    shown: dict[str, tuple[Mark, ...]] = tree.marks or (
        {next(iter(documents)): ()} if len(documents) == 1 else {}
    )
    characters = sum(len(documents[name].text) for name in shown)
    reach = None if characters <= WHOLE else reach_of(sum(map(len, shown.values())))
    yield f'<section class="text" aria-labelledby="text">\n<h2 id="text">{words.text}</h2>\n'
    for name, marks in shown.items():
        document = documents[name]
        yield f'<article lang="{language_of(document.text[:_SAMPLE])}">\n'
        title = f" <small>{clean(document.title)}</small>" if document.title.strip() else ""
        yield f"<h3>{clean(named(name, words))}{title}</h3>\n"
        yield marked_text(document, marks, words, reach)
        yield "</article>\n"
    if others := [name for name in documents if name not in shown]:
        yield f'<details class="others"><summary>{words.count(words.other_texts, len(others))}</summary>\n<ul>\n'
        yield from (f"<li>{clean(named(name, words))}</li>\n" for name in others)
        yield "</ul>\n</details>\n"
    yield "</section>\n"


def _short(text: str, longest: int) -> str:
    """Text on one line, the middle of a long one left out."""
    text = " ".join(text.split())
    if len(text) > longest:
        text = f"{text[: longest // 2]} … {text[-longest // 3 :]}"
    return clean(text)
