"""Triples on disk: an index that is built once, looked up by name, and searched for the names in a question."""
