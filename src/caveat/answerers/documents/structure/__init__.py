"""Conditions, coarse and fine answers in a text, and which of them belong together."""
