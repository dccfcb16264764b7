"""Annotation: from raw text to a data set, by several people, with every decision kept."""
