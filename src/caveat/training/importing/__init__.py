"""Checkpoints of transformers as model folders: readers, judges, rankers and taggers, through one exporter."""
