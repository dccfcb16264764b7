"""The real files in their native formats: each question is kept or dropped, and what is kept is found."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.format import MrqaContext
from caveat.benchmarks.mrqa.sources.build import source
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError

pytestmark = pytest.mark.shared

ConvertReal = Callable[..., tuple[list[MrqaContext], Drops]]


def kept(contexts: list[MrqaContext]) -> int:
    qids = [question.qid for context in contexts for question in context.questions]
    assert len(qids) == len(set(qids))
    return len(qids)


def content(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()


def squad_questions(path: Path) -> int:
    data = json.loads(content(path))["data"]
    return sum(len(paragraph["qas"]) for article in data for paragraph in article["paragraphs"])


@pytest.fixture
def native(shared: Path) -> Path:
    return shared / "data" / "native"


def test_race(native: Path, convert_real: ConvertReal) -> None:
    path = native / "race" / "race_dev_high.jsonl.gz"
    contexts, drops = convert_real(source("race"), path)
    lines = content(path).splitlines()
    assert kept(contexts) + drops.counts.total() == sum(len(json.loads(line)["questions"]) for line in lines)
    assert 50 < kept(contexts) < 200
    assert drops.counts["middle-school passage"] == 0


@pytest.mark.parametrize("level", ["all", "high", "middle"])
def test_race_folder(native: Path, convert_real: ConvertReal, level: str) -> None:
    folder = native / "samples" / "hf_dummy" / f"race__{level}__0.1.0" / "dummy_data" / "RACE"
    passages = {path: json.loads(path.read_text()) for path in folder.rglob("*.txt")}
    contexts, drops = convert_real(source("race"), folder)
    assert kept(contexts) + drops.counts.total() == sum(len(p["questions"]) for p in passages.values())
    middle = sum(len(p["questions"]) for path, p in passages.items() if path.parent.name == "middle")
    assert drops.counts["middle-school passage"] == middle


@pytest.mark.parametrize("name", ["race", "relation_extraction"])
def test_squad_layout_subsets(native: Path, convert_real: ConvertReal, name: str) -> None:
    path = native / "robustqa" / f"oodomain_train_{name}.json.gz"
    contexts, drops = convert_real(source(name.replace("_", "")), path)
    assert kept(contexts) + drops.counts.total() == squad_questions(path)
    # The shared task found every answer of these in its own copy of the text.
    assert drops.counts.total() <= 1


def test_relationextraction_folder(native: Path, convert_real: ConvertReal) -> None:
    folder = native / "samples" / "hf_dummy" / "qa_zre__0.1.0" / "dummy_data" / "relation_splits"
    contexts, drops = convert_real(source("relationextraction"), folder)
    assert kept(contexts) + drops.counts.total() == 30 * 3
    assert drops.counts["negative example"] == 30 * 2


@pytest.mark.parametrize("name", ["qa", "bioprocess-bank-questions.tar.gz"])
def test_bioprocess(native: Path, convert_real: ConvertReal, name: str) -> None:
    contexts, drops = convert_real(source("bioprocess"), native / "processbank" / name)
    files = [path.read_text() for path in (native / "processbank" / "qa").iterdir()]
    assert kept(contexts) + drops.counts.total() == sum(text.count("<qid>") for text in files) == 590
    assert 200 < kept(contexts) < 240


def test_bioprocess_structures_have_no_questions(native: Path) -> None:
    path = native / "processbank" / "bioprocess-bank-structures-test.tar.gz"
    with pytest.raises(InputError, match="has no questions"):
        list(source("bioprocess").read(path, Drops(), None))


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_mctest(native: Path, convert_real: ConvertReal, split: str) -> None:
    path = native / "mctest" / "MCTest" / f"mc160.{split}.tsv.gz"
    contexts, drops = convert_real(source("mctest"), path)
    questions = 4 * len(content(path).splitlines())
    assert kept(contexts) + drops.counts.total() == questions
    assert questions / 3 < kept(contexts) < questions * 2 / 3


def test_qamr(native: Path, convert_real: ConvertReal) -> None:
    path = native / "qamr" / "data" / "filtered" / "dev.tsv.gz"
    sentences = native / "qamr" / "data" / "wiki-sentences.tsv.gz"
    contexts, drops = convert_real(source("qamr"), path, sentences)
    assert kept(contexts) + drops.counts.total() == 18_908
    # All of the filtered set is valid and every answer is made of the sentence's own tokens.
    assert not drops.counts


def test_complexwebquestions(native: Path, convert_real: ConvertReal, tmp_path: Path) -> None:
    path = native / "cwq" / "cwq_test_without_snippets.json.gz"
    questions: list[dict[str, Any]] = json.loads(content(path))
    # There are no real snippets here; these say the answer.
    snippets = [
        {"question_ID": q["ID"], "web_snippets": [{"title": "Found", "snippet": f"It is {q['answer']} ."}]}
        for q in questions[:1000]
    ]
    documents = tmp_path / "web_snippets.json"
    documents.write_text(json.dumps(snippets))
    contexts, drops = convert_real(source("complexwebquestions"), path, documents)
    assert kept(contexts) + drops.counts.total() == len(questions) == 3_531
    kinds = [q["compositionality_type"] for q in questions]
    assert drops.counts["comparative question"] == kinds.count("comparative")
    assert drops.counts["superlative question"] == kinds.count("superlative")
    assert kept(contexts) + drops.counts["no web snippets"] == 3_531 - 213 - 197


@pytest.fixture
def collection(shared: Path, tmp_path: Path) -> Path:
    """Passages to search: the paragraphs of SQuAD's development set."""
    articles = json.loads(content(shared / "data" / "squad" / "dev-v2.0.json.gz"))["data"]
    path = tmp_path / "passages.jsonl"
    texts = [paragraph["context"] for article in articles for paragraph in article["paragraphs"]]
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


@pytest.mark.parametrize("name", ["curated-test.tsv.gz", "irc/irc-curated.tsv"])
def test_trec(native: Path, convert_real: ConvertReal, collection: Path, name: str) -> None:
    path = native / "trec" / name
    contexts, drops = convert_real(source("trec"), path, collection)
    rows = [line.split("\t") for line in content(path).splitlines()]
    assert kept(contexts) + drops.counts.total() == len(rows)
    assert kept(contexts) > 10
    patterns = {id: pattern.strip() for id, _, _, pattern in rows}
    for context in contexts:
        for question in context.questions:
            for answer in question.answers:
                assert re.fullmatch(patterns[question.extra["id"]], answer, re.IGNORECASE)


def test_trec_with_a_broken_pattern(native: Path, collection: Path) -> None:
    path = native / "trec" / "trec" / "trecnew-curated.tsv.gz"
    drops = Drops()
    list(source("trec").read(path, drops, collection))
    assert drops.examples["the answer pattern is not a regular expression"] == ["1981"]
