"""English clauses: subject, finite verb and the rest, found without a parser; enough to ask whether one is true."""

from __future__ import annotations

import re
from typing import NamedTuple

from caveat.language.packs.en.vocabulary import verbs, vocabulary

_CONTRACTIONS = {"re": "are", "ve": "have", "ll": "will", "m": "am"}
_CONTRACTED = re.compile(r"(.+?)(?:n['’]t|['’](re|ve|ll|m|d|s))", re.IGNORECASE)
_LONGEST_SUBJECT = 16
_BEFORE_SUBJECT = re.compile(
    r"\s*(?:(?:usually|normally|generally|however|otherwise|also|in most cases|for example|in addition),\s+"
    r"|(?:and|or|but|so)\s+)",
    re.IGNORECASE,
)
# "the estate can’t or doesn’t pay": one denial says it.
_TWICE_DENIED = re.compile(r"\b(?:\w+n['’]t|cannot|\w+ not) or (?=(?:\w+n['’]t|\w+ not)\b)", re.IGNORECASE)


class Clause(NamedTuple):
    """A clause: before the verb, the finite verb as a full form in lower case, and what follows it."""

    subject: str
    verb: str
    rest: tuple[str, ...]
    fronted: str = ""  # "before 15 May 2019" of "before 15 May 2019, you were …"


def bare(word: str) -> str:
    """A word in lower case without the marks around it."""
    return word.strip("()[]‘’'\"“”,;:.!?").lower()


def parse_clause(text: str) -> Clause | None:
    """The clause that a text begins with, or None for a phrase: "a man born in 1951", "live in England"."""
    text = _TWICE_DENIED.sub("", text)
    before = _BEFORE_SUBJECT.match(text)
    words = text[before.end() if before else 0 :].split()
    fronted, words = _without_fronted(words)
    if not words or not _may_begin_subject(words):
        return None
    expanded, origins = _expanded(words)
    at = _finite_verb(expanded)
    if not at:
        return None
    # Only what stands before the rest is written out: "who’s had a vaccine" stays.
    origin = origins[at]
    within = [
        piece for piece, other in zip(expanded[at + 1 :], origins[at + 1 :], strict=True) if other == origin
    ]
    rest = (*within, *words[origin + 1 :])
    return Clause(_lowered(" ".join(expanded[:at])), bare(expanded[at]), rest, fronted)


def is_verb_phrase(text: str) -> bool:
    """Whether a text begins with the base of a verb, as under "You must:", "not" before it or not."""
    english = vocabulary()
    words = [bare(word) for word in text.split()[:3]]
    while words and (words[0] == "not" or words[0] in english.adverbs):
        del words[0]
    return bool(words) and words[0] in verbs().bases


def _without_fronted(words: list[str]) -> tuple[str, list[str]]:
    """ "before 15 May 2019, you were …": the phrase before the comma, and the clause."""
    english = vocabulary()
    if not words or bare(words[0]) not in english.prepositions:
        return "", words
    for at, word in enumerate(words[:-1]):
        if word.endswith(",") and bare(_split(words[at + 1])[0]) in english.pronouns | {"your"}:
            return " ".join(words[: at + 1]).rstrip(","), words[at + 1 :]
    return "", words


def _may_begin_subject(words: list[str]) -> bool:
    english = vocabulary()
    first = bare(_split(words[0])[0])
    if first in english.pronouns or first in english.determiners:
        return True
    if (
        first in english.prepositions
        or first in english.auxiliaries
        or first in english.adverbs
        or first == "not"
    ):
        return False
    if len(words) > 1 and bare(words[1]) in english.auxiliaries:
        return True  # "repairs are not done", "work has begun"
    known = verbs()
    return not (
        first in known.gerunds
        or first in known.third_persons
        or (first in known.bases and not words[0][:1].isupper())
    )


def _split(word: str) -> tuple[str, ...]:
    """A contraction in its two words ("you’re", "don’t"), any other word alone; a possessive is no contraction."""
    english = vocabulary()
    found = _CONTRACTED.fullmatch(word)
    if found is None:
        return ("can", "not") if word.lower() == "cannot" else (word,)
    head, clitic = found[1], (found[2] or "").lower()
    if not clitic:
        head = {"ca": "can", "wo": "will", "sha": "shall"}.get(head.lower(), head)
        return (head, "not") if head.lower() in english.auxiliaries else (word,)
    if clitic in _CONTRACTIONS:
        return head, _CONTRACTIONS[clitic]
    if head.lower() in (english.before_contracted_is if clitic == "s" else english.pronouns):
        return head, "is" if clitic == "s" else "would"
    return (word,)


def _expanded(words: list[str]) -> tuple[list[str], list[int]]:
    """The words with contractions written out ("it’s been" is "it has been"), and which word each comes from."""
    participles = verbs().participles
    found: list[str] = []
    origins: list[int] = []
    for at, word in enumerate(words):
        pieces = list(_split(word)) if "’" in word or "'" in word or word.lower() == "cannot" else [word]
        following = bare(words[at + 1]) if at + 1 < len(words) else ""
        participle = following in participles and following != "read"
        if len(pieces) == 2 and pieces[1] == "is" and following in ("been", "got", "had"):
            pieces[1] = "has"
        elif len(pieces) == 2 and pieces[1] == "would" and participle:
            pieces[1] = "had"
        elif len(pieces) == 1 and following == "been" and word[-2:] in ("’s", "'s"):
            pieces = [word[:-2], "has"]  # "your rent’s been increased"
        found += pieces
        origins += [at] * len(pieces)
    return found, origins


