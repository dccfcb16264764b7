"""Questions asked of a text that does not answer them: of another passage of the same file, the most alike.

A benchmark whose questions all have answers says nothing about when to be silent. A user's texts do not answer most
questions, and the hard ones are those about the same things.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from tokenizers import Tokenizer

from caveat.benchmarks.shared.passage import Passage, gold_texts, questions_of
from caveat.models.reader import ReadRequest

__all__ = ["elsewhere"]


def elsewhere(passages: Sequence[Passage], tokenizer: Tokenizer, count: int) -> Iterator[ReadRequest]:
    """About `count` of the questions, spread over the file, each with the passage that shares most with it.

    A token counts by its rarity among the passages; a passage that has a gold answer's text anywhere is no
    candidate. A question that every passage answers is left out.
    """
    texts = list(dict.fromkeys(passage.text for passage in passages))
    folded = [text.casefold() for text in texts]
    holding: defaultdict[int, list[int]] = defaultdict(list)
    for number, encoding in enumerate(tokenizer.encode_batch(texts, add_special_tokens=False)):
        for token in set(encoding.ids):
            holding[token].append(number)
    asked = [question for _, question in questions_of(passages) if question.answerable]
    for question in asked[:: max(1, len(asked) // count)]:
        golds = [gold.casefold() for gold in gold_texts(question) if gold]
        alike = np.zeros(len(texts))
        for token in set(tokenizer.encode(question.text, add_special_tokens=False).ids):
            if token in holding:
                alike[holding[token]] += np.log(len(texts) / len(holding[token]))
        for number in np.argsort(-alike, kind="stable").tolist():
            if not any(gold in folded[number] for gold in golds):
                yield ReadRequest(question.text, texts[number])
                break
