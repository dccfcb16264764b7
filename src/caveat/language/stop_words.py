"""Words, and in Chinese characters, that say nothing about what a question is about."""

from __future__ import annotations

__all__ = ["STOP_WORDS"]

_WORDS = (
    "a an the of in on at to for from by with and or is are was were be been being am do does did done has have had "
    "having it its this that these those he she they his her their theirs him them there here as not no nor how many "
    "much what which who whom whose when where why will would can could should may might shall than then so if but "
    "about into onto also any all each every some such you i we me my your our us tell give show list name please find "
    "say out up down off only just very too more most less least s t"
)
_CHARACTERS = "的了是在有和与及或吗呢吧啊么请问这那哪个什些几谁为被把从到对于就都也还而且其之所以个"

STOP_WORDS = frozenset((*_WORDS.split(), *_CHARACTERS))
