"""The engine, on a reader whose answers are known by construction."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import caveat
from caveat.answerers.asking import Held
from caveat.answerers.engine import Engine, load
from caveat.core.errors import CaveatError, InputError
from caveat.core.limits import limits
from caveat.core.records import Document, Element, Question, Table
from caveat.models.card import read_card
from caveat.models.embedded import embedded
from caveat.models.probability import answer_key
from caveat.sources.gather import Input


@pytest.fixture(scope="module")
def engine(reader_folder: Path) -> Engine:
    return load(reader_folder)


def document(text: str, **more: str) -> Document:
    return Document(text, **more)


def test_an_answer_with_its_place_and_sentence(engine: Engine) -> None:
    text = "The dog is big. The color red is of the dog. The cat!"
    reply = engine.ask("Color?", document(text, url="dog.txt"), scenario="I have a dog.", top=1)
    (answer,) = reply.answers
    assert (answer.text, answer.kind) == ("red", "span")
    assert answer.place is not None
    assert (answer.place.source, answer.place.start, answer.place.end) == ("dog.txt", 26, 29)
    (evidence,) = answer.evidence
    assert text[evidence.start : evidence.end] == "The color red is of the dog."
    assert reply.question == Question("Color?", "I have a dog.")


def test_scores_by_hand(engine: Engine) -> None:
    # Log-odds 12 for "red", -8 for "color", 0 for none, at temperature 4.
    reply = engine.ask("color", document("color red"))
    none = 1.0
    total = math.exp(3) + math.exp(-2) + none
    assert [answer.text for answer in reply.answers] == ["red", "color"]
    assert [a.score for a in reply.answers] == pytest.approx([math.exp(3) / total, math.exp(-2) / total])
    assert reply.unanswerable == pytest.approx(none / total)


def test_the_headings_over_an_answer(engine: Engine) -> None:
    parts = [("h1", "Dog"), ("p", "size ten"), ("h2", "The look"), ("p", "color red. size big")]
    text, elements = "", []
    for tag, part in parts:
        elements.append(Element(tag, part, len(text), len(text) + len(part)))
        text += part + "\n\n"
    reply = engine.ask("color", Document(text, elements=tuple(elements)))
    place = reply.answers[0].place
    assert place is not None
    assert place.headings == ("Dog", "The look")
    assert reply.answers[0].evidence[0].headings == ("Dog", "The look")
    (evidence,) = reply.answers[0].evidence
    assert text[evidence.start : evidence.end].startswith("color red")


def test_several_documents_are_one_source_of_answers(engine: Engine) -> None:
    documents = [
        document("color perhaps", url="a"),
        document("name blue", url="b"),
        document("dog. color red\nname", url="c"),
        document("color RED stop. the color red.", url="d"),
    ]
    reply = engine.ask("color", *documents, top=3)
    first, second, third = reply.answers
    # The reader likes both places of "red" alike; the document with more of the question comes first.
    assert [a.place.source for a in (first, second, third) if a.place] == ["d", "d", "a"]
    assert (first.text, second.text, third.text) == ("RED stop", "red", "perhaps")
    # The same answer from another document is evidence, not another answer.
    assert [place.source for place in second.evidence] == ["d", "c"]
    assert first.score > second.score > third.score > reply.unanswerable


def test_not_answered(engine: Engine) -> None:
    reply = engine.ask("name", document("color red"))
    assert reply.unanswerable > 0.5 > reply.answers[0].score
    reply = engine.ask("name", document(""))
    assert (reply.answers, reply.unanswerable) == ((), 1.0)


def test_many_questions_through_one_queue(engine: Engine) -> None:
    red, blue = document("color red. size ten."), document("color blue")
    pairs = [("color", red), ("size", red), (Question("color"), [red, blue]), ("color", blue)] * 100
    replies = list(engine.ask_many(pairs, top=2))
    assert [reply.answers[0].text for reply in replies[:4]] == ["red", "ten", "red", "blue"]
    assert replies[4:8] == replies[:4]
    assert replies[2] == engine.ask("color", red, blue, top=2)
    assert len(replies) == 400


def test_more_answers_than_are_weighed(engine: Engine) -> None:
    text = document(" . ".join(f"color {word}" for word in "abcdefghijklmnopqrstuvwxyz"))
    reply = engine.ask("color", text, top=20)
    assert len(reply.answers) == 20
    assert reply.answers[:5] == engine.ask("color", text, top=5).answers


@given(st.text(max_size=60), st.text(min_size=1, max_size=10).filter(str.strip))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_answers_are_the_text_at_their_place(engine: Engine, text: str, question: str) -> None:
    text = f"{text} color {text}"
    for answer in engine.ask(f"color {question}", document(text)).answers:
        if answer.kind in ("yes", "no"):  # what some signs make of the question; they stand nowhere
            continue
        assert answer.place is not None
        assert answer.place.start is not None
        assert answer.place.end is not None
        assert answer.text == text[answer.place.start : answer.place.end]
        said = [(place.start or 0, place.end or 0) for place in answer.evidence]
        assert any(start <= answer.place.start and answer.place.end <= end for start, end in said)
        # Places where the same answer stands in other letters or with other blanks are evidence too.
        assert all(answer_key(answer.text) in answer_key(text[start:end]) for start, end in said)


def test_a_line_without_end(engine: Engine) -> None:
    text = "dog " * 5000 + "color red " + "cat " * 5000
    (evidence,) = engine.ask("color", document(text)).answers[0].evidence
    assert evidence.start is not None
    assert evidence.end is not None
    assert evidence.end - evidence.start < 5000


def with_language(reader_folder: Path, folder: Path, name: str, language: str, **more: object) -> Path:
    shutil.copytree(reader_folder, folder / name)
    card = msgspec.json.decode((folder / name / "card.json").read_bytes())
    card |= {"name": name, "language": language, "checksum": "", **more}
    (folder / name / "card.json").write_bytes(msgspec.json.encode(card))
    return folder / name


def test_the_language_picks_the_model(reader_folder: Path, tmp_path: Path) -> None:
    english = with_language(reader_folder, tmp_path, "english", "en")
    chinese = with_language(reader_folder, tmp_path, "chinese", "zh", temperature=100.0)
    engine = load([english, chinese])
    assert engine.reader_for("zh").card.name == "chinese"
    assert engine.reader_for("en").card.name == "english"
    color, size = document("color red"), document("颜红")
    sure, unsure = engine.ask("color", color), engine.ask("颜", size)
    assert (sure.answers[0].text, unsure.answers[0].text) == ("red", "红")
    assert sure.answers[0].score > 0.9 > unsure.answers[0].score
    assert engine.ask("color", color, language="zh").answers[0].score == unsure.answers[0].score
    assert [r.answers for r in engine.ask_many([("颜", size), ("color", color)])] == [
        unsure.answers,
        sure.answers,
    ]
    # The only model there is reads everything.
    assert load(english).reader_for("zh").card.name == "english"
    with pytest.raises(CaveatError, match="No model came with this installation"):
        Engine([]).ask("color", color)
    with pytest.raises(InputError, match="a model for 'choice'"):
        load(with_language(reader_folder, tmp_path, "other", "en", task="choice"))


def test_bad_input(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="The question is empty"):
        engine.ask("  ", document("color red"))
    with pytest.raises(InputError, match="no source"):
        engine.ask("color")
    for missing in ("color red", "x" * 5000, "a\0b", tmp_path / "missing.txt"):
        with pytest.raises(InputError, match="there is no such file"):
            engine.ask("color", missing)
    with pytest.raises(CaveatError, match="At least one answer"):
        engine.ask("color", document("color red"), top=0)


def test_files_and_folders_are_read(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "dog.txt"
    file.write_text("The dog: color red.\n")
    (tmp_path / "cat.md").write_text("# The cat\n\nsize ten, color blue stop.\n")
    for source in (file, str(file)):
        (answer,) = engine.ask("color", source, top=1).answers
        assert answer.text == "red"
        assert answer.place is not None
        assert answer.place.source == str(file)
    first, second = engine.ask("color", tmp_path, top=2).answers
    assert (first.text, second.text) == ("blue stop", "red")
    assert first.place is not None
    assert first.place.headings == ("The cat",)


def counting(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> list[Input]:
    """What the engine reads and prepares from here on."""
    read: list[Input] = []
    own = engine._read

    def counted(source: Input, strict: bool, private: bool) -> Held:
        read.append(source)
        return own(source, strict, private)

    monkeypatch.setattr(engine, "_read", counted)
    return read


def test_a_folder_asked_twice_is_read_once(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dog.txt").write_text("The dog: color red.\n")
    (tmp_path / "sizes.csv").write_text("name,size\ndog,ten\ncat,two\n")
    read = counting(engine, monkeypatch)
    first = engine.ask("color", tmp_path)
    assert engine.ask("color", tmp_path) == first
    assert [reply.answers[0].text for reply in engine.ask_many([("color", str(tmp_path))] * 3)] == ["red"] * 3
    assert read == [tmp_path]
    # What has changed is read again, what was added and what is gone is seen.
    (tmp_path / "dog.txt").write_text("The dog: color blue stop.\n")
    assert engine.ask("color", tmp_path).answers[0].text == "blue stop"
    (tmp_path / "dog.txt").rename(tmp_path / "cat.txt")
    place = engine.ask("color", tmp_path).answers[0].place
    assert place is not None
    assert place.source == str(tmp_path / "cat.txt")
    assert len(read) == 3


def test_records_are_prepared_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    read = counting(engine, monkeypatch)
    table = Table(("name", "size"), (("dog", "ten"),), id="sizes")
    for _ in range(3):
        engine.ask("color", document("a dog of the color red"), table)
    # The same text is the same document; tables are told apart by what they are.
    assert read == [document("a dog of the color red"), table]


@pytest.mark.slow
def test_what_is_kept_has_a_limit(reader_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = load(reader_folder)
    read = counting(engine, monkeypatch)
    large = [document(f"color red. {number}" + " " * 7_000_000) for number in range(4)]
    for each in (*large, large[3], large[0]):
        engine.ask("color", each)
    assert read == [*large, large[0]]
    assert len(engine.kept) == 2


def test_loading_is_light(reader_folder: Path) -> None:
    script = (
        "import sys, caveat; caveat.load(sys.argv[1]);"
        "print(*(n for n in ('onnxruntime', 'tokenizers', 'torch') if n in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(reader_folder)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


def test_the_package_offers_it(reader_folder: Path) -> None:
    engine = caveat.load(reader_folder)
    assert type(engine) is caveat.Engine
    assert [reader.card.name for reader in engine.readers] == ["tiny"]
    inside = {name for name, folder in embedded().items() if read_card(folder).task in ("reader", "joint")}
    assert inside >= {"reader-en", "reader-zh"}
    assert {reader.card.name for reader in caveat.load().readers} == inside
    reply = engine.ask("color", caveat.Document("color red"), top=1)
    assert isinstance(reply, caveat.Reply)
    assert [answer.text for answer in reply.answers] == ["red"]
    assert [reader.card.language for reader in caveat.load().readers] == ["en", "zh"]


def test_the_package_lists_what_it_offers() -> None:
    # What the rooms call otherwise: a verb may not be named as a room is.
    others = {"run_bench": "bench"}
    offered = {name: getattr(caveat, name).__name__ for name in caveat.__all__}
    assert offered == {name: others.get(name, name) for name in caveat.__all__}
    assert set(caveat.__all__) <= set(dir(caveat))
    assert caveat.__version__ == version("caveat")
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = caveat.nothing_of_the_kind


def test_what_of_a_folder_is_not_read_is_in_the_reply(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "dog.txt").write_text("The dog: color red.\n")
    (tmp_path / "cat.docx").write_bytes(b"PK")
    for _ in range(2):  # read, then kept
        reply = engine.ask("color of dog", tmp_path)
        assert [Path(remark.source).name for remark in reply.unread] == ["cat.docx"]
        with pytest.raises(InputError, match=r"cat\.docx: is not what its name says"):
            engine.ask("color of dog", tmp_path, strict=True)
    (reply,) = engine.ask_many([("color of dog", tmp_path)])
    assert len(reply.unread) == 1


def test_sources_in_a_list_are_refused_with_a_sentence(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "dog.txt").write_text("The dog: color red.\n")
    wrong: Any = [str(tmp_path / "dog.txt")]
    with pytest.raises(InputError, match="got several in a list; give each by itself"):
        engine.ask("color of dog", wrong)
    with pytest.raises(InputError, match="There is no source to answer from"):
        engine.ask("color of dog")


def test_long_questions_and_scenarios_are_refused(engine: Engine) -> None:
    dog = Document("The dog: color red.")
    with pytest.raises(
        InputError, match=r"The question has 2,001 characters \(the limit `question` is 2,000;"
    ):
        engine.ask("x" * 2001, dog)
    with pytest.raises(InputError, match=r"The scenario has 30,000 characters \(the limit `scenario`"):
        engine.ask("color of dog", dog, scenario="x" * 30_000)
    with limits(question=5000):
        assert engine.ask("color of dog " + "x" * 2001, dog)


def test_triples_that_cannot_be_opened_do_not_stop_a_folder(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "dog.txt").write_text("The dog: color red.\n")
    (tmp_path / "facts.kb").write_text("no triple at all\nanother line\n")
    reply = engine.ask("color of dog", tmp_path)
    assert reply.answers[0].text == "red"
    assert [Path(remark.source).name for remark in reply.unread] == ["facts.kb"]
    with pytest.raises(InputError, match=r"facts\.kb"):
        engine.ask("color of dog", tmp_path, strict=True)
    with pytest.raises(InputError, match=r"facts\.kb"):
        engine.ask("color of dog", tmp_path / "facts.kb")
    engine.prepare(tmp_path)
