"""`salva transform` and `salva revert`: rewrite a data set in other words or with typos, and undo it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import click

from salva._process import keep_freed_memory
from salva._show import number_of
from salva.cli.data_options import (
    PresetOptions,
    count_rows,
    preset_options,
    reading_options,
    writing_options,
)
from salva.cli.options import OUTPUT, common_options, option, take_options, threads_option
from salva.cli.show import is_quiet, print_line, print_marked, print_result
from salva.errors import UsageError
from salva.rows import Manifest, ReadOptions, WriteOptions, open_rows
from salva.rows.columns import text_column
from salva.rows.places import is_folder_of_parts
from salva.transforms import (
    ENGINES,
    FolderManifest,
    Transform,
    fit_files,
    preset,
    revert_file,
    transform_file,
    transform_folder,
    write_vocabulary,
)
from salva.transforms.presets import NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """Where the files of a folder are transformed."""

    engine: str = option(
        "--engine",
        type=click.Choice(list(ENGINES)),
        default="local",
        show_default=True,
        help="For a folder: where its files are transformed.",
    )
    address: str | None = option("--address", metavar="A", help="For a folder: the cluster of the engine.")
    resume: bool = option("--resume", is_flag=True, help="For a folder: keep the files that are finished.")

    def refuse(self) -> None:
        """Refuse options for folders, because the input is not one."""
        given = {"--engine": self.engine != "local", "--address": self.address, "--resume": self.resume}
        if name := next((name for name, value in given.items() if value), None):
            raise UsageError(f"{name} is for a folder of data files; leave it out")


@click.command("transform")
@click.argument("source", metavar="IN")
@click.option(
    "-o", "--output", type=OUTPUT, metavar="OUT", help="File or folder to write; - is standard output."
)
@click.option("--preset", "name", metavar="P", required=True, help="Preset, several as A+B, or TOML file.")
@click.option("--severity", type=float, metavar="S", help="How much of the preset to apply, from 0 to 1.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed for the edits.")
@click.option("--replicate", type=int, default=0, metavar="K", help="Which independent variant to make.")
@preset_options
@click.option(
    "--save-vocabulary", type=OUTPUT, metavar="FILE", help="Save the fitted words, for --set vocabulary=FILE."
)
@click.option(
    "--edits", type=OUTPUT, metavar="FILE", help="Write every edit to a .parquet or .arrow file, or a folder."
)
@click.option("--keep-original", is_flag=True, help="Keep the original text in a column of its own.")
@click.option(
    "--spans", metavar="C", help="Column with labelled spans of the text, which move with the edits."
)
@click.option("--protect-spans", is_flag=True, help="Edit nothing in the spans.")
@click.option("--preview", type=click.IntRange(min=1), metavar="N", help="Show N rows and write nothing.")
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Read the first N rows only.")
@threads_option
@take_options(EngineOptions, "running")
@writing_options
@reading_options
@common_options
def command(
    source: str,
    *,
    output: str | None,
    name: str,
    severity: float | None,
    seed: int,
    replicate: int,
    changes: PresetOptions,
    save_vocabulary: str | None,
    edits: str | None,
    keep_original: bool,
    spans: str | None,
    protect_spans: bool,
    preview: int | None,
    limit: int | None,
    threads: int | None,
    running: EngineOptions,
    writing: WriteOptions,
    reading: ReadOptions,
    as_json: bool,
) -> None:
    """Rewrite the text column of IN with a preset and write OUT, with a manifest next to it.

    IN is a file, a folder with neg/ and pos/, or - for standard input (with --format). All other columns and
    the order of the rows stay as they are. The same text, preset and seed give the same result everywhere.
    The preset none rewrites nothing: it checks every row of IN and writes it in the format of OUT.
    If IN is a folder of data files, or a URI such as s3://bucket/folder, OUT is a folder with one output for
    each of them.
    """
    if (output is None) == (preview is None):
        raise UsageError("pass either -o OUT to write a file, or --preview N to look first")
    if as_json and (output == "-" or preview):
        raise UsageError("--json needs an output file; leave out --preview and -o -")
    if save_vocabulary is not None and not changes.fit:
        raise UsageError("--save-vocabulary saves the words that --fit finds; pass --fit PATH or --fit self")
    keep_freed_memory()
    how: dict[str, Any] = {"edits": edits, "keep_original": keep_original, "options": reading}
    how |= {"output": writing, "progress": not is_quiet(), "spans": spans, "protect_spans": protect_spans}
    if name == NONE and output is not None and not is_folder_of_parts(source):
        running.refuse()
        fit, settings = changes.fit or None, changes.parse_settings()
        given: dict[str, Any] = {"severity": severity, "replicate": replicate, "fit": fit, "limit": limit}
        passed = transform_file(source, output, preset=NONE, **given, **how, **settings)
        repaired = f", {passed.rows_repaired:,} repaired" if passed.rows_repaired else ""
        print_result(
            passed.as_dict(),
            [f"{output}: {count_rows(passed)}{repaired}; columns: {passed.columns}"],
            as_json=as_json,
            to_stderr=output == "-",
        )
        return
    transform = preset(name, **changes.parse_settings())
    draw: dict[str, Any] = {"seed": seed, "severity": severity, "replicate": replicate, "threads": threads}
    manifest: Manifest | FolderManifest
    if is_folder_of_parts(source):
        if output is None or limit is not None:
            raise UsageError(f"{'--limit' if output else '--preview'} is for one file; {source} is a folder")
        where = dataclasses.asdict(running) | {"fit": changes.fit or None}
        manifest = transform_folder(source, output, preset=transform, **draw, **how, **where)
        if save_vocabulary is not None:
            words = tuple(manifest.transform["settings"]["vocabulary"])
            write_vocabulary(save_vocabulary, words, overwrite=writing.overwrite)
        title = f"{output}, {number_of(len(manifest.parts), 'part')}"
    else:
        running.refuse()
        if changes.fit:
            [transform] = fit_files([transform], changes.fit, source=source, options=reading, threads=threads)
        if save_vocabulary is not None:
            write_vocabulary(save_vocabulary, transform.vocabulary, overwrite=writing.overwrite)
        if output is None:
            _print_preview(source, transform, preview or 0, reading, **draw)
            return
        manifest = transform_file(source, output, preset=transform, limit=limit, **draw, **how)
        title = output
    print_result(manifest.as_dict(), _summarize(manifest, title), as_json=as_json, to_stderr=output == "-")


@click.command("revert")
@click.argument("source", metavar="IN")
@click.option("--edits", metavar="FILE", required=True, help="File written by salva transform --edits.")
@click.option(
    "-o", "--output", type=OUTPUT, metavar="OUT", required=True, help="File to write; - is standard output."
)
@writing_options
@reading_options
@common_options
def revert(
    source: str,
    *,
    edits: str,
    output: str,
    writing: WriteOptions,
    reading: ReadOptions,
    as_json: bool,
) -> None:
    """Undo the edits in IN, which salva transform wrote with --render splice, and write OUT."""
    if as_json and output == "-":
        raise UsageError("--json and -o - both write to standard output; choose one")
    manifest = revert_file(
        source, output, edits=edits, options=reading, output=writing, progress=not is_quiet()
    )
    restored = number_of(manifest.rows_out, "row restored", "rows restored")
    print_result(manifest.as_dict(), [f"{output}: {restored}"], as_json=as_json, to_stderr=output == "-")


def _print_preview(source: str, transform: Transform, count: int, options: ReadOptions, **draw: Any) -> None:
    """Print the first rows before and after, with the edits in colour, or as [-old-] and {+new+}."""
    texts: list[str | None] = []
    with open_rows(source, options) as rows:
        for batch in rows:
            texts += text_column(batch, rows.columns.text[0]).array.slice(0, count - len(texts)).to_pylist()
            if len(texts) >= count:
                break
    twins = transform.transform(texts, **draw)
    edits: dict[int, list[dict[str, Any]]] = {}
    for edit in twins.edits.to_pylist():
        edits.setdefault(edit["row"], []).append(edit)
    for row, (before, after) in enumerate(zip(texts, twins.transformed, strict=True)):
        print_line(f"row {row + 1}")
        old = [(edit["start"], edit["end"]) for edit in edits.get(row, [])]
        new = [(edit["new_start"], edit["new_end"]) for edit in edits.get(row, [])]
        print_marked("  before: ", before or "", old, ("[-", "-]"), "red")
        print_marked("  after:  ", after or "", new, ("{+", "+}"), "green")
    print_line(f"{transform.name}: {twins.summary}")


def _summarize(manifest: Manifest | FolderManifest, title: str) -> list[str]:
    """Return what was done: rows, edits and rates."""
    about = manifest.transform or {}
    summary = about["summary"]
    rate = "no eligible words" if summary["rate"] is None else f"{summary['rate']:.1%} of the eligible words"
    edits = f"{number_of(summary['edits'], 'edit')} in {number_of(summary['rows_edited'], 'row')}, {rate}"
    bare = summary["rows_without_eligible"]
    if bare and about["severity"] > 0:
        edits += f"; 0 eligible words in {100 * bare / max(summary['rows'], 1):.3g} % of rows"
    lines = [
        f"{title}: {count_rows(manifest)}; {edits}; seed {about['seed']}, severity {about['severity']:g}"
    ]
    lines += [_list_rates("by rule", summary["by_rule"])] if summary["by_rule"] else []
    lines += [_list_rates("by part of speech", summary["by_pos"])] if "by_pos" in summary else []
    lines += [_describe_spans(**summary["spans"])] if "spans" in summary else []
    return lines


def _describe_spans(*, spans: int, edited: int, partly_edited: int, lost: int) -> str:
    cut = f", {partly_edited:,} of them cut by an edit and widened" if partly_edited else ""
    gone = f"; {lost:,} lost with their text" if lost else ""
    return f"  spans: {number_of(spans, 'span')}, {edited:,} edited{cut}{gone}"


def _list_rates(title: str, parts: dict[str, dict[str, Any]]) -> str:
    rates = (f"{name} {part['edits']:,} ({part['rate'] or 0:.1%})" for name, part in parts.items())
    return f"  {title}: {', '.join(rates)}"
