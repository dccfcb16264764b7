# ruff: noqa: E402
"""ConditionalQA's families learn two pages by heart with tiny encoders, and predict in the task's layout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tiny_models import in_pairs, write_encoder

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")
pytest.importorskip("safetensors")
pytest.importorskip("onnx")

from caveat.benchmarks.conditionalqa import format as conditionalqa
from caveat.benchmarks.conditionalqa.format import ConditionalAnswer, ConditionalDocument, ConditionalQuestion
from caveat.core.errors import CaveatError, InputError
from caveat.training import log
from caveat.training.kinds.conditional.data import ConditionalDataSet, ConditionalRecipe, ConditionalTuning
from caveat.training.kinds.conditional.predict import holds_conditional_model, predict, predict_file
from caveat.training.loop import train_in_steps
from caveat.training.networks import weights_of
from caveat.training.recipe import Phase, load_recipe
from caveat.training.train import export_run

RENT = "<li>you rent your home</li>"
BEES = ConditionalDocument(
    "Bee grant",
    "bees",
    (
        "<h1>Bee grant</h1>",
        "<p>Keepers of bees get money.</p>",
        "<h2>What you get</h2>",
        "<p>You get 300 pounds a year.</p>",
        "<h2>Who can get it</h2>",
        "<p>You can get the grant if all of these apply:</p>",
        "<li>you are over 18</li>",
        RENT,
        "<h2>Wasps</h2>",
        "<p>Wasps get nothing.</p>",
    ),
)
BOATS = ConditionalDocument(
    "Boat fee", "boats", ("<h1>Boat fee</h1>", "<p>Boats pay a fee.</p>", "<p>The fee is 5 pounds.</p>")
)


def asked(
    id: str, page: ConditionalDocument, question: str, scenario: str, *more: Any
) -> ConditionalQuestion:
    answers, evidences = more
    return ConditionalQuestion(
        id,
        page.url,
        scenario,
        question,
        not_answerable=not answers,
        answers=tuple(ConditionalAnswer(*answer) for answer in answers),
        evidences=tuple(page.contents[at] for at in evidences),
    )


QUESTIONS = [
    asked("1", BEES, "How much is it?", "I keep bees.", [("300 pounds a year",)], [3]),
    asked("2", BEES, "Can I get the grant?", "I am over 18.", [("yes", (RENT,))], [5, 6, 7]),
    asked("3", BEES, "Do wasps get money?", "I keep wasps.", [("no",)], [9]),
    asked("4", BEES, "When do shops open?", "I have no bread.", [], []),
    asked("5", BOATS, "What is the fee?", "I have a boat.", [("5 pounds",)], [2]),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conditional")
    conditionalqa.write(folder / "questions.json", QUESTIONS)
    conditionalqa.write_documents(folder / "documents.json", [BEES, BOATS])
    return folder


def words() -> list[str]:
    texts = [text for page in (BEES, BOATS) for text in page.contents]
    texts += [f"{question.question} {question.scenario}" for question in QUESTIONS]
    plain = tokenizers.pre_tokenizers.BertPreTokenizer()
    pieces = {word for text in texts for word, _ in plain.pre_tokenize_str(text.lower())}
    return sorted(pieces | {"yes", "no", "na", ":", "#", "&", "question", "context"})


def tokenizer_of(specials: list[str], unknown: str) -> Any:
    vocabulary = {word: id for id, word in enumerate([*specials, *words()])}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token=unknown))
    made.normalizer = tokenizers.normalizers.Lowercase()
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    return made


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny BERT over the words of the pages."""
    made = in_pairs(tokenizer_of(["[PAD]", "[UNK]", "[CLS]", "[SEP]"], "[UNK]"))
    return str(write_encoder(tmp_path_factory.mktemp("bert"), made, seed=3))


