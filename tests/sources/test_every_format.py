"""A folder with a file of every kind: all of them are read, said to be missing an extra, and asked."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path
from shutil import copy
from zipfile import ZipFile

import pytest

import caveat
from caveat.sources.gather import gather
from caveat.sources.kinds import KINDS, kind_by_ending

SEEDS = Path(__file__).parents[1] / "fuzz" / "seeds"
DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c4944415408d763f8ffff3f0005fe02fe0def46b80000000049454e44ae426082"
)
ODS = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet>'
    '<table:table table:name="Oars">{}</table:table></office:spreadsheet></office:body></office:document-content>'
)


def sheet() -> bytes:
    rows = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p></table:table-cell>'
            for cell in row
        )
        + "</table:table-row>"
        for row in (("Oar", "Price"), ("Long", "40"), ("Short", "35"))
    )
    out = io.BytesIO()
    with ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", ODS.format(rows))
    return out.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One file of each kind."""
    for seed in SEEDS.iterdir():
        if kind_by_ending(seed) is not None or seed.suffix == ".kb":
            copy(seed, tmp_path)
    (tmp_path / "locker.mdx").write_text(
        "import A from 'a'\n\n# Lockers\n\n<Note>A locker costs 9 euros a year.</Note>\n"
    )
    (tmp_path / "lakes.tsv").write_text("Lake\tDepth\nHolm\t3\nSenn\t4\n")
    (tmp_path / "oars.ods").write_bytes(sheet())
    (tmp_path / "dot.png").write_bytes(DOT)
    return tmp_path


def test_a_file_of_every_kind_is_read(folder: Path) -> None:
    kinds = {kind.name for kind in map(kind_by_ending, folder.iterdir()) if kind is not None}
    assert {kind.name for kind in KINDS} - kinds == set()
    given = gather(folder)
    # The letter has a program attached.
    assert {Path(remark.source).name for remark in given.unread} == {"dot.png", "run.exe"}
    read = {Path(each.url).name for each in given.documents}
    read |= {Path(each.id.partition("#")[0]).name for each in given.tables}
    assert {path.name for path in folder.iterdir()} - read - {"facts.kb"} == {
        "dot.png",
        "guides.zip",
        "facts.kb",
        "facts.nt",
    }
    assert any("guides.zip" in each.url for each in given.documents)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("pypdfium2") is None, reason="reads a PDF")
def test_all_of_it_is_asked(folder: Path) -> None:
    reply = caveat.load().ask("How much does a locker cost?", folder, cache=False)
    assert "9 euros" in reply.answers[0].text
