"""From questions to answers, with the model that comes with the package and a small base."""

from __future__ import annotations

from pathlib import Path

import pytest

from caveat.answerers.knowledge.matching import Matching, embedded_matching
from caveat.answerers.knowledge.steps import ValueAnswer, find_answers, parts_of
from caveat.core.answers import Triple
from caveat.library.triples.build import build_index
from caveat.library.triples.store import KnowledgeStore

BASE = """\
星河仪器公司 ||| 创始人 ||| 秦婉，王蓉
星河仪器公司 ||| •成 立 时 间： ||| 1998年3月
星河仪器公司 ||| 员工数 ||| 1,250人
星河仪器公司 ||| 首席执行官 ||| 赵启明
星河仪器公司 ||| 简称 ||| 星河仪器
赵启明 ||| 妻子 ||| 林若
赵启明 ||| 父亲 ||| 赵大海
林若 ||| 父亲 ||| 林远山
林远山 ||| 女儿 ||| 林若
北斗一号（望远镜） ||| 口径 ||| 120毫米
北斗一号（望远镜） ||| 生产商 ||| 星河仪器公司
北斗一号（卡车） ||| 载重 ||| 8吨
《望星空》 ||| 作者 ||| 秦婉
《望星空》 ||| 页数 ||| 316
临江市 ||| 友好城市 ||| 东山市
临江市 ||| 友好城市 ||| 南浦市
甲星 ||| 伴星 ||| 乙星
乙星 ||| 伴星 ||| 甲星
Lindholm Optics ||| founder ||| Ada Lindholm
Lindholm Optics ||| founding date ||| 12 May 1921
Lindholm Optics ||| headquarters ||| Old Harbour
Ada Lindholm ||| birth place ||| Norby
Ada Lindholm ||| spouse ||| Erik Falk
Erik Falk ||| occupation ||| shipbuilder
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeStore:
    folder = tmp_path_factory.mktemp("company")
    (folder / "company.kb").write_text(BASE, encoding="utf-8")
    build_index([folder / "company.kb"], folder / "index")
    return KnowledgeStore.open(folder / "index")


@pytest.fixture(scope="module")
def model() -> Matching:
    return embedded_matching()


def best(question: str, base: KnowledgeStore, model: Matching) -> ValueAnswer | None:
    """The answer, unless none is more probable."""
    found, none = find_answers(question, base, model)
    return found[0] if found and found[0].probability > none else None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("星河仪器公司的创始人是谁？", "秦婉，王蓉"),
        # In other words than the predicate's.
        ("谁创办了星河仪器公司？", "秦婉，王蓉"),
        ("星河仪器是什么时候成立的？", "1998年3月"),
        ("请问星河仪器公司有多少员工？", "1,250人"),
        # Traditional script.
        ("星河儀器公司的創始人是誰？", "秦婉，王蓉"),
        # One slip of the pen.
        ("星河义器公司的创始人是谁？", "秦婉，王蓉"),
        # Of two things of one name the one that has what is asked for.
        ("北斗一号的口径是多少？", "120毫米"),
        ("北斗一号的载重是多少？", "8吨"),
        ("《望星空》有多少页？", "316"),
        ("Who founded Lindholm Optics?", "Ada Lindholm"),
        ("When was Lindholm Optics founded?", "12 May 1921"),
        ("Where is the headquarters of Lindholm Optics?", "Old Harbour"),
        ("Where was Ada Lindholm born?", "Norby"),
    ],
)
def test_one_step(question: str, answer: str, base: KnowledgeStore, model: Matching) -> None:
    found = best(question, base, model)
    assert found is not None
    assert found.values == (answer,)
    assert [triple.object for triple in found.triples] == [answer]


@pytest.mark.parametrize(
    ("question", "walked"),
    [
        ("赵启明的妻子的父亲是谁？", [("赵启明", "妻子", "林若"), ("林若", "父亲", "林远山")]),
        (
            "星河仪器公司的首席执行官的妻子是谁？",
            [("星河仪器公司", "首席执行官", "赵启明"), ("赵启明", "妻子", "林若")],
        ),
        # Around a circle and back.
        ("林若的父亲的女儿是谁？", [("林若", "父亲", "林远山"), ("林远山", "女儿", "林若")]),
        (
            "What is the occupation of the spouse of Ada Lindholm?",
            [("Ada Lindholm", "spouse", "Erik Falk"), ("Erik Falk", "occupation", "shipbuilder")],
        ),
        (
            "Who is Lindholm Optics's founder's spouse?",
            [("Lindholm Optics", "founder", "Ada Lindholm"), ("Ada Lindholm", "spouse", "Erik Falk")],
        ),
    ],
)
def test_two_steps(
    question: str, walked: list[tuple[str, str, str]], base: KnowledgeStore, model: Matching
) -> None:
    found = best(question, base, model)
    assert found is not None
    assert found.triples == tuple(Triple(*each) for each in walked)
    assert found.values == (walked[-1][-1],)


@pytest.mark.parametrize(
    "question",
    [
        "月亮公司的创始人是谁？",
        "星河仪器公司的股票代码是多少？",
        "今天天气怎么样？",
        "What is the capital of Freedonia?",
        "？",
        "的",
    ],
)
def test_no_answer_rather_than_a_guess(question: str, base: KnowledgeStore, model: Matching) -> None:
    assert best(question, base, model) is None


def test_several_objects_of_a_predicate_are_one_answer(base: KnowledgeStore, model: Matching) -> None:
    found = best("临江市的友好城市有哪些？", base, model)
    assert found is not None
    assert found.values == ("东山市", "南浦市")
    assert len(found.triples) == 2


def test_things_that_point_at_each_other_end(base: KnowledgeStore, model: Matching) -> None:
    found = best("甲星的伴星是什么？", base, model)
    assert found is not None
    assert found.values == ("乙星",)


def test_probabilities_add_up(base: KnowledgeStore, model: Matching) -> None:
    for question in ("星河仪器公司的创始人是谁？", "赵启明的妻子的父亲是谁？", "北斗一号有多重？"):
        found, none = find_answers(question, base, model)
        assert sum(each.probability for each in found) + none == pytest.approx(1)
        chances = [each.probability for each in found]
        assert chances == sorted(chances, reverse=True)


def test_an_object_of_two_megabytes(tmp_path: Path, model: Matching) -> None:
    long = "长" * 700_000
    (tmp_path / "long.kb").write_text(
        f"青石桥 ||| 简介 ||| {long}\n青石桥 ||| 长度 ||| 46米\n", encoding="utf-8"
    )
    build_index([tmp_path / "long.kb"], tmp_path / "index")
    store = KnowledgeStore.open(tmp_path / "index")
    about = best("青石桥的简介是什么？", store, model)
    assert about is not None
    assert about.values == (long,)
    length = best("青石桥的长度是多少？", store, model)
    assert length is not None
    assert length.values == ("46米",)


def test_the_same_value_in_two_ways_is_as_probable_as_both(tmp_path: Path, model: Matching) -> None:
    lines = "青石桥 ||| 建成时间 ||| 1872年\n青石桥 ||| 竣工时间 ||| 1872年\n青石桥 ||| 长度 ||| 46米\n"
    (tmp_path / "bridge.kb").write_text(lines, encoding="utf-8")
    build_index([tmp_path / "bridge.kb"], tmp_path / "index")
    found, _ = find_answers("青石桥是什么时候建成的？", KnowledgeStore.open(tmp_path / "index"), model)
    assert [each.values for each in found] == [("1872年",), ("46米",)]


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ("秦婉，王蓉", ("秦婉", "王蓉")),
        ("望远镜、显微镜、测距仪", ("望远镜", "显微镜", "测距仪")),
        ("秦婉", ()),
        ("1,830平方公里", ()),
        ("1998/3/2", ()),
        ("《山，水》、《花》", ("《山，水》", "《花》")),
        ("秦婉（工程师、作家），王蓉", ("秦婉（工程师、作家）", "王蓉")),
        ("他走了，又来了。后来呢，没有人知道。", ()),
        ("Paris, France", ()),
        ("Paris; London", ("Paris", "London")),
        ("iron, copper, tin", ("iron", "copper", "tin")),
        ("，", ()),
        ("秦婉，秦婉", ()),
        ("", ()),
    ],
)
def test_a_value_that_holds_several_is_taken_apart(value: str, parts: tuple[str, ...]) -> None:
    assert parts_of(value) == parts


def test_a_text_is_one_value_however_long() -> None:
    assert parts_of("一，二" * 500_000) == ()
    assert parts_of("、".join(["长" * 31, "短"])) == ()
