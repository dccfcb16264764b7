"""Undo and redo beside what every editor does, over any sequence of steps; and nothing is ever overwritten."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.annotation.project import NothingToDoError, Project
from caveat.annotation.records import Sample, Work


class _Editor:
    """Two stacks, as textbooks have it."""

    def __init__(self) -> None:
        self.shown: str | None = None
        self.before: list[str | None] = []
        self.after: list[str | None] = []

    def save(self, note: str) -> None:
        self.before.append(self.shown)
        self.shown = note
        self.after.clear()

    def undo(self) -> bool:
        if self.before:
            self.after.append(self.shown)
            self.shown = self.before.pop()
            return True
        return False

    def redo(self) -> bool:
        if self.after:
            self.before.append(self.shown)
            self.shown = self.after.pop()
            return True
        return False


@settings(max_examples=30, deadline=None)
@given(steps=st.lists(st.sampled_from(["save", "save", "undo", "redo"]), max_size=14))
def test_it_undoes_as_an_editor_does(steps: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "p.sqlite")
        with Project.new(path, "multispan", [Sample("s", "Roses.", question="What?")]) as project:
            project.add_annotator("Ada")
            project.queue("Ada")
            _compare(project, steps)


def _compare(project: Project, steps: list[str]) -> None:
    editor, version, kept = _Editor(), 0, 0
    for number, step in enumerate(steps):
        if step == "save":
            editor.save(str(number))
            work = Work("What?", note=str(number))
            saved = project.save("s", "Ada", "annotate", work, version=version, request=str(number))
        else:
            possible = editor.undo() if step == "undo" else editor.redo()
            try:
                saved = getattr(project, step)("s", "Ada", "annotate", version=version)
            except NothingToDoError:
                assert not possible
                continue
            assert possible
        version += 1
        kept += 1
        assert saved.version == version
        assert (saved.work.note if saved.work else None) == editor.shown
        assert len(project.decisions()) == kept
