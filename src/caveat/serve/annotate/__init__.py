"""The page on which a project is annotated."""
