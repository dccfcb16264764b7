"""A tiny random BERT with a tokenizer of single characters, data to train it on, and runs that learn it by heart."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tiny_models import letters_tokenizer, write_encoder

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from caveat.models.card import Card

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
    pytest.importorskip("tokenizers")
    return letters_tokenizer("".join(context + question for context, pairs in FACTS for question, _ in pairs))


@pytest.fixture(scope="session")
def encoder_folder(tmp_path_factory: pytest.TempPathFactory, tokenizer: Tokenizer) -> Path:
    """A folder as transformers saves one."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    return write_encoder(tmp_path_factory.mktemp("encoder"), tokenizer, seed=3)


@pytest.fixture(scope="session")
def joint_model(tmp_path_factory: pytest.TempPathFactory, encoder_folder: Path) -> Path:
    """The model folder of an untrained joint reader on the tiny encoder, in float32, with weights of a decision."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from caveat.models.card import Card
    from caveat.models.session import JOINT_OUTPUTS
    from caveat.training.export import export_network
    from caveat.training.kinds.joint.export import JointOutputs
    from caveat.training.kinds.joint.network import new_joint

    torch.manual_seed(5)
    network, tokenizer = new_joint(str(encoder_folder))
    for parameter in network.parameters():
        if parameter.ndim == 1:  # fresh biases and gains are all alike
            torch.nn.init.normal_(parameter, mean=0.5, std=0.1)
    folder = tmp_path_factory.mktemp("joint")
    card = Card(
        name="small-joint",
        task="joint",
        language="en",
        encoder="small",
        licence="none",
        window=80,
        stride=32,
        max_question_tokens=24,
        temperature=1.7,
    )
    export_network(JointOutputs(network), JOINT_OUTPUTS, tokenizer, folder, card, precision="fp32")
    torch.save(network.state_dict(), folder / "torch.pt")
    decision = {"about": {}, "weights": {"none: surest": 1.0}, "asked": {}}
    (folder / "decision.json").write_text(json.dumps(decision))
    return folder


@pytest.fixture
def handlers() -> Iterator[None]:
    """The signal handlers, which `caveat train` replaces, put back afterwards."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


# What the recipes of the tests share: of runs of a few steps, every one of which is logged …
SHORT: dict[str, Any] = {
    "learning_rate": 2e-3,
    "ema": 0.9,
    "freeze_embeddings": True,
    "log_every": 1,
    "threads": 1,
}
# … and of runs that know their samples in the end.
BY_HEART: dict[str, Any] = {"learning_rate": 3e-3, "dropout": 0.0, "attention_dropout": 0.0, "ema": 0.5}


@pytest.fixture(scope="session")
def short(encoder_folder: Path) -> dict[str, Any]:
    """Settings of a run of a few steps with the tiny encoder."""
    return {"encoder": str(encoder_folder), **SHORT}


@pytest.fixture(scope="session")
def thorough() -> dict[str, Any]:
    """Settings of a run that learns a few samples by heart."""
    return dict(BY_HEART)


@pytest.fixture(scope="module")
def run(by_heart: Any, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run by a module's recipe `by_heart`, on its data in `root`."""
    from caveat.training.loop import train_in_steps

    folder = tmp_path_factory.mktemp("run")
    train_in_steps(by_heart, folder, data_root=root)
    return folder


@pytest.fixture(scope="module")
def cards(by_heart: Any, run: Path, root: Path) -> dict[str, Card]:
    """The cards of that run's model folders, by precision."""
    from caveat.training.train import export_run

    return export_run(by_heart, run, run, data_root=root, threads=1)


@pytest.fixture
def without_pace() -> Callable[[Path], list[dict[str, Any]]]:
    """The log of a run's folder, but for how fast it went."""
    from caveat.training import log

    def read(folder: Path) -> list[dict[str, Any]]:
        entries = log.read(folder / "log.jsonl")
        return [
            {
                key: value
                for key, value in entry.items()
                if key not in ("windows_per_second", "processor_seconds")
            }
            for entry in entries
        ]

    return read


@pytest.fixture
def check_resumed(
    tmp_path: Path, without_pace: Callable[[Path], list[dict[str, Any]]]
) -> Callable[[Any, Path, Sequence[int]], Path]:
    """Checks that a run which is stopped at some steps ends as one that is not, and gives the folder of the latter."""
    torch = pytest.importorskip("torch")

    from caveat.training.loop import train_in_steps
    from caveat.training.networks import weights_of

    def check(recipe: Any, root: Path, stops: Sequence[int]) -> Path:
        straight, resumed = tmp_path / "straight", tmp_path / "resumed"
        train_in_steps(recipe, straight, data_root=root)
        for at in stops:
            stopped = train_in_steps(recipe, resumed, data_root=root, stop=lambda step, at=at: step >= at)
            assert stopped is None
            torch.manual_seed(99)  # what happens in between must not matter
        train_in_steps(recipe, resumed, data_root=root)
        first, second = weights_of(straight), weights_of(resumed)
        assert first.keys() == second.keys()
        assert all(torch.equal(first[name], second[name]) for name in first)
        assert without_pace(straight) == without_pace(resumed)
        return resumed

    return check
