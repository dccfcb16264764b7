"""Weights for questions on tables: which table, and how probable an interpretation is."""
