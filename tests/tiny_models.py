"""Models small enough to be made in a test: by construction, so that their answers are known, or random BERTs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from tokenizers import Tokenizer

    from caveat.models.card import Card

# What the tokenizer of the models made by hand knows as whole words; letters, digits and ASCII signs are known one by
# one.
WORDS = [
    *("color", "red", "blue", "green", "dark", "stop", "size", "ten", "perhaps", "name", "who"),
    *("is", "the", "of", "and", "dog", "cat", "city"),
    *"颜色是红蓝大小十的。？，",
]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
INPUTS = ("input_ids", "attention_mask", "token_type_ids")

Step = tuple[Any, ...]
"""An operator of ONNX, what goes into it, what comes out, and its attributes where it has some."""

_FLOAT, _INT64 = 1, 7  # of onnx.TensorProto
# A context's tokens that are words of the question, as 1 in `context_key`, [batch, length].
_KEY_STEPS: list[Step] = [
    # Which token is which other: [batch, token, other].
    ("Unsqueeze", ["input_ids", "two"], "rows"),
    ("Unsqueeze", ["input_ids", "one"], "columns"),
    ("Equal", ["rows", "columns"], "same"),
    # Others that count: words of the question.
    ("Equal", ["token_type_ids", "zero"], "first_segment"),
    ("Equal", ["attention_mask", "one"], "real"),
    ("Greater", ["input_ids", "four"], "word"),
    ("And", ["first_segment", "real"], "question"),
    ("And", ["question", "word"], "question_word"),
    ("Unsqueeze", ["question_word", "one"], "question_words"),
    ("And", ["same", "question_words"], "asked"),
    ("Cast", ["asked"], "asked_number", {"to": _FLOAT}),
    ("ReduceMax", ["asked_number"], "key", {"axes": [2], "keepdims": 0}),
    ("Cast", ["token_type_ids"], "context", {"to": _FLOAT}),
    ("Mul", ["key", "context"], "context_key"),
]
_KEY_ARRAYS = {"zero": [0], "one": [1], "two": [2], "four": [4]}


def tiny_card(**changes: Any) -> Card:
    """The card of a small reader, with these changes."""
    from caveat.models.card import Card

    usual: dict[str, Any] = {
        "name": "tiny",
        "task": "reader",
        "language": "mul",
        "encoder": "none",
        "licence": "CC0",
        "window": 48,
        "stride": 16,
        "max_question_tokens": 16,
    }
    return Card(**{**usual, **changes})


def in_pairs(tokenizer: Tokenizer, lower_case: bool = True) -> Tokenizer:
    """A tokenizer with BERT's normaliser and layout of question and text."""
    from tokenizers import normalizers, pre_tokenizers, processors

    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower_case)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")],
    )
    return tokenizer


def letters_tokenizer(text: str) -> Tokenizer:
    """A tokenizer of the single characters of a text."""
    letters = sorted(set(text.lower()) - {" "})
    return in_pairs(_word_pieces([*SPECIAL, *letters, *(f"##{letter}" for letter in letters)]))


def words_tokenizer(words: Iterable[str]) -> Tokenizer:
    """A tokenizer of whole words."""
    from tokenizers import Tokenizer, models

    vocabulary = {word: id for id, word in enumerate([*SPECIAL, *words])}
    return in_pairs(Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]")))


def _word_pieces(pieces: Iterable[str]) -> Tokenizer:
    from tokenizers import Tokenizer, models

    vocabulary = {piece: id for id, piece in enumerate(dict.fromkeys(pieces))}
    return Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))


def tiny_bert(vocabulary: int, *, seed: int, **changes: Any) -> Any:
    """A random BERT in torch."""
    import torch
    from transformers import BertModel

    torch.manual_seed(seed)
    return BertModel(bert_config(vocabulary, **changes), add_pooling_layer=False)


def bert_config(vocabulary: int, **changes: Any) -> Any:
    """The settings of a small BERT, with these changes."""
    from transformers import BertConfig

    usual = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 96,
    }
    return BertConfig(vocab_size=vocabulary, **{**usual, **changes})


def write_encoder(folder: Path, tokenizer: Tokenizer, *, seed: int, **changes: Any) -> Path:
    """A random BERT as transformers saves one."""
    import torch
    from transformers import BertModel

    torch.manual_seed(seed)
    BertModel(bert_config(tokenizer.get_vocab_size(), **changes)).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def disturb(network: Any) -> Any:
    """The network with random numbers added to its weights, so that no two of them are alike."""
    import torch

    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(0.2 * torch.randn_like(weight))
    return network


