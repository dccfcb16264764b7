"""Caveat's ranker as a model of transformers: a BERT encoder and a small network over its first token.

With it registered, `AutoModelForSequenceClassification` loads what `caveat.bench.checkpoint` writes, and so does
whatever builds on that.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    BertConfig,
    BertModel,
    BertPreTrainedModel,
)
from transformers.modeling_outputs import SequenceClassifierOutput

__all__ = ["BertRanker", "BertRankerConfig", "register"]


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
        width = config.hidden_size
        # Between them is the dropout of training, which keeps its number.
        self.pair = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Identity(), nn.Linear(width, 1))
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
    """Make the model known to transformers."""
    AutoConfig.register(BertRankerConfig.model_type, BertRankerConfig)
    AutoModelForSequenceClassification.register(BertRankerConfig, BertRanker)
