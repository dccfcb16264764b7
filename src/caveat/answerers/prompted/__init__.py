"""Answers from documents by a language model that is held to their text."""
