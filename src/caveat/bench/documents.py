"""Long documents out of a data file's passages: neighbours put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from caveat.benchmarks.shared.passage import Passage

__all__ = ["documents_of"]


def documents_of(passages: Iterable[Passage], count: int) -> Iterator[tuple[str, Passage]]:
    """Each passage, in order, after the document that it is a part of: `count` neighbours, blank lines between.

    Neighbours are passages of one article or, where no article has more than one, of the whole file. The last
    document goes back far enough to have as many as the others; an article with fewer is one document.
    """
    articles = [list(members) for _, members in groupby(passages, key=lambda passage: passage.article)]
    if all(len(article) == 1 for article in articles):
        articles = [[passage for article in articles for passage in article]]
    for article in articles:
        for at in range(0, len(article), count):
            first = max(0, min(at, len(article) - count))
            text = "\n\n".join(passage.text for passage in article[first : first + count])
            for passage in article[at : at + count]:
                yield text, passage
