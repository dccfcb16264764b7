"""Fusion in the decoder, after FiD in ConditionalQA's paper: sections are encoded one by one, a decoder reads them all.

Any T5-like model does: an encoder and a decoder with attention to it. It writes answers with their conditions as one
text, `answer :: condition ## condition && answer :: NA`: an answer without conditions has NA, a question without
answers is NA. None of the signs stands in a page, nor is missing from T5's vocabulary.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from caveat.benchmarks.conditionalqa.format import (
    ConditionalAnswer,
    ConditionalDocument,
    ConditionalPrediction,
    ConditionalQuestion,
)
from caveat.core.errors import CaveatError
from caveat.core.json_files import write_json
from caveat.language.normalise import squad_tokens
from caveat.models.encoding import encode_question, encode_text
from caveat.models.judge import premise_of
from caveat.models.windows import even_windows
from caveat.training.encoders import load_tokenizer
from caveat.training.kinds.conditional.data import (
    CARD,
    ConditionalCard,
    ConditionalRecipe,
    Example,
    Page,
    PageAnswers,
    examples_of,
    predictions_of,
    read_conditional_card,
)
from caveat.training.kinds.conditional.method import ConditionalMethod
from caveat.training.networks import begin_from, folders_of, load_weights, save_weights
from caveat.training.sampling import repeated

__all__ = [
    "Fusing",
    "Fusion",
    "FusionSample",
    "load_fusion",
    "new_fusion",
    "predict_fusion",
    "read_answers",
    "save_fusion",
    "written_answers",
]

_NONE = "NA"
# A decoder may put blanks between the two signs.
_ANSWER, _WITH, _CONDITION = (re.compile(rf"\s*{sign}\s*{sign}\s*") for sign in ("&", ":", "#"))
# A condition is taken for the element that shares most words with it, if that is at least this much by F1.
_LEAST = 0.5

_QUESTION, _TEXT = "question:", "context:"


def written_answers(answers: Sequence[ConditionalAnswer], page: Page) -> str:
    """The answers as a text, conditions without their tags."""
    texts = dict(zip(page.contents, page.texts, strict=True))
    written = [
        f"{answer.text} :: "
        + (" ## ".join(texts.get(condition, condition) for condition in answer.conditions) or _NONE)
        for answer in answers
    ]
    return " && ".join(written) or _NONE


def read_answers(text: str, page: Page) -> tuple[ConditionalAnswer, ...]:
    """The answers of a text, each once; a condition becomes the element of the page that it is nearest to."""
    found: dict[str, ConditionalAnswer] = {}
    for part in _ANSWER.split(text.strip()):
        answer, *rest = _WITH.split(part, maxsplit=1)
        answer = answer.strip()
        if not answer or answer.casefold() == _NONE.casefold():
            continue
        named = [each for each in _CONDITION.split(rest[0]) if each.strip()] if rest else []
        elements = [
            element
            for each in named
            if each.strip().casefold() != _NONE.casefold() and (element := _nearest(each, page)) is not None
        ]
        conditions = tuple(dict.fromkeys(page.contents[at] for at in elements))
        found.setdefault(answer.casefold(), ConditionalAnswer(answer, conditions))
    return tuple(found.values())


def _nearest(text: str, page: Page) -> int | None:
    ours = Counter(squad_tokens(text))
    best, element = 0.0, None
    for at, other in enumerate(page.texts):
        theirs = Counter(squad_tokens(other))
        same = (ours & theirs).total()
        f1 = 2 * same / max(1, ours.total() + theirs.total())
        if f1 > best:
            best, element = f1, at
    return element if best >= _LEAST else None


class Fusion(nn.Module):
    """An encoder-decoder whose decoder attends to several encoded texts as if they were one."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    @property
    def encoder(self) -> Any:
        """The whole of it, as what is trained, saved and described."""
        return self.model

    @property
    def end(self) -> int:
        """The token that ends every text."""
        return int(self.model.config.eos_token_id)

    @property
    def pad(self) -> int:
        """The token that fills a batch up."""
        return int(self.model.config.pad_token_id or 0)

    def encode(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Any, Tensor]:
        """Texts, one a row, as one row of states with its mask."""
        found = self.model.get_encoder()(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        return found.flatten(0, 1).unsqueeze(0), attention_mask.flatten().unsqueeze(0)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor) -> Tensor:
        """The mean loss of a target's tokens, given the texts."""
        from transformers.modeling_outputs import BaseModelOutput

        found, mask = self.encode(input_ids, attention_mask)
        loss: Tensor = self.model(
            encoder_outputs=BaseModelOutput(last_hidden_state=found),
            attention_mask=mask,
            labels=labels.unsqueeze(0),
        ).loss
        return loss

    def write(self, input_ids: Tensor, attention_mask: Tensor, longest: int) -> list[int]:
        """The most probable token after the other, at most `longest`, without the one that ends them."""
        from transformers.modeling_outputs import BaseModelOutput

        found, mask = self.encode(input_ids, attention_mask)
        written: list[int] = []
        last, past = int(self.model.config.decoder_start_token_id), None
        while len(written) < longest:
            step = self.model(
                encoder_outputs=BaseModelOutput(last_hidden_state=found),
                attention_mask=mask,
                decoder_input_ids=torch.tensor([[last]]),
                past_key_values=past,
                use_cache=True,
            )
            last, past = int(step.logits[0, -1].argmax()), step.past_key_values
            if last == self.end:
                break
            written.append(last)
        return written


