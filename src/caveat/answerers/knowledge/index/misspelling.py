"""What counts as one slip of the pen: a character wrong, missing or too many, or two neighbours swapped."""

from __future__ import annotations

from caveat.answerers.knowledge.index.folding import FIRST_WIDE

__all__ = ["is_slip"]

# An ideograph more or less at the end makes another name; in a long word of letters it may have been forgotten.
# A blank more or less is no slip in a short one: "is a" is not "Isa".
_LONG_WORD = 5


def is_slip(written: str, name: str) -> bool:
    """Whether a name may have been meant by what is written, which is not the same; digits are meant as they are."""
    begin = 0
    shorter = min(len(written), len(name))
    while begin < shorter and written[begin] == name[begin]:
        begin += 1
    end = 0
    while end < shorter - begin and written[-1 - end] == name[-1 - end]:
        end += 1
    wrong, right = written[begin : len(written) - end], name[begin : len(name) - end]
    if any(character.isdigit() for character in wrong + right):
        return False
    if len(wrong) == len(right):
        return len(wrong) == 1 or (len(wrong) == 2 and wrong == right[::-1])
    if len(wrong) + len(right) != 1:
        return False
    if 0 < begin < shorter and wrong + right != " ":
        return True
    return len(name) >= _LONG_WORD and all(ord(letter) < FIRST_WIDE for letter in name)
