"""Training judges of conditions, and fitting what says yes, no or it depends."""
