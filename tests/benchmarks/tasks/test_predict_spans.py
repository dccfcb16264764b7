"""Predictions of all spans of a text, in the benchmarks' own layouts, as a function and as typed."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from caveat.answerers.documents.structure import relations
from caveat.answerers.documents.structure.relations import RELATIONS
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmqa.spans import related_sample, spans_of
from caveat.benchmarks.evaluate import evaluate
from caveat.benchmarks.shared import predict_spans as module
from caveat.benchmarks.shared.predict_spans import predict_spans
from caveat.benchmarks.shared.span_finders import ListingReader
from caveat.benchmarks.shared.span_tasks import SPAN_TASKS
from caveat.cli.predict import command
from caveat.core.errors import CaveatError, InputError, UnknownNameError, UsageError
from caveat.models.reader import Reader
from caveat.models.tagger import TaggedSpan, Tagger
from caveat.models.windowed import ReadRequest


def write_cmqa(path: Path) -> Path:
    lines: list[dict[str, Any]] = [
        {
            "context": "颜色，大小红蓝。",
            "question": "大小？",
            "condition": [["颜色", [0, 2]]],
            "coarse": [["大小", [3, 5]]],
            "fine": [["红蓝", [5, 7]]],
            "condition_coarse": [[["颜色", "大小"], [[0, 2], [3, 5]]]],
            "page": 7,
        },
        {"context": "的。", "question": "大小？"},
        {"context": "红", "question": ""},
    ]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def test_cmqa(tagger_folder: Path, tmp_path: Path) -> None:
    data, out = write_cmqa(tmp_path / "data.jsonl"), tmp_path / "out.jsonl"
    done = predict_spans("cmqa", data, out, models=[tagger_folder])
    assert (done.task, done.model, done.questions, done.unanswered) == ("cmqa", "tiny-structure", 3, 2)
    first, second, third = (sample for _, sample in cmqa.read(out))
    assert first.condition == (cmqa.LabelledSpan("颜色", 0, 2),)
    assert first.coarse == (cmqa.LabelledSpan("大小", 3, 5),)
    assert first.fine == (cmqa.LabelledSpan("色", 1, 2), cmqa.LabelledSpan("红蓝", 5, 7))
    # The gold relations are not copied; what else the line has is.
    assert first.condition_coarse == ()
    assert first.extra == {"page": 7}
    assert not second.fine
    assert not third.fine
    assert evaluate("cmqa", data, out).scores["condition"]["f1"] == 100


def test_relations_of_a_model_that_lies_beside_the_tagger(
    tagger_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(tagger_folder, tmp_path / "model"))
    (folder / RELATIONS).touch()

    class Model:
        def relate(self, context: str, spans: list[Any], question: str) -> list[Any]:
            assert question == "大小？" or not spans
            heads = {span.kind: span for span in spans}
            if "coarse" not in heads:
                return []
            return [type("Related", (), {"pair": (heads["condition"], heads["coarse"])})]

    read = []
    for home in (module, relations):
        monkeypatch.setattr(home, "read_model", lambda path: read.append(path) or Model())
    data, out = write_cmqa(tmp_path / "data.jsonl"), tmp_path / "out.jsonl"
    predict_spans("cmqa", data, out, models=[folder])
    assert evaluate("cmqa", data, out).scores["condition-answer"]["f1"] == 100
    predict_spans("cmqa", data, out, models=[tagger_folder], relations=tmp_path / "mine.json")
    assert read == [folder / RELATIONS, tmp_path / "mine.json"]


def test_given_spans_are_related(tmp_path: Path) -> None:
    data, out = write_cmqa(tmp_path / "data.jsonl"), tmp_path / "out.jsonl"
    samples = [sample for _, sample in cmqa.read(data)]
    # Other spans than the data's own, and not in order.
    given = SPAN_TASKS["cmqa"].prediction(samples[0], [("fine", 5, 7), ("condition", 0, 2)])
    spans = tmp_path / "spans.jsonl"
    cmqa.write(spans, [given, *samples[1:]])
    done = predict_spans("cmqa", data, out, spans=spans)
    assert (done.model, done.questions, done.unanswered) == (str(spans), 3, 2)
    first, *others = (sample for _, sample in cmqa.read(out))
    assert others == samples[1:]
    assert spans_of(first) == spans_of(given)
    # By the embedded model, as with the embedded tagger.
    assert first == related_sample(relations.embedded_model(), given)
    assert first.extra == {"page": 7}
    # A run's folder is as good as the file in it.
    relations.write_model(tmp_path / RELATIONS, relations.embedded_model(), {})
    predict_spans("cmqa", data, tmp_path / "again.jsonl", spans=spans, relations=tmp_path)
    assert (tmp_path / "again.jsonl").read_bytes() == out.read_bytes()


def test_given_spans_that_do_not_fit_the_data(tmp_path: Path) -> None:
    data, spans = write_cmqa(tmp_path / "data.jsonl"), tmp_path / "spans.jsonl"
    samples = [sample for _, sample in cmqa.read(data)]
    for wrong, message in [
        (samples[:2], "spans.jsonl: has fewer samples than"),
        ([*samples, samples[0]], "spans.jsonl: has more samples than"),
        ([samples[0], samples[2], samples[1]], "spans.jsonl, line 2: is another context or question"),
    ]:
        cmqa.write(spans, wrong)
        with pytest.raises(InputError, match=message):
            predict_spans("cmqa", data, tmp_path / "out.jsonl", spans=spans)
    with pytest.raises(UsageError, match="those of multispan have no relations"):
        predict_spans("multispan", data, tmp_path / "out.json", spans=spans)


def test_a_relation_network_needs_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_cmqa(tmp_path / "data.jsonl")
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in ("network", "network_relater"):
        monkeypatch.delitem(sys.modules, f"caveat.training.kinds.relations.{name}", raising=False)
    with pytest.raises(CaveatError, match=r"needs torch: pip install 'caveat\[train\]'"):
        predict_spans("cmqa", data, tmp_path / "out.jsonl", spans=data, relations=tmp_path)


def write_multispan(path: Path) -> Path:
    examples = [
        {
            "id": "a",
            "question": ["who", "?"],
            "context": ["the", "red", "dog", "and", "blues", ",", "red"],
            "label": ["O", "B", "I", "O", "B", "O", "B"],
        },
        {"id": "b", "question": ["who", "?"], "context": ["city"]},
    ]
    path.write_text(json.dumps({"data": examples}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def english(make_tagger: Any) -> Path:
    tags = {"red": ["B-answer"], "dog": ["I-answer"], "blue": ["B-answer"], "##s": ["I-answer"]}
    folder: Path = make_tagger("tiny-multispan", [["answer"]], tags, language="en")
    return folder


def test_multispan(english: Path, tmp_path: Path) -> None:
    data, out = write_multispan(tmp_path / "data.json"), tmp_path / "out.json"
    done = predict_spans("multispan", data, out, models=[english])
    assert (done.questions, done.unanswered) == (2, 1)
    # The same text twice is one answer.
    assert json.loads(out.read_text()) == {"a": ["red dog", "blues", "red"], "b": []}
    with pytest.raises(UsageError, match="only cmqa's have"):
        predict_spans("multispan", data, out, models=[english], relations="x")


def test_a_reader_lists_the_items_of_its_best_span(reader_folder: Path) -> None:
    reader = Reader.load(reader_folder, threads=1)
    finder = ListingReader(reader)
    texts = ["the dog. color red, blue", "color red", "", "size ten and more"]
    found = list(finder.tag(ReadRequest("color", text) for text in texts))
    assert len(found) == len(texts)
    for text, result, read in zip(
        texts, found, reader.read(ReadRequest("color", text) for text in texts), strict=True
    ):
        assert [text[span.start : span.end] for span in result.spans] == [span.text for span in result.spans]
        if read.candidates:
            best = read.candidates[0]
            assert (result.spans[0].start, result.spans[-1].end) == (best.start, best.end)
        else:
            assert not result.spans


def test_spans_become_whole_tokens_of_the_data(tmp_path: Path) -> None:
    task = SPAN_TASKS["multispan"]
    record, _ = task.read(write_multispan(tmp_path / "data.json"))
    text = task.asked(record).text
    assert text == "the red dog and blues , red"
    assert task.gold(record) == {("answer", 4, 11), ("answer", 16, 21), ("answer", 24, 27)}

    def found(start: int, end: int) -> list[str]:
        keys = task.found(record, [TaggedSpan("answer", text[start:end], start, end, 1.0)])
        return [text[start:end] for _, start, end in keys]

    assert found(5, 9) == ["red dog"]
    assert found(16, 17) == ["blues"]
    assert found(3, 5) == ["red"]
    assert found(3, 4) == []


def test_figures_of_some_kinds_only(tmp_path: Path) -> None:
    task = SPAN_TASKS["cmqa"]
    samples = list(task.read(write_cmqa(tmp_path / "data.jsonl")))[:2]
    found = [[("condition", 0, 2), ("condition", 3, 5)], []]
    scores = task.score(samples, found, ["condition"])
    assert scores["f1"] == scores["condition"]["f1"] == pytest.approx(200 / 3)
    assert "coarse" not in scores
    assert task.shown(scores) == "F1 66.7 (condition 66.7) on 2 questions"
    every = task.score(samples, found, ["condition", "coarse", "fine"])
    # One of five labels is right, of two that were given and three that there are.
    assert every["f1"] == pytest.approx(40)
    assert every["coarse"]["f1"] == 0


def test_names(tagger_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="cmqa, multispan"):
        predict_spans("cmqb", "data", "out")
    data = write_cmqa(tmp_path / "data.jsonl")
    with pytest.raises(UsageError, match="Two of the models find spans of the kind 'coarse'"):
        predict_spans("cmqa", data, tmp_path / "out", taggers=[Tagger.load(tagger_folder)] * 2)


def test_as_typed(tagger_folder: Path, english: Path, reader_folder: Path, tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(command)

    def typed(*arguments: object) -> Any:
        return CliRunner().invoke(app, list(map(str, arguments)))

    data = write_cmqa(tmp_path / "data.jsonl")
    run = typed("cmqa", "--data", data, "--model", tagger_folder, "--out", tmp_path / "out.jsonl", "--json")
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)["questions"] == 3
    assert "3 predictions written to" in run.stderr
    run = typed("multispan", "--data", write_multispan(tmp_path / "m.json"), "--model", english, "--out", "-")
    assert json.loads(run.stdout)["b"] == []
    for arguments, message in [
        (["cmqa", "--model", reader_folder], "expected one for 'structure'"),
        (["cmqa", "--model", tagger_folder, "--na-prob-out", "x"], "not for cmqa"),
        (["squad", "--model", reader_folder, "--model", reader_folder], "does not take several models"),
        (["squad", "--model", reader_folder, "--relations", "x"], "does not take --relations"),
        (["squad", "--model", reader_folder, "--spans", "x"], "does not take --spans"),
        (["cmqa", "--model", tagger_folder, "--spans", data], "With --spans nothing is tagged"),
        (["cmqa", "--window", "9", "--spans", data], "With --spans nothing is tagged"),
        (["cmqb"], "There are: mrqa, squad, squad2, cmrc2018, cmqa, multispan"),
    ]:
        run = typed(*arguments, "--data", data, "--out", tmp_path / "out")
        assert isinstance(run.exception, CaveatError)
        assert message in str(run.exception)
