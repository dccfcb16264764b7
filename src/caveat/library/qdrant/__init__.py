"""A library on Qdrant servers, at an address instead of in a folder."""