def _finite_verb(words: list[str]) -> int | None:
    """Where the finite verb stands: the first auxiliary, or else a verb form that the subject allows."""
    english = vocabulary()
    pronoun = bare(words[0]) in english.pronouns
    # A bare noun ("equipment for sale", "meals included") is a subject only before an auxiliary.
    lexical = pronoun or bare(words[0]) in english.determiners or not words[0][:1].islower()
    plural_you = bare(words[0]) in ("you", "they", "we", "i", "these", "those")
    candidate: int | None = None
    inner = 0  # verbs still to come that belong to clauses inside the subject
    for at, word in enumerate(words[: _LONGEST_SUBJECT + 1]):
        plain = bare(word)
        if at == 0:
            if plain in english.auxiliaries:
                return None
            continue
        if plain in english.subordinators or (plain in english.pronouns and _follows_comma(words, at)):
            return candidate  # "council tenant, it is paid": another clause begins
        if plain in english.relatives or (plain in english.pronouns and not _is_part(words, at)):
            inner += 1
        elif plain in english.auxiliaries:
            if inner:
                inner -= 1
                continue
            if plain in ("do", "does", "did", "have", "has", "had") and candidate is not None and pronoun:
                return candidate
            return at if candidate is None or not _clause_between(words, candidate, at) else candidate
        elif (form := _form(plain, plural_you, words, at)) is not None:
            if inner:
                inner -= 1
            elif candidate is None and form and lexical:
                candidate = at
                following = bare(words[at + 1]) if at + 1 < len(words) else ""
                if pronoun or (following in english.determiners and plain not in verbs().participles):
                    return at  # "the notice says the animal is banned"
        if word[-1:] in ";:" and candidate is not None:
            break
    if candidate is None and (plural_you or bare(words[0]) in ("it", "he", "she")):
        at = next((at for at in range(1, len(words)) if bare(words[at]) not in english.adverbs), 0)
        word = words[at]
        agrees = plural_you or (word.endswith("s") and not word.endswith("ss"))
        return at if at and agrees and _may_be_a_verb(word) else None
    return candidate


def _may_be_a_verb(word: str) -> bool:
    """Right after "you" or "it" comes a verb, known or not, unless a mark or another kind of word does."""
    english = vocabulary()
    return (
        word.isalpha()
        and word.islower()
        and not (
            word in english.determiners
            or word in english.pronouns
            or word in english.prepositions
            or word in english.relatives
            or word in english.adverbs
            or word in ("and", "or", "not", "who", "themselves", "yourself")
            or word.endswith(("ed", "ing", "ly"))
        )
    )


def _is_part(words: list[str], at: int) -> bool:
    """ "you or they", "one of you": a pronoun that is joined or depends begins no clause inside the subject."""
    english = vocabulary()
    before = bare(words[at - 1])
    return _joins(words, at) or (
        before in english.prepositions and before not in english.subordinating_prepositions
    )


def _follows_comma(words: list[str], at: int) -> bool:
    """ "…, it is", "…, or it is"."""
    return words[at - 1 - (_joins(words, at) and at > 1)][-1:] == ","


def _joins(words: list[str], at: int) -> bool:
    return bare(words[at - 1]) in ("or", "and")


def _clause_between(words: list[str], start: int, end: int) -> bool:
    """Whether what stands between two verbs shows that the first is finite: a conjunction, or a comma."""
    return any(
        word[-1:] in ",;"
        or bare(word) in ("because", "if", "unless", "when", "while", "to", "and", "but", "that")
        for word in words[start:end]
    )


def _form(word: str, plural: bool, words: list[str], at: int) -> bool | None:
    """Whether a verb form can be finite after the subject so far; None if the word is no verb form."""
    english = vocabulary()
    known = verbs()
    before = bare(words[at - 1])
    if word in known.third_persons:
        # "your benefits", "the works": a noun right after its determiner; "benefits stop": the verb follows.
        following = bare(words[at + 1]) if at + 1 < len(words) else ""
        return not plural and before not in english.determiners and following not in known.bases
    if word in known.pasts:
        following = bare(words[at + 1]) if at + 1 < len(words) else ""
        # "a course provided by …", "goods sold abroad", "any meals included": a participle, not a past.
        pronoun = bare(words[0]) in english.pronouns
        reduced = (
            word in known.participles
            and not pronoun
            and (following == "by" or bare(words[0]) not in english.definite)
        )
        return before not in english.determiners and not reduced
    if word in known.bases:
        if plural:
            return (
                before in english.pronouns
                or before in english.adverbs
                or before.endswith(("s", "r", "t", "n", "d", ")"))
            )
        return before.endswith("s") and before not in english.determiners and not before.endswith("ss")
    return None


def _lowered(subject: str) -> str:
    """The subject as it stands inside a sentence: names and abbreviations keep their capitals."""
    english = vocabulary()
    first, _, rest = subject.partition(" ")
    if (
        first == "I"
        or not first[1:].islower()
        or (rest[:1].isupper() and bare(first) not in english.pronouns | english.determiners)
    ):
        return subject if first != "A" else "a" + subject[1:]
    return subject[:1].lower() + subject[1:]