@pytest.fixture(scope="module")
def t5(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny T5 over the words of the pages."""
    folder = tmp_path_factory.mktemp("t5")
    made = tokenizer_of(["<pad>", "</s>", "<unk>"], "<unk>")
    made.save(str(folder / "tokenizer.json"))
    torch.manual_seed(3)
    config = transformers.T5Config(
        vocab_size=made.get_vocab_size(),
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=2,
        num_heads=2,
        decoder_start_token_id=0,
    )
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    return str(folder)


def recipe_for(family: str, encoder: str, epochs: float, **more: Any) -> ConditionalRecipe:
    settings: dict[str, Any] = {
        "family": family,
        "encoder": encoder,
        "data": (ConditionalDataSet(path="questions.json", documents="documents.json"),),
        "phases": (Phase(window=64, stride=24, batch_size=8, epochs=epochs),),
        "tuning": ConditionalTuning(
            path="questions.json", documents="documents.json", window=64, stride=24, every=0
        ),
        "learning_rate": 3e-3,
        "dropout": 0.0,
        "attention_dropout": 0.0,
        "max_question_tokens": 24,
        "ema": 0.5,
        "log_every": 20,
        "threads": 1,
    }
    return ConditionalRecipe(**{**settings, **more})


GOLD = [conditionalqa.ConditionalPrediction(question.id, question.answers) for question in QUESTIONS]


def check_by_heart(run: Path, scores: dict[str, Any] | None) -> None:
    assert scores is not None
    assert scores["total"]["em_with_conditions"] == 100
    assert scores["conditional"]["em_with_conditions"] == 100
    assert holds_conditional_model(run)
    assert predict(run, QUESTIONS, [BEES, BOATS]) == GOLD
    assert predict(run / "model", QUESTIONS[:2], [BEES]) == GOLD[:2]
    assert predict(run, [], []) == []
    with pytest.raises(InputError, match="no document has its address, boats"):
        predict(run, QUESTIONS, [BEES])


def check_resumed(recipe: ConditionalRecipe, root: Path, folder: Path) -> None:
    """A run that is stopped on its way ends with the weights of one that is not."""
    short = msgspec.structs.replace(
        recipe,
        phases=(msgspec.structs.replace(recipe.phases[0], epochs=1, batch_size=2),),
        tuning=None,
    )
    train_in_steps(short, folder / "straight", data_root=root)
    assert train_in_steps(short, folder / "resumed", data_root=root, stop=lambda step: step == 1) is None
    train_in_steps(short, folder / "resumed", data_root=root)
    ours, theirs = weights_of(folder / "resumed"), weights_of(folder / "straight")
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


def test_the_pipeline_learns_pages_by_heart(encoder: str, root: Path, tmp_path: Path) -> None:
    recipe = recipe_for("pipeline", encoder, 60)
    check_by_heart(tmp_path, train_in_steps(recipe, tmp_path, data_root=root))
    notes: list[str] = []
    assert export_run(recipe, tmp_path, tmp_path, data_root=root, note=notes.append) == {}
    assert "predicts in torch" in notes[0]
    assert log.read(tmp_path / "log.jsonl")[0]["data"]["questions.json"]["questions"] == 5


def test_a_stopped_pipeline_goes_on(encoder: str, root: Path, tmp_path: Path) -> None:
    check_resumed(recipe_for("pipeline", encoder, 1), root, tmp_path)


def test_evidences_stand_for_pages_that_are_missing(encoder: str, root: Path, tmp_path: Path) -> None:
    pooled = (ConditionalDataSet(path="questions.json", distractors=1),)
    recipe = recipe_for("pipeline", encoder, 1, data=pooled, tuning=None)
    assert train_in_steps(recipe, tmp_path, data_root=root) == {}
    assert [prediction.id for prediction in predict(tmp_path, QUESTIONS, [BEES, BOATS])] == list("12345")
    out = tmp_path / "predictions.json"
    done = predict_file(tmp_path, root / "questions.json", root / "documents.json", out)
    assert done.questions == 5
    assert conditionalqa.read_predictions(out) == predict(tmp_path, QUESTIONS, [BEES, BOATS])


def test_fusion_learns_pages_by_heart(t5: str, root: Path, tmp_path: Path) -> None:
    phases = (Phase(window=64, stride=24, batch_size=5, epochs=90),)
    recipe = recipe_for("fusion", t5, 1, phases=phases, attention_dropout=None, max_target_tokens=24)
    check_by_heart(tmp_path, train_in_steps(recipe, tmp_path, data_root=root))


def test_a_stopped_fusion_goes_on(t5: str, root: Path, tmp_path: Path) -> None:
    check_resumed(recipe_for("fusion", t5, 1, attention_dropout=None), root, tmp_path)


def test_three_steps_learn_pages_by_heart(encoder: str, root: Path, tmp_path: Path) -> None:
    phases = (Phase(window=64, stride=24, batch_size=5, epochs=90),)
    recipe = recipe_for("hops", encoder, 1, phases=phases)
    check_by_heart(tmp_path, train_in_steps(recipe, tmp_path, data_root=root))


def test_a_stopped_run_of_three_steps_goes_on(encoder: str, root: Path, tmp_path: Path) -> None:
    check_resumed(recipe_for("hops", encoder, 1), root, tmp_path)


@pytest.mark.parametrize("family", ["pipeline", "hops", "fusion"])
def test_shipped_recipes(family: str) -> None:
    recipe = load_recipe(f"conditionalqa-{family}")
    assert isinstance(recipe, ConditionalRecipe)
    assert recipe.family == family
    assert recipe.tuning is not None
    assert recipe.tuning.documents


def test_wrong_recipes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="max_answer_tokens must be above 0"):
        load_recipe("conditionalqa-pipeline", ["max_answer_tokens=0"])
    with pytest.raises(InputError, match="needs a cap and a weight above 0"):
        load_recipe("conditionalqa-hops", ["data.0.weight=0"])
    with pytest.raises(InputError, match="not for fusion"):
        load_recipe("conditionalqa-fusion", ["freeze_embeddings=true"])
    with pytest.raises(CaveatError, match="holds no trained model of conditional answers"):
        predict(tmp_path, [], [])
