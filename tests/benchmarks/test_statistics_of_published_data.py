"""The published counts come out of the real files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from caveat.benchmarks.cmqa import task as cmqa
from caveat.benchmarks.cmrc2018 import format as cmrc
from caveat.benchmarks.conditionalqa import task as conditionalqa
from caveat.benchmarks.mrqa import task as mrqa
from caveat.benchmarks.multispan import task as multispan
from caveat.benchmarks.nlpcc import kbqa_task as nlpcc_kb
from caveat.benchmarks.nlpcc import kbqa_task as nlpcc_kbqa
from caveat.benchmarks.nlpcc.ranked_task import count_dbqa, count_tbqa
from caveat.benchmarks.sharc import data_set as sharc
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.passage import Passage
from caveat.benchmarks.shared.passage_task import count_passages
from caveat.benchmarks.squad import format as squad

pytestmark = pytest.mark.shared

Reader = Callable[[Path], Iterator[Passage]]


@pytest.fixture
def data(shared: Path) -> Path:
    return shared / "data"


@pytest.mark.parametrize(
    ("reader", "name", "expected"),
    [
        (cmrc.read_passages, "cmrc2018/train", {"questions": 10_142, "passages": 2_403, "wrong_offsets": 21}),
        (cmrc.read_passages, "cmrc2018/trial", {"questions": 1_002}),
        (squad.read_passages, "squad/train-v1.1", {"questions": 86_144, "unanswerable": 0}),
        (squad.read_passages, "squad/dev-v2.0", {"questions": 11_873, "unanswerable": 5_945}),
        (squad.read_passages, "en_spans/covidqa", {"wrong_offsets": 234, "answers_not_found": 0}),
        (squad.read_passages, "zh_spans/dureader_checklist_dev", {"questions": 1_130, "unanswerable": 591}),
        (
            squad.read_passages,
            "zh_spans/cail2021_multispan",
            {"questions": 1_500, "multi_span": 300, "unanswerable": 300, "yes_no": 600, "wrong_offsets": 0},
        ),
        (
            squad.read_passages,
            "zh_spans/dureader_robust_dev",
            {"wrong_offsets": 1_961, "answers_not_found": 0},
        ),
    ],
)
def test_passages(data: Path, reader: Reader, name: str, expected: dict[str, int]) -> None:
    assert_counts(count_passages("squad", reader(data / f"{name}.json.gz")), expected)


def test_mrqa(data: Path) -> None:
    expected = {
        "questions": 10_507,
        "spans": 34_727,
        "questions_partly_detected": 161,
        "longest_context": 706,
    }
    assert_counts(mrqa.count(data / "mrqa" / "SQuAD_dev.jsonl.gz"), expected)


def test_cmqa(data: Path) -> None:
    assert_counts(cmqa.count(data / "cmqa" / "train_part.jsonl.gz"), {"samples": 497})
    assert_counts(cmqa.count(data / "cmqa" / "dev.jsonl.gz"), {"samples": 1_000})


def test_conditionalqa(data: Path) -> None:
    folder = data / "conditionalqa"
    assert_counts(
        conditionalqa.count(folder / "train_without_documents.json.gz"),
        {"questions": 2_338, "yes_no": 1_212, "extractive": 1_035, "unanswerable": 91, "conditional": 550},
    )
    assert_counts(
        conditionalqa.count(folder / "dev_part.json", folder / "documents.json"),
        {"questions": 151, "conditional": 35, "documents": 30, "questions_without_document": 0},
    )


def test_sharc_and_multispan(data: Path) -> None:
    assert_counts(sharc.count(data / "conditionalqa" / "sharc_dev.json.gz"), {"utterances": 2_270})
    expected = {"examples": 653, "wrong_num_span": 0}
    assert_counts(multispan.count(data / "multispan" / "multispanqa_valid.json.gz"), expected)


def test_nlpcc_kbqa(data: Path) -> None:
    folder = data / "nlpcc" / "kbqa"
    expected = {"questions": 14_609, "malformed_triples": 2}
    assert_counts(nlpcc_kbqa.count(folder / "nlpcc2016.kbqa.train.gz"), expected)
    assert_counts(nlpcc_kbqa.count(folder / "kgclue.train.kbqa.gz"), {"questions": 18_000})
    assert_counts(nlpcc_kbqa.count(folder / "kgclue.dev.kbqa.gz"), {"questions": 2_000})


def test_nlpcc_kb(data: Path) -> None:
    counted = nlpcc_kb.count_kb(data / "nlpcc" / "kb" / "union_zh.kb.gz")
    assert_counts(counted, {"triples": 364_930, "malformed_triples": 0})


def test_nlpcc_dbqa(data: Path) -> None:
    folder = data / "nlpcc" / "dbqa"
    assert_counts(count_dbqa(folder / "train_part.tsv.gz"), {"pairs": 14_855})
    assert_counts(count_dbqa(folder / "valid_part.tsv.gz"), {"questions": 827})
    # Two of the thousand questions have the same text.
    expected = {"questions": 1_000, "question_texts": 999}
    assert_counts(count_dbqa(folder / "cmrc2018_trial.dbqa.tsv.gz"), expected)


def test_nlpcc_tbqa(data: Path) -> None:
    folder = data / "nlpcc" / "tbqa"
    assert_counts(count_tbqa(folder / "fetaqa_dev_part.tbqa.gz"), {"questions": 300})
    counted = count_tbqa(folder / "wtq.cand.dev.tsv.gz", folder / "wtq.tables.tsv.gz")
    assert counted.tables[0].rows[0][2:] == (20.0, 20.0, 20)  # candidates a question


def assert_counts(counted: Tables, expected: dict[str, int]) -> None:
    assert {name: counted.counts[name] for name in expected} == expected
