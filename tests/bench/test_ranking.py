"""`caveat bench ranking`: pairs in turns, peers that are not there, the same weights for all."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caveat.bench import peers as contenders
from caveat.bench import ranking
from caveat.bench.checkpoint import write_checkpoint
from caveat.bench.peers import SCRIPTS, Peer
from caveat.bench.ranking import bench_ranking
from caveat.core.errors import CaveatError, InputError
from tiny_models import disturb, tiny_bert, tiny_card

# Scores a pair by the length of its text.
LENGTHS = """
import sys
sys.path.insert(0, {scripts!r})
from request_lines import serve

def load(settings):
    assert settings["window"] == 32
    return lambda pairs: [str(len(text.strip())) for _, text in pairs]

serve(load, ["numpy"])
"""
LISTS = """\
color red\tred color\t1
color red\tthe dog and the cat\t0
size ten\tthe dog\t0
size ten\tten of the size\t1
"""


@pytest.fixture
def peers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(LENGTHS.format(scripts=str(SCRIPTS)))
    bad.write_text("raise ModuleNotFoundError(\"No module named 'b'\")")
    fakes = {"lengths": Peer("a b", good), "broken": Peer("a c", bad)}
    monkeypatch.setattr(ranking, "PEERS", fakes)
    monkeypatch.setattr(contenders, "write_checkpoint", lambda model, out: None)
    monkeypatch.setattr(ranking, "_ROWS", 3)
    return dict.fromkeys(fakes, sys.executable)


def test_figures_of_caveat_and_a_peer(ranker_folder: Path, tmp_path: Path, peers: dict[str, str]) -> None:
    (tmp_path / "lists.tsv").write_text(LISTS)
    measured = bench_ranking(
        repeats=2, data={"en": tmp_path / "lists.tsv"}, models={"en": ranker_folder}, peers=peers
    )
    assert measured.columns == ("", "caveat", "lengths", "ratio", "spread")
    table = {row[0]: row[1:] for row in measured.rows}
    assert [str(label).removeprefix("en: ") for label in table] == [
        "pairs a second",
        "first score, cold start",
        "peak memory",
        "same best candidate as caveat",
        "MRR",
        "20 tables of 3 rows",
    ]
    # The longer text is right in one list of two.
    assert table["en: same best candidate as caveat"] == (None, "50.0%", None, None)
    assert table["en: MRR"] == (100.0, 75.0, None, None)
    assert len({len(row) for row in measured.rows}) == 1
    notes = "\n".join(measured.notes)
    assert "4 pairs of lists.tsv" in notes
    assert "broken is left out: ModuleNotFoundError: No module named 'b'." in notes


def test_without_peers_or_data(caveat: Any, ranker_folder: Path) -> None:
    done = caveat("bench", "ranking", "--model-zh", ranker_folder, "--pairs", 20, "--repeats", 1, "--json")
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert measured["columns"] == ["", "caveat"]
    assert {row[0].partition(":")[0] for row in measured["rows"]} == {"zh"}
    assert not any("MRR" in row[0] for row in measured["rows"])
    notes = "\n".join(measured["notes"])
    assert "sentence-transformers is left out: --sentence-transformers names no interpreter" in notes
    assert "pairs of generated texts" in notes


def test_no_ranker_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "embedded", dict)
    with pytest.raises(CaveatError, match="no ranker to measure"):
        bench_ranking()


def test_a_tagger_has_no_peers(tagger_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no peers"):
        write_checkpoint(tagger_folder, tmp_path)


@pytest.mark.torch
@pytest.mark.parametrize(("precision", "error"), [("fp32", 1e-4), ("int8", 0.15)])
def test_the_checkpoint_has_the_graph_s_logits(
    reader_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, precision: Any, error: float
) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from caveat.models.encoding import load_tokenizer
    from caveat.models.session import RANK_OUTPUTS, Session
    from caveat.training.export import export_network, sample_batch
    from caveat.training.graph import INPUTS
    from caveat.training.kinds.ranker.method import RankerNetwork

    monkeypatch.syspath_prepend(SCRIPTS)
    from bert_models import BertRanker

    tokenizer = load_tokenizer(reader_folder / "tokenizer.json")
    changes = {"num_attention_heads": 4, "intermediate_size": 48, "layer_norm_eps": 1e-7}
    bert = tiny_bert(tokenizer.get_vocab_size(), seed=5, **changes)
    made = disturb(RankerNetwork(bert))
    card = tiny_card(task="ranker")
    folder = tmp_path / "model"
    export_network(made, RANK_OUTPUTS, tokenizer, folder, card, precision=precision, first_token_only=True)
    (tmp_path / "checkpoint").mkdir()
    write_checkpoint(folder, tmp_path / "checkpoint")
    model, loaded = BertRanker.from_pretrained(tmp_path / "checkpoint", output_loading_info=True)
    assert not loaded["missing_keys"]
    assert not loaded["unexpected_keys"]
    assert model.config.num_labels == 1
    pairs = [("who is the dog", "the dog is red"), ("size", "ten"), ("color", "the city and the cat " * 2)]
    ids, mask, types = sample_batch(tokenizer, None, INPUTS, pairs)
    with torch.inference_mode():
        found = model(input_ids=ids, attention_mask=mask, token_type_ids=types).logits.numpy()[:, 0]
    session = Session(folder / "model.onnx", outputs=RANK_OUTPUTS, threads=1)
    (expected,) = session.run(ids.numpy(), mask.numpy(), types.numpy())
    assert np.abs(found - expected).max() < error * max(1.0, np.abs(expected).max())
