"""Time grows with the length of an input, not with its square: ratios within one run, in processor time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from caveat import load
from caveat.bench.faults import FILES, QUESTIONS, SOURCES, asking, exponent, first_questions, time_of
from caveat.core.records import Document
from caveat.sources.read import parse_file

SHORT, TIMES = 6_000, 8
# Linear is 8 times as long, n log n about 11, quadratic 64.
MOST = 24
# What takes less is too short to be compared.
SHORTEST = 0.01


@pytest.mark.parametrize("name", FILES)
def test_reading_takes_time_with_the_length(name: str) -> None:
    file, make = FILES[name]
    short, long = make(SHORT).encode(), make(SHORT * TIMES).encode()
    slow = time_of(lambda: parse_file(long, file), 2)
    if slow > SHORTEST:
        assert slow / max(time_of(lambda: parse_file(short, file), 3), SHORTEST / TIMES) < MOST


# The least length at which asking takes long enough to be measured; a question has at most 2,000 characters.
ASKED = 400


@pytest.fixture(scope="module")
def acts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Callable[[int], Callable[[], object]]]:
    engine = load(threads=1)
    return dict(asking(engine, str(tmp_path_factory.mktemp("faults"))) + first_questions(engine))


@pytest.mark.slow
@pytest.mark.parametrize("family", QUESTIONS)
@pytest.mark.parametrize(
    "what", ["Question on rules", "Question on table", "Question on triples", "Scenario"]
)
def test_asking_takes_time_with_the_length(
    acts: dict[str, Callable[[int], Callable[[], object]]], what: str, family: str
) -> None:
    act = acts[f"{what}: {family}"]
    slow = time_of(act(ASKED * TIMES), 2)
    if slow > SHORTEST:
        assert slow / max(time_of(act(ASKED), 3), SHORTEST / TIMES) < MOST


# The length of a text from which a question reads no more of it, however much longer it is.
LARGE, MOST_OF_LARGE = 250_000, 5


@pytest.mark.parametrize("family", SOURCES)
def test_a_first_question_takes_time_with_the_length(
    acts: dict[str, Callable[[int], Callable[[], object]]], family: str
) -> None:
    act = acts[f"First question: {family}"]
    is_table = SOURCES[family][1].endswith(".csv")
    short, most = (SHORT, MOST) if is_table else (LARGE, MOST_OF_LARGE)
    act(short)()  # loads the models
    fast = time_of(act(short), 1)
    assert time_of(act(short * TIMES), 1) / max(fast, SHORTEST / TIMES) < most


def test_an_answer_with_blanks_inside_takes_time_with_their_number() -> None:
    engine = load(threads=1)
    engine.ask("How much is it?", Document("It costs 46 crowns."))

    def act(blanks: int) -> Callable[[], object]:
        text = f"The ferry costs 46{' ' * blanks}crowns."
        return lambda: engine.ask("How much does the ferry cost?", Document(text))

    assert time_of(act(80_000), 2) / max(time_of(act(10_000), 3), SHORTEST / TIMES) < MOST


def test_families_are_as_long_as_they_should_be() -> None:
    makes = [make for _, make in FILES.values()] + [make for _, _, make in SOURCES.values()]
    for make in (*makes, *QUESTIONS.values()):
        assert 0 < len(make(10)) < 200
        assert 10_000 / 2 < len(make(10_000)) < 1.5 * 10_000


def test_the_exponent_is_that_of_the_greatest_lengths() -> None:
    assert exponent([1000, 10_000, 100_000], [0.0001, 0.01, 0.1]) == 1.0
    assert exponent([1000, 10_000], [0.01, 1.0]) == 2.0
    assert exponent([1000, 10_000], [0.0001, 0.01]) is None
