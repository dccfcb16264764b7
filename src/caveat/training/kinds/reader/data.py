"""Passages with questions, as a reader learns from them: where the gold answer stands, and the tokens of it all.

Offsets are checked, repaired by finding the text, or found; every passage and question is tokenised once for all
phases of a run.
"""

from __future__ import annotations

import random
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from caveat.benchmarks.mrqa import conversion as mrqa_passages
from caveat.benchmarks.mrqa import format as mrqa
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.benchmarks.squad import format as squad
from caveat.core.files import PathLike
from caveat.language.simplify import Simplified, simplify
from caveat.models.windows import tokens_of

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

__all__ = [
    "YES_NO",
    "Corpus",
    "EncodedPassage",
    "EncodedQuestion",
    "answer_places",
    "as_parts",
    "encode",
    "encode_passages",
    "occurrences",
    "read_passages",
    "simplified",
    "span_place",
]

YES_NO = frozenset({"yes", "no"})

# Passages that are tokenised together: an Encoding holds far more than what is kept of it.
_TOGETHER = 256

Take = Literal["all", "answerable", "unanswerable"]
Places = tuple[tuple[int, int], ...]


def answer_places(text: str, question: PassageQuestion) -> tuple[tuple[int, int], ...]:
    """Every place of the answer: the annotated one first, where it is right, then the others in the text's order.

    Of several annotators' answers the most frequent counts, the first among equals. "Yes" and "no" are
    judgements, whatever the text has, unless they were annotated at a place.
    """
    spans = [answer[0] for answer in question.answers if len(answer) == 1 and answer[0].text.strip()]
    for wanted, _ in Counter(span.text.strip() for span in spans).most_common():
        annotated = [
            place for span in spans if span.text.strip() == wanted and (place := _annotated(text, span))
        ]
        if wanted.lower() in YES_NO and not annotated:
            return ()
        if found := occurrences(text, wanted):
            return tuple(dict.fromkeys([*annotated[:1], *found]))
    return ()


def span_place(text: str, span: GoldSpan) -> tuple[int, int] | None:
    """The place of one span: where it was annotated or, where that is wrong, the nearest; without any, the first."""
    if place := _annotated(text, span):
        return place
    wanted = span.text.strip()
    found = occurrences(text, wanted) if wanted else []
    return min(found, key=lambda place: abs(place[0] - (span.start or 0)), default=None)


def _annotated(text: str, span: GoldSpan) -> tuple[int, int] | None:
    if span.start is None or span.start < 0:
        return None
    wanted = span.text.strip()
    start = span.start + span.text.index(wanted)
    return (start, start + len(wanted)) if text.startswith(wanted, start) else None


def occurrences(text: str, wanted: str) -> list[tuple[int, int]]:
    """Every place of a string; those inside a longer word or number only where there are no others."""
    found = [(match.start(), match.start() + len(wanted)) for match in re.finditer(re.escape(wanted), text)]
    whole = [
        place for place in found if not _inside_word(text, place[0]) and not _inside_word(text, place[1])
    ]
    return whole or found


def _inside_word(text: str, at: int) -> bool:
    """Whether a position has a letter or digit on both sides, in a script that writes words apart."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return before.isascii() and after.isascii() and before.isalnum() and after.isalnum()


def simplified(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Passages in Simplified script; an answer keeps its offset where the conversion keeps offsets."""
    for passage in passages:
        text = simplify(passage.text)
        questions = tuple(
            msgspec.structs.replace(
                question,
                text=simplify(question.text).text,
                answers=tuple(
                    tuple(_simplified_span(span, passage.text, text) for span in answer)
                    for answer in question.answers
                ),
            )
            for question in passage.questions
        )
        yield msgspec.structs.replace(passage, text=text.text, questions=questions)


def _simplified_span(span: GoldSpan, original: str, text: Simplified) -> GoldSpan:
    if text.anchors is None and span.start is not None and original[span.start : span.end] == span.text:
        # A slice, not the converted answer: OpenCC reads phrases, so context may decide.
        return GoldSpan(text.text[span.start : span.end], span.start, span.extra)
    return GoldSpan(simplify(span.text).text, None, span.extra)


