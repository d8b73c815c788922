"""A folder in the aclImdb layout: `neg/` and `pos/`, one text file per row; names give id and label."""

from __future__ import annotations

import codecs
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from salva._files import storage_errors
from salva._show import printable
from salva.errors import InputError
from salva.rows.bad_rows import BadRows
from salva.rows.batches import string_batch, text_field
from salva.rows.options import ReadOptions

LABELS = ("neg", "pos")
BATCH_FILES = 1000


class FolderReader:
    """Rows of a folder: negatives first, ordered by the numbers in the file names."""

    names = ("id", "text", "label")

    def __init__(self, folder: Path, options: ReadOptions, bad: BadRows) -> None:
        self._folder = folder
        self._encoding = options.encoding or "utf-8"
        self._bad = bad
        self._hash = hashlib.sha256()
        self._files = 0
        missing = [label for label in LABELS if not (folder / label).is_dir()]
        if missing:
            raise InputError.at(folder, None, _describe_layout(folder, missing))
        bad.numbered_by = "row"

    def batches(self, text: Sequence[str], also: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield batches of a thousand files."""
        schema = pa.schema(map(text_field, self.names))
        rows: list[tuple[str, str, str]] = []
        number = 0
        paths = {label: _list_texts(self._folder / label) for label in LABELS}
        self._files = sum(map(len, paths.values()))
        for label in LABELS:
            for path in paths[label]:
                number += 1
                rows.extend(self._row(path, label, number))
                if len(rows) == BATCH_FILES:
                    yield string_batch(schema, rows)
                    rows = []
        if number == 0:
            raise InputError.at(self._folder, None, "no rows; neg/ and pos/ contain no .txt files")
        yield string_batch(schema, rows)

    def estimate_rows(self, read: int) -> int | None:
        """Return how many rows there are: one per file, or as many as were read."""
        return max(read, self._files)

    def digest(self) -> str:
        """Return a digest of the names and contents read so far."""
        return f"sha256:{self._hash.hexdigest()}"

    def _row(self, path: Path, label: str, number: int) -> Iterator[tuple[str, str, str]]:
        with storage_errors(path):
            content = path.read_bytes()
        name = f"{label}/{path.stem}".encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        self._hash.update(f"{name}\0{len(content)}\0".encode() + content)
        content = content.removeprefix(codecs.BOM_UTF8)
        try:
            text = content.decode(self._encoding)
            text.encode()
        except UnicodeError as error:
            shown = printable(name).replace("\n", "\\n")
            problem = f"{shown}.txt: byte {getattr(error, 'start', 0)} is not {self._encoding}"
            if not self._bad.accepts(number, problem, repairable=True):
                return
            text = content.decode(self._encoding, "replace").encode("utf-8", "replace").decode()
        yield name, text, label


def _list_texts(folder: Path) -> list[Path]:
    """Return the data files of a folder, without hidden files, leftovers and marker files."""
    with storage_errors(folder):
        paths = [Path(entry.path) for entry in os.scandir(folder) if entry.is_file()]
    data = [path for path in paths if path.suffix == ".txt" and not path.name.startswith((".", "_"))]
    return sorted(
        data, key=lambda path: ([int(digits) for digits in re.findall(r"[0-9]+", path.name)], path.name)
    )


def _describe_layout(folder: Path, missing: list[str]) -> str:
    problem = f"is a folder without {' and '.join(f'{label}/' for label in missing)}"
    splits = [name for name in ("train", "test") if (folder / name / "pos").is_dir()]
    hint = f"pass one of its folders ({', '.join(splits)})" if splits else "pass a file"
    return f"{problem}; {hint}"
