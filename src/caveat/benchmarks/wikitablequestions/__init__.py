"""WikiTableQuestions: questions on one table each, and whether a denotation is the right one; no task here."""
