"""Clauses as they stand in rules, each with the question that settles it."""

from __future__ import annotations

import pytest

from caveat.language.follow_up import inquiry


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("the package is unopened", "Is the package unopened?"),
        ("your manager approves", "Does your manager approve?"),
        ("approved by your manager", "Is this approved by your manager?"),
        ("required by law", "Is this required by law?"),
        ("employed by the council", "Are you employed by the council?"),
        ("with written permission", "Do you have written permission?"),
        ("with a valid ticket", "Do you have a valid ticket?"),
        ("during the trial period", "Is this during the trial period?"),
        ("within 14 days of delivery", "Is this within 14 days of delivery?"),
        ("after the first year", "Is this after the first year?"),
        ("12 or older", "Are you 12 or older?"),
        ("at least 12 years old", "Are you at least 12 years old?"),
        ("at least 3 rooms", 'Does this apply: "at least 3 rooms"?'),
        ("only if you are a member", "Are you a member?"),
        ("as long as the lights are on", "Are the lights on?"),
        ("full-time employees only", "Are you a full-time employee?"),
        ("employees who have completed probation", "Are you an employee who has completed probation?"),
        ("students with a valid card", "Are you a student with a valid card?"),
        ("terminated or resign", "Are you terminated, or do you resign?"),
        ("you are terminated or resign", "Are you terminated, or do you resign?"),
        ("you resign or are dismissed", "Do you resign, or are you dismissed?"),
        ("you own a house or have a mortgage", "Do you own a house or have a mortgage?"),
        (
            "the shop is closed and reopens on Monday",
            "Is the shop closed, and does the shop reopen on Monday?",
        ),
        ("you or your partner has a disability", "Do you or your partner have a disability?"),
        ("in case of illness", 'Does this apply: "in case of illness"?'),
        ("if necessary", "Is this necessary?"),
        ("more than 5 guests attend", 'Does this apply: "more than 5 guests attend"?'),
        (
            "you do not have a ticket and are under 18",
            'Does this apply: "you do not have a ticket and are under 18"?',
        ),
        ("no more than 3 people", 'Does this apply: "no more than 3 people"?'),
    ],
)
def test_an_english_clause_is_asked(text: str, question: str) -> None:
    assert inquiry(text) == (question, False)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("there is no conflict of interest", "Is there any conflict of interest?"),
        ("there are no open invoices", "Are there any open invoices?"),
        ("no outstanding fees", "Are there any outstanding fees?"),
        ("nobody lives in the house", "Does anybody live in the house?"),
        ("no one is injured", "Is anyone injured?"),
        ("nothing is broken", "Is anything broken?"),
        ("none of the rooms is booked", "Is any of the rooms booked?"),
        ("you no longer work here", "Do you still work here?"),
        ("you are no longer a student", "Are you still a student?"),
        ("you never smoked", "Did you ever smoke?"),
        ("you have never been insured", "Have you ever been insured?"),
        ("without a licence", "Do you have a licence?"),
    ],
)
def test_an_english_denial_is_asked_without_it(text: str, question: str) -> None:
    assert inquiry(text) == (question, True)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("累计缴费满1年的", "是否累计缴费满1年？"),
        ("逾期未归还的", "是否逾期未归还？"),
        ("患者年龄大于60岁", "患者年龄是否大于60岁？"),
        ("申请人已经年满18岁", "申请人是否已经年满18岁？"),
        ("员工同意加班", "员工是否同意加班？"),
        ("订单金额超过100元", "订单金额是否超过100元？"),
        ("商品存在质量问题", "商品是否存在质量问题？"),
        ("家庭收入低于标准的", "家庭收入是否低于标准？"),
        ("你已经退休", "你是否已经退休？"),
        ("您是会员", "您是否为会员？"),
        ("在校学生", "是否为在校学生？"),
        ("未成年人", "是否为未成年人？"),
        ("持有有效证件", "是否持有有效证件？"),
        ("不满18周岁", "是否不满18周岁？"),
        ("工作时间不足8小时", "工作时间是否不足8小时？"),
        ("无法提供证明", "是否无法提供证明？"),
        ("叶子发黄的话", "以下情况是否属实：叶子发黄？"),
    ],
)
def test_a_chinese_clause_is_asked(text: str, question: str) -> None:
    assert inquiry(text) == (question, False)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("没有违章记录", "是否有违章记录？"),
        ("无犯罪记录的", "是否有犯罪记录？"),
        ("未取得许可证的", "是否已取得许可证？"),
        ("不是本市户籍", "是否为本市户籍？"),
        ("您没有医保", "您是否有医保？"),
        ("您不吸烟", "您是否吸烟？"),
        ("车辆未年检", "车辆是否已年检？"),
        ("非本单位职工", "是否为本单位职工？"),
        ("不符合条件的", "是否符合条件？"),
    ],
)
def test_a_chinese_denial_is_asked_without_it(text: str, question: str) -> None:
    assert inquiry(text) == (question, True)
