from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.sources.trivia import SEARCHQA, read_searchqa
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError

CLUE = {
    "id": 19,
    "category": "LAKES",
    "value": "$200",
    "question": "Europe's deepest lake",
    "answer": "Hornindalsvatnet",
    "round": "Jeopardy!",
    "show_number": "1",
    "air_date": "2004-12-31",
    "search_results": [
        {
            "url": "u",
            "title": "Lakes",
            "snippet": "The deepest is\nHornindalsvatnet...",
            "related_links": None,
        },
        {"url": "u", "title": "No snippet", "snippet": None, "related_links": None},
        {"url": "u", "title": None, "snippet": "Hornindalsvatnet, Norway.", "related_links": None},
    ],
}
EMPTY = {**CLUE, "id": 20, "search_results": []}
TEXT = "[DOC] [TLE] Lakes [PAR] The deepest is\nHornindalsvatnet... [DOC] [PAR] Hornindalsvatnet, Norway."


def check(contexts: list[Any], drops: Drops) -> None:
    (context,) = contexts
    assert context.context == TEXT
    (question,) = context.questions
    assert (question.extra["id"], question.question) == ("19", "Europe's deepest lake")
    assert question.answers == ("Hornindalsvatnet",)
    # Tokens: [DOC] [TLE] Lakes [PAR] The deepest is Hornindalsvatnet ... [DOC] [PAR] Hornindalsvatnet …
    places = [(p.start, p.end, p.first, p.last) for p in question.detected[0].places]
    assert places == [(39, 55, 7, 8), (71, 87, 11, 12)]
    assert drops.examples == {"no search result": ["20"]}


def test_one_file_a_question_in_a_folder(tmp_path: Path, convert: Callable[..., Any]) -> None:
    folder = tmp_path / "train"
    folder.mkdir()
    (folder / "000019-1.json").write_text(json.dumps(CLUE, indent=1))
    (folder / "000020-1.json").write_text(json.dumps(EMPTY))
    (folder / "readme.txt").write_text("Clues.")
    check(*convert(SEARCHQA, folder))
    contexts, _ = convert(SEARCHQA, folder / "000019-1.json")
    assert contexts[0].context == TEXT


@pytest.mark.parametrize("nested", [False, True])
def test_a_zip_of_files_and_a_zip_of_zips(tmp_path: Path, convert: Callable[..., Any], nested: bool) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("train/000020-1.json", json.dumps(EMPTY))
        archive.writestr("train/000019-1.json", json.dumps(CLUE))
    path = tmp_path / "data.zip"
    if nested:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("data_json/train.zip", buffer.getvalue())
    else:
        path.write_bytes(buffer.getvalue())
    check(*convert(SEARCHQA, path))


@pytest.mark.parametrize("layout", ["lines", "list"])
def test_many_questions_in_a_file(tmp_path: Path, convert: Callable[..., Any], layout: str) -> None:
    path = tmp_path / "train.jsonl"
    text = "\n".join(map(json.dumps, [CLUE, EMPTY])) if layout == "lines" else json.dumps([CLUE, EMPTY])
    path.write_text(text)
    check(*convert(SEARCHQA, path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": 1, "question": "?"', "broken JSON"),
        ('{"id": 1, "question": "?", "answer": "a"}', "without them there is no context"),
        ('{"id": 1, "question": "?", "search_results": []}', "id 1: object missing required field `answer`"),
    ],
)
def test_bad_input(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "f.json").write_text(text)
    with pytest.raises(InputError, match=message):
        list(read_searchqa(tmp_path / "f.json", Drops()))


def test_bad_archives(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="has no SearchQA questions"):
        list(read_searchqa(tmp_path / "empty", Drops()))
    with zipfile.ZipFile(tmp_path / "f.zip", "w") as archive:
        archive.writestr("a.json", b"\xff{}")
    with pytest.raises(InputError, match=r"f\.zip/a\.json: not UTF-8 text \(byte 0xff\)"):
        list(read_searchqa(tmp_path / "f.zip", Drops()))
    data = (tmp_path / "f.zip").read_bytes()
    (tmp_path / "f.zip").write_bytes(data.replace(b"\xff{}", b"\xff{]"))
    with pytest.raises(InputError, match="the archive is damaged"):
        list(read_searchqa(tmp_path / "f.zip", Drops()))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("hf_dummy/search_qa__raw_jeopardy__1.0.0/dummy_data", 2),
        ("hf_dummy/search_qa__train_test_val__1.0.0/dummy_data", 6),
        ("multiqa/searchqa_sample.jsonl.gz", 11),
        ("multiqa/searchqa_sample_hist.jsonl.gz", 10),
    ],
)
def test_real_samples(shared: Path, convert_real: Callable[..., Any], name: str, total: int) -> None:
    contexts, drops = convert_real(SEARCHQA, shared / "data/native/samples" / name)
    assert len(contexts) + drops.counts.total() == total
    assert contexts[0].context.startswith("[DOC] [TLE] ")


@pytest.mark.parametrize("fault", ["compression", "encrypted", "deflated"])
def test_a_zip_that_cannot_be_unpacked(tmp_path: Path, fault: str) -> None:
    path = tmp_path / "f.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.json", json.dumps(CLUE) * 9)
    data = bytearray(path.read_bytes())
    directory = data.index(b"PK\x01\x02")
    if fault == "compression":
        data[8] = data[directory + 10] = 77  # a method that nobody has
    elif fault == "encrypted":
        data[6] |= 1
        data[directory + 8] |= 1
    else:
        data[40:60] = b"\xff" * 20
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"f\.zip: the archive is damaged"):
        list(read_searchqa(path, Drops()))
