"""Answers that hold under conditions, from the rules of a page: yes or no, spans and lists."""
