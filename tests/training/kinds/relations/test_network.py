# ruff: noqa: E402
"""Whole runs of a relation network with a tiny encoder: learnt, stopped and resumed, measured, predicted with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer
from typer.testing import CliRunner

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("safetensors")

from caveat.answerers.documents.structure.spans import Span
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmqa.format import CmqaSample, LabelledSpan
from caveat.benchmarks.cmqa.predict import spans_of, with_relations
from caveat.benchmarks.verbs import evaluate, predict
from caveat.cli.predict import command as predict_command
from caveat.cli.train import command as train_command
from caveat.core.errors import CaveatError, InputError, UsageError
from caveat.training import log
from caveat.training.kinds.relations.method import Relating
from caveat.training.kinds.relations.network import (
    NetworkRelater,
    load_relater,
    load_relation_network,
    new_relation_network,
)
from caveat.training.kinds.relations.recipe import RelationData, RelationNetworkRecipe
from caveat.training.kinds.tagger.data import SpanTuning
from caveat.training.loop import train_in_steps
from caveat.training.networks import weights_of
from caveat.training.recipe import Phase, load_recipe
from caveat.training.sampling import fold_of

WORDS = "encoder.embeddings.word_embeddings.weight"


def sample(context: str, spans: list[tuple[str, str]], related: list[tuple[int, int]]) -> CmqaSample:
    """A sample with its spans by kind and text, and the relations between them by number."""
    places = [Span(kind, context.index(text), context.index(text) + len(text)) for kind, text in spans]
    labelled = {
        kind: tuple(
            LabelledSpan(context[span.start : span.end], span.start, span.end)
            for span in places
            if span.kind == kind
        )
        for kind in ("condition", "coarse", "fine")
    }
    whole = CmqaSample(context, "谁组织集市？", **labelled)
    return with_relations(whole, [(places[head], places[tail]) for head, tail in related])


# The third has a fine answer within its condition, the fourth one answer and nothing to decide.
SAMPLES = [
    sample(
        "早上七点，渡船离开北岸，票价三元。",
        [("condition", "早上七点"), ("coarse", "渡船"), ("fine", "北岸"), ("fine", "三元")],
        [(0, 1), (1, 2), (0, 3)],
    ),
    sample(
        "每周三，集市举行，由周明组织。",
        [("condition", "每周三"), ("coarse", "集市"), ("fine", "周明")],
        [(1, 2)],
    ),
    sample(
        "每天七点离开，北岸三元。",
        [("condition", "每天七点离开"), ("fine", "七点"), ("coarse", "北岸"), ("fine", "三元")],
        [(0, 2), (2, 3)],
    ),
    sample("票价三元。", [("fine", "三元")], []),
]
ALL = {
    "condition-answer F1": 100.0,
    "condition-answer EM": 100.0,
    "coarse-fine F1": 100.0,
    "coarse-fine EM": 100.0,
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("related")
    cmqa.write(folder / "cmqa.jsonl", SAMPLES)
    cmqa.write(folder / "same.jsonl", SAMPLES)
    return folder


@pytest.fixture(scope="module")
def recipe(short: dict[str, Any]) -> RelationNetworkRecipe:
    """Two phases over the three samples that have pairs: seven steps."""
    return RelationNetworkRecipe(
        mode="span-assist",
        representation="pooled",
        features=True,
        data=(RelationData(path="cmqa.jsonl"),),
        phases=(
            Phase(window=40, stride=12, batch_size=2, epochs=2),
            Phase(window=48, stride=16, batch_size=1, epochs=1),
        ),
        max_question_tokens=8,
        **short,
    )


@pytest.fixture(scope="module")
def by_heart(recipe: RelationNetworkRecipe, thorough: dict[str, Any]) -> RelationNetworkRecipe:
    return msgspec.structs.replace(
        recipe,
        **thorough,
        representation="start",
        features=False,
        phases=(Phase(window=48, stride=24, batch_size=3, epochs=120),),
        log_every=40,
        tuning=SpanTuning(metric="cmqa", path="same.jsonl", every=60, window=48, stride=24),
    )


def check_learnt(folder: Path, mode: str) -> None:
    scores = json.loads((folder / "scores.json").read_text("utf-8"))
    assert list(scores) == ["nearest", "nearest, coarse first", f"network, {mode}"]
    assert scores[f"network, {mode}"] == ALL
    # Nearest: each of the 8 answers that a condition begins before, and 3 of these are right, all that there are; each
    # of the 4 fine answers that a coarse one begins before, 3 of these.
    assert scores["nearest"]["condition-answer F1"] == pytest.approx(100 * 2 * 3 / (8 + 3))
    assert scores["nearest"]["coarse-fine F1"] == pytest.approx(100 * 2 * 3 / (4 + 3))
    assert log.read(folder / "log.jsonl")[-1]["final"] == scores
    assert load_relation_network(folder / "model")[2].scores == scores


def test_span_assist_learns_a_few_samples_by_heart(run: Path, root: Path) -> None:
    check_learnt(run, "span-assist")
    entries = log.read(run / "log.jsonl")
    (measured,) = [entry["tuning"] for entry in entries if "tuning" in entry]
    assert measured["questions"] == 4
    assert set(measured["coarse-fine"]) == {"f1", "exact_match"}
    # A file of its own is what is held out.
    assert (run / "held-out.jsonl").read_bytes() == (root / "same.jsonl").read_bytes()
    relater = load_relater(run, threads=1)
    for one in SAMPLES:
        related = relater.relate(one.context, spans_of(one), one.question)
        assert with_relations(one, [each.pair for each in related]) == one
        assert all(0.5 < each.probability < 1 for each in related)


@pytest.mark.parametrize(("representation", "features"), [("start-end", False), ("pooled", True)])
def test_normal_mode_learns_a_few_samples_by_heart(
    by_heart: RelationNetworkRecipe, root: Path, tmp_path: Path, representation: Any, features: bool
) -> None:
    normal = msgspec.structs.replace(
        by_heart, mode="normal", representation=representation, features=features, freeze_embeddings=False
    )
    train_in_steps(normal, tmp_path, data_root=root)
    check_learnt(tmp_path, "normal")
    assert not any(name.startswith("markers") for name in weights_of(tmp_path))


def test_markers_are_learnt_beside_a_frozen_table(
    recipe: RelationNetworkRecipe, root: Path, tmp_path: Path
) -> None:
    torch.manual_seed(recipe.seed)
    before = new_relation_network(recipe)[0].state_dict()
    # As the encoder's own vectors are spread, not as torch draws a table.
    assert 0.01 < float(before["markers.weight"].std()) < 0.03
    train_in_steps(recipe, tmp_path, data_root=root)
    after = weights_of(tmp_path)
    assert torch.equal(after[WORDS], before[WORDS])
    assert after["markers.weight"].shape == (6, 32)
    # Each of the six has been learnt: all three kinds are in the samples.
    assert ((after["markers.weight"] - before["markers.weight"]).abs().max(1).values > 1e-4).all()
    assert (tmp_path / "model" / "relation-network.json").is_file()


def test_markers_are_never_hidden(recipe: RelationNetworkRecipe, root: Path) -> None:
    method: Any = Relating(recipe, root, lambda message: None)
    method._masking = torch.zeros_like
    seen = []
    method.network.register_forward_pre_hook(lambda module, arguments: seen.append(arguments[0]))
    batch = next(method.batches_from(0))
    method.loss(batch)
    spans = sum(len(each.sample.first) for each in batch)
    markers = seen[0] >= method.network.markers_from
    assert int(markers.sum()) == 2 * spans
    assert int(seen[0][~markers].abs().sum()) == 0


def counted(relater: NetworkRelater) -> list[int]:
    passes: list[int] = []
    relater.network.encoder.register_forward_hook(lambda *_: passes.append(1))
    return passes


def test_one_pass_a_sample_and_none_without_pairs(run: Path) -> None:
    relater = load_relater(run / "model")
    passes = counted(relater)
    for one in SAMPLES[:3]:
        passes.clear()
        relater.relate(one.context, spans_of(one), one.question)
        assert len(passes) == 1
    passes.clear()
    alone = SAMPLES[3]
    assert relater.relate(alone.context, spans_of(alone), alone.question) == []
    assert relater.relate("", [], "") == []
    assert passes == []


def test_a_text_longer_than_a_window(run: Path) -> None:
    relater = load_relater(run)
    passes = counted(relater)
    first = SAMPLES[0]
    shift = 60
    moved = [Span(span.kind, span.start + shift, span.end + shift) for span in spans_of(first)]
    related = relater.relate("周明" * 30 + first.context, [*moved, Span("condition", 0, 2)], first.question)
    assert len(passes) == 1 < 80 / 48
    assert all(each.head.start >= shift for each in related)


def test_a_hundred_spans(by_heart: RelationNetworkRecipe, tmp_path: Path) -> None:
    config = transformers.BertConfig.from_pretrained(by_heart.encoder, max_position_embeddings=512)
    transformers.BertModel(config).save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_bytes((Path(by_heart.encoder) / "tokenizer.json").read_bytes())
    wide = msgspec.structs.replace(
        by_heart,
        encoder=str(tmp_path),
        tuning=None,
        phases=(Phase(window=448, stride=224, batch_size=1, epochs=1),),
    )
    network, tokenizer = new_relation_network(wide)
    with torch.no_grad():
        network.decide[-1].bias.fill_(9.0)  # everything belongs together
    relater = NetworkRelater(network.eval(), tokenizer, wide)
    passes = counted(relater)
    kinds = ("condition", "coarse", "fine", "fine")
    spans = [Span(kinds[at % 4], 2 * at, 2 * at + 2) for at in range(100)]
    related = relater.relate("渡船" * 100, spans, "谁组织集市？")
    assert len(related) == 25 * 25 + 2 * 25 * 50
    assert len(passes) == 1
    assert [each.tail.start for each in related] == sorted(each.tail.start for each in related)


@pytest.mark.parametrize("stops", [[3], [1, 4, 6]])
def test_a_stopped_run_ends_as_one_that_was_not(
    recipe: RelationNetworkRecipe, root: Path, check_resumed: Callable[..., Path], stops: list[int]
) -> None:
    resumed = check_resumed(recipe, root, stops)
    assert log.read(resumed / "log.jsonl")[-1]["step"] == 7
    other = msgspec.structs.replace(recipe, representation="start")
    with pytest.raises(CaveatError, match=r"other settings \(representation\)"):
        train_in_steps(other, resumed, data_root=root)


def test_a_fold_is_held_out_and_measured(recipe: RelationNetworkRecipe, root: Path, tmp_path: Path) -> None:
    folds = [fold_of(one.context, 2) for one in SAMPLES]
    fold = folds[0]
    holding = msgspec.structs.replace(
        recipe, folds=2, fold=fold, tuning=SpanTuning(metric="cmqa", window=48, stride=24)
    )
    assert 0 < folds[:3].count(fold) < 3
    said: list[str] = []
    train_in_steps(holding, tmp_path, data_root=root, note=said.append)
    held = [sample for _, sample in cmqa.read(tmp_path / "held-out.jsonl")]
    assert held == [one for one, of in zip(SAMPLES, folds, strict=True) if of == fold]
    learnt = sum(of != fold for of in folds[:3])
    assert said[0].startswith(f"cmqa.jsonl: {learnt} questions (left out: {len(held)} held out")
    # The figures are those of predict and eval with the gold spans.
    out = tmp_path / "mine.jsonl"
    data = tmp_path / "held-out.jsonl"
    done = predict("cmqa", data, out, spans=data, relations=tmp_path)
    assert (done.model, done.questions) == (str(data), len(held))
    scores = evaluate("cmqa", data, out).scores
    row = json.loads((tmp_path / "scores.json").read_text("utf-8"))["network, span-assist"]
    assert row["coarse-fine F1"] == scores["coarse-fine"]["f1"]
    assert row["condition-answer EM"] == scores["condition-answer"]["exact_match"]
    assert scores["all"]["exact_match"] == 100
    # Without a fold everything is learnt, and nothing measured.
    whole = msgspec.structs.replace(holding, fold=-1)
    assert train_in_steps(whole, tmp_path / "whole", data_root=root) == {}
    assert not (tmp_path / "whole" / "scores.json").exists()


def test_it_begins_with_another_run_s_encoder(
    recipe: RelationNetworkRecipe, run: Path, root: Path, tmp_path: Path
) -> None:
    begun = msgspec.structs.replace(recipe, mode="normal", start=str(run), learning_rate=1e-12)
    train_in_steps(begun, tmp_path, data_root=root)
    theirs, ours = weights_of(run), weights_of(tmp_path)
    encoder = [name for name in ours if name.startswith("encoder.")]
    assert all(torch.allclose(theirs[name], ours[name], atol=1e-7) for name in encoder)


def test_an_encoder_that_is_shared_stays_as_it_was(
    recipe: RelationNetworkRecipe, run: Path, root: Path, tmp_path: Path
) -> None:
    shared = msgspec.structs.replace(recipe, mode="normal", start=str(run), freeze_encoder=True)
    train_in_steps(shared, tmp_path, data_root=root)
    theirs, ours = weights_of(run), weights_of(tmp_path)
    encoder = [name for name in ours if name.startswith("encoder.")]
    assert encoder
    assert all(torch.equal(theirs[name], ours[name]) for name in encoder)
    with pytest.raises(CaveatError, match="freeze_encoder needs `start`"):
        load_recipe("cmqa-relations-network", ["freeze_encoder=true", "start="])


def test_data_that_teaches_nothing(recipe: RelationNetworkRecipe, tmp_path: Path) -> None:
    cmqa.write(tmp_path / "cmqa.jsonl", [with_relations(one, []) for one in SAMPLES])
    with pytest.raises(CaveatError, match="no relations"):
        train_in_steps(recipe, tmp_path / "run", data_root=tmp_path)
    cmqa.write(tmp_path / "cmqa.jsonl", [])
    with pytest.raises(InputError, match="has no samples"):
        train_in_steps(recipe, tmp_path / "run", data_root=tmp_path)


def test_the_shipped_recipe_and_what_is_wrong_with_others() -> None:
    shipped = load_recipe("cmqa-relations-network", ["mode=span-assist", "features=true"])
    assert isinstance(shipped, RelationNetworkRecipe)
    assert (shipped.mode, shipped.representation, shipped.features, shipped.fold) == (
        "span-assist", "start", True, 0,
    )  # fmt: skip
    # What a tagger holds out, this holds out too.
    spans = load_recipe("cmqa-spans")
    assert (spans.folds, spans.fold) == (shipped.folds, shipped.fold)
    assert [data.path for data in spans.data if data.held_out] == [data.path for data in shipped.data]
    for override, message in [
        ("mode=markers", "mode"),
        ("balance=2", "balance must be from 0 to 1"),
        ("fold=5", r"fold must be from 0 to below folds \(5\)"),
        ("tuning.metric=multispan", "measured by the metric 'cmqa'"),
    ]:
        with pytest.raises(CaveatError, match=message):
            load_recipe("cmqa-relations-network", [override])


Typed = Callable[..., Any]


@pytest.fixture
def typed() -> Typed:
    def invoke(command: Callable[..., None], *arguments: object) -> Any:
        app = typer.Typer()
        app.command()(command)
        return CliRunner().invoke(app, list(map(str, arguments)))

    return invoke


@pytest.mark.usefixtures("handlers")
def test_as_a_user_types_it(typed: Typed, encoder_folder: Path, root: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        f"""
        kind = "relation-network"
        encoder = {str(encoder_folder)!r}
        max_question_tokens = 8
        data = [{{path = "cmqa.jsonl"}}]
        phases = [{{window = 48, stride = 24, batch_size = 2, epochs = 1}}]
        tuning = {{metric = "cmqa", path = "same.jsonl", window = 48, stride = 24}}
        """,
        encoding="utf-8",
    )
    out = tmp_path / "run"
    ran = typed(
        train_command, tmp_path / "mine.toml", "--out", out, "--data-root", root, "--set", "mode=span-assist"
    )
    assert ran.exit_code == 0, ran.output
    assert "nearest, coarse first" in ran.stdout
    assert "network, span-assist" in ran.stdout
    assert "condition-answer F1" in ran.stdout
    assert "not exported, it decides in torch" in ran.stderr
    assert "cmqa.jsonl: 3 questions (left out: 1 without pairs)" in ran.stderr
    assert sorted(path.name for path in out.iterdir()) == [
        "checkpoint.pt", "held-out.jsonl", "log.jsonl", "model", "scores.json",
    ]  # fmt: skip


def test_gold_spans_related_by_a_run_as_typed(typed: Typed, run: Path, root: Path, tmp_path: Path) -> None:
    data, out = root / "cmqa.jsonl", tmp_path / "out.jsonl"
    ran = typed(predict_command, "cmqa", "--data", data, "--spans", data, "--relations", run, "--out", out)
    assert ran.exit_code == 0, ran.output
    assert [one for _, one in cmqa.read(out)] == SAMPLES
    scores = evaluate("cmqa", data, out).scores
    assert scores["condition-answer"]["exact_match"] == scores["coarse-fine"]["exact_match"] == 100


def test_two_taggers_and_a_run(make_tagger: Any, typed: Typed, run: Path, tmp_path: Path) -> None:
    conditions = make_tagger("conditions", [["condition"]], {"颜": ["B-condition"], "色": ["I-condition"]})
    answers = make_tagger("answers", [["coarse", "fine"]], {"大": ["B-coarse"], "红": ["B-fine"]})
    data, out = tmp_path / "data.jsonl", tmp_path / "out.jsonl"
    cmqa.write(data, [CmqaSample("颜色，大是红。", "大小？"), CmqaSample("十。", "大小？")])
    ran = typed(
        predict_command, "cmqa", "--data", data, "--model", conditions, "--model", answers,
        "--relations", run, "--threads", "1", "--out", out,
    )  # fmt: skip
    assert ran.exit_code == 0, ran.output
    first, second = (one for _, one in cmqa.read(out))
    united = [Span("condition", 0, 2), Span("coarse", 3, 4), Span("fine", 5, 6)]
    assert spans_of(first) == united
    related = load_relater(run).relate(first.context, united, first.question)
    assert first == with_relations(first, [each.pair for each in related])
    assert spans_of(second) == []
    with pytest.raises(UsageError, match="With --spans nothing is tagged"):
        predict("cmqa", data, out, model=[conditions], spans=data)


def test_a_folder_without_a_network_is_told(root: Path, tmp_path: Path) -> None:
    with pytest.raises(
        CaveatError, match=r"holds no trained relation network: relation-network\.json is missing"
    ):
        predict("cmqa", root / "cmqa.jsonl", tmp_path / "out", spans=root / "cmqa.jsonl", relations=tmp_path)
