"""BioASQ: factoid questions of biomedical experts; each abstract linked to a question is a context."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from caveat.benchmarks.formats import Drops
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion
from caveat.benchmarks.mrqa.sources.records import open_records
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json

__all__ = ["SOURCE", "read"]


class _Question(msgspec.Struct):
    id: str
    body: str
    type: str
    documents: list[str] = []
    # One list of synonyms for each entity; earlier years have a flat list or a single string.
    exact_answer: list[list[str] | str] | str | None = None


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """A context for each pair of a factoid question and an abstract; the pair's id has both."""
    fields, records = open_records(path)
    if "questions" not in fields:
        raise InputError("expected BioASQ's layout, an object with `questions`", path=path)
    if documents is None:
        raise InputError(
            "BioASQ's questions only name their abstracts: give the file with their texts with --documents",
            path=path,
        )
    abstracts = read_json(documents, dict[str, str])
    linked = found = 0
    for record in records:
        for item in record.items("questions"):
            question = item.to(_Question)
            answers = _synonyms(question)
            if question.type != "factoid":
                drops.add("not a factoid question", question.id)
            elif not answers:
                drops.add("no exact answer", question.id)
            elif not question.documents:
                drops.add("no linked abstract", question.id)
            else:
                for url in dict.fromkeys(question.documents):
                    linked += 1
                    pair = f"{question.id}#{url.rstrip('/').rpartition('/')[2]}"
                    if url in abstracts:
                        found += 1
                        asked = SourceQuestion(pair, question.body, answers)
                        yield SourceContext(abstracts[url], (asked,), pair)
                    else:
                        drops.add("abstract not among the documents", pair)
    if linked and not found:
        raise InputError(f"has none of the {linked} abstracts that {path} links to", path=documents)


def _synonyms(question: _Question) -> tuple[str, ...]:
    given = question.exact_answer or []
    entities = [given] if isinstance(given, str) else given
    synonyms = (text for entity in entities for text in ([entity] if isinstance(entity, str) else entity))
    return tuple(dict.fromkeys(text.strip() for text in synonyms if text.strip()))


SOURCE = MrqaSource(
    name="bioasq",
    dataset="BioASQ",
    reads="a BioASQ task B golden file",
    read=read,
    documents="a JSON object from each abstract's address to its text",
)
