from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.core.errors import CaveatError
from caveat.sources.html import parse_html
from caveat.sources.outline import headings_at, introduction_of

PAGE = """<!DOCTYPE html>
<html lang="en"><head><title> Funeral payment:
 Eligibility </title><link rel="canonical" href="https://www.example.org/funeral-payment">
<style>p { color: red }</style><script>var p = "<p>no</p>";</script></head>
<body class="js-enabled"><noscript>Switch on JavaScript</noscript>
<div id="global-cookie-message" class="gem-c-cookie-banner"><p>We use cookies</p><button>Accept</button></div>
<a class="govuk-skip-link" href="#content">Skip to content</a>
<header role="banner"><p>The site</p></header>
<div class="breadcrumbs">Home &gt; Benefits</div>
<main id="content" class="about-cookies"><header><h1>Funeral&nbsp;payment</h1></header>
<nav><ul><li>Overview</li></ul></nav>
<p>You could get <b>help</b> with the<i> costs</i> of a fun<em>er</em>al
   &amp; more.</p>
<p>You must be all of:</p>
<ul>
  <li>arranging the funeral</li>
  <li><p>one of these:</p><ol><li>partner<li>close <a href="#">relative</a><p>in work</p></ol></li>
  <li>in the UK</li>
</ul>
<h2><button><span>When</span> to claim<span class="govuk-accordion__section-toggle">Show</span></button></h2>
<div hidden="until-found"><dl><dt>Deadline</dt><dd>6 months</dd></dl></div>
<p hidden>Not shown</p><p style="display: none">Nor this</p>
<span class="govuk-visually-hidden">For screen readers</span>
<blockquote>Claim early.</blockquote><figure><img alt="x"><figcaption>A form</figcaption></figure>
<h6>Contact</h6><address>1 High Street<br>Town</address>
<aside>Related</aside><button>Print</button></main>
<footer>Crown</footer></body></html>"""


def shown(markup: str) -> list[tuple[str, str]]:
    return [(element.tag, element.text) for element in parse_html(markup).elements]


def texts(markup: str) -> list[str]:
    return [text for _, text in shown(markup)]


def test_a_saved_page_gives_its_content() -> None:
    document = parse_html(PAGE)
    assert document.title == "Funeral payment: Eligibility"
    assert document.url == "https://www.example.org/funeral-payment"
    assert [(element.tag, element.text) for element in document.elements] == [
        ("h1", "Funeral payment"),
        ("p", "You could get help with the costs of a funeral & more."),
        ("p", "You must be all of:"),
        ("li", "arranging the funeral"),
        ("li", "one of these:"),
        ("li", "partner"),
        ("li", "close relative"),
        ("p", "in work"),
        ("li", "in the UK"),
        ("h2", "When to claim"),
        ("p", "Deadline"),
        ("p", "6 months"),
        ("p", "Claim early."),
        ("p", "A form"),
        ("h4", "Contact"),
        ("p", "1 High Street Town"),
    ]
    assert [line.strip() for line in document.text.split("\n")] == [e.text for e in document.elements]


def test_headings_and_introductions() -> None:
    document = parse_html(PAGE)
    places = {element.text: index for index, element in enumerate(document.elements)}

    def introduction(text: str) -> str | None:
        element = introduction_of(document, places[text])
        return element.text if element else None

    assert introduction("in the UK") == introduction("one of these:") == "You must be all of:"
    assert introduction("partner") == introduction("close relative") == "one of these:"
    town = document.elements[places["1 High Street Town"]]
    assert headings_at(document, town.start) == ("Funeral payment", "When to claim", "Contact")


def test_without_main_the_article_or_the_body() -> None:
    article = "<div>Menu</div><article><header><h1>Dogs</h1></header><p>Clean up after them.</p></article>"
    assert texts(article) == ["Dogs", "Clean up after them."]
    teaser = "<p>A long text that the page is there for.</p><article>Teaser</article>"
    assert texts(teaser) == ["A long text that the page is there for.", "Teaser"]
    assert texts("<header>Site</header>Text<footer>Foot</footer>") == ["Text"]
    # All there is, is better than nothing.
    assert texts("<header>Site <nav>Home</nav></header>") == ["Site", "Home"]
    assert texts("<main> </main><p>Elsewhere</p>") == ["Elsewhere"]


