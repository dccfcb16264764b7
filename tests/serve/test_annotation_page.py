"""The annotation page in a browser without a window: with keys, by hand, in two tabs, without a connection."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import sleep
from typing import Any

import httpx
import pytest

from caveat.annotation.project import Project
from caveat.annotation.records import Element, Sample, Span, Suggestion, Work

pytest.importorskip("selenium.webdriver", reason="selenium is not installed")

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

STATIC = Path(__file__).resolve().parents[2] / "src" / "caveat" / "serve" / "annotate" / "static"
DESKTOP, PHONE = (1280, 900), (390, 844)
SECONDS = 30
LAMP = "If the lamp blinks, press a button: the left one or the right one. If it is dark, change the bulb."

Serving = Callable[..., AbstractContextManager[httpx.Client]]

# Selects between two places of the text, counted as the browser does, in the pieces that it is drawn in.
SELECT = """const [host, from, to] = arguments;
const texts = [...host.querySelectorAll("[data-start]")].map((piece) => piece.firstChild).filter(Boolean);
let at = 0; const ends = [null, null];
for (const text of texts) {
  for (const [n, unit] of [from, to].entries())
    if (!ends[n] && unit <= at + text.length && (n || unit < at + text.length)) ends[n] = [text, unit - at];
  at += text.length;
}
host.focus({preventScroll: true});
return new Promise((heard) => {
  document.addEventListener("selectionchange", () => setTimeout(heard), {once: true});
  setTimeout(heard, 1000);
  getSelection().setBaseAndExtent(...ends[0], ...ends[1]);
});"""


class Desk:
    """What an annotator does."""

    def __init__(self, browser: Any, address: str, host: str = "#editor") -> None:
        self.browser, self.address, self.host = browser, address, host

    def open(self, token: str, size: tuple[int, int] = DESKTOP, tail: str = "") -> None:
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.browser.get("about:blank")
        self.browser.get(f"{self.address}/{tail}#token={token}")
        self.ready()

    def ready(self) -> None:
        self.until(lambda: self.run("return 'ready' in document.documentElement.dataset"))

    def run(self, script: str, *arguments: object) -> Any:
        return self.browser.execute_script(script, *arguments)

    def until(self, holds: Callable[[], object]) -> Any:
        return WebDriverWait(self.browser, SECONDS, 0.03).until(lambda _: holds())

    def by(self, selector: str) -> Any:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent.trim())"
        return list(self.run(script, selector))

    def select(self, text: str, words: str) -> None:
        def units(before: str) -> int:
            return len(before.encode("utf-16-le")) // 2

        start = text.index(words)
        ends = units(text[:start]), units(text[: start + len(words)])
        self.run(SELECT, self.by(f"{self.host} .text"), *ends)

    def press(self, *keys: str) -> None:
        ActionChains(self.browser).send_keys(*keys).perform()

    def hold(self, *keys: str) -> None:
        """Keys together: all but the last are held."""
        chain = ActionChains(self.browser)
        for key in keys[:-1]:
            chain.key_down(key)
        chain.send_keys(keys[-1])
        for key in keys[:-1]:
            chain.key_up(key)
        chain.perform()

    @property
    def said(self) -> str:
        return str(self.run("return document.getElementById('said').textContent"))

    @property
    def spans(self) -> list[str]:
        return self.texts(f"{self.host} .side .span")

    def saved(self) -> None:
        self.until(lambda: self.run("return document.getElementById('saved').dataset.state") == "saved")

    def complaints(self) -> list[str]:
        return [line["message"] for line in self.browser.get_log("browser") if line["level"] == "SEVERE"]

    @property
    def too_wide(self) -> bool:
        return bool(self.run("return document.documentElement.scrollWidth > innerWidth"))


class Room:
    """A project at an address, and its people."""

    def __init__(self, browser: Any, project: Project, address: str) -> None:
        self.project = project
        self.desk = Desk(browser, address)

    def enter(self, name: str, role: Any = "annotator", **options: Any) -> Desk:
        self.desk.open(self.project.add_annotator(name, role), **options)
        return self.desk

    def work(self, item: str, name: str, stage: str = "annotate") -> Work:
        found = self.project.work(item, name, stage)[0]
        assert found is not None
        return found


@pytest.fixture
def room(browser: Any, annotating: Serving, tmp_path: Path) -> Iterator[Callable[..., Room]]:
    with ExitStack() as stack:
        rooms: list[Room] = []

        def made(task: str, *samples: Sample, **options: Any) -> Room:
            project = stack.enter_context(Project.new(tmp_path / "room.project", task, samples, **options))
            client = stack.enter_context(annotating(project))
            browser.get_log("browser")
            rooms.append(Room(browser, project, str(client.base_url).rstrip("/")))
            return rooms[-1]

        yield made
        for each in rooms:
            # Each test leaves a page behind that met no fault of its own; what the server refused is told of too.
            assert [said for said in each.desk.complaints() if "status of 409" not in said] == []
        browser.get("about:blank")


def lamp(id: str = "lamp", text: str = LAMP, **fields: Any) -> Sample:
    return Sample(id, text, **{"question": "What do I do?", **fields})


def texts_of(work: Work, text: str) -> list[tuple[str, str]]:
    return [(span.kind, text[span.start : span.end]) for span in work.spans]


def test_spans_and_links_with_keys(room: Callable[..., Room]) -> None:
    here = room("cmqa", lamp(), lamp("bulb"))
    desk = here.enter("Ada")
    for words, key in (
        *(
            ("If the lamp blinks", "c"),
            ("press a button", "a"),
            ("the left one", "f"),
            ("the right one", "f"),
        ),
    ):
        desk.select(LAMP, words)
        desk.press(key)
    assert desk.spans == ["C1If the lamp blinks", "A1press a button", "F1the left one", "F2the right one"]
    desk.press("[", "[")  # from the last span back to the coarse answer
    desk.press("e")
    assert desk.texts("#editor .tag.numbered") == ["1", "2"]
    desk.press("2", "e", "1")
    desk.press("[", "q")  # the condition has one coarse answer only
    desk.saved()
    work = here.work("lamp", "Ada")
    labels = {span.id: LAMP[span.start : span.end] for span in work.spans}
    assert sorted((link.kind, labels[link.source], labels[link.target]) for link in work.links) == [
        ("coarse_fine", "press a button", "the left one"),
        ("coarse_fine", "press a button", "the right one"),
        ("condition_coarse", "If the lamp blinks", "press a button"),
    ]
    desk.press("z")
    desk.until(lambda: len(here.work("lamp", "Ada").links) == 2)
    desk.hold(Keys.SHIFT, "z")
    desk.until(lambda: len(here.work("lamp", "Ada").links) == 3)
    desk.press("x")
    desk.until(lambda: desk.spans[0] == "A1press a button")
    desk.hold(Keys.CONTROL, "z")
    desk.until(lambda: len(desk.spans) == 4)
    desk.press(Keys.ENTER)
    desk.until(lambda: desk.texts("#item-name") == ["bulb"])
    assert desk.texts("#progress-words") == ["2 items, 1 done"]
    desk.press("u")
    desk.saved()
    assert here.work("bulb", "Ada").verdict == "unanswerable"
    desk.press("k")
    desk.until(lambda: desk.texts("#item-name") == ["lamp"])
    assert len(desk.spans) == 4


def test_the_text_is_walked_and_selected_with_arrows(room: Callable[..., Room]) -> None:
    text = "cafe\u0301 👩‍👩‍👧 𠮷野家 end"
    here = room("multispan", lamp(text=text))
    desk = here.enter("Ada")
    assert desk.run("return document.activeElement.classList.contains('text')")
    desk.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert desk.by("#editor .caret").is_displayed()
    desk.hold(Keys.SHIFT, Keys.ARROW_RIGHT)  # e and its accent are one character
    desk.press("a")
    desk.press(Keys.ARROW_RIGHT)
    desk.hold(Keys.SHIFT, Keys.ARROW_RIGHT)  # a family of five code points
    desk.press("a")
    desk.press(Keys.ARROW_RIGHT)
    desk.hold(Keys.CONTROL, Keys.ARROW_RIGHT)
    desk.press(Keys.END)
    desk.hold(Keys.SHIFT, Keys.CONTROL, Keys.ARROW_LEFT)
    desk.press("a")
    desk.saved()
    assert [words for _, words in texts_of(here.work("lamp", "Ada"), text)] == ["e\u0301", "👩‍👩‍👧", "end"]
    desk.hold(Keys.ALT, Keys.SHIFT, Keys.ARROW_LEFT)
    desk.hold(Keys.ALT, Keys.SHIFT, Keys.ARROW_LEFT)
    desk.saved()
    assert texts_of(here.work("lamp", "Ada"), text)[-1][1] == "家 end"


@pytest.mark.parametrize(
    ("text", "from_", "to", "words"),
    [
        ("a😀b", 2, 3, "😀"),  # in the middle of a surrogate pair
        ("x𠮷y", 1, 2, "𠮷"),
        ("no\u0308n", 1, 2, "o\u0308"),
        ("🇨🇭🇨🇦", 4, 6, "🇨🇦"),
        ("नमस्ते जी", 0, 1, "न"),
        ("  b  ", 0, 5, "b"),
        ("a\r\nb", 0, 4, "a\r\nb"),
        ("שלום עולם", 0, 4, "שלום"),
        ("\u202egnihton\u202c x", 10, 11, "x"),
    ],
)
def test_places_are_whole_characters_of_python(
    room: Callable[..., Room], text: str, from_: int, to: int, words: str
) -> None:
    here = room("multispan", lamp(text=text))
    desk = here.enter("Ada")
    desk.run(SELECT, desk.by("#editor .text"), from_, to)
    desk.press("a")
    desk.saved()
    desk.until(lambda: here.work("lamp", "Ada").spans)
    (span,) = here.work("lamp", "Ada").spans
    assert text[span.start : span.end] == words


def test_a_link_is_dragged(room: Callable[..., Room]) -> None:
    here = room("cmqa", lamp())
    desk = here.enter("Ada")
    for words, key in (("press a button", "a"), ("the left one", "f")):
        desk.select(LAMP, words)
        desk.press(key)
    tags = desk.browser.find_elements(By.CSS_SELECTOR, "#editor .tag")
    ActionChains(desk.browser).drag_and_drop(tags[0], tags[1]).perform()
    desk.saved()
    desk.until(lambda: [link.kind for link in here.work("lamp", "Ada").links] == ["coarse_fine"])
    assert desk.texts("#editor .link") == ["→ F1"]
    desk.by("#editor .link").click()
    desk.until(lambda: here.work("lamp", "Ada").links == ())


def test_spans_that_share_characters(room: Callable[..., Room]) -> None:
    here = room("cmqa", lamp())
    desk = here.enter("Ada")
    for words, key in (
        *(("press a button: the left one or the right one", "a"), ("the left one", "f")),
        *(("the right one. If it is", "c"), ("the right one", "f")),
    ):
        desk.select(LAMP, words)
        desk.press(key)
    desk.saved()
    assert len(here.work("lamp", "Ada").spans) == 4
    lines = "return document.querySelector('#editor .piece.kind-fine').style.getPropertyValue('--lines')"
    assert desk.run(lines).count("linear-gradient") == 2
    desk.select(LAMP, "a button: the")
    desk.press("a")
    assert desk.said == "Two spans of one kind may not share characters."
    assert len(desk.spans) == 4
    # All of the text is still there, in order, whatever is drawn over it.
    assert "".join(desk.texts("#editor [data-start]")).replace(" ", "") == LAMP.replace(" ", "")


def test_a_selection_outlives_what_the_server_says(room: Callable[..., Room]) -> None:
    here = room("cmqa", lamp())
    desk = here.enter("Ada")
    desk.select(LAMP, "press a button")
    desk.run(
        "window.real = fetch; window.hold = new Promise((go) => (window.go = go));"
        "window.fetch = async (...all) => { await hold; return real(...all); }"
    )
    desk.press("a")
    desk.select(LAMP, "the left one")
    kept = "return getSelection().toString()"
    assert desk.run(kept) == "the left one"
    desk.run("go()")
    desk.saved()
    assert desk.run(kept) == "the left one"


def test_rules_warn_where_the_annotator_looks(room: Callable[..., Room]) -> None:
    here = room("cmqa", lamp())
    desk = here.enter("Ada")
    desk.until(lambda: desk.texts("#editor .notes .remark") == ["nothing is marked as the answer"])
    for words in ("press a", " button"):
        desk.select(LAMP, words)
        desk.press("a")
    desk.until(lambda: len(desk.texts("#editor .notes .remark")) == 0)
    desk.hold(Keys.ALT, Keys.SHIFT, Keys.ARROW_LEFT)
    desk.until(lambda: desk.texts("#editor .spans .remark"))
    assert desk.run("return document.querySelectorAll('#editor .piece.warned').length") == 2


def test_two_tabs_keep_what_both_have(room: Callable[..., Room]) -> None:
    here = room("cmqa", lamp())
    token = here.project.add_annotator("Ada")
    desk = here.desk
    desk.open(token)
    first = desk.browser.current_window_handle
    desk.browser.switch_to.new_window("tab")
    second = desk.browser.current_window_handle
    try:
        desk.open(token)
        desk.select(LAMP, "press a button")
        desk.press("a")
        desk.saved()
        desk.browser.switch_to.window(first)
        # The tab has not heard of it: what it saves is refused, and both are shown.
        desk.run("window.stopImmediatePropagation = 0")
        version = here.project.work("lamp", "Ada", "annotate")[1]
        work = Work("What do I do?", spans=(Span("other", "fine", 36, 48),))
        desk.until(lambda: desk.spans == ["A1press a button"])  # it looks again when it is looked at
        here.project.save("lamp", "Ada", "annotate", work, version=version, request="elsewhere")
        desk.select(LAMP, "If the lamp blinks")
        desk.press("c")
        desk.until(lambda: desk.by("#conflict").is_displayed())
        assert desk.texts("#conflict-mine .spans li") == ["C1 If the lamp blinks", "A1 press a button"]
        assert desk.texts("#conflict-theirs .spans li") == ["F1 the left one"]
        desk.by("#conflict-take-both").click()
        desk.until(lambda: len(here.work("lamp", "Ada").spans) == 3)
        assert desk.spans == ["C1If the lamp blinks", "A1press a button", "F1the left one"]
        desk.saved()
        desk.press("z")
        desk.until(lambda: len(here.work("lamp", "Ada").spans) == 2)
    finally:
        desk.browser.switch_to.window(second)
        desk.browser.close()
        desk.browser.switch_to.window(first)


def test_nothing_is_lost_without_a_connection(browser: Any, annotating: Serving, tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", "cmqa", [lamp(), lamp("bulb")]) as project:
        token = project.add_annotator("Ada")
        with annotating(project) as client:
            port = client.base_url.port
            desk = Desk(browser, str(client.base_url).rstrip("/"))
            desk.open(token)
            desk.select(LAMP, "If the lamp blinks")
            desk.press("c")
            desk.saved()
        desk.select(LAMP, "press a button")
        desk.press("a")
        desk.select(LAMP, "the left one")
        desk.press("f")
        desk.until(lambda: desk.texts("#saved-words") == ["Not connected: 2 changes wait"])
        assert desk.by("#retry").is_displayed()
        desk.press("z")
        desk.until(lambda: desk.texts("#saved-words") == ["Not connected: 1 change waits"])
        desk.hold(Keys.SHIFT, "z")
        desk.until(lambda: desk.texts("#saved-words") == ["Not connected: 2 changes wait"])
        desk.press(Keys.ENTER)
        assert desk.said.startswith("Not everything is saved yet")
        with annotating(project, port):
            desk.run("document.getElementById('retry').click()")  # it may have tried again by itself already
            desk.saved()
            work = project.work("lamp", "Ada", "annotate")[0]
            assert work is not None
            assert [kind for kind, _ in texts_of(work, LAMP)] == ["condition", "coarse", "fine"]
            # A tab that is closed before it could send: the next one that opens the item does.
            desk.run("window.real = fetch; window.fetch = () => Promise.reject(new TypeError('gone'))")
            desk.select(LAMP, "change the bulb")
            desk.press("a")
            desk.until(lambda: desk.texts("#saved-words") == ["Not connected: 1 change waits"])
            desk.run("window.onbeforeunload = null")
            browser.execute_cdp_cmd("Page.enable", {})
            browser.execute_script(
                "window.addEventListener('beforeunload', (e) => e.stopImmediatePropagation(), true)"
            )
            desk.open(token)
            desk.until(lambda: len(desk.spans) == 4)
            desk.saved()
            desk.until(lambda: len(project.work("lamp", "Ada", "annotate")[0].spans) == 4)  # type: ignore[union-attr]
        browser.get("about:blank")
        browser.get_log("browser")


HOSTILE = (
    '<script>window.ran = 1</script><img src=x onerror="window.ran = 2"> &lt;b&gt; ${window.ran = 3} '
    "\u202e reversed \u2066 isolated \u0000 end </textarea></div><svg onload=window.ran=4>"
)


def test_a_hostile_text_stays_text(room: Callable[..., Room]) -> None:
    bad = "<img src=x onerror=window.ran=5>"
    here = room("cmqa", lamp(bad, HOSTILE, question=HOSTILE, title=bad), lamp("fine"))
    desk = here.enter("<b>Ada</b>")
    desk.run("document.addEventListener('securitypolicyviolation', () => window.ran = 'policy')")
    assert desk.run("return document.querySelector('#editor .text').textContent") == HOSTILE
    assert desk.texts("#item-name") == [bad]
    for words, key in (("<script>window.ran = 1</script>", "a"), ("\u202e reversed \u2066 isolated", "c")):
        desk.select(HOSTILE, words)
        desk.press(key)
    desk.saved()
    assert texts_of(here.work(bad, "<b>Ada</b>"), HOSTILE) == [
        ("coarse", "<script>window.ran = 1</script>"),
        ("condition", "\u202e reversed \u2066 isolated"),
    ]
    assert desk.run("return window.ran ?? null") is None
    assert not desk.run(
        "return document.querySelectorAll('main :is(script, img, b.x, [onerror], [onload])').length"
    )


def test_who_asks_and_who_answers_are_two(room: Callable[..., Room]) -> None:
    text = "Fees\nThe fee is 40 euros.\nChildren pay nothing."
    ends = [(0, 4), (5, 25), (26, 47)]
    elements = tuple(Element(start, end, f"<p>{text[start:end]}</p>") for start, end in ends)
    here = room("conditionalqa", lamp("fees", text, question=None, elements=elements))
    desk = here.enter("Ada")
    assert not desk.by("#editor .tools").is_displayed()
    desk.press("i")
    desk.press("How much do I pay?", Keys.TAB, "I am nine.")
    desk.until(lambda: here.work("fees#1", "Ada", "ask").scenario == "I am nine.")
    desk.hold(Keys.CONTROL, Keys.ENTER)
    desk.until(lambda: here.project.assigned("fees#1", "Ada").state == "done")  # type: ignore[union-attr]
    desk = here.enter("Bo")
    assert desk.texts("#editor .question p") == ["How much do I pay?"]
    assert desk.texts("#editor .scenario p") == ["I am nine."]
    desk.select(text, "pay nothing")
    desk.press("e")  # evidence is a whole element of the page
    desk.select(text, "nothing")
    desk.press("a")
    desk.select(text, "Children")
    desk.press("c", "l")
    desk.saved()
    work = here.work("fees#1", "Bo", "answer")
    assert texts_of(work, text) == [
        ("evidence", "Children pay nothing."),
        ("condition", "Children pay nothing."),
        ("answer", "nothing"),
    ]
    assert [link.kind for link in work.links] == ["condition_answer"]
    desk.press("n")
    desk.until(lambda: here.work("fees#1", "Bo", "answer").verdict == "no")
    desk.until(lambda: any("yet there is an answer" in each for each in desk.texts("#editor .remark")))
    desk.press("y")
    desk.until(lambda: here.work("fees#1", "Bo", "answer").verdict == "yes")


def test_a_passage_with_several_questions(room: Callable[..., Room]) -> None:
    here = room("cmrc2018", lamp(question=None))
    desk = here.enter("Ada")
    desk.press("i", "Which button?")
    desk.press(Keys.ESCAPE)
    desk.select(LAMP, "the left one")
    desk.press("a")
    desk.saved()
    desk.press("+")
    desk.until(lambda: desk.texts("#item-name") == ["lamp#2"])
    assert desk.run("return document.activeElement.name") == "question"
    desk.press("What do I change?", Keys.ESCAPE)
    desk.select(LAMP, "the bulb")
    desk.press("a")
    # There is one answer: another takes its place.
    desk.select(LAMP, "change the bulb")
    desk.press("a")
    desk.saved()
    assert desk.spans == ["A1change the bulb"]
    assert here.work("lamp#1", "Ada", "ask").question == "Which button?"
    assert here.work("lamp#2", "Ada", "ask").question == "What do I change?"
    assert len(desk.texts("#questions .chip")) == 2


def test_a_suggestion_is_marked_and_its_fate_kept(room: Callable[..., Room]) -> None:
    here = room("cmqa", *(lamp(f"lamp{n}") for n in range(3)))
    proposed = Work("What do I do?", spans=(Span("m1", "coarse", 20, 34),))
    here.project.keep_suggestions({f"lamp{n}": Suggestion(proposed, "tagger-zh", 0.2 * n) for n in range(3)})
    here.project.show_suggestions(True)
    desk = here.enter("Ada")
    assert desk.texts("#editor .offer h3") == ["Suggestion of a model"]
    assert desk.spans == []
    desk.press("g")
    desk.saved()
    assert desk.spans == ["A1press a button"]
    desk.press("j")
    desk.until(lambda: desk.texts("#item-name") == ["lamp1"])
    desk.press("r", "j")
    desk.until(lambda: desk.texts("#item-name") == ["lamp2"])
    desk.press("h")
    desk.saved()
    desk.until(
        lambda: (
            {item: outcome for (item, _), outcome in here.project.outcomes().items()}
            == {"lamp0": "accepted", "lamp1": "refused", "lamp2": "changed"}
        )
    )
    assert here.work("lamp1", "Ada").spans == ()


def test_disagreements_are_adjudicated_and_agreement_is_shown(room: Callable[..., Room]) -> None:
    here = room("cmqa", lamp(), lamp("bulb"), overlap=2)
    project = here.project
    for name, spans in (
        ("Ada", (Span("1", "condition", 0, 18), Span("2", "coarse", 20, 34))),
        ("Bo", (Span("1", "condition", 0, 18), Span("2", "coarse", 26, 34), Span("3", "fine", 36, 48))),
    ):
        project.add_annotator(name)
        for given in project.queue(name):
            work = Work("What do I do?", spans=spans)
            project.save(given.item, name, given.stage, work, version=0, request=f"{name}{given.item}")
            project.done(given.item, name, given.stage)
    desk = here.enter("Judge", "adjudicator")
    desk.host = "#gold-editor"
    desk.until(lambda: desk.texts(".column h3")[:2] == ["Ada", "Bo"])
    assert desk.texts("#contested-words") == ["2 disagreements to decide"]
    assert desk.spans == ["C1If the lamp blinks"]  # what all have
    assert desk.texts(".column li.differs b") == ["A1", "A1", "F1"]
    desk.press("2")
    assert len(desk.spans) == 3
    desk.press("z", "m")
    assert desk.spans == ["C1If the lamp blinks", "A1press a button", "F1the left one"]
    desk.press(Keys.ENTER)
    desk.until(lambda: desk.texts("#contested-words") == ["1 disagreement to decide"])
    desk.until(lambda: desk.spans == ["C1If the lamp blinks"])
    desk.press("1", Keys.ENTER)
    desk.until(lambda: len(project.gold()) == 2)
    assert [len(gold.work.spans) for gold in project.gold()] == [3, 2]
    desk.by("#tab-agreement").click()
    desk.until(lambda: desk.texts("#figures .panel"))
    assert desk.texts("#agreement-status") == ["2 items done by two or more, 2 annotators"]
    assert len(desk.browser.find_elements(By.CSS_SELECTOR, "#figures rect.run")) >= 3
    assert "Krippendorff’s alpha" in desk.texts("#figures h3")


THINGS = ("兰花", "月季", "茉莉", "绿萝", "茶花", "薄荷")
TROUBLES = (
    *(("缺肥", "施肥", "豆饼水"), ("缺水", "浇水", "雨水"), ("生虫", "除虫", "肥皂水")),
    *(("烂根", "换土", "腐叶土"), ("缺光", "补光", "植物灯")),
)


def thirty() -> list[Sample]:
    """Six plants with five troubles each."""
    return [
        Sample(
            f"{thing}{number}",
            f"{thing}{trouble}怎么办？🌱如果是{trouble}，可以{what}，比如用{how}。",
            question=f"{thing}怎么了？",
        )
        for thing in THINGS
        for number, (trouble, what, how) in enumerate(TROUBLES)
    ]


@pytest.fixture(scope="module")
def finished(browser: Any, annotating: Serving, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project of thirty samples that three annotators and an adjudicator have finished in the browser."""
    samples = {sample.id: sample for sample in thirty()}
    path = tmp_path_factory.mktemp("thirty") / "plants.project"
    with Project.new(path, "cmqa", samples.values(), overlap=3) as project, annotating(project) as client:
        here = Room(browser, project, str(client.base_url).rstrip("/"))
        for name in ("Ada", "Bo", "Cyd"):
            desk = here.enter(name)
            for _ in samples:
                annotate(desk, name, samples)
            assert project.status().annotators[name] == {"open": 0, "begun": 0, "done": 30}
        assert len(project.disagreements()) == 6
        adjudicate(here.enter("Judge", "adjudicator"), project)
        assert here.desk.complaints() == []
        browser.get("about:blank")
    return path


