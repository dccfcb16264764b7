"""Sections that a page folds away: which summaries, buttons and terms name them, and what they unfold.

An FAQ has its questions in `summary`, in buttons (`aria-expanded`, as the accordion and the disclosure of WAI-ARIA are
marked) or in `dt`; tabs have theirs in a list before all panels. What such a control unfolds is content, even if
the page was saved with it hidden.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from selectolax.lexbor import LexborNode

from caveat.sources.html_tags import HEADINGS, is_furniture

_CONTROLS = "summary, button, [role=button], [role=tab], dt, [itemprop=name]"
# What a page calls its folds, where it does not say so with `aria-expanded`.
_FOLD_NAMES = re.compile(
    r"(?:\w+[-_]+)*(?:accordion|collaps(?:e|ed|ible)|faqs?|question|disclosure|expand(?:er|able))(?:[-_]+\w+)*",
    re.IGNORECASE,
)
_COLLAPSE = ("data-toggle", "data-bs-toggle")
_QUESTION = re.compile(r"\w.*[?？]\s*\Z", re.DOTALL)
_SECTIONING = frozenset(("section", "hr", "footer", "nav", "aside", "dialog"))
_ENDS = frozenset(("body", "main", "article", "html"))
# Boxes around a control or a panel.
_MOST_BOXES = 4
_LONGEST_NAME = 300

Following = Literal["fold", "section", "text"]


class Folds(NamedTuple):
    """By the ids of nodes: the names of folds and whether each is a heading; panels; what is to stand before panels."""

    names: dict[int, bool]
    panels: frozenset[int]
    labels: dict[int, tuple[str, bool]]


def folds_of(root: LexborNode) -> Folds:
    """The folds under a node.

    The name of a fold is a heading if another fold stands beside it, or nothing but another section comes after it: a
    paragraph there would else seem to belong to the fold. Elsewhere it is a paragraph.
    """
    names: dict[int, bool] = {}
    panels: set[int] = set()
    labels: dict[int, tuple[str, bool]] = {}
    controls = root.css(_CONTROLS)
    by_id = {node.attributes.get("id") or "": node for node in root.css("[id]")} if controls else {}
    before: Following = "text"
    for node in controls:
        tag, attributes = node.tag or "", node.attributes
        is_tab = (attributes.get("role") or "").lower() == "tab"
        panel: LexborNode | None = None
        if is_tab:
            panel = by_id.get(attributes.get("aria-controls") or "")
        elif tag == "summary":
            panel = node.parent
        elif tag == "dt" or attributes.get("itemprop") == "name":
            if _QUESTION.search(_words(node)) if tag == "dt" else _is_question_item(node):
                names[node.mem_id] = True
        elif _is_fold(node, tag):
            panel = by_id.get(_controlled(node)) or _after(node)
            if panel is not None and is_furniture(panel, panel.tag or "", in_content=True):
                panel = None
        if panel is None or not (words := _words(node)):
            continue
        following = _following(panel)
        is_heading = following != "text" or before == "fold"
        before = following
        panels.add(panel.mem_id)
        if is_tab:
            labels[panel.mem_id] = (words, is_heading)
        else:
            names[node.mem_id] = is_heading
    return Folds(names, frozenset(panels), labels)


def _is_fold(node: LexborNode, tag: str) -> bool:
    attributes = node.attributes
    if attributes.get("aria-haspopup", "false") not in ("false", None) or attributes.get("type") in (
        "submit",
        "reset",
    ):
        return False
    if "aria-expanded" in attributes or any(attributes.get(each) == "collapse" for each in _COLLAPSE):
        return True
    if tag != "button":
        return False
    named = (attributes.get("class") or "").split()
    return any(len(name) <= 100 and _FOLD_NAMES.fullmatch(name) for name in named) or bool(
        _QUESTION.search(_words(node))
    )


def _controlled(node: LexborNode) -> str:
    attributes = node.attributes
    if (said := attributes.get("aria-controls")) is not None:
        return said
    target = attributes.get("data-bs-target") or attributes.get("data-target") or attributes.get("href") or ""
    return target[1:] if target.startswith("#") else ""


def _is_question_item(node: LexborNode) -> bool:
    """Whether a name is that of a question, as schema.org marks it."""
    parent = node.parent
    for _ in range(_MOST_BOXES):
        if parent is None:
            return False
        if "itemtype" in parent.attributes:
            return (parent.attributes["itemtype"] or "").rstrip("/").endswith("schema.org/Question")
        parent = parent.parent
    return False


def _words(node: LexborNode) -> str:
    return " ".join(node.text()[:_LONGEST_NAME].split())


def _after(node: LexborNode) -> LexborNode | None:
    """The element after a node, or after the box that has nothing else in it."""
    at: LexborNode | None = node
    for _ in range(_MOST_BOXES):
        if at is None or at.tag in _ENDS:
            return None
        following, is_text = _next(at)
        if following is not None or is_text:
            return None if is_text else following
        at = at.parent
    return None


def _following(panel: LexborNode) -> Following:
    """What comes after a fold."""
    at: LexborNode | None = panel
    for _ in range(2 * _MOST_BOXES):
        if at is None or at.tag in _ENDS or at.tag == "section":
            return "section"
        following, is_text = _next(at)
        if is_text:
            return "text"
        if following is not None:
            return _beginning(following)
        at = at.parent
    return "section"


def _next(node: LexborNode) -> tuple[LexborNode | None, bool]:
    """The element after a node, and whether there is text before it."""
    at = node.next
    while at is not None and not (at.is_element_node and at.tag not in ("script", "style", "br")):
        if at.is_text_node and (at.text_content or "").strip():
            return None, True
        at = at.next
    return at, False


def _beginning(node: LexborNode) -> Following:
    """What an element begins with."""
    at: LexborNode | None = node
    for _ in range(_MOST_BOXES):
        if at is None:
            return "text"
        tag = at.tag or ""
        if tag == "details" or at.attributes.get("role") == "tabpanel" or _is_fold(at, tag):
            return "fold"
        if tag in HEADINGS or tag in _SECTIONING or tag in _ENDS:
            return "section"
        at = at.first_child
        while at is not None and not at.is_element_node:
            if at.is_text_node and (at.text_content or "").strip():
                return "text"
            at = at.next
    return "text"
