"""`python -m caveat.cli.measure_knowledge`: the figures of docs/knowledge.md.

Measures questions that the embedded model has not seen, those whose text has the smallest hashes, beside the longest
name and shared characters alone; with --distractors among predicates of similar entities.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, as the module's command."""
    import argparse

    from caveat.answerers.knowledge.index.build import open_knowledge
    from caveat.answerers.knowledge.matching import embedded_matching, read_matching
    from caveat.benchmarks.nlpcc.kbqa.distractors import SimilarEntities
    from caveat.benchmarks.nlpcc.kbqa.format import read
    from caveat.benchmarks.nlpcc.kbqa.held_out import held_out
    from caveat.benchmarks.nlpcc.kbqa.measure import HELD_OUT, by_model, by_overlap, figures
    from caveat.cli.terminal import print_scores, tracked
    from caveat.core.errors import CaveatError

    parser = argparse.ArgumentParser(prog="python -m caveat.cli.measure_knowledge", description=__doc__)
    parser.add_argument("--data", required=True, help="questions in the task's format")
    parser.add_argument("--kb", required=True, help="the base: an index or a file of triples")
    parser.add_argument("--model", help="a matching.json; the embedded one")
    parser.add_argument("--questions", type=int, default=HELD_OUT, help="so many, by the hash of their text")
    parser.add_argument(
        "--distractors", type=int, default=0, help="predicates to mix with those of each gold entity"
    )
    given = parser.parse_args(arguments)
    try:
        questions = held_out(read(given.data), given.questions)
        base = open_knowledge(given.kb)
        model = read_matching(given.model) if given.model else embedded_matching()
    except CaveatError as error:
        parser.exit(1, f"caveat: {error}\n")
    similar = SimilarEntities(base.triples()) if given.distractors else None
    for title, answer in (("longest name, shared characters", by_overlap), ("fitted", by_model(model))):
        print_scores(
            title,
            figures(
                answer,
                base,
                questions,
                similar=similar,
                distractors=given.distractors,
                through=lambda items: tracked(items, "asking", len(questions)),
            ),
        )


if __name__ == "__main__":
    main()
