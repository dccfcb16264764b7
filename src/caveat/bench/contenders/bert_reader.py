"""Caveat's reader as a model of transformers: a BERT encoder and a small network each for start and end.

With it registered, `AutoModelForQuestionAnswering` loads what `caveat.bench.checkpoint` writes, and so does
whatever builds on that.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from transformers import AutoConfig, AutoModelForQuestionAnswering, BertConfig, BertModel, BertPreTrainedModel
from transformers.modeling_outputs import QuestionAnsweringModelOutput

__all__ = ["BertReader", "BertReaderConfig", "register"]


class BertReaderConfig(BertConfig):
    """BERT's settings, and the token between question and text."""

    model_type = "caveat_bert_reader"
    separator_id: int = 102


class BertReader(BertPreTrainedModel):
    """Start and end logits of every token."""

    config_class = BertReaderConfig

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.bert = BertModel(config, add_pooling_layer=False)
        self.start = _scorer(config.hidden_size)
        self.end = _scorer(config.hidden_size)
        self.post_init()

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        **ignored: Any,
    ) -> QuestionAnsweringModelOutput:
        """The logits; who gives no segments (Haystack does not) gets the ones that the weights were trained with."""
        if token_type_ids is None:
            token_type_ids = self._segments(input_ids)
        states = self.bert(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        return QuestionAnsweringModelOutput(
            start_logits=self.start(states).squeeze(-1), end_logits=self.end(states).squeeze(-1)
        )

    def _segments(self, input_ids: Tensor) -> Tensor:
        """1 for the text and the separator after it, 0 for the question and the padding."""
        separator = (input_ids == self.config.separator_id).long()
        before = separator.cumsum(1) - separator
        return (before == 1).long()


def _scorer(width: int) -> nn.Module:
    # Between them is the dropout of training, which keeps its number.
    return nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Identity(), nn.Linear(width, 1))


def register() -> None:
    """Make the model known to transformers."""
    AutoConfig.register(BertReaderConfig.model_type, BertReaderConfig)
    AutoModelForQuestionAnswering.register(BertReaderConfig, BertReader)
