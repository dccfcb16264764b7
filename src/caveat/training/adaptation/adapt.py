"""From somebody's documents to a reader that knows them: questions by a teacher, filtered, trained on, compared.

Every step leaves its work in the folder; the same call goes on where the last one was stopped.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from caveat.answerers.documents.decision import WEIGHTS as DECISION
from caveat.benchmarks.shared.passage import GoldSpan, PassageQuestion
from caveat.benchmarks.shared.passage import Passage as SquadPassage
from caveat.benchmarks.squad import format as squad
from caveat.core.errors import UsageError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json, write_json, write_json_lines
from caveat.core.languages import Language
from caveat.models.card import read_card, write_card
from caveat.models.embedded import find
from caveat.models.language_model.client import PARALLEL, SPENT, Client
from caveat.models.language_model.completions import Prompt
from caveat.models.language_model.spending import Budget
from caveat.models.reader import Reader
from caveat.models.windowed_model import ReadRequest
from caveat.sources.gather import Input, gather
from caveat.training.adaptation.recipe import chosen_precision, scored
from caveat.training.adaptation.teaching import (
    WANTED,
    Judged,
    Passage,
    Wanted,
    Written,
    answering,
    by_reader,
    by_teacher,
    chosen_passages,
    first_look,
    language_of_most,
    writing_questions,
)
from caveat.training.kinds import check_installed, find_kind
from caveat.training.log import growing, kept_lines, locked_run
from caveat.training.sampling import fold_of
from caveat.training.train import export_run, train

# Of the passages this part is held out, with all its questions: one in five.
_FOLDS = 5
# A held-out part smaller than this says too little about probabilities: those of the starting model stay.
_ENOUGH_TO_CALIBRATE = 200

Item = TypeVar("Item")
Through = Callable[[Iterable[Item], str, int], Iterator[Item]]


class Plan(msgspec.Struct, frozen=True):
    """What a run is about; another one does not go on in its folder."""

    teacher: str
    model: str
    language: Language
    questions: int
    seed: int
    passages: tuple[Passage, ...]
    kinds: tuple[Wanted, ...] = WANTED


class Generated(msgspec.Struct, frozen=True):
    """What the teacher wrote on a passage, or why nothing came of it."""

    passage: str
    questions: tuple[Written, ...] = ()
    problem: str = ""


class Adapted(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it: the model's folder, where one was trained, what was learnt from, figures before and after."""

    folder: str
    model: str = ""
    language: Language
    passages: int
    written: int
    kept: dict[str, int]
    dropped: dict[str, int]
    # By the file's name: what the starting model scores, and what the adapted one does.
    before: dict[str, dict[str, float]] = {}
    after: dict[str, dict[str, float]] = {}
    tokens: int = 0
    stopped: bool = False


def adapt(
    sources: Input | Sequence[Input],
    teacher: str,
    out: PathLike,
    *,
    model: PathLike | None = None,
    language: Language | None = None,
    questions: int = 500,
    kinds: Sequence[Wanted] = WANTED,
    original: Sequence[PathLike] = (),
    share: float = 0.5,
    gold: Sequence[PathLike] = (),
    seed: int = 1,
    parallel: int = PARALLEL,
    budget: Budget | None = None,
    only_questions: bool = False,
    overrides: Sequence[str] = (),
    stop: Callable[[int], bool] = lambda step: False,
    through: Through[Any] = lambda items, what, total: iter(items),
    note: Callable[[str], None] = lambda message: None,
) -> Adapted:
    """Adapt a reader to documents, with questions that a language model writes on them.

    `teacher` is `URL#NAME` of an endpoint that speaks OpenAI's protocol. About `questions` of these `kinds` are written
    on passages spread over the sources; those that pass every check are in `out`/train.json and `out`/heldout.json
    (SQuAD 2.0) and `out`/yes_no.jsonl. With `only_questions` that is all; otherwise `model`, the embedded reader of
    the language unless given, goes on learning from the former with `original` files as `share` of what it reads,
    against forgetting. What the starting and the adapted model score on the held-out questions and on the files of
    `gold` is compared. Stopped at any moment, the same call goes on from there; while another process writes to the
    folder, it is refused.
    """
    if not 0 <= share < 1:
        raise UsageError(f"--share is a part of what is read, from 0 to below 1, got {share}.")
    # Whatever training needs is looked for before hours of the teacher's work, not after them.
    if not only_questions:
        check_installed((*find_kind("reader").needs, "onnx"))
    folder = Path(out)
    with locked_run(folder):
        plan = _plan(folder, sources, teacher, model, language, questions, seed, kinds)
        if not only_questions:
            from caveat.training.adaptation.recipe import check_recipe

            check_recipe(plan.model, plan.language, overrides)
        client = Client(teacher, parallel=parallel, budget=budget)
        _generate(plan, client, folder, through, note)
        judged = _judge(plan, client, folder, through, note)
        spent = client.spending.refused > 0
        _write_questions(plan, judged, folder)
        dropped = Counter(each.dropped for each in judged if each.dropped)
        kept: Counter[str] = Counter(each.written.kind for each in judged if not each.dropped)
        note(
            f"{kept.total():,} of {len(judged):,} questions are kept: {_listed(kept)}; left out: {_listed(dropped)}"
        )
        adapted = Adapted(
            folder=str(folder),
            language=plan.language,
            passages=len(plan.passages),
            written=len(judged),
            kept=dict(kept),
            dropped=dict(dropped),
            tokens=client.spending.tokens.total,
            stopped=spent,
        )
        if spent:
            note("the budget is spent; the same command with more goes on from there")
        if only_questions or spent:
            return adapted
        return _trained(plan, adapted, folder, original, share, gold, overrides, stop, note)


