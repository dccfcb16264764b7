"""English questions that are only begun: "And in winter?", "What about children?", "And when?", "What if I am 70?"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from caveat.language.ellipsis import Kind, cues, last_of, pattern
from caveat.language.packs.en.vocabulary import verbs, vocabulary

_WORD = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*|[^\w\s]")
# "The last", "the last one": the noun is the other's.
_WITHOUT_NOUN = re.compile(
    r"(the (?:first|second|third|last|next|other|\w+est))(?: ones?)?$|(.+) ones?$", re.IGNORECASE
)


class _Phrase(NamedTuple):
    """A noun phrase: its determiner, if it has one, its last word, and where it stands."""

    determiner: str
    head: str
    start: int
    end: int


def whole(line: str, before: str) -> tuple[str, str] | None:
    """The question that is meant, and what is supposed of the asker; None for a line that stands by itself."""
    english = cues().english
    if opening := pattern(rf"(?:{english.suppositions})\s+(?=\S)").match(line):
        clause = line[opening.end() :]
        if pattern(english.first_person).match(clause):
            return before, f"{clause[:1].upper()}{clause[1:]}."
        return f"{before} if {clause}", ""
    if pattern(rf"(?:and )?(?:{english.adverbs})").fullmatch(line):
        return _asked_otherwise(line.split()[-1], before)
    opening = pattern(rf"(?:{english.openings}),?\s+(?=\S)").match(line)
    if opening is None or _is_clause(part := line[opening.end() :]):
        return None
    return _with_part(part, before), ""


def _is_clause(part: str) -> bool:
    english = cues().english
    first, *others = part.split()
    return (
        first.casefold() in vocabulary().auxiliaries
        or pattern(english.wh).fullmatch(first) is not None
        or pattern(english.first_person).match(part) is not None
        or len(others) >= english.most_words
    )


def _asked_otherwise(adverb: str, before: str) -> tuple[str, str] | None:
    """ "Where can I pay?" – "And when?"."""
    first, _, rest = before.partition(" ")
    auxiliaries = vocabulary().auxiliaries
    if first.casefold() in auxiliaries:
        return f"{adverb.capitalize()} {first.lower()} {rest}", ""
    inverted = rest.split(" ")[0].casefold() in auxiliaries
    if inverted and pattern(cues().english.adverbs).fullmatch(first):
        return f"{adverb.capitalize()} {rest}", ""
    return None


def _with_part(part: str, before: str) -> str:
    first, _, rest = part.partition(" ")
    preposition, core = (
        (first, rest) if rest and first.casefold() in vocabulary().prepositions else ("", part)
    )
    if (kind := _kind_of(core)) is not None:
        if span := last_of(pattern(rf"\b(?:{kind.english})\b"), before):
            return _in_place(preposition, core, before, *span)
        return " ".join(filter(None, (before, preposition or kind.preposition, core)))
    phrases = [each for each in _phrases(before) if _kind_of(before[each.start : each.end]) is None]
    if preposition:
        phrases = [each for each in phrases if _word_before(before, each.start) == preposition.casefold()]
    if not phrases:
        return f"{before} {part}" if preposition else f"{before}, {part}"
    given = next(_phrases(core), None)
    # Of those that are as much like it the last: what is new comes late in a sentence.
    best = max(phrases, key=lambda each: (_likeness(given, each), each.start))
    if lacking := _WITHOUT_NOUN.match(core):
        core = f"{lacking[1] or lacking[2]} {best.head}"
    return before[: best.start] + core + before[best.end :]


def _kind_of(text: str) -> Kind | None:
    return next((kind for kind in cues().kinds if pattern(kind.english).fullmatch(text)), None)


def _in_place(preposition: str, core: str, before: str, start: int, end: int) -> str:
    """With its own preposition, where it has one, in place of the other's."""
    if preposition and _word_before(before, start) in vocabulary().prepositions:
        start = before[:start].rstrip().rfind(" ") + 1
        core = f"{preposition} {core}"
    return before[:start] + core + before[end:]


def _word_before(text: str, start: int) -> str:
    return text[:start].rstrip().rpartition(" ")[2].casefold()


def _phrases(text: str) -> Iterator[_Phrase]:
    """The noun phrases: what stands between the small words and the verbs."""
    determiner: re.Match[str] | None = None
    run: list[re.Match[str]] = []
    has_verb = False
    for word in (*_WORD.finditer(text), None):
        if word is not None and not _is_small(word[0].casefold()):
            run.append(word)
            continue
        at = _verb_of(run, determiner is not None, has_verb)
        has_verb |= at < len(run)
        yield from _around(at, run, determiner)
        determiner = word if word is not None and word[0].casefold() in vocabulary().determiners else None
        run = []


def _verb_of(run: list[re.Match[str]], determined: bool, has_verb: bool) -> int:
    """Where the verb of a run stands, or its end: one that may be a noun is none behind another verb."""
    # Right behind a determiner stands no verb: "the last ferry", "a book".
    places = range(len(run) - 1, int(determined) - 1, -1)
    nouns = vocabulary().verbs_and_nouns if has_verb else frozenset()
    return next((at for at in places if run[at][0] not in nouns and _is_verb(run[at][0])), len(run))


def _around(at: int, run: list[re.Match[str]], determiner: re.Match[str] | None) -> Iterator[_Phrase]:
    """What stands before the verb of a run and after it: "the ferry | take | dogs"."""
    for words, opening in ((run[:at], determiner), (run[at + 1 :], None)):
        if words:
            start = (opening or words[0]).start()
            yield _Phrase(opening[0].casefold() if opening else "", words[-1][0], start, words[-1].end())


def _is_verb(word: str) -> bool:
    known = verbs()
    return (
        word in known.bases
        or word in known.pasts
        or (word.islower() and word.endswith("ed"))
        or pattern(cues().english.adjectives).fullmatch(word) is not None
    )


def _is_small(word: str) -> bool:
    words, english = vocabulary(), cues().english
    return (
        not word[0].isalnum()
        or word in words.determiners | words.prepositions | words.pronouns | words.auxiliaries
        or pattern(english.wh, english.measures).fullmatch(word) is not None
    )


def _likeness(given: _Phrase | None, phrase: _Phrase) -> int:
    """The same head tells most, then that both are names, then determiner, then number."""
    if given is None:
        return 0
    return (
        8 * (given.head.casefold() == phrase.head.casefold())
        + 4 * (given.head[0].isupper() and phrase.head[0].isupper())
        + 2 * (given.determiner == phrase.determiner)
        + (given.head.endswith("s") == phrase.head.endswith("s"))
    )
