"""Pages as ConditionalQA's models read them: elements in sections; whole ones, and stand-ins made of evidences."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import msgspec

from caveat.benchmarks.conditionalqa.format import ConditionalDocument, ConditionalQuestion, page_document

__all__ = ["Page", "pooled_pages", "whole_page"]


class Page(msgspec.Struct, frozen=True):
    """A page's elements, as the data has them and as text, with their tags; sections are half-open ranges of them."""

    contents: tuple[str, ...]
    texts: tuple[str, ...]
    tags: tuple[str, ...]
    sections: tuple[tuple[int, int], ...]

    def section_text(self, number: int) -> str:
        """The elements of a section, one a line."""
        first, last = self.sections[number]
        return "\n".join(self.texts[first:last])

    def in_place(self, element: int) -> str:
        """An element after the heading of its section and, for an item of a list, what introduces the list."""
        first, _ = next(each for each in self.sections if each[0] <= element < each[1])
        before = [first] if self.tags[first].startswith("h") and first != element else []
        if self.tags[element] == "li":
            others = (at for at in range(element - 1, first, -1) if self.tags[at] != "li")
            before += [at for at in [next(others, first)] if at not in before and self.tags[at] != "li"]
        return " ".join(self.texts[at] for at in (*before, element))

    def element_at(self, section: int, start: int) -> int:
        """The element of a section's text that a character stands in."""
        first, last = self.sections[section]
        for element in range(first, last):
            start -= len(self.texts[element]) + 1
            if start < 0:
                return element
        return last - 1


def whole_page(document: ConditionalDocument) -> Page:
    """A page with a section for each heading and what stands under it."""
    elements = page_document(document).elements
    tags = tuple(element.tag for element in elements)
    begins = [at for at, tag in enumerate(tags) if at == 0 or (tag.startswith("h") and tag[1:].isdigit())]
    # Headings one after the other are of one section.
    begins = [at for at in begins if at == 0 or at - 1 not in begins]
    ends = [*begins[1:], len(tags)]
    return Page(
        document.contents,
        tuple(element.text for element in elements),
        tags,
        tuple(zip(begins, ends, strict=True)) if tags else (),
    )


def pooled_pages(questions: Sequence[ConditionalQuestion], *, distractors: int, seed: int) -> dict[str, Page]:
    """For every address a stand-in for its page: the evidences of all its questions, and sections of other pages.

    Evidences that one question names are of one section, so that sections with an evidence in common are one.
    """
    own = {url: list(_sections(of)) for url, of in _by_page(questions).items()}
    pages = {}
    for url, sections in own.items():
        draw = random.Random(f"distractors {seed} {url}")
        others = [other for other in own if other != url and own[other]]
        drawn = [draw.choice(own[other]) for other in draw.sample(others, min(distractors, len(others)))]
        known = {content for section in sections for content in section}
        foreign = [[content for content in section if content not in known] for section in drawn]
        mixed = sections + [section for section in foreign if section]
        draw.shuffle(mixed)
        pages[url] = _page(url, mixed)
    return pages


def _by_page(questions: Sequence[ConditionalQuestion]) -> dict[str, list[ConditionalQuestion]]:
    found: dict[str, list[ConditionalQuestion]] = {}
    for question in questions:
        found.setdefault(question.url, []).append(question)
    return found


def _sections(questions: Sequence[ConditionalQuestion]) -> Iterator[list[str]]:
    groups: list[list[str]] = []
    for question in questions:
        conditions = (condition for answer in question.answers for condition in answer.conditions)
        named = list(dict.fromkeys((*question.evidences, *conditions)))
        joined = [group for group in groups if set(group) & set(named)]
        groups = [group for group in groups if group not in joined]
        if named:
            groups.append(list(dict.fromkeys(text for group in (*joined, named) for text in group)))
    yield from groups


def _page(url: str, sections: Sequence[Sequence[str]]) -> Page:
    contents = tuple(content for section in sections for content in section)
    elements = page_document(ConditionalDocument("", url, contents)).elements
    ends = [sum(len(section) for section in sections[: at + 1]) for at in range(len(sections))]
    return Page(
        contents,
        tuple(element.text for element in elements),
        tuple(element.tag for element in elements),
        tuple(zip([0, *ends[:-1]], ends, strict=True)) if sections else (),
    )
