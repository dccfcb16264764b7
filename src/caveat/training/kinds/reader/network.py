"""The extractive reader: an encoder and two small networks that score each token as start and as end.

Position 0, the encoder's first special token, stands for "this window does not answer the question".
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import msgspec
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from caveat.benchmarks.shared.passage import Passage
from caveat.models.decoding import Candidate
from caveat.models.encoding import PairLayout, pair_layout
from caveat.models.windows import characters_of, even_windows
from caveat.training.kinds.reader.data import encode_passages
from caveat.training.kinds.reader.layers import (
    AttentionOverAttention,
    MixtureOfExperts,
    Segments,
    TwoWayAttention,
)
from caveat.training.kinds.reader.recipe import Shape, shape_of
from caveat.training.kinds.reader.samples import Sample, collate
from caveat.training.networks import (
    EncoderSettings,
    NetworkCard,
    head,
    load_network,
    new_network,
    states,
)

CARD = "reader.json"
PLAIN = Shape()


class ReaderNetwork(nn.Module):
    """Scores of every position as the answer's first and as its last token.

    Between the encoder and these two heads are the layers that its shape asks for. `companions` are heads that only
    its training has.
    """

    def __init__(self, encoder: Any, shape: Shape = PLAIN) -> None:
        super().__init__()
        self.encoder, self.shape = encoder, shape
        if shape.frozen:
            encoder.requires_grad_(False)
        self.layers = nn.ModuleList(_layers(encoder, shape))
        self.start = head(encoder, 1)
        self.end = head(encoder, 1)
        self.companions = nn.ModuleDict()

    @property
    def heads(self) -> tuple[nn.Module, ...]:
        """Its fresh parts, in the order in which their first weights are drawn."""
        return self.start, self.end, *self.layers, *self.companions.values()

    def train(self, mode: bool = True) -> ReaderNetwork:
        """To learn or, by False, to be used; what is frozen has no dropout."""
        super().train(mode)
        if self.shape.frozen:
            self.encoder.eval()
        return self

    def states(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """The states behind all layers, batch × length × width."""
        found = states(self.encoder, input_ids, attention_mask, token_type_ids)
        for layer in self.layers:
            found = layer(found, input_ids, attention_mask)
        return found

    def scores(self, found: Tensor) -> tuple[Tensor, Tensor]:
        """Start and end scores of states."""
        return self.start(found).squeeze(-1), self.end(found).squeeze(-1)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Start and end scores, both batch × length; the caller leaves out positions outside the context."""
        return self.scores(self.states(input_ids, attention_mask, token_type_ids))


class MeanOfReaders(nn.Module):
    """Readers with one tokenizer as one: the mean of what each says of a token."""

    def __init__(self, readers: Sequence[ReaderNetwork]) -> None:
        super().__init__()
        self.readers = nn.ModuleList(readers)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Start and end scores, both batch × length."""
        told = [reader(input_ids, attention_mask, token_type_ids) for reader in self.readers]
        starts, ends = (torch.stack(scores).mean(0) for scores in zip(*told, strict=True))
        return starts, ends


def _layers(encoder: Any, shape: Shape) -> Iterator[nn.Module]:
    if shape.frozen:
        yield TwoWayAttention(encoder, shape.frozen.width)
    if shape.feeding and shape.feeding.attention_over_attention:
        yield AttentionOverAttention(encoder)
    if shape.experts:
        yield MixtureOfExperts(encoder, shape.experts)


def _tell_segments(reader: ReaderNetwork, tokenizer: Tokenizer) -> None:
    """Say which token stands between question and passage."""
    for module in reader.modules():
        if isinstance(module, Segments):
            module.separator.fill_(pair_layout(tokenizer).between[0])


def new_reader(
    name: str,
    shape: Shape = PLAIN,
    companions: Callable[[Any], Mapping[str, nn.Module]] = lambda encoder: {},
    **settings: Unpack[EncoderSettings],
) -> tuple[ReaderNetwork, Tokenizer]:
    """An encoder with fresh heads, initialised from torch's current seed; `companions` makes those of its training."""

    def make(encoder: Any) -> ReaderNetwork:
        reader = ReaderNetwork(encoder, shape)
        reader.companions.update(companions(encoder))
        return reader

    reader, tokenizer = new_network(make, name, **settings)
    _tell_segments(reader, tokenizer)
    return reader, tokenizer


def load_reader(folder: Path) -> tuple[ReaderNetwork, Tokenizer, NetworkCard]:
    """A reader that a run has saved, ready for inference."""
    reader, tokenizer, card = load_network(
        folder,
        CARD,
        NetworkCard,
        lambda encoder, card: ReaderNetwork(encoder, shape_of(card.recipe)),
        "reader",
    )
    _tell_segments(reader, tokenizer)
    return reader, tokenizer, card


class Prediction(msgspec.Struct, frozen=True):
    """The best spans of all windows, best first; the question counts as unanswerable where all scores are low."""

    id: str
    candidates: tuple[Candidate, ...]

    @property
    def text(self) -> str:
        """The best span's text, whatever its score."""
        return self.candidates[0].text if self.candidates else ""

    def text_above(self, threshold: float) -> str:
        """The best span's text, or nothing where its score is not above the threshold."""
        return self.text if self.candidates and self.candidates[0].score > threshold else ""


