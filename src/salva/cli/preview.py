"""Before and after on the terminal, with the edits marked: in colour, or as [-old-] and {+new+}."""

from __future__ import annotations

from typing import Any

from salva.cli.show import Marked, print_line, print_marked
from salva.datasets import ReadOptions, open_rows
from salva.datasets.batches import column_index
from salva.transforms import Transform


def print_preview(source: str, transform: Transform, rows: int, options: ReadOptions, **draw: Any) -> None:
    """Print the first rows of a data set before and after a transform."""
    texts: list[str | None] = []
    with open_rows(source, options) as data:
        for batch in data:
            texts += (
                batch.column(column_index(batch, data.columns.text[0]))
                .slice(0, rows - len(texts))
                .to_pylist()
            )
            if len(texts) >= rows:
                break
    twins = transform.transform(texts, **draw)
    edits: dict[int, list[dict[str, Any]]] = {}
    for edit in twins.edits.to_pylist():
        edits.setdefault(edit["row"], []).append(edit)
    for row, (before, after) in enumerate(zip(texts, twins.transformed, strict=True)):
        print_line(f"row {row + 1}")
        places = edits.get(row, [])
        old = [(edit["start"], edit["end"]) for edit in places]
        new = [(edit["new_start"], edit["new_end"]) for edit in places]
        print_marked("  before: ", Marked(before or "", old), ("[-", "-]"), "red")
        print_marked("  after:  ", Marked(after or "", new), ("{+", "+}"), "green")
    print_line(f"{transform.name}: {twins.summary}")
