"""Training a ranker, of whose candidates the right one gets the highest score, and its model folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Unpack

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor, nn

from caveat.answerers.ranking.combination import COMBINATION, write_combinations
from caveat.answerers.ranking.evidence import BY_RANKER, CandidateList, Evidence
from caveat.answerers.ranking.features import Floats
from caveat.models.card import Card, write_card
from caveat.models.ranker import TASK, Ranker
from caveat.models.session import RANK_OUTPUTS
from caveat.models.windowed_model import ReadRequest
from caveat.models.windows import batches, collate
from caveat.training.cards import card_in_torch, network_of_run
from caveat.training.encoders import load_encoder
from caveat.training.export import ExportSettings
from caveat.training.kinds.ranker.data import (
    RankCorpus,
    RankDataSet,
    RankerRecipe,
    RankSample,
    RankSampler,
    encode_lists,
    read_ranked,
)
from caveat.training.kinds.ranker.lexical import BASELINES, Featured, cross_validated, figures_of, fit
from caveat.training.method import NetworkMethod
from caveat.training.networks import (
    EncoderSettings,
    InTorch,
    NetworkCard,
    encoder_settings,
    head,
    load_network,
    new_network,
    states,
)
from caveat.training.sampling import spread

CARD = "ranker.json"

# Texts that are sorted by length together, and those of a batch.
_TOGETHER, _BATCH = 1024, 32


class RankerNetwork(nn.Module):
    """The log-odds that a candidate answers a question, read off the first token."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.pair = head(encoder, 1)

    @property
    def heads(self) -> tuple[nn.Module, ...]:
        """Its fresh parts, in the order in which their first weights are drawn."""
        return (self.pair,)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Scores, one a row of the batch."""
        found = states(self.encoder, input_ids, attention_mask, token_type_ids)
        # The first token as a window of one, so that its products are those of every other head.
        scores: Tensor = self.pair(found[:, :1])[:, 0, 0]
        return scores


def new_ranker(name: str, **settings: Unpack[EncoderSettings]) -> tuple[RankerNetwork, Tokenizer]:
    """An encoder with fresh heads, initialised from torch's current seed."""
    return new_network(RankerNetwork, name, **settings)


def load_ranker(folder: Path) -> tuple[RankerNetwork, Tokenizer, NetworkCard]:
    """A ranker that a run has saved, ready for inference."""
    return load_network(folder, CARD, NetworkCard, lambda encoder, _: RankerNetwork(encoder), "ranker")


class EmbeddingScorer:
    """The cosine of the mean states of question and candidate, as sentence encoders are used."""

    neighbours = 0

    def __init__(self, name: str, *, window: int = 256, lower_case: bool | None = None) -> None:
        """`name` is a folder, a packaged encoder, or one of the hub; texts are cut at `window` tokens."""
        self.window = window
        self._encoder, self._tokenizer = load_encoder(name, lower_case=lower_case)
        self._encoder.eval()
        self._tokenizer.enable_truncation(window)
        self._question = lru_cache(maxsize=1024)(lambda text: self._embed([text])[0])

    def score(self, pairs: Iterable[ReadRequest]) -> Iterator[float]:
        """A cosine a pair, in order."""
        coming = iter(pairs)
        while part := list(islice(coming, _TOGETHER)):
            texts = self._embed([pair.text for pair in part])
            questions = np.stack([self._question(pair.question) for pair in part])
            yield from (texts * questions).sum(1).tolist()

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        encoded = self._tokenizer.encode_batch(list(texts))
        order = sorted(range(len(texts)), key=lambda place: len(encoded[place].ids))
        found: dict[int, NDArray[np.float32]] = {}
        for begin in range(0, len(order), _BATCH):
            places = order[begin : begin + _BATCH]
            longest = max(len(encoded[place].ids) for place in places)
            ids = torch.zeros((len(places), longest), dtype=torch.long)
            mask = torch.zeros_like(ids)
            for row, place in enumerate(places):
                size = len(encoded[place].ids)
                ids[row, :size] = torch.tensor(encoded[place].ids)
                mask[row, :size] = 1
            with torch.inference_mode():
                states = self._encoder(input_ids=ids, attention_mask=mask).last_hidden_state
                kept = mask[:, :, None].to(states.dtype)
                means = (states * kept).sum(1) / kept.sum(1).clamp(min=1)
                rows = torch.nn.functional.normalize(means, dim=-1).numpy()
            found.update(zip(places, rows, strict=True))
        return np.stack([found[place] for place in range(len(texts))])


