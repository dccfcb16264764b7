"""Work that may be given up while it is done."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

import pytest

from caveat.benchmarks.conditionalqa.metric import best_sum
from caveat.benchmarks.multispan.metric import longest_run
from caveat.core.limits import GivenUpError, checked_by, checkpoint
from caveat.language.sentences import sentences
from caveat.sources.delimited import read_delimited
from caveat.sources.html import parse_html
from caveat.sources.markdown import parse_markdown
from caveat.sources.plain_text import parse_plain_text


def give_up() -> None:
    raise GivenUpError


def test_a_checkpoint_does_nothing_unless_it_is_said_what() -> None:
    checkpoint()
    with pytest.raises(GivenUpError), checked_by(give_up):
        checkpoint()
    checkpoint()


def test_what_is_checked_in_one_thread_is_not_in_others() -> None:
    reached: list[str] = []
    with checked_by(give_up):
        other = Thread(target=lambda: (checkpoint(), reached.append("end")))
        other.start()
        other.join()
    assert reached == ["end"]


def test_given_up_work_is_not_taken_for_a_damaged_file() -> None:
    assert not issubclass(GivenUpError, Exception)


@pytest.mark.parametrize(
    "work",
    [
        lambda: sentences("One. Two. Three."),
        lambda: parse_plain_text("one\ntwo\n"),
        lambda: parse_markdown("# one\n\ntwo\n"),
        lambda: parse_html("<h1>one</h1><p>two</p>"),
        lambda: read_delimited("a,b\n1,2\n3,4\n"),
        lambda: best_sum([[0.5, 0.25], [0.75, 0.5]]),
        lambda: longest_run("abcd", "xbcx"),
    ],
    ids=["sentences", "plain text", "markdown", "html", "delimited", "assignment", "longest run"],
)
def test_what_may_take_long_can_be_given_up(work: Callable[[], object]) -> None:
    work()
    with pytest.raises(GivenUpError), checked_by(give_up):
        work()
