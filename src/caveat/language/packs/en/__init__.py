"""English."""

from __future__ import annotations

from caveat.language.packs import LanguagePack, words_file

__all__ = ["ENGLISH", "PACK"]

ENGLISH = "en"

PACK = LanguagePack(
    **words_file(__name__),
    code=ENGLISH,
    name="English",
    english_name="English",
    capitals_tell_names=True,
    spelling="a-z",
    rules="english",
    cues=".question:cues",
    type_by_words=".question:question_type",
    rewriting=".question:rewritten",
    inquiry=".follow_up:inquiry",
    completion=".ellipsis:whole",
)
