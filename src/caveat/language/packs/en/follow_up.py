"""An English condition as a yes/no question to the asker: "you own a dog" → "Do you own a dog?"."""

from __future__ import annotations

import re
from functools import cache

from caveat.language.follow_up import Inquiry
from caveat.language.packs.en.clause import (
    Clause,
    bare,
    parse_clause,
)
from caveat.language.packs.en.connectives import without_aside
from caveat.language.packs.en.introduction import completed, stem_of
from caveat.language.packs.en.vocabulary import any_of, verbs, vocabulary

_LONGEST = 400
_DROPPED = frozenset({"also", "either"})
_DROPPED_OF_DEMANDS = _DROPPED | {"normally", "usually", "generally"}
_EXAMPLE = re.compile(
    r",? (?:for example|for instance|eg|e\.g\.) [^()]*$| \((?:for example|for instance|such as|eg) [^()]*\)"
)
_LEADING = re.compile(
    r"(?:and|or|but|only if|only when|only|even if|if|when|where|that|unless|provided that|provided|as long as|"
    r"so long as|given that|assuming that|assuming|once)\s+",
    re.IGNORECASE,
)
_TRAILING = re.compile(r"[\s,;:.]*(?:[,;]?\s+(?:and|or))?[\s,;:.]*$", re.IGNORECASE)
_STATES = re.compile(
    r"(?:(?:over|under|above|below|between|at least|at most|aged)"
    r"(?! [$£€]?[\d,.]+ (?!years?\b|months?\b|or\b|and\b|to\b)[^\W\d_])|"
    r"\d+ (?:or (?:older|over|above|under|younger)|years? (?:old|of age)|and (?:over|older|under))|"
    r"in(?! case of| the event| addition| order| the case)|on|at(?! least| most)|of|from|outside|about|out of|"
    r"no longer|unable|able|eligible|entitled|exempt|disabled|blind|deaf|ill|sick|pregnant|single|homeless|"
    r"unemployed|self-employed|british|born|severely|temporarily|terminally|legally|widowed|resident)\b",
    re.IGNORECASE,
)


def inquiry(text: str, introduction: str = "") -> Inquiry:
    """The question that settles an English condition, and how its answer is to be read."""
    words = _clean(text)
    denied, said = _without_denial(words)
    if denied and (asked := _asked(said, introduction)) is not None and not asked.negated:
        return Inquiry(asked.question, True)
    return _asked(words, introduction) or Inquiry(f'Does this apply: "{words}"?')


def _asked(words: str, introduction: str) -> Inquiry | None:
    clause = parse_clause(words)
    if introduction and (clause is None or bare(stem_of(introduction)[-4:]) in vocabulary().determiners):
        clause = parse_clause(completed(introduction, _lowered(words)))
    if clause is not None and (found := _question(clause)):
        return found if clause.subject.split()[0] not in _DENIED else None
    return _fragment(words)


# What denies before or in place of a subject, and what is asked instead.
_DENIED = {
    "nobody": "anybody", "nothing": "anything", "none": "any", "neither": "either", "no": "any",
}  # fmt: skip
_NO_ONE = re.compile(r"no[ -]one\b", re.IGNORECASE)
# Measures, not denials: "no more than 3".
_NO_DENIAL = re.compile(
    r"no (?:more|fewer|less|later|earlier|longer|sooner|older|younger|matter)\b", re.IGNORECASE
)
_NO_LONGER = re.compile(r"\bno longer\b", re.IGNORECASE)
_NEVER = re.compile(r"\bnever\b", re.IGNORECASE)
_THERE_IS_NO = re.compile(
    r"(there(?:['’]s| is| are| was| were| has been| have been)) no(?! longer| more)\b", re.IGNORECASE
)
_WITHOUT = re.compile(r"without (?!\w+ing\b)", re.IGNORECASE)


def _without_denial(words: str) -> tuple[bool, str]:
    """Whether a word denies what a clause says, and the clause without it: "no longer" → "still"."""
    if found := _THERE_IS_NO.match(words):
        return True, f"{found[1]} any{words[found.end() :]}"
    for pattern, instead in ((_NO_LONGER, "still"), (_NEVER, "ever")):
        if found := pattern.search(words):
            return True, words[: found.start()] + instead + words[found.end() :]
    if found := _NO_ONE.match(words):
        return True, f"anyone{words[found.end() :]}"
    if found := _WITHOUT.match(words):
        return True, f"with {words[found.end() :]}"
    first, _, rest = words.partition(" ")
    if rest and first.lower() in _DENIED and not _NO_DENIAL.match(words):
        return True, f"{_DENIED[first.lower()]} {rest}"
    return False, words


