"""What goes into a project comes out of it, in every format."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.annotation.conversion import KINDS, cmqa_entries, passage_entries
from caveat.annotation.exchange import export, export_formats, import_works, read_entries
from caveat.annotation.other_tools import (
    labelling_config,
    read_doccano,
    read_label_studio,
    write_doccano,
    write_label_studio,
)
from caveat.annotation.project import Project
from caveat.annotation.records import Element, Entry, Gold, Link, Sample, Span, Work
from caveat.annotation.rules import checked
from caveat.annotation.tasks import TASKS
from caveat.core.errors import CaveatError, InputError, UnknownNameError, UsageError
from caveat.core.json_files import read_json, read_json_lines

# Line ends, tags, two scripts, and characters that JavaScript counts as two.
_texts = st.text(st.sampled_from("ab 玫瑰。,<&\n🌹𠮷"), min_size=1, max_size=12)


@st.composite
def works(draw: st.DrawFn, task: str, context: str, question: str, scenario: str | None) -> Work:
    kinds = TASKS[task].kinds
    spans = []
    for number in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(context) - 1))
        end = draw(st.integers(start + 1, len(context)))
        spans.append(Span(str(number + 1), draw(st.sampled_from(kinds)).name, start, end))
    possible = [
        Link(link.name, source.id, target.id)
        for link in TASKS[task].links
        for source in spans
        for target in spans
        if source.kind in link.source_kinds and target.kind in link.target_kinds
    ]
    links = draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []
    verdict = draw(st.sampled_from(TASKS[task].verdicts))
    question_type = "what" if TASKS[task].question_types else None
    note = draw(st.sampled_from(["", "a <b>note</b>\nof two lines"]))
    return Work(question, question_type, verdict, tuple(spans), tuple(links), scenario, note)


@st.composite
def entries(draw: st.DrawFn, task: str) -> Entry:
    context = draw(_texts)
    sample = Sample(
        draw(st.sampled_from(["s1", "s1#2", "/a/b c"])),
        context,
        draw(st.none() | st.just("A title")),
        draw(st.none() | st.just("哪里？")),
        draw(st.none() | st.just("I live alone.")),
        draw(st.none() | st.just("dev")),
        draw(st.none() | st.just("https://example.org/")),
        draw(st.just(()) | st.just((Element(0, 1, "<p>a</p>"),))),
    )
    question = sample.question or "What?"
    names = draw(st.lists(st.sampled_from(["Ada", "Bo", "gold"]), unique=True))
    return Entry(
        sample, tuple((name, draw(works(task, context, question, sample.scenario))) for name in names)
    )


@pytest.mark.parametrize("tool", ["label-studio", "doccano"])
@pytest.mark.parametrize("task", list(TASKS))
def test_other_tools_give_back_what_they_were_given(task: str, tool: str, tmp_path: Path) -> None:
    write, read = {
        "label-studio": (write_label_studio, read_label_studio),
        "doccano": (write_doccano, read_doccano),
    }[tool]
    path = tmp_path / "file"

    @settings(max_examples=60, deadline=None)
    @given(entries(task))
    def check(entry: Entry) -> None:
        for _, work in entry.works:
            checked(TASKS[task], entry.sample, work)
        write(path, [entry])
        assert list(read(path)) == [entry]

    check()


def test_doccano_counts_as_javascript_does(tmp_path: Path) -> None:
    sample = Sample("s", "🌹 needs sun", question="What?")
    path = tmp_path / "doccano.jsonl"
    write_doccano(path, [Entry(sample, (("Ada", Work("What?", spans=(Span("1", "answer", 8, 11),))),))])
    ((_, line),) = read_json_lines(path, dict)
    entity = line["entities"][0]
    assert (entity["start_offset"], entity["end_offset"]) == (9, 12)


def test_an_export_of_doccano_itself_is_read(tmp_path: Path) -> None:
    path = tmp_path / "admin.jsonl"
    path.write_text(
        '{"id": 7, "text": "Roses need sun.", "entities": [{"id": 3, "label": "answer", "start_offset": 11, '
        '"end_offset": 14}], "relations": [], "Comments": []}\n'
        '{"id": 8, "text": "Roses need sun.", "label": [[0, 5, "answer"]]}\n{"id": 9, "text": "Ferns.", "label": []}\n',
        encoding="utf-8",
    )
    first, second, third = read_doccano(path)
    assert first.works[0][1].spans == (Span("3", "answer", 11, 14),)
    assert second.works[0][1].spans == (Span("1", "answer", 0, 5),)
    assert (third.sample.id, third.works) == ("9", ())


def test_an_export_of_label_studio_itself_is_read(tmp_path: Path) -> None:
    path = tmp_path / "project.json"
    region = {"id": "x1", "type": "labels", "from_name": "label", "to_name": "text"}
    # An older version, whose offsets count the rose as two.
    value = {"start": 3, "end": 6, "text": "sun", "labels": ["answer"]}
    annotations = [
        {"id": 1, "completed_by": 2, "result": [{**region, "value": value}], "was_cancelled": False},
        {"id": 2, "completed_by": 3, "result": [], "was_cancelled": True},
    ]
    data = {"text": "🌹 sun", "question": "What?"}
    path.write_bytes(msgspec.json.encode([{"id": 12, "data": data, "annotations": annotations}]))
    (entry,) = read_label_studio(path)
    assert entry.sample == Sample("12", "🌹 sun", question="What?")
    assert entry.works == (("2", Work("What?", spans=(Span("x1", "answer", 2, 5),))),)


@pytest.mark.parametrize("broken", ['[{"data": 1}]', '[{"data": {"text": 3}}]', "[{}]"])
def test_what_is_no_task_is_told(broken: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(broken, encoding="utf-8")
    with pytest.raises(InputError, match="no task"):
        list(read_label_studio(path))


def test_the_interface_of_label_studio_names_what_the_task_has() -> None:
    config = labelling_config(TASKS["cmqa"])
    for name in ("condition", "coarse", "fine", "coarse_fine", "unanswerable"):
        assert f'value="{name}"' in config


CMQA = Sample("1", "感冒时可以用药，如布洛芬。", question="感冒怎么办？")
CMQA_WORK = Work(
    "感冒怎么办？",
    "how",
    spans=(Span("1", "condition", 0, 3), Span("2", "coarse", 5, 7), Span("3", "fine", 9, 12)),
    links=(Link("condition_coarse", "1", "2"), Link("coarse_fine", "2", "3")),
)


def test_a_cmqa_sample_comes_back() -> None:
    _, records = KINDS["cmqa"]
    (entry,) = cmqa_entries(records([Gold("1", CMQA, CMQA_WORK)]))
    assert entry == Entry(CMQA, (("file", CMQA_WORK),))


def test_several_answers_are_alternatives_or_parts_of_one() -> None:
    sample = Sample("q", "Roses need sun and rain.", question="What?")
    sun, rain = Span("1", "answer", 11, 14), Span("2", "answer", 19, 23)
    first = Gold("q", sample, Work("What?", spans=(sun,)), (Work("What?", spans=(rain,)),))
    (passage,) = KINDS["squad2"][1]([first])
    assert [[span.text for span in answer] for answer in passage.questions[0].answers] == [["sun"], ["rain"]]
    both = Gold("q", sample, Work("What?", spans=(sun, rain)))
    (passage,) = KINDS["multispan"][1]([both])
    assert [[span.text for span in answer] for answer in passage.questions[0].answers] == [["sun", "rain"]]
    (entry,) = passage_entries([passage], several=True, may_be_none=True)
    assert entry.works == (("file", both.work),)


def test_an_unanswerable_question_comes_back() -> None:
    sample = Sample("q", "Roses need sun.", question="Who?")
    gold = Gold("q", sample, Work("Who?", verdict="unanswerable"))
    (passage,) = KINDS["squad2"][1]([gold])
    assert passage.questions[0].extra == {"is_impossible": True}
    (entry,) = passage_entries([passage], several=False, may_be_none=True)
    assert entry.works == (("file", gold.work),)


@pytest.fixture
def pages(tmp_path: Path) -> tuple[Path, Path]:
    questions, documents = tmp_path / "questions.json", tmp_path / "documents.json"
    contents = ["<h1>Bins</h1>", "<p>You can have a bin if you pay 5 pounds.</p>", "<p>Ask the council.</p>"]
    documents.write_bytes(
        msgspec.json.encode(
            [
                {"title": "Bins", "url": "u", "contents": contents},
                {"title": "", "url": "v", "contents": ["<p>Else.</p>"]},
            ]
        )
    )
    answer = ["5 pounds", [contents[1]]]
    questions.write_bytes(
        msgspec.json.encode(
            [
                {"id": "q1", "url": "u", "scenario": "I moved.", "question": "How much?", "not_answerable": False,
                 "answers": [answer], "evidences": [contents[1]]},
                {"id": "q2", "url": "u", "scenario": "I moved.", "question": "Can I?", "not_answerable": False,
                 "answers": [["yes", [contents[1]]]], "evidences": [contents[1]]},
                {"id": "q3", "url": "u", "scenario": "", "question": "Why?", "not_answerable": True, "answers": [],
                 "evidences": []},
            ]
        )
    )  # fmt: skip
    return questions, documents


def test_conditions_and_evidence_come_back(pages: tuple[Path, Path], tmp_path: Path) -> None:
    questions, documents = pages
    found = list(read_entries(TASKS["conditionalqa"], questions, documents=documents))
    assert [entry.sample.id for entry in found] == ["q1", "q2", "q3", "v"]
    samples = [entry.sample for entry in found[:3]]
    with Project.new(tmp_path / "p", "conditionalqa", samples, overlap=1) as project:
        assert import_works(project, found[:3], "Ada") == 3
        out, out_documents = tmp_path / "out.json", tmp_path / "out_documents.json"
        export(project, out, documents=out_documents)
        assert read_json(out, list) == read_json(questions, list)
        assert read_json(out_documents, list) == read_json(documents, list)[:1]


SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "Roses",
            "paragraphs": [
                {
                    "context": "Roses need sun and rain.",
                    "qas": [
                        {"id": "a", "question": "What do they need?", "is_impossible": False,
                         "answers": [{"text": "sun", "answer_start": 11},
                                     {"text": "sun and rain", "answer_start": 11}]},
                        {"id": "b", "question": "Who waters them?", "is_impossible": True, "answers": []},
                    ],
                },
                {"context": "Ferns like shade.", "qas": []},
            ],
        }
    ],
}  # fmt: skip


def squad_project(tmp_path: Path) -> Project:
    data = tmp_path / "squad.json"
    data.write_bytes(msgspec.json.encode(SQUAD))
    found = list(read_entries(TASKS["squad2"], data))
    project = Project.new(tmp_path / "p", "squad2", [entry.sample for entry in found], overlap=1)
    assert import_works(project, found) == 3
    return project


def test_a_file_with_several_answers_is_several_annotators(tmp_path: Path) -> None:
    with squad_project(tmp_path) as project:
        assert [known.name for known in project.annotators()] == ["file", "file 2"]
        assert [found.item for found in project.disagreements()] == ["a"]
        assert [gold.item for gold in project.gold()] == ["b"]
        # The passage without questions is there to be asked about.
        assert project.items() == ("a", "b", "p2#1")


def test_one_file_an_annotator_is_what_agreement_reads(tmp_path: Path) -> None:
    from caveat.benchmarks.verbs import agreement

    with squad_project(tmp_path) as project:
        for name in ("file", "file 2"):
            assert export(project, tmp_path / f"{name}.json", annotator=name).items == (
                2 if name == "file" else 1
            )
        with pytest.raises(UnknownNameError):
            export(project, tmp_path / "x.json", annotator="Nobody")
    scores = agreement("squad2", [tmp_path / "file.json", tmp_path / "file 2.json"])
    assert scores["questions"] == 1
    # One word of three in common: P 1, R 1/3.
    assert scores["f1"] == pytest.approx(50.0)


@pytest.mark.parametrize("task", list(TASKS))
def test_every_format_that_is_named_can_be_written(
    task: str, pages: tuple[Path, Path], tmp_path: Path
) -> None:
    if task == "conditionalqa":
        found = list(read_entries(TASKS[task], pages[0], documents=pages[1]))[:3]
    elif task == "cmqa":
        found = [Entry(CMQA, (("Ada", CMQA_WORK),))]
    else:
        sample = Sample("q", "Roses need sun.", question="What?")
        found = [Entry(sample, (("Ada", Work("What?", spans=(Span("1", "answer", 11, 14),))),))]
    with Project.new(tmp_path / "p", task, [entry.sample for entry in found], overlap=1) as project:
        import_works(project, found)
        formats = export_formats(project.task)
        assert {task, "label-studio", "doccano"} <= set(formats)
        for number, format in enumerate(formats):
            out = tmp_path / f"out{number}.json"
            assert export(project, out, format).items == len(found)
            assert out.stat().st_size > 0


def test_what_is_not_finished_is_not_exported(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", "cmqa", [CMQA]) as project:
        with pytest.raises(CaveatError, match="nothing is finished"):
            export(project, tmp_path / "out.jsonl")
        with pytest.raises(UnknownNameError, match="doccano"):
            export(project, tmp_path / "out", "word")


def test_texts_of_a_folder_are_samples(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "roses.txt").write_text("Roses need sun.", encoding="utf-8")
    (folder / "ferns.html").write_text("<h1>Ferns</h1><p>Ferns &lt; roses.</p>", encoding="utf-8")
    ferns, roses = read_entries(TASKS["squad2"], folder, split="dev")
    assert (roses.sample.id, roses.sample.context, roses.sample.split) == ("roses", "Roses need sun.", "dev")
    assert [element.html for element in ferns.sample.elements] == [
        "<h1>Ferns</h1>",
        "<p>Ferns &lt; roses.</p>",
    ]


def test_an_import_that_fails_takes_nothing_over(tmp_path: Path) -> None:
    wrong = Work("感冒怎么办？", spans=(Span("1", "fine", 0, 1000),))
    with Project.new(tmp_path / "p", "cmqa", [CMQA]) as project:
        with pytest.raises(InputError, match="no piece"):
            import_works(project, [Entry(CMQA, (("Ada", CMQA_WORK), ("Bo", wrong)))])
        assert project.annotators() == ()
        assert project.decisions() == []


def test_works_on_another_text_are_refused(tmp_path: Path) -> None:
    other = Sample("1", CMQA.context + "!", question=CMQA.question)
    with (
        Project.new(tmp_path / "p", "cmqa", [CMQA]) as project,
        pytest.raises(InputError, match="another text"),
    ):
        import_works(project, [Entry(other, (("Ada", CMQA_WORK),))])
    unasked = Sample("1", CMQA.context)
    with (
        Project.new(tmp_path / "q", "squad2", [unasked]) as project,
        pytest.raises(UsageError, match="no item"),
    ):
        import_works(project, [Entry(unasked, (("Ada", Work("What?", verdict="unanswerable")),))])


@pytest.mark.parametrize("tool", ["label-studio", "doccano"])
def test_written_questions_go_to_another_tool_and_come_back(tool: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with Project.new(tmp_path / "p", "squad2", [Sample("s", "Roses need sun.")]) as project:
        project.add_annotator("Ada")
        for number, question in enumerate(("What do they need?", "Who?")):
            item = project.further_question("s#1", "Ada") if number else project.queue("Ada")[0].item
            work = Work(question, verdict="unanswerable")
            project.save(item, "Ada", "ask", work, version=0, request="r")
            project.done(item, "Ada", "ask")
        export(project, out, tool)
    found = list(read_entries(TASKS["squad2"], out, tool))
    assert [(entry.sample.id, entry.sample.question) for entry in found] == [
        ("s#1", "What do they need?"),
        ("s#2", "Who?"),
    ]
    with Project.new(tmp_path / "q", "squad2", [entry.sample for entry in found], overlap=1) as project:
        assert import_works(project, found) == 2
        assert [gold.work.verdict for gold in project.gold()] == ["unanswerable"] * 2