def write_reader(folder: Path) -> Path:
    """A model folder whose answers are known by construction, in English and Chinese, without any training.

    A token right after one that is also in the question gets 10 as start and as end; "stop" gets 15 more as end,
    "perhaps" 3 less as start; no answer has 8. So the question "color" on "color red" is answered "red" with
    log-odds 12, on "color dark red stop" it is answered with the three words and 17, and "size" not at all (-8).
    """
    vocabulary = _begin_folder(folder)
    outputs = {f"{end}_logits": ["batch", "length"] for end in ("start", "end")}
    _write_graph(folder, _READER_STEPS, INPUTS, outputs, _reader_arrays(vocabulary))
    return _end_folder(folder, licence="Apache-2.0", max_answer_tokens=6, lower_case=True, temperature=4.0)


# After those: a token one to the right of such a one has 10 in `value`.
_READER_STEPS: list[Step] = [
    *_KEY_STEPS,
    ("Slice", ["context_key", "zero", "minus_one", "one"], "cut"),
    ("Pad", ["cut", "left"], "shifted"),
    ("Mul", ["shifted", "ten"], "value"),
    ("Gather", ["start_table", "input_ids"], "start_bias"),
    ("Gather", ["end_table", "input_ids"], "end_bias"),
    ("Add", ["value", "start_bias"], "start_logits"),
    ("Add", ["value", "end_bias"], "end_logits"),
]


def _reader_arrays(vocabulary: dict[str, int]) -> dict[str, Any]:
    import numpy as np

    tables = {name: np.zeros(len(vocabulary), dtype=np.float32) for name in ("start", "end")}
    for name in tables:
        tables[name][vocabulary["[CLS]"]] = 4
    tables["end"][vocabulary["stop"]] = 15
    tables["start"][vocabulary["perhaps"]] = -3
    return {
        "start_table": tables["start"],
        "end_table": tables["end"],
        **_key_arrays(),
        "minus_one": np.array([-1]),
        "ten": np.array([10], dtype=np.float32),
        "left": np.array([0, 1, 0, 0]),
    }


def write_joint(folder: Path) -> Path:
    """A joint reader whose answers are known by construction, with weights of its decision.

    Its spans are those of the small reader. A context's token that is also in the question is evidence, and one right
    after such a token is in an answer, with log-odds 5; all others have -5. Where a context has a word of the question,
    the kind "span" has 10, "list" 12 if the context has "and", and "yes" 14 if the question has "is", or "no" if the
    context has "not" as well; they have 0 elsewhere, and "none" has 5 always. Its decision goes by these kinds.
    """
    import json

    import numpy as np

    vocabulary = _begin_folder(folder, [*WORDS, "not"])
    tables = {word: np.zeros(len(vocabulary), dtype=np.float32) for word in ("and", "is", "not")}
    for word, table in tables.items():
        table[vocabulary[word]] = 1
    arrays: dict[str, Any] = {
        **_reader_arrays(vocabulary),
        **{f"{word}_table": table for word, table in tables.items()},
        **{name: np.array([value], np.float32) for name, value in _JOINT_NUMBERS.items()},
    }
    outputs: dict[str, list[str]] = {
        f"{name}_logits": ["batch", "length"] for name in ("start", "end", "evidence", "answer")
    }
    outputs |= {f"{name}_logits": ["batch"] for name in ("span", "list", "yes", "no", "none")}
    _write_graph(folder, [*_READER_STEPS, *_JOINT_STEPS], INPUTS, outputs, arrays)
    weights = {
        "span: here": 1.0,
        "span: score": 1.0,
        "list: here": 1.0,
        "list: marked": 1.0,
        # Of the ways to find a list, those of the page come first, as in a fitted decision.
        **dict.fromkeys(("list: parted", "list: enumerated", "list: whole items", "list: in a span"), -2.0),
        "yes: surest": 1.0,
        "no: surest": 1.0,
        "none: surest": 1.0,
        "missed": -8.0,
    }
    decision = {"about": {"reader": "tiny-joint"}, "weights": weights, "asked": {"is": 0.5, "the": 0.5}}
    (folder / "decision.json").write_text(json.dumps(decision), encoding="utf-8")
    changes = {"licence": "Apache-2.0", "max_answer_tokens": 6, "lower_case": True, "temperature": 4.0}
    return _end_folder(folder, name="tiny-joint", task="joint", **changes)