def _plan(
    folder: Path,
    sources: Input | Sequence[Input],
    teacher: str,
    model: PathLike | None,
    language: Language | None,
    questions: int,
    seed: int,
    kinds: Sequence[Wanted],
) -> Plan:
    # In one order, each once: the same kinds are the same run.
    wanted = tuple(kind for kind in WANTED if kind in kinds)
    if not wanted:
        raise UsageError(f"There is no kind of question to write; there are {', '.join(WANTED)}.")
    path = folder / "plan.json"
    if path.exists():
        plan = read_json(path, Plan)
        given: dict[str, Any] = {"teacher": teacher, "questions": questions, "seed": seed, "kinds": wanted}
        if model is not None:
            given["model"] = str(model)
        if language is not None:
            given["language"] = language
        for name, value in given.items():
            if getattr(plan, name) != value:
                raise UsageError(
                    f"{folder} holds a run with {name} {getattr(plan, name)!r}, not {value!r}: "
                    "go on with the same, or choose another folder."
                )
        return plan
    documents = gather(sources).documents
    spoken = language or language_of_most(documents)
    chosen = str(model) if model is not None else f"reader-{spoken}"
    find(chosen)
    passages = chosen_passages(documents, spoken, questions)
    plan = Plan(teacher, chosen, spoken, questions, seed, passages, wanted)
    write_json(path, plan)
    return plan


def _generate(
    plan: Plan, client: Client, folder: Path, through: Through[Any], note: Callable[[str], None]
) -> None:
    """Have questions written on every passage that has none yet, as far as the budget goes."""
    path = folder / "generated.jsonl"
    done = {each.passage for each in kept_lines(path, Generated)}
    left = [passage for passage in plan.passages if passage.id not in done]
    if not left:
        return
    note(f"{len(left):,} passages to write questions on")
    prompts: Iterator[Prompt[Any]] = (
        writing_questions(passage, plan.language, plan.kinds) for passage in left
    )
    with growing(path) as append:
        written = zip(left, client.complete_many(prompts), strict=True)
        for passage, completion in through(written, "questions", len(left)):
            if completion.problem == SPENT:
                break
            taught = completion.parsed.written if completion.parsed else ()
            append(Generated(passage.id, taught, completion.problem))


def _judge(
    plan: Plan, client: Client, folder: Path, through: Through[Any], note: Callable[[str], None]
) -> list[Judged]:
    """Every question with what is wrong with it, if anything; those that are right by their words go round once."""
    passages = {passage.id: passage for passage in plan.passages}
    asked: set[str] = set()
    seen = [
        judged
        for each in kept_lines(folder / "generated.jsonl", Generated)
        for judged in first_look(passages[each.passage], each.questions, asked)
    ]
    path = folder / "judged.jsonl"
    done = {(each.passage, each.written.question): each for each in kept_lines(path, Judged)}
    left = [each for each in seen if not each.dropped and (each.passage, each.written.question) not in done]
    with growing(path) as append:

        def decided(judged: Judged) -> None:
            append(judged)
            done[judged.passage, judged.written.question] = judged

        # What the reader decides need not be asked of the teacher, who is slower by far or paid.
        undecided: list[tuple[Judged, str]] = []
        for each, found, probability in _read(plan, passages, left, through):
            if (judged := by_reader(each, passages[each.passage], found, probability)) is not None:
                decided(judged)
            else:
                undecided.append((each, found))
        if undecided:
            note(f"{len(undecided):,} questions to ask the teacher again")
        prompts = (
            answering(passages[each.passage], each.written.question, plan.language) for each, _ in undecided
        )
        asked_again = zip(undecided, client.complete_many(prompts), strict=True)
        for (each, found), completion in through(asked_again, "round trip", len(undecided)):
            if completion.problem == SPENT:
                break
            decided(by_teacher(each, passages[each.passage], found, completion.parsed))
    return [
        each if each.dropped else done[key]
        for each in seen
        if each.dropped or (key := (each.passage, each.written.question)) in done
    ]


def _read(
    plan: Plan, passages: dict[str, Passage], questions: Sequence[Judged], through: Through[Any]
) -> Iterator[tuple[Judged, str, float]]:
    """Each question with what the present reader answers to it, and how sure it is."""
    if not questions:
        return
    reader = Reader.load(find(plan.model))
    texts = (ReadRequest(each.written.question, passages[each.passage].text) for each in questions)
    for each, read in through(zip(questions, reader.read(texts), strict=True), "reading", len(questions)):
        weighed = reader.weigh([read])
        best = weighed.choices[0] if weighed.answered else None
        yield each, best.text if best else "", best.probability if best else 0.0


