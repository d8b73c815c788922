"""`salva completion`: the shell script that completes commands and options."""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class

from salva.cli.options import common_options
from salva.cli.show import print_json, print_line

_INSTALL = {
    "bash": 'eval "$(salva completion bash)"',
    "zsh": 'eval "$(salva completion zsh)"',
    "fish": "salva completion fish | source",
}


@click.command("completion")
@click.argument("shell", type=click.Choice(sorted(_INSTALL)))
@common_options
def command(shell: str, *, as_json: bool) -> None:
    """Print the completion script for a shell; put `eval "$(salva completion bash)"` in its start-up file."""
    completion_class = get_completion_class(shell)
    assert completion_class is not None  # noqa: S101 - click knows the three shells
    root = click.get_current_context().find_root().command
    # Not the method of the class for bash, which starts bash to ask for its version.
    script = ShellComplete.source(completion_class(root, {}, "salva", "_SALVA_COMPLETE"))
    if as_json:
        print_json({"shell": shell, "install": _INSTALL[shell], "script": script})
    else:
        print_line(script)