def predict(
    reader: ReaderNetwork | MeanOfReaders,
    tokenizer: Tokenizer,
    passages: Iterable[Passage],
    *,
    window: int = 384,
    stride: int = 128,
    max_answer_tokens: int = 64,
    max_question_tokens: int = 64,
    batch_size: int = 16,
    n_best: int = 5,
    no_answer: bool = True,
) -> Iterator[Prediction]:
    """Predictions in the order of the questions; each passage is tokenised once.

    Without `no_answer` the first token's scores, which such a reader never learnt, say nothing.
    """
    layout = pair_layout(tokenizer)
    was_training = reader.training
    reader.eval()
    try:
        for group in _groups(passages, 64):
            questions = [(question.id, passage) for passage in group for question in passage.questions]
            jobs = _windows(tokenizer, layout, group, window, stride, max_question_tokens)
            found: list[dict[tuple[int, int], float]] = [{} for _ in questions]
            spans = _search(reader, layout, jobs, max_answer_tokens, batch_size, n_best, no_answer)
            for number, place, score in spans:
                if score > found[number].get(place, float("-inf")):
                    found[number][place] = score
            for (id, passage), places in zip(questions, found, strict=True):
                best = sorted(places.items(), key=lambda item: (-item[1], item[0]))[:n_best]
                yield Prediction(id, tuple(_candidate(passage, place, score) for place, score in best))
    finally:
        reader.train(was_training)


def _candidate(passage: Passage, place: tuple[int, int], score: float) -> Candidate:
    return Candidate(passage.text[place[0] : place[1]], *place, score)


def _groups(passages: Iterable[Passage], size: int) -> Iterator[list[Passage]]:
    """A number of passages at a time: enough windows to sort by length, and memory that does not grow."""
    group: list[Passage] = []
    for passage in passages:
        group.append(passage)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group


def _windows(
    tokenizer: Tokenizer,
    layout: PairLayout,
    passages: Sequence[Passage],
    window: int,
    stride: int,
    max_question_tokens: int,
) -> list[tuple[int, Sample]]:
    """Every window with the number of its question, the longest first."""
    jobs: list[tuple[int, Sample]] = []
    number = 0
    for passage, tokens in zip(passages, encode_passages(tokenizer, [p.text for p in passages]), strict=True):
        for question in passage.questions:
            ids = tokenizer.encode(question.text, add_special_tokens=False).ids[:max_question_tokens]
            if tokens.ids:
                for first, last in even_windows(len(tokens.ids), window - layout.specials - len(ids), stride):
                    jobs.append((number, Sample(tokens, array("i", ids), first, last, None)))
            number += 1
    return sorted(jobs, key=lambda job: -job[1].length)


def _search(
    reader: ReaderNetwork | MeanOfReaders,
    layout: PairLayout,
    jobs: Sequence[tuple[int, Sample]],
    max_answer_tokens: int,
    batch_size: int,
    n_best: int,
    no_answer: bool,
) -> Iterator[tuple[int, tuple[int, int], float]]:
    """The best spans of every window: number of the question, characters, score."""
    for begin in range(0, len(jobs), batch_size):
        part = jobs[begin : begin + batch_size]
        batch = collate([sample for _, sample in part], layout)
        with torch.inference_mode():
            start_scores, end_scores = reader(batch.input_ids, batch.attention_mask, batch.token_type_ids)
            if not no_answer:
                start_scores[:, 0] = end_scores[:, 0] = 0.0
        spans = best_spans(start_scores, end_scores, batch.allowed, max_answer_tokens, n_best)
        for (number, sample), best in zip(part, spans, strict=True):
            tokens = sample.passage
            # From positions in the window to tokens of the passage.
            shift = sample.first - len(layout.before) - len(sample.question) - len(layout.between)
            for first, last, score in best:
                start, end = characters_of(tokens.starts, tokens.ends, first + shift, last + 1 + shift)
                if start < end:
                    yield number, (start, end), score


def best_spans(
    start_scores: Tensor, end_scores: Tensor, allowed: Tensor, max_tokens: int, n_best: int
) -> list[list[tuple[int, int, float]]]:
    """For each window its best (first, last, score), last inclusive, searched in a band of `max_tokens`."""
    null = start_scores[:, :1] + end_scores[:, :1]
    context = allowed.clone()
    context[:, 0] = False
    start = start_scores.masked_fill(~context, -torch.inf) - null
    end = end_scores.masked_fill(~context, -torch.inf)
    width = min(max_tokens, end.shape[1])
    # band[b, i, d] is the score of the span from i to i + d.
    band = torch.nn.functional.pad(end, (0, width - 1), value=-torch.inf).unfold(1, width, 1)
    scores = (start.unsqueeze(-1) + band).flatten(1)
    top, places = scores.topk(min(n_best, scores.shape[1]))
    return [
        [
            (place // width, place // width + place % width, score)
            for score, place in zip(row_scores, row_places, strict=True)
            if score > float("-inf")
        ]
        for row_scores, row_places in zip(top.tolist(), places.tolist(), strict=True)
    ]
