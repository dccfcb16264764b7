"""What a library is measured with."""

from __future__ import annotations

import json
from pathlib import Path

from caveat.bench.library import bench_library_growth
from caveat.bench.questions import write_articles


def article(title: str, *texts: str) -> dict[str, object]:
    paragraphs = [
        {
            "context": text,
            "qas": [
                {
                    "id": f"{title}-{number}",
                    "question": "Which word is last?",
                    "answers": [{"text": text.split()[-1], "answer_start": text.rindex(" ") + 1}],
                }
            ],
        }
        for number, text in enumerate(texts)
    ]
    return {"title": title, "paragraphs": paragraphs}


def test_every_second_article_is_held_out(tmp_path: Path) -> None:
    articles = [article("The_Alder", "one two", "three four"), article("Holm", "five six")]
    (tmp_path / "data.json").write_text(json.dumps({"version": "1.1", "data": articles}))
    asked = write_articles(tmp_path / "data.json", "en", tmp_path / "texts")
    assert [path.name for path in (tmp_path / "texts").iterdir()] == ["00000 The Alder.txt"]
    text = (tmp_path / "texts" / "00000 The Alder.txt").read_text()
    assert [text[start:end] for question in asked for start, end in question.spans] == ["two", "four"]
    assert [bool(question.source) for question in asked] == [True, True, False]
    write_articles(tmp_path / "data.json", "en", tmp_path / "whole", asked=False)
    assert len(list((tmp_path / "whole").iterdir())) == 2


def test_growth_is_measured() -> None:
    measured = bench_library_growth([200, 400])
    assert [row[0] for row in measured.rows] == [200, 400]
