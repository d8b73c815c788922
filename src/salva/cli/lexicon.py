"""`salva lexicon`: look up words, print the bundled groups, check your own groups and pairs."""

from __future__ import annotations

import dataclasses
from importlib.resources import files

import click

from salva._show import number_of
from salva.cli.options import Group, common_options
from salva.cli.show import print_json, print_line, print_table
from salva.errors import InputError
from salva.lexicon import WordNet, check_file, load_groups


@click.group("lexicon", cls=Group)
def command() -> None:
    """Look up words, and check synonym groups and pairs."""


@command.command("check")
@click.argument("file", type=click.Path())
@common_options
def check(file: str, *, as_json: bool) -> None:
    """Check a FILE of synonym groups or of pairs; exit with 3 if it has errors, else with 0."""
    checked = check_file(file)
    size = number_of(checked.size, checked.kind)
    if as_json:
        findings = list(map(dataclasses.asdict, checked.findings))
        print_json({"file": file, f"{checked.kind}s": checked.size, "findings": findings})
    for finding in [] if as_json else checked.findings:
        print_line(f"{file}:{finding.line}: {finding.level} {finding.code}: {finding.message}")
    if errors := checked.count("error"):
        raise InputError.at(file, None, f"{number_of(errors, 'error')} in {size}; see above")
    if not as_json:
        hints = checked.count("hint")
        more = f", {number_of(hints, 'hint')}" if hints else ""
        print_line(f"{file}: {size}, {number_of(checked.count('warning'), 'warning')}{more}")


@command.command("groups")
@common_options
def groups(*, as_json: bool) -> None:
    """Print the bundled groups, as a file to copy and extend."""
    if as_json:
        print_json([{"kind": group.kind, "words": group.words} for group in load_groups()])
    else:
        print_line(files("salva.lexicon").joinpath("data/groups.toml").read_text("utf-8").rstrip("\n"))


@command.command("synonyms")
@click.argument("word")
@click.option(
    "--pos", type=click.Choice(["n", "v", "a", "r"]), help="Only nouns, verbs, adjectives or adverbs."
)
@common_options
def synonyms(word: str, *, pos: str | None, as_json: bool) -> None:
    """Show what WORD may become: its groups, and WordNet's synsets in sense order."""
    synsets = WordNet.load().synsets(word, pos)  # type: ignore[arg-type]
    rows = [(synset.name(), ", ".join(synset.lemma_names()).replace("_", " ")) for synset in synsets]
    group = load_groups().synonyms(word)
    if group:
        rows.insert(0, ("group", ", ".join(group)))
    if as_json:
        senses = [{"synset": synset.name(), "lemmas": synset.lemma_names()} for synset in synsets]
        print_json({"word": word, "group": group, "synsets": senses})
    elif rows:
        print_table(word, ["sense", "words"], rows)
    else:
        print_line(f"{word}: not in the lexicon")
