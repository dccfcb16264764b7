"""Words, and in Chinese characters, that say nothing of what a text is about; the lists are in the languages' packs."""

from __future__ import annotations

from caveat.language.packs import en, zh

STOP_WORDS = en.PACK.stop_words | zh.PACK.stop_words
"""In questions and in texts that are asked, in the languages that come with the package."""

CONDITION_STOP_WORDS = STOP_WORDS | en.PACK.condition_stop_words | zh.PACK.condition_stop_words
"""In conditions and in what an asker says of themselves."""
