"""The benchmarks: a folder each, with its format, metric, statistics, checks and prediction."""
