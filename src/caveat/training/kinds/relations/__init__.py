"""Fitting which conditions, coarse and fine answers belong together."""