def _clean(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > _LONGEST:
        text = text[:_LONGEST].rsplit(" ", 1)[0] + " …"
    text = _EXAMPLE.sub("", without_aside(text))
    while leading := _LEADING.match(text):
        text = text[leading.end() :]
    return _TRAILING.sub("", text)


def _lowered(words: str) -> str:
    """An item as it goes on inside its sentence: only plain words lose their capital."""
    english = vocabulary()
    first = words.split(maxsplit=1)[0] if words else ""
    plain = (
        bare(first) in english.pronouns | english.determiners
        or bare(first) in verbs().bases
        or bare(first) == "not"
    )
    return words[:1].lower() + words[1:] if plain and first != "I" else words


def _question(clause: Clause) -> Inquiry | None:
    """The clause as a question; two clauses that share a subject are asked one after the other."""
    at = _second_verb(clause)
    if at is None:
        return _single(clause)
    joint = clause.rest[at]
    first = _single(clause._replace(rest=clause.rest[:at]))
    second = _single(Clause(clause.subject, bare(clause.rest[at + 1]), clause.rest[at + 2 :], clause.fronted))
    if first is None or second is None or first.negated or second.negated:
        return None
    other = second.question[0].lower() + second.question[1:]
    return Inquiry(f"{first.question.rstrip('?')}, {joint} {other}")


def _second_verb(clause: Clause) -> int | None:
    """Where "and" or "or" joins a verb that cannot follow the first in a question: "are dismissed | or resign"."""
    english, known = vocabulary(), verbs()
    many = _is_plural(clause.subject)
    is_auxiliary = clause.verb in english.auxiliaries and not (
        clause.verb in ("have", "has", "had") and not _is_participle(_first_word(list(clause.rest)))
    )
    for at, word in enumerate(clause.rest[:-1]):
        following = clause.rest[at + 1]
        plain = bare(following)
        if word not in ("and", "or") or following != plain:
            continue
        if plain in english.auxiliaries and plain not in ("do", "does", "did"):
            after = bare(clause.rest[at + 2]) if at + 2 < len(clause.rest) else ""
            if is_auxiliary or plain not in ("have", "has", "had") or _is_participle(after):
                return at
        elif (
            clause.verb in ("is", "are", "was", "were")
            and plain in (known.bases if many else known.third_persons)
            and plain not in english.verbs_and_nouns
            and plain not in known.participles
        ):
            return at
    return None


def _single(clause: Clause) -> Inquiry | None:
    verb, rest = clause.verb, list(clause.rest)
    if bare(clause.subject.split()[0]) == "you" and {"or", "and"} & set(clause.subject.split()):
        verb = {"is": "are", "was": "were", "has": "have"}.get(verb, verbs().third_persons.get(verb, verb))
    known = verbs()
    if verb == "must":
        return _required(clause.subject, rest, clause.fronted)
    if verb in ("is", "are", "was", "were", "am"):
        return _inverted(verb, clause, rest)
    if verb in ("can", "could", "will", "would", "should", "shall", "may", "might"):
        return _inverted({"may": "could", "might": "could"}.get(verb, verb), clause, rest)
    following = _first_word(rest)
    if verb in ("have", "has", "had"):
        if _is_participle(following):
            return _inverted(verb, clause, rest)
        return _with_do({"have": "do", "has": "does", "had": "did"}[verb], clause, ["have", *rest])
    if verb in ("do", "does", "did") and (_negated(rest) or following in known.bases):
        return _inverted(verb, clause, rest)
    singular = known.third_persons.get(verb)
    if singular:
        return _with_do("does", clause, [singular, *rest])
    if verb in known.bases and (verb not in known.pasts or bare(clause.subject) in ("you", "they")):
        return _with_do("do", clause, [verb, *rest])
    if past := known.pasts.get(verb):
        return _with_do("did", clause, [past, *rest])
    # Unknown: it stands right after "you", or with its ending right after "it".
    if bare(clause.subject) in ("it", "he", "she"):
        return _with_do("does", clause, [verb.removesuffix("s"), *rest])
    return _with_do("do", clause, [verb, *rest])


def _required(subject: str, words: list[str], fronted: str) -> Inquiry | None:
    """ "The donor must have paid": what is required, asked for."""
    english = vocabulary()
    negated, words = _without_adverbs(words, _DROPPED_OF_DEMANDS)
    if not words:
        return None
    many = _is_plural(subject)
    at = next((at for at, word in enumerate(words) if bare(word) not in english.adverbs), 0)
    before, first, rest = words[:at], bare(words[at]), words[at + 1 :]
    if first == "be":
        return Inquiry(_sentence("are" if many else "is", subject, [*before, *rest], fronted), negated)
    if first == "have" and _is_participle(_first_word(rest)):
        return Inquiry(_sentence("have" if many else "has", subject, [*before, *rest], fronted), negated)
    if first in verbs().bases:
        return Inquiry(_sentence("do" if many else "does", subject, words, fronted), negated)
    return None


def _is_participle(word: str) -> bool:
    """Whether "have" before it is an auxiliary: "have paid", "have merged", not "have a key", "have settled status"."""
    return word not in vocabulary().descriptive_participles and (
        word in verbs().participles or (word.endswith("ed") and len(word) > 4)
    )


def _is_plural(subject: str) -> bool:
    """Whether the subject goes with "do" and "are"."""
    english = vocabulary()
    words = subject.split()
    head = next(
        (at for at, word in enumerate(words) if at and bare(word) in english.after_the_head), len(words)
    )
    first, last = bare(words[0]), bare(words[head - 1])
    if first in ("you", "they", "we", "these", "those", "i", "all", "both") or "and" in words[:head]:
        return True
    if first in ("it", "he", "she", "this", "that", "each", "every", "a", "an", "one", "another"):
        return False
    return (last.endswith("s") and not last.endswith(("ss", "us", "is"))) or last in ("people", "children")


def _inverted(verb: str, clause: Clause, rest: list[str]) -> Inquiry | None:
    negated, rest = _without_adverbs(rest)
    if not rest:
        return None
    if rest[0].lower() == "no" and len(rest) > 1 and verb not in ("is", "are", "was", "were"):
        negated, rest = not negated, ["any", *rest[1:]]
    return Inquiry(_sentence(verb, clause.subject, rest, clause.fronted), negated)


def _with_do(verb: str, clause: Clause, words: list[str]) -> Inquiry:
    english = vocabulary()
    base, rest = words[0], words[1:]
    negated = False
    if rest and rest[0].lower() == "no" and len(rest) > 1 and bare(rest[1]) != "longer":
        negated, rest = True, ["any", *rest[1:]]
    before = [word for word in clause.subject.split()[1:] if bare(word) in english.adverbs]
    subject = " ".join(word for word in clause.subject.split() if word not in before)
    kept = [word for word in before if bare(word) not in _DROPPED]
    rest = _joined_verbs(rest, verb)
    return Inquiry(_sentence(verb, subject, [*kept, base, *rest], clause.fronted), negated)


def _joined_verbs(words: list[str], verb: str) -> list[str]:
    """ "works and pays tax" → "work and pay tax": verbs joined to the first lose their ending as well."""
    forms = {"does": verbs().third_persons, "did": verbs().pasts}.get(verb, {})
    found = list(words)
    for at in range(1, len(words)):
        if bare(words[at - 1]) in ("and", "or", "but") and (base := forms.get(words[at])):
            found[at] = base
    return found


def _without_adverbs(words: list[str], dropped: frozenset[str] = _DROPPED) -> tuple[bool, list[str]]:
    """Whether "not" stands before the first word that matters, and the words without it and without fillers."""
    english = vocabulary()
    negated, kept = False, list[str]()
    for at, word in enumerate(words):
        plain = bare(word)
        if plain == "not" and not negated:
            negated = True
        elif plain not in english.adverbs:
            return negated, kept + words[at:]
        elif plain not in dropped:
            kept.append(word)
    return negated, kept


def _negated(words: list[str]) -> bool:
    return _without_adverbs(words)[0]


def _first_word(words: list[str]) -> str:
    english = vocabulary()
    rest = _without_adverbs(words)[1]
    return next((bare(word) for word in rest if bare(word) not in english.adverbs), "")


def _sentence(verb: str, subject: str, rest: list[str], fronted: str) -> str:
    words = " ".join((verb, subject, *rest, *([fronted] if fronted else []))).rstrip(" ,;:.")
    return words[:1].upper() + words[1:] + "?"


def _fragment(text: str) -> Inquiry | None:
    """A phrase about the asker: what one is ("over 60"), or does ("live in England")."""
    words = text.split()
    negated, words = _without_adverbs(words)
    if not words:
        return None
    first, known = bare(words[0]), verbs()
    words[0] = (
        words[0][:1].lower() + words[0][1:]
        if first in known.bases or first in vocabulary().determiners
        else words[0]
    )
    if first in known.bases:
        return _required("you", ["not", *words] if negated else words, "")
    rest = " ".join(words)
    lowered = rest[:1].lower() + rest[1:]
    if first in ("for", "during", "after", "before", "within", "until") or _IMPERSONAL.match(lowered):
        return Inquiry(f"Is this {lowered}?", negated)
    if first == "with" and len(words) > 1 and bare(words[1]) not in known.gerunds:
        return Inquiry(f"Do you have {' '.join(words[1:])}?", negated)
    if first == "any" and len(words) > 1:
        return Inquiry(f"{'Are' if _is_plural(' '.join(words[1:])) else 'Is'} there {lowered}?", negated)
    if (
        first in known.participles
        and len(words) > 1
        and bare(words[1]) == "by"
        and first not in vocabulary().done_to_persons
    ):
        return Inquiry(f"Is this {lowered}?", negated)
    if (group := _group(lowered)) is not None:
        return Inquiry(group, negated)
    if first in known.participles and (at := _joined_base(words)) is not None:
        other = _required("you", words[at + 1 :], "")
        if other is None:
            return None
        begin = " ".join(words[:at])
        return Inquiry(
            f"Are you {begin[:1].lower() + begin[1:]}, {words[at]} {other.question[0].lower() + other.question[1:]}",
            negated,
        )
    if (
        _STATES.match(rest)
        or _role().match(rest)
        or first in known.gerunds
        or (first in known.participles and first not in known.bases)
    ):
        return Inquiry(f"Are you {rest[:1].lower() + rest[1:] if words[0].istitle() else rest}?", negated)
    return None


_IMPERSONAL = re.compile(
    r"(?:necessary|possible|applicable|appropriate|available|needed|relevant|feasible|practicable|requested|required)"
    r"(?: (?:by|to|for|in|at|on)\b.*)?$"
)
_WHO = re.compile(r"\bwho (\w+)")


def _joined_base(words: list[str]) -> int | None:
    """Where "or" or "and" joins the base of a verb to a participle: "terminated or resign"."""
    known, english = verbs(), vocabulary()
    for at in range(1, len(words) - 1):
        plain = bare(words[at + 1])
        if words[at] in ("and", "or") and plain in known.bases and plain not in known.participles:
            return None if plain in english.verbs_and_nouns else at
    return None


def _group(text: str) -> str | None:
    """ "students with a card": whether the asker is one of them."""
    found = _roles().match(text)
    if found is None:
        return None
    one = f"{found[1]}{found[2]}{text[found.end() :]}".removesuffix(" only")
    thirds = {base: third for third, base in verbs().third_persons.items()} | {"are": "is", "were": "was"}
    one = _WHO.sub(lambda who: f"who {thirds.get(who[1], who[1])}", one, count=1)
    return f"Are you {'an' if one[0] in 'aeiou' else 'a'} {one}?"


@cache
def _roles() -> re.Pattern[str]:
    """Several of what someone may be, with words that describe them before."""
    roles = any_of(role for role in vocabulary().roles if not role.endswith(("man", "child", "y")))
    return re.compile(
        rf"((?:[a-z]+(?:-[a-z]+)* ){{0,2}}?)({roles})s\b(?! (?:is|are|was|were|has|have|must|can|may)\b)"
    )


@cache
def _role() -> re.Pattern[str]:
    """ "a tenant", "a member of a club": what someone is."""
    return re.compile(rf"(?:an?)\b[^,;(]*?\b{any_of(vocabulary().roles)}s?\b", re.IGNORECASE)
