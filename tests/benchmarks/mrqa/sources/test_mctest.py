from __future__ import annotations

from pathlib import Path

import pytest

from caveat.benchmarks.mrqa.sources.build import convert_source
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError

STORY = "\t".join(
    [
        "mc.dev.0",
        "Author: 1;Work Time(s): 9",
        "Nina had a kite.\\newlineIt was yellow. \\newline\\newline\\tabShe flew it on the hill.",
        "one: What did Nina have?",
        *("A dog", "A kite", "A boat", "A hat"),
        "multiple: Where did Nina fly: near or far?",
        *("on the hill", "at home", "at sea", "in town"),
        "one: Was the kite yellow?",
        *("yes", "no", "maybe", "never"),
        "multiple: Which of the following was yellow?",
        *("the hill", "the dog", "the kite", "the sea"),
    ]
)


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    path = tmp_path / "MCTest" / "mc.dev.tsv"
    path.parent.mkdir()
    path.write_text(STORY + "\n")
    return path


def check(stories: Path, documents: Path | None = None) -> None:
    drops = Drops()
    [context] = convert_source("mctest", stories, drops, documents)
    assert context.context == "Nina had a kite. It was yellow. She flew it on the hill."
    assert [(q.extra["id"], q.question, q.answers) for q in context.questions] == [
        ("mc.dev.0.0", "What did Nina have?", ("A kite",)),
        ("mc.dev.0.1", "Where did Nina fly: near or far?", ("on the hill",)),
    ]
    places = [(p.start, p.end) for q in context.questions for d in q.detected for p in d.places]
    assert places == [(9, 15), (44, 55)]
    assert drops.counts == {"yes/no or true/false question": 1, "question depends on its options": 1}


def test_answers_beside_the_stories(stories: Path) -> None:
    stories.with_name("mc.dev.ans").write_bytes(b"B\tA\tA\tC\r\n")
    check(stories)


def test_answers_in_the_folder_of_answers(stories: Path) -> None:
    folder = stories.parent.parent / "MCTestAnswers"
    folder.mkdir()
    (folder / "mc.dev.ans").write_text("B\tA\tA\tC\n")
    check(stories)
    check(stories, folder)


def test_answers_as_companion(stories: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("B\tA\tA\tC\n")
    check(stories, key)


def test_no_answers(stories: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected mc\.dev\.ans beside it"):
        list(convert_source("mctest", stories, Drops()))
    with pytest.raises(InputError, match=r"expected mc\.dev\.ans"):
        list(convert_source("mctest", stories, Drops(), tmp_path))


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ("B\tA\tA\n", "line 1: has 3 tab-separated letters, expected 4"),
        ("B\tA\tA\tE\n", "line 1, id mc.dev.0.3: the answer is 'E', expected one of A, B, C, D"),
        ("B\tA\t\tC\n", "line 1, id mc.dev.0.2: the answer is ''"),
        ("B\tA\tA\tC\nB\tA\tA\tC\n", "has more lines than there are stories"),
        ("\n", "has fewer lines than there are stories"),
    ],
)
def test_bad_answers(stories: Path, key: str, problem: str) -> None:
    stories.with_name("mc.dev.ans").write_text(key)
    with pytest.raises(InputError) as caught:
        list(convert_source("mctest", stories, Drops()))
    assert problem in str(caught.value)


def test_bad_story(stories: Path) -> None:
    stories.write_text("mc.dev.0\tAuthor\tA story.\n")
    stories.with_name("mc.dev.ans").write_text("B\tA\tA\tC\n")
    with pytest.raises(InputError, match="line 1: has 3 tab-separated columns, expected 23"):
        list(convert_source("mctest", stories, Drops()))
