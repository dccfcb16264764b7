"""Evidence, weights and the place of a ranker among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from caveat.answerers.knowledge.evidence import FEATURES, NONE, evidence_of
from caveat.answerers.knowledge.matching import (
    MATCHING,
    NEURAL,
    Matching,
    MatchingFile,
    embedded_matching,
    read_matching,
)
from caveat.answerers.knowledge.words import Matcher, MatcherFile, WordCounts, pack, whole
from caveat.answerers.ranking.combination import Combination
from caveat.core.errors import InputError
from caveat.core.json_files import write_json
from caveat.library.triples.build import open_knowledge
from caveat.library.triples.store import KnowledgeStore
from caveat.models.windowed_model import ReadRequest

TRIPLES = """\
青石桥 ||| 长度 ||| 46米
青石桥 ||| 建成时间 ||| 1872年
青石 ||| 产地 ||| 白云山
青石（小说） ||| 作者 ||| 秦婉
"""
FILE = MatchingFile(
    {},
    MatcherFile(
        1,
        pack(["长"], np.array([[1.0]], dtype=np.float32)),
        pack([whole("长度")], np.array([[1.0]], dtype=np.float32)),
        {"长度": 1},
    ),
    WordCounts(10, {"长": 1, "是": 9}, {"青石": 4}),
    plain=Combination({"units": 1.0}),
    lexical=Combination({"units": 4.0, "length": 1.0, NONE: 1.5}),
    threshold=0.3,
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeStore:
    file = tmp_path_factory.mktemp("matching") / "bridges.kb"
    file.write_text(TRIPLES, encoding="utf-8")
    return open_knowledge(file)


def row(question: str, predicate: str, base: KnowledgeStore) -> dict[str, float]:
    weighing = evidence_of(question, base, Matcher(FILE.matcher), FILE.words)
    place = next(n for n, each in enumerate(weighing.candidates) if each.predicate == predicate)
    values = weighing.features.values[place]
    return {name: float(value) for name, value in zip(FEATURES, values, strict=True) if value}


def test_evidence_of_a_name(base: KnowledgeStore) -> None:
    bridge = row("《青石桥》的长度是多少？", "长度", base)
    assert bridge["quoted"] == bridge["own name"] == 1
    assert "inside" not in bridge
    inner = row("《青石桥》的长度是多少？", "产地", base)
    assert inner["inside"] == inner["inside quotes"] == 1
    assert inner["common"] == pytest.approx(np.log(5))
    assert row("青石的作者是谁？", "作者", base)["bracket"] == 1


def test_evidence_of_a_predicate_does_not_see_the_name(base: KnowledgeStore) -> None:
    found = row("青石桥的长度是多少？", "长度", base)
    assert found["units"] == found["pairs"] == found["whole"] == found["stretch"] == 1
    assert found["how many: number"] == 1
    # 石 is in the name alone.
    assert "units" not in row("青石桥是石头的吗", "建成时间", base)


def test_words_in_brackets_tell_things_of_one_name_apart(base: KnowledgeStore) -> None:
    def entities(question: str) -> set[str]:
        weighing = evidence_of(question, base, Matcher(FILE.matcher), FILE.words)
        place = [mention.text for mention in weighing.mentions].index("青石")
        return {each.entity for each in weighing.named[place]}

    assert entities("青石这本小说是谁写的？") == {"青石（小说）"}
    assert entities("青石是谁写的？") == {"青石", "青石（小说）"}


def test_the_last_row_stands_for_none(base: KnowledgeStore) -> None:
    weighing = evidence_of("青石桥有多长？", base, Matcher(FILE.matcher), FILE.words)
    last = dict(zip(FEATURES, weighing.features.values[-1], strict=True))
    assert last.pop(NONE) == 1
    assert not any(last.values())
    assert len(weighing.features.values) == len(weighing.candidates) + 1


def test_probabilities_are_a_softmax_of_the_weighed_evidence(base: KnowledgeStore) -> None:
    understood, none = Matching(FILE).understood("青石桥的长度", base)
    assert understood[0].candidate.predicate == "长度"
    assert (understood[0].entity, understood[0].masked) == ("青石桥", "□的长度")
    # 长度: 4 + log 4; 建成时间: log 4; 产地 and 作者 of 青石, whose rest is 桥的长度: log 3; none: 1.5.
    weights = [np.exp(4) * 4, 4, 3, 3, np.exp(1.5)]
    assert [each.probability for each in understood] == pytest.approx(np.array(weights[:4]) / sum(weights))
    assert none == pytest.approx(weights[4] / sum(weights))


def test_nothing_named_is_nothing_understood(base: KnowledgeStore) -> None:
    assert Matching(FILE).understood("今天呢", base) == ([], 1.0)


class Backwards:
    """Likes every predicate but the length."""

    def __init__(self) -> None:
        self.read: list[ReadRequest] = []

    def score(self, pairs: Iterable[ReadRequest], /) -> Iterator[float]:
        for pair in pairs:
            self.read.append(pair)
            yield -50.0 if pair.text == "长度" else 4.0


def test_a_ranker_is_one_more_sort_of_evidence(base: KnowledgeStore) -> None:
    neural = Combination({**FILE.lexical.weights, NEURAL: 1.0})
    ranker = Backwards()
    model = Matching(msgspec.structs.replace(FILE, neural=neural), ranker)
    understood, _ = model.understood("青石桥的长度", base)
    assert understood[0].candidate.predicate == "建成时间"
    assert [pair.text for pair in ranker.read] == ["长度", "建成时间", "产地", "作者"]
    assert {pair.question for pair in ranker.read} == {"青石桥的长度"}
    with pytest.raises(InputError, match="without a ranker"):
        Matching(FILE, ranker)


def test_other_languages_are_weighed_without_what_was_learnt(base: KnowledgeStore) -> None:
    understood, none = Matching(FILE).understood("How long is 青石桥 in all, please?", base)
    assert len(understood) >= 2
    assert none == pytest.approx(understood[-1].probability)


def test_a_file_comes_back_as_it_was(tmp_path: Path, base: KnowledgeStore) -> None:
    write_json(tmp_path / MATCHING, FILE)
    again = read_matching(tmp_path / MATCHING)
    assert again.threshold == 0.3
    question = "青石桥的长度"
    assert again.understood(question, base)[1] == Matching(FILE).understood(question, base)[1]
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError):
        read_matching(tmp_path / "other.json")


def test_the_embedded_model_is_small() -> None:
    from caveat.models import embedded as models

    assert (Path(models.__file__).parent / "weights" / "match-zh" / MATCHING).stat().st_size <= 1_500_000
    assert 0 < embedded_matching().threshold < 1
