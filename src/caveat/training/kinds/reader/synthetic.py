"""Questions that no annotator wrote: on what a text says twice, on facts of a knowledge base, with another's name.

Recurring spans: what a text says twice is hidden in one sentence and looked for in the others. Annotated passages are
few and are soon known by heart; every passage has such questions (Ram et al., 2021: few-shot question answering by
pretraining span selection), and finding the words around one place again at another is half of what a reader does.

Verbalised triples: questions on a knowledge base become questions on a passage. A reader learns from them what a
question asks for, in as many words as there are predicates; passages alone, a few thousand of them, teach it a few.

Exchanged names: asked of a page on one person what is asked of another, a reader is to be silent. The questions of a
set whose name stands in their passage too, each with that name exchanged for one from an earlier passage that this one
does not have. What the passage tells is still asked for, and it no longer answers.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from caveat.benchmarks.nlpcc import kbqa_format as nlpcc_kbqa
from caveat.benchmarks.nlpcc.kbqa_format import KbqaQuestion
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.core.answers import Triple
from caveat.core.languages import HAN, count_han
from caveat.language.sentences import sentences
from caveat.sources import triple_lines as nlpcc_kb

_UNIT = re.compile(rf"[{HAN}]|[^\W_{HAN}]+")
# Chinese characters that hold words together and begin or end no name.
_EDGES = frozenset("的了在是和与及而被将把也又都就于以之其为有对从到由等并但或这那个上下中里年月日")
_LONGEST = 12  # units of a span: characters of Chinese, words of other scripts
_LONGEST_QUESTION = 40
# A phrase that many passages repeat belongs to the language, not to what is told.
_COMMON = 0.004

# How a fact is said. Where the subject is what the sentences before were about, it may be left out.
_WITH_SUBJECT = (
    "{subject}的{predicate}是{object}。",
    "{subject}的{predicate}为{object}。",
    "{subject}，{predicate}：{object}。",
    "{subject}{predicate}{object}。",
    "{object}是{subject}的{predicate}。",
)
_WITHOUT = (
    "{predicate}：{object}。",
    "其{predicate}为{object}。",
    "{predicate}是{object}；",
    "{predicate}{object}，",
)
# Facts about the same thing beside the one that is asked for, and facts of the same sort about other things.
_MOST_BESIDE = 8
_MOST_ALIKE = 3
# How often the subject is said again.
_NAMED_AGAIN = 0.3
_LONGEST_OBJECT = 60
# 李娜（中国女子网球名将）: what stands in brackets tells namesakes apart, and a text does not say it.
_TOLD_APART = re.compile(r"[（(][^（()）]*[)）]\s*$")
# Words with capitals inside a sentence: a name of any length.
_CAPITALS = re.compile(
    r"(?<=[\w,'’\")] )[A-ZÀ-Þ][\w'’.-]*\w(?: (?:of |de |the |van |von )?[A-ZÀ-Þ][\w'’.-]*\w)*"
)
_QUOTED = re.compile(r"(?<=《)[^《》]{2,20}(?=》)")
# Chinese without the characters that begin or end no name, and those that ask.
_SMALL = "".join(sorted(_EDGES)) + "什么谁哪几多少如何怎样吗呢点他她它们我你您"
_CONTENT = re.compile(rf"(?:(?![{_SMALL}])[{HAN}])+")
_LONGEST_TOPIC = 8
# The names of so many questions are kept to choose from, and so many are tried.
_KEPT, _TRIED = 5_000, 40
_LONGER_BY = 3


class _Place(msgspec.Struct, frozen=True):
    """Where a phrase stands: the span of its sentence and its own."""

    sentence: tuple[int, int]
    start: int
    end: int


def recurring(passages: Iterable[Passage], seed: int, most: int = 6) -> Iterator[Passage]:
    """For each passage at most `most` others, each without the sentence that its only question is made of."""
    texts = [passage.text for passage in passages]
    found = [_repeated(text) for text in texts]
    spread = Counter(phrase for phrases in found for phrase in phrases)
    common = max(2, _COMMON * len(texts))
    for number, (text, phrases) in enumerate(zip(texts, found, strict=True)):
        draw = random.Random(f"{seed} {number}")
        rare = sorted(phrase for phrase in phrases if spread[phrase] <= common)
        for phrase in draw.sample(rare, min(len(rare), most)):
            hidden, asked = draw.sample(phrases[phrase], 2)
            yield _cloze(text, hidden, asked, f"{number} {phrase}")


def _repeated(text: str) -> dict[str, tuple[_Place, _Place]]:
    """The longest phrases that stand in exactly two sentences, once in each."""
    units = [(match.start(), match.end()) for match in _UNIT.finditer(text)]
    sentence_of = _sentences(text, [start for start, _ in units])
    kept: dict[str, tuple[_Place, _Place]] = {}
    covered: set[tuple[int, int]] = set()  # ranges of units within longer phrases
    for length, repeats in reversed(list(enumerate(_repeats(text, units), start=1))):
        for phrase, firsts in repeats.items():
            if len(firsts) != 2 or sentence_of[firsts[0]] == sentence_of[firsts[1]]:
                continue
            if not _is_name(phrase, length) or all((first, first + length) in covered for first in firsts):
                continue
            before, after = (
                _Place(sentence_of[first], units[first][0], units[first + length - 1][1]) for first in firsts
            )
            kept[phrase] = (before, after)
            for first in firsts:
                covered.update(
                    (begin, end)
                    for begin in range(first, first + length)
                    for end in range(begin + 1, first + length + 1)
                )
    return kept


def _repeats(text: str, units: list[tuple[int, int]]) -> Iterator[dict[str, list[int]]]:
    """For every length, from one unit on, the phrases that stand more than once and the units they begin with."""
    firsts = list(range(len(units)))
    for length in range(1, _LONGEST + 1):
        places: dict[str, list[int]] = defaultdict(list)
        for first in firsts:
            last = first + length - 1
            # What is repeated begins with what is repeated; nothing but a blank stands between two units.
            if last < len(units) and (length == 1 or text[units[last - 1][1] : units[last][0]] in ("", " ")):
                places[text[units[first][0] : units[last][1]]].append(first)
        repeats = {phrase: begins for phrase, begins in places.items() if len(begins) > 1}
        if not repeats:
            return
        yield repeats
        firsts = sorted(first for begins in repeats.values() for first in begins)


def _sentences(text: str, starts: list[int]) -> list[tuple[int, int]]:
    """For each of these places, in order, the span of its sentence."""
    spans = sentences(text)
    found, at = [], 0
    for start in starts:
        while spans[at][1] <= start:
            at += 1
        found.append(spans[at])
    return found


def _is_name(phrase: str, length: int) -> bool:
    """Whether a phrase may be an answer: two characters of Chinese, or a word of four letters or a number."""
    if count_han(phrase):
        return length >= 2 and phrase[0] not in _EDGES and phrase[-1] not in _EDGES
    return len(phrase) >= 4 or phrase.isdecimal()


def _cloze(text: str, hidden: _Place, asked: _Place, id: str) -> Passage:
    """The text without the sentence of the hidden place; the question is that sentence, or what stands around."""
    begin, end = hidden.sentence
    spare = max(0, _LONGEST_QUESTION - (hidden.end - hidden.start)) // 2
    left = text[max(begin, hidden.start - spare) : hidden.start]
    right = text[hidden.end : min(end, hidden.end + spare)].rstrip("。！？；.!?; ")
    what, mark = ("什么", "？") if count_han(text) else ("what", "?")
    question = f"{left}{what}{right}{mark}".strip()
    start = asked.start if asked.start < begin else asked.start - (end - begin)
    gold = GoldSpan(text[asked.start : asked.end], start)
    return Passage(text[:begin] + text[end:], (PassageQuestion(id, question, ((gold,),)),))


def read_verbalised(questions: Path, triples: Path, seed: int) -> Iterator[Passage]:
    """The questions of a file in NLPCC's layout on passages made of the facts of a knowledge base."""
    return verbalised(
        nlpcc_kbqa.read(questions), nlpcc_kb.read_triples(triples, on_bad=lambda _, __: None), seed
    )