def test_title_and_address() -> None:
    assert parse_html("<h1>Only <b>heading</b></h1>").title == "Only heading"
    assert parse_html("<svg><title>Icon</title></svg><p>x").title == ""
    saved = "<!DOCTYPE html>\n<!-- saved from url=(0025)https://example.org/page/ -->\n<p>x"
    assert parse_html(saved).url == "https://example.org/page/"
    assert (
        parse_html('<meta property="og:url" content=" https://example.org/a "><p>x').url
        == "https://example.org/a"
    )


def test_a_page_about_cookies_is_content() -> None:
    assert texts('<div class="cookies-page"><h1>Cookies</h1><p>What they are</p></div>') == [
        "Cookies",
        "What they are",
    ]
    for name in (
        "cookie-banner",
        "js-cookie-notice",
        "CookieConsentDialog",
        "gdpr-popup",
        "site-banner-cookies",
    ):
        assert texts(f"<p>x</p><div class='a {name}'>We use cookies</div>") == ["x"]
        assert texts(f"<p>x</p><div id='{name}'>We use cookies</div>") == ["x"]


def test_a_closed_question_is_a_heading_over_its_answer() -> None:
    for item in (
        "<details><summary>{}</summary><p>{}</p></details>",
        "<div><button aria-expanded=false>{}</button><div style='display:none'>{}</div></div>",
        "<div><div><span role=button aria-expanded=true>{}</span></div><div>{}</div></div>",
        "<button class='faq-question'>{}</button><div class=panel>{}</div>",
        "<ul><li><button data-toggle=collapse>{}</button><p>{}</p></ul>",
        "<dl><dt>{}</dt><dd>{}</dd></dl>",
        "<div itemscope itemtype='https://schema.org/Question'><b itemprop=name>{}</b><p>{}</p></div>",
    ):
        page = "<main><h2>Questions</h2>{}{}</main>"
        both = page.format(item.format("Can I cancel?", "Yes."), item.format("What does it cost?", "£5."))
        assert shown(both) == [
            ("h2", "Questions"),
            ("h3", "Can I cancel?"),
            ("p", "Yes."),
            ("h3", "What does it cost?"),
            ("p", "£5."),
        ], item


def test_a_panel_that_a_button_controls_is_read_though_it_is_hidden() -> None:
    page = (
        "<button aria-controls=a aria-expanded=false>Can I cancel?</button><p>Please read on.</p>"
        "<div id=a hidden>Yes.</div><div hidden>Not this.</div>"
    )
    assert texts(page) == ["Can I cancel?", "Please read on.", "Yes."]


def test_a_fold_in_the_middle_of_a_section_is_no_heading() -> None:
    page = "<h1>Fees</h1><details><summary>Help with forms</summary>Call us.</details><p>It costs £5.</p>"
    assert shown(page) == [("h1", "Fees"), ("p", "Help with forms"), ("p", "Call us."), ("p", "It costs £5.")]
    # Beside others it is one, whatever comes after the last.
    two = page.replace("<details>", "<details><summary>Who pays</summary>You.</details><details>")
    assert [tag for tag, _ in shown(two)] == ["h1", "h2", "p", "h2", "p", "p"]


def test_buttons_that_fold_nothing_are_not_read() -> None:
    for button in (
        "<button>Print</button>",
        "<button type=submit>Shall we go on?</button>",
        "<button aria-haspopup=menu aria-expanded=false>Share</button>",
        "<button aria-expanded=false>Menu</button><nav>Home</nav>",
    ):
        assert texts(f"<p>Text</p>{button}") == ["Text"]


def test_tabs_are_named_before_their_panels() -> None:
    page = (
        "<h2>Install</h2><div role=tablist><button role=tab aria-controls=w>Windows</button>"
        "<button role=tab aria-controls=m>Mac</button></div>"
        "<div role=tabpanel id=w>Run it.</div><div role=tabpanel id=m hidden>Drag it.</div>"
    )
    assert shown(page) == [
        ("h2", "Install"),
        ("h3", "Windows"),
        ("p", "Run it."),
        ("h3", "Mac"),
        ("p", "Drag it."),
    ]


