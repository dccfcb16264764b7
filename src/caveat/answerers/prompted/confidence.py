"""How probable it is that a language model's answer is right, and the embedded reader's beside it; whose is taken."""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from caveat.core.files import writing
from caveat.core.json_files import read_json
from caveat.models.calibration import expected_calibration_error
from caveat.models.language_model.completions import TokenProbability
from caveat.models.language_model.endpoint import Endpoint
from caveat.models.log_odds import Logit, sigmoids

VARIABLE = "CAVEAT_CONFIG"
Use = Literal["both", "model", "embedded"]
Asking = Literal["reading", "span"]
"""What a model is asked for: an answer of any kind with its conditions, or one span."""
_SAID = re.compile(r"\w")
# Weights are held near those of a card that is not fitted: a few dozen questions do not overthrow them.
_HELD = 0.2
_STEPS = 50


class Tuned(msgspec.Struct, frozen=True, kw_only=True):
    """The card of a language model: how its answers and the embedded reader's are weighed, and what it was fitted to.

    `use` is what was best on the tuning questions: whichever is more probable, or one of the two alone.
    """

    endpoint: str
    model: Logit
    embedded: Logit
    use: Use = "both"
    questions: int = 0
    expected_calibration_error: float | None = None
    task: str = ""
    prompt: str = ""
    figures: dict[str, Any] = {}
    # Answers that are asked for beside the first where a server tells no log-probabilities.
    samples: int = 0


class TunedQuestion(msgspec.Struct, frozen=True):
    """A tuning question: what is known of both answers, and how good each is (0 to 1); 0 for one that was dropped."""

    features: dict[str, float]
    model: float
    embedded: float
    # Whether the model's answer could be used at all.
    usable: bool = True


def default_card(endpoint: Endpoint) -> Tuned:
    """Where nothing was fitted the named model is believed, more so where the embedded reader agrees."""
    return Tuned(
        endpoint=str(endpoint),
        model=Logit(0.5, {"agrees": 1.5, "log-probability": 1.0, "samples": 1.0}),
        embedded=Logit(-0.5, {"agrees": 2.5, "embedded": 0.5}),
        use="model",
    )


def sureness(logprobs: Sequence[TokenProbability]) -> float | None:
    """The mean log-probability of the tokens that say something; None where a server tells none."""
    said = [each.logprob for each in logprobs if _SAID.search(each.text) and math.isfinite(each.logprob)]
    return sum(said) / len(said) if said else None


def features(
    *, agrees: bool, none: bool, logprob: float | None, samples: float | None, embedded: float
) -> dict[str, float]:
    """What is known of a model's answer; `embedded` is the probability of the embedded reader's."""
    sure = min(max(embedded, 0.01), 0.99)
    found = {"agrees": float(agrees), "none": float(none), "embedded": math.log(sure / (1 - sure))}
    if logprob is not None:
        # Most are near 0; those below -2 are all guesses.
        found["log-probability"] = max(logprob, -2.0)
    if samples is not None:
        found["samples"] = samples - 0.5
    return found


def fitted(endpoint: Endpoint, questions: Sequence[TunedQuestion]) -> Tuned:
    """The card that fits tuning questions, and which use of the two readers is the best on them."""
    prior = default_card(endpoint)
    usable = [each for each in questions if each.usable]
    model = _fit([each.features for each in usable], [each.model for each in usable], prior.model)
    embedded = _fit([each.features for each in usable], [each.embedded for each in usable], prior.embedded)
    card = Tuned(endpoint=prior.endpoint, model=model, embedded=embedded)
    worth = {
        "model": sum(each.model if each.usable else each.embedded for each in questions),
        "embedded": sum(each.embedded for each in questions),
        "both": sum(
            each.model if each.usable and prefers_model(card, each.features) else each.embedded
            for each in questions
        ),
    }
    uses: tuple[Use, ...] = ("both", "model", "embedded")
    count = max(1, len(questions))
    error = expected_calibration_error(
        [card.model.probability(each.features) for each in usable], [each.model for each in usable]
    )
    return msgspec.structs.replace(
        card,
        use=max(uses, key=lambda use: worth[use]),
        questions=len(questions),
        expected_calibration_error=round(error, 4),
        figures={name: round(100 * value / count, 2) for name, value in worth.items()},
    )


def prefers_model(card: Tuned, known: Mapping[str, float]) -> bool:
    """Whether the model's answer is taken rather than the embedded reader's."""
    if card.use != "both":
        return card.use == "model"
    return card.model.score(known) >= card.embedded.score(known)


def _fit(rows: Sequence[Mapping[str, float]], right: Sequence[float], prior: Logit) -> Logit:
    """Weights under which what was right is most probable, held near the prior's; by Newton's method."""
    if not rows:
        return prior
    names = sorted({name for each in rows for name in each} | prior.weights.keys())
    values = np.array([[1.0, *(each.get(name, 0.0) for name in names)] for each in rows])
    centre = np.array([prior.constant, *(prior.weights.get(name, 0.0) for name in names)])
    wanted, weights = np.array(right), centre.copy()
    for _ in range(_STEPS):
        probability = sigmoids(values @ weights)
        gradient = values.T @ (probability - wanted) + _HELD * (weights - centre)
        curvature = (values.T * (probability * (1 - probability))) @ values + _HELD * np.eye(len(weights))
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-6:
            break
    constant, *others = (round(float(weight), 4) for weight in weights)
    return Logit(constant, dict(zip(names, others, strict=True)))


def card_path(endpoint: Endpoint, kind: Asking) -> Path:
    """Where the card of an endpoint's model is: under what CAVEAT_CONFIG names, else in the user's configuration."""
    if given := os.environ.get(VARIABLE, ""):
        folder = Path(given).expanduser()
    else:
        base = os.environ.get("XDG_CONFIG_HOME", "")
        folder = (Path(base) if os.path.isabs(base) else Path("~/.config").expanduser()) / "caveat"
    plain = re.sub(r"[^\w.-]+", "-", endpoint.name)[:60]
    digest = hashlib.sha256(str(endpoint).encode("utf-8")).hexdigest()[:8]
    return folder / "language-models" / f"{plain}-{digest}-{kind}.json"


def read_tuned(endpoint: Endpoint, kind: Asking) -> Tuned:
    """The card that was fitted for an endpoint's model and a kind of prompt, else the one for all."""
    path = card_path(endpoint, kind)
    return read_json(path, Tuned) if path.is_file() else default_card(endpoint)


def write_tuned(endpoint: Endpoint, kind: Asking, card: Tuned) -> Path:
    """Keep the card in the user's configuration folder."""
    path = card_path(endpoint, kind)
    path.parent.mkdir(parents=True, exist_ok=True)
    with writing(path) as out:
        out.write(msgspec.json.format(msgspec.json.encode(card), indent=2).decode("utf-8") + "\n")
    return path