def verbalised(questions: Iterable[KbqaQuestion], triples: Iterable[Triple], seed: int) -> Iterator[Passage]:
    """For each question that has a fact a passage that tells it, among others, in an order drawn by the seed."""
    facts = _Facts(triples)
    for question in questions:
        fact = question.fact
        if fact is not None and 0 < len(fact.object) <= _LONGEST_OBJECT and question.question:
            draw = random.Random(f"{seed} {question.id} {question.question}")
            text, start = _text(facts.groups(fact, draw), fact, draw)
            gold = GoldSpan(fact.object, start)
            yield Passage(text, (PassageQuestion(question.id, question.question, ((gold,),)),))


class _Facts:
    """The facts of a knowledge base, by what they are about and by their predicates."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._of_subject: dict[str, list[Triple]] = defaultdict(list)
        self._with_predicate: dict[str, list[str]] = defaultdict(list)
        for triple in triples:
            if 0 < len(triple.object) <= _LONGEST_OBJECT and triple.object != triple.subject:
                self._of_subject[triple.subject].append(triple)
                self._with_predicate[triple.predicate].append(triple.subject)

    def groups(self, fact: Triple, draw: random.Random) -> list[list[Triple]]:
        """The fact among others about the same thing, and before and behind them facts about things of its sort.

        Where little is known about a thing, it is told what is true of another of its sort: a passage in which the
        first object is the answer would teach nothing.
        """
        alike = [name for name in self._with_predicate[fact.predicate] if name != fact.subject]
        kin = draw.sample(alike, min(len(alike), _MOST_ALIKE))
        beside = [*self._of_subject[fact.subject]]
        draw.shuffle(beside)
        for name in kin:
            beside.extend(self._of_subject[name])
        said = {fact.predicate: fact}
        for triple in beside[:_MOST_BESIDE]:
            said.setdefault(triple.predicate, Triple(fact.subject, triple.predicate, triple.object))
        groups = [draw.sample(list(said.values()), len(said))]
        for name in kin:
            other = draw.sample(self._of_subject[name], min(len(self._of_subject[name]), draw.randint(1, 4)))
            groups.insert(draw.choice((0, len(groups))), other)
        return groups


def _text(groups: list[list[Triple]], fact: Triple, draw: random.Random) -> tuple[str, int]:
    """The groups in words, and where the fact's object begins."""
    text, start = "", 0
    for group in groups:
        for place, triple in enumerate(group):
            named = place == 0 or draw.random() < _NAMED_AGAIN
            before, after = draw.choice(_WITH_SUBJECT if named else _WITHOUT).split("{object}")
            name = _TOLD_APART.sub("", triple.subject) or triple.subject
            text += before.format(subject=name, predicate=triple.predicate)
            if triple is fact:
                start = len(text)
            text += triple.object + after.format(subject=name, predicate=triple.predicate)
    return text, start


