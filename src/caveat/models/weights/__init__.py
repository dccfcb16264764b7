"""The embedded models, one folder each."""
