"""From sources and a question to a reply."""
