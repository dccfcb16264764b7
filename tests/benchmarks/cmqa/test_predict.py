"""Spans and relations in CMQA's own layout, by taggers and with the spans of a file."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from caveat.answerers.documents.structure import relations
from caveat.answerers.documents.structure.relations import RELATIONS
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmqa import predict as module
from caveat.benchmarks.cmqa.predict import SPANS, related_sample, spans_of
from caveat.benchmarks.verbs import evaluate, predict
from caveat.core.errors import CaveatError, InputError, UsageError


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
    done = predict("cmqa", data, out, model=[tagger_folder])
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
    predict("cmqa", data, out, model=[folder])
    assert evaluate("cmqa", data, out).scores["condition-answer"]["f1"] == 100
    predict("cmqa", data, out, model=[tagger_folder], relations=tmp_path / "mine.json")
    assert read == [folder / RELATIONS, tmp_path / "mine.json"]


def test_given_spans_are_related(tmp_path: Path) -> None:
    data, out = write_cmqa(tmp_path / "data.jsonl"), tmp_path / "out.jsonl"
    samples = [sample for _, sample in cmqa.read(data)]
    # Other spans than the data's own, and not in order.
    given = SPANS.prediction(samples[0], [("fine", 5, 7), ("condition", 0, 2)])
    spans = tmp_path / "spans.jsonl"
    cmqa.write(spans, [given, *samples[1:]])
    done = predict("cmqa", data, out, spans=spans)
    assert (done.model, done.questions, done.unanswered) == (str(spans), 3, 2)
    first, *others = (sample for _, sample in cmqa.read(out))
    assert others == samples[1:]
    assert spans_of(first) == spans_of(given)
    # By the embedded model, as with the embedded tagger.
    assert first == related_sample(relations.embedded_model(), given)
    assert first.extra == {"page": 7}
    # A run's folder is as good as the file in it.
    relations.write_model(tmp_path / RELATIONS, relations.embedded_model(), {})
    predict("cmqa", data, tmp_path / "again.jsonl", spans=spans, relations=tmp_path)
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
            predict("cmqa", data, tmp_path / "out.jsonl", spans=spans)
    with pytest.raises(UsageError, match="The task multispan does not take --spans"):
        predict("multispan", data, tmp_path / "out.json", spans=spans)


def test_a_relation_network_needs_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_cmqa(tmp_path / "data.jsonl")
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in ("network", "network_relater"):
        monkeypatch.delitem(sys.modules, f"caveat.training.kinds.relations.{name}", raising=False)
    with pytest.raises(CaveatError, match="needs torch, of the extra `train`"):
        predict("cmqa", data, tmp_path / "out.jsonl", spans=data, relations=tmp_path)


def test_figures_of_some_kinds_only(tmp_path: Path) -> None:
    task = SPANS
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


def test_each_kind_of_span_is_for_one_model(tagger_folder: Path, tmp_path: Path) -> None:
    data = write_cmqa(tmp_path / "data.jsonl")
    with pytest.raises(UsageError, match="Two of the models find spans of the kind 'coarse'"):
        predict("cmqa", data, tmp_path / "out", model=[tagger_folder] * 2)
