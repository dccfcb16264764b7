"""The sets on biology: BioASQ and BioProcess."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

import msgspec

from caveat.benchmarks.mrqa.sources import Member, Record, members, natural_order, open_records
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion
from caveat.benchmarks.mrqa.sources.multiple_choice import unfit
from caveat.benchmarks.mrqa.sources.squad import squad_contexts
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json

# BioASQ: factoid questions of biomedical experts; each abstract linked to a question is a context.


class _Question(msgspec.Struct):
    id: str
    body: str
    type: str
    documents: list[str] = []
    # One list of synonyms for each entity; earlier years have a flat list or a single string.
    exact_answer: list[list[str] | str] | str | None = None


def read_bioasq(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
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


BIOASQ = MrqaSource(
    name="bioasq",
    dataset="BioASQ",
    reads="a BioASQ task B golden file",
    read=read_bioasq,
    documents="a JSON object from each abstract's address to its text",
)


# BioProcess (ProcessBank, Berant et al. 2014): paragraphs on biological processes, two options a question.
#
# Read from the folder or archive of XML files, one paragraph a file, from one such file, or from the conversion
# into SQuAD's layout.

REPEATED = "question repeated in a second copy of the file"


def read_bioprocess(
    path: PathLike, drops: Drops, documents: PathLike | None = None
) -> Iterator[SourceContext]:
    """The paragraphs and those of their questions that do not need the options."""
    seen: set[str] = set()
    found = False
    # In the order of names, so that the archive's `202` comes before `202~`, an editor's older copy of it.
    for member in sorted(members(path), key=lambda member: natural_order(member.name)):
        if member.data.lstrip().startswith(b"<"):
            found = True
            yield _context(member, seen, drops)
        elif member.data.lstrip().startswith(b"{"):
            found = True
            yield from squad_contexts(Record(member.data, member.path, 1), drops)
    if not found:
        raise InputError(
            "has no questions: expected XML files with <annotation>; the archives of structures have none",
            path=path,
        )


def _context(member: Member, seen: set[str], drops: Drops) -> SourceContext:
    try:
        root = ElementTree.fromstring(member.data)
    except ElementTree.ParseError as error:
        problem = str(error).partition(":")[0]
        raise InputError(f"broken XML: {problem}", path=member.path, line=error.position[0]) from None
    if root.tag != "annotation":
        raise InputError(f"the XML is of <{root.tag}>, expected <annotation>", path=member.path)
    questions = []
    for element in root.iter("question"):
        question, right = _question(element, member.path)
        if question.id in seen:
            drops.add(REPEATED, question.id)
            continue
        seen.add(question.id)
        if reason := unfit(question.text, right):
            drops.add(reason, question.id)
        else:
            questions.append(question)
    return SourceContext(_text(root, "text", member.path), tuple(questions), _text(root, "id", member.path))


def _question(element: ElementTree.Element, path: str) -> tuple[SourceQuestion, str]:
    question_id = _text(element, "qid", path)
    correct = _text(element, "correct", path, question_id)
    right = element.find(f"a{correct}")
    if right is None:
        raise InputError(
            f"the right option is {correct!r}, but there is no <a{correct}>", path=path, id=question_id
        )
    answer = " ".join((right.text or "").split())
    return SourceQuestion(question_id, _text(element, "q", path, question_id), (answer,)), answer


def _text(element: ElementTree.Element, tag: str, path: str, question_id: str | None = None) -> str:
    found = element.find(tag)
    if found is None or not (found.text or "").strip():
        raise InputError(f"<{element.tag}> has no <{tag}>", path=path, id=question_id)
    return " ".join((found.text or "").split())


BIOPROCESS = MrqaSource(
    name="bioprocess",
    dataset="BioProcess",
    reads="ProcessBank's question files (XML), as a folder, an archive or one file",
    read=read_bioprocess,
)
