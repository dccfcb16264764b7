"""Questions on tables without a model: which table, which rows and cells, and what can be computed from them."""
