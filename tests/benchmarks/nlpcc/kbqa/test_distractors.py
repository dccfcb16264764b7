from __future__ import annotations

from caveat.benchmarks.nlpcc.kbqa_analysis import Distracted, SimilarEntities
from caveat.core.answers import Triple
from caveat.library.triples.folding import clean_predicate
from caveat.library.triples.mentions import Mention

TRIPLES = [
    Triple("甲书", "作者", "周一"),
    *(
        Triple(name, predicate, f"{name}的{predicate}")
        for name in ("乙书", "丙书")
        for predicate in ("作者", "定价", "页数", "出版社")
    ),
    Triple("丁镇", "人口", "8万"),
    Triple("丁镇", "面积", "20平方公里"),
    Triple("戊书", "作者", "周五"),
]


class Small:
    def mentions(self, question: str, /) -> list[Mention]:
        return []

    def attributes(self, entity: str, /) -> tuple[Triple, ...]:
        return tuple(triple for triple in TRIPLES if triple.subject == entity)


def test_distractors_come_from_entities_that_share_predicates() -> None:
    found = SimilarEntities(TRIPLES).distractors("甲书", 3)
    assert {triple.predicate for triple in found} == {"定价", "页数", "出版社"}
    assert {triple.subject for triple in found} == {"甲书"}


def test_others_lend_where_similar_ones_have_no_more() -> None:
    found = SimilarEntities(TRIPLES).distractors("甲书", 20)
    assert {triple.predicate for triple in found} == {"定价", "页数", "出版社", "人口", "面积"}


def test_own_predicates_and_own_objects_are_never_lent() -> None:
    triples = [*TRIPLES, Triple("甲书", "定 价：", "乙书的定价"), Triple("乙书", "译者", "周一")]
    predicates = [clean_predicate(t.predicate) for t in SimilarEntities(triples).distractors("甲书", 20)]
    assert "定价" not in predicates
    assert "作者" not in predicates
    # Its object answers the same as the author: who chooses it is not wrong.
    assert "译者" not in predicates


def test_the_same_every_time_whatever_the_order_of_the_file() -> None:
    forwards, backwards = SimilarEntities(TRIPLES), SimilarEntities(TRIPLES[::-1])
    assert forwards.distractors("甲书", 4) == backwards.distractors("甲书", 4)


def test_an_entity_nobody_knows_gets_any() -> None:
    assert len(SimilarEntities(TRIPLES).distractors("没有", 3)) == 3
    assert SimilarEntities([]).distractors("没有", 3) == []


def test_one_entity_is_distracted_and_the_others_are_not() -> None:
    base = Distracted(Small(), "甲书", [Triple("甲书", "定价", "9元")])
    assert [triple.predicate for triple in base.attributes("甲书")] == ["作者", "定价"]
    assert [triple.predicate for triple in base.attributes("戊书")] == ["作者"]
    assert base.mentions("甲书？") == []
