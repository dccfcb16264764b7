"""Many sources on disk: kept as they were read, searched, and asked together."""
