"""`salva tasks`: list the tasks that ship; a group whose commands are imported on use."""

from __future__ import annotations

import click

from salva.cli.options import LazyGroup, common_options
from salva.cli.show import print_json, print_table

_COMMANDS = {
    "check": ("salva.cli.tasks.check", "Show filled prompts of a task, without a model."),
    "show": ("salva.cli.tasks.check:show", "Print the file of a task that ships."),
}


@click.group("tasks", cls=LazyGroup, commands_at=_COMMANDS, invoke_without_command=True)
@common_options
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """List the tasks that ship: how a row becomes a question, and how a reply becomes an answer.

    Print one with `salva tasks show NAME`, edit the file, and try it with `salva tasks check FILE.toml DATA`.
    """
    if context.invoked_subcommand is not None:
        return
    from salva.tasks import read_task, shipped_tasks

    tasks = [read_task(name) for name in shipped_tasks()]
    if as_json:
        print_json([{"name": task.name, **task.content} for task in tasks])
        return
    rows = [
        (task.name, task.about, task.content["answer"]["kind"], ", ".join((*task.edit, *task.kept_columns)))
        for task in tasks
    ]
    print_table("Tasks that ship", ["name", "what it asks", "kind", "columns"], rows)
