"""What requests to the API hold, and the replies that hold more than the command's; every record is its own JSON."""

from __future__ import annotations

from typing import Literal

import msgspec

from caveat.core.answers import Condition, Triple
from caveat.core.languages import Language, check_language
from caveat.core.records import Document, Table
from caveat.render.tree import ReplyWithTree


class InlineSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A source in a request: the text of a file, its bytes in base 64, or a table. Its name is a name, never a path.

    The ending of the name tells of what kind it is (`fees.csv`, `rules.md`, `zoo.kb`), else the content.
    """

    name: str = ""
    text: str | None = None
    base64: str | None = None
    table: Table | None = None


class AskBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A question, and what it is asked of: the sources in the request, else the library.

    With `library` both are asked; where it is a list of names, only these of the library's sources. `before` is the
    question that this one may go on from. Where `documents` is true, the reply has the texts and tables that its places
    point into, and its tree.
    """

    question: str
    scenario: str = ""
    language: Language | None = None
    top: int = 5
    flat: bool = False
    sources: tuple[InlineSource, ...] = ()
    library: bool | tuple[str, ...] | None = None
    before: str = ""
    documents: bool = False

    def __post_init__(self) -> None:
        if self.language is not None:
            check_language(self.language)


class SearchBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Words, and where they are searched for, as a question is asked."""

    words: str
    top: int = 10
    sources: tuple[InlineSource, ...] = ()
    library: bool | tuple[str, ...] | None = None


class FollowUp(msgspec.Struct, frozen=True, omit_defaults=True):
    """The whole question that was meant, and what its words tell of the asker; `keeps` where they tell nothing else."""

    question: str
    told: str = ""
    keeps: bool = False


class ShownReply(ReplyWithTree, frozen=True, omit_defaults=True):
    """A reply with its tree, and the documents and tables that its answers stand in, by the names in its places."""

    documents: dict[str, Document] = msgspec.field(default_factory=dict)
    tables: dict[str, Table] = msgspec.field(default_factory=dict)
    follow_up: FollowUp | None = None


class ShownBase(msgspec.Struct, frozen=True, tag="knowledge", omit_defaults=True):
    """Triples of the library: the first of them."""

    path: str
    facts: tuple[Triple, ...] = ()


class SettleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A reply, one of its open conditions or the question that it asks, and the asker's answer.

    Where the reply has its tree, so has what is left of it.
    """

    reply: ReplyWithTree
    condition: Condition | str
    answer: bool


class EvalBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The contents of a gold file and a prediction file, and the options of `caveat eval`.

    With `details` the figures of each question come too.
    """

    gold: str
    pred: str
    official: bool = False
    first: int | None = None
    na_prob: str | None = None
    na_threshold: float = 1.0
    skip_no_answer: bool = False
    details: bool = False


class Health(msgspec.Struct, frozen=True, omit_defaults=True):
    """That the server is there, its version, and whether it has a library, which may last until it stops.

    `limits` are those that a client meets first.
    """

    status: Literal["ok"]
    version: str
    library: bool
    lasts: bool = True
    limits: dict[str, int] = {}


class Fault(msgspec.Struct, frozen=True):
    """What could not be done, in a sentence."""

    error: str
