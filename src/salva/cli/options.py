"""How a command declares its options, and the options that every command has.

A command with a few options takes them as typed keyword arguments. Options that belong together, or that
several commands share, are the fields of a frozen dataclass, which the command takes as one argument:

    @dataclass(frozen=True, slots=True, kw_only=True)
    class DrawOptions:
        seed: int = option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed.")
        severity: float | None = option("--severity", type=float, metavar="S", help="From 0 to 1.")

    @click.command("demo")
    @take_options(DrawOptions, "draw")
    @common_options
    def command(*, draw: DrawOptions, as_json: bool) -> None: ...

`--help` lists the options in the order of the decorators and fields. What can be computed from the values
alone is a method of the dataclass. A dataclass of another package, such as `ReadOptions`, keeps its own
defaults, and its options are declared in a dict, field by field: see `cli/data_options.py`.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import click

from salva._arguments import did_you_mean, on_command_line
from salva._docstrings import docstring
from salva._files import refuse_clashes
from salva.cli.show import log_to_terminal
from salva.errors import InputError, UsageError

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
    given = [(one, list(_texts(context.params.get(one.name or "")))) for one in context.command.params]
    written = (values for one, values in given if one.type is OUTPUT)
    outputs = [value for values in written for value in values if value != "-"]
    read = [(one, value) for one, values in given if one.type is not OUTPUT for value in values]
    inputs = [path for _, value in read for path in _paths_in(value)]
    arguments = (Path(value) for one, value in read if isinstance(one, click.Argument))
    folders = [path for path in arguments if path.is_dir()]
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
    refuse_clashes(inputs, (path for name in (*FILES, f"{QUESTIONS}/*") for path in output.glob(name)))


def _refuse_files_in(folders: Iterable[Path], output: Path) -> None:
    read = output.suffix in _READ and output.is_file()
    for folder in folders if read else ():
        if output.resolve().is_relative_to(folder.resolve()):
            raise InputError.at(
                output, None, f"is in the folder {str(folder)!r}, which is read; choose another name"
            )


Command: TypeAlias = Callable[..., Any]


class GroupedOption(click.Option):
    """An option that `--help` shows under the heading of its group."""

    def __init__(self, *arguments: Any, group: str = "", **about: Any) -> None:
        super().__init__(*arguments, **about)
        self.group = group


class GroupedCommand(click.Command):
    """A command whose help has its options in groups, then the keys of options such as -S.

    `flags` is how messages name arguments that are not options of their own, such as the key of a setting.
    """

    def __init__(
        self,
        *arguments: Any,
        keys: Mapping[str, str] | None = None,
        flags: Mapping[str, str] | None = None,
        **about: Any,
    ) -> None:
        super().__init__(*arguments, **about)
        self.keys, self.flags = keys or {}, flags or {}

    def invoke(self, context: click.Context) -> Any:
        """Run the command; messages name its flags."""
        with on_command_line(self.flags):
            return super().invoke(context)

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options group by group; those without a group come last."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(context):
            record = parameter.get_help_record(context)
            if record is not None and isinstance(parameter, click.Option):
                groups.setdefault(getattr(parameter, "group", ""), []).append(record)
        others = groups.pop("", [])
        for heading, records in {**groups, "Other options": others}.items():
            with formatter.section(heading):
                formatter.write_dl(records)
        for heading, text in self.keys.items():
            with formatter.section(heading):
                formatter.write_dl([line.partition("  ")[::2] for line in text.splitlines()])


def option(*names: str, **about: Any) -> Any:
    """Declare a field of a dataclass as an option, with the arguments of `click.option` and a group."""
    kind = {"cls": GroupedOption} if "group" in about else {}
    return dataclasses.field(
        default=None, metadata={"option": functools.partial(click.option, *names, **kind, **about)}
    )


def take_options(
    options_type: type, argument: str = "options", declared: Mapping[str, Any] | None = None
) -> Callable[[Command], Command]:
    """Add the options of a dataclass to a command, which gets them as one keyword argument.

    `declared` maps fields to their `option`, if the dataclass itself does not. A field whose option is not
    given keeps its default.
    """
    fields = declared or {field.name: field for field in dataclasses.fields(options_type)}

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def gather(*arguments: Any, **values: Any) -> Any:
            # The prefix lets two dataclasses have a field of the same name.
            given = {name: values.pop(f"{argument}_{name}") for name in fields}
            options = options_type(**{name: value for name, value in given.items() if value is not None})
            return command(*arguments, **values, **{argument: options})

        for name in reversed(list(fields)):
            gather = fields[name].metadata["option"](f"{argument}_{name}")(gather)
        return gather

    return decorate


def split_pairs(flag: str, pairs: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the key and the value of every KEY=VALUE."""
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"{flag} {pair[:100]!r} must be KEY=VALUE")
        yield key.strip(), value


def read_value(text: str) -> Any:
    """Return the value of a key: TOML, or else the text itself.

    >>> read_value("0.2"), read_value("[1, 2]"), read_value("splice")
    (0.2, [1, 2], 'splice')
    """
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):  # broken TOML, or a number of too many digits
        return text


threads_option = click.option(
    "--threads", type=click.IntRange(min=1), metavar="N", help="Threads; default: all cores."
)


def _verbosity(context: click.Context, parameter: click.Parameter, count: int) -> int:
    """Set the log level; options before and after the command name add up."""
    shared = context.find_root().meta
    shared["verbosity"] = shared.get("verbosity", 0) + (-count if parameter.name == "quiet" else count)
    log_to_terminal(shared["verbosity"])
    return count


def verbosity_options(command: Command) -> Command:
    """Add -q and -v."""
    about: dict[str, Any] = {"count": True, "callback": _verbosity, "expose_value": False}
    command = click.option("-q", "--quiet", help="Print less.", **about)(command)
    return click.option("-v", "--verbose", help="Print more; -vv: everything.", **about)(command)


def common_options(command: Command) -> Command:
    """Add -q, -v and --json, and check the paths that the command is given."""
    as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
    return verbosity_options(as_json(checking_paths(command)))


class Group(click.Group):
    """A group of commands that suggests the nearest name for a mistyped one."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        _read_help(self)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find a command, with its help."""
        return _read_help(super().get_command(ctx, cmd_name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command, or suggest the nearest one."""
        known = self.list_commands(ctx)
        if args[0] not in known and (hint := did_you_mean(args[0], known)):
            ctx.fail(f"there is no command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)


def _read_help(command: click.Command | None) -> click.Command | None:
    """Return a command with its docstring as help, which click does not find if Python leaves them out."""
    if command is not None and command.help is None and command.callback is not None:
        command.help = docstring(inspect.unwrap(command.callback))
    return command


class LazyGroup(Group):
    """A group whose commands are imported when they are called.

    `commands_at` maps each command to its module, or to `module:attribute` if it is not called `command`, and
    to the help line that the group shows without loading it.
    """

    def __init__(self, *arguments: Any, commands_at: Mapping[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._homes = commands_at

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(self._homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self._homes:
            return None
        module, _, attribute = self._homes[cmd_name][0].partition(":")
        return _read_help(getattr(importlib.import_module(module), attribute or "command"))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._homes[name][1]) for name in sorted(self._homes)])
