from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from caveat.sources.gather import gather
from caveat.sources.markdown import read_markdown

Shown = list[tuple[str, str]]


def shown(text: str, *, mdx: bool = False) -> Shown:
    return [(element.tag, element.text) for element in read_markdown(text, mdx=mdx).document.elements]


def test_title_and_description_of_the_front_matter() -> None:
    text = "---\ntitle: 'Dogs: the rules'\ndescription: >-\n  Where they\n  may go.\ntags:\n  - a: b\n---\nText.\n"
    read = read_markdown(text)
    assert read.document.title == "Dogs: the rules"
    assert shown(text) == [("p", "Where they may go."), ("p", "Text.")]
    toml = '+++\ntitle = "Dogs"\nsummary = "Rules."\n[menu]\nweight = 3\n+++\nText.\n'
    assert shown(toml) == [("p", "Rules."), ("p", "Text.")]
    # What the text says already is not said again.
    assert shown("---\ndescription: Text.\n---\nText.\n") == [("p", "Text.")]


def test_text_between_two_rules_is_no_front_matter() -> None:
    assert shown("---\n\nOpen every day\n\n---\n\nFree") == [("p", "Open every day"), ("p", "Free")]
    assert shown("---\nkey: a\nThis is a sentence\n\n---\nFree")[0] == ("p", "key: a\nThis is a sentence")


def test_boxes_of_docusaurus_and_others() -> None:
    text = (
        "## Fees\n:::note\nIt is free.\n:::\n\n:::warning[Take **care**]\nHot.\n:::\n\n::: tip For all\nGo.\n:::\n\n"
        ":::{admonition} Later\n:class: tip\nWait.\n:::\n\n::: {.callout-note title='Bring'}\nA card.\n:::\n"
    )
    assert shown(text) == [
        ("h2", "Fees"),
        ("p", "It is free."),
        ("p", "Take care"),
        ("p", "Hot."),
        ("p", "For all"),
        ("p", "Go."),
        ("p", "Later"),
        ("p", "Wait."),
        ("p", "Bring"),
        ("p", "A card."),
    ]


def test_boxes_folds_and_tabs_of_mkdocs() -> None:
    text = (
        '# Help\n!!! note "Bring it"\n    A card\n    or a pass.\n\n    - blue\n\n'
        '=== "Linux"\n    Use apt.\n\n=== "Mac"\n    Use brew.\n\n!!! warning\n    Hot.\n'
        '??? question "How long?"\n    Ten days.\n???+ question "How much?"\n    £5.\n'
    )
    assert shown(text) == [
        ("h1", "Help"),
        ("p", "Bring it"),
        ("p", "A card\nor a pass."),
        ("li", "blue"),
        ("p", "Linux"),
        ("p", "Use apt."),
        ("p", "Mac"),
        ("p", "Use brew."),
        ("p", "Hot."),
        ("h2", "How long?"),
        ("p", "Ten days."),
        ("h2", "How much?"),
        ("p", "£5."),
    ]


def test_a_box_in_an_item_and_a_box_in_a_box() -> None:
    text = '- One\n\n    !!! note "Two"\n        Three\n\n        !!! tip "Four"\n            Five\n\nSix\n'
    assert shown(text) == [
        ("li", "One"),
        ("p", "Two"),
        ("p", "Three"),
        ("p", "Four"),
        ("p", "Five"),
        ("p", "Six"),
    ]


def test_alerts_in_quotations() -> None:
    assert shown("> [!NOTE]\n> It is hot.\n\n> [!tip] Go early\n> At nine.\n") == [
        ("p", "It is hot."),
        ("p", "Go early"),
        ("p", "At nine."),
    ]


