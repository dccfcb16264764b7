"""Data sets as tokens: every passage and every question is tokenised once, for all phases of a run."""

from __future__ import annotations

import random
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from caveat.benchmarks.mrqa import format as mrqa
from caveat.benchmarks.mrqa import passages as mrqa_passages
from caveat.benchmarks.shared.passage import Passage, PassageQuestion, questions_of
from caveat.benchmarks.squad import format as squad
from caveat.core.files import PathLike
from caveat.models.windows import tokens_of
from caveat.training.kinds.reader.places import YES_NO, answer_places

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

__all__ = ["Corpus", "EncodedPassage", "EncodedQuestion", "encode", "encode_passages", "read_passages"]

Take = Literal["all", "answerable", "unanswerable"]
Places = tuple[tuple[int, int], ...]


class EncodedPassage(msgspec.Struct, frozen=True):
    """A passage's tokens and their offsets into its text."""

    ids: array[int]
    starts: array[int]
    ends: array[int]


class EncodedQuestion(msgspec.Struct, frozen=True):
    """A question's tokens, the number of its passage, and the token ranges where its answer stands.

    The annotated place comes first, then the others in the text's order; none means unanswerable.
    """

    passage: int
    ids: array[int]
    places: Places


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
) -> Corpus:
    """Passages and questions as tokens; at most `cap` of the usable questions, drawn by the seed.

    Answers of several spans, yes/no answers and answers that the passage does not have are left out.
    """
    left_out: Counter[str] = Counter()
    usable: list[tuple[Passage, PassageQuestion, Places]] = []
    for passage, question in questions_of(passages):
        if take != "all" and (take == "answerable") != question.answerable:
            continue
        places = answer_places(passage.text, question) if question.answerable else ()
        if question.answerable and (reason := _unusable(question, places)):
            left_out[reason] += 1
        else:
            usable.append((passage, question, places))
    if cap is not None and len(usable) > cap:
        left_out["over the cap"] = len(usable) - cap
        chosen = sorted(random.Random(f"cap {seed}").sample(range(len(usable)), cap))
        usable = [usable[index] for index in chosen]

    numbers: dict[int, int] = {}  # by identity: equal passages may stand in a file twice
    for passage, _, _ in usable:
        numbers.setdefault(id(passage), len(numbers))
    kept = list({id(passage): passage for passage, _, _ in usable}.values())
    encoded = encode_passages(tokenizer, [passage.text for passage in kept])
    questions = []
    texts = _encodings(tokenizer, [question.text for _, question, _ in usable])
    for (passage, _, places), encoding in zip(usable, texts, strict=True):
        tokens = encoded[numbers[id(passage)]]
        ranges = [tokens_of(tokens.starts, tokens.ends, start, end) for start, end in places]
        found = tuple(dict.fromkeys(place for place in ranges if place))
        if places and not found:  # all its characters are such as the tokenizer drops
            left_out["not in the passage"] += 1
            continue
        ids = array("i", encoding.ids[:max_question_tokens])
        questions.append(EncodedQuestion(numbers[id(passage)], ids, found))
    return Corpus(encoded, tuple(questions), dict(left_out))


def _unusable(question: PassageQuestion, places: Places) -> str | None:
    """Why an answerable question cannot be trained on, if so."""
    if any(len(answer) > 1 for answer in question.answers):
        return "several spans"
    if places:
        return None
    texts = Counter(answer[0].text.strip().lower() for answer in question.answers if answer)
    return "yes or no" if texts.most_common(1)[0][0] in YES_NO else "not in the passage"


def encode_passages(tokenizer: Tokenizer, texts: list[str]) -> tuple[EncodedPassage, ...]:
    """Texts as tokens with offsets, without special tokens."""
    return tuple(
        EncodedPassage(
            array("i", encoding.ids),
            array("i", [start for start, _ in encoding.offsets]),
            array("i", [end for _, end in encoding.offsets]),
        )
        for encoding in _encodings(tokenizer, texts)
    )


def _encodings(tokenizer: Tokenizer, texts: list[str]) -> Iterator[Encoding]:
    # In parts: an Encoding holds far more than what is kept of it.
    for begin in range(0, len(texts), 256):
        yield from tokenizer.encode_batch(texts[begin : begin + 256], add_special_tokens=False)
