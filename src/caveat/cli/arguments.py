"""Arguments that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["DataName", "Documents", "JsonFlag", "Kb", "Mentions", "TableFile", "TaskName"]

DataName = Annotated[
    str,
    typer.Argument(
        metavar="TASK",
        show_default=False,
        help="A task (mrqa, squad, squad2, cmrc2018, cmqa, multispan, conditionalqa, nlpcc-kbqa, nlpcc-dbqa, "
        "nlpcc-tbqa) or other data (nlpcc-kb, nlpcc-mentions, sharc, subjqa).",
    ),
]
TaskName = Annotated[
    str,
    typer.Argument(
        metavar="TASK",
        show_default=False,
        help="mrqa, squad, squad2, cmrc2018, cmqa, multispan, conditionalqa, nlpcc-kbqa, nlpcc-dbqa or nlpcc-tbqa.",
    ),
]
JsonFlag = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else there.")
]
Documents = Annotated[
    str | None,
    typer.Option("--documents", help="What the data refers to: documents, abstracts, evidence, answer key …"),
]
TableFile = Annotated[
    str | None, typer.Option("--tables", help="nlpcc-tbqa: the tables, where the data names them by id.")
]
Kb = Annotated[
    str | None, typer.Option("--kb", help="nlpcc-kbqa: the triples, `subject ||| predicate ||| object`.")
]
Mentions = Annotated[str | None, typer.Option("--mentions", help="nlpcc-kbqa: the mention list.")]
