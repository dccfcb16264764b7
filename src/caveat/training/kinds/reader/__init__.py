"""Training readers: spans of a text that answer a question."""
