"""What commands about data sets share: options of rows and presets, and how rows are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from salva._show import number_of
from salva.cli.options import option, read_value, split_pairs, take_options
from salva.rows import Manifest, ReadOptions, WriteOptions
from salva.rows.read import FORMATS

if TYPE_CHECKING:  # importing it takes 0.8 s of processor time
    from salva.transforms import FolderManifest

*_NAMES, _LAST = FORMATS

reading_options = take_options(
    ReadOptions,
    "reading",
    {
        "format": option(
            "--format",
            metavar="F",
            help=f"{', '.join(_NAMES)} or {_LAST}, also with .gz, .zst or .bz2.",
        ),
        "text_column": option("--text-column", metavar="C", help="Column of the text; two columns: A,B."),
        "label_column": option("--label-column", metavar="C", help="Column of the label."),
        "id_column": option("--id-column", metavar="C", help="Column of the id."),
        "delimiter": option("--delimiter", metavar="D", help="Separator between the cells of a csv file."),
        "encoding": option("--encoding", metavar="E", help="Encoding of the text, if not UTF-8."),
        "on_bad_row": option(
            "--on-bad-row",
            type=click.Choice(["fail", "keep", "drop"]),
            default="fail",
            show_default=True,
            help="What to do with a row that cannot be read as it is.",
        ),
        "max_line_bytes": option(
            "--max-line-bytes",
            type=click.IntRange(min=1),
            metavar="N",
            help="Longest line in bytes; default: 256 MiB.",
        ),
    },
)

writing_options = take_options(
    WriteOptions,
    "writing",
    {
        "format": option("--output-format", metavar="F", help="Format of OUT, if its name does not show it."),
        "overwrite": option("--overwrite", is_flag=True, help="Replace OUT if it exists."),
    },
)


def count_rows(manifest: Manifest | FolderManifest) -> str:
    """Return how many rows were read, written and rejected."""
    rejected = f", {manifest.rows_rejected:,} rejected" if manifest.rows_rejected else ""
    return f"{number_of(manifest.rows_in, 'row')} in, {manifest.rows_out:,} out{rejected}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetOptions:
    """Changes to the settings of presets."""

    render: str | None = option(
        "--render", metavar="R", help="splice, spaces or treebank; splice changes only the edited words."
    )
    settings: tuple[str, ...] = option("--set", multiple=True, metavar="KEY=VALUE", help="Change a setting.")
    verify: str | None = option(
        "--verify", metavar="MODEL", help="Language model that passes more edits of natural: hf:DIRECTORY."
    )
    fit: tuple[str, ...] = option(
        "--fit",
        multiple=True,
        metavar="PATH",
        help="Data set to take the common words of corrupt from; self is the input. Can be repeated.",
    )

    def parse_settings(self) -> dict[str, Any]:
        """Return the settings given by --set, --render and --verify; a value is TOML, or else a string."""
        named = {"render": self.render, "verify": self.verify}
        settings = {name: value for name, value in named.items() if value is not None}
        return settings | {name: read_value(text) for name, text in split_pairs("--set", self.settings)}


preset_options = take_options(PresetOptions, "changes")