def annotate(desk: Desk, name: str, samples: dict[str, Sample]) -> None:
    (item,) = desk.texts("#item-name")
    trouble, what, how = TROUBLES[int(item[-1])]
    # One of them takes a verb along now and then, another does not see the fine answer there.
    coarse = f"可以{what}" if name == "Bo" and trouble == "缺水" else what
    spans = [(f"如果是{trouble}", "c"), (coarse, "a"), (how, "f")]
    for words, key in spans[:2] if name == "Cyd" and trouble == "缺水" else spans:
        desk.select(samples[item].context, words)
        desk.press(key)
    # The condition, which is the first, is linked to the coarse answer.
    desk.press("[" * (len(desk.spans) - 1), "q", Keys.ENTER)
    desk.until(lambda: desk.texts("#item-name") != [item] or desk.by("#finished").is_displayed())


def adjudicate(desk: Desk, project: Project) -> None:
    desk.host = "#gold-editor"
    for left in range(len(project.disagreements()), 0, -1):
        # What all have is shown until one of them is taken.
        desk.until(lambda: len(desk.spans) == 1)
        desk.press("1")
        desk.until(lambda: len(desk.spans) == 3)
        desk.press(Keys.ENTER)
        desk.until(partial(_decided, project, left))


def _decided(project: Project, left: int) -> bool:
    return len(project.disagreements()) < left


