"""`caveat bench reader`: contenders in turns, peers that are not there, the same weights for all."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caveat.bench import peers as contenders
from caveat.bench import reader
from caveat.bench.checkpoint import write_checkpoint
from caveat.bench.peers import SCRIPTS, Contender, ContenderError, Peer, Worker, WorkerSettings
from caveat.bench.questions import generate_questions, read_questions
from caveat.bench.reader import bench_reader
from caveat.core.errors import InputError
from tiny_models import disturb, tiny_bert, tiny_card

SETTINGS = WorkerSettings("nowhere", 1, 48, 8, 6)
FACTS = [
    ("the color red and the size ten", "color", "red"),
    ("the dog and the color blue", "color", "blue"),
    ("size ten is the city", "size", "ten"),
    ("name the cat", "who", ""),
]
# Answers with the last word, in as many threads as it was told.
LAST_WORD = """
import sys
sys.path.insert(0, {scripts!r})
from request_lines import serve

def load(settings):
    print("this goes elsewhere")
    assert settings["threads"] and settings["window"] == 48
    return lambda pairs: [text.split()[-1] for _, text in pairs]

serve(load, ["numpy"])
"""


@pytest.fixture
def data_file(tmp_path: Path) -> Path:
    """The facts in SQuAD's layout; the last question has no answer."""
    paragraphs = [
        {
            "context": text,
            "qas": [
                {
                    "id": str(number),
                    "question": question,
                    "answers": [{"text": answer, "answer_start": text.index(answer)}] if answer else [],
                }
            ],
        }
        for number, (text, question, answer) in enumerate(FACTS)
    ]
    path = tmp_path / "facts.json"
    path.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
    return path


