"""Fitting which predicate a question asks for."""
