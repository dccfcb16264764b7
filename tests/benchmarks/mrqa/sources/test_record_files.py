from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from caveat.benchmarks.mrqa.sources import is_collection, members
from caveat.core.errors import InputError
from caveat.core.limits import limits


def archive(path: Path, mode: str, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, mode) as out:  # type: ignore[call-overload]
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            out.addfile(entry, io.BytesIO(data))
    return path


def test_folder_in_the_order_of_numbers(tmp_path: Path) -> None:
    for name in ("10.txt", "9.txt", "b/1.txt", ".hidden", "a.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "2.txt.gz").write_bytes(gzip.compress(b"zipped"))
    found = list(members(tmp_path))
    assert [member.name for member in found] == ["2.txt.gz", "9.txt", "10.txt", "a.txt", "b/1.txt"]
    assert found[0].data == b"zipped"
    assert found[4].path == str(tmp_path / "b" / "1.txt")


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_archive_in_its_own_order(tmp_path: Path, mode: str) -> None:
    files = {"./x/10": b"ten", "x/9": b"nine", "x/.hidden": b"no"}
    path = archive(tmp_path / "data", mode, files)
    assert is_collection(path)
    found = list(members(path))
    assert [(member.name, member.data) for member in found] == [("x/10", b"ten"), ("x/9", b"nine")]
    assert found[0].path == f"{path}/x/10"


def test_single_file(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text("one")
    assert not is_collection(path)
    [member] = members(path)
    assert (member.name, member.path, member.data) == ("one.txt", str(path), b"one")


def test_bad_archives(tmp_path: Path) -> None:
    whole = archive(tmp_path / "data", "w", {"x": b"ten" * 1000}).read_bytes()
    cut = tmp_path / "cut"
    cut.write_bytes(whole[:1000])
    with pytest.raises(InputError, match="the archive is damaged"):
        list(members(cut))
    damaged = tmp_path / "damaged.gz"
    damaged.write_bytes(b"\x1f\x8b" + b"\x00" * 20)
    with pytest.raises(InputError, match="the gzip file is damaged"):
        list(members(damaged))
    binary = archive(tmp_path / "binary", "w", {"picture": b"\x89PNG\xff"})
    with pytest.raises(InputError, match="binary/picture: not UTF-8 text"):
        list(members(binary))


def test_a_member_that_is_too_large(tmp_path: Path) -> None:
    path = archive(tmp_path / "bomb.tar.gz", "w:gz", {"a.json": bytes(3 << 20)})
    with limits(data_bytes=1 << 20), pytest.raises(InputError, match=r"a\.json: holds more than 1,048,576 b"):
        list(members(path))