def test_menus_footers_and_notes() -> None:
    menu = "<div class=menu><ul><li><a href=a>Home</a><li><a href=b>Prices</a></ul></div>"
    assert texts(f"{menu}<p>Soup £3</p><div id=footer>Since 1990</div>") == ["Soup £3"]
    # A menu of a restaurant is no navigation, and in the content a footer may be anything.
    assert texts("<div class=menu><p>Soup £3, see <a href=a>more</a></p></div>") == ["Soup £3, see more"]
    assert texts("<main><div class=footer>All prices with tax</div></main>") == ["All prices with tax"]
    assert texts("<main><aside><p>Note: bring a card.</p></aside>Text</main>") == [
        "Note: bring a card.",
        "Text",
    ]
    assert texts("<main><aside><p><a href=a>Related</a></p></aside>Text</main>") == ["Text"]


def test_the_heading_of_a_page_may_stand_in_its_header() -> None:
    page = "<header><h1>Dog fouling</h1><nav>Home</nav></header><p>Text</p>"
    assert shown(page) == [("h1", "Dog fouling"), ("p", "Text")]
    assert texts(page.replace("<p>", "<main><h1>Fines</h1><p>")) == ["Fines", "Text"]


def test_line_breaks() -> None:
    assert texts("a<br>b<br><br>c<br/> <br/>d<wbr>e") == ["a b", "c", "de"]
    assert texts("　　第一段。<br>　　第二段。<br>还是第二段。") == ["第一段。", "第二段。 还是第二段。"]
    assert texts("<pre>a  b\nc\n\nd</pre>") == ["a b c", "d"]


def test_blanks_between_inline_tags() -> None:
    assert texts("<p>a<b> b</b><i>c </i> d\n<span>e</span>\tf</p>") == ["a bc d e f"]
    assert texts("<a><div>one</div></a><span>two</span><div>three</div>four") == [
        "one",
        "two",
        "three",
        "four",
    ]
    assert texts("so\u00adft ze\u200bro &lt;b&gt; &hellip; &#20013;") == ["soft zero <b> … 中"]


def test_what_stands_in_an_item() -> None:
    markup = "<ul><li>a<ul><li>b</ul>tail<li><ul><li>c</ul><li><h3>d</h3>e</ul>"
    assert parse_html(markup).text == "a\n  b\n  tail\n  c\n  d\ne"
    assert [tag for tag, _ in shown(markup)] == ["li", "li", "p", "li", "h3", "li"]


def test_tables() -> None:
    markup = """<table><caption>Rates</caption><thead><tr><th rowspan=2>Age<th colspan=2>Fee</tr>
    <tr><th>one<th>two</thead><tbody><tr><td rowspan="0">18 to 24<td>£5<td><p>£8</p><p>or £9</p></tr>
    <tr><td>£6<td></tr></tbody><tbody><tr><td>over<td colspan=2>free<br>always</tr><tr><td> <td></tr></table>"""
    assert shown(markup) == [
        ("p", "Rates"),
        ("tr", "Age | Fee"),
        ("tr", "Age | one | two"),
        ("tr", "18 to 24 | £5 | £8 or £9"),
        ("tr", "18 to 24 | £6 |"),
        ("tr", "over | free always"),
    ]


def test_merged_cells_in_the_middle_and_at_the_end() -> None:
    markup = (
        "<table><tr><td>a<td rowspan=2>b<td>c<td rowspan=3>d</tr><tr><td>e<td>f</tr><tr><td>g</tr></table>"
    )
    assert texts(markup) == ["a | b | c | d", "e | b | f | d", "g | d"]


def test_a_small_table_does_not_become_a_huge_text() -> None:
    row = "<tr>" + "<td rowspan=60000>x" * 2_000 + "</tr>"
    assert len(parse_html(f"<table>{row}{'<tr><td>y</tr>' * 2_000}</table>").text) < 1_000_000
    assert (
        len(parse_html(f"<table><tr><td rowspan=999>{'x' * 9_999}<td>{'<tr><td>y' * 998}</table>").text)
        < 50_000
    )


def test_tables_that_only_place_things() -> None:
    for markup in (
        "<table><tr><td>a</td></tr><tr><td>b</td></tr></table>",
        "<table role=presentation><tr><td>a<td>b</table>",
        "<table><tr><td><table><tr><td>a</table><td>b</table>",
    ):
        assert shown(markup) == [("p", "a"), ("p", "b")]
    page = "<table><tr><td>menu<td><h1>Dogs</h1><p>Text</p></table>"
    assert shown(page) == [("p", "menu"), ("h1", "Dogs"), ("p", "Text")]
    inner = "<table><tr><td><h2>x</h2><table><tr><td>a<td>b</table></table>"
    assert shown(inner) == [("h2", "x"), ("tr", "a | b")]


