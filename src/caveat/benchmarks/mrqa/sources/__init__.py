"""MRQA 2019's 18 sub-domains, each from its own format, by the rules of the shared task."""
