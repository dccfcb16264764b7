"""What keeps a library: a folder, or servers. The verbs of a library are the same for both."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Protocol

from caveat.core.records import Remark
from caveat.library.catalogue import File
from caveat.library.state import State
from caveat.library.writing import Writing

__all__ = ["Store"]


class Store(Protocol):
    """Where a library is kept."""

    @property
    def where(self) -> str:
        """The folder or address, for messages."""
        ...

    def open(self) -> None:
        """Check that there is a library."""
        ...

    def create(self) -> None:
        """Make an empty one where there is none."""
        ...

    def state(self) -> State:
        """What is there to be read."""
        ...

    def writing(self) -> AbstractContextManager[Writing]:
        """Work on what is there."""
        ...

    def files(self) -> Iterable[File]:
        """All files, and what each gave."""
        ...

    def owns(self, path: str) -> bool:
        """Whether a file is the library's own."""
        ...

    def verify(self) -> Iterable[Remark]:
        """What is damaged."""
        ...
