from __future__ import annotations

from pathlib import Path

import pytest

from caveat.core.files import read_bytes, read_lines, read_text
from caveat.core.guessing import GuessedEncodingWarning, guess_encoding

# Short texts as people have them, with the encodings that programs save them in.
SAMPLES = [
    ("cp1252", "Günther Müller"),
    ("cp1252", "name,city\nGünther Müller,Köln\nJörg Weiß,Düsseldorf\n"),
    ("cp1252", "Le café coûte 5 €. Où est l'élève ? Il a été payé à Noël.\n"),
    ("cp1252", "The fee is £5 – don’t pay more.\n"),
    ("cp1252", "The fee is £5."),
    ("cp1252", "“Quoted” words — and so on… It costs €20 a month, they said."),
    ("cp1252", "naïve"),
    ("gb18030", "银行"),
    ("gb18030", "费用为五元。"),
    ("gb18030", "微软公司的总部在哪里？\n它在华盛顿州雷德蒙德市。\n"),
    ("gb18030", "北京\n上海\n广州\n"),
    ("gb18030", "长江 ||| 长度 ||| 6300公里\n红楼梦 ||| 作者 ||| 曹雪芹\n"),
    ("gb18030", "费用为五元。学生减半。"),
    ("gb18030", "簽證費用為一百二十元，學生減半。申請人須持有有效護照。\n"),
    ("big5", "費用為五元。"),
    ("big5", "請問學費多少"),
    ("big5", "簽證費用為一百二十元，學生減半。申請人須持有有效護照。\n" * 10),
    ("shift_jis", "料金は五円です。"),
    ("shift_jis", "この橋はいつ建てられましたか。昔の人が毎日ここを渡っていました。\n"),
    ("euc_jp", "ビザの料金は百二十円です。学生は半額になります。\n"),
    ("euc_kr", "비자 수수료는 백이십 달러입니다. 학생은 반값입니다.\n"),
    ("cp1251", "Стоимость визы составляет сто двадцать рублей.\n"),
    ("koi8_r", "Стоимость визы составляет сто двадцать рублей.\n"),
]


@pytest.mark.parametrize(("encoding", "text"), SAMPLES)
def test_the_text_comes_out_as_it_was_written(encoding: str, text: str) -> None:
    data = text.encode(encoding)
    guess = guess_encoding(data)
    assert guess is not None
    assert data.decode(guess) == text


# Words with letters that make a Chinese character in GB18030 together with the next one, and what is beside them.
WESTERN = [
    *("cafés", "fiancées", "façade", "résumés", "Brontës", "Citroën", "McCafé", "CAFÉS", "CRÉÉE", "Ångström"),
    *(
        "São Paulo",
        "informações",
        "süß",
        "piñatas",
        "Mañana, señor Núñez",
        "smörgåsbord",
        "Tromsø",
        "déjà vus",
    ),
    *(
        "Zoë’s café—closed",
        "“Élan” costs £5",
        "à la carte",
        "cœur",
        "at 10°C",
        "© 2020 Ann",
        "room n°5",
        "½ of it",
    ),
]
# Chinese beside letters, alone, and in so few characters that these alone cannot tell.
CHINESE = [
    *(
        "T恤",
        "A级",
        "5元",
        "USB接口",
        "OK吗",
        "APP中",
        "CEO王先生",
        "环保",
        "保",
        "环",
        "K歌之王",
        "维生素C片",
    ),
    *("第1条", "x轴和y轴", "PM2.5值", "Java编程", "cos函数", "p值", "北京", "陶喆", "书", "费用为五元。"),
]
TRADITIONAL = [
    "費用為五元。",
    "請問學費多少",
    "簽證費用",
    "申請人須持有有效護照",
    "學生減半",
    "USB接口",
    "A級",
]
PLACES = [
    "{}",
    "The menu lists this: {}, and it is open until ten.\nGuests pay 7 an hour.\n",
    "no,name\n1,{}\n2,x\n",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("word", WESTERN)
def test_letters_in_english_are_no_chinese_characters(word: str, place: str) -> None:
    data = place.format(word).encode("cp1252")
    assert guess_encoding(data) == "cp1252"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("word", CHINESE)
def test_chinese_in_english_stays_chinese(word: str, place: str) -> None:
    assert guess_encoding(place.format(word).encode("gb18030")) == "gb18030"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("word", TRADITIONAL)
def test_traditional_chinese_in_english_stays_chinese(word: str, place: str) -> None:
    assert guess_encoding(place.format(word).encode("big5")) == "big5hkscs"


def test_a_guess_is_a_warning_where_data_is_read(tmp_path: Path) -> None:
    path = tmp_path / "data.txt"
    path.write_bytes("Günther Müller\n".encode("cp1252"))
    for read in (read_bytes, read_text, lambda path: [*read_lines(path)]):
        with pytest.warns(
            GuessedEncodingWarning, match=r"data\.txt: .* only guessed to be Windows-1252; if names"
        ):
            read(path)
    assert [*read_lines(path)] == [(1, "Günther Müller")]


def test_what_tells_may_stand_far_into_one_line() -> None:
    assert guess_encoding(b"x" * 100_000 + "费用为五元。学生减半。".encode("gb18030")) == "gb18030"
    assert (
        guess_encoding(b"x\n" * 100_000 + "Müller und Söhne in Köln".encode("cp1252") + b"\ny" * 99)
        == "cp1252"
    )
