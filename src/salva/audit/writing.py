"""Sheets as files: a page for the browser, csv for spreadsheets, tasks for Label Studio."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import PurePath
from typing import Any
from xml.sax.saxutils import quoteattr

from salva._files import write_atomically
from salva._results import as_json
from salva._spreadsheets import render_table
from salva._types import PathLike
from salva.audit.sheet import OPTIONAL, TO_FILL_IN, Item, Sheet, segments
from salva.audit.verdicts import QUESTIONS
from salva.errors import UsageError
from salva.pages import render


def write_sheet(sheet: Sheet, path: PathLike, *, overwrite: bool = False) -> None:
    """Write a sheet as .html, .csv or .json (for Label Studio), chosen by the ending of the name."""
    ending = PurePath(path).suffix.lower()
    if ending not in FORMATS:
        raise UsageError(f"output {os.fspath(path)!r} must end with one of {', '.join(FORMATS)}")
    write_atomically(path, FORMATS[ending](sheet).encode(), overwrite=overwrite)


def sheet_page(sheet: Sheet) -> str:
    """Return a sheet as one HTML page that works offline and keeps the verdicts in the browser."""
    values: dict[str, Any] = {
        "sheet": sheet,
        "question": QUESTIONS[sheet.unit],
        "items": [_show(item) for item in sheet.items],
        "data": {"sheet": sheet.id, "columns": sheet.columns(), "records": list(sheet.records())},
        "own_style": "sheet_style.jinja",
        "own_script": "sheet_script.jinja",
    }
    return render("salva.audit", "sheet.html.jinja", values)


def sheet_table(sheet: Sheet) -> str:
    """Return a sheet as csv; a cell that a spreadsheet would run as a formula is prefixed with `'`."""
    columns = sheet.columns()
    rows = ([record[name] for name in columns] for record in sheet.records())
    return render_table([columns, *rows], ",")


def sheet_tasks(sheet: Sheet) -> str:
    """Return a sheet as tasks to import into Label Studio, whose project needs `label_studio_config`."""
    tasks = [  # the reader fills in the rest in Label Studio itself
        {"data": {name: value for name, value in record.items() if name not in TO_FILL_IN}}
        for record in sheet.records()
    ]
    return as_json(tasks).decode()


def label_studio_config(sheet: Sheet) -> str:
    """Return the labeling configuration for the tasks of a sheet."""
    question = QUESTIONS[sheet.unit]
    choices = (
        f"    <Choice alias={quoteattr(verdict.name)} value={quoteattr(verdict.meaning)} "
        f"hotkey={quoteattr(verdict.key)}/>"
        for verdict in question.verdicts.values()
    )
    return "\n".join(
        [
            "<View>",
            "  <Style>.htx-text { white-space: pre-wrap; }</Style>",
            f"  <Header value={quoteattr(question.title)}/>",
            *(_text_tag(name) for name in sheet.columns() if name in OPTIONAL),
            '  <View style="display: flex; gap: 2em">',
            *(_text_tag(name) for name in ("original", "twin")),
            "  </View>",
            '  <Choices name="verdict" toName="twin" choice="single" required="true">',
            *choices,
            "  </Choices>",
            '  <TextArea name="note" toName="twin" placeholder="note" maxSubmissions="1"/>',
            "</View>",
            "",
        ]
    )


def _text_tag(name: str) -> str:
    text = f'<Text name="{name}" value="${name}" valueType="text"/>'
    return f'  <View style="flex: 50%"><Header value="{name.capitalize()}" size="5"/>{text}</View>'


def _show(item: Item) -> dict[str, Any]:
    """Return an item with its texts in segments: the text, and whether it was edited."""
    return {
        "number": item.number,
        "label": item.label,
        "other": item.other,
        "original": list(segments(item.original, ((edit.start, edit.end) for edit in item.edits))),
        "twin": list(segments(item.twin, ((edit.new_start, edit.new_end) for edit in item.edits))),
    }


FORMATS: dict[str, Callable[[Sheet], str]] = {".html": sheet_page, ".csv": sheet_table, ".json": sheet_tasks}
