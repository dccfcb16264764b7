"""Training the published families of conditional answers: pipeline, hops, fusion."""
