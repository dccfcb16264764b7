"""Questions on tables as people ask them: in another language than the headers, with codes, units, yes and no."""

from __future__ import annotations

from pathlib import Path

import pytest

from caveat.answerers.contract import Asked
from caveat.answerers.tables.answerer import TableAnswer, TableAnswerer, answer_from_tables
from caveat.answerers.tables.interpretation import readable
from caveat.answerers.tables.prepared import PreparedTable
from caveat.core.records import Question, Table
from caveat.sources.read import read_file

FIRMS = Table(
    ("firm", "industry", "chair", "age", "revenue (million)"),
    (
        ("青石制药", "Pharmacy", "林晓", "58", "1,250"),
        ("海岳钢铁", "Steel", "周安", "66", "8,400"),
        ("云帆软件", "Software", "何一鸣", "41", "960"),
        ("白塔化工", "Chemicals", "孙楠", "52", "2,310"),
    ),
    "firms",
)
BUDGETS = Table(
    ("Office", "Department", "Budget"),
    (
        ("Skeld", "IT", "400000"),
        ("Carrow", "IT", "611500"),
        ("Skeld", "Sales", "900000"),
        ("Carrow", "Legal", "120000"),
    ),
    "budgets",
)
CITIES = Table(
    ("name", "provinceCode", "cityCode"),
    tuple((f"City {number}", "44" if number % 3 else "05", f"{number:04}") for number in range(1, 13)),
    "cities",
)
CLUB = Table(
    ("name", "sex", "is_member", "day", "paid"),
    (
        ("Ada", "f", "Y", "Fri", "12.50"),
        ("Bela", "m", "N", "Sat", "8.00"),
        ("Cleo", "f", "Y", "Sat", "9.75"),
        ("Dan", "m", "Y", "Fri", "20.00"),
    ),
    "club",
)
RAIN = Table(
    ("Month", "Skeld", "Carrow"),
    (("2012-09", "81.2", "64.0"), ("2012-10", "90.1", "112.4"), ("2013-10", "70.3", "15.6")),
    "rain in mm",
)


def best(question: str, *tables: Table) -> TableAnswer:
    return answer_from_tables(question, tables)[0]


@pytest.mark.parametrize(
    ("question", "table", "text"),
    [
        ("青石制药是哪个行业的？", FIRMS, "Pharmacy"),
        ("周安多大年纪？", FIRMS, "66"),
        ("海岳鋼鐵是哪個行業的？", FIRMS, "Steel"),
        ("女性有几位？", CLUB, "2"),
        ("What is the total paid on Friday?", CLUB, "32.5"),
    ],
)
def test_headers_in_another_language(question: str, table: Table, text: str) -> None:
    answers = [answer.text for answer in answer_from_tables(question, [table]) if answer.kind != "table"]
    assert answers[:1] == [text]


def test_chinese_headers_asked_in_english() -> None:
    towns = Table(
        ("區域", "年出生數", "年死亡數"),
        (("松溪縣", "3142", "4737"), ("白石市", "9120", "6080")),
        "人口",
    )
    assert best("deaths in 松溪縣", towns).text == "4737"
    assert best("白石市的年出生数是多少？", towns).text == "9120"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the total budget of IT?", "1,011,500"),
        ("What is the total budget of the IT department?", "1,011,500"),
        ("What is the total budget?", "2,031,500"),
        ("Which office has the lowest budget?", "Carrow"),
        ("Which department has the largest budget?", "Sales"),
    ],
)
def test_what_is_said_of_rows_is_used(question: str, text: str) -> None:
    assert best(question, BUDGETS).text == text


