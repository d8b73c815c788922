"""The paths that a command is given: no output may be an input, another output, or a file of a run.

Every command is checked before it does anything. An option of type `OUTPUT` names what is written; any other
value that is the path of something, alone or after `hf:` or `KEY=`, may be read.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from salva._files import refuse_clashes
from salva.errors import InputError

OUTPUT = click.Path()  # found by identity: a file or folder to write, or - for standard output
_READ = {".txt", ".toml", ".src", ".tgt"}  # what commands read from a folder of sets, pairs or texts


def checking_paths(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command refuse outputs that would destroy what it reads."""

    @functools.wraps(command)
    def check(*arguments: Any, **values: Any) -> Any:
        _check_paths(click.get_current_context())
        return command(*arguments, **values)

    return check


def _check_paths(context: click.Context) -> None:
    outputs: list[str] = []
    inputs: list[str] = []
    folders: list[Path] = []
    for parameter in context.command.params:
        values = list(_texts(context.params.get(parameter.name or "")))
        if parameter.type is OUTPUT:
            outputs += [value for value in values if value != "-"]
            continue
        inputs += [path for value in values for path in _paths_in(value)]
        if isinstance(parameter, click.Argument):
            folders += [Path(value) for value in values if Path(value).is_dir()]
    refuse_clashes(inputs, outputs)
    for path in map(Path, outputs):
        _refuse_run_files(path, inputs)
        _refuse_files_in(folders, path)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _texts(item)


def _paths_in(value: str) -> Iterator[str]:
    parts = re.split("[:=]", value, maxsplit=1)
    yield from (path for path in {value, parts[-1].strip("\"' ")} if Path(path).exists())


def _refuse_run_files(output: Path, inputs: Iterable[str]) -> None:
    """Refuse to replace what belongs to a run, or to begin a run in the folder of its own input."""
    if not any((folder / "run.json").is_file() for folder in (output, output.parent, output.parent.parent)):
        return
    from salva.asking.run_folder import FILES, QUESTIONS  # with pyarrow

    owned = {output.parent: (*FILES, QUESTIONS), output.parent.parent: (QUESTIONS,)}
    for folder, names in owned.items():
        if (folder / "run.json").is_file() and output.relative_to(folder).parts[0] in names:
            raise InputError.at(output, None, "belongs to a run; choose another name")
    files = (path for name in (*FILES, f"{QUESTIONS}/*") for path in output.glob(name))
    refuse_clashes(inputs, files)


def _refuse_files_in(folders: Iterable[Path], output: Path) -> None:
    if output.suffix not in _READ or not output.is_file():
        return
    for folder in folders:
        if output.resolve().is_relative_to(folder.resolve()):
            problem = f"is in the folder {str(folder)!r}, which is read; choose another name"
            raise InputError.at(output, None, problem)