def test_thirty_samples_of_three_annotators_are_gold_and_exported(
    finished: Path, caveat: Callable[..., Any]
) -> None:
    with Project.open(finished) as project:
        golds = project.gold()
    assert len(golds) == 30
    for gold in golds:
        trouble, what, how = TROUBLES[int(gold.item[-1])]
        spans = [("condition", f"如果是{trouble}"), ("coarse", what), ("fine", how)]
        assert texts_of(gold.work, gold.sample.context) == spans
        assert [link.kind for link in gold.work.links] == ["condition_coarse"]
    exported = caveat("annotate", "export", finished, "--out", "gold.jsonl")
    assert "30 items written" in exported.stderr, exported.stderr
    for name in ("Ada", "Bo", "Cyd"):
        done = caveat("annotate", "export", finished, "--annotator", name, "--out", f"{name}.jsonl")
        assert done.returncode == 0, done.stderr
    agreed = json.loads(caveat("agreement", "cmqa", "Ada.jsonl", "Bo.jsonl", "Cyd.jsonl", "--json").stdout)
    # Of three pairs two differ in 6 of 30 coarse answers; two have 24 fine answers in common, of 30 and 24.
    assert agreed["condition"]["f1"] == 100
    assert agreed["coarse"]["f1"] == pytest.approx((100 + 80 + 80) / 3)
    assert agreed["fine"]["f1"] == pytest.approx((100 + 2 * 100 * 48 / 54) / 3)


