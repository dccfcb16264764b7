"""Training taggers: all the spans of a text, by kind."""