@pytest.mark.parametrize(
    "tag", ["div", "ul><li", "b", "table><tr><td", "h1><div", "blockquote", "main", "article"]
)
def test_deeply_nested(tag: str) -> None:
    document = parse_html(f"<{tag}>x" * 10_000)
    assert document.text.count("x") == 10_000
    assert len(document.text) < 2_000_000


def test_nothing_to_see() -> None:
    for markup in ("", " ", "<p>", "<script>x</script>", "<frameset><frame src=x></frameset>", "<!-- x -->"):
        assert parse_html(markup).elements == ()
        assert parse_html(markup).text == ""


_TAGS = st.sampled_from(
    "p div b br h1 h5 ul li ol table tr td th tbody caption pre main article header nav button dl dd a template "  # noqa: SIM905
    "select option svg math frameset title textarea form noscript".split()
)
_SOUP = st.lists(
    st.one_of(
        st.text(max_size=6),
        _TAGS.map("<{}>".format),
        _TAGS.map("</{}>".format),
        st.tuples(
            _TAGS, st.sampled_from(["hidden", "rowspan=3", "colspan=x", "class='cookie-bar'", "role=main"])
        ).map(lambda pair: f"<{pair[0]} {pair[1]}>"),
        st.sampled_from(
            ["&nbsp;", "&", "&#0;", "&#xD800;", "<!--", "-->", "<![CDATA[", "<", "\0", "\ud800", "<?"]
        ),
    ),
    max_size=40,
).map("".join)


@given(_SOUP)
def test_soup(markup: str) -> None:
    try:
        document = parse_html(markup)
    except CaveatError:
        return
    at = 0
    for element in document.elements:
        assert at <= element.start < element.end
        assert document.text[element.start : element.end] == element.text
        assert element.text == " ".join(element.text.split())
        assert element.tag in ("h1", "h2", "h3", "h4", "p", "li", "tr")
        assert document.text[at : element.start].strip() == ""
        at = element.end
    assert at == len(document.text)


_WORD = st.text("abc中文", min_size=1, max_size=4)


@st.composite
def simple_page(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A page of simple blocks, and the text that each of them shows."""
    parts, expected = [], []
    for tag in draw(st.lists(st.sampled_from(["p", "h2", "div", "li", "blockquote", "dd"]), min_size=1)):
        words = draw(st.lists(_WORD, min_size=1, max_size=4))
        inline = draw(
            st.lists(
                st.sampled_from(["{}", "<b>{}</b>", "<a href='x'>{}</a>", "<i><u>{}</u></i>"]), min_size=4
            )
        )
        body = " ".join(form.format(word) for form, word in zip(inline, words, strict=False))
        parts.append(f"<{tag}>{body}</{tag}>")
        expected.append(" ".join(words))
    return "\n".join(parts), expected


@given(simple_page())
def test_all_that_is_visible_is_kept(page: tuple[str, list[str]]) -> None:
    markup, expected = page
    assert texts(markup) == expected
    assert texts(f"<body><nav>no</nav><main>{markup}</main></body>") == expected


def test_time_grows_with_the_page(growth: Callable[..., float]) -> None:
    def page(times: int) -> str:
        return f"<main>{'<ul><li>an <b>item</b></li></ul><table><tr><td>a<td>b</table>' * times}</main>"

    # Ten times the page; quadratic would be a hundred times the time.
    assert growth(parse_html, page(200), page(2_000)) < 30


def test_boxes_to_share_and_to_read_on_are_no_content() -> None:
    page = """<div class="cc-window"><p>We use cookies.</p></div><h1>Fees</h1><p>It costs 5 euros.</p>
    <div class="share-buttons"><a href="#a">Share</a> <a href="#b">Tweet</a></div>
    <div class="related-posts"><h3>Related</h3><ul><li><a href="x">How to row</a></li></ul></div>
    <div id="sidebar"><h3>Latest news</h3><ul><li><a href="z">Regatta</a></li></ul></div>
    <div id="sidebar"><h3>Hours</h3><p>We open at 9.</p></div>"""
    assert [element.text for element in parse_html(page).elements] == [
        "Fees",
        "It costs 5 euros.",
        "Hours",
        "We open at 9.",
    ]
