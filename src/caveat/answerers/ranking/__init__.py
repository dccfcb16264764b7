"""Which of several candidates, sentences or tables, answers a question: lexical evidence and its fitted combination."""
