from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from caveat.benchmarks.mrqa.sources.build import convert_source
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError


def question(id: str, text: str, first: str, second: str, correct: str) -> str:
    return f"""
    <question>
      <annotator></annotator><qid>{id}</qid><q>{text}</q>
      <a0>
        {first}
      </a0>
      <a1>{second}</a1><correct>{correct}</correct><comments></comments>
    </question>"""


def annotation(id: str, *questions: str) -> str:
    return f"""<annotation>
  <id>{id}</id>
  <text>
    Light warms the leaf &amp; the leaf
    opens its pores.
  </text>
  <questions>{"".join(questions)}</questions>
</annotation>"""


FIRST = annotation(
    "4",
    question("4:1", "What warms the leaf?", "Light", "Water", "0"),
    question("4:2", "The leaf opens its pores", "True", "False", "0"),
    question("4:3", "What would happen without light?", "Nothing", "The pores would stay shut", "1"),
    question("4:4", "What is the correct order of events?", "The leaf opens its pores", "Light", "1"),
)
SECOND = annotation("10", question("10:1", "What opens?", "Roots", "Its pores", "1"))


def check(path: Path) -> None:
    drops = Drops()
    first, second = convert_source("bioprocess", path, drops)
    assert first.context == "Light warms the leaf & the leaf opens its pores."
    assert [(q.extra["id"], q.answers) for q in first.questions] == [("4:1", ("Light",))]
    assert [(place.start, place.end) for place in first.questions[0].detected[0].places] == [(0, 5)]
    assert [(q.extra["id"], q.answers) for q in second.questions] == [("10:1", ("Its pores",))]
    assert drops.counts == {
        "yes/no or true/false question": 1,
        "no answer within the first 800 tokens": 1,
        "question depends on its options": 1,
        "question repeated in a second copy of the file": 1,
    }
    assert drops.examples["question repeated in a second copy of the file"] == ["10:1"]


# An editor's copy of a file, as the published archive has one, listed before the file itself.
FILES = {"10~": SECOND.replace("Its pores", "Old pores"), "10": SECOND, "4": FIRST}


def test_folder(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    check(tmp_path)


def test_archive(tmp_path: Path) -> None:
    path = tmp_path / "questions.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(folder := tarfile.TarInfo("qa"))
        folder.type = tarfile.DIRTYPE
        for name, text in FILES.items():
            entry = tarfile.TarInfo(f"qa/{name}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    check(path)


def test_one_file(tmp_path: Path) -> None:
    path = tmp_path / "10"
    path.write_text(SECOND)
    [context] = convert_source("bioprocess", path, Drops())
    assert context.extra["id"] == "10"


def test_squad_layout(tmp_path: Path) -> None:
    path = tmp_path / "processBank.json"
    qa = {"id": "x", "question": "What opens?", "answers": [{"text": "pores", "answer_start": 11}]}
    path.write_text(json.dumps({"data": [{"paragraphs": [{"context": "It opens its pores.", "qas": [qa]}]}]}))
    [context] = convert_source("bioprocess", path, Drops())
    assert context.questions[0].answers == ("pores",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<annotation>\n<id>1</id>\n<text>x</annotation>", "line 3: broken XML: mismatched tag"),
        ("<story><id>1</id></story>", "the XML is of <story>, expected <annotation>"),
        (annotation("1", question("1:9", "What?", "a", "b", "2")), "id 1:9: the right option is '2'"),
        (annotation("1", question("1:9", "What?", "a", "b", "")), "id 1:9: <question> has no <correct>"),
        ("<annotation><id>1</id></annotation>", "<annotation> has no <text>"),
        ("T1\tEvent 5 9\topens", "has no questions"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "1"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        list(convert_source("bioprocess", path, Drops()))
    assert problem in str(caught.value)


def test_damaged_archive(tmp_path: Path) -> None:
    path = tmp_path / "questions.tar.gz"
    test_archive(tmp_path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(InputError, match=r"damaged|cut off"):
        list(convert_source("bioprocess", path, Drops()))
