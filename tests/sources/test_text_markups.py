"""Org, AsciiDoc, wiki text and LaTeX: what is shown of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.core.errors import InputError
from caveat.sources.contents import assembled
from caveat.sources.latex import read_latex
from caveat.sources.read import parse_file
from caveat.sources.text_markups import read_asciidoc, read_org, read_wiki

ORG = """#+TITLE: Rules of the club
#+AUTHOR: Ann
* TODO [#A] Fees :money:
:PROPERTIES:
:ID: 7
:END:
It costs *five* euros, see
[[https://club.example][the list]].
- for adults
  - with a /boat/
- [X] for guests
1. first

| Boat  | Seats |
|-------+-------|
| Swift |     1 |
# a comment
** Keys
#+begin_src sh
key --open
#+end_src
#+INCLUDE: "more.org"
"""
ADOC = """= Rules of the club
Ann <ann@club.example>
:toc: left

// a comment
== Fees

It costs *five* euros, see link:fees.html[the list] and <<keys,the keys>>.

* for adults
** with a boat
* for guests
+
who pay at once

Deposit:: 20 euros
NOTE: Bring it back.

[cols="1,1",options="header"]
|===
|Boat |Seats

|Swift |1
|Heron
|8
|===

[[keys]]
=== Keys
----
key --open
----
include::more.adoc[]
"""
WIKI = """<!-- a comment -->{{Infobox|fee={{five}}}}
== Fees ==
It '''costs''' five euros,<ref>Old.</ref> see [[Fee list|the list]] and [https://club.example the page].
* for adults
** with a boat
# first

{| class="wikitable"
|+ Boats
! Boat !! Seats
|-
| Swift || 1
|-
| style="x" | Heron
| 8
|}
=== Keys ===
; Deposit
: 20 euros
[[File:key.png|thumb|A key]]
[[Category:Clubs]]
"""
LATEX = r"""\documentclass[a4paper]{article}
\usepackage{babel}
\title{Rules of the \emph{club}}
\begin{document}
\maketitle
\section{Fees}\label{fees} % a comment
It costs \textbf{five} euros\footnote{Six from May.}, see \href{https://club.example}{the list}~\cite{a}.
The caf\'e charges 5\,\% more.

\begin{itemize}
  \item for adults
  \begin{itemize}
    \item with a boat
  \end{itemize}
  \item[Guests] pay at once
\end{itemize}
\begin{tabular}{|l|r|}
\hline
Boat & Seats \\ \hline
Swift & 1 \\
\end{tabular}
\subsection*{Keys}
\begin{verbatim}
key --open
\end{verbatim}
The area is $a^2$.
\input{more}
\end{document}
"""


def tagged(data: str, name: str) -> list[tuple[str, str]]:
    contents = parse_file(data.encode(), name)
    assert contents.document is not None
    return [(element.tag, element.text) for element in contents.document.elements]


def test_org() -> None:
    assert tagged(ORG, "a.org") == [
        ("h1", "Fees"),
        ("p", "It costs five euros, see the list."),
        ("li", "for adults"),
        ("li", "with a boat"),
        ("li", "for guests"),
        ("li", "first"),
        ("tr", "Boat | Seats"),
        ("tr", "Swift | 1"),
        ("h2", "Keys"),
        ("p", "key --open"),
    ]
    contents = parse_file(ORG.encode(), "a.org")
    assert contents.document is not None
    assert contents.document.title == "Rules of the club"
    assert contents.tables[0].table.headers == ("Boat", "Seats")
    assert contents.remark == "includes other files, which are not read: more.org"


def test_asciidoc() -> None:
    assert tagged(ADOC, "a.adoc") == [
        ("h1", "Rules of the club"),
        ("p", "Ann <ann@club.example>"),
        ("h2", "Fees"),
        ("p", "It costs five euros, see the list and the keys."),
        ("li", "for adults"),
        ("li", "with a boat"),
        ("li", "for guests"),
        ("p", "who pay at once"),
        ("p", "Deposit: 20 euros NOTE: Bring it back."),
        ("tr", "Boat | Seats"),
        ("tr", "Swift | 1"),
        ("tr", "Heron | 8"),
        ("h3", "Keys"),
        ("p", "key --open"),
    ]


def test_wiki_text() -> None:
    assert tagged(WIKI, "a.wiki") == [
        ("h2", "Fees"),
        ("p", "It costs five euros, see the list and the page."),
        ("li", "for adults"),
        ("li", "with a boat"),
        ("li", "first"),
        ("tr", "Boat | Seats"),
        ("tr", "Swift | 1"),
        ("tr", "Heron | 8"),
        ("h3", "Keys"),
        ("p", "Deposit"),
        ("p", "20 euros"),
    ]


def test_latex() -> None:
    assert tagged(LATEX, "a.tex") == [
        ("h1", "Rules of the club"),
        ("h2", "Fees"),
        ("p", "It costs five euros (Six from May.), see the list. The café charges 5 % more."),
        ("li", "for adults"),
        ("li", "with a boat"),
        ("li", "Guests pay at once"),
        ("tr", "Boat | Seats"),
        ("tr", "Swift | 1"),
        ("h3", "Keys"),
        ("p", "key --open"),
        ("p", "The area is $a^2$."),
    ]
    assert parse_file(LATEX.encode(), "a.tex").remark == "includes other files, which are not read: more"


PARSERS = {"a.org": read_org, "a.adoc": read_asciidoc, "a.wiki": read_wiki, "a.tex": read_latex}
PARTS = [
    *ORG.split(" "),
    *ADOC.split(" "),
    *WIKI.split(" "),
    *LATEX.split(" "),
    "\n",
    "{",
    "}",
    "\\",
    "|",
    "[[",
]


@pytest.mark.parametrize("name", PARSERS)
@given(parts=st.lists(st.sampled_from(PARTS), max_size=30))
def test_whatever_stands_there_it_is_read(name: str, parts: list[str]) -> None:
    pieces = PARSERS[name]("".join(parts).encode())
    try:
        document = assembled(pieces, name).document
    except InputError:  # nothing is left of it
        return
    assert document is not None
    assert all(document.text[each.start : each.end] == each.text for each in document.elements)
