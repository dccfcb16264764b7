"""`refresh.py` writes what an example prints, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PAGE = """Text.

```console
$ caveat --version
caveat 0.0.0
of long ago

$ caveat --version > version.txt

$ caveat text version.txt
```

<!-- not run -->
```console
$ caveat --version
caveat of another machine
```

```python
>>> numbers = [1, 2]
>>> numbers
[3]
>>> sum(
...     numbers
... )
3
```

Between.

```python
>>> print("one\\n\\ntwo")
three
```
"""


@pytest.mark.slow
def test_only_outputs_that_differ_are_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    command = [sys.executable, str(Path(__file__).with_name("refresh.py")), "page.md"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("page.md: 3 outputs changed\n", "")
    version = subprocess.run(
        [sys.executable, "-m", "caveat", "--version"], capture_output=True, text=True, check=True
    ).stdout
    assert page.read_text() == (
        PAGE.replace("caveat 0.0.0\nof long ago\n", version)
        .replace("[3]", "[1, 2]")
        .replace("three", "one\n<BLANKLINE>\ntwo")
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout == "page.md: 0 outputs changed\n"


def test_a_page_whose_example_breaks_off_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> 1 + 1\n3\n>>> 1 / 0\n2\n```\n")
    command = [sys.executable, str(Path(__file__).with_name("refresh.py")), "page.md"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "page.md, line 4: 1 / 0\nZeroDivisionError: division by zero\n"
    assert "3" in page.read_text()