@pytest.mark.torch
def test_thirty_samples_are_trained_on(finished: Path, caveat: Callable[..., Any]) -> None:
    pytest.importorskip("torch", reason="the extra `train` is not installed")
    if not find_spec("embedding"):
        pytest.skip("the encoder m3e-small is not installed")
    done = caveat("annotate", "train", finished, "--out", "run", "--set", "phases.0.epochs=0.1")
    assert done.returncode == 0, done.stderr
    assert "24 questions to learn from, 6 held out" in done.stderr


def test_a_phone_is_enough(room: Callable[..., Room]) -> None:
    here = room("cmqa", lamp(), lamp("bulb"))
    desk = here.enter("Ada", size=PHONE)
    assert not desk.too_wide
    assert not desk.by("#queue").is_displayed()
    desk.select(LAMP, "press a button")
    desk.by("#editor .tool.kind-coarse").click()
    desk.select(LAMP, "the left one")
    desk.by("#editor .tool.kind-fine").click()
    desk.until(lambda: len(desk.spans) == 2)
    tools = desk.browser.find_elements(By.CSS_SELECTOR, "#editor .tool")
    next(tool for tool in tools if "link" in tool.text).click()
    desk.saved()
    assert [link.kind for link in here.work("lamp", "Ada").links] == ["coarse_fine"]
    desk.by("#queue-open").click()
    assert desk.by("#queue").is_displayed()
    desk.browser.find_elements(By.CSS_SELECTOR, "#queue .entry")[1].click()
    desk.until(lambda: desk.texts("#item-name") == ["bulb"])
    assert not desk.by("#queue").is_displayed()
    assert not desk.too_wide


