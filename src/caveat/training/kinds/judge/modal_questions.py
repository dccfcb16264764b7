"""Questions of yes or no from Chinese rules themselves: who may, must, may not or need not do what.

Published Chinese inference is of captions and talk; rules say 可以, 应当, 不得, 无需, and say the same with 有权, 享受,
不予, 停止, 免征. A sentence with one of these words is its own answer: "捐赠人不得附加条件" says no to
"捐赠人可以附加条件吗？". So that the word decides and not the sentence, some sentences are read with the opposite word,
and each question is also put to the sentence of the same text that shares most with it, which leaves it open.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from caveat.core.json_files import read_json_lines

Kind = Literal["may", "must", "may not", "need not"]
Judged = tuple[str, str, Literal["entailed", "contradicted", "open"]]

# Some words say what is done as well: 免征 that one need not 缴纳.
_WORDS: dict[Kind, dict[str, str]] = {
    "may not": {
        **dict.fromkeys(("不得", "不可以", "不能", "禁止", "严禁", "无权", "不予", "停止", "不再"), ""),
        **dict.fromkeys(("不享受", "停止享受", "不再享受"), "享受"),
    },
    "need not": {
        **dict.fromkeys(("无需", "不需要", "可以不", "不必", "无须"), ""),
        **dict.fromkeys(("免征", "免缴", "免予缴纳"), "缴纳"),
        **dict.fromkeys(("免交", "免收"), "交"),
    },
    "must": dict.fromkeys(("应当", "必须", "需要"), ""),
    "may": {**dict.fromkeys(("可以", "有权", "准予"), ""), "享受": "享受"},
}
_KIND: dict[str, Kind] = {word: kind for kind, words in _WORDS.items() for word in words}
_VERB = {word: verb for words in _WORDS.values() for word, verb in words.items()}
_MODAL = re.compile("|".join(sorted(_KIND, key=len, reverse=True)))
# How the opposite is said before what is done.
_OPPOSITE: dict[Kind, tuple[Kind, tuple[str, ...]]] = {
    "may": ("may not", ("不得", "不能", "不再")),
    "may not": ("may", ("可以", "有权")),
    "must": ("need not", ("无需", "不必")),
    "need not": ("must", ("应当", "必须")),
}
# How what is allowed and what is demanded is asked for: before and behind what is done.
_ALLOWED = (
    ("可以", "吗？"),
    ("能", "吗？"),
    ("能不能", "？"),
    ("可不可以", "？"),
    ("是否可以", "？"),
    ("允许", "吗？"),
)
_DEMANDED = (
    ("需要", "吗？"),
    ("要", "吗？"),
    ("必须", "吗？"),
    ("应当", "吗？"),
    ("是否需要", "？"),
    ("一定要", "吗？"),
)
_SPARED = (("可以不", "吗？"), ("能不", "吗？"))
_FORBIDDEN = (("禁止", "吗？"), ("不可以", "吗？"))
# The numbers of articles and items, and notes in brackets.
_NUMBER = re.compile(
    r"^\s*(?:第[一二三四五六七八九十百千零\d]+[条款项]|[（(][一二三四五六七八九十\d]+[）)]|\d+[.、])[ \u3000]*"
)
_ITEM = re.compile(r"\s*(?:[（(][一二三四五六七八九十\d]+[）)]|\d+[.、])")
# What joins a clause to the one before it.
_JOINED = re.compile(r"^(?:并且|并|也|还|但是|但|且|同时|一般)")
# What is said beside the word, and what is ordered or denied with it.
_BESIDE = re.compile(r"(?:减征|减收|缓征|暂予|予以|依法|[、或者和])+$")
_ORDERED = re.compile(r"责令|不$|是否|作出|规定")
_BRACKETS = re.compile(r"[（(][^（）()]{0,30}[）)]")
# What refers to another place cannot be asked for by itself.
_REFERS = re.compile(
    r"前款|前条|前项|本条|上述|下列|本法|本条例|本办法|第[一二三四五六七八九十百\d]+[条款项]|[其该]"
)
# Who is told the rule asks in the first person, and of the other side by its everyday name.
_I = re.compile(
    r"^(?:职工|劳动者|公民|申请人|当事人|纳税人|个人|消费者|居民|学生|患者|承租人|失业人员|志愿者|捐赠人)"
)
_THEY = {"用人单位": "公司", "经营者": "商家", "学校": "学校", "医疗机构": "医院"}
_LINE, _SENTENCE = re.compile(r"[^\n]+"), re.compile(r"[^。；！？\n]+")
_LONGEST_TEXT = 260


class _Rule(NamedTuple):
    """A sentence, and what it says of whom: who, under which condition, the word, and what is done."""

    sentence: str
    line: str
    condition: str
    who: str
    word: str
    what: str


def modal_questions(path: Path, draw: random.Random, *, without: tuple[str, ...] = ()) -> Iterator[Judged]:
    """What is asked, the text and how it is judged, from a file of texts (`path`, `text`), one JSON object a line.

    Texts whose path has one of the words `without` are left out: those that a judge is measured on elsewhere.
    """
    for _, record in read_json_lines(path, dict[str, str]):
        if any(word in record["path"] for word in without):
            continue
        title = record["text"].partition("\n")[0].strip("# ")
        rules = list(_rules_of(record["text"]))
        for rule in rules:
            yield from _asked(rule, rules, title, draw)


def _rules_of(text: str) -> Iterator[_Rule]:
    introduction: _Rule | None = None
    for found in _LINE.finditer(text):
        line = _NUMBER.sub("", found.group()).strip()
        if introduction is not None and _ITEM.match(found.group()):
            item = line.rstrip("；;。")
            sentence = f"{introduction.sentence} {item}"
            yield introduction._replace(sentence=sentence, line=sentence, condition=item)
            continue
        rules = list(_rules(line))
        listing = line.endswith(("：", ":")) and "除外" not in line
        introduction = rules[-1] if rules and listing else None
        yield from rules


def _rules(line: str) -> Iterator[_Rule]:
    if line.startswith("#"):
        return
    for found in _SENTENCE.finditer(line):
        sentence = found.group().strip()
        clauses = _BRACKETS.sub("", sentence).split("，")
        condition = ""
        for at, clause in enumerate(clauses):
            words = list(_MODAL.finditer(clause))
            if clause.endswith("的"):
                condition = clause
            if len(words) != 1:
                continue
            who, what = _JOINED.sub("", clause[: words[0].start()]), clause[words[0].end() :].rstrip("：:")
            who = _BESIDE.sub("", who)
            before = clauses[at - 1] if at else ""
            if not who and before and not before.endswith("的") and not _MODAL.search(before):
                who = before
            if (
                not 2 <= len(what) <= 30
                or len(who) > 24
                or _REFERS.search(who + what)
                or _ORDERED.search(who)
            ):
                continue
            word = words[0].group()
            yield _Rule(sentence, line.strip(), condition, who, word, _VERB[word] + what)


def _asked(rule: _Rule, rules: list[_Rule], title: str, draw: random.Random) -> Iterator[Judged]:
    kind = _KIND[rule.word]
    sentence = rule.sentence
    if draw.random() < 0.4:
        kind, ways = _OPPOSITE[kind]
        sentence = sentence.replace(rule.word, draw.choice(ways) + _VERB[rule.word], 1)
    question, yes = _question(kind, _who(rule, draw), rule.what, draw)
    # Of an introduction alone nobody asks without its item.
    if rule.condition and not _REFERS.search(rule.condition) and (draw.random() < 0.4 or "下列" in rule.line):
        question = f"{rule.condition}，{question}"
    whole = rule.line.replace(rule.sentence, sentence, 1)
    text = whole if len(whole) <= _LONGEST_TEXT and draw.random() < 0.5 else sentence
    if draw.random() < 0.3:
        text = f"{title} {text}"
    yield question, text, "entailed" if yes else "contradicted"
    if draw.random() < 0.5:
        done = rule.what.removeprefix(_VERB[rule.word])
        others = [other.sentence for other in draw.choices(rules, k=24) if done not in other.line]
        pairs = {question[at : at + 2] for at in range(len(question) - 1)}
        if others:
            yield question, max(others, key=lambda text: sum(pair in text for pair in pairs)), "open"


def _who(rule: _Rule, draw: random.Random) -> str:
    if draw.random() < 0.6:
        return rule.who
    for word, everyday in _THEY.items():
        if rule.who.startswith(word):
            return everyday + rule.who.removeprefix(word)
    return _I.sub("我", rule.who)


def _question(kind: Kind, who: str, what: str, draw: random.Random) -> tuple[str, bool]:
    """A question that the kind of rule answers, and whether with yes."""
    allowed, demanded, spared, forbidden = (
        draw.choice(ways) for ways in (_ALLOWED, _DEMANDED, _SPARED, _FORBIDDEN)
    )
    ways = {
        "may": ((allowed, True), (allowed, True), (forbidden, False)),
        "may not": ((allowed, False), (allowed, False), (forbidden, True)),
        "must": ((demanded, True), (demanded, True), (allowed, True), (spared, False)),
        "need not": ((demanded, False), (demanded, False), (spared, True)),
    }
    (before, behind), yes = draw.choice(ways[kind])
    return f"{who}{before}{what}{behind}", yes
