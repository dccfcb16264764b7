"""What the tags of a web page mean: which stand on lines of their own, are not shown, or surround every page.

And markup without the tags that make parsers slow: a parser looks through the elements that are open for every tag, and
through the attributes of an element for every one of them, so that nesting beyond any page's, or thousands of
attributes, would take time with the square of the page's length.
"""

from __future__ import annotations

import re
from collections.abc import Container
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
_FURNITURE_TAGS = frozenset(("nav", "footer", "dialog", "button"))
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
    r"|breadcrumbs?|skip-?link|print-link|pagination|share-(?:links|buttons?|bar|icons?)|social-(?:share|links|icons|media|buttons)|sharedaddy|a2a_kit"
    r"|phase-banner|contents-list|super-navigation-header|related-navigation|contextual-(?:sidebar|footer|breadcrumbs)"
    r"|gem-c-feedback|accordion__section-toggle|accordion__controls"
    # What the usual programs for cookie notes call theirs.
    r"|onetrust-(?:consent|banner)-sdk|CybotCookiebot\w*|didomi-host|usercentrics-root|truste[-_]\w+|qc-cmp2-container"
    r"|sp_message_container_\w+|iubenda-cs-banner|osano-cm-\w+|cky-consent\w*|moove_gdpr\w*|cmplz-cookiebanner"
    r"|cookie-law-info-bar|eu-cookie-\w+|cc-window"
    r")(?:-container|-wrapper)?",
    re.IGNORECASE,
)
# Outside of the content these are what they are called.
_FOOTER_NAMES = frozenset(("footer", "site-footer", "page-footer", "global-footer", "colophon"))
# These are menus where nearly all of their words are links.
_MENU_NAMES = re.compile(
    r"(?:(?:main|site|top|side|left|right|primary|secondary|global|page|mobile|header|footer)[-_]?)?"
    r"(?:nav|navbar|navigation|menu|sidebar|toc|links)|table-of-contents"
    r"|(?:related|recent|latest|popular)[-_](?:posts|articles|stories|entries|news|pages)",
    re.IGNORECASE,
)
_SHARE_OF_LINKS, _MOST_NODES = 0.8, 2000
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


def is_invisible(node: LexborNode, tag: str, unfolded: Container[int] = ()) -> bool:
    """Whether a browser shows nothing of an element, even if what is `unfolded` on a click is shown."""
    if tag in NEVER_SHOWN:
        return True
    attributes = node.attributes
    if not attributes or node.mem_id in unfolded:
        return False
    if "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found":
        return True
    if tag in ("span", "i") and attributes.get("aria-hidden") == "true":  # icons
        return True
    style = attributes.get("style")
    if style and _DISPLAY_NONE.search(style):
        return True
    return any(_SCREEN_READERS_ONLY.fullmatch(name) for name in _names(attributes.get("class")))


def is_furniture(node: LexborNode, tag: str, *, in_content: bool, in_heading: bool = False) -> bool:
    """Whether an element belongs to the site: navigation, header, footer, cookie banner, buttons.

    A header inside the content has its heading, an aside there that has a paragraph is a note, and a button in a
    heading is how sites fold sections.
    """
    if tag in _FURNITURE_TAGS:
        return not (tag == "button" and in_heading)
    if tag == "header":
        return not in_content
    attributes = node.attributes
    if tag == "aside":
        is_note = in_content and (attributes.get("role") == "note" or node.css_first("p") is not None)
        return not is_note or _is_mostly_links(node)
    if not attributes:
        return False
    role = (attributes.get("role") or "").lower()
    if role in _FURNITURE_ROLES or attributes.get("aria-modal") == "true":
        return True
    names = _names(attributes.get("class")) + _names(attributes.get("id"))
    if any(_FURNITURE_NAMES.fullmatch(name) for name in names):
        return True
    if tag not in ("div", "ul", "ol", "section", "td") or in_content or role == "main":
        return False
    if any(name.lower() in _FOOTER_NAMES for name in names):
        return True
    return any(_MENU_NAMES.fullmatch(name) for name in names) and _is_mostly_links(node)


def _is_mostly_links(root: LexborNode) -> bool:
    """Whether nearly all letters below the headings of an element are of links, as far as its first nodes tell."""
    letters = linked = links = headings = 0
    opened: list[LexborNode] = []
    node = root.first_child
    for _ in range(_MOST_NODES):
        if node is None:
            if not opened:
                break
            node = opened.pop()
            links -= node.tag == "a"
            headings -= node.tag in HEADINGS
            node = node.next
        elif node.is_text_node:
            count = sum(map(len, (node.text_content or "").split()))
            letters += 0 if headings else count
            linked += count if links and not headings else 0
            node = node.next
        else:
            opened.append(node)
            links += node.tag == "a"
            headings += node.tag in HEADINGS
            node = node.first_child
    return letters > 0 and linked >= _SHARE_OF_LINKS * letters


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
