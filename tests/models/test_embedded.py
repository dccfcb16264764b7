"""The models inside the package: whole, small enough, and as good as their cards say."""

from __future__ import annotations

from pathlib import Path

import pytest

import caveat
from caveat.benchmarks.verbs import evaluate, predict
from caveat.core.records import Document
from caveat.models.card import MODEL, check_model, read_card
from caveat.models.embedded import embedded

MOST_BYTES_EACH, MOST_BYTES = 36_000_000, 100_000_000
READERS = ("reader-en", "reader-zh")


def test_both_readers_are_there_and_all_models_stay_small() -> None:
    sizes = {name: (folder / MODEL).stat().st_size for name, folder in embedded().items()}
    assert set(READERS) <= set(sizes)
    assert max(sizes.values()) <= MOST_BYTES_EACH
    assert sum(sizes.values()) <= MOST_BYTES


@pytest.mark.parametrize("name", [*READERS, "structure-zh"])
def test_a_card_says_what_its_model_is(name: str) -> None:
    folder = embedded()[name]
    card = read_card(folder)
    check_model(folder, card)
    assert len(card.checksum) == 64
    # The decision is fitted to the model, and may be fitted again without it.
    decision = ["decision.json"] if card.task == "joint" else []
    assert {"model.onnx", "card.json", *card.files, *decision} == {path.name for path in folder.iterdir()}
    assert (card.name, card.precision) == (name, "int8")
    assert card.null == ("cls" if name in READERS else "none")
    assert card.licence != "unstated"
    assert card.not_for
    assert card.recipe["encoder"] == card.encoder
    assert {data.use for data in card.data} == {"training", "tuning"}
    assert card.expected_calibration_error is not None
    # What a machine calls its folders is nobody's business.
    assert "/" not in str(card.recipe.get("start", ""))


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("What colour is the door?", "The house has a red roof and a green door.", "green"),
        ("How many boats are in the harbour?", "On Sundays there are 34 boats in the harbour.", "34"),
        ("茶园是哪一年建的？", "茶园始建于1956年，位于县城西北十二公里处，以绿茶为主。", "1956年"),
        ("桥有多长？", "石桥建于一八九二年，全长四十六米，宽五米。", "四十六米"),
        ("图书馆几点关门？", "图书馆早上九点开门，晚上八点关门。", "八点"),
    ],
)
def test_plain_questions_get_plain_answers(question: str, text: str, answer: str) -> None:
    best = caveat.load().ask(question, Document(text)).answers[0]
    assert answer in best.text
    assert best.place is not None
    assert text[best.place.start : best.place.end] == best.text


@pytest.mark.shared
def test_predict_and_eval_give_the_figures_on_the_card(shared: Path, tmp_path: Path) -> None:
    data, out = shared / "data" / "cmrc2018" / "trial.json.gz", tmp_path / "predictions.json"
    predict("cmrc2018", data, out)
    scores = evaluate("cmrc2018", data, out).scores
    card = read_card(embedded()["reader-zh"])
    # int8 products are rounded differently by processors with and without VNNI.
    for figure in ("exact_match", "f1"):
        assert scores[figure] == pytest.approx(card.figures["cmrc2018"][figure], abs=0.5)


def test_an_answer_comes_with_its_parts_and_its_condition() -> None:
    text = "口腔溃疡要多吃水果，比如猕猴桃、橙子等。如果经常复发，要补充维生素，比如维生素B2、维生素C等。"
    reply = caveat.load().ask("口腔溃疡怎么办？", Document(text))
    every = [each for answer in reply.answers for each in (answer, *answer.parts)]
    assert reply.together
    assert {"猕猴桃", "维生素C"} <= {answer.text for answer in every}
    of_vitamin = [
        answer for answer in reply.answers if "维生素C" in {answer.text, *(p.text for p in answer.parts)}
    ]
    assert [condition.text for condition in of_vitamin[0].conditions] == ["如果经常复发"]
    of_fruit = [
        answer for answer in reply.answers if "猕猴桃" in {answer.text, *(p.text for p in answer.parts)}
    ]
    assert of_fruit[0].conditions == ()


@pytest.mark.shared
def test_the_tagger_gives_the_figures_on_its_card(shared: Path, tmp_path: Path) -> None:
    from caveat.benchmarks.cmqa import format as cmqa
    from caveat.training.kinds.tagger.data import TaggerRecipe
    from caveat.training.kinds.tagger.method import held_out
    from caveat.training.recipe import load_recipe

    recipe = load_recipe("cmqa-spans")
    assert isinstance(recipe, TaggerRecipe)
    data, out = tmp_path / "held-out.jsonl", tmp_path / "predictions.jsonl"
    cmqa.write(data, held_out(recipe, shared / "data"))
    predict("cmqa", data, out)
    scores = evaluate("cmqa", data, out).scores
    card = read_card(embedded()["structure-zh"])
    for kind in ("condition", "coarse", "fine", "all"):
        assert scores[kind]["f1"] == pytest.approx(card.figures["cmqa"][kind]["f1"], abs=1.0)
