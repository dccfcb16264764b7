"""Whatever a file holds, what reads it succeeds or says in one sentence what is wrong: nothing else comes out."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import caveat
from caveat.benchmarks.convert import becomes
from caveat.benchmarks.registry import FORMATS
from caveat.benchmarks.task import DataFiles, EvaluationOptions
from caveat.core.errors import CaveatError

# The same files each time: a failure here must be one that the change at hand has made.
fuzzed = settings(
    derandomize=True,
    database=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def lines(*values: Any) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


QAS = [
    {"id": "q1", "question": "Which river?", "answers": [{"text": "Seine", "answer_start": 4}] * 2},
    {"id": 2, "question": "Who?", "answers": [], "is_impossible": True},
]
SQUAD = {
    "version": "v2.0",
    "data": [{"title": "T", "paragraphs": [{"context": "The Seine flows.", "qas": QAS}]}],
}
CMRC = [
    {
        "context_id": "C",
        "context_text": "桥建于1872年。",
        "title": "桥",
        "qas": [{"query_id": "C_0", "query_text": "何时？", "answers": ["1872年", "1872"]}],
    }
]
MRQA = [
    {"header": {"dataset": "X", "split": "dev", "file": {"version": "1.1"}}},
    {
        "id": "",
        "context": "The Seine.",
        "context_tokens": [["The", 0], ["Seine", 4], [".", 9]],
        "qas": [
            {
                "qid": "m1",
                "question": "Which?",
                "question_tokens": [["Which", 0]],
                "answers": ["Seine"],
                "detected_answers": [{"text": "Seine", "char_spans": [[4, 8]], "token_spans": [[1, 1]]}],
                "answer_starts": [4],
                "answer_parts": [1],
                "answer_extra": [{}],
            }
        ],
        "article": {"index": 0, "title": "T"},
        "token_lengths": [3, 6],
    },
]
MULTISPAN = {
    "version": 1.0,
    "data": [
        {
            "id": "s1",
            "question": ["who", "?"],
            "context": ["Ann", "and", "Bob"],
            "label": ["B", "O", "B"],
            "num_span": 2,
        }
    ],
}
CMQA = {
    "context": "头痛时用甲药或乙药。",
    "question": "用什么？",
    "condition": [["头痛", [0, 2]]],
    "coarse": [["甲药或乙药", [4, 9]]],
    "fine": [["甲药", [4, 6]], ["乙药", [7, 9]]],
    "condition_coarse": [[["头痛", "甲药或乙药"], [[0, 2], [4, 9]]]],
    "coarse_fine": [[["甲药或乙药", "甲药"], [[4, 9], [4, 6]]]],
}
QUESTION = {
    "id": "c1",
    "url": "u",
    "scenario": "I am.",
    "question": "Can I?",
    "not_answerable": False,
    "answers": [["yes", ["<p>if so</p>"]], ["no", []]],
    "evidences": ["<p>if so</p>"],
}
PAGE = {"title": "T", "url": "u", "contents": ["<h1>T</h1>", "<p>if so</p>"]}
KBQA = "<question id=1>\t甲的名？\n<triple id=1>\t甲 ||| 名 ||| 乙\n<answer id=1>\t乙\n=====\n"
UTTERANCE = {
    "utterance_id": "u",
    "tree_id": "t",
    "source_url": "s",
    "snippet": "rule",
    "question": "Can I?",
    "scenario": "",
    "history": [{"follow_up_question": "Old?", "follow_up_answer": "Yes"}],
    "evidence": [],
    "answer": "Yes",
}
REVIEWS = (
    "review_id,q_review_id,question,review,human_ans_spans,human_ans_indices\n"
    'r1,qr1,How?,It is very good. ANSWERNOTFOUND,very good,"(6, 15)"\n'
)

# Task → gold, predictions.
TASKS = {
    "squad": (lines(SQUAD), lines({"q1": "Seine", "2": ""})),
    "squad2": (lines(SQUAD), lines({"q1": "Seine", "2": ""})),
    "cmrc2018": (lines(CMRC), lines({"C_0": "1872年"})),
    "mrqa": (lines(*MRQA), lines({"m1": "Seine"})),
    "multispan": (lines(MULTISPAN), lines({"s1": ["Ann", "Bob"]})),
    "cmqa": (lines(CMQA), lines(CMQA)),
    "conditionalqa": (lines([QUESTION]), lines([{"id": "c1", "answers": [["yes", []]]}])),
    "nlpcc-kbqa": (KBQA, "<question id=1>\t甲的名？\n<answer id=1>\t乙\n"),
    "nlpcc-dbqa": ("甲？\t一\t0\n甲？\t二\t1\n", "0.9\n0.5\n"),
    "nlpcc-tbqa": ("1\twhat?\tcap\ta _|_ b\t1 _|_ 2 _||_ 3 _|_ 4\n0\twhat?\tc\ta\t1\n", "1\n0\n"),
}

# Other data → a file, and its companion where it needs one.
DATA = {
    "nlpcc-kb": ("甲 ||| 名 ||| 乙\n",),
    "nlpcc-mentions": ("甲 ||| 甲山\t甲河\n",),
    "sharc": (lines([UTTERANCE]),),
    "subjqa": (REVIEWS,),
    "conditionalqa-documents": (lines([PAGE]),),
    "triples-tsv": ("a\tb\tc\n",),
    "nlpcc-tbqa-candidates": ("1\twhat?\tt1\n",),
    "nlpcc-tbqa-tables": ("t1\tcap\ta _|_ b\t1 _|_ 2\n",),
    "mrqa-squad": (lines(SQUAD),),
    "duorc": (
        lines(
            [{"id": "f", "plot": "Ann met Bob.", "qa": [{"id": "d", "question": "Who?", "answers": ["Bob"]}]}]
        ),
    ),
    "newsqa": (
        lines(
            {
                "data": [
                    {
                        "storyId": "n",
                        "text": "Ann met Bob.",
                        "questions": [{"q": "Who?", "consensus": {"s": 8, "e": 11}}],
                    }
                ]
            }
        ),
    ),
    "hotpotqa": (
        lines(
            {
                "_id": "h",
                "question": "Who?",
                "answer": "Bob",
                "supporting_facts": [["A", 0]],
                "context": [["A", ["Ann met Bob."]]],
            }
        ),
    ),
    "searchqa": (
        lines(
            {"id": 1, "question": "Who?", "answer": "Bob", "search_results": [{"snippet": "Ann met Bob."}]}
        ),
    ),
    "naturalquestions": (
        lines(
            {
                "example_id": 1,
                "question_text": "who",
                "document_text": "Ann met Bob .",
                "annotations": [
                    {
                        "long_answer": {"start_token": 0, "end_token": 4},
                        "short_answers": [{"start_token": 2, "end_token": 3}],
                    }
                ],
            }
        ),
    ),
    "drop": (
        lines(
            {
                "p": {
                    "passage": "Ann met Bob.",
                    "qa_pairs": [
                        {
                            "query_id": "x",
                            "question": "Who?",
                            "answer": {"number": "", "date": {}, "spans": ["Bob"]},
                        }
                    ],
                }
            }
        ),
    ),
    "race": (
        lines(
            {
                "id": "high1.txt",
                "article": "Ann met Bob.",
                "questions": ["Whom did Ann meet?"],
                "options": [["Bob", "Tim"]],
                "answers": ["A"],
            }
        ),
    ),
    "relationextraction": ("spouse\tWho married XXX?\tAnn\tAnn married Bob.\tBob\n",),
    "textbookqa": (
        lines(
            [
                {
                    "globalID": "L",
                    "topics": {"t": {"topicName": "x", "content": {"text": "Ann met Bob."}}},
                    "questions": {
                        "nonDiagramQuestions": {
                            "q": {
                                "beingAsked": {"processedText": "Whom did Ann meet"},
                                "answerChoices": {"a": {"processedText": "Bob"}},
                                "correctAnswer": {"processedText": "a"},
                            }
                        }
                    },
                }
            ]
        ),
    ),
    "bioprocess": (
        "<annotation><id>b</id><text>Ann met Bob.</text><question><qid>1</qid><q>Whom did Ann meet?</q>"
        "<a0>Bob</a0><a1>Tim</a1><correct>0</correct></question></annotation>",
    ),
    "qast": (
        lines(
            {
                "id": "l",
                "sections": ["Ann met Bob."],
                "questions": [{"id": 1, "question": "Who?", "answers": ["Bob"]}],
            }
        ),
    ),
    "bioasq": (
        lines(
            {
                "questions": [
                    {
                        "id": "b",
                        "body": "Who?",
                        "type": "factoid",
                        "documents": ["u/1"],
                        "exact_answer": [["Bob"]],
                    }
                ]
            }
        ),
        lines({"u/1": "Ann met Bob."}),
    ),
    "complexwebquestions": (
        lines([{"ID": "w", "question": "Who?", "compositionality_type": "composition", "answer": "Bob"}]),
        lines([{"question_ID": "w", "web_snippets": [{"title": "t", "snippet": "Ann met Bob."}]}]),
    ),
    "mctest": (
        "\t".join(["mc.0", "", "Ann met Bob.", *["one: Whom did Ann meet?", "Bob", "Tim", "Jim", "Sam"] * 4]),
        "A\tA\tA\tA\n",
    ),
    "qamr": ("S:1\tmet\tw1\t0\tmet\tWhom?\t2\tw2:2\tw3:2\n", "S:1\tAnn met Bob\n"),
    "trec": ("1\tt\tWhom did Ann meet?\tBob\n", lines({"qid": "1", "passages": ["Ann met Bob."]})),
}


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


def survives(what: Callable[[], object]) -> bool:
    """Whether it succeeds; it may fail with one sentence on one line, and with nothing else."""
    try:
        what()
    except CaveatError as error:
        sentence = str(error)
        assert sentence.strip()
        assert len(sentence.splitlines()) == 1
        assert len(sentence) < 1500
        return False
    return True


def on_task(task: str, gold: bytes, predicted: bytes, folder: Path) -> list[bool]:
    """All scores that a task's files can be given."""
    data, pred, na_prob = folder / "gold", folder / "pred", folder / "na_prob"
    data.write_bytes(gold)
    pred.write_bytes(predicted)
    na_prob.write_text('{"q1": 0.1, "2": 0.9}')
    options = [EvaluationOptions(), EvaluationOptions(first=1)]
    if task == "squad2":
        options.append(EvaluationOptions(na_prob=na_prob))
    if task == "mrqa":
        options.append(EvaluationOptions(skip_no_answer=True))
    done = [survives(lambda o=o: caveat.evaluate(task, data, pred, o)) for o in options]
    for option in options:  # what is sound may still be more than a published scorer can take
        survives(lambda o=option: caveat.evaluate_official(task, data, pred, o))
    return done


