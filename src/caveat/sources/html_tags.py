"""What the tags of a web page mean: which stand on lines of their own, are not shown, or surround every page.

And markup without the tags that make parsers slow: a parser looks through the elements that are open for every tag, and
through the attributes of an element for every one of them, so that nesting beyond any page's, or thousands of
attributes, would take time with the square of the page's length.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from caveat.core.limits import current_limits

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


HEADINGS = {f"h{level}": f"h{min(level, 4)}" for level in range(1, 7)}
"""Headings, with the tag of the element that each becomes."""
# What a browser puts on lines of its own. Everything else flows within a line.
BLOCK_TAGS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption "  # noqa: SIM905
    "figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol "
    "p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp".split()
)
NEVER_SHOWN = frozenset(
    "script style noscript template head title meta link svg canvas iframe object embed audio video map "  # noqa: SIM905
    "select datalist textarea input rt rp".split()
)
_FURNITURE_TAGS = frozenset(("nav", "footer", "aside", "dialog", "button"))
_FURNITURE_ROLES = frozenset(
    "navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar".split()  # noqa: SIM905
)
_DISPLAY_NONE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LONGEST_NAME = 100
# Names of classes and ids, as sites give them. A page about cookies is content, a bar about them is not.
_SCREEN_READERS_ONLY = re.compile(r"(?:\w+-)?(?:visually-?hidden|sr-only|screen-reader-text)")
_FURNITURE_NAMES = re.compile(
    r"(?:[\w-]*[-_])?(?:"
    r"(?:cookie|consent|gdpr|ccpa)s?[-_]?\w*[-_]?(?:banner|notice|bar|popup|modal|message|dialog|overlay|wall|prompt)"
    r"|(?:banner|notice|bar|popup|modal|message|dialog|overlay)[-_](?:cookie|consent|gdpr)s?"
    r"|breadcrumbs?|skip-?link|print-link|share-links|social-share|pagination"
    r"|phase-banner|contents-list|super-navigation-header|related-navigation|contextual-(?:sidebar|footer|breadcrumbs)"
    r"|gem-c-feedback|accordion__section-toggle|accordion__controls|onetrust-consent-sdk"
    r")(?:-container|-wrapper)?",
    re.IGNORECASE,
)
# Elements that stay open until they are closed; a paragraph, item or cell ends where the next one begins.
_NESTING = (
    "a|abbr|address|article|aside|b|big|blockquote|button|center|code|del|details|dir|div|dl|em|fieldset|figure|font|"
    "footer|form|header|i|ins|label|main|menu|nav|ol|pre|s|section|small|span|strike|strong|sub|summary|sup|table|tt|u|"
    "ul"
)
_TAG = re.compile(rf"<(/?)({_NESTING})(?=[\s/>])[^<>]*>?", re.IGNORECASE)
# Nobody writes longer tags, but for pictures in attributes: those are few.
_LONG_TAG = re.compile(r"<[a-zA-Z][\w:-]*(?P<attributes>[^<>]{4000,})")
_MOST_ATTRIBUTES = 500


def is_invisible(node: LexborNode, tag: str) -> bool:
    """Whether a browser shows nothing of an element."""
    if tag in NEVER_SHOWN:
        return True
    attributes = node.attributes
    if not attributes:
        return False
    if "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found":
        return True
    if tag in ("span", "i") and attributes.get("aria-hidden") == "true":  # icons
        return True
    style = attributes.get("style")
    if style and _DISPLAY_NONE.search(style):
        return True
    return any(_SCREEN_READERS_ONLY.fullmatch(name) for name in _names(attributes.get("class")))


def is_furniture(node: LexborNode, tag: str, *, in_content: bool, in_heading: bool) -> bool:
    """Whether an element belongs to the site: navigation, header, footer, cookie banner, buttons.

    A header inside the content has its heading, and a button in a heading is how sites fold sections.
    """
    if tag in _FURNITURE_TAGS:
        return not (tag == "button" and in_heading)
    if tag == "header":
        return not in_content
    attributes = node.attributes
    if not attributes:
        return False
    if (attributes.get("role") or "").lower() in _FURNITURE_ROLES:
        return True
    names = _names(attributes.get("class")) + _names(attributes.get("id"))
    return any(_FURNITURE_NAMES.fullmatch(name) for name in names)


def _names(value: str | None) -> list[str]:
    return [name for name in value.split() if len(name) <= _LONGEST_NAME] if value else []


def tamed(markup: str) -> tuple[str, str]:
    """The markup, and what was left out of it: tags only, never text."""
    left_out: list[str] = []
    short = _LONG_TAG.sub(_without_attributes, markup)
    if len(short) < len(markup):
        left_out.append(f"elements with more than {_MOST_ATTRIBUTES} attributes were read without them")
    deepest = current_limits().nesting
    if _depth(short) > deepest:
        short = _flattened(short, deepest)
        left_out.append(f"elements inside of more than {deepest:,} others were read as if beside them")
    return short, "; ".join(left_out)


def _without_attributes(tag: re.Match[str]) -> str:
    many = (
        tag["attributes"].count("=") > _MOST_ATTRIBUTES or len(tag["attributes"].split()) > _MOST_ATTRIBUTES
    )
    return tag[0][: tag.start("attributes") - tag.start()] if many else tag[0]


def _depth(markup: str) -> int:
    depth = deepest = 0
    for tag in _TAG.finditer(markup):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest


def _flattened(markup: str, deepest: int) -> str:
    """Without the tags that open what is too deep, and those that close it."""
    kept: list[str] = []
    at = depth = 0
    for tag in _TAG.finditer(markup):
        before = depth
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if max(before, depth) > deepest:
            kept += (markup[at : tag.start()], " ")
            at = tag.end()
    kept.append(markup[at:])
    return "".join(kept)