@pytest.fixture
def peers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A peer that works and one that does not, instead of the real ones; no weights are taken out."""
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(LAST_WORD.format(scripts=str(SCRIPTS)))
    bad.write_text("raise ModuleNotFoundError(\"No module named 'haystack'\")")
    fakes = {"transformers": Peer("a b", good), "haystack": Peer("a c", bad)}
    monkeypatch.setattr(reader, "PEERS", fakes)
    monkeypatch.setattr(contenders, "write_checkpoint", lambda model, out: None)
    return dict.fromkeys(fakes, sys.executable)


def cells(measured: Any) -> dict[str, dict[str, Any]]:
    """Row and column → cell; of columns with one name the first."""
    return {row[0]: dict(reversed(list(zip(measured.columns, row, strict=True)))) for row in measured.rows}


def test_figures_of_caveat_and_a_peer(
    reader_folder: Path, data_file: Path, peers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_DOCUMENT", 100)
    measured = bench_reader(repeats=2, data={"en": data_file}, models={"en": reader_folder}, peers=peers)
    assert measured.columns == ("", "caveat", "transformers", "ratio", "spread")
    table = cells(measured)
    assert [label.removeprefix("en: ") for label in table] == [
        "questions a second",
        "first answer, cold start",
        "peak memory",
        "one answer, 100 characters",
        "10 times the characters, times as long",
        "same answers as caveat",
        "F1",
        "exact match",
    ]
    # Ours are red, blue and ten; theirs ten, blue and city.
    assert table["en: same answers as caveat"]["transformers"] == "33.3%"
    assert (table["en: F1"]["caveat"], table["en: exact match"]["caveat"]) == (100.0, 100.0)
    assert table["en: F1"]["transformers"] == pytest.approx(100 / 3)
    assert table["en: questions a second"]["spread"].count("–") == 1
    assert table["en: F1"]["ratio"] is None
    # A peer without any library is smaller, whatever the parent's memory is.
    assert float(table["en: peak memory"]["ratio"].rstrip("×")) < 1
    notes = "\n".join(measured.notes)
    assert "3 questions of facts.json" in notes
    assert "haystack is left out: ModuleNotFoundError: No module named 'haystack'." in notes
    assert "`peers/haystack/bin/pip install a c`" in notes
    assert "transformers ran with numpy" in notes


def test_without_peers_or_data(caveat: Any, reader_folder: Path) -> None:
    done = caveat("bench", "reader", "--model-zh", reader_folder, "--questions", 2, "--repeats", 1, "--json")
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert measured["columns"] == ["", "caveat"]
    assert {row[0].partition(":")[0] for row in measured["rows"]} == {"zh"}
    assert not any("F1" in row[0] for row in measured["rows"])
    notes = "\n".join(measured["notes"])
    assert "transformers/bin/pip install torch transformers`" in notes
    assert "haystack/bin/pip install torch transformers-haystack`" in notes
    assert "2 questions of generated texts" in notes


def test_an_interpreter_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ContenderError, match="no such file"):
        Worker(Contender("a", str(tmp_path / "python"), tmp_path / "b.py"), SETTINGS)


def test_a_contender_that_stops(tmp_path: Path) -> None:
    script = tmp_path / "stops.py"
    script.write_text(LAST_WORD.format(scripts=str(SCRIPTS)))
    with Worker(Contender("a", sys.executable, script), SETTINGS) as worker:
        assert worker.answer([("who", "the cat")]).answers == ["cat"]
        with pytest.raises(ContenderError, match="IndexError: list index out of range"):
            worker.answer([("who", "")])


def test_questions_are_spread_over_the_file_and_have_answers(data_file: Path) -> None:
    found = read_questions("en", data_file, 2)
    assert found.pairs == (("color", FACTS[0][0]), ("color", FACTS[1][0]))
    assert found.golds == (["red"], ["blue"])
    assert len(read_questions("en", data_file, 99).pairs) == 3


@pytest.mark.parametrize("language", ["zh", "en"])
def test_generated_questions_and_documents(language: Any) -> None:
    made = generate_questions(language, 5)
    assert made == generate_questions(language, 5)
    documents = made.documents(2000, 3, 12)
    assert {len(text) for _, text in documents} == {2000}
    assert len({text for _, text in documents}) == 12
    assert all(text.splitlines()[1] == dict(made.pairs)[question] for question, text in documents)


def test_another_graph_than_a_bert_s(reader_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not the graph of a BERT"):
        write_checkpoint(reader_folder, tmp_path)


@pytest.fixture(scope="module")
def bert_folders(reader_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT reader, exported in both precisions, no two of its weights alike."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from caveat.models.encoding import load_tokenizer
    from caveat.models.session import SPAN_OUTPUTS
    from caveat.training.export import export_network
    from caveat.training.kinds.reader.network import ReaderNetwork

    tokenizer = load_tokenizer(reader_folder / "tokenizer.json")
    changes = {"num_attention_heads": 4, "intermediate_size": 48, "layer_norm_eps": 1e-7}
    bert = tiny_bert(tokenizer.get_vocab_size(), seed=5, **changes)
    made = disturb(ReaderNetwork(bert))
    folder = tmp_path_factory.mktemp("bert")
    card = tiny_card(max_answer_tokens=6)
    export_network(made, SPAN_OUTPUTS, tokenizer, folder / "fp32", card, precision="fp32")
    export_network(made, SPAN_OUTPUTS, tokenizer, folder / "int8", card, precision="int8")
    return folder


@pytest.mark.parametrize(("precision", "error"), [("fp32", 1e-4), ("int8", 0.1)])
def test_the_checkpoint_has_the_graph_s_logits(
    bert_folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, precision: str, error: float
) -> None:
    import torch

    from caveat.models.encoding import load_tokenizer
    from caveat.models.session import Session
    from caveat.training.export import sample_batch
    from caveat.training.graph import INPUTS

    monkeypatch.syspath_prepend(SCRIPTS)
    from bert_models import BertReader

    folder = bert_folders / precision
    write_checkpoint(folder, tmp_path)
    model, loaded = BertReader.from_pretrained(tmp_path, output_loading_info=True)
    assert not loaded["missing_keys"]
    assert not loaded["unexpected_keys"]
    assert (model.config.num_attention_heads, model.config.layer_norm_eps) == (4, 1e-7)
    tokenizer = load_tokenizer(folder / "tokenizer.json")
    ids, mask, types = sample_batch(
        tokenizer, None, INPUTS, [("who is the dog", "the dog is red"), ("size", "ten")]
    )
    with torch.inference_mode():
        given = model(input_ids=ids, attention_mask=mask, token_type_ids=types)
        # Who leaves the segments out gets the same ones.
        derived = model(input_ids=ids, attention_mask=mask)
    session = Session(folder / "model.onnx", threads=1)
    expected = session.run(ids.numpy(), mask.numpy(), types.numpy())
    real = mask.numpy() == 1
    for found, again, logits in zip(
        (given.start_logits, given.end_logits),
        (derived.start_logits, derived.end_logits),
        expected,
        strict=True,
    ):
        difference = (found.numpy() - logits)[real]
        assert np.sqrt((difference**2).mean()) < error * logits[real].std()
        assert np.array_equal(found.numpy()[real], again.numpy()[real])


def test_transformers_gives_the_same_answers(bert_folders: Path, tmp_path: Path) -> None:
    write_checkpoint(bert_folders / "fp32", tmp_path)
    # Longer ones are cut elsewhere: the peers' windows have another overlap.
    pairs = [
        ("who is the dog", "the dog is red and the cat is blue"),
        ("color", "the color of the city, ten of red"),
        ("颜色", "大的红，小的蓝。"),
    ]
    with Worker(
        Contender("caveat", sys.executable, SCRIPTS / "caveat_reader.py", own_environment=False),
        WorkerSettings(str(bert_folders / "fp32"), 1, 48, 8, 6),
    ) as ours:
        expected = ours.answer(pairs).answers
    with Worker(
        Contender("transformers", sys.executable, SCRIPTS / "transformers_reader.py"),
        WorkerSettings(str(tmp_path), 1, 48, 8, 6),
    ) as theirs:
        assert theirs.answer(pairs).answers == expected
        long = theirs.answer([("who", "the dog is red. " * 40)])
        assert long.answers[0] in "the dog is red. " * 40


@pytest.mark.torch
def test_the_best_span_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    monkeypatch.syspath_prepend(SCRIPTS)
    from transformers_reader import best_span

    random = np.random.default_rng(1)
    for length in (1, 5, 18):
        starts, ends = random.normal(size=(2, length)).astype(np.float32)
        spans = [
            (float(starts[first] + ends[last]), first, last)
            for first in range(length)
            for last in range(first, min(length, first + 4))
        ]
        assert best_span(starts, ends, 4) == max(spans)
