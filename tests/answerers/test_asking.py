"""One way of asking: a folder, its files, its index in the cache and a library of it answer alike."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from caveat.answerers.asking import is_library, settle
from caveat.answerers.engine import Engine, load
from caveat.core.answers import Answer, Condition
from caveat.core.cache import VARIABLE as CACHE_VARIABLE
from caveat.core.errors import InputError
from caveat.core.limits import limits
from caveat.core.part_files import locked
from caveat.core.records import Document, Question, Reply
from caveat.library.cached import cached_indexes
from caveat.library.library import Library

# What a handbook says of each: how long it takes, who decides, where it is done, what it costs.
ENGLISH = {
    "parental leave": ("fourteen weeks", "the head of staff", "room 210", "nothing"),
    "a parking permit": ("three days", "the porter", "the gate house", "40 crowns a month"),
    "a travel advance": ("five days", "the cashier", "the pay office", "no fee"),
    "a new badge": ("two hours", "the reception desk", "the main hall", "12 crowns"),
    "a language course": ("one term", "the training officer", "the annexe", "half of the price"),
    "a bicycle loan": ("six months", "the caretaker", "the cellar", "a deposit of 90 crowns"),
    "a desk by the window": ("one year", "the floor manager", "the third floor", "a smile"),
    "an eye test": ("forty minutes", "the company doctor", "the clinic", "nothing for staff"),
    "a laptop repair": ("four days", "the help desk", "the workshop", "25 crowns"),
    "a meeting room": ("one afternoon", "the secretary", "the east wing", "8 crowns an hour"),
    "overtime pay": ("one month", "the shift leader", "the payroll page", "no charge"),
    "a visitor pass": ("ten minutes", "the guard", "the north gate", "free of charge"),
}
CHINESE = {
    "育儿假": ("十四周", "人事主管", "二楼办公室", "免费"),
    "停车证": ("三天", "门卫", "门房", "每月四十元"),
    "差旅预支": ("五天", "出纳", "财务室", "不收费"),
    "新工牌": ("两小时", "前台", "大厅", "十二元"),
    "语言课程": ("一个学期", "培训专员", "附楼", "一半学费"),
    "自行车借用": ("六个月", "管理员", "地下室", "九十元押金"),
    "靠窗座位": ("一年", "楼层经理", "三楼", "无"),
    "视力检查": ("四十分钟", "厂医", "医务室", "职工免费"),
    "电脑维修": ("四天", "服务台", "车间", "二十五元"),
    "会议室": ("一个下午", "秘书", "东楼", "每小时八元"),
    "加班费": ("一个月", "班长", "工资网页", "免手续费"),
    "访客证": ("十分钟", "保安", "北门", "免费"),
}
ASKED = ("How long does {} take?", "Who decides on {}?", "Where do I get {}?", "What does {} cost?")
ASKED_IN_CHINESE = ("{}需要多长时间？", "{}由谁批准？", "{}在哪里办理？", "{}要多少钱？")
OTHERS = ("How many people work in Lund?", "Who leads the Lund office?", "隆德有多少人？", "谁负责奥胡斯？")
FILLING = (
    "Whoever asks for it writes a short note first. Notes without a date are sent back. "
    "The form is kept for as long as the rules of the archive say, and nobody else may read it. "
) * 3


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "handbook"
    (folder / "zh").mkdir(parents=True)
    for number, (topic, (time, person, place, price)) in enumerate(ENGLISH.items()):
        text = (
            f"# Rules on {topic}\n\n{FILLING}\n\n## Time\n\nTo get {topic} takes {time}.\n\n## Decision\n\n"
            f"On {topic} decides {person}. {FILLING}\n\n## Place and price\n\n"
            f"You get {topic} in {place}. It costs {price}.\n"
        )
        (folder / f"{number:02}.md").write_text(text, "utf-8")
    for number, (topic, (time, person, place, price)) in enumerate(CHINESE.items()):
        text = (
            f"# {topic}规定\n\n申请人须先填写说明，没有日期的说明将被退回。\n\n## 时间\n\n办理{topic}需要{time}。\n\n"
            f"## 审批\n\n{topic}由{person}批准。\n\n## 地点和费用\n\n{topic}在{place}办理，费用为{price}。\n"
        )
        (folder / "zh" / f"{number:02}.md").write_text(text, "utf-8")
    (folder / "offices.csv").write_text("office,people\nLund,120\nAarhus,75\n隆德,33\n", "utf-8")
    (folder / "canteen.md").write_text(
        "# Canteen\n\nOpen at noon.\n\n| dish | price |\n|---|---|\n| soup | 4 |\n| stew | 7 |\n", "utf-8"
    )
    (folder / "heads.kb").write_text(
        "Lund office ||| leads ||| Ida Vale\n奥胡斯 ||| 负责 ||| 林若\n", "utf-8"
    )
    return folder


def questions() -> list[str]:
    found = [pattern.format(topic) for topic in ENGLISH for pattern in ASKED]
    found += [pattern.format(topic) for topic in CHINESE for pattern in ASKED_IN_CHINESE]
    return [*found, *OTHERS]


@pytest.fixture(scope="module")
def in_folder(handbook: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(handbook.parent)
    yield
    os.chdir(before)


def files_of(handbook: Path) -> list[str]:
    return [str(path.relative_to(handbook.parent)) for path in sorted(handbook.rglob("*")) if path.is_file()]


def check_alike(engine: Engine, handbook: Path, asked: Sequence[str]) -> list[Reply]:
    library = Library.create(handbook.parent / "library")
    library.add(["handbook"])
    files = files_of(handbook)
    ways = {
        "the folder, kept in the cache": engine.open("handbook"),
        "the folder, in memory": engine.open("handbook", cache=False),
        "its files": engine.open(*files),
        "its files, in memory": engine.open(*files, cache=False),
        "the library by its name": engine.open("library"),
    }
    expected = [engine.ask(question, library) for question in asked]
    for way, collection in ways.items():
        for question, reply in zip(asked, expected, strict=True):
            found = engine.ask(question, collection)
            assert found == reply, f"{question} of {way}"
    return expected


@pytest.mark.usefixtures("in_folder")
def test_a_hundred_questions_have_the_same_replies_wherever_they_are_asked(
    handbook: Path, reader_folder: Path
) -> None:
    asked = questions()
    assert len(asked) == 100
    replies = check_alike(load(reader_folder), handbook, asked)
    assert all(reply.answers for reply in replies)
    by_question = dict(zip(asked, replies, strict=True))
    assert by_question["How many people work in Lund?"].answers[0].text == "120"
    places = [answer.place.source for reply in replies for answer in reply.answers if answer.place]
    assert {place.partition("/")[0] for place in places} == {"handbook"}


@pytest.mark.slow
@pytest.mark.usefixtures("in_folder")
def test_so_they_have_with_the_models_of_the_package(handbook: Path) -> None:
    replies = check_alike(load(), handbook, questions())
    wanted = [fact for facts in (*ENGLISH.values(), *CHINESE.values()) for fact in facts]
    found = [
        reply.answers[0].text for reply in replies[: len(wanted)] if reply.answers and reply.answers[0].text
    ]
    right = sum(want in text or text in want for want, text in zip(wanted, found, strict=True))
    assert right >= 0.6 * len(wanted)


@pytest.fixture(scope="module")
def engine(reader_folder: Path) -> Engine:
    return load(reader_folder)


def many(folder: Path, number: int = 30) -> Path:
    folder.mkdir()
    for each in range(number):
        (folder / f"{each:02}.txt").write_text(f"the city and the dog {each}\n")
    (folder / "size.txt").write_text("size ten\n")
    return folder


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_folder_is_read_once_and_then_what_changed(
    engine: Engine, tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = many(tmp_path / "texts")
    read: list[str] = []
    own = Library.add

    def counted(self: Library, inputs: Sequence[str], **options: object) -> object:
        added = own(self, inputs, **options)  # type: ignore[arg-type]
        read.append(f"{added.added} {added.replaced} {added.removed}")
        return added

    monkeypatch.setattr(Library, "add", counted)
    for _ in range(2):
        assert load_again(engine).ask("size", texts).answers[0].text == "ten"
    assert read == ["31 0 0"]
    (texts / "size.txt").write_text("size big stop\n")
    assert engine.ask("size", texts).answers[0].text == "big stop"
    (texts / "00.txt").unlink()
    (texts / "name.txt").write_text("name blue\n")
    assert engine.ask("name", texts).answers[0].text == "blue"
    assert read == ["31 0 0", "0 1 0", "1 0 1"]
    assert [each.inputs for each in cached_indexes()[1]] == [(str(texts),)]
    assert own_cache.stat().st_mode & 0o777 == 0o700


def load_again(engine: Engine) -> Engine:
    return Engine(engine.readers)


def test_a_broken_index_is_made_again(engine: Engine, tmp_path: Path, own_cache: Path) -> None:
    texts = many(tmp_path / "texts")
    expected = engine.ask("size", texts)
    for damage in ("made-of.json", "library.json", "catalogue", "records-*"):
        file = next(own_cache.rglob(damage))
        file.unlink()
        file.write_bytes(b"nothing")
        assert load_again(engine).ask("size", texts) == expected, damage
    for state in own_cache.rglob("state-*"):
        for file in state.rglob("*"):
            if file.is_file():
                file.unlink()
    assert load_again(engine).ask("size", texts) == expected


def test_what_is_written_by_another_process_is_not_waited_for(
    engine: Engine, tmp_path: Path, own_cache: Path
) -> None:
    texts = many(tmp_path / "texts")
    expected = engine.ask("size", texts)
    (texts / "more.txt").write_text("the city\n")
    (entry,) = (own_cache / "folders").iterdir()
    with locked(entry):
        assert load_again(engine).ask("size", texts).answers[0].place == expected.answers[0].place
    assert cached_indexes()[1] != ()


def test_the_cache_can_be_off_and_need_not_be_writable(
    engine: Engine, tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = many(tmp_path / "texts")
    expected = engine.ask("size", texts, cache=False)
    assert not own_cache.exists()
    with limits(cache_bytes=1):
        assert engine.ask("size", texts) == expected
    assert not own_cache.exists()
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    assert engine.ask("size", texts) == expected
    assert not own_cache.exists()


def test_the_cache_has_a_limit(engine: Engine, tmp_path: Path, own_cache: Path) -> None:
    for name in ("first", "second"):
        engine.ask("size", many(tmp_path / name))
    kept = {each.inputs for each in cached_indexes()[1]}
    assert kept == {(str(tmp_path / "first"),), (str(tmp_path / "second"),)}
    with limits(cache_bytes=2_000):
        engine.ask("size", many(tmp_path / "third"))
    assert [each.inputs for each in cached_indexes()[1]] == [(str(tmp_path / "third"),)]


def test_what_of_a_folder_is_not_read_is_told_from_the_cache_too(
    engine: Engine, tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = many(tmp_path / "texts")
    (texts / "bad.docx").write_bytes(b"PK")
    (texts / "x.bin").write_bytes(b"x")
    monkeypatch.chdir(tmp_path)
    replies = [load_again(engine).ask("size", "texts") for _ in range(2)]
    replies.append(engine.ask("size", "texts", cache=False))
    for reply in replies:
        assert sorted(remark.source for remark in reply.unread) == ["texts/bad.docx", "texts/x.bin"]
    assert replies[0] == replies[1]
    with pytest.raises(InputError, match=r"x\.bin"):
        engine.ask("size", "texts", strict=True)


def test_a_folder_is_called_as_it_is_spelt(
    engine: Engine, tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = many(tmp_path / "texts")
    monkeypatch.chdir(tmp_path)
    for given, shown in (
        ("texts", "texts/size.txt"),
        ("./texts/", "texts/size.txt"),
        (texts, str(texts / "size.txt")),
    ):
        place = engine.ask("size", given).answers[0].place
        assert place is not None
        assert place.source == shown
    monkeypatch.chdir(texts)
    place = engine.ask("size", ".").answers[0].place
    assert place is not None
    assert place.source == "size.txt"
    assert len(cached_indexes()[1]) == 1


def test_a_library_and_own_files_are_asked_together(engine: Engine, tmp_path: Path) -> None:
    library = Library.create(tmp_path / "library")
    library.put("a.txt", b"color red")
    notes = tmp_path / "notes.txt"
    notes.write_text("size ten\n")
    for source in (library, tmp_path / "library", str(tmp_path / "library")):
        assert is_library(source)
        assert engine.ask("color", source, notes).answers[0].text == "red"
        assert engine.ask("size", source, notes).answers[0].text == "ten"
        assert engine.ask("size", source, Document("size ten", url="b")).answers[0].text == "ten"
    (reply,) = engine.ask_many([("color", [library, notes])])
    assert reply == engine.ask("color", library, notes)
    assert not is_library(notes)
    assert not is_library(Document("a"))


def test_one_file_is_read_as_it_is_wherever_it_stands(engine: Engine, tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text("The dog. color red. The cat. size ten.\n")
    alone = engine.ask("color", texts / "a.txt")
    assert engine.ask("color", texts) == alone
    assert engine.ask("name", texts) == engine.ask("name", texts / "a.txt")
    assert engine.open(texts).shelves == ()


def test_all_of_a_folder_is_read_by_a_thorough_engine(reader_folder: Path, tmp_path: Path) -> None:
    texts = many(tmp_path / "texts")
    thorough = load(reader_folder, thorough=True)
    assert thorough.open(texts).shelves == ()
    assert thorough.ask("size", texts).answers[0].text == "ten"


def test_what_is_told_settles_what_follows_from_it() -> None:
    minor = Condition("you are under 18", question="Are you under 18?")
    older = Condition("you are over 60", question="Are you over 60?")
    reply = Reply(
        Question("What does it cost?"),
        (Answer("2", "span", 0.5, conditions=(minor,)), Answer("3", "span", 0.4, conditions=(older,))),
        0.1,
    )
    settled = settle(reply, {"Are you under 18?": True})
    assert [answer.text for answer in settled.answers] == ["2"]
    assert settled.open == ()
    assert settle(reply, {}) == reply
