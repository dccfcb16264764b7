"""A tiny random BERT with a tokenizer of single characters, and a data file to train it on."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Short facts, each with a question of its own.
FACTS = [
    ("蓝山镇的集市在每周三举行，由周明组织。", [("集市在周几举行？", "周三"), ("谁组织集市？", "周明")]),
    ("渡船每天早上七点离开北岸，票价三元。", [("渡船几点离开？", "早上七点"), ("票价多少？", "三元")]),
    ("The mill was built in 1820 by Ada Finch.", [("When was the mill built?", "1820")]),
    ("The bakery opens at six and closes at noon.", [("When does it close?", "noon")]),
]


def squad_layout(facts: list[tuple[str, list[tuple[str, str]]]]) -> dict[str, object]:
    """Facts in SQuAD's layout; an empty answer makes an unanswerable question."""
    return {
        "data": [
            {
                "paragraphs": [
                    {
                        "context": text,
                        "qas": [
                            {
                                "id": f"{number}-{index}",
                                "question": question,
                                "answers": [{"text": answer, "answer_start": text.index(answer)}]
                                if answer
                                else [],
                            }
                            for index, (question, answer) in enumerate(pairs)
                        ],
                    }
                ]
            }
            for number, (text, pairs) in enumerate(facts)
        ]
    }


@pytest.fixture(scope="session")
def data_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The facts as a file."""
    path = tmp_path_factory.mktemp("data") / "facts.json"
    path.write_text(json.dumps(squad_layout(FACTS), ensure_ascii=False), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """BERT's normaliser and layout over a vocabulary of single characters."""
    tokenizers = pytest.importorskip("tokenizers")
    text = "".join(context + question for context, pairs in FACTS for question, _ in pairs)
    letters = sorted(set(text.lower()) - {" "})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{letter}" for letter in letters)]
    made = tokenizers.Tokenizer(
        tokenizers.models.WordPiece({piece: id for id, piece in enumerate(vocabulary)}, unk_token="[UNK]")
    )
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return made


@pytest.fixture(scope="session")
def encoder_folder(tmp_path_factory: pytest.TempPathFactory, tokenizer: Tokenizer) -> Path:
    """A folder as transformers saves one."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=96,
    )
    folder = tmp_path_factory.mktemp("encoder")
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture
def handlers() -> Iterator[None]:
    """The signal handlers, which `caveat train` replaces, put back afterwards."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)
