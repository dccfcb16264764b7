"""Word, PowerPoint, OpenDocument and EPUB files: headings, lists and tables in their order, and what is refused."""

from __future__ import annotations

import io
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from caveat.core.errors import InputError
from caveat.core.limits import limits
from caveat.core.records import Document
from caveat.sources.contents import Contents
from caveat.sources.outline import page_at
from caveat.sources.read import parse_file

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
RELATIONS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def zipped(parts: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def related(kind: str, target: str, id: str = "a") -> str:
    relation = f'<Relationship Id="{id}" Type="{OFFICE}/{kind}" Target="{target}"/>'
    return f"<Relationships {RELATIONS}>{relation}</Relationships>"


def paragraph(text: str, style: str = "", more: str = "") -> str:
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{more}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def item(text: str, level: int) -> str:
    return paragraph(text, more=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>')


STYLES = f"""<w:styles {W}>
<w:style w:styleId="1"><w:name w:val="heading 1"/></w:style>
<w:style w:styleId="2"><w:name w:val="标题 2"/></w:style>
<w:style w:styleId="Own"><w:name w:val="Our heading"/><w:basedOn w:val="2"/></w:style>
<w:style w:styleId="Dot"><w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>
</w:styles>"""


def word(body: str, **parts: str) -> bytes:
    document = f"<w:document {W}><w:body>{body}</w:body></w:document>"
    return zipped({"word/document.xml": document, "word/styles.xml": STYLES, **parts})


def tagged(contents: Contents) -> list[tuple[str, str]]:
    assert contents.document is not None
    return [(element.tag, element.text) for element in contents.document.elements]


def test_word_headings_lists_and_paragraphs() -> None:
    body = (
        paragraph("Boats", "1")
        + paragraph("Who may row", "Own")
        + "<w:p><w:r><w:t>You may </w:t></w:r><w:ins><w:r><w:t>row</w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>swim</w:delText></w:r></w:del><w:r><w:tab/><w:t>if:</w:t></w:r>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>"
        + item("you are 12", 0)
        + item("or 11 with a coach", 1)
        + paragraph("you can swim", "Dot")
        + "<w:sdt><w:sdtContent>"
        + paragraph("The end &amp; more.")
        + "</w:sdtContent></w:sdt>"
    )
    contents = parse_file(word(body), "rules.docx")
    assert tagged(contents) == [
        ("h1", "Boats"),
        ("h2", "Who may row"),
        ("p", "You may row if:"),
        ("li", "you are 12"),
        ("li", "or 11 with a coach"),
        ("li", "you can swim"),
        ("p", "The end & more."),
    ]
    assert contents.document is not None
    assert "\n  or 11" in contents.document.text  # a list inside of an item is indented


def test_word_tables_with_merged_cells() -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"

    head = "<w:trPr><w:tblHeader/></w:trPr>"
    rows = [
        head + cell("Boat", '<w:vMerge w:val="restart"/>') + cell("Size", '<w:gridSpan w:val="2"/>'),
        head + cell("", "<w:vMerge/>") + cell("Seats") + cell("Weight"),
        cell("Swift") + cell("1") + cell("14"),
        cell("Heron") + cell("8") + cell("96"),
    ]
    table = "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"
    contents = parse_file(word(paragraph("Our boats", "1") + table + paragraph("After.")), "boats.docx")
    (read,) = contents.tables
    assert read.table.headers == ("Boat", "Size Seats", "Size Weight")
    assert read.table.rows == (("Swift", "1", "14"), ("Heron", "8", "96"))
    assert tagged(contents)[-2:] == [("tr", "Heron | 8 | 96"), ("p", "After.")]


def test_word_boxes_and_notes() -> None:
    box = (
        "<w:p><w:r><w:t>Beside the box.</w:t><w:pict><w:txbxContent>"
        + paragraph("In the box.")
        + "</w:txbxContent></w:pict></w:r></w:p>"
    )
    relations = related("footnotes", "footnotes.xml")
    notes = f"<w:footnotes {W}><w:footnote>{paragraph('Only in winter.')}</w:footnote></w:footnotes>"
    data = word(box, **{"word/_rels/document.xml.rels": relations, "word/footnotes.xml": notes})
    texts = [text for _, text in tagged(parse_file(data, "a.docx"))]
    assert texts == ["Beside the box.", "In the box.", "Only in winter."]


def test_the_part_with_the_text_may_have_another_name() -> None:
    relations = related("officeDocument", "/word/document2.xml")
    document = f"<w:document {W}><w:body>{paragraph('Hello.')}</w:body></w:document>"
    data = zipped({"_rels/.rels": relations, "word/document2.xml": document})
    assert tagged(parse_file(data, "a.docx")) == [("p", "Hello.")]


A = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    f'xmlns:r="{OFFICE}"'
)


def slide(*shapes: str) -> str:
    return f"<p:sld {A}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:sld>"


def shape(kind: str, *texts: str) -> str:
    holder = f'<p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>'
    lines = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in texts)
    return f"<p:sp>{holder}<p:txBody>{lines}</p:txBody></p:sp>"