_JOINT_NUMBERS = {"nothing": 0, "all_of_it": 1, "five": 5, "twelve": 12, "fourteen": 14}
_FIRST = {"axes": [1], "keepdims": 0}
_JOINT_STEPS: list[Step] = [
    ("Mul", ["context_key", "ten"], "shared"),
    ("Sub", ["shared", "five"], "evidence_logits"),
    ("Sub", ["value", "five"], "answer_logits"),
    # Whether the context has a word of the question, "and", "not", and the question "is": [batch] each.
    ("ReduceMax", ["context_key"], "found", _FIRST),
    ("Gather", ["and_table", "input_ids"], "all_and"),
    ("Mul", ["all_and", "context"], "context_and"),
    ("ReduceMax", ["context_and"], "enumerates", _FIRST),
    ("Gather", ["not_table", "input_ids"], "all_not"),
    ("Mul", ["all_not", "context"], "context_not"),
    ("ReduceMax", ["context_not"], "denies", _FIRST),
    ("Sub", ["all_of_it", "context"], "before"),
    ("Gather", ["is_table", "input_ids"], "all_is"),
    ("Mul", ["all_is", "before"], "question_is"),
    ("ReduceMax", ["question_is"], "asks", _FIRST),
    ("Mul", ["found", "ten"], "span_logits"),
    ("Mul", ["found", "enumerates"], "several"),
    ("Mul", ["several", "twelve"], "list_logits"),
    ("Mul", ["found", "asks"], "whether"),
    ("Mul", ["whether", "denies"], "denied"),
    ("Sub", ["whether", "denied"], "affirmed"),
    ("Mul", ["affirmed", "fourteen"], "yes_logits"),
    ("Mul", ["denied", "fourteen"], "no_logits"),
    ("Mul", ["found", "nothing"], "zeros"),
    ("Add", ["zeros", "five"], "none_logits"),
]


def write_ranker(folder: Path) -> Path:
    """A ranker whose scores are known: the number of a candidate's tokens that are words of the question, less 2."""
    import numpy as np

    _begin_folder(folder)
    steps: list[Step] = [
        *_KEY_STEPS,
        ("ReduceSum", ["context_key", "one"], "shared", {"keepdims": 0}),
        ("Sub", ["shared", "less"], "rank_logits"),
    ]
    arrays = {**_key_arrays(), "less": np.array([2], np.float32)}
    _write_graph(folder, steps, INPUTS, {"rank_logits": ["batch"]}, arrays)
    changes = {"licence": "Apache-2.0", "window": 32, "stride": 12, "max_question_tokens": 12, "null": "none"}
    return _end_folder(folder, name="tiny-ranker", task="ranker", **changes)


def write_tagger(
    folder: Path, layers: Sequence[Sequence[str]], tags: Mapping[str, Sequence[str]], **changes: Any
) -> Path:
    """A tagger with known spans: `tags` says for a word what it is, whatever the question.

    A tag is "B" or "I", a hyphen and a kind; a word may have one in each layer. Its column gets 10, every other 0,
    and O 5, so that an I alone is nothing.
    """
    import numpy as np

    vocabulary = _begin_folder(folder)
    columns = [
        tag for kinds in layers for tag in ("O", *(f"{letter}-{kind}" for kind in kinds for letter in "BI"))
    ]
    table = np.zeros((len(vocabulary), len(columns)), dtype=np.float32)
    table[:, [column for column, tag in enumerate(columns) if tag == "O"]] = 5
    for word, wanted in tags.items():
        table[vocabulary[word], [columns.index(tag) for tag in wanted]] = 10
    outputs = {"tag_logits": ["batch", "length", len(columns)]}
    _write_graph(
        folder, [("Gather", ["table", "input_ids"], "tag_logits")], INPUTS[:2], outputs, {"table": table}
    )
    card = {"licence": "Apache-2.0", "layers": tuple(map(tuple, layers)), **changes}
    return _end_folder(folder, name=folder.name, task="structure", **card)


def _begin_folder(folder: Path, words: Sequence[str] = WORDS) -> dict[str, int]:
    """A folder with the tokenizer of the words; its vocabulary."""
    folder.mkdir()
    letters = [chr(code) for code in range(33, 127) if not chr(code).isupper()]
    pieces = [*SPECIAL, "[MASK]", *letters, *(f"##{letter}" for letter in letters), *words]
    tokenizer = in_pairs(_word_pieces(pieces))
    tokenizer.add_special_tokens([*SPECIAL, "[MASK]"])
    tokenizer.save(str(folder / "tokenizer.json"))
    return {piece: id for id, piece in enumerate(dict.fromkeys(pieces))}


def _end_folder(folder: Path, **card: Any) -> Path:
    from caveat.models.card import write_card

    write_card(folder, tiny_card(**card))
    return folder


def _key_arrays() -> dict[str, Any]:
    import numpy as np

    return {name: np.array(values) for name, values in _KEY_ARRAYS.items()}


def _write_graph(
    folder: Path,
    steps: Iterable[Step],
    inputs: Iterable[str],
    outputs: Mapping[str, Sequence[str | int]],
    arrays: Mapping[str, np.ndarray[Any, Any]],
) -> None:
    import onnx
    from onnx import helper, numpy_helper

    graph = helper.make_graph(
        [
            helper.make_node(operator, taken, [given], **dict(*more))
            for operator, taken, given, *more in steps
        ],
        "tiny",
        [helper.make_tensor_value_info(name, _INT64, ["batch", "length"]) for name in inputs],
        [helper.make_tensor_value_info(name, _FLOAT, shape) for name, shape in outputs.items()],
        [numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, str(folder / "model.onnx"))
