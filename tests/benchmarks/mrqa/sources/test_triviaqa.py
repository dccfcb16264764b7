from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.sources.build import MAXIMUM_TOKENS
from caveat.benchmarks.mrqa.sources.trivia import TRIVIAQA, read_triviaqa
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError


def question(**changes: Any) -> dict[str, Any]:
    return {
        "QuestionId": "tc_1",
        "Question": "Which band sang of a yellow submarine?",
        "Answer": {
            "Value": "The Beatles",
            "Aliases": ["Beatles", "Fab-Four"],
            "NormalizedValue": "beatles",
            "NormalizedAliases": ["beatles", "fab four"],
            "Type": "WikipediaEntity",
        },
        "EntityPages": [{"Filename": "Yellow.txt", "Title": "Yellow", "DocSource": "TagMe"}],
        "SearchResults": [
            {"Filename": "2/2_1.txt", "Title": "Second", "Rank": 1},
            {"Filename": "1/1_1.txt", "Title": "First", "Rank": 0},
        ],
        **changes,
    }


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    folder = tmp_path / "evidence"
    for name in ("web/1", "web/2", "wikipedia"):
        (folder / name).mkdir(parents=True)
    (folder / "web/1/1_1.txt").write_text("Songs of the sea\n\nThe Fab Four and the Beatles.\n")
    (folder / "web/2/2_1.txt.gz").write_bytes(gzip.compress(b"No band here."))
    (folder / "wikipedia/Yellow.txt").write_text("A colour.")
    return folder


def write(tmp_path: Path, *questions: dict[str, Any]) -> Path:
    path = tmp_path / "web-dev.json"
    path.write_text(
        json.dumps({"Data": questions, "Domain": "Web", "Split": "dev", "Version": 1.0}, indent=1)
    )
    return path


def test_documents_in_their_order_and_every_alias(
    tmp_path: Path, evidence: Path, convert: Callable[..., Any]
) -> None:
    nothing = question(QuestionId="tc_2", EntityPages=[], SearchResults=[])
    (context,), drops = convert(TRIVIAQA, write(tmp_path, question(), nothing), evidence)
    assert context.context == (
        "[DOC] [TLE] First [PAR] Songs of the sea [PAR] The Fab Four and the Beatles. "
        "[DOC] [TLE] Second [PAR] No band here. [DOC] [TLE] Yellow [PAR] A colour."
    )
    (asked,) = context.questions
    # Normalised, "Beatles" is "The Beatles"; "Fab-Four" is one word, "fab four" two.
    assert asked.answers == ("The Beatles", "Fab-Four", "fab four")
    places = {
        found.text: [(p.start, p.end, p.first, p.last) for p in found.places] for found in asked.detected
    }
    # Tokens: [DOC] [TLE] First [PAR] Songs of the sea [PAR] The Fab Four and the Beatles . …
    assert places == {"The Beatles": [(64, 75, 13, 15)], "fab four": [(51, 59, 10, 12)]}
    assert drops.examples == {"no evidence document": ["tc_2"]}


@pytest.mark.parametrize("name", ["../../secret.txt", "1/../../../secret.txt", "..\\..\\secret.txt", "a\0b"])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, evidence: Path, name: str) -> None:
    (tmp_path / "secret.txt").write_text("The Beatles")
    (evidence / "secret.txt").write_text("The Beatles")
    path = write(tmp_path, question(EntityPages=[], SearchResults=[{"Filename": name, "Title": "T"}]))
    with pytest.raises(InputError, match=r"id tc_1: the evidence file .* is not in the folder"):
        list(read_triviaqa(path, Drops(), evidence))


def test_the_folder_above_evidence_will_do(
    tmp_path: Path, evidence: Path, convert: Callable[..., Any]
) -> None:
    contexts, _ = convert(TRIVIAQA, write(tmp_path, question()), evidence.parent)
    assert len(contexts) == 1


def test_documents_beyond_the_cut_are_not_opened(
    tmp_path: Path, evidence: Path, convert: Callable[..., Any]
) -> None:
    (evidence / "web/1/1_1.txt").write_text("Beatles " * MAXIMUM_TOKENS)
    (evidence / "web/2/2_1.txt.gz").unlink()
    (context,), _ = convert(TRIVIAQA, write(tmp_path, question()), evidence)
    assert len(context.tokens) == MAXIMUM_TOKENS
    assert "[TLE] Second" not in context.context


def test_missing_evidence(tmp_path: Path, evidence: Path) -> None:
    path = write(tmp_path, question())
    with pytest.raises(InputError, match="give the evidence folder with --documents"):
        list(read_triviaqa(path, Drops()))
    with pytest.raises(InputError, match="expected TriviaQA's evidence folder"):
        list(read_triviaqa(path, Drops(), tmp_path / "absent"))
    (evidence / "web/2/2_1.txt.gz").unlink()
    with pytest.raises(InputError, match=r"id tc_1: there is no evidence file web/2/2_1\.txt"):
        list(read_triviaqa(path, Drops(), evidence))


def test_bad_input(tmp_path: Path, evidence: Path) -> None:
    path = write(tmp_path, question(Answer=None))
    with pytest.raises(InputError, match="id tc_1: the questions come without answers"):
        list(read_triviaqa(path, Drops(), evidence))
    path.write_text('{"Data": [{"QuestionId": "tc_9"}]}')
    with pytest.raises(InputError, match="id tc_9: object missing required field `Question`"):
        list(read_triviaqa(path, Drops(), evidence))
    path.write_text('{"data": []}')
    with pytest.raises(InputError, match="an object with `Data`"):
        list(read_triviaqa(path, Drops(), evidence))
    path.write_text('{"Data": [')
    with pytest.raises(InputError, match="broken JSON"):
        list(read_triviaqa(path, Drops(), evidence))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("folder", "name", "total"),
    [
        ("hf_dummy/trivia_qa__rc__1.2.0/dummy_data/triviaqa-rc.tar.gz", "web-dev.json", 3),
        ("hf_dummy/trivia_qa__rc__1.2.0/dummy_data/triviaqa-rc.tar.gz", "web-train.json", 3),
        ("hf_dummy/trivia_qa__rc__1.2.0/dummy_data/triviaqa-rc.tar.gz", "wikipedia-dev.json", 1),
        ("allennlp_rc/triviaqa", "web-dev.json", 2),
        ("allennlp_rc/triviaqa", "web-train.json", 3),
        ("allennlp_rc/triviaqa", "wikipedia-dev.json", 2),
        ("allennlp_rc/triviaqa", "wikipedia-train.json", 4),
    ],
)
def test_real_samples(
    shared: Path, convert_real: Callable[..., Any], folder: str, name: str, total: int
) -> None:
    root = shared / "data/native/samples" / folder
    contexts, drops = convert_real(TRIVIAQA, root / "qa" / name, root / "evidence")
    assert sum(len(context.questions) for context in contexts) + drops.counts.total() == total


@pytest.mark.shared
def test_real_multiqa_copy(shared: Path, convert_real: Callable[..., Any]) -> None:
    path = shared / "data/native/samples/multiqa/triviaqa_unfilt_sample.jsonl.gz"
    contexts, drops = convert_real(TRIVIAQA, path)
    assert len(contexts) + drops.counts.total() == 10
    assert contexts[0].context.startswith("[DOC] [TLE] ")