def test_slides_are_pages_in_the_order_of_the_show() -> None:
    def cell(text: str) -> str:
        return f"<a:tc><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    rows = (("Day", "Opens"), ("Sunday", "8:00"))
    cells = "".join(f"<a:tr>{''.join(map(cell, row))}</a:tr>" for row in rows)
    table = f'<p:graphicFrame><a:tbl><a:tblPr firstRow="1"/>{cells}</a:tbl></p:graphicFrame>'
    ids = "".join(f'<p:sldId id="{256 + at}" r:id="r{at}"/>' for at in (2, 1))
    relations = "".join(
        f'<Relationship Id="r{at}" Type="{OFFICE}/slide" Target="slides/slide{at}.xml"/>' for at in (1, 2)
    )
    data = zipped(
        {
            "ppt/presentation.xml": f"<p:presentation {A}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": f"<Relationships {RELATIONS}>{relations}</Relationships>",
            "ppt/slides/slide1.xml": slide(shape("title", "Hours"), table, shape("sldNum", "7")),
            "ppt/slides/slide2.xml": slide(shape("ctrTitle", "The club"), shape("body", "Rowing", "Sailing")),
            "ppt/slides/_rels/slide1.xml.rels": related("notesSlide", "../notesSlides/notes1.xml"),
            "ppt/notesSlides/notes1.xml": slide(shape("body", "Say that it is closed in fog.")),
        }
    )
    contents = parse_file(data, "club.pptx")
    assert tagged(contents) == [
        ("h1", "The club"),
        ("li", "Rowing"),
        ("li", "Sailing"),
        ("h2", "Hours"),
        ("tr", "Day | Opens"),
        ("tr", "Sunday | 8:00"),
        ("p", "Say that it is closed in fog."),
    ]
    (read,) = contents.tables
    assert (read.table.headers, read.table.rows) == (("Day", "Opens"), (("Sunday", "8:00"),))
    document = contents.document
    assert document is not None
    assert [page_at(document, document.text.index(word)) for word in ("Rowing", "Hours", "fog")] == [1, 2, 2]


OPEN = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
)


def odt(body: str, manifest: str = "<manifest/>") -> bytes:
    text = f"<office:body><office:text>{body}</office:text></office:body>"
    content = f"<office:document-content {OPEN}>{text}</office:document-content>"
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": content,
            "META-INF/manifest.xml": manifest,
        }
    )


def test_open_document_texts() -> None:
    rows = [("Boat", "Seats"), ("Swift", "1"), ("Heron", "8")]
    table = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in row)
        + "</table:table-row>"
        for row in rows
    )
    contents = parse_file(
        odt(
            "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
            '<text:p text:style-name="Title">The club</text:p><text:h text:outline-level="2">Fees</text:h>'
            "<text:p>It<text:s/>costs <text:span>£5</text:span><text:note>not</text:note> a day.</text:p>"
            "<text:list><text:list-item><text:p>adults</text:p><text:list><text:list-item><text:p>over 65</text:p>"
            "</text:list-item></text:list></text:list-item></text:list>"
            f"<table:table>{table}</table:table>"
        ),
        "a.odt",
    )
    assert tagged(contents)[:5] == [
        ("h1", "The club"),
        ("h2", "Fees"),
        ("p", "It costs £5 a day."),
        ("li", "adults"),
        ("li", "over 65"),
    ]
    assert contents.tables[0].table.rows == (("Swift", "1"), ("Heron", "8"))


def test_open_document_bombs_and_passwords() -> None:
    cell = '<table:table-cell table:number-columns-repeated="999999999"><text:p>x</text:p></table:table-cell>'
    with pytest.raises(InputError, match=r"a\.odt: has more than 20,000,000 cells"):
        parse_file(odt(f"<table:table><table:table-row>{cell}</table:table-row></table:table>"), "a.odt")
    with pytest.raises(InputError, match="needs a password"):
        parse_file(odt("<text:p>x</text:p>", "<manifest><encryption-data/></manifest>"), "a.odt")


