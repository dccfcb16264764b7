"""The lines of earlier conversations, in the user's state folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from prompt_toolkit.history import History

VARIABLE = "CAVEAT_HISTORY"
_OFF = frozenset(("off", "0", "no", "false"))
# So many lines are kept; the file may have twice as many until a conversation begins.
MOST = 1_000
# What people ask about themselves is nobody else's.
_PRIVATE, _PRIVATE_FOLDER = 0o600, 0o700


def history_file() -> Path | None:
    """Where lines are kept: the file that `CAVEAT_HISTORY` names, none if it is off, else `caveat/history` in the
    state folder of the XDG specification."""
    given = os.environ.get(VARIABLE, "")
    if given.casefold() in _OFF:
        return None
    if given:
        return Path(given).expanduser()
    state = os.environ.get("XDG_STATE_HOME", "")
    # A path that is not absolute is to be ignored, says the specification.
    folder = Path(state) if os.path.isabs(state) else Path("~/.local/state").expanduser()
    return folder / "caveat" / "history"


class LinesOfEarlier(History):
    """A line a question, the last ones kept; a file that cannot be read or written is none, and no error."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__()

    def load_history_strings(self) -> Iterable[str]:
        """The lines, the last first."""
        try:
            lines = self.path.read_text("utf-8", errors="replace").splitlines()
        except OSError:
            return []
        if len(lines) > 2 * MOST:
            with suppress(OSError):
                self._keep(lines[-MOST:])
        return reversed(lines[-MOST:])

    def store_string(self, string: str) -> None:
        """Add a line; as in a shell one that begins with a blank is not kept."""
        if string.startswith(" "):
            return
        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER)
            with open(self._opened(self.path, os.O_APPEND), "a", encoding="utf-8") as file:
                file.write(" ".join(string.split()) + "\n")

    def _keep(self, lines: Iterable[str]) -> None:
        new = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        with open(self._opened(new, os.O_TRUNC), "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        os.replace(new, self.path)

    @staticmethod
    def _opened(path: Path, flag: int) -> int:
        return os.open(path, os.O_WRONLY | os.O_CREAT | flag, _PRIVATE)