def test_all_keys_are_told_in_both_languages(room: Callable[..., Room]) -> None:
    desk = room("cmqa", lamp()).enter("Ada")
    desk.press("?")
    assert desk.by("#help").is_displayed()
    assert {"c", "a", "f", "l", "x", "u", "z", "j", "k"} <= set(desk.texts("#help kbd"))
    desk.press(Keys.ESCAPE)
    assert not desk.by("#help").is_displayed()
    desk.by("#language").click()
    try:
        assert desk.texts("#editor .tool span")[0] == "条件"
        assert desk.texts("#editor .notes .remark") == ["还没有标出答案。"]
    finally:
        desk.by("#language").click()


@pytest.mark.parametrize("key", ["Process", "с", "C"])  # an input method, a Cyrillic letter, caps lock
def test_keys_are_the_letters_on_them(room: Callable[..., Room], key: str) -> None:
    desk = room("cmqa", lamp()).enter("Ada")
    desk.select(LAMP, "If the lamp blinks")
    pressed = (
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], code: 'KeyC',"
    )
    desk.run(pressed + "bubbles: true, cancelable: true}))", key)
    assert desk.spans == ["C1If the lamp blinks"]


def test_keys_wait_for_a_step_back(room: Callable[..., Room]) -> None:
    here = room("cmqa", lamp(), lamp("bulb"))
    desk = here.enter("Ada")
    for words, key in (("If the lamp blinks", "c"), ("press a button", "a"), ("the left one", "f")):
        desk.select(LAMP, words)
        desk.press(key)
    desk.press("zz", "u")
    desk.saved()
    desk.until(lambda: here.work("lamp", "Ada").verdict == "unanswerable")
    assert desk.spans == ["C1If the lamp blinks"]
    # What is pressed before the next item is there is for neither of them.
    desk.press(Keys.ENTER, "u")
    desk.until(lambda: desk.texts("#item-name") == ["bulb"])
    assert here.work("lamp", "Ada").verdict == "unanswerable"


