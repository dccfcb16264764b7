"""A Chinese condition as a yes/no question to the asker: 累计缴费满1年的 → 是否累计缴费满1年？"""

from __future__ import annotations

import re

from caveat.core.languages import HAN
from caveat.language.follow_up import Inquiry

_LEADING = re.compile(
    r"^(?:如果|如(?!下|实|期)|若(?!干)|假如|倘若|只要|只有|除非|当(?!事|地|年|月|日|天)|在(?!职|校|读|押|编|岗|册|籍))"
)
_TRAILING = re.compile(r"(?:的话|的情况下|情况下|的情形|的时候|时(?<!小时)|的)?[，。；,;.\s]*$")
_PREDICATE = re.compile(
    r"^(?:有|无|没有|是|为|患(?!者|儿)|曾|已|能|会(?!员|计)|可|需|属|符合|具|达到|超过|低于|高于|服用|出现|处于|不|未(?!成年|来|婚)|"
    r"累计|连续|逾期|持有?|年满|满(?=[\d一二三四五六七八九十])|参加|缴纳|取得|从事|同意|愿意|发生|经|被|自愿|购买|使用|办理|提供|选择|申请(?!人|者)|"
    r"获得|完成|通过|违反|造成|怀孕|退休|失业|离职|辞职|拥有|享有|居住|就读|因|未满|住在|在)"
)
# What a condition says of its subject: 是否 goes before it. 有 ends many words of which it is no verb.
_INSIDE = re.compile(
    rf"^(?P<subject>(?:(?!的$)[{HAN}A-Za-z]){{2,12}}?)(?P<predicate>大于|小于|等于|超过|低于|高于|多于|少于|达到|不足|不满|不超过|不低于|"
    r"不少于|满(?=[\d一二三四五六七八九十])|已经?|未(?!成年|来|婚)|没有|患有|出现|属于|符合|具有|具备|存在|处于|需要|能够|可以|愿意|同意|持有|"
    r"享有|拥有|参加|缴纳|发生|不是|是(?!否)|不在|不能|不同意|不符合|(?<![所含只带])有(?!关|效|限|时|些|的|害|毒|权))"
)
# What someone is.
_PERSON = re.compile(
    rf"^(?!所有|每|各|其|下列|以下|上述|相关|有|无|没有|是|为|不|非)[{HAN}]{{0,8}}(?:人|员|生|者|妇|职工|员工|居民|用户|家长|儿童|教师)$"
)
# What denies, and what is asked instead; 不满 and the like are measures.
_DENIALS = (
    (re.compile(r"^没有(?=有效|合法|任何)"), "有"),
    (re.compile(r"^(?:没有|没|无(?!论|需|法|偿|障|线|人))"), "有"),
    (re.compile(r"^未(?:曾|经)?(?!成年|来|婚|满|必|免)"), "已"),
    (re.compile(r"^不(?=是|属于|符合|具备|具有|同意|愿意|能|在|存在|需要|再|会|住|参加|吸烟|饮酒)"), ""),
    (re.compile(r"^非(?!法|常|凡|洲|遗|典)"), "是"),
)


def inquiry(text: str, introduction: str = "") -> Inquiry:
    """The question that settles a Chinese condition, and how its answer is to be read."""
    words = _TRAILING.sub("", _LEADING.sub("", " ".join(text.split())))
    for person in ("您", "你"):
        if words.startswith(person) and len(words) > 1:
            return _asked(person, words[1:])
    if (_PREDICATE.match(words) and not _PERSON.match(words)) or any(
        denial.match(words) for denial, _ in _DENIALS
    ):
        return _asked("", words)
    if _PERSON.match(words):
        return Inquiry(f"是否为{words}？")
    found = _INSIDE.match(words)
    if found is not None and not words.startswith(("每", "各", "所", "其")):
        return _asked(found["subject"], words[found.start("predicate") :])
    return Inquiry(f"以下情况是否属实：{words or text}？")


def _asked(subject: str, predicate: str) -> Inquiry:
    """Whether a subject, or the asker, is or does something; what denies is asked without the denial."""
    for denial, instead in _DENIALS:
        if found := denial.match(predicate):
            return Inquiry(f"{subject}是否{_without_is(instead + predicate[found.end() :])}？", True)
    return Inquiry(f"{subject}是否{_without_is(predicate)}？")


def _without_is(predicate: str) -> str:
    """是否 has a 是 already: 是会员 → 为会员."""
    return f"为{predicate[1:]}" if predicate.startswith("是") else predicate