def on_gold(task: str, gold: bytes, folder: Path) -> list[bool]:
    """What else can be done with a task's data."""
    data = folder / "gold"
    data.write_bytes(gold)
    done = [survives(lambda: caveat.stats(task, DataFiles(data)))]
    done += [survives(lambda: [*map(str, caveat.check(task, DataFiles(data)))])]
    if task not in ("multispan", "nlpcc-kbqa", "nlpcc-dbqa", "nlpcc-tbqa"):
        survives(lambda: caveat.agreement(task, [data]))
        survives(lambda: caveat.agreement(task, [data, data]))
    if task == "conditionalqa":
        done += [survives(lambda: caveat.floors(task, data))]
    return done + on_format(task, gold, None, folder)


def on_data(name: str, content: bytes, companion: bytes | None, folder: Path) -> list[bool]:
    """Everything that can be done with data that is no task."""
    (folder / "gold").write_bytes(content)
    done = []
    if name in ("nlpcc-kb", "nlpcc-mentions", "sharc", "subjqa"):
        done += [survives(lambda: caveat.stats(name, DataFiles(folder / "gold")))]
    if name == "nlpcc-kb":
        done += [survives(lambda: [*map(str, caveat.check(name, DataFiles(folder / "gold")))])]
    return done + on_format(name, content, companion, folder)