def test_a_stranger_is_asked_for_a_token(room: Callable[..., Room]) -> None:
    here = room("cmqa", lamp())
    token = here.project.add_annotator("Ada")
    desk = here.desk
    desk.browser.get("about:blank")
    desk.browser.get(f"{desk.address}/")
    desk.run("sessionStorage.clear()")
    desk.browser.get(f"{desk.address}/?")
    desk.until(lambda: desk.by("#token").is_displayed())
    desk.press(token, Keys.ENTER)
    desk.ready()
    assert desk.texts("#me") == ["Ada"]
    assert token not in desk.run("return location.href")
    assert all("401" in complaint for complaint in desk.complaints())


def test_a_token_that_is_taken_back_loses_nothing(room: Callable[..., Room]) -> None:
    here = room("cmqa", lamp())
    desk = here.enter("Ada")
    token = here.project.new_token("Ada")
    desk.select(LAMP, "press a button")
    desk.press("a")
    desk.until(lambda: desk.by("#token").is_displayed())
    desk.by("#token-close").click()
    desk.until(lambda: desk.texts("#saved-words") == ["Not connected: 1 change waits"])
    assert desk.spans == ["A1press a button"]
    desk.by("#retry").click()
    desk.until(lambda: desk.by("#token").is_displayed())
    desk.press(token, Keys.ENTER)
    desk.saved()
    assert len(here.work("lamp", "Ada").spans) == 1
    assert all("401" in complaint for complaint in desk.complaints())


