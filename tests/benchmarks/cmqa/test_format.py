from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.benchmarks.cmqa.format import CmqaSample, LabelledSpan, SpanRelation, labels, read, write
from caveat.core.errors import InputError

CONTEXT = "如果发烧，可以吃退烧药，比如布洛芬。"
LINE = {
    "context": CONTEXT,
    "question": "吃什么药？",
    "condition": [["如果发烧", [0, 4]]],
    "coarse": [["退烧药", [8, 11]]],
    "fine": [["布洛芬", [14, 17]]],
    "condition_coarse": [[["如果发烧", "退烧药"], [[0, 4], [8, 11]]]],
    "coarse_fine": [[["退烧药", "布洛芬"], [[8, 11], [14, 17]]]],
    "condition_fine": [],
    "source": {"page": 3},
}
FEVER, DRUG, IBUPROFEN = (
    LabelledSpan("如果发烧", 0, 4),
    LabelledSpan("退烧药", 8, 11),
    LabelledSpan("布洛芬", 14, 17),
)
SAMPLE = CmqaSample(
    CONTEXT,
    "吃什么药？",
    condition=(FEVER,),
    coarse=(DRUG,),
    fine=(IBUPROFEN,),
    condition_coarse=(SpanRelation(FEVER, DRUG),),
    coarse_fine=(SpanRelation(DRUG, IBUPROFEN),),
    extra={"source": {"page": 3}},
)


def lines(path: Path, *values: object) -> Path:
    text = "\n".join(
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values
    )
    path.write_text(text + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
@pytest.mark.parametrize("packed", [False, True])
def test_samples(tmp_path: Path, encoding: str, packed: bool) -> None:
    path = tmp_path / "a.jsonl"
    data = f"{json.dumps(LINE, ensure_ascii=False)}\r\n\r\n{json.dumps(LINE)}\r\n".encode(encoding)
    path.write_bytes(gzip.compress(data) if packed else data)
    assert list(read(path)) == [(1, SAMPLE), (3, SAMPLE)]
    for span in (FEVER, DRUG, IBUPROFEN):
        assert CONTEXT[span.start : span.end] == span.text


def test_a_test_file_has_no_labels(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", {"context": "天晴。", "question": "天气？"})
    assert list(read(path)) == [(1, CmqaSample("天晴。", "天气？"))]


def test_labels_are_offsets_under_the_names_of_the_data() -> None:
    assert labels(SAMPLE) == {
        "condition": {(0, 4)},
        "coarse": {(8, 11)},
        "fine": {(14, 17)},
        "condition_coarse": {((0, 4), (8, 11))},
        "condition_fine": set(),
        "coarse_fine": {((8, 11), (14, 17))},
    }


def test_a_label_counts_once_and_its_text_does_not_matter() -> None:
    sample = CmqaSample("aa", "q", fine=(LabelledSpan("a", 0, 1), LabelledSpan("b", 0, 1)))
    assert labels(sample)["fine"] == {(0, 1)}


@pytest.mark.parametrize(
    ("second", "problem"),
    [
        ({"id": 7, "question": "q"}, "line 2, id 7: object missing required field `context`"),
        ({**LINE, "fine": [["x", [1]]]}, r"line 2: .* at fine\[0\]\[1\]"),
        ({**LINE, "coarse": [["x", 1, 2]]}, r"line 2: .* at coarse\[0\]"),
        ({**LINE, "coarse_fine": [[["x"], [[1, 2], [3, 4]]]]}, r"line 2: .* at coarse_fine\[0\]\[0\]"),
        ('{"context": "a", ', "line 2: broken JSON"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, second: object, problem: str) -> None:
    path = lines(tmp_path / "a.jsonl", LINE, second)
    samples = read(path)
    assert next(samples) == (1, SAMPLE)
    with pytest.raises(InputError, match=problem):
        next(samples)


def test_a_cut_off_gzip_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(LINE).encode())[:-8])
    with pytest.raises(InputError, match="cut off"):
        list(read(path))


def test_writing_keeps_the_layout(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write(path, [SAMPLE])
    assert [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] == [LINE]


spans = st.builds(LabelledSpan, st.text(max_size=5), st.integers(0, 99), st.integers(0, 99))
many_spans = st.lists(spans, max_size=3).map(tuple)
relations = st.lists(st.builds(SpanRelation, spans, spans), max_size=3).map(tuple)
samples = st.builds(
    CmqaSample, st.text(), st.text(), many_spans, many_spans, many_spans, relations, relations, relations,
    st.dictionaries(st.sampled_from(["id", "url"]), st.none() | st.integers(-9, 9) | st.text()),
)  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(given_samples=st.lists(samples, max_size=4))
def test_samples_come_back(tmp_path_factory: pytest.TempPathFactory, given_samples: list[CmqaSample]) -> None:
    path = tmp_path_factory.getbasetemp() / "cmqa.jsonl"
    write(path, given_samples)
    assert list(read(path)) == list(enumerate(given_samples, 1))


@pytest.mark.shared
@pytest.mark.parametrize(("name", "count"), [("train_part", 497), ("dev", 1_000)])
def test_the_real_files(shared: Path, name: str, count: int) -> None:
    found = [sample for _, sample in read(shared / "data" / "cmqa" / f"{name}.jsonl.gz")]
    assert len(found) == count
    for sample in found:
        for span in (*sample.condition, *sample.coarse, *sample.fine):
            assert sample.context[span.start : span.end] == span.text