# Of a long list this many times as many wrong candidates as an epoch takes are kept to draw from.
_KEPT = 3
# What goes through the network at once: at most this many tokens, of which at most this share is padding.
_TOKENS, _PADDING = 2048, 0.15


class Ranking(NetworkMethod[RankerRecipe, RankerNetwork, RankSample]):
    """A ranker, its lists, and its measurement on the tuning file."""

    card_file = CARD

    def __init__(self, recipe: RankerRecipe, data_root: Path, note: Callable[[str], None]) -> None:
        super().__init__(recipe, new_ranker(recipe.encoder, **encoder_settings(recipe)))
        self._ranker = ranker_in_torch(self.network, self._tokenizer, recipe)
        self._corpora = [self._corpus(data, data_root) for data in recipe.data]
        for data, corpus in zip(recipe.data, self._corpora, strict=True):
            self._use(data.path, len(corpus.questions), corpus.left_out, note)
        self._follow(self._sampler)
        self._lists = tuning_lists(recipe, data_root)

    def loss(self, batch: Sequence[RankSample]) -> Tensor:
        """The loss of a batch, whose pairs go through the network by length: candidates of one list differ in it."""
        windows = [window for sample in batch for window in sample.windows]
        parts = batches([window.length for window in windows], tokens=_TOKENS, padding=_PADDING)
        found = []
        for part in parts:
            arrays = collate([windows[place] for place in part], self._layout)
            ids, *others = map(
                torch.from_numpy, (arrays.input_ids, arrays.attention_mask, arrays.token_type_ids)
            )
            found.append(self.network(self._masking(ids), *others))
        order = torch.tensor([place for part in parts for place in part])
        scores = torch.cat(found)[torch.argsort(order)]
        return rank_loss(scores, [len(sample.windows) for sample in batch], self.recipe.loss)

    def measure(self, *, final: bool) -> dict[str, Any]:
        """MRR, MAP and the share of right candidates at the top, by the ranker alone."""
        tuning = self.recipe.tuning
        if tuning is None:
            return {}
        some = spread(self._lists, tuning.final_questions if final else tuning.questions)
        found = list(Evidence().of(some, self._ranker))
        return figures_of(some, [features.column(BY_RANKER[0]) for _, features in found])

    def shown(self, scores: dict[str, Any]) -> str:
        """Scores in a few words."""
        return f"MRR {scores['mrr']:.2f}, MAP {scores['map']:.2f} on {scores['questions']:,} questions"

    def _corpus(self, data: RankDataSet, root: Path) -> RankCorpus:
        left_out: Counter[str] = Counter()
        lists = read_ranked(data, root, self.recipe.seed, left_out)
        return encode_lists(
            lists,
            self._tokenizer,
            window=self._ranker.window,
            neighbours=self.recipe.neighbours if data.complete else 0,
            most_wrong=_KEPT * self.recipe.wrong,
            left_out=left_out,
            max_question_tokens=self.recipe.max_question_tokens,
        )

    def _sampler(self, number: int) -> RankSampler:
        recipe, phase = self.recipe, self.recipe.phases[number]
        weights = [data.weight for data in recipe.data]
        return RankSampler(
            list(zip(self._corpora, weights, strict=True)),
            self._layout.specials,
            window=phase.window,
            stride=phase.stride,
            wrong=recipe.wrong,
            foreign=recipe.foreign,
            hard=recipe.hard,
        )


def rank_loss(scores: Tensor, sizes: Sequence[int], kind: str) -> Tensor:
    """The loss of lists that stand one after the other in `scores`, the right candidate of each first.

    Pointwise the right and the wrong ones of a list weigh the same together.
    """
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    if kind == "listwise":
        table = scores.new_full((len(sizes), max(sizes)), torch.finfo(scores.dtype).min)
        for row, (start, size) in enumerate(zip(starts.tolist(), sizes, strict=True)):
            table[row, :size] = scores[start : start + size]
        return torch.nn.functional.cross_entropy(table, torch.zeros(len(sizes), dtype=torch.long))
    right = torch.zeros_like(scores)
    weight = torch.empty_like(scores)
    for start, size in zip(starts.tolist(), sizes, strict=True):
        right[start] = 1.0
        weight[start : start + size] = 0.5 / max(1, size - 1)
        weight[start] = 0.5
    total = torch.nn.functional.binary_cross_entropy_with_logits(scores, right, weight, reduction="sum")
    return total / len(sizes)


def ranker_in_torch(network: RankerNetwork, tokenizer: Tokenizer, recipe: RankerRecipe) -> Ranker:
    """The runtime's ranker with the network itself in the place of an exported graph."""
    card = card_in_torch(recipe, TASK, neighbours=recipe.neighbours)
    return Ranker(Path(), card, InTorch(network), tokenizer=tokenizer)