def test_marks_and_words_can_be_read(room: Callable[..., Room]) -> None:
    """Contrast of at least 4.5 to 1, in both themes."""
    desk = room("cmqa", lamp()).enter("Ada")
    for words, key in (("If the lamp blinks", "c"), ("press a button", "a"), ("the left one", "f")):
        desk.select(LAMP, words)
        desk.press(key)
    contrast = """const light = (colour) => {
      const canvas = new OffscreenCanvas(1, 1).getContext("2d");
      canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
      const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((c) => c / 255)
        .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = getComputedStyle(at).backgroundColor;
        if (!/, 0\\)$|transparent/.test(colour)) return colour;
      }
    };
    return [...document.querySelectorAll(".tag, .tool:not(:disabled), .chip, .span b, .hint, .remark, small, h2")]
      .filter((element) => element.offsetParent && element.textContent.trim())
      .map((element) => {
        const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((x, y) => y - x);
        return [element.className || element.tagName, (a + 0.05) / (b + 0.05)];
      }).filter(([, ratio]) => ratio < 4.5);"""
    for theme in ("light", "dark"):
        desk.run("document.documentElement.dataset.theme = arguments[0]", theme)
        sleep(0.05)
        assert desk.run(contrast) == []


def test_both_languages_say_the_same_things() -> None:
    words = json.loads((STATIC / "words.json").read_text())
    shared = json.loads((STATIC.parents[1] / "static" / "words.json").read_text())
    assert words["en"].keys() == words["zh"].keys()
    for key, said in words["en"].items():
        other = words["zh"][key]
        assert type(said) is type(other), key
        pairs = zip(said, other, strict=True) if isinstance(said, list) else [(said, other)]
        assert all(one.count("{}") == two.count("{}") for one, two in pairs), key
    used = set(re.findall(r'data-word(?:-\w+)?="([^"]+)"', (STATIC / "index.html").read_text()))
    for file in STATIC.glob("*.js"):
        used.update(re.findall(r'\b(?:say|count)\("([^"]+)"', file.read_text()))
    assert used <= {*words["en"], *shared["en"]}


def test_no_script_stands_in_the_page_and_none_makes_markup_of_text() -> None:
    assert not re.search(
        r"<script(?![^>]*src=)|\sstyle=|\son[a-z]+=|javascript:|https?:(?!//www\.w3\.org)",
        (STATIC / "index.html").read_text(),
    )
    for file in STATIC.glob("*.js"):
        forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|https?:"
        assert not re.search(forbidden, file.read_text())
