"""From one kind of records to another, where the second can hold what the first says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from caveat.benchmarks.cmqa.format import CmqaSample
from caveat.benchmarks.nlpcc.ranked.dbqa_format import DbqaPair
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.language.sentences import sentences

__all__ = ["cmqa_to_passages", "passages_to_dbqa"]


def cmqa_to_passages(samples: Iterable[CmqaSample]) -> Iterator[Passage]:
    """CMQA samples as passages, one answer of several spans: the fine ones, or the coarse ones where there are none.

    Conditions and relations have no place in a passage; they stay with the question as `conditions`.
    """
    for number, sample in enumerate(samples):
        answers = sorted(sample.fine or sample.coarse, key=lambda span: (span.start, span.end))
        question = PassageQuestion(
            f"{number}",
            sample.question.strip(),
            (tuple(GoldSpan(span.text, span.start) for span in answers),) if answers else (),
            {"is_impossible": not answers, "conditions": [span.text for span in sample.condition]},
        )
        yield Passage(sample.context, (question,), id=f"{number}", article=number)


def passages_to_dbqa(passages: Iterable[Passage]) -> Iterator[DbqaPair]:
    """Each question with each sentence of its passage; right is a sentence that an answer begins in.

    Where the data has no offset, a sentence that holds the answer's text is right.
    """
    for passage in passages:
        spans = [
            (start, end, " ".join(passage.text[start:end].split())) for start, end in sentences(passage.text)
        ]
        for question in passage.questions:
            golds = [span for answer in question.answers for span in answer if span.text]
            for start, end, text in spans:
                right = any(
                    start <= gold.start < end
                    if _is_exact(passage, gold) and gold.start is not None
                    else gold.text in text
                    for gold in golds
                )
                yield DbqaPair(" ".join(question.text.split()), text, right)


def _is_exact(passage: Passage, gold: GoldSpan) -> bool:
    return gold.start is not None and passage.text[gold.start : gold.end] == gold.text
