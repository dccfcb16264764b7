"""Random checkpoints of transformers, small enough to be made in a test: eight architectures, four kinds of head."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat.training.kinds.reader.figures import PROBES

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PAIRS = [pair for probes in PROBES.values() for pair in probes]
SHAPES = ["bert", "electra", "albert", "roberta", "xlm-r", "deberta", "deberta-v2", "xlnet"]
# Those whose networks tell the two texts apart by segments as well.
SEGMENTED = ("bert", "electra", "albert", "xlnet")
SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    # Logits of a fresh model are all but equal; these are not.
    "initializer_range": 0.3,
}
_BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
_ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
_XLNET = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>"]


def checkpoint_tokenizer(shape: str) -> Tokenizer:
    """WordPiece, byte-level BPE or Unigram with the special tokens and the layout of its architecture."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    special = _ROBERTA if shape in ("roberta", "xlm-r") else _XLNET if shape == "xlnet" else _BERT
    if shape in ("bert", "electra"):
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer: Any = trainers.WordPieceTrainer(vocab_size=300, special_tokens=special, show_progress=False)
    elif shape in ("roberta", "deberta"):
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(
            vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False
        )
    else:
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        unknown = next(token for token in special if "unk" in token.lower())
        trainer = trainers.UnigramTrainer(
            vocab_size=300, special_tokens=special, unk_token=unknown, show_progress=False
        )
    tokenizer.train_from_iterator([text for pair in PAIRS for text in pair], trainer)
    single, pair = {
        "roberta": ("<s> $A </s>", "<s> $A </s> </s> $B </s>"),
        "xlm-r": ("<s> $A </s>", "<s> $A </s> </s> $B </s>"),
        "xlnet": ("$A <sep> <cls>:2", "$A <sep> $B:1 <sep>:1 <cls>:2"),
    }.get(shape, ("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1"))
    names = sorted({piece.split(":")[0] for piece in pair.split() if not piece.startswith("$")})
    tokenizer.post_processor = processors.TemplateProcessing(
        single=single, pair=pair, special_tokens=[(name, tokenizer.token_to_id(name)) for name in names]
    )
    return tokenizer


def checkpoint_config(shape: str, words: int, **changes: Any) -> Any:
    """The configuration of a small network of an architecture."""
    import transformers

    sizes = {**SIZES, "vocab_size": words, "max_position_embeddings": 128, **changes}
    if shape == "bert":
        return transformers.BertConfig(**sizes)
    if shape == "electra":
        return transformers.ElectraConfig(embedding_size=16, **sizes)
    if shape == "albert":
        return transformers.AlbertConfig(embedding_size=16, num_hidden_groups=1, **sizes)
    if shape in ("roberta", "xlm-r"):
        made = transformers.RobertaConfig if shape == "roberta" else transformers.XLMRobertaConfig
        return made(**{**sizes, "max_position_embeddings": 130, "type_vocab_size": 1, "pad_token_id": 1})
    if shape == "deberta":
        return transformers.DebertaConfig(
            type_vocab_size=0,
            relative_attention=True,
            pos_att_type=["c2p", "p2c"],
            position_biased_input=False,
            **sizes,
        )
    if shape == "deberta-v2":
        return transformers.DebertaV2Config(
            type_vocab_size=0,
            relative_attention=True,
            max_relative_positions=-1,
            position_buckets=16,
            pos_att_type=["p2c", "c2p"],
            norm_rel_ebd="layer_norm",
            share_att_key=True,
            position_biased_input=False,
            **sizes,
        )
    return transformers.XLNetConfig(
        vocab_size=words, d_model=32, n_layer=2, n_head=2, d_inner=64, initializer_range=0.3, **changes
    )


def write_checkpoint(folder: Path, shape: str, auto: str, **changes: Any) -> Path:
    """A random checkpoint as transformers saves one, with its tokenizer; `auto` is a class of transformers."""
    import torch
    import transformers

    torch.manual_seed(7)
    tokenizer = checkpoint_tokenizer(shape)
    config = checkpoint_config(shape, tokenizer.get_vocab_size(), **changes)
    transformers.utils.logging.disable_progress_bar()
    getattr(transformers, auto).from_config(config).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder
