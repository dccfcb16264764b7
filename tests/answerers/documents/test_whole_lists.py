"""Lists that are the answer, whole, with what introduces them as evidence."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from caveat.answerers.documents.whole_lists import WholeList, asks_for_list, whole_list

from caveat.core.records import Document
from caveat.models.decoding import Candidate
from caveat.models.probability import Choice, Weighed
from caveat.sources.markdown import parse_markdown

RULES = parse_markdown(
    """# 图书馆规则

第一条 读者应当爱护图书，图书馆每天开放。

第二条 具备下列条件的读者，可以办理借书证：

（一）年满六岁的；

（二）没有**欠款**的。

第三条 读者有下列情形之一的，不得办理借书证：
（一）偷书的；
（二）毁书的；
（三）大声喧哗的。

第四条 借书证上印有的内容包括：姓名、编号、照片和有效期。

## 还书步骤

1. 把书放在柜台
2. 刷借书证
"""
)


def listed(
    question: str, found: str, unanswerable: float = 0.4, document: Document = RULES
) -> WholeList | None:
    start = document.text.index(found)
    place = (0, Candidate(found, start, start + len(found), 1.0))
    return whole_list(question, [document], Weighed((Choice(1 - unanswerable, (place,)),), unanswerable))


def texts(whole: WholeList | None) -> list[str]:
    return [] if whole is None else [answer.text for answer in whole.answers]


def evidence(whole: WholeList | None) -> set[str]:
    places = [place for answer in whole.answers for place in answer.evidence] if whole else []
    return {RULES.text[place.start : place.end] for place in places}


def test_a_list_whose_introduction_has_the_question_is_answered_whole() -> None:
    found = listed("办理借书证要具备哪些条件？", "年满六岁")
    assert texts(found) == ["年满六岁的", "没有欠款的"]
    assert evidence(found) == {"第二条 具备下列条件的读者，可以办理借书证："}
    assert found is not None
    assert all(answer.score == found.probability for answer in found.answers)
    assert found.probability == pytest.approx((found.share + 0.6) / 2)


def test_the_list_is_chosen_by_what_introduces_it_not_by_the_readers_span() -> None:
    assert texts(listed("哪些情形不得办理借书证？", "年满六岁")) == ["偷书的", "毁书的", "大声喧哗的"]


def test_a_sentence_that_lists_things_behind_a_colon() -> None:
    assert texts(listed("借书证上印有哪些内容？", "编号")) == ["姓名", "编号", "照片和有效期"]


def test_a_heading_introduces_the_steps_under_it() -> None:
    found = listed("还书有哪些步骤？", "刷借书证")
    assert texts(found) == ["把书放在柜台", "刷借书证"]
    assert evidence(found) == {"还书步骤"}


@pytest.mark.parametrize(
    "question", ["借书证丢失赔偿标准有哪些？", "哪些动物生活在海里？", "谁可以办理借书证？"]
)
def test_other_questions_get_no_list(question: str) -> None:
    assert listed(question, "年满六岁") is None


def test_nothing_read_nothing_listed() -> None:
    assert whole_list("哪些情形不得办理借书证？", [RULES], Weighed((), 1.0)) is None
    assert listed("哪些情形不得办理？", "情形", document=Document("情形")) is None


def test_questions_for_several_things() -> None:
    assert asks_for_list("需要什么材料？")
    assert asks_for_list("丢了证怎么办？")
    assert not asks_for_list("图书馆几点开门？")


def test_time_grows_with_the_list(growth: Callable[..., float]) -> None:
    def free(items: int) -> Document:
        return parse_markdown(
            "下列物品免费：\n\n" + "".join(f"（一）物品{number}；\n\n" for number in range(items))
        )

    def answer(document: Document) -> list[str]:
        return texts(listed("哪些物品免费？", "物品7", document=document))

    assert len(answer(free(400))) == 400
    # Ten times the items; comparing each with all others would be a hundred times the time.
    assert growth(answer, free(400), free(4000)) < 30
