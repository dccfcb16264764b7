"""A reply as a tree for the terminal: each answer in its sentence or its cells, where it stands, what it depends on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from caveat.core.answers import Place
from caveat.core.certainty import certainty_of
from caveat.core.records import Document, Hit, Reply
from caveat.render.answer_tree import answer_tree
from caveat.render.quotes import clean, found_passage
from caveat.render.tree import (
    AnswerNode,
    AnswerTree,
    Branch,
    Conclusion,
    Evidence,
    FoundPassage,
    Quote,
    ShownRows,
    logic_in_words,
)
from caveat.render.tree import Group as ConditionGroup
from caveat.render.words import Words, percent, words_of

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.table import Table
    from rich.text import Text
    from rich.tree import Tree

    from caveat.core.languages import Language

_LONGEST_CELL, _LONGEST_FACT = 60, 240
_MOST_EVIDENCE, _MOST_TRIPLES = 3, 5
# What fits on one line with the answer; and what is left of the name of a file at least.
_LONGEST_LINE, _LEAST_NAME = 80, 24
_HIGHLIGHT = "bold reverse"
# Where nothing can be highlighted, in a pipe or a file, these stand around the answer.
_MARKS = "«", "»"


class _Manner(NamedTuple):
    """What a tree is drawn with: marks in place of styles, the words of the language."""

    plain: bool
    words: Words
    width: int = 100_000


def print_reply(
    reply: Reply,
    documents: Mapping[str, Document],
    others: Collection[str] = (),
    *,
    heading: str = "",
    most: int = 1,
    more: str = "",
    listed: bool = False,
) -> None:
    """Print a reply on standard output; a pipe gets marks in place of styles, and lines of any length.

    So many answers are shown at `most`, and with `listed` even where nothing is sure; `more` is the way to all of them.
    """
    console, plain = console_of_output()
    tree = answer_tree(reply, documents, others=others)
    shown = _Shown(_Manner(plain, words_of(reply.question.spoken), console.width), most, more, listed)
    console.print(reply_lines(reply, tree, shown, heading))


def print_passages(hits: Iterable[Hit], language: Language) -> None:
    """Print passages that were found on standard output, with what was searched for marked."""
    console, plain = console_of_output()
    manner = _Manner(plain, words_of(language), console.width)
    for number, hit in enumerate(hits, 1):
        console.print(_passage(found_passage(hit), manner, f"{number}  "))


def console_of_output() -> tuple[Console, bool]:
    """Standard output, and whether it takes no styles; what is not a terminal has no width."""
    from rich.console import Console

    console = Console(highlight=False)
    plain = not console.is_terminal or console.is_dumb_terminal
    return (console if console.is_terminal else Console(highlight=False, width=100_000)), plain


class _Shown(NamedTuple):
    """How a reply is drawn: so many answers at most, the way to more of them, and whether those not sure are listed."""

    manner: _Manner
    most: int = 1
    more: str = ""
    listed: bool = False


def reply_tree(
    reply: Reply,
    documents: Mapping[str, Document],
    others: Collection[str] = (),
    *,
    plain: bool = False,
    heading: str = "",
    most: int = 5,
    width: int = 100_000,
) -> Group:
    """The reply as lines; `documents` by the names that its places give, `others` the names of other sources."""
    manner = _Manner(plain, words_of(reply.question.spoken), width)
    return reply_lines(reply, answer_tree(reply, documents, others=others), _Shown(manner, most), heading)


def reply_lines(reply: Reply, found: AnswerTree, shown: _Shown, heading: str) -> Group:
    """The conclusion first, then what shows it, what it depends on, and how to see more."""
    from rich.console import Group
    from rich.text import Text

    manner = shown.manner
    words = manner.words
    conclusion = found.conclusion
    assert conclusion is not None
    lines: list[Tree | Text] = []
    if heading:
        lines.append(Text(clean(heading), "dim"))
    if reply.understood:
        lines.append(Text(clean(words.of_corrections(reply)), "dim"))
    lists_more = shown.listed or shown.most > 1
    shown_answers = 0
    if conclusion.kind in ("none", "unsure"):
        sentence = words.not_found[found.not_answered.sources > 1]
        if conclusion.kind == "none":
            lines.append(_sure(Text(sentence, "bold yellow"), conclusion, words))
        else:
            lines.append(
                Text.assemble((words.not_sure, "bold yellow"), (f"  {percent(conclusion.score)}", "cyan"))
            )
        if found.found:
            lines.append(Text(words.may_help))
            lines += (_passage(each, manner) for each in found.found)
    elif conclusion.kind == "together":
        joined = _joined(found, words)
        said = joined or words.side_by_side.format(sum(len(branch.answers) for branch in found.branches))
        tree = _tree(_sure(Text(said, "bold green"), conclusion, words))
        if not joined:
            _add_branches(tree, found.branches, manner)
        for passage in found.passages:
            for quote in passage.quotes:
                tree.add(_quoted(quote, manner.plain))
            tree.add(_where(passage.place, manner))
        return Group(*lines, tree)
    if conclusion.kind == "answer" or lists_more:
        branches = found.branches[: shown.most]
        shown_answers = sum(len(branch.answers) for branch in branches)
        lines += (_alternative(answer, branch, manner) for branch in branches for answer in branch.answers)
    left = sum(len(branch.answers) for branch in found.branches) - shown_answers
    if left and shown.more:
        total = left + shown_answers
        lines.append(
            Text(words.further[left != 1].format(f"{left:,}", shown.more.format(max(2, total))), "dim")
        )
    if shown.most > 1 and (improbable := sum(len(branch.answers) for branch in found.improbable)):
        lines.append(Text(words.count(words.improbable, improbable), "dim"))
    return Group(*lines)


def _tree(label: Text) -> Tree:
    from rich.tree import Tree

    return Tree(label, guide_style="dim")


def _sure(said: Text, of: Conclusion | AnswerNode, words: Words) -> Text:
    """What is concluded, with a word for how sure that is and the figure behind it."""
    return said.append(f"  {words.of_certainty(certainty_of(of.score), of.score)}", "not bold cyan")


def _joined(found: AnswerTree, words: Words) -> str:
    """Answers that hold together on one line; "" where they are long, have parts, or need something."""
    branches = found.branches
    several = [answer for branch in branches for answer in branch.answers]
    joined = words.semicolon.join(clean(answer.text) for answer in several)
    is_plain = not any(branch.conditions for branch in branches) and not any(
        each.branches for each in several
    )
    return joined if is_plain and len(joined) <= _LONGEST_LINE else ""


def _alternative(answer: AnswerNode, branch: Branch, manner: _Manner) -> Tree:
    """An answer with its conditions in short, then what shows it, its place, and its conditions as a checklist."""
    from rich.text import Text

    words = manner.words
    said = clean(words.answer(answer.text, answer.verdict))
    if answer.otherwise:
        said = words.with_otherwise.format(said)
    elif branch.conditions and not branch.met:
        logic = conditions_in_words(branch, words)
        fits = len(logic) <= _LONGEST_LINE and not branch.checklist[0].how.startswith("unless")
        said = words.provided.format(said, logic if fits else words.and_more)
    tree = _tree(_sure(Text(said, "bold green"), answer, words))
    _add_shown(tree, answer, manner)
    add_checklist(tree, branch, words)
    for part in answer.branches:
        for each in part.answers:
            tree.children.append(_alternative(each, part, manner))
    return tree


def _add_shown(node: Tree, answer: AnswerNode, manner: _Manner) -> None:
    """Add what shows an answer, and each place once."""
    from rich.text import Text

    words = manner.words
    if answer.table is not None:
        _add_rows(node, answer.table, manner)
    for triple in answer.triples[:_MOST_TRIPLES]:
        facts = (triple.subject, triple.predicate, triple.object)
        node.add(Text(" · ".join(_cut(clean(each), _LONGEST_FACT) for each in facts)))
    if (more := len(answer.triples) - _MOST_TRIPLES) > 0:
        node.add(Text(words.more.format(more), style="dim"))
    own = () if answer.place is None else (Evidence(answer.place, answer.quote),)
    # The sentence of an answer shows it; else the first that do.
    shown = own or answer.evidence[:_MOST_EVIDENCE]
    said: list[str] = []
    for number, evidence in enumerate(shown):
        if evidence.quote is not None and (evidence.quote.more or answer.verdict or not own):
            node.add(_quoted(evidence.quote, manner.plain))
        where = _where(evidence.place, manner)
        following = shown[number + 1] if number + 1 < len(shown) else None
        if following is None or _where(following.place, manner).plain != where.plain:
            node.add(where)
            said.append(where.plain)
    others = [_where(each.place, manner) for each in answer.evidence]
    also = {each.plain: each for each in others if each.plain not in said}
    for each in list(also.values())[: _MOST_EVIDENCE if own else 0]:
        node.add(Text.assemble((f"{words.evidence} ", "dim"), each))


def _passage(passage: FoundPassage, manner: _Manner, before: str = "") -> Tree:
    from rich.text import Text

    tree = _tree(Text.assemble((before, "bold"), _quoted(passage.quote, manner.plain)))
    tree.add(_where(passage.place, manner))
    return tree


def add_checklist(node: Tree, branch: Branch, words: Words) -> None:
    """Add the conditions of a branch, a box each, in their groups."""
    for group in branch.checklist:
        _add_group(node.add(words.group(group.how)), group, branch, words)


def _add_group(node: Tree, group: ConditionGroup, branch: Branch, words: Words) -> None:
    for part in group.parts:
        if isinstance(part, int):
            node.add(_box(branch, part, group, words))
        else:
            _add_group(node.add(words.group(part.how)), part, branch, words)


def _box(branch: Branch, number: int, group: ConditionGroup, words: Words) -> Text:
    """A condition's question with its box, and a no after one that must be answered so."""
    from rich.text import Text

    condition = branch.conditions[number]
    shown = Text("☐ " + clean(condition.question or condition.text))
    if not condition.wanted and not group.how.startswith("unless"):
        shown.append(f"  {words.verdicts['no']}", "bold")
    if condition.headings:
        shown.append(f"  ({' › '.join(map(clean, condition.headings))})", "dim")
    return shown