def _write_questions(plan: Plan, judged: Sequence[Judged], folder: Path) -> None:
    """The questions as files that other commands take, held-out passages apart."""
    by_passage: dict[str, list[Judged]] = {}
    for each in judged:
        if not each.dropped:
            by_passage.setdefault(each.passage, []).append(each)
    parts: dict[str, list[SquadPassage]] = {"train": [], "heldout": []}
    verdicts = []
    for number, passage in enumerate(plan.passages):
        part = "heldout" if fold_of(passage.text, _FOLDS) == 0 else "train"
        spans = []
        for index, each in enumerate(by_passage.get(passage.id, ())):
            if each.written.kind in ("yes", "no"):
                verdicts.append(
                    {
                        "question": each.written.question,
                        "passage": passage.text,
                        "label": each.written.kind,
                        "evidence": each.written.quotation,
                        "part": part,
                    }
                )
            else:
                spans.append(_question(passage, each, f"{passage.id}#{index}"))
        if spans:
            parts[part].append(SquadPassage(passage.text, tuple(spans), title=passage.title, article=number))
    for name, passages in parts.items():
        squad.write(folder / f"{name}.json", map(squad.with_impossible_flags, passages), {"version": "v2.0"})
    write_json_lines(folder / "yes_no.jsonl", verdicts)


def _question(passage: Passage, judged: Judged, id: str) -> PassageQuestion:
    extra: dict[str, Any] = {}
    if judged.condition is not None:
        start, end = judged.condition
        extra["condition"] = {"text": passage.text[start:end], "answer_start": start}
    if judged.place is None:
        return PassageQuestion(id, judged.written.question, (), extra)
    start, end = judged.place
    return PassageQuestion(id, judged.written.question, ((GoldSpan(passage.text[start:end], start),),), extra)


def _trained(
    plan: Plan,
    adapted: Adapted,
    folder: Path,
    original: Sequence[PathLike],
    share: float,
    gold: Sequence[PathLike],
    overrides: Sequence[str],
    stop: Callable[[int], bool],
    note: Callable[[str], None],
) -> Adapted:
    from caveat.training.adaptation.recipe import recipe_of
    from caveat.training.export import PRECISIONS

    recipe = recipe_of(plan.model, plan.language, folder, original, share, plan.seed, overrides)
    if not original:
        note(
            "no --original data: nothing holds the reader to what it knew; compare with --gold what it has forgotten"
        )
    run = folder / "run"
    if train(recipe, run, precisions=(), stop=stop, note=note).stopped:
        return msgspec.structs.replace(adapted, stopped=True)
    export_run(recipe, run, folder, compared=0, note=note)
    starting, heldout = find(plan.model), folder / "heldout.json"
    for precision in PRECISIONS:
        _keep_probabilities(folder / precision, starting, heldout)
        # What decides among a joint reader's candidates stays as it was fitted to the model that it began with.
        if (starting / DECISION).is_file():
            shutil.copy(starting / DECISION, folder / precision)

    exported = [folder / precision for precision in PRECISIONS]
    by_precision = dict(zip(PRECISIONS, scored(heldout, exported, plan.language), strict=True))
    chosen = chosen_precision({precision: figures["f1"] for precision, figures in by_precision.items()})
    if chosen != "int8":
        lost = by_precision["fp32"]["f1"] - by_precision["int8"]["f1"]
        note(f"int8 loses {lost:.1f} of F1 on the held-out questions: the model is the larger one, fp32")
    before: dict[str, dict[str, float]] = {}
    after: dict[str, dict[str, float]] = {}
    for path in (heldout, *map(Path, gold)):
        name = path.name
        if path is heldout:
            before[name], after[name] = scored(path, [starting], plan.language)[0], by_precision[chosen]
        else:
            before[name], after[name] = scored(path, [starting, folder / chosen], plan.language)
        note(f"{name}: F1 {before[name]['f1']:.1f} before, {after[name]['f1']:.1f} after")
    result = msgspec.structs.replace(adapted, model=str(folder / chosen), before=before, after=after)
    write_json(folder / "figures.json", result)
    return result


def _keep_probabilities(made: Path, starting: Path, heldout: Path) -> None:
    """Where there is too little to fit probabilities on, the model has those of the one it began with."""
    if sum(len(passage.questions) for passage in squad.read_passages(heldout)) >= _ENOUGH_TO_CALIBRATE:
        return
    known = read_card(starting)
    write_card(
        made,
        msgspec.structs.replace(
            read_card(made),
            temperature=known.temperature,
            threshold=known.threshold,
            lacking=known.lacking,
            expected_calibration_error=None,
        ),
    )


def _listed(counts: Counter[Any]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in counts.most_common()) or "none"