def epub(chapters: dict[str, str], **parts: str) -> bytes:
    items = "".join(f'<item id="{name}" href="{name}.xhtml"/>' for name in chapters)
    spine = "".join(f'<itemref idref="{name}"/>' for name in reversed(chapters))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f"<dc:title>The lake</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:x"><rootfiles><rootfile full-path="OEBPS/a.opf"/></rootfiles></container>'
    )
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "OEBPS/a.opf": package,
            **{f"OEBPS/{name}.xhtml": chapter for name, chapter in chapters.items()},
            **parts,
        }
    )


def test_the_chapters_of_a_book_in_their_order() -> None:
    chapters = {
        "two": "<html><head><title/></head><body><h1>Winter</h1><p><a id='x'/>No one rows alone.</p></body></html>",
        "one": "<html><body><h1>Summer</h1><p>The lake opens at 6:00.</p></body></html>",
    }
    contents = parse_file(epub(chapters), "lake.epub")
    assert tagged(contents) == [
        ("h1", "Summer"),
        ("p", "The lake opens at 6:00."),
        ("h1", "Winter"),
        ("p", "No one rows alone."),
    ]
    assert contents.document is not None
    assert contents.document.title == "The lake"
    protected = {"META-INF/encryption.xml": "<encryption><EncryptedData/></encryption>"}
    with pytest.raises(InputError, match="is protected against copying"):
        parse_file(epub(chapters, **protected), "lake.epub")


ENTITIES = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;">]>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused(encoding: str) -> None:
    bomb = f"{ENTITIES}<w:document {W}><w:body>{paragraph('&c;')}</w:body></w:document>"
    data = zipped({"word/document.xml": bomb.encode(encoding)})
    with pytest.raises(InputError, match=r"a\.docx: has definitions in its XML"):
        parse_file(data, "a.docx")


def test_what_would_become_too_large_is_refused() -> None:
    with limits(source_bytes=10_000), pytest.raises(InputError, match=r"the limit `source_bytes`"):
        parse_file(word(paragraph("x" * 20_000)), "a.docx")
    with limits(files=1), pytest.raises(InputError, match="holds 2 files"):
        parse_file(word(paragraph("x")), "a.docx")
    with pytest.raises(InputError, match=r"a\.docx: cannot be read as a Word file"):
        parse_file(word(paragraph("x"))[:-40], "a.docx")
    deep = "<w:ins>" * 5000 + "</w:ins>" * 5000
    with pytest.raises(InputError, match=r"a\.docx: "):
        parse_file(word(f"<w:p>{deep}</w:p>"), "a.docx")


def test_an_element_is_the_text_where_it_stands() -> None:
    document = parse_file(
        word(paragraph("One.", "1") + item("Two.", 0) + item("Three.", 3)), "a.docx"
    ).document
    assert isinstance(document, Document)  # which checks its elements when it is made
    assert len(document.elements) == 3


def test_word_comments_stand_below_the_text() -> None:
    comments = f'<w:comments {W}><w:comment w:author="Ann &amp; Lan">{paragraph("Is it 5?")}</w:comment></w:comments>'
    parts = {
        "word/_rels/document.xml.rels": related("comments", "comments.xml"),
        "word/comments.xml": comments,
    }
    assert tagged(parse_file(word(paragraph("It costs 4."), **parts), "a.docx")) == [
        ("p", "It costs 4."),
        ("h1", "Comments"),
        ("p", "Ann & Lan: Is it 5?"),
    ]


def test_a_word_table_in_a_cell() -> None:
    def table(*rows: str) -> str:
        return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"

    def cell(content: str) -> str:
        return f"<w:tc>{content}</w:tc>"

    inner = table(
        cell(paragraph("Boat")) + cell(paragraph("Seats")), cell(paragraph("Swift")) + cell(paragraph("1"))
    )
    contents = parse_file(word(table(cell(paragraph("Our boats")) + cell(inner + paragraph("")))), "a.docx")
    assert tagged(contents) == [("p", "Our boats"), ("tr", "Boat | Seats"), ("tr", "Swift | 1")]
    assert contents.tables[0].table.rows == (("Swift", "1"),)
