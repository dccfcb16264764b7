"""NewsQA: questions on CNN stories; only answers that the annotators agree on.

Read from the combined JSON, the combined CSV (which has the annotators' ranges in place of the consensus), or
the tokenised CSV of the published splits. Questions have no ids of their own: theirs is the story's id and
their number within the story.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, groupby

import msgspec

from caveat.benchmarks.mrqa.sources import Record, multiqa, records_in
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines
from caveat.core.json_files import decode


class _Choice(msgspec.Struct):
    s: int = -1
    e: int = -1
    no_answer: bool = msgspec.field(name="noAnswer", default=False)
    bad_question: bool = msgspec.field(name="badQuestion", default=False)


class _Question(msgspec.Struct):
    q: str
    consensus: _Choice = msgspec.field(default_factory=_Choice)


class _Story(msgspec.Struct):
    story_id: str = msgspec.field(name="storyId")
    text: str
    questions: list[_Question]


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """The stories with the questions whose answer is agreed on."""
    lines = read_lines(path)
    first = next((line for line in lines if line[1].strip()), None)
    if first is None:
        raise InputError("the file is empty, expected JSON or CSV", path=path)
    everything = chain([first], lines)
    if first[1].lstrip()[:1] not in ("{", "["):
        yield from read_csv(everything, path, drops)
        return
    fields, records = records_in(everything, path)
    if multiqa.is_multiqa(fields):
        yield from multiqa.contexts(records, "NewsQA", drops, multiqa.plain)
    else:
        yield from _stories(records, fields, path, drops)


def _stories(
    records: Iterable[Record], fields: frozenset[str], path: PathLike, drops: Drops
) -> Iterator[SourceContext]:
    if "data" not in fields:
        raise InputError("expected NewsQA's combined JSON, an object with `data`", path=path)
    for record in records:
        for item in record.items("data"):
            story = item.to(_Story)
            yield SourceContext(story.text, tuple(_questions(story, path, drops)), story.story_id)


def _questions(story: _Story, path: PathLike, drops: Drops) -> Iterator[SourceQuestion]:
    for number, question in enumerate(story.questions):
        qid = f"{story.story_id}_{number}"
        choice = question.consensus
        if choice.bad_question:
            drops.add("bad question", qid)
        elif choice.no_answer or choice.s == choice.e == -1:
            drops.add("answer absent or disputed", qid)
        elif not 0 <= choice.s < choice.e or not (answer := story.text[choice.s : choice.e].strip()):
            raise InputError(f"the answer {choice.s}:{choice.e} is not within the story", path=path, id=qid)
        else:
            yield SourceQuestion(qid, question.q.strip(), (answer,))


NEWSQA = MrqaSource(
    name="newsqa",
    dataset="NewsQA",
    reads="NewsQA's combined JSON or CSV, or a tokenised split CSV",
    read=read,
)


_RANGES = re.compile(r"\d+:\d+(?:,\d+:\d+)*")
_TOKENISED = ("story_id", "story_text", "question", "answer_token_ranges")
_COMBINED = ("story_id", "story_text", "question", "answer_char_ranges")
# The Penn Treebank's escapes, one for each token.
_UNESCAPED = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"',
}  # fmt: skip

Row = dict[str, str]


def read_csv(lines: Iterable[tuple[int, str]], path: PathLike, drops: Drops) -> Iterator[SourceContext]:
    """The stories, made of neighbouring rows, with the questions whose answer is agreed on."""
    rows = _rows(lines, path)
    asked: Counter[str] = Counter()
    for (story, text), group in groupby(rows, key=lambda row: (row[1]["story_id"], row[1]["story_text"])):
        questions = []
        for line, row in group:
            qid = f"{story}_{asked[story]}"
            asked[story] += 1
            tokenised = "answer_token_ranges" in row
            try:
                question = _tokenised(row, qid) if tokenised else _combined(row, qid, drops)
            except InputError as error:
                raise InputError(error.problem, path=path, line=line, id=qid) from None
            if question is not None:
                questions.append(question)
        yield SourceContext(_unescape(text) if tokenised else text, tuple(questions), story)


def _rows(lines: Iterable[tuple[int, str]], path: PathLike) -> Iterator[tuple[int, Row]]:
    reader = csv.reader(f"{line}\n" for _, line in lines)
    header: list[str] | None = None
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(f"broken CSV: {error}", path=path, line=line) from None
        if not cells:
            continue
        if header is None:
            header = _checked(cells, path)
        elif len(cells) != len(header):
            raise InputError(f"expected {len(header)} cells, found {len(cells)}", path=path, line=line)
        else:
            yield line, dict(zip(header, cells, strict=True))


def _checked(header: list[str], path: PathLike) -> list[str]:
    wanted = _TOKENISED if "answer_token_ranges" in header else _COMBINED
    if missing := [name for name in wanted if name not in header]:
        raise InputError(
            f"has no column {' or '.join(missing)}: expected NewsQA's combined or tokenised CSV",
            path=path,
        )
    return header


def _tokenised(row: Row, qid: str) -> SourceQuestion:
    tokens = row["story_text"].split(" ")
    answers = []
    for start, end in _ranges(row["answer_token_ranges"]):
        if not start < end <= len(tokens):
            raise InputError(f"the answer {start}:{end} is not within the story's {len(tokens)} tokens")
        answers.append(_unescape(" ".join(tokens[start:end])))
    return SourceQuestion(qid, _unescape(row["question"]).strip(), tuple(answers))


def _combined(row: Row, qid: str, drops: Drops) -> SourceQuestion | None:
    choice = _consensus(row)
    if choice is None:
        bad = _share(row, "is_question_bad")
        mostly_bad = bad > 0 and bad >= _share(row, "is_answer_absent")
        drops.add("bad question" if mostly_bad else "answer absent or disputed", qid)
        return None
    answers = []
    for start, end in _ranges(choice):
        answer = row["story_text"][start:end].strip()
        if not answer:
            raise InputError(f"the answer {start}:{end} is not within the story")
        answers.append(answer)
    return SourceQuestion(qid, row["question"].strip(), tuple(answers))


def _consensus(row: Row) -> str | None:
    """The ranges that won the validation, else those that two annotators chose; the JSON's `consensus`."""
    votes: Counter[str] = Counter()
    if row.get("validated_answers", "").strip():
        votes.update(decode(row["validated_answers"], dict[str, int], path=""))
    else:
        votes.update(choice.strip() for choice in row["answer_char_ranges"].split("|"))
    (best, count), (_, second) = [*votes.most_common(2), ("", 0), ("", 0)][:2]
    return best if count >= 2 and count > second and _RANGES.fullmatch(best) else None


def _ranges(text: str) -> list[tuple[int, int]]:
    if not _RANGES.fullmatch(text.strip()):
        raise InputError(f"expected ranges such as 12:14 or 12:14,20:21, found {text!r}")
    pairs = (pair.split(":") for pair in text.strip().split(","))
    return [(int(start), int(end)) for start, end in pairs]


def _share(row: Row, column: str) -> float:
    try:
        return float(row.get(column) or 0)
    except ValueError:
        raise InputError(f"expected a number in {column}, found {row[column]!r}") from None


def _unescape(text: str) -> str:
    return " ".join(_UNESCAPED.get(token, token) for token in text.split(" "))
