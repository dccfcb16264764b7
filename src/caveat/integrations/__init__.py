"""Caveat inside of other programs: assistants by the Model Context Protocol, Haystack, LangChain."""
