"""`python -m caveat.benchmarks.conditionalqa`: the figures of docs/conditions.md, one JSON object."""

from __future__ import annotations

import argparse
import sys

import msgspec

from caveat.benchmarks.conditionalqa import format as conditionalqa
from caveat.benchmarks.conditionalqa import rule_agreement as measure
from caveat.benchmarks.sharc import format as sharc
from caveat.core.errors import CaveatError


def main() -> int:
    """Measures on the files that are given, and prints what it measured."""
    parser = argparse.ArgumentParser(
        prog="python -m caveat.benchmarks.conditionalqa", description=measure.__doc__
    )
    parser.add_argument("--documents", help="ConditionalQA's documents.json")
    parser.add_argument("--questions", help="questions on these documents, with answers and evidences")
    parser.add_argument("--evidences", help="questions without documents: their evidences stand for them")
    parser.add_argument("--sharc", help="a ShARC file")
    given = parser.parse_args()
    figures: dict[str, object] = {}
    try:
        if given.documents and given.questions:
            pages = conditionalqa.read_documents(given.documents)
            figures["documents"] = measure.found_in_documents(pages, conditionalqa.read(given.questions))
        if given.evidences:
            figures["evidences"] = measure.found_in_evidences(conditionalqa.read(given.evidences))
        if given.sharc:
            utterances = sharc.read(given.sharc)
            figures["follow_up"] = measure.agreement_with_sharc(utterances)
            figures["judge"] = measure.judged_on_sharc(utterances)
    except CaveatError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if not figures:
        parser.error("nothing to measure: give --documents with --questions, --evidences or --sharc")
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(figures)).decode() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
