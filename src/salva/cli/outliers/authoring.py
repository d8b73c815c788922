"""`salva outliers new`, `suggest` and `translate`: help for authors and translators of sets."""

from __future__ import annotations

import sys
from typing import get_args

import click

from salva._files import read_whole
from salva._show import number_of
from salva.cli.options import OUTPUT, common_options
from salva.cli.outliers.options import overwrite_option, part_of_speech_option, seed_option
from salva.cli.show import is_quiet, print_json, print_line, print_table
from salva.errors import InputError, UsageError
from salva.outliers.authoring.files import new_set
from salva.outliers.authoring.relatives import Suggestion
from salva.outliers.authoring.suggestions import suggest
from salva.outliers.authoring.translation import (
    read_translation,
    translation_table,
    write_table,
    write_translation,
)
from salva.outliers.checks.table import check
from salva.outliers.drafts import Draft
from salva.outliers.notes import PartOfSpeech, SetKind
from salva.outliers.sets import read_finished_sets

_MOST_BYTES = 1 << 20


@click.command("new")
@click.argument("topic")
@click.argument("language", metavar="LANG")
@click.option(
    "-o", "--output", "folder", type=OUTPUT, required=True, metavar="FOLDER", help="Folder of the sets."
)
@click.option(
    "--inlier", "inliers", multiple=True, metavar="WORD", help="A word that belongs; can be repeated."
)
@click.option(
    "--outlier", "outliers", multiple=True, metavar="WORD", help="A word that does not belong; closest first."
)
@click.option("--words", metavar="FILE", help="Inliers, an empty line, outliers; - for stdin.")
@click.option("--kind", type=click.Choice(get_args(SetKind)), help="Kind of set, for the notes.")
@part_of_speech_option(help="Part of speech, for the notes.")
@overwrite_option(help="Replace the set if it exists.")
@common_options
def new_command(
    topic: str,
    language: str,
    *,
    folder: str,
    inliers: tuple[str, ...],
    outliers: tuple[str, ...],
    words: str | None,
    kind: SetKind | None,
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
        inliers, outliers = _read_words(words)
    path = new_set(
        folder, topic, language, inliers=inliers, outliers=outliers, kind=kind, pos=pos, overwrite=overwrite
    )
    lacks = [str(finding) for finding in check(path) if not finding.waived]
    if as_json:
        print_json({"path": str(path), "lacks": lacks})
    else:
        print_line("\n".join([f"wrote {path}", *lacks]))


def _read_words(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    raw = sys.stdin.buffer.read(_MOST_BYTES) if name == "-" else read_whole(name, _MOST_BYTES)
    draft = Draft.of(name, raw, topic="", language="")
    if draft.text is None:
        raise InputError.at(name, None, "is not UTF-8; save it as UTF-8")
    return tuple(entry.word for entry in draft.inliers), tuple(entry.word for entry in draft.outliers)


@click.command("suggest")
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@part_of_speech_option(help="Part of speech; default: that of most words.")
@click.option("--vectors", metavar="FILE", help="File of word vectors to rank by, or glove.")
@click.option("--count", type=click.IntRange(1, 100), default=10, show_default=True, help="Words per list.")
@seed_option(help="Seed for unrelated words.")
@common_options
def suggest_command(
    words: tuple[str, ...],
    *,
    pos: PartOfSpeech | None,
    vectors: str | None,
    count: int,
    seed: int,
    as_json: bool,
) -> None:
    """Suggest more inliers like the English WORDs, and outliers for each sub-set; a person decides.

    Sub-set 1 is close, 2 and 3 are related, 4 is unrelated. Counts are from WordNet's tagged texts.
    """
    result = suggest(words, pos=pos, vectors=vectors, count=count, seed=seed, progress=not is_quiet())
    if as_json:
        print_json(result.as_dict())
        return
    print_line(f"{result.pos}s; shared kind: {result.kind or 'none'}")
    _print_suggestions("inliers", result.inliers)
    for subset, suggestions in result.outliers.items():
        _print_suggestions(f"outliers, sub-set {subset}", suggestions)


def _print_suggestions(title: str, suggestions: tuple[Suggestion, ...]) -> None:
    if not suggestions:
        print_line(f"{title}: none found")
        return
    rows = [
        (s.word, s.count, "" if s.similarity is None else f"{s.similarity:.2f}", s.reason)
        for s in suggestions
    ]
    print_table(title, ("word", "count", "similarity", "why"), rows)


@click.command("translate")
@click.argument("sets", metavar="[SETS]", required=False)
@click.option("--to", "language", metavar="LANG", help="The language to translate into, such as IT.")
@click.option("--read", "table", metavar="TABLE", help="A filled-in table to make set files from.")
@click.option(
    "-o",
    "--output",
    type=OUTPUT,
    required=True,
    metavar="OUT",
    help="A .tsv table or .html form; with --read, a folder.",
)
@click.option("--frequencies", metavar="FILE", help="Lines of a LANG word, a tab and a count.")
@click.option("--vectors", metavar="FILE", help="Vectors for LANG, to see which words they have.")
@overwrite_option(help="Replace existing files.")
@common_options
def translate_command(
    sets: str | None,
    *,
    language: str | None,
    table: str | None,
    output: str,
    frequencies: str | None,
    vectors: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Make a table or a form for translating English SETS, or set files from a filled-in TABLE.

    A translator fills in the column LANG and, if a word was adapted, its case (1 no exact correspondence,
    2 infrequent, 3 too specific to a culture) and a note. The form, an HTML page, gives the filled-in TABLE.
    """
    if table is not None:
        if sets is not None or language is not None:
            raise UsageError("--read cannot be combined with SETS or --to; the table has both")
        _write_sets(table, output, overwrite=overwrite, as_json=as_json)
        return
    if sets is None or language is None:
        raise UsageError("nothing to do; pass SETS and --to LANG, or --read TABLE")
    word_sets = read_finished_sets(sets, mend=True)
    made = translation_table(word_sets, language, frequencies=frequencies, vectors=vectors)
    write_table(made, output, overwrite=overwrite)
    empty = sum(not row.target for row in made.rows)
    if as_json:
        print_json(made.as_dict())
    elif not is_quiet():
        size = f"{number_of(len(made.topics), 'set')}, {number_of(len(made.rows), 'word')}"
        print_line(f"{output}: {size}, {empty:,} to fill in")


def _write_sets(table: str, folder: str, *, overwrite: bool, as_json: bool) -> None:
    filled = read_translation(table)
    written = [str(path) for path in write_translation(filled, folder, overwrite=overwrite)]
    missing = {topic: [row.english for row in rows] for topic, rows in filled.unfinished.items()}
    if as_json:
        result = {"language": filled.language, "written": written, "waiting": filled.waiting}
        print_json(result | {"unfinished": missing})
        return
    for topic, rows in filled.unfinished.items():
        lacks = f"{number_of(len(rows), 'word is', 'words are')} missing, first {rows[0].english!r}"
        print_line(f"{table}:{rows[0].line}: {topic} is not written: {lacks}", to_stderr=True)
    if not is_quiet():
        sets = f"{number_of(len(written), 'set')} in {filled.language}"
        others = f"{len(missing):,} unfinished, {len(filled.waiting):,} not yet translated"
        print_line(f"{folder}: {sets}, {others}")