def test_all_rows_that_match_are_given() -> None:
    rows = tuple((f"Farm {number}", "North" if number % 2 else "South") for number in range(80))
    found = best("Which farms are in the South?", Table(("Farm", "County"), rows))
    assert found.text.split("; ") == [f"Farm {number}" for number in range(0, 80, 2)]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("provinceCode是44的有几个？", "8"),
        ("How many cities have province code 05?", "4"),
        ("Which city has city code 0007?", "City 7"),
    ],
)
def test_codes_are_texts(question: str, text: str) -> None:
    assert best(question, CITIES).text == text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Did Ada pay more than Dan?", "no"),
        ("Has Cleo paid more than Bela?", "yes"),
        ("Is Bela a member?", "no"),
        ("Ada付的款比Bela多吗？", "是"),
    ],
)
def test_yes_or_no(question: str, text: str) -> None:
    table = Table(("name", "sex", "member", "day", "paid"), CLUB.rows, "club")
    assert best(question, table).text == text


def test_columns_against_each_other() -> None:
    assert best("What is the difference between Skeld and Carrow in October 2012?", RAIN).text == "22.3"
    assert best("How much rain fell in Skeld in September 2012?", RAIN).text == "81.2"


def test_so_many_of_the_largest() -> None:
    assert best("top 2 firms by age", FIRMS).text == "海岳钢铁; 青石制药"
    assert best("收入最高的两家公司是哪些？", FIRMS).text == "海岳钢铁; 白塔化工"


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (1011500.0, 0, "1,011,500"),
        (4716.0199999, 2, "4,716.02"),
        (0.001234, 0, "0.00123"),
        (12.0, 2, "12"),
        (-2500.5, 1, "-2,500.5"),
        (0.0, 0, "0"),
    ],
)
def test_numbers_for_people(value: float, places: int, text: str) -> None:
    assert readable(value, places) == text


def test_the_number_itself_is_kept() -> None:
    asked = Asked(Question("What is the average budget?"), (PreparedTable(BUDGETS),))
    (reply,) = TableAnswerer().answer([asked])
    answer = reply.answers[0]
    assert answer.cells is not None
    assert (answer.text, answer.cells.number) == ("507,875", 507875.0)


@pytest.mark.parametrize(
    ("question", "table"),
    [
        ("What is the total budget of Marketing in Tallinn?", BUDGETS),
        ("蓝鲸地产的董事长是谁？", FIRMS),
        ("How old is the chair of Tesla Motors?", FIRMS),
    ],
)
def test_what_is_not_there_is_not_answered(question: str, table: Table) -> None:
    (reply,) = TableAnswerer().answer([Asked(Question(question), (PreparedTable(table),))])
    assert not reply.answered


def test_a_caption_is_no_answer() -> None:
    for question in (
        "What do you know about firms?",
        "Tell me about Skeld and budgets",
        "Who are these firms?",
    ):
        for answer in answer_from_tables(question, [FIRMS, BUDGETS]):
            assert answer.text not in ("firms", "budgets")


def test_a_row_that_is_sure_is_shown_with_its_headers() -> None:
    answers = answer_from_tables("What about 海岳钢铁 and its prospects?", [FIRMS])
    row = next(answer for answer in answers if answer.kind == "table")
    assert row.text == "firm: 海岳钢铁; industry: Steel; chair: 周安; age: 66; revenue (million): 8,400"
    assert (row.rows, row.row_names, row.operation) == ((1,), ("海岳钢铁",), "")


def test_semicolons_units_percent_currency_and_numerals(tmp_path: Path) -> None:
    path = tmp_path / "shops.csv"
    path.write_text(
        "门店;开业日期;营收（万元）;占比;租金\n"
        "东门店;2015年3月1日;1,200;12%;￥8,000\n"
        "西门店;2018年6月9日;25,000;35%;￥12,500\n"
        "南门店;2021年1月4日;900;8%;￥6,200\n",
        encoding="utf-8",
    )
    (shops,) = (read.table for read in read_file(path).tables)
    assert best("营收超过两亿的门店有哪些？", shops).text == "西门店"
    assert best("占比超过百分之十的门店有几家？", shops).text == "2"
    assert best("租金最贵的门店是哪家？", shops).text == "西门店"
    assert best("2018年6月开业的是哪家门店？", shops).text == "西门店"
    assert best("营收的总和是多少？", shops).text == "27,100"
