from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from caveat.benchmarks.shared.count_tables import Histogram, Tables, histogram
from caveat.core.errors import CaveatError
from caveat.render import plot as plotting
from caveat.render.plot import Lettering, choose_lettering, plot

pytest.importorskip("matplotlib")

TABLES = Tables(
    "cmqa",
    {"samples": 7},
    histograms=(
        histogram("Contexts by length", "characters", [*range(40), 500]),
        histogram("Answers", "spans", [1, 1, 2]),
        Histogram(
            "Predicates",
            "",
            {"作者": 3, "$5 to $6": 2, "a name that is far too long for the margin of a panel": 1},
        ),
        Histogram("Nothing", "tokens", {}),
        Histogram("Many", "", {f"kind {number}": number + 1 for number in range(30)}),
    ),
)


def png_size(data: bytes) -> tuple[int, int]:
    """Width and height, after every chunk's checksum was found right and the image data whole."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, kinds, pixels = 8, [], b""
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body)
        kinds.append(kind)
        pixels += body if kind == b"IDAT" else b""
        at += 12 + length
    assert kinds[0] == b"IHDR"
    assert kinds[-1] == b"IEND"
    width, height = struct.unpack(">II", data[16:24])
    assert len(zlib.decompress(pixels)) == height * (1 + 4 * width)  # RGBA, a filter byte a row
    return width, height


def test_png_is_a_whole_image_of_a_readable_size(tmp_path: Path) -> None:
    had_pyplot = "matplotlib.pyplot" in sys.modules
    plot(TABLES, tmp_path / "data.png")
    width, height = png_size((tmp_path / "data.png").read_bytes())
    assert width == 1680  # two panels of 5.6 inches at 150 dots
    assert height > 3 * 450
    assert [path.name for path in tmp_path.iterdir()] == ["data.png"]
    assert ("matplotlib.pyplot" in sys.modules) == had_pyplot


def test_svg_and_pdf(tmp_path: Path) -> None:
    plot(TABLES, tmp_path / "data.svg")
    plot(TABLES, str(tmp_path / "data.PDF"))
    assert ElementTree.parse(tmp_path / "data.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"
    pdf = (tmp_path / "data.PDF").read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_same_data_gives_the_same_bytes(tmp_path: Path, ending: str) -> None:
    small = Tables("squad", {}, histograms=(histogram("Answers", "tokens", [1, 2, 2]),))
    plot(small, tmp_path / f"first.{ending}")
    plot(small, tmp_path / f"second.{ending}")
    assert (tmp_path / f"first.{ending}").read_bytes() == (tmp_path / f"second.{ending}").read_bytes()


@pytest.mark.parametrize("name", ["data.jpg", "data", "data.png.gz", "-"])
def test_another_ending_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CaveatError, match=r"\.png, \.svg or \.pdf"):
        plot(TABLES, name if name == "-" else tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_nothing_to_draw(tmp_path: Path) -> None:
    with pytest.raises(CaveatError, match="nothing to draw for squad"):
        plot(Tables("squad", {}), tmp_path / "data.png")


def test_without_matplotlib_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(CaveatError, match="needs matplotlib, of the extra `plot`"):
        plot(TABLES, tmp_path / "data.png")
    assert not list(tmp_path.iterdir())


def test_a_failure_while_drawing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    def broken(self: Figure, out: object, **options: object) -> None:
        out.write(b"\x89PNG half of")  # type: ignore[attr-defined]
        raise RuntimeError("no memory")

    monkeypatch.setattr(Figure, "savefig", broken)
    (tmp_path / "data.png").write_bytes(b"old")
    with pytest.raises(RuntimeError):
        plot(TABLES, tmp_path / "data.png")
    assert [path.name for path in tmp_path.iterdir()] == ["data.png"]
    assert (tmp_path / "data.png").read_bytes() == b"old"


def test_a_failure_while_writing_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("caveat.core.files.os.replace", full)
    with pytest.raises(CaveatError, match="no space left"):
        plot(TABLES, tmp_path / "data.png")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(CaveatError, match="cannot be written"):
        plot(TABLES, tmp_path / "no" / "data.png")


def test_settings_of_the_user_come_back(tmp_path: Path) -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    plot(TABLES, tmp_path / "data.svg")
    assert dict(matplotlib.rcParams) == before


def test_what_no_font_has_is_escaped() -> None:
    letters = Lettering(("Any",), frozenset(map(ord, "abc ")))
    assert letters.legible("a\n 作\tb") == "a \\u4f5c b"
    assert letters.legible("😀") == "\\U0001f600"


@pytest.fixture
def fonts(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Three installed fonts and their characters, none of them of this machine."""
    from matplotlib.font_manager import fontManager

    has = {"DejaVu Sans": "abc", "SimHei": "作者", "SimSun": "作者们"}
    monkeypatch.setattr(plotting, "_characters", lambda family: frozenset(map(ord, has[family])))
    monkeypatch.setattr(fontManager, "ttflist", [SimpleNamespace(name=name) for name in has])
    return has


def test_a_chinese_font_is_chosen_only_where_it_is_needed(fonts: dict[str, str]) -> None:
    assert choose_lettering(["a b", "c\n"]).families == ("DejaVu Sans",)
    chosen = choose_lettering(["a", "作者"])
    assert chosen.families == ("DejaVu Sans", "SimHei")
    assert chosen.legible("作者a") == "作者a"


def test_a_font_that_would_not_help_is_not_chosen(fonts: dict[str, str]) -> None:
    fonts["SimHei"] = "x"
    assert choose_lettering(["们"]).families == ("DejaVu Sans", "SimSun")
    assert choose_lettering(["ж"]).families == ("DejaVu Sans",)
