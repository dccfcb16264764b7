"""Settings that every recipe has, whatever it trains."""

from __future__ import annotations

import msgspec

__all__ = ["Described", "Phase", "Settings"]


class Phase(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A stretch of the run with windows of one size."""

    window: int
    stride: int
    batch_size: int
    # May be a fraction.
    epochs: float


class Described(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the model's card says beyond the settings; changes nothing in a run."""

    name: str = ""
    # "en", "zh", or "mul" for many.
    language: str = "mul"
    # The terms of the weights: those of the encoder and the data together.
    licence: str = "unstated"
    not_for: tuple[str, ...] = ()


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The encoder, the optimiser and the course of a run; a recipe adds its data, its phases and what is learnt."""

    encoder: str
    card: Described = Described()
    # The folder of an earlier run of the same encoder, whose weights this one begins with, or several folders, whose
    # weights are averaged.
    start: str | tuple[str, ...] = ""
    # Overrides what a BERT's tokenizer says about capitals.
    lower_case: bool | None = None
    seed: int = 1
    learning_rate: float = 3e-5
    # Share of all steps during which the learning rate rises; then it falls to 0 linearly.
    warmup: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    # Replaces the encoder's own where given.
    dropout: float | None = None
    # Without dropout on the attention's weights the fused attention of torch trains a quarter faster.
    attention_dropout: float | None = None
    # Share of the tokens that are hidden from the network, others in each batch.
    masked: float = 0.0
    freeze_embeddings: bool = False
    # Decay of the exponential average of the weights, which is then what is measured and saved; 0 is off.
    ema: float = 0.0
    max_question_tokens: int = 64
    threads: int = 0
    log_every: int = 20
    checkpoint_minutes: float = 15.0
