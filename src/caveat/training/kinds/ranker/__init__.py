"""Training rankers of sentences and tables, and fitting their lexical evidence."""