def on_format(name: str, content: bytes, companion: bytes | None, folder: Path) -> list[bool]:
    """Conversion to everything that the format can become; nothing half-written is left."""
    if name not in FORMATS:
        return []
    source, documents = folder / "source", None
    source.write_bytes(content)
    if companion is not None:
        documents = folder / "companion"
        documents.write_bytes(companion)
    done, out = [], folder / "out"
    # MRQA's records all become the same: one way out is enough for a source.
    for to in ["mrqa"] if name in DATA and FORMATS[name].kind == "mrqa" else becomes(FORMATS[name]):
        out.unlink(missing_ok=True)
        done.append(survives(lambda to=to: caveat.convert(name, source, to, out, documents=documents)))
        assert out.exists() == done[-1]
    assert not [path for path in folder.iterdir() if path.name.endswith(".part")]
    return done


# Which file is spoilt: (task or data, 0 for gold, 1 for predictions or the companion).
TARGETS = [
    *((name, index) for name in TASKS for index in (0, 1)),
    *((name, index) for name, contents in DATA.items() for index in range(len(contents))),
]
JSON_TARGETS = [(name, index) for name, index in TARGETS if (TASKS | DATA)[name][index][:1] in "[{"]


def spoil(target: tuple[str, int], content: bytes, folder: Path) -> list[bool]:
    name, index = target
    files = [file.encode() for file in (TASKS | DATA)[name]]
    files[index] = content
    if name in TASKS:
        scored = on_task(name, files[0], files[1], folder)
        return scored if index else scored + on_gold(name, files[0], folder)
    return on_data(name, files[0], files[1] if len(files) > 1 else None, folder)


@pytest.mark.parametrize("name", [*TASKS, *DATA])
def test_the_files_are_sound_to_begin_with(name: str, folder: Path) -> None:
    assert all(spoil((name, 0), (TASKS | DATA)[name][0].encode(), folder))