def _add_rows(node: Tree, table: ShownRows, manner: _Manner) -> None:
    """Add what was done with a table, and the rows that it was done with."""
    from rich.text import Text

    words = manner.words
    node.add(Text(clean(table.operation) or words.table_alone))
    if not table.rows:
        return
    node.add(_table(table, manner.plain))
    if table.more:
        node.add(Text(words.count(words.more_rows, table.more), style="dim"))


def _table(shown: ShownRows, plain: bool) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    def cell(text: str) -> str:
        text = clean(text)
        return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in shown.names:
        table.add_column(Text(cell(name), "bold"), overflow="fold")
    for row in shown.rows:
        table.add_row(
            *(_marked(cell(piece.text), plain) if piece.marked else Text(cell(piece.text)) for piece in row)
        )
    return table


def _add_branches(tree: Tree, branches: Iterable[Branch], manner: _Manner) -> None:
    """Add answers that hold together under their conditions, which are said on one line."""
    for branch in branches:
        under = tree.add(_if(branch, manner.words)) if branch.conditions else tree
        for answer in branch.answers:
            _add_branches(under.add(_answered(answer, manner.words)), answer.branches, manner)


def _if(branch: Branch, words: Words) -> Text:
    from rich.text import Text

    if branch.requires is not None:
        return Text(words.under.format(conditions_in_words(branch, words)))
    before, _, after = words.under.partition("{}")
    conditions = (Text(clean(condition.text), "bold") for condition in branch.conditions)
    return Text.assemble(before, Text(words.joints[0]).join(conditions), after)


