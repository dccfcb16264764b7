# ruff: noqa: E402
"""Whole runs of a ranker with a tiny encoder: learnt, stopped and resumed, exported, combined, predicted with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("safetensors")
onnx = pytest.importorskip("onnx")

from caveat.answerers.ranking.combination import COMBINATION, read_combinations
from caveat.answerers.ranking.evidence import CandidateList
from caveat.benchmarks.nlpcc.ranked_predict import predict_ranked
from caveat.benchmarks.verbs import evaluate
from caveat.core.errors import CaveatError
from caveat.models.card import Card, read_card
from caveat.models.ranker import Ranker
from caveat.models.windowed_model import ReadRequest
from caveat.training import log
from caveat.training.kinds.ranker.data import RankDataSet, RankerRecipe, RankSampler, RankTuning, encode_lists
from caveat.training.kinds.ranker.method import EmbeddingScorer, load_ranker, rank_loss, ranker_in_torch
from caveat.training.kinds.reader.network import CARD, new_reader
from caveat.training.loop import train_in_steps
from caveat.training.networks import NetworkCard, save_network, weights_of
from caveat.training.recipe import Described, Phase
from caveat.training.train import export_run

# Questions whose right sentence shares no more with them than the others do.
LISTS = [
    ("渡船几点离开？", ["渡船在北岸。", "早上七点离开。", "票价三元。"], 1),
    ("谁组织集市？", ["集市在蓝山镇。", "集市每周三举行。", "由周明组织。"], 2),
    ("票价多少？", ["三元。", "渡船每天离开。", "由周明组织。"], 0),
    ("集市在周几举行？", ["由周明组织。", "周三。", "在北岸。"], 1),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ranked")
    lines = [
        f"{question}\t{text}\t{int(place == right)}"
        for question, texts, right in LISTS
        for place, text in enumerate(texts)
    ]
    (folder / "pairs.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "few.tsv").write_text(
        "渡船几点离开？\t早上七点离开。\t1\n票价多少？\t三元。\t1\n", encoding="utf-8"
    )
    tables = (
        "t1\tthe mill\tyear _|_ by\t1820 _|_ ada _||_ 1820 _|_ finch\nt2\tthe bakery\tat\tsix _||_ noon\n"
    )
    (folder / "tables.tsv").write_text(tables)
    (folder / "cand.tsv").write_text("1\twhen was the mill built?\tt1\n0\twhen was the mill built?\tt2\n")
    return folder


@pytest.fixture(scope="module")
def recipe(short: dict[str, Any]) -> RankerRecipe:
    """Four lists, two phases: seven steps."""
    return RankerRecipe(
        data=(RankDataSet(path="pairs.tsv", format="dbqa", name="lists", licence="CC0"),),
        phases=(
            Phase(window=40, stride=12, batch_size=2, epochs=2),
            Phase(window=48, stride=16, batch_size=1, epochs=0.75),
        ),
        card=Described(name="tiny", language="zh", licence="CC0"),
        wrong=2,
        foreign=1,
        max_question_tokens=16,
        **short,
    )


@pytest.fixture(scope="module")
def by_heart(recipe: RankerRecipe, thorough: dict[str, Any]) -> RankerRecipe:
    return msgspec.structs.replace(
        recipe,
        **thorough,
        phases=(Phase(window=48, stride=24, batch_size=4, epochs=100),),
        freeze_embeddings=False,
        log_every=50,
        neighbours=1,
        tuning=RankTuning(
            path="pairs.tsv", format="dbqa", every=50, window=64, stride=24, folds=2, l2=1.0, name="the same"
        ),
    )


@pytest.mark.parametrize("loss", ["listwise", "pointwise"])
def test_a_stopped_run_ends_as_one_that_was_not(
    recipe: RankerRecipe, root: Path, check_resumed: Callable[..., Path], loss: str
) -> None:
    folder = check_resumed(msgspec.structs.replace(recipe, loss=loss), root, (3, 6))
    assert log.read(folder / "log.jsonl")[-1]["step"] == 7


def test_a_few_lists_are_learnt_by_heart(run: Path) -> None:
    entries = log.read(run / "log.jsonl")
    final = entries[-1]["final"]
    assert final == {"mrr": 100.0, "map": 100.0, "accuracy@1": 100.0, "questions": 4}
    assert [entry["step"] for entry in entries if "tuning" in entry] == [50]
    assert load_ranker(run / "model")[2].scores == final


def test_the_graph_gives_torch_s_scores(cards: dict[str, Card], by_heart: RankerRecipe, run: Path) -> None:
    network, tokenizer, _ = load_ranker(run / "model")
    in_torch = ranker_in_torch(network, tokenizer, by_heart)
    exported = Ranker.load(run / "fp32", threads=1)
    pairs = [ReadRequest(question, text) for question, texts, _ in LISTS for text in texts]
    # Batches of several lengths, and a candidate of several windows.
    pairs += [
        ReadRequest("票价多少？", "渡船每天早上七点离开，每周三票价三元。" * 9),
        ReadRequest("谁？", "周明"),
    ]
    ours, theirs = list(exported.score(pairs)), list(in_torch.score(pairs))
    assert np.abs(np.array(ours) - theirs).max() < 1e-4
    assert cards["fp32"].figures["export"]["same_answers"] == 100.0
    assert cards["fp32"].figures["export"]["mrr_lost"] == 0.0


def test_the_card_tells_what_the_model_is(cards: dict[str, Card], run: Path) -> None:
    for precision in ("int8", "fp32"):
        card = read_card(run / precision)
        assert card == cards[precision]
        assert (card.task, card.name, card.precision, card.null) == ("ranker", "tiny", precision, "none")
        assert (card.window, card.stride, card.neighbours) == (64, 24, 1)
        assert [(data.name, data.use, data.questions) for data in card.data] == [
            ("lists", "training", 4),
            ("the same", "tuning", 4),
        ]
        assert card.recipe["kind"] == "ranker"
        assert card.figures["training"] == {"steps": 100, "of": 100}
        figures = card.figures["nlpcc-dbqa"]
        assert list(figures) == ["overlap", "bm25", "ranker", "combined"]
        assert figures["ranker"]["questions"] == 4
        about = read_combinations(run / precision / COMBINATION).about
        assert about["fitted_to"] == "the same"
        assert about["figures"] == figures
    graph = onnx.load(str(run / "int8" / "model.onnx")).graph
    # The last layer reads the first token only.
    assert [node.output[0].endswith("_first") for node in graph.node if node.op_type == "Slice"].count(
        True
    ) == 1
    tensors = graph.initializer
    assert {t.data_type for t in tensors if np.prod(t.dims) >= 512} == {onnx.TensorProto.INT8}


def test_predictions_with_the_folder(cards: dict[str, Card], run: Path, root: Path, tmp_path: Path) -> None:
    data = root / "pairs.tsv"
    for method in ("ranker", "combined"):
        done = predict_ranked("nlpcc-dbqa", data, tmp_path / "out", model=run / "fp32", method=method)
        assert (done.method, done.model, done.questions, done.candidates) == (method, "tiny", 4, 12)
        assert evaluate("nlpcc-dbqa", data, tmp_path / "out").scores["mrr"] == 100


def test_tables(recipe: RankerRecipe, root: Path, tmp_path: Path) -> None:
    some = msgspec.structs.replace(
        recipe,
        data=(RankDataSet(path="cand.tsv", format="tbqa", tables="tables.tsv"),),
        phases=(Phase(window=64, stride=32, batch_size=2, epochs=4),),
        tuning=RankTuning(
            path="cand.tsv", format="tbqa", tables="tables.tsv", every=0, window=64, stride=32, folds=2
        ),
    )
    scores = train_in_steps(some, tmp_path, data_root=root)
    assert scores is not None
    assert scores["questions"] == 1
    card = export_run(
        msgspec.structs.replace(some, tuning=None), tmp_path, tmp_path / "out", precisions=["fp32"]
    )["fp32"]
    assert card.figures["training"] == {"steps": 4, "of": 4}
    done = predict_ranked(
        "nlpcc-tbqa",
        root / "cand.tsv",
        tmp_path / "scores",
        tables=root / "tables.tsv",
        model=tmp_path / "out" / "fp32",
    )
    assert (done.method, done.candidates) == ("combined", 2)
    assert len((tmp_path / "scores").read_text().splitlines()) == 2


def test_a_ranker_begins_with_a_reader_s_encoder(recipe: RankerRecipe, root: Path, tmp_path: Path) -> None:
    torch.manual_seed(8)
    reader, tokenizer = new_reader(recipe.encoder)
    with torch.no_grad():
        for parameter in reader.parameters():
            parameter.add_(0.01)
    save_network(tmp_path / "reader" / "model", reader, tokenizer, NetworkCard(), CARD)
    begun = msgspec.structs.replace(recipe, start=str(tmp_path / "reader"), learning_rate=1e-12)
    train_in_steps(begun, tmp_path / "run", data_root=root)
    theirs, ours = weights_of(tmp_path / "reader"), weights_of(tmp_path / "run")
    encoder = [name for name in ours if name.startswith("encoder.")]
    assert len(encoder) == len(ours) - 4
    assert all(torch.allclose(theirs[name], ours[name], atol=1e-7) for name in encoder)


def test_another_recipe_is_refused_and_calibration_files_too(
    recipe: RankerRecipe, root: Path, tmp_path: Path
) -> None:
    train_in_steps(recipe, tmp_path, data_root=root, stop=lambda step: step == 4)
    with pytest.raises(CaveatError, match=r"other settings \(loss\)"):
        train_in_steps(msgspec.structs.replace(recipe, loss="pointwise"), tmp_path, data_root=root)
    with pytest.raises(CaveatError, match="A ranker is calibrated on its own"):
        export_run(recipe, tmp_path, tmp_path, calibration=[("squad", root)])
    cards = export_run(recipe, tmp_path, tmp_path / "out", data_root=root, precisions=["int8"])
    assert cards["int8"].figures["training"] == {"steps": 4, "of": 7}


def sampler(tokenizer: Any, lists: list[CandidateList], **changes: Any) -> RankSampler:
    given = {"wrong": 4, "foreign": 1, "hard": 0.5, "window": 40, "stride": 16, **changes}
    corpus = encode_lists(
        lists,
        tokenizer,
        window=64,
        neighbours=0,
        most_wrong=8,
        left_out={},
        max_question_tokens=16,
    )
    return RankSampler([(corpus, given.pop("weight", 1.0))], 3, **given)


def texts_of(sample: Any) -> list[str]:
    return [window.text.text for window in sample.windows]


def test_what_an_epoch_takes(tokenizer: Any) -> None:
    many = CandidateList(
        "集市在周几举行？",
        ("集市在周三举行", "集市在周六", *(f"北岸{n}" for n in "一二三四五六七八九十")),
        (True,) + (False,) * 11,
    )
    alone = CandidateList("票价多少？", ("三元",), (True,))
    drawn = sampler(tokenizer, [many, alone]).epoch("1")
    again = sampler(tokenizer, [many, alone]).epoch("1")
    assert list(map(texts_of, drawn)) == list(map(texts_of, again))
    first, second = map(texts_of, drawn)
    assert first[0] == "集市在周三举行"
    assert first.count("集市在周三举行") == 1
    assert 5 <= len(first) <= 6
    assert set(second[1:]) <= {"集市在周三举行"}
    # The most alike of the wrong ones are drawn from twice as many as are taken.
    seeds = [texts_of(sampler(tokenizer, [many, alone]).epoch(str(seed))[0]) for seed in range(20)]
    assert sum("集市在周六" in texts for texts in seeds) >= 8
    twice = sampler(tokenizer, [many, alone], weight=2.0).epoch("1")
    assert len(twice) == 2 * len(drawn)


def test_long_candidates_are_read_in_parts(tokenizer: Any) -> None:
    long = CandidateList("票价多少？", ("三元" * 60, "七点" * 60), (True, False))
    sizes = set()
    for seed in range(8):
        (sample,) = sampler(tokenizer, [long], foreign=0).epoch(str(seed))
        assert all(window.length + 3 <= 40 for window in sample.windows)
        sizes.add(tuple(window.first for window in sample.windows))
    assert len(sizes) > 1


def test_losses_by_hand() -> None:
    scores = torch.tensor([1.0, 0.0, 2.0, 0.0, 0.0])
    listwise = rank_loss(scores, [2, 3], "listwise")
    e = np.e
    assert float(listwise) == pytest.approx((-np.log(e / (e + 1)) - np.log(e**2 / (e**2 + 2))) / 2)
    pointwise = rank_loss(scores, [2, 3], "pointwise")
    right = np.log1p(np.exp(-np.array([1.0, 2.0])))
    assert float(pointwise) == pytest.approx(((right + np.log(2)) / 2).sum() / 2)


def test_an_encoder_of_single_texts(encoder_folder: Path) -> None:
    scorer = EmbeddingScorer(str(encoder_folder), window=16)
    pairs = [
        ReadRequest("渡船", "渡船"),
        ReadRequest("渡船", "集市在周三举行" * 9),
        ReadRequest("周明", "周明"),
    ]
    same, other, again = scorer.score(pairs)
    assert same == pytest.approx(1, abs=1e-5)
    assert again == pytest.approx(1, abs=1e-5)
    assert other < 0.999
