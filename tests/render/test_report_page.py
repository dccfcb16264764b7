from __future__ import annotations

from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from caveat.benchmarks.report import Report, report
from caveat.render import report_page
from caveat.render.report_page import write_report

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "report"


@pytest.fixture(scope="module")
def made() -> Report:
    systems = {"<b>small": EXAMPLES / "small", "large": EXAMPLES / "large", "again": EXAMPLES / "large"}
    return report("mrqa", EXAMPLES / "gold", systems, encoders={"large": "BERT"}, resamples=200)


def test_the_page_needs_nothing_else(made: Report, tmp_path: Path) -> None:
    written = write_report(made, tmp_path / "deep" / "out")
    assert [path.name for path in written] == [
        *("report.html", "generalisation.png", "generalisation.svg", "sets.png", "sets.svg"),
    ]
    assert all(path.stat().st_size for path in written)
    page = HTMLParser(written[0].read_text(encoding="utf-8"))
    assert not page.css("script, img, iframe, object, link:not([href='data:,']), [src]")
    assert len(page.css("figure svg")) == 2
    ids = [node.attributes["id"] for node in page.css("[id]")]
    assert all((link.attributes["href"] or "").removeprefix("#") in ids for link in page.css("nav a"))
    assert len(page.css("nav a")) == len(made.tables) + 2
    # The contents are in the order of what follows.
    sections = [section.attributes["id"] for section in page.css("main > section")]
    assert [(link.attributes["href"] or "").removeprefix("#") for link in page.css("nav a")] == sections


def test_cells_are_marked_for_what_they_are(made: Report) -> None:
    page = HTMLParser(report_page.report_page(made, {}))
    first = page.css("table")[0]
    assert [node.text() for node in first.css("tbody th")] == ["<b>small", "large", "again"]
    # 72.5 by hand: SQuAD 100, 66.67, 80 and 0; NewsQA 100 and 66.67.
    assert [node.text() for node in first.css("td.partial")] == [
        "72.50 (2 of 6)",
        *("100.00 (2 of 6)", "75.00 (1 of 6)") * 2,
    ]
    best = {node.text() for node in page.css("#table-5 td.best")}
    assert best == {"100.00"}
    judged = page.css("table")[-3]
    # In one of four resamples of NewsQA both draws are of the question on which the systems agree.
    assert [row.css_first("th").text() for row in judged.css("tr.real")] == [
        "SQuAD dev",
        "average: in-domain dev (2 of 6)",
    ]
    assert {remark.text() for remark in page.css(".remarks li")} == {*made.remarks}


def test_without_matplotlib_there_are_no_pictures(
    made: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_page, "find_spec", lambda name: None)
    assert [path.name for path in write_report(made, tmp_path)] == ["report.html"]


def test_the_same_report_gives_the_same_bytes(made: Report, tmp_path: Path) -> None:
    first, second = write_report(made, tmp_path / "a"), write_report(made, tmp_path / "b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