def conditions_in_words(branch: Branch, words: Words) -> str:
    """The conditions of a branch on one line: "A and (B or C)", for conditions of a few words."""
    names = [clean(condition.text) for condition in branch.conditions]
    return logic_in_words(branch, names, words.joints, words.brackets, words.negated[1])


def _answered(answer: AnswerNode, words: Words) -> Text:
    return _scored(words.answer(answer.text, answer.verdict), answer.score, "bold green")


def _scored(text: str, score: float, style: str) -> Text:
    """A text and how probable it is."""
    from rich.text import Text

    return Text.assemble((clean(text), style), ("  " + percent(score), "cyan"))


def _quoted(quote: Quote, plain: bool) -> Text:
    """A sentence on one line, with what is marked in it highlighted, or between marks."""
    from rich.text import Text

    shown = Text()
    for piece in quote.pieces:
        text = clean(piece.text, keep=not piece.marked)
        shown.append(_marked(text, plain) if piece.marked else text)
    if quote.pieces and not quote.pieces[-1].marked:
        shown.rstrip()
    # Nothing is highlighted in the blanks before the first word.
    return shown[len(shown.plain) - len(shown.plain.lstrip()) :]


def _marked(text: str, plain: bool) -> Text:
    """A text highlighted, or between marks."""
    from rich.text import Text

    return Text(text.join(_MARKS)) if plain else Text(text, _HIGHLIGHT)


def _where(place: Place, manner: _Manner) -> Text:
    """The source, its page, and the headings over the place; a long name is shortened in its middle."""
    from rich.text import Text

    words = manner.words
    page = () if place.page is None else (words.page_number.format(f"{place.page:,}"),)
    name = shortened(clean(words.named(place.source)), max(_LEAST_NAME, manner.width // 2))
    return Text(" › ".join((name, *map(clean, (*page, *place.headings)))), style="dim")


def shortened(name: str, most: int) -> str:
    """A name of at most so many characters: its beginning and its end, which tell more than its middle."""
    if len(name) <= most:
        return name
    end = (most - 1) * 2 // 3
    return f"{name[: most - 1 - end]}…{name[-end:]}"


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