def as_parts(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Passages of a data set that lists the spans of one answer as if they were alternatives (Quoref)."""
    for passage in passages:
        questions = tuple(
            msgspec.structs.replace(
                question, answers=(tuple(span for answer in question.answers for span in answer),)
            )
            if len(question.answers) > 1
            else question
            for question in passage.questions
        )
        yield msgspec.structs.replace(passage, questions=questions)


class EncodedPassage(msgspec.Struct, frozen=True):
    """A passage's tokens and their offsets into its text, which is kept only where somebody reads it again."""

    ids: array[int]
    starts: array[int]
    ends: array[int]
    text: str = ""


class EncodedQuestion(msgspec.Struct, frozen=True):
    """A question's tokens, the number of its passage, and the token ranges where its answer stands.

    The annotated place comes first, then the others in the text's order; none means unanswerable.
    """

    passage: int
    ids: array[int]
    places: Places
    text: str = ""


class Corpus(msgspec.Struct, frozen=True):
    """A tokenised data set; `left_out` counts, by reason, the questions that a reader cannot be trained on."""

    passages: tuple[EncodedPassage, ...]
    questions: tuple[EncodedQuestion, ...]
    left_out: dict[str, int]


def read_passages(path: PathLike, format: Literal["squad", "mrqa"] | None = None) -> Iterator[Passage]:
    """The passages of a file in SQuAD's layout or MRQA's, by the name's ending where it is not said."""
    if format is None:
        format = "mrqa" if ".jsonl" in Path(path).suffixes else "squad"
    return mrqa_passages.to_passages(mrqa.read(path)) if format == "mrqa" else squad.read_passages(path)


def encode(
    passages: Iterable[Passage],
    tokenizer: Tokenizer,
    *,
    take: Take = "all",
    cap: int | None = None,
    seed: int = 1,
    max_question_tokens: int = 64,
    with_texts: bool = False,
) -> Corpus:
    """Passages and questions as tokens; at most `cap` of the usable questions, drawn by the seed.

    Passages are read as a stream: of what was read, only the tokens are held.

    With their texts, where these are asked for: for readers with another tokenizer.

    Answers of several spans, yes/no answers and answers that the passage does not have are left out.
    """
    left_out: Counter[str] = Counter()
    kept: list[EncodedPassage] = []
    questions: list[
        EncodedQuestion | None
    ] = []  # None: all characters of its answer are dropped by the tokenizer
    coming = _usable(passages, take, left_out)
    while part := list(islice(coming, _TOGETHER)):
        encoded = encode_passages(tokenizer, [passage.text for passage, _ in part], with_texts=with_texts)
        texts = _encodings(tokenizer, [question.text for _, asked in part for question, _ in asked])
        for tokens, (_, asked) in zip(encoded, part, strict=True):
            for question, places in asked:
                ids = array("i", next(texts).ids[:max_question_tokens])
                found = _token_ranges(tokens, places)
                text = question.text if with_texts else ""
                lost = bool(places and not found)
                questions.append(None if lost else EncodedQuestion(len(kept), ids, found, text))
            kept.append(tokens)
    if cap is not None and len(questions) > cap:
        left_out["over the cap"] = len(questions) - cap
        chosen = sorted(random.Random(f"cap {seed}").sample(range(len(questions)), cap))
        questions = [questions[index] for index in chosen]
    if dropped := questions.count(None):
        left_out["not in the passage"] += dropped
    return _without_unasked(kept, [question for question in questions if question], dict(left_out))


def _usable(
    passages: Iterable[Passage], take: Take, left_out: Counter[str]
) -> Iterator[tuple[Passage, list[tuple[PassageQuestion, Places]]]]:
    """Passages with those of their questions that can be trained on; what is left out is counted by reason."""
    for passage in passages:
        asked = []
        for question in passage.questions:
            if take != "all" and (take == "answerable") != question.answerable:
                continue
            places = answer_places(passage.text, question) if question.answerable else ()
            if question.answerable and (reason := _unusable(question, places)):
                left_out[reason] += 1
            else:
                asked.append((question, places))
        if asked:
            yield passage, asked


def _token_ranges(tokens: EncodedPassage, places: Places) -> Places:
    """The token ranges of character ranges, without those that have no token."""
    ranges = (tokens_of(tokens.starts, tokens.ends, start, end) for start, end in places)
    return tuple(dict.fromkeys(place for place in ranges if place))


def _without_unasked(
    passages: Sequence[EncodedPassage], questions: Sequence[EncodedQuestion], left_out: dict[str, int]
) -> Corpus:
    """The corpus with only the passages that a question is asked on, which are numbered anew."""
    numbers: dict[int, int] = {}
    renumbered = tuple(
        msgspec.structs.replace(question, passage=numbers.setdefault(question.passage, len(numbers)))
        for question in questions
    )
    return Corpus(tuple(passages[number] for number in numbers), renumbered, left_out)


def _unusable(question: PassageQuestion, places: Places) -> str | None:
    """Why an answerable question cannot be trained on, if so."""
    if any(len(answer) > 1 for answer in question.answers):
        return "several spans"
    if places:
        return None
    texts = Counter(answer[0].text.strip().lower() for answer in question.answers if answer)
    return "yes or no" if texts.most_common(1)[0][0] in YES_NO else "not in the passage"


def encode_passages(
    tokenizer: Tokenizer, texts: list[str], *, with_texts: bool = False
) -> tuple[EncodedPassage, ...]:
    """Texts as tokens with offsets, without special tokens."""
    return tuple(
        EncodedPassage(
            array("i", encoding.ids),
            array("i", [start for start, _ in encoding.offsets]),
            array("i", [end for _, end in encoding.offsets]),
            text if with_texts else "",
        )
        for text, encoding in zip(texts, _encodings(tokenizer, texts), strict=True)
    )


def _encodings(tokenizer: Tokenizer, texts: list[str]) -> Iterator[Encoding]:
    for begin in range(0, len(texts), _TOGETHER):
        yield from tokenizer.encode_batch(texts[begin : begin + _TOGETHER], add_special_tokens=False)