def new_fusion(recipe: ConditionalRecipe) -> tuple[Fusion, Tokenizer]:
    """A T5-like model of the hub, or of a folder, and its tokenizer."""
    from transformers import AutoModelForSeq2SeqLM
    from transformers.utils import logging

    logging.disable_progress_bar()
    settings = {} if recipe.dropout is None else {"dropout_rate": recipe.dropout}
    try:
        model = AutoModelForSeq2SeqLM.from_pretrained(recipe.encoder, dtype="float32", **settings)
    except (OSError, TypeError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise CaveatError(f"The model {recipe.encoder!r} cannot be loaded: {reason}") from error
    return Fusion(model), load_tokenizer(recipe.encoder, lower_case=recipe.lower_case)


def save_fusion(folder: Path, network: Fusion, tokenizer: Tokenizer, card: ConditionalCard) -> None:
    """Weights, configuration, tokenizer and card in a folder."""
    save_weights(folder, network, tokenizer)
    write_json(folder / CARD, card)


def load_fusion(folder: Path) -> tuple[Fusion, Tokenizer, ConditionalCard]:
    """A model that `save_fusion` wrote, ready for inference."""
    from transformers import AutoConfig, AutoModelForSeq2SeqLM

    card = read_conditional_card(folder)
    network = Fusion(AutoModelForSeq2SeqLM.from_config(AutoConfig.from_pretrained(str(folder))))
    load_weights(folder, network)
    return network, load_tokenizer(folder), card


class FusionSample(NamedTuple):
    """A page's texts, each with the question, and what is to be written."""

    texts: tuple[tuple[int, ...], ...]
    target: tuple[int, ...]

    @property
    def length(self) -> int:
        """Tokens of all texts."""
        return sum(map(len, self.texts))


class Fusing(ConditionalMethod[FusionSample]):
    """A T5-like model, its pages, and its measurement on whole pages."""

    def __init__(self, recipe: ConditionalRecipe, data_root: Path, note: Callable[[str], None]) -> None:
        self.network, self._tokenizer = new_fusion(recipe)
        if recipe.start:
            begin_from(self.network, *folders_of(recipe.start))
        super().__init__(recipe, data_root, note)

    def loss(self, batch: Sequence[FusionSample]) -> Tensor:
        """The mean loss of the pages; each has its own number of texts and goes through by itself."""
        losses = [
            self.network(*_tensors(sample.texts, self.network.pad), torch.tensor(sample.target))
            for sample in batch
        ]
        return torch.stack(losses).mean()

    def save(self, folder: Path, scores: dict[str, Any]) -> None:
        """Write the model as it is, with its scores."""
        save_fusion(folder, self.network, self._tokenizer, self._card(scores))

    def _found(self, examples: Sequence[Example]) -> list[PageAnswers]:
        return _written(self.network, self._tokenizer, self.recipe, examples)

    def _sampler(self, number: int) -> _Epochs:
        phase = self.recipe.phases[number]
        samples = [
            [
                FusionSample(
                    _texts(
                        example, self._tokenizer, self.network.end, self.recipe, phase.window, phase.stride
                    ),
                    self._target(example),
                )
                for example in of
                if example.page.sections
            ]
            for of in self._examples
        ]
        return _Epochs([(of, data.weight) for of, data in zip(samples, self.recipe.data, strict=True)])

    def _target(self, example: Example) -> tuple[int, ...]:
        text = written_answers(example.question.answers, example.page)
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return (*ids[: self.recipe.max_target_tokens], self.network.end)


class _Epochs:
    """The pages of one phase."""

    def __init__(self, sets: Sequence[tuple[list[FusionSample], float]]) -> None:
        self._sets = sets

    def epoch(self, seed: str) -> list[FusionSample]:
        """The pages of an epoch, set after set."""
        draw = random.Random(seed)
        return [
            sample
            for samples, weight in self._sets
            for part in repeated(samples, weight, draw)
            for sample in part
        ]


def predict_fusion(
    folder: Path, questions: Sequence[ConditionalQuestion], documents: Sequence[ConditionalDocument]
) -> list[ConditionalPrediction]:
    """The predictions of a model that a run has saved, in the task's layout."""
    network, tokenizer, card = load_fusion(folder)
    examples = examples_of(questions, documents)
    return predictions_of(examples, _written(network, tokenizer, card.recipe, examples), card.threshold)


def _written(
    network: Fusion, tokenizer: Tokenizer, recipe: ConditionalRecipe, examples: Sequence[Example]
) -> list[PageAnswers]:
    shape = recipe.tuning or max(recipe.phases, key=lambda phase: phase.window)
    was_training = network.training
    network.eval()
    found = []
    try:
        with torch.inference_mode():
            for example in examples:
                texts = _texts(example, tokenizer, network.end, recipe, shape.window, shape.stride)
                ids = network.write(*_tensors(texts, network.pad), recipe.max_target_tokens) if texts else []
                written = tokenizer.decode(ids, skip_special_tokens=True)
                found.append(PageAnswers(read_answers(written, example.page)))
    finally:
        network.train(was_training)
    return found


def _texts(
    example: Example, tokenizer: Tokenizer, end: int, recipe: ConditionalRecipe, window: int, stride: int
) -> tuple[tuple[int, ...], ...]:
    """The sections with the question before each, long ones in windows; of many those that are most like it."""
    asked = premise_of(example.question.question, example.question.scenario)
    question = encode_question(tokenizer, f"{_QUESTION} {asked}", recipe.max_question_tokens).tolist()
    before = [*question, *tokenizer.encode(_TEXT, add_special_tokens=False).ids]
    found: list[tuple[int, ...]] = []
    alike: list[int] = []
    for number in range(len(example.page.sections)):
        ids = encode_text(tokenizer, example.page.section_text(number)).ids.tolist()
        for first, last in even_windows(len(ids), max(1, window - len(before) - 1), stride):
            found.append((*before, *ids[first:last], end))
            alike.append(len(set(question) & set(ids[first:last])))
    best = sorted(range(len(found)), key=lambda at: -alike[at])[: recipe.most_sections]
    return tuple(found[at] for at in sorted(best))


def _tensors(texts: Sequence[Sequence[int]], pad: int) -> tuple[Tensor, Tensor]:
    longest = max(map(len, texts))
    ids = torch.tensor([[*text, *[pad] * (longest - len(text))] for text in texts])
    mask = torch.tensor([[1] * len(text) + [0] * (longest - len(text)) for text in texts])
    return ids, mask
