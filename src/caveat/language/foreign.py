"""Whether a text is in a language without a pack: by its script, and by English's small words."""

from __future__ import annotations

import re

from caveat.core.languages import count_han, language_of
from caveat.language.packs.en import ENGLISH
from caveat.language.packs.zh import CHINESE

# So much of a text is looked at; of fewer letters or words nothing can be said.
_LOOKED_AT, _FEWEST_LETTERS, _FEWEST_WORDS = 20_000, 80, 40
# English prose has about one in five of these; other languages in Latin letters hardly any, lists of names few.
_WORDS = "the and of to is that with this are from by have not you which they their your for it as be or can"
_ENGLISH = frozenset(_WORDS.split())
_LEAST_ENGLISH = 0.06
# So few of them are in no English list of names and addresses; of more it is the small words of others that tell.
_NO_ENGLISH = 0.015
_WORDS_OF_OTHERS = (
    "der die das und ist nicht mit von den dem ein eine auf zu le la les des et un une du en dans que est pour el los "
    "las por con para una del di il che per non gli het een van op och att det som på na je się nie jest w z os um da "
    "não uma com ve bir bu için yang dan ini và của là"
)
_OF_OTHERS = frozenset(_WORDS_OF_OTHERS.split())
_KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ÖØ-öø-ɏ]+")
# The rest of the world's letters.
_LETTER = re.compile(r"[^\W\d_]")


def is_foreign(text: str) -> bool:
    """Whether it is; a text that is too short to tell, or has few words such as a table or a program, is not."""
    text = text[:_LOOKED_AT]
    if language_of(text) not in (ENGLISH, CHINESE):
        return False  # a pack from outside knows it
    letters = len(_LETTER.findall(text))
    if letters < _FEWEST_LETTERS:
        return False
    if 10 * len(_KANA_OR_HANGUL.findall(text)) > letters:
        return True
    words = _LATIN_WORD.findall(text)
    latin, han = sum(map(len, words)), count_han(text)
    if 2 * (latin + han) < letters:
        return True
    if 4 * han > latin or len(words) < _FEWEST_WORDS:
        return False
    english = sum(word.lower() in _ENGLISH for word in words) / len(words)
    if not _NO_ENGLISH <= english < _LEAST_ENGLISH:
        return english < _LEAST_ENGLISH
    return sum(word.lower() in _OF_OTHERS for word in words) > english * len(words)
