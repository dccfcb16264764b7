"""Replies as trees for the terminal and as HTML pages; distributions as pictures."""
