"""Every rule of `caveat check`, with one sentence on what it finds."""

from __future__ import annotations

__all__ = ["RULES"]

RULES: dict[str, str] = {
    # Whatever has questions.
    "duplicate-id": "Two questions have the same id, so that one prediction would answer both.",
    "empty-question": "A question has no text.",
    "empty-context": "A question stands on a context without text.",
    "duplicate-question": "A question is asked twice, under different ids, on the same passage.",
    "no-answer": "A question has no answer, in data whose questions have one or say that there is none.",
    "answerability-contradiction": (
        "A question marked unanswerable (is_impossible, not_answerable) has answers, "
        "or one marked answerable has none."
    ),
    # Extractive answers: squad, squad2, cmrc2018.
    "offset-mismatch": (
        "An answer stands in the context, though not at the offset given; "
        "for CMQA, a span's text is not what stands at its offsets."
    ),
    "answer-not-in-context": (
        "An answer stands nowhere in the context, so that no extractive system can give it; "
        "the yes and no answers of mixed sets such as CAIL are found by this too."
    ),
    "empty-answer": "One of a question's several gold answers has no text.",
    # CMRC 2018's guideline for annotators.
    "too-many-questions": "A passage has more than the five questions that CMRC's guideline allows.",
    "long-answer": (
        "An answer has more than the 30 characters that CMRC's guideline allows; "
        "the published training set itself breaks this for one question in five."
    ),
    # MRQA.
    "missing-header": "A file does not begin with MRQA's header line.",
    "token-mismatch": "A context token is not what stands in the context at its offset.",
    "too-many-tokens": "A context has more than MRQA's 800 tokens.",
    "span-text-mismatch": "The characters of a detected answer do not normalise to the answer.",
    "span-not-aligned": "A detected answer begins or ends within a token.",
    "token-span-mismatch": "token_spans and char_spans of a detected answer are different places.",
    # CMQA.
    "duplicate-sample": "The same question on the same context stands in the file twice.",
    "duplicate-span": "A span is listed twice under one type.",
    "overlapping-spans": "Two spans of one type share characters.",
    "touching-spans": (
        "Two spans of one type have nothing between them: what is one answer is annotated as one "
        "(a list written without commas is found too)."
    ),
    "coarse-levels": "A coarse answer is also a fine one, or stands within another coarse one.",
    "mostly-annotated": (
        "Spans cover more than half of the context, so that little was chosen; "
        "true of one published sample in six, mostly where the conditions are long."
    ),
    "duplicate-relation": "A relation is listed twice.",
    "relation-end": "An end of a relation is no span of the sample, or one of the wrong type.",
    # ConditionalQA.
    "duplicate-condition": "An answer has the same condition twice.",
    "unknown-url": "No document has the question's url.",
    "evidence-not-element": "An evidence is not, to the letter, an element of the document.",
    "condition-not-element": "A condition is not, to the letter, an element of the document.",
    "answer-not-in-document": "An answer is neither yes nor no, nor, once normalised, within an element.",
    "duplicate-url": "Two documents have the same url.",
    "empty-element": "An element of a document has no text.",
    "unknown-tag": "An element of a document is no heading, paragraph, list item or table row.",
    # NLPCC KBQA and its knowledge base.
    "malformed-triple": "A triple is not subject, predicate and object, or one of them is empty.",
    "answer-not-object": "The object of a question's triple is not among its answers.",
    # NLPCC DBQA and TBQA.
    "no-positive": "No candidate of a question is labelled right, so that every system scores 0 on it.",
    "single-candidate": (
        "A question has one candidate only, so that every system scores full marks on it; "
        "harmless in training files of single pairs."
    ),
    "duplicate-candidate": "A candidate comes twice for one question, with the same label.",
    "contradictory-labels": "A candidate comes twice for one question, with different labels.",
    "split-question": "A question's candidates stand at two places; the task's grouping by text merges them.",
    "unknown-table": "A candidate names a table that is not in the file of tables.",
    "empty-table": "A table has no cell with text.",
    "duplicate-header": (
        "Columns of a table have the same header; common where the source had merged header cells."
    ),
    "ragged-row": "A row of a table has not as many cells as the table has headers.",
    # MultiSpanQA.
    "inside-without-begin": "A token is labelled I although the one before it is labelled O or missing.",
    "no-span": "No token is labelled as part of an answer.",
    "span-count-mismatch": "num_span is not the number of labelled spans.",
}