def tuning_lists(recipe: RankerRecipe, data_root: Path) -> list[CandidateList]:
    """The lists that the recipe is measured on; none without a tuning file."""
    return read_ranked(recipe.tuning, data_root, recipe.seed, Counter()) if recipe.tuning else []


_TASKS = {"sentences": "nlpcc-dbqa", "tables": "nlpcc-tbqa"}


def export_ranker(
    recipe: RankerRecipe, run_folder: Path, out: Path, settings: ExportSettings
) -> dict[str, Card]:
    """Write `out`/int8 and `out`/fp32, model folders of a finished or unfinished run, and return their cards.

    Each gets the weights of its combination with lexical evidence, and figures on the tuning lists; some of
    them are scored in torch as well, for what the export has cost.
    """
    trained = network_of_run(
        run_folder,
        recipe,
        load=lambda model: load_ranker(model)[:2],
        new=lambda: new_ranker(recipe.encoder, **encoder_settings(recipe)),
    )
    lists = tuning_lists(recipe, settings.data_root)
    card = trained.card(
        recipe,
        run_folder,
        TASK,
        tuning_questions=len(lists),
        neighbours=recipe.neighbours,
        null="none",
    )
    some = spread(lists, settings.compared)
    reference = _scored(ranker_in_torch(trained.network, trained.tokenizer, recipe), some)

    def measure(folder: Path, exported: Card) -> tuple[Card, str]:
        measured = _measured(folder, exported, recipe, lists, some, reference, settings.threads)
        return measured, _shown(measured, _TASKS[recipe.candidates])

    return trained.export(
        RANK_OUTPUTS, out, settings, card, measure if recipe.tuning and lists else None, first_token_only=True
    )


def _measured(
    folder: Path,
    card: Card,
    recipe: RankerRecipe,
    lists: Sequence[CandidateList],
    some: Sequence[CandidateList],
    reference: Sequence[Floats],
    threads: int | None,
) -> Card:
    """The card with its figures, written to the folder, beside the combination."""
    tuning = recipe.tuning
    assert tuning is not None
    ranker = Ranker.load(folder, threads=threads)
    featured: list[Featured] = list(Evidence().of(lists, ranker))
    combined = cross_validated(featured, l2=tuning.l2, folds=tuning.folds)
    figures = {
        **{name: _by_column(featured, name) for name in BASELINES},
        "ranker": _by_column(featured, BY_RANKER[0]),
        "combined": figures_of(lists, combined),
    }
    about = {"fitted_to": tuning.name or tuning.path, "questions": len(lists), "folds": tuning.folds}
    kept = fit(featured, l2=tuning.l2)
    write_combinations(folder / COMBINATION, {recipe.candidates: kept}, {**about, "figures": figures})
    export = _compared(some, _scored(ranker, some), reference)
    more = {_TASKS[recipe.candidates]: figures, "export": export}
    return write_card(folder, msgspec.structs.replace(card, figures={**card.figures, **more}))


def _by_column(featured: Sequence[Featured], name: str) -> dict[str, Any]:
    return figures_of([of for of, _ in featured], [features.column(name) for _, features in featured])


def _scored(ranker: Ranker, lists: Sequence[CandidateList]) -> list[Floats]:
    return [features.column(BY_RANKER[0]) for _, features in Evidence().of(lists, ranker)]


def _compared(
    lists: Sequence[CandidateList], scores: Sequence[Floats], reference: Sequence[Floats]
) -> dict[str, Any]:
    """What the export has cost, on the questions that torch has scored too."""
    in_torch, exported = (figures_of(lists, found)["mrr"] for found in (reference, scores))
    same = sum(
        int(ours.argmax()) == int(theirs.argmax()) for ours, theirs in zip(scores, reference, strict=True)
    )
    return {
        "questions": len(lists),
        "same_answers": 100 * same / len(lists),
        "mrr_in_torch": in_torch,
        "mrr": exported,
        "mrr_lost": in_torch - exported,
    }


def _shown(card: Card, task: str) -> str:
    figures, export = card.figures[task], card.figures["export"]
    alone, combined = figures["ranker"], figures["combined"]
    return (
        f"MRR {alone['mrr']:.2f}, with lexical evidence {combined['mrr']:.2f} (MAP {combined['map']:.2f}, "
        f"accuracy@1 {combined['accuracy@1']:.2f}) on {combined['questions']:,} questions, by cross-validation; "
        f"MRR {export['mrr_lost']:+.2f} lost against torch on {export['questions']:,}"
    )