def exchanged(passages: Iterable[Passage], seed: int) -> Iterator[Passage]:
    """The passages with unanswerable questions in place of their own; without those that none can be made for."""
    draw = random.Random(f"exchanged {seed}")
    names: deque[str] = deque(maxlen=_KEPT)
    for passage in passages:
        asked = [(question, _name(question.text, passage)) for question in passage.questions]
        made = [
            _with_another(question, name, other)
            for question, name in asked
            if name and (other := _another(name, passage.text, names, draw))
        ]
        names.extend(dict.fromkeys(name for _, name in asked if name))
        if made:
            yield msgspec.structs.replace(passage, questions=tuple(made))


def _name(question: str, passage: Passage) -> str:
    """The longest name of a question that its passage has, or that it is about; in Chinese else any matter of both."""
    found = [*_CAPITALS.findall(question), *_QUOTED.findall(question)]
    title = _TOLD_APART.sub("", passage.title.replace("_", " ")).rstrip()
    if len(title) > 1 and title in question:
        found.append(title)
    name = max((name for name in found if name in passage.text or name == title), key=len, default="")
    return name or _topic(question, passage.text)


def _topic(question: str, text: str) -> str:
    """The longest stretch of a Chinese question, without the characters that hold words together, that the text has."""
    stretches = (
        match[0][start:end]
        for match in _CONTENT.finditer(question)
        for start in range(len(match[0]) - 1)
        for end in range(start + 2, min(len(match[0]), start + _LONGEST_TOPIC) + 1)
    )
    return max((stretch for stretch in stretches if stretch in text), key=len, default="")


def _another(name: str, text: str, names: deque[str], draw: random.Random) -> str:
    """A name like this one that the text has no word of; empty where none was found."""
    folded = text.casefold()
    for other in draw.sample(names, min(_TRIED, len(names))):
        if _are_alike(name, other) and not any(part in folded for part in _parts(other)):
            return other
    return ""


def _are_alike(name: str, other: str) -> bool:
    if bool(count_han(name)) != bool(count_han(other)):
        return False
    sizes = (len(name), len(other)) if count_han(name) else (len(name.split()), len(other.split()))
    return abs(sizes[0] - sizes[1]) <= (_LONGER_BY if count_han(name) else 1)


def _parts(name: str) -> list[str]:
    """What of a name may not stand in a text, in lower case: each longer word of it, in Chinese all of it."""
    if count_han(name):
        return [name.casefold()]
    return [word for word in re.split(r"\W+", name.casefold()) if len(word) > 2] or [name.casefold()]


def _with_another(question: PassageQuestion, name: str, other: str) -> PassageQuestion:
    return PassageQuestion(f"{question.id} {other}", question.text.replace(name, other))
