"""Caveat's reader and ranker as models of transformers: a BERT encoder and small networks over its tokens.

With them registered, `AutoModelForQuestionAnswering` and `AutoModelForSequenceClassification` load what
`caveat.bench.checkpoint` writes, and so does whatever builds on those.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from transformers import (
    AutoConfig,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    BertConfig,
    BertModel,
    BertPreTrainedModel,
)
from transformers.modeling_outputs import QuestionAnsweringModelOutput, SequenceClassifierOutput

__all__ = ["BertRanker", "BertRankerConfig", "BertReader", "BertReaderConfig", "register"]


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


class BertRankerConfig(BertConfig):
    """BERT's settings; there is one label, whether the text answers the question."""

    model_type = "caveat_bert_ranker"
    separator_id: int = 102

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"num_labels": 1, **settings})


class BertRanker(BertPreTrainedModel):
    """One logit a pair."""

    config_class = BertRankerConfig

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.num_labels = 1
        self.bert = BertModel(config, add_pooling_layer=False)
        self.pair = _scorer(config.hidden_size)
        self.post_init()

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        **ignored: Any,
    ) -> SequenceClassifierOutput:
        """The logits, [batch, 1]."""
        states = self.bert(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        return SequenceClassifierOutput(logits=self.pair(states[:, 0]))


def register() -> None:
    """Make the models known to transformers."""
    AutoConfig.register(BertReaderConfig.model_type, BertReaderConfig)
    AutoModelForQuestionAnswering.register(BertReaderConfig, BertReader)
    AutoConfig.register(BertRankerConfig.model_type, BertRankerConfig)
    AutoModelForSequenceClassification.register(BertRankerConfig, BertRanker)
