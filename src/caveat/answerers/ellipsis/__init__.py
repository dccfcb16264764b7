"""Questions that are only begun, completed by the one before."""
