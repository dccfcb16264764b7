"""The page of a reply: the tree, the text, what is marked in it, and what is folded."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from caveat.core.answers import Answer, Condition, Place
from caveat.core.records import Document, Element, Question, Reply
from caveat.render.page import reply_page
from caveat.sources.html import parse_html
from caveat.sources.markdown import parse_markdown
from caveat.sources.plain_text import parse_plain_text

ORCHID = parse_plain_text(
    "蝴蝶兰平时放在散光处。如果浇水太多烂了根，要停水，再用杀菌剂，比如多菌灵、百菌清。\n\n若光照太强，要遮阴。\n"
)


def place(document: Document, words: str, source: str = "a.txt") -> Place:
    start = document.text.index(words)
    return Place(source, start, start + len(words))


def answer(document: Document, words: str, score: float = 0.5, *conditions: str, **more: object) -> Answer:
    return Answer(
        words,
        "span",
        score,
        place(document, words),
        tuple(Condition(each, place(document, each)) for each in conditions),
        **more,  # type: ignore[arg-type]
    )


def orchid_reply() -> Reply:
    rotten = "如果浇水太多烂了根"
    parts = (answer(ORCHID, "百菌清", 0.7), answer(ORCHID, "多菌灵", 0.6))
    answers = (
        answer(ORCHID, "停水", 0.9, rotten),
        answer(ORCHID, "遮阴", 0.8, "若光照太强"),
        answer(ORCHID, "杀菌剂", 0.7, rotten, parts=parts),
        answer(ORCHID, "散光处", 0.6),
    )
    return Reply(Question("蝴蝶兰怎么养？"), answers, 0.05, together=True)


def page_of(reply: Reply, documents: Mapping[str, Document]) -> LexborHTMLParser:
    page = reply_page(reply, documents)
    check(page)
    return LexborHTMLParser(page)


def check(page: str) -> None:
    """Tags are closed in the order in which they were opened, ids stand once, links lead somewhere, all is inside."""
    body = re.sub(r"(<(script|style)>).*?(</\2>)", r"\1\3", page, flags=re.DOTALL)
    opened: list[str] = []
    for close, tag in re.findall(r"<(/?)([a-z][a-z0-9]*)\b[^<>]*>", body):
        if not close and tag not in ("meta", "link"):
            opened.append(tag)
        elif close:
            assert opened.pop() == tag
    assert opened == []
    assert body.startswith("<!doctype html>\n")
    assert body.count("<") - 1 == len(re.findall(r"<(/?)([a-z][a-z0-9]*)\b[^<>]*>", body))
    tree = LexborHTMLParser(page)
    ids = [node.attributes["id"] for node in tree.css("[id]")]
    assert len(ids) == len(set(ids))
    assert {(node.attributes["href"] or "")[1:] for node in tree.css("a")} <= set(ids)
    assert "http://www.w3.org/2000/svg" in page
    assert "//" not in body
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", page)
    page.encode("utf-8")


def marked(page: LexborHTMLParser) -> dict[str, str]:
    """The text under each mark, by its number."""
    found: dict[str, str] = {}
    for mark in page.css("main mark"):
        for number in (mark.attributes["data-of"] or "").split():
            found[number] = found.get(number, "") + mark.text()
    return found


def outline(section: LexborNode) -> list[str]:
    """The nodes of the tree with their depth."""
    lines = []
    for node in section.css(".node"):
        depth, above = -1, node.parent
        while above is not None and above.tag != "section":
            depth += above.tag == "ol"
            above = above.parent
        lines.append("  " * depth + node.text())
    return lines


def first(page: LexborHTMLParser, selector: str) -> LexborNode:
    found = page.css_first(selector)
    assert found is not None, selector
    return found


def blocks(page: LexborHTMLParser) -> list[tuple[str | None, str]]:
    """The elements of the text, folded or not."""
    nodes = page.css(".text article :is(h4, h5, h6, p, li, tr):not(.gap)")
    return [(node.tag, node.text()) for node in nodes]


def test_the_tree_has_conditions_as_branches_and_fine_answers_under_coarse_ones() -> None:
    page = page_of(orchid_reply(), {"a.txt": ORCHID})
    assert outline(first(page, ".tree")) == [
        "1 散光处 60%",
        "A 如果浇水太多烂了根",
        "  2 停水 90%",
        "  3 杀菌剂 70%",
        "    3.1 多菌灵 60%",
        "    3.2 百菌清 70%",
        "B 若光照太强",
        "  4 遮阴 80%",
    ]
    assert first(page, "html").attributes["lang"] == "zh"
    assert first(page, "article").attributes["lang"] == "zh"
    assert [item.text() for item in page.css(".legend li")] == [
        "条件 2",
        "粗粒度答案 1",
        "细粒度答案 2",
        "答案 3",
    ]


def test_every_span_is_marked_with_its_text_kind_and_label() -> None:
    page = page_of(orchid_reply(), {"a.txt": ORCHID})
    assert [
        (mark.text(), mark.attributes["class"], mark.attributes["data-label"])
        for mark in page.css("main mark")
    ] == [
        ("散光处", "plain first last", "1"),
        ("如果浇水太多烂了根", "condition first last", "A"),
        ("停水", "plain first last", "A→2"),
        ("杀菌剂", "coarse first last", "A→3"),
        ("多菌灵", "fine first last", "3.1"),
        ("百菌清", "fine first last", "3.2"),
        ("若光照太强", "condition first last", "B"),
        ("遮阴", "plain first last", "B→4"),
    ]
    spans = marked(page)
    for node in page.css(".node"):
        assert spans[node.attributes["data-of"] or ""] in node.text()
    heads = {
        node.text(): [spans[head] for head in (node.attributes.get("data-heads") or "").split()]
        for node in page.css(".node")
    }
    assert heads["2 停水 90%"] == ["如果浇水太多烂了根"]
    assert heads["3.2 百菌清 70%"] == ["杀菌剂"]
    assert heads["1 散光处 60%"] == []


def test_links_lead_to_and_fro() -> None:
    page = page_of(orchid_reply(), {"a.txt": ORCHID})
    for node in page.css("a.node"):
        anchor = first(page, f'[id="{(node.attributes["href"] or "")[1:]}"]')
        back = first(page, f'[id="{(anchor.attributes["href"] or "")[1:]}"]')
        assert back.attributes["data-of"] == node.attributes["data-of"]


def test_overlapping_spans_are_cut_at_every_edge() -> None:
    document = parse_plain_text("Pay in cash only if you come before noon.")
    reply = Reply(
        Question("How?"),
        (
            answer(document, "in cash", 0.9, "in cash only if you come before noon"),
            answer(document, "cash only", 0.5),
            answer(document, "cash only", 0.4, parts=(answer(document, "before noon"),)),
        ),
    )
    page = page_of(reply, {"a.txt": document})
    assert [(mark.text(), mark.attributes["class"]) for mark in page.css("main mark")] == [
        ("in ", "condition plain first"),
        ("cash", "condition coarse plain first last"),
        (" only", "condition coarse plain last"),
        (" if you come ", "condition"),
        ("before noon", "condition fine first last"),
    ]
    assert sorted(marked(page).values()) == sorted(
        ["in cash only if you come before noon", "in cash", "cash only", "cash only", "before noon"]
    )


def test_one_span_in_two_branches_has_two_nodes_and_one_mark() -> None:
    text = parse_plain_text("If red or if sore, wash.")
    reply = Reply(
        Question("What?"),
        (
            answer(text, "wash", 0.9, "red"),
            answer(text, "wash", 0.8, "sore"),
            answer(text, "wash", 0.7, "red"),
        ),
        together=True,
    )
    page = page_of(reply, {"a.txt": text})
    assert sorted(marked(page).values()) == ["red", "sore", "wash"]
    assert page.css("main mark")[-1].attributes["data-label"] == "A→1 A→2 B→3"
    both = Answer("wash", "span", 0.5, None, (Condition("red"), Condition("sore")))
    page = page_of(Reply(Question("What?"), (both,), together=True), {"a.txt": text})
    assert [line.text() for line in page.css(".over")] == ["if A red", "and B sore"]


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "</script></style>",
        "\"><img src=x onerror='a()'>",
        "a\0b\x1b[31m\x85\ud800",
        "&lt;",
    ],
)
def test_nothing_of_the_input_becomes_markup(hostile: str) -> None:
    text = f"before {hostile} after"
    document = Document(
        text, hostile, elements=(Element("p", text, 0, len(text)), Element(hostile, "", 0, 0))
    )
    where = Place(hostile, 7, 7 + len(hostile), (hostile,))
    condition = Condition(hostile, Place(hostile, 0, 6))
    found = Answer(hostile, "span", 0.5, where, (condition,), (Place(hostile, 0, 3),), ())
    reply = Reply(Question(hostile, hostile), (found, found))
    page = page_of(reply, {hostile: document, f"{hostile}2": document})
    plain = page_of(Reply(Question("?"), (answer(ORCHID, "停水"),)), {"a.txt": ORCHID})
    assert len(page.css("script")) == len(plain.css("script")) == 1
    assert page.css("img") == []
    assert cleaned(hostile) in set(marked(page).values())
    assert cleaned(hostile) in " ".join(block for _, block in blocks(page))
    assert first(page, "title").text().split() == cleaned(hostile).split()


def cleaned(text: str) -> str:
    """As a browser has it in the end."""
    text = re.sub(r"[\ud800-\udfff]", "\ufffd", text)
    text = re.sub(r"[\t\v\f\x85]", " ", text).replace("\r", "\n")
    return re.sub(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]", "", text)


def test_only_the_pages_own_script_may_run_and_nothing_is_fetched() -> None:
    page = reply_page(Reply(Question("?")), {})
    policy = html.unescape(re.findall(r'Content-Security-Policy" content="([^"]*)"', page)[0])
    assert "default-src 'none'" in policy
    assert re.search(r"script-src 'sha256-[A-Za-z0-9+/]{43}='$", policy)
    assert not re.search(r"<script\s|<link[^>]+stylesheet|@import|url\(", page)


def test_elements_are_shown_as_what_they_are() -> None:
    document = parse_html(
        "<title>Permits</title><h1>Parking</h1><p>You pay:</p><ul><li>by card<ul><li>online</ul><li>in cash</ul>"
        "<table><tr><th>Zone<th>Price</tr><tr><td>A<td>£85</tr></table><h2>Refunds</h2><p>None.</p>"
    )
    page = page_of(Reply(Question("How much?"), (answer(document, "A | £85"),)), {"a.txt": document})
    assert blocks(page) == [
        ("h4", "Parking"),
        ("p", "You pay:"),
        ("li", "by card"),
        ("li", "online"),
        ("li", "in cash"),
        ("tr", "Zone | Price"),
        ("tr", "A | £85"),
        ("h5", "Refunds"),
        ("p", "None."),
    ]
    assert [len(row.css("td")) for row in page.css("tr")] == [2, 2]
    assert [item.attributes.get("style") for item in page.css("article li")] == [None, "--columns:2", None]
    assert [mark.text() for mark in page.css("main mark")] == ["A", " | ", "£85"]
    assert first(page, "h3").text() == "a.txt Permits"


def test_numbers_of_items_and_broken_lines_of_chinese() -> None:
    document = parse_plain_text("1. first\n2. second\n\n（三）第三\n- last")
    page = page_of(Reply(Question("?"), (answer(document, "second"),)), {"a.txt": document})
    assert [item.attributes["data-marker"] for item in page.css("article li")] == ["1.", "2.", "（三）", "•"]
    # A browser would show a blank where the line was broken.
    broken = parse_markdown("施肥要薄\n而勤，每月\nabc")
    page = page_of(Reply(Question("?"), (answer(broken, "薄\n而勤"),)), {"a.txt": broken})
    assert [node.text() for node in page.css(".unseen")] == ["\n"]
    assert marked(page) == {"1": "薄\n而勤"}


def test_no_answer() -> None:
    page = page_of(Reply(Question("Who?"), (), 0.97), {"a.txt": ORCHID})
    assert first(page, ".none").text() == "Not found in this source sure, 97%"
    assert page.css(".node, main mark, .legend") == []
    assert len(blocks(page)) == len(ORCHID.elements)
    guess = Reply(Question("谁？"), (answer(ORCHID, "停水", 0.1),), 0.9)
    page = page_of(guess, {"a.txt": ORCHID, "b.txt": ORCHID})
    assert first(page, ".none").text() == "这些来源中没有找到 确定，90%"
    assert outline(first(page, ".tree")) == ["1 停水 10%"]
    assert page_of(Reply(Question("Who?")), {}).css("article, .others") == []


def test_alternatives_stay_in_order_and_the_improbable_are_folded() -> None:
    reply = Reply(
        Question("?"),
        (answer(ORCHID, "停水", 0.6), answer(ORCHID, "散光处", 0.3), answer(ORCHID, "遮阴", 0.002)),
    )
    page = page_of(reply, {"a.txt": ORCHID})
    assert outline(first(page, ".tree")) == ["1 停水 60%", "2 散光处 30%", "3 遮阴 <1%"]
    assert first(page, ".conclusion").text() == "停水 likely, 60%"
    summaries = [node.text() for node in page.css(".tree details summary")]
    assert summaries == ["1 further possibility", "1 more below 1%"]
    assert len(page.css(".tree details .node")) == 2
    assert "遮阴" in marked(page).values()


def test_several_documents() -> None:
    other = parse_plain_text("The fine is £5.")
    yes = Answer("yes", "yes", 0.2, None, evidence=(place(ORCHID, "要停水"), place(ORCHID, "要停水")))
    reply = Reply(
        Question("How much?"),
        (
            Answer(
                "£5", "span", 0.5, place(other, "£5", "-"), evidence=(place(other, "The fine is £5.", "-"),)
            ),
            yes,
            Answer("lost", "span", 0.1, Place("nowhere.txt", 0, 4)),
            Answer("beyond", "span", 0.05, Place("a.txt", 5, 5000)),
        ),
    )
    page = page_of(reply, {"-": other, "a.txt": ORCHID, "b.txt": ORCHID, "c.txt": other})
    assert [(article.attributes["lang"], first_child_text(article)) for article in page.css("article")] == [
        ("en", "standard input"),
        ("zh", "a.txt"),
    ]
    # The sentence around an answer is nothing new; what shows "yes" is.
    assert marked(page) == {"1": "£5", "2": "要停水"}
    assert first(page, "mark.evidence[data-label]").attributes["data-label"] == "2*"
    assert [link.text() for link in page.css(".also a")] == ["1"]
    assert [line.text() for line in page.css(".where")] == ["standard input", "nowhere.txt", "a.txt"]
    assert [name.text() for name in page.css(".others li")] == ["b.txt", "c.txt"]
    assert len(page.css("span.node")) == 3


def first_child_text(node: LexborNode) -> str:
    return next(child.text() for child in node.iter())


def test_a_span_over_the_edge_of_an_element_and_one_between_elements() -> None:
    document = parse_markdown("# Fees\n\nOne.\n\n---\n\n- two\n- three\n")
    reply = Reply(Question("?"), (answer(document, "One.\ntwo", 0.5), answer(document, "wo\nth", 0.4)))
    page = page_of(reply, {"a.txt": document})
    assert {"".join(text.split()) for text in marked(page).values()} == {"One.two", "woth"}
    # A document without elements is read as plain text.
    bare = Document("First line.\n\nSecond line.")
    page = page_of(Reply(Question("?"), (answer(bare, "Second"),)), {"a.txt": bare})
    assert blocks(page) == [("p", "First line."), ("p", "Second line.")]


def long_document(paragraphs: int, words: int) -> Document:
    lines = [
        f"# Part {number}" if number % 20 == 0 else f"Paragraph {number} " + "on and on " * words + "ends."
        for number in range(paragraphs)
    ]
    return parse_markdown("\n\n".join(lines))


def shown_and_left_out(page: LexborHTMLParser) -> int:
    """How many characters of the text the page has, and says that it has not."""
    count = sum(len(text) for _, text in blocks(page))
    for gap in page.css(".gap"):
        count += int(gap.attributes["data-characters"] or 0)
        if gap.tag == "span":  # within an element, with a blank on each side
            count -= len(gap.text()) + 2
    return count


def test_far_from_the_spans_a_text_is_folded() -> None:
    document = long_document(60, 20)
    page = page_of(Reply(Question("?"), (answer(document, "Paragraph 33"),)), {"a.txt": document})
    assert [node.text()[:13].strip() for node in page.css("article > :is(h4, p)")] == [
        "Part 20",  # the heading over it
        "Paragraph 31",
        "Paragraph 32",
        "Paragraph 33",
        "Paragraph 34",
        "Paragraph 35",
    ]
    assert [node.text() for node in page.css("article summary")] == [
        "20 paragraphs, 4,139 characters",
        "10 paragraphs, 2,180 characters",
        "24 paragraphs, 5,021 characters",
    ]
    assert [text for _, text in blocks(page)] == [element.text for element in document.elements]
    assert page.css(".gap") == []


def test_of_a_huge_text_what_is_far_is_left_out_and_said() -> None:
    document = long_document(6000, 80)
    assert len(document.text) > 4_500_000
    page = page_of(Reply(Question("?"), (answer(document, "Paragraph 3333"),)), {"a.txt": document})
    assert len(page.html or "") < 50_000
    assert shown_and_left_out(page) == sum(len(element.text) for element in document.elements)
    # Without a line end there is one element.
    line = Document("on and on " * 500_000 + "here it is " + "on and on " * 1000)
    page = page_of(Reply(Question("?"), (answer(line, "here it is"),)), {"a.txt": line})
    assert len(page.html or "") < 50_000
    assert marked(page) == {"1": "here it is"}
    assert shown_and_left_out(page) == len(line.text.strip())


def test_five_hundred_spans() -> None:
    document = long_document(6000, 80)
    elements = [element for element in document.elements if element.tag == "p"][::45][:125]
    answers = []
    for element in elements:
        places = [
            Place("a.txt", element.start + at, element.start + at + length)
            for at, length in ((0, 9), (15, 5), (25, 4))
        ]
        spans = [Answer(document.text[each.start : each.end], "span", 0.5, each) for each in places]
        condition = Condition("on", Place("a.txt", element.start + 40, element.start + 42))
        answers.append(Answer(spans[0].text, "span", 0.5, places[0], (condition,), (), tuple(spans[1:])))
    page = page_of(Reply(Question("?"), tuple(answers), together=True), {"a.txt": document})
    assert len(page.css(".node")) == len(page.css("main mark")) == 500
    assert len(page.html or "") < 1_000_000
    assert [node.text()[:3].strip() for node in page.css(".node.condition")][24:28] == [
        "Y o",
        "Z o",
        "AA",
        "AB",
    ]


TEXT = st.text(st.sampled_from("ab 中文。，\n\r\t\0\x1b<>&\"'|-# 1."), min_size=1, max_size=80)


@st.composite
def replies(draw: st.DrawFn) -> tuple[Reply, Document]:
    document = draw(st.sampled_from((parse_plain_text, parse_markdown, Document)))(draw(TEXT))
    text = document.text
    offsets = st.integers(0, len(text))

    def answers(depth: int) -> Iterator[Answer]:
        for start, end in draw(st.lists(st.tuples(offsets, offsets), max_size=3)):
            where = Place("a.txt", start, end)
            conditions = [
                Condition(text[a:b], Place("a.txt", a, b))
                for a, b in draw(st.lists(st.tuples(offsets, offsets), max_size=2))
            ]
            yield Answer(
                text[start:end],
                "span",
                0.5,
                where,
                tuple(conditions),
                (),
                tuple(answers(depth + 1) if depth < 1 else ()),
            )

    return Reply(Question("?"), tuple(answers(0)), together=draw(st.booleans())), document


def every(answers: Iterable[Answer]) -> Iterator[Place | None]:
    for each in answers:
        yield each.place
        yield from (condition.place for condition in each.conditions)
        yield from every(each.parts)


@given(replies())
def test_the_text_is_the_documents_whatever_is_marked(given: tuple[Reply, Document]) -> None:
    reply, document = given
    page = page_of(reply, {"a.txt": document})
    elements = document.elements or parse_plain_text(document.text).elements
    bare = page_of(Reply(Question("?")), {"a.txt": document})
    assert [text for _, text in blocks(bare)] == [cleaned(element.text) for element in elements]
    # With marks, what stands between elements may be there too.
    shown = iter([text for _, text in blocks(page)])
    assert all(cleaned(element.text) in shown for element in elements)
    expected = {
        "".join(cleaned(document.text[where.start : where.end]).split())
        for where in every(reply.answers)
        if where is not None and where.start is not None and where.end is not None
    }
    assert {"".join(text.split()) for text in marked(page).values()} | {""} == expected | {""}
