"""`salva transform` and `salva revert`: rewrite a data set in other words or with typos, and undo it."""

from __future__ import annotations

from typing import Any

import click

from salva._show import number_of
from salva.cli.data_options import count_rows, print_manifest, reading_options, writing_options
from salva.cli.options import common_options
from salva.cli.paths import OUTPUT
from salva.cli.preset_options import PresetOptions, preset_options
from salva.cli.show import Marked, is_quiet, print_line, print_marked
from salva.datasets import Manifest, ReadOptions, WriteOptions, open_rows
from salva.datasets.batches import text_column
from salva.errors import UsageError
from salva.transforms import Transform, fit_files, preset, revert_file, transform_file, write_vocabulary


@click.command("transform")
@click.argument("source", metavar="IN")
@click.option("-o", "--output", type=OUTPUT, metavar="OUT", help="File to write; - is standard output.")
@click.option("--preset", "name", metavar="P", required=True, help="Preset, several as A+B, or TOML file.")
@click.option("--severity", type=float, metavar="S", help="How much of the preset to apply, from 0 to 1.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed for the edits.")
@click.option("--replicate", type=int, default=0, metavar="K", help="Which independent variant to make.")
@preset_options
@click.option(
    "--save-vocabulary", type=OUTPUT, metavar="FILE", help="Save the fitted words, for --set vocabulary=FILE."
)
@click.option("--edits", type=OUTPUT, metavar="FILE", help="Write every edit to a .parquet or .arrow file.")
@click.option("--keep-original", is_flag=True, help="Keep the original text in a column of its own.")
@click.option("--preview", type=click.IntRange(min=1), metavar="N", help="Show N rows and write nothing.")
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Read the first N rows only.")
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Threads; default: all cores.")
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
    preview: int | None,
    limit: int | None,
    threads: int | None,
    writing: WriteOptions,
    reading: ReadOptions,
    as_json: bool,
) -> None:
    """Rewrite the text column of IN with a preset and write OUT, with a manifest next to it.

    IN is a file, a folder with neg/ and pos/, or - for standard input (with --format). All other columns and
    the order of the rows stay as they are. The same text, preset and seed give the same result everywhere.
    """
    if (output is None) == (preview is None):
        raise UsageError("pass either -o OUT to write a file, or --preview N to look first")
    if as_json and (output == "-" or preview):
        raise UsageError("--json needs an output file; leave out --preview and -o -")
    if save_vocabulary is not None and not changes.fit:
        raise UsageError("--save-vocabulary saves the words that --fit finds; pass --fit PATH or --fit self")
    transform = preset(name, **changes.parse_settings())
    if changes.fit:
        [transform] = fit_files([transform], changes.fit, source=source, options=reading, threads=threads)
    if save_vocabulary is not None:
        write_vocabulary(save_vocabulary, transform.vocabulary, overwrite=writing.overwrite)
    draw: dict[str, Any] = {"seed": seed, "severity": severity, "replicate": replicate, "threads": threads}
    if output is None:
        _print_preview(source, transform, preview or 0, reading, **draw)
        return
    manifest = transform_file(
        source,
        output,
        preset=transform,
        edits=edits,
        keep_original=keep_original,
        limit=limit,
        options=reading,
        output=writing,
        progress=not is_quiet(),
        **draw,
    )
    print_manifest(manifest, output, _summarize(manifest, output), as_json=as_json)


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
    print_manifest(manifest, output, [f"{output}: {restored}"], as_json=as_json)


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
        places = edits.get(row, [])
        old = [(edit["start"], edit["end"]) for edit in places]
        new = [(edit["new_start"], edit["new_end"]) for edit in places]
        print_marked("  before: ", Marked(before or "", old), ("[-", "-]"), "red")
        print_marked("  after:  ", Marked(after or "", new), ("{+", "+}"), "green")
    print_line(f"{transform.name}: {twins.summary}")


def _summarize(manifest: Manifest, output: str) -> list[str]:
    """Return what was done: rows, edits and rates."""
    about = manifest.transform or {}
    summary = about["summary"]
    rate = "no eligible words" if summary["rate"] is None else f"{summary['rate']:.1%} of the eligible words"
    edits = f"{number_of(summary['edits'], 'edit')} in {number_of(summary['rows_edited'], 'row')}, {rate}"
    bare = summary["rows_without_eligible"]
    if bare and about["severity"] > 0:
        edits += f"; 0 eligible words in {100 * bare / max(summary['rows'], 1):.3g} % of rows"
    lines = [
        f"{output}: {count_rows(manifest)}; {edits}; seed {about['seed']}, severity {about['severity']:g}"
    ]
    lines += [_list_rates("by rule", summary["by_rule"])] if summary["by_rule"] else []
    lines += [_list_rates("by part of speech", summary["by_pos"])] if "by_pos" in summary else []
    return lines


def _list_rates(title: str, parts: dict[str, dict[str, Any]]) -> str:
    rates = (f"{name} {part['edits']:,} ({part['rate'] or 0:.1%})" for name, part in parts.items())
    return f"  {title}: {', '.join(rates)}"
