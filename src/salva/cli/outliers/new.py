"""`salva outliers new`: create a set file for a topic and a language."""

from __future__ import annotations

import sys
from typing import get_args

import click

from salva._files import read_whole
from salva.cli.options import common_options
from salva.cli.outliers.options import overwrite_option, part_of_speech_option
from salva.cli.show import print_json, print_line
from salva.errors import InputError, UsageError
from salva.outliers.authoring.files import new_set
from salva.outliers.checks.table import check
from salva.outliers.drafts import Draft
from salva.outliers.notes import Kind, PartOfSpeech

_MOST_BYTES = 1 << 20


@click.command("new")
@click.argument("topic")
@click.argument("language", metavar="LANG")
@click.option("-o", "--output", "folder", required=True, metavar="FOLDER", help="Folder of the sets.")
@click.option(
    "--inlier", "inliers", multiple=True, metavar="WORD", help="A word that belongs; can be repeated."
)
@click.option(
    "--outlier", "outliers", multiple=True, metavar="WORD", help="A word that does not, closest first."
)
@click.option("--words", metavar="FILE", help="Inliers, an empty line, outliers; - for stdin.")
@click.option("--kind", type=click.Choice(get_args(Kind)), help="Kind, for the notes.")
@part_of_speech_option(help="Part of speech, for the notes.")
@overwrite_option(help="Replace the set if it exists.")
@common_options
def command(
    topic: str,
    language: str,
    *,
    folder: str,
    inliers: tuple[str, ...],
    outliers: tuple[str, ...],
    words: str | None,
    kind: Kind | None,
    pos: PartOfSpeech | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Create FOLDER/TOPIC/LANG-TOPIC.txt from the words so far, and print what it still lacks.

    Without words, the file has only the line that separates inliers from outliers. Spaces become underscores.
    """
    if words is not None:
        if inliers or outliers:
            raise UsageError("--words cannot be combined with --inlier and --outlier")
        inliers, outliers = _read(words)
    path = new_set(
        folder, topic, language, inliers=inliers, outliers=outliers, kind=kind, pos=pos, overwrite=overwrite
    )
    lacks = [str(finding) for finding in check(path) if not finding.waived]
    if as_json:
        print_json({"path": str(path), "lacks": lacks})
    else:
        print_line("\n".join([f"wrote {path}", *lacks]))


def _read(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    raw = sys.stdin.buffer.read(_MOST_BYTES) if name == "-" else read_whole(name, _MOST_BYTES)
    draft = Draft.of(name, raw, topic="", language="")
    if draft.text is None:
        raise InputError.at(name, None, "is not UTF-8; save it as UTF-8")
    return tuple(entry.word for entry in draft.inliers), tuple(entry.word for entry in draft.outliers)