def _damaged(content: bytes) -> Iterator[bytes]:
    text = content.decode()
    zipped = gzip.compress(content)
    yield from (b"", b"\n \n\n", b"\r\n", b"\xef\xbb\xbf", b"\0" * 64, bytes(range(256)), b"\x1f\x8b")
    yield from (
        zipped[:5],
        zipped[: len(zipped) // 2],
        zipped[:-4],
        zipped + b"junk",
        b"\xef\xbb\xbf" + content,
    )
    for encoding in ("utf-16", "utf-16-be", "gb18030", "shift_jis", "latin-1"):
        yield text.encode(encoding, "replace")
    yield from (text.replace("\n", end).encode() for end in ("\r\n", "\r", "\u2028", "\0"))
    yield from (text.encode()[: len(content) // 2], text.encode() * 2, b"[" * 100_000, b'{"a":' * 5000)
    yield from (b"NaN", b"9" * 5000, b"1e999", b'"\\ud800"', b"null", b"[]", b"{}", b'""', b"<", b"\t\t\t\t")


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: f"{target[0]}-{target[1]}")
def test_damaged_files(target: tuple[str, int], folder: Path) -> None:
    for content in _damaged((TASKS | DATA)[target[0]][target[1]].encode()):
        spoil(target, content, folder)


@fuzzed
@given(st.sampled_from(TARGETS), st.binary(max_size=200))
def test_random_bytes(folder: Path, target: tuple[str, int], content: bytes) -> None:
    spoil(target, content, folder)


PIECES = [
    *(b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\t", b"\n", b"\r", b" ", b"|||", b"=", b"<", b"_|_"),
    *(b"\0", b"\xff", b"\xe9", b"\xc3", b"\\u0000", b"\\ud800", b"null", b"true", b"-1", b"1.5", b"9" * 30),
]
EDITS = st.lists(
    st.tuples(st.integers(0, 10_000), st.integers(0, 8), st.sampled_from(PIECES)), min_size=1, max_size=4
)


@settings(fuzzed, max_examples=300)
@given(st.sampled_from(TARGETS), EDITS)
def test_files_with_something_put_in_or_left_out(
    folder: Path, target: tuple[str, int], edits: list[tuple[int, int, bytes]]
) -> None:
    content = bytearray((TASKS | DATA)[target[0]][target[1]].encode())
    for at, length, piece in edits:
        at %= len(content) + 1
        content[at : at + length] = piece
    spoil(target, bytes(content), folder)


ODD_TEXT = st.sampled_from(["", " ", "\0", "a\nb", "x" * 300, "一", "\u2028", "true", "1", "q1", "\x1b[31m"])
ODD_NUMBERS = st.sampled_from([0, 1, -1, 7, 10**30, -(10**30), 2**63, 1.5, -0.0, 1e300])
KEYS = st.sampled_from(
    [
        "id",
        "data",
        "text",
        "answers",
        "context",
        "qas",
        "article",
        "index",
        "answer_starts",
        "header",
        "file",
        "",
    ]
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), ODD_NUMBERS, ODD_TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=6,
)


@fuzzed
@given(st.sampled_from(JSON_TARGETS), VALUES)
def test_json_of_any_structure(folder: Path, target: tuple[str, int], value: Any) -> None:
    spoil(target, lines(value).encode(), folder)


def _paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _paths(value[key], (*at, key))


def _with(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    if not at:
        return new
    changed = value.copy()
    changed[at[0]] = _with(value[at[0]], at[1:], new)
    return changed


def _without(value: Any, at: tuple[Any, ...]) -> Any:
    changed = value.copy()
    if len(at) == 1:
        del changed[at[0]]
    else:
        changed[at[0]] = _without(value[at[0]], at[1:])
    return changed


@settings(fuzzed, max_examples=600)
@given(st.sampled_from(JSON_TARGETS), st.data())
def test_json_with_one_value_that_is_wrong_or_missing(
    folder: Path, target: tuple[str, int], data: st.DataObject
) -> None:
    values = [json.loads(line) for line in (TASKS | DATA)[target[0]][target[1]].splitlines()]
    number = data.draw(st.integers(0, len(values) - 1))
    at = data.draw(st.sampled_from([*_paths(values[number])]))
    if at and data.draw(st.booleans()):
        values[number] = _without(values[number], at)
    else:
        values[number] = _with(values[number], at, data.draw(VALUES))
    spoil(target, lines(*values).encode(), folder)


@fuzzed
@given(
    st.one_of(
        st.binary(max_size=300), st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace"))
    )
)
def test_text_of_any_kind_is_prepared_or_refused(folder: Path, content: bytes) -> None:
    (folder / "text").write_bytes(content)
    survives(lambda: caveat.prepare_files([folder / "text"], folder / "out", drops=folder / "drops"))
