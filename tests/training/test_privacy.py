"""Training reaches nobody, and writes only into the folder of its run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

for needed in ("torch", "transformers", "safetensors", "onnx"):
    pytest.importorskip(needed)


def test_a_run_and_its_export_write_only_into_their_folder(
    watched: Callable[..., Any], tmp_path: Path, encoder_folder: Path, data_file: Path
) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(f"""
encoder = {json.dumps(str(encoder_folder))}
learning_rate = 2e-3
max_question_tokens = 24
threads = 1
[card]
name = "tiny"
language = "zh"
[[data]]
path = {json.dumps(data_file.name)}
[[phases]]
window = 56
stride = 12
batch_size = 4
epochs = 1.0
[tuning]
path = {json.dumps(data_file.name)}
metric = "cmrc2018"
questions = 4
window = 56
stride = 12
max_answer_tokens = 8
""")
    out = tmp_path / "run"
    found = watched("train", recipe, "--out", out, "--data-root", data_file.parent)
    assert (out / "int8" / "model.onnx").exists()
    assert found.addresses == set()
    assert [path for path in found.written if not path.is_relative_to(out)] == []