def test_shortcodes() -> None:
    text = (
        '{{< tab "Windows" >}}\nRun it.\n{{< /tab >}}\n{{% alert title="Mind" %}}\nHot.\n{{% /alert %}}\n\n'
        'A {{< tooltip text="pod" id="p" >}} is small.\n\n{% tab title="Mac" %}\nDrag it.\n{% endtab %}\n\n'
        '{{< figure src="a.png" >}}\n{% details Why? %}\nBecause.\n{% enddetails %}\n'
    )
    assert shown(text) == [
        ("p", "Windows"),
        ("p", "Run it."),
        ("p", "Mind"),
        ("p", "Hot."),
        ("p", "A pod is small."),
        ("p", "Mac"),
        ("p", "Drag it."),
        ("h2", "Why?"),
        ("p", "Because."),
    ]


def test_folds_in_html() -> None:
    fold = "<details>\n<summary>{}</summary>\n\n{}\n\n</details>\n\n"
    two = "# Help\n\n" + fold.format("How long?", "Ten days.") + fold.format("Why", "So.")
    assert [tag for tag, _ in shown(two)] == ["h1", "h2", "p", "h2", "p"]
    # In the middle of a section it is no heading: what follows does not belong to it.
    one = "# Help\n\nFirst.\n\n" + fold.format("How long?", "Ten days.") + "Last."
    assert [tag for tag, _ in shown(one)] == ["h1", "p", "p", "p", "p"]


def test_code_stays_as_it_is() -> None:
    text = "```\n:::note\n!!! tip\n{{< x >}}\n```\n\n:::tip\nUse `{{< x >}}`.\n:::\n"
    assert shown(text) == [("p", ":::note\n!!! tip\n{{< x >}}"), ("p", "Use `{{< x >}}`.")]


def test_mdx() -> None:
    text = (
        "import Tabs from '@theme/Tabs';\nimport {\n  A,\n} from 'b';\n\nexport const fee = {\n  adult: 5,\n};\n\n"
        '# Fees\n\n<Tabs groupId={os}>\n<TabItem value="w" label="Windows">\n\n'
        "Run `List<Fee>`.\n\n</TabItem>\n</Tabs>\n\n"
        '{/* no text */}\n\nIt is {fee.adult} for <b style={{color: "red"}}>all</b> of you.{" "}\n\n'
        '<Picture\n  src={a}\n  onClick={() => { go(">") }}\n/>\n\n'
        '<Accordion title="Can I cancel?">\n\nYes.\n\n</Accordion>\n'
    )
    expected = [
        ("h1", "Fees"),
        ("p", "Windows"),
        ("p", "Run `List<Fee>`."),
        ("p", "It is for all of you."),
        ("h2", "Can I cancel?"),
        ("p", "Yes."),
    ]
    assert shown(text, mdx=True) == expected
    # The first line says it, whatever the ending is.
    assert shown(text) == expected


def test_mdx_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "fees.mdx").write_text("# Fees\n\n<Note>It costs £5.</Note>\n", encoding="utf-8")
    given = gather(tmp_path)
    assert [document.text for document in given.documents] == ["Fees\nIt costs £5."]


def test_other_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        'Text.\n\n--8<-- "steps.md"\n\n{% include_relative fees.md %}\n', encoding="utf-8"
    )
    given = gather(tmp_path)
    assert given.remarks[0].text == "includes other files, which are not read: fees.md, steps.md"
    assert given.documents[0].text == "Text."


_LINES = st.sampled_from(
    ':::;:::note a;!!! a;??? b "c";    x;        y;=== "t";{{< a >}};{{< /a >}};{% a %};</A>;<A b={>;<details>;'  # noqa: SIM905
    "</details>;import a from 'b';export const a = {;};```;---;a: b;> [!NOTE];- z;# h;<summary>".split(";")
)


@given(st.lists(_LINES | st.text(max_size=5)), st.booleans())
def test_any_lines(lines: list[str], mdx: bool) -> None:
    document = read_markdown("\n".join(lines), mdx=mdx).document
    for element in document.elements:
        assert document.text[element.start : element.end] == element.text == element.text.strip() != ""
