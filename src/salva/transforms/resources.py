"""What settings name: shipped tables or the user's files, read, checked, and identified by digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from salva._files import digest, parse_toml, read_text
from salva._kernels.keys import Keyboard
from salva.edits.common import Completions, Corrections
from salva.edits.letters import compile_keyboard
from salva.edits.memo import ListSource, Memo
from salva.edits.planners import CorruptPlanner, HybridPlanner, Planner, SynonymPlanner, TypoPlanner
from salva.edits.polarity import SamePolarity
from salva.edits.tables import WordTable
from salva.edits.wordnet import Synonyms
from salva.errors import InputError, UsageError
from salva.lexicon import (
    KEYBOARDS,
    Group,
    Groups,
    check_groups,
    embedded_vocabulary,
    load_groups,
    offensive_words,
    read_groups,
    stop_words,
)
from salva.text.nltk_files import find_tagger
from salva.text.tagger import Tagger
from salva.transforms.own_values import keyboard_problem
from salva.transforms.settings import CorruptSettings, HybridSettings, Settings, SynonymSettings, TypoSettings
from salva.transforms.vocabulary import read_vocabulary

# The settings that may name a file, and the names of the shipped resources.
SHIPPED = {
    "exclude": ("offensive",),
    "groups": ("builtin",),
    "keyboard": tuple(KEYBOARDS),
    "stop_words": ("english",),
    "tagger": ("builtin",),
    "thesaurus": ("wordnet",),
    "vocabulary": ("builtin",),
}


def planner_of(settings: Settings) -> Planner:
    """Return the planner for some settings, after reading everything that they name."""
    exclude = _words(settings.exclude, {"offensive": offensive_words})
    if isinstance(settings, HybridSettings):
        return _hybrid(settings, exclude)
    if isinstance(settings, SynonymSettings):
        stopped = _words(settings.stop_words, {"english": stop_words})
        most = settings.max_synsets
        source = Synonyms(most_synsets=most, exclude=exclude, stop_words=stopped)
        return SynonymPlanner(Memo(_by_meaning(settings, source)), settings.prob)
    if isinstance(settings, TypoSettings):
        keyboard = _keyboard(settings.keyboard)
        return TypoPlanner(keyboard, settings.prob, settings.typo_per_word, settings.min_word_length)
    assert isinstance(settings, CorruptSettings)  # noqa: S101
    return _corrupt(settings, exclude)


def resource_digests(settings: Settings) -> dict[str, str]:
    """Return the digest of every file that the settings name; for a folder, one digest of all its files."""
    found = {}
    for name, shipped in SHIPPED.items():
        value = getattr(settings, name, None)
        if isinstance(value, str) and value not in shipped:
            path = _path(name, value)
            if path.is_dir():
                files = {file.name: digest(file) for file in sorted(path.iterdir()) if file.is_file()}
                found[name] = f"sha256:{hashlib.sha256(json.dumps(files).encode()).hexdigest()}"
            else:
                found[name] = f"sha256:{hashlib.sha256(read_text(path).encode()).hexdigest()}"
    return found


def read_words(path: str) -> tuple[str, ...]:
    """Return the words of a file with one word per line, in order; empty lines and repeats are skipped."""
    lines = [line.strip() for line in read_text(path).split("\n")]
    return tuple(dict.fromkeys(line for line in lines if line))


def read_thesaurus(path: str) -> dict[str, list[str]]:
    """Return what every word may become; each line has a word and its synonyms, separated by tabs."""
    found: dict[str, list[str]] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not any(cells):
            continue
        if len(cells) < 2 or not all(cells):
            raise InputError.at(path, number, "a line must be a word and its synonyms, separated by tabs")
        found.setdefault(cells[0], []).extend(cells[1:])
    return found


def read_keyboard(path: str) -> dict[str, str]:
    """Return the neighbours of every key, from a TOML file with lines such as a = "sqwz"."""
    content = parse_toml(path, read_text(path))
    problem = keyboard_problem(content)
    if problem:
        raise InputError.at(path, None, problem)
    return content


def _words(value: str | tuple[str, ...], shipped: Mapping[str, Any]) -> tuple[str, ...]:
    if isinstance(value, tuple):
        return value
    return tuple(shipped[value]()) if value in shipped else read_words(value)


def _hybrid(settings: HybridSettings, exclude: tuple[str, ...]) -> HybridPlanner:
    groups = _groups(settings.groups)
    return HybridPlanner(
        Memo(
            _by_meaning(
                settings, WordTable({word: groups.synonyms(word) for word in groups.by_word}, exclude)
            ),
            _by_meaning(settings, Synonyms(by_class=True, letters_only=True, exclude=exclude)),
        ),
        Tagger.default() if settings.tagger == "builtin" else Tagger.load(_path("tagger", settings.tagger)),
        _keyboard(settings.keyboard),
        (settings.p_synonym_noun, settings.p_synonym_verb, settings.p_synonym_adj, settings.p_synonym_adv),
        settings.p_typo,
        settings.min_word_length,
        settings.max_typos_per_example,
        settings.second_draw,
    )


def _by_meaning(settings: Settings, source: ListSource) -> ListSource:
    return SamePolarity(source) if settings.keep_polarity else source


def _groups(value: str | tuple[tuple[str, ...], ...]) -> Groups:
    if value == "builtin":
        return load_groups()
    if isinstance(value, str):
        groups = read_groups(value)
    else:
        numbered = enumerate(value, 1)
        groups = Groups("groups", tuple(Group(words, line=number) for number, words in numbered))
    for finding in check_groups(groups):
        if finding.level == "error" and isinstance(value, str):
            raise InputError.at(value, finding.line, finding.message)
        if finding.level == "error":
            raise UsageError(f"groups: group {finding.line}: {finding.message}")
    return groups


def _corrupt(settings: CorruptSettings, exclude: tuple[str, ...]) -> CorruptPlanner:
    common = settings.vocabulary
    if isinstance(common, str):
        own = common != "builtin"
        common = read_vocabulary(common) if own else embedded_vocabulary(settings.dictionary_size)
    excluded = {word.lower() for word in exclude}
    common = tuple(dict.fromkeys(word.lower() for word in common[: settings.dictionary_size]))
    common = tuple(word for word in common if word not in excluded)
    written = settings.look_up == "written"
    if settings.thesaurus == "wordnet":
        synonyms: ListSource = Synonyms(exclude=exclude, written=written)
    elif isinstance(settings.thesaurus, str):
        synonyms = WordTable(read_thesaurus(settings.thesaurus), exclude, written=written)
    else:
        synonyms = WordTable(dict(settings.thesaurus), exclude, written=written)
    sources = (
        Completions(common, written=written),
        Corrections(common, common_only=settings.correct == "common", written=written),
        _by_meaning(settings, synonyms),
    )
    return CorruptPlanner(Memo(*sources), settings.weights, settings.share_of == "tokens")


def _keyboard(value: str | tuple[tuple[str, str], ...]) -> Keyboard:
    if isinstance(value, str):
        return compile_keyboard(KEYBOARDS[value] if value in KEYBOARDS else read_keyboard(value))
    return compile_keyboard(dict(value))


def _path(name: str, value: str) -> Path:
    """Return the path that a setting names; `nltk` is found where NLTK itself looks."""
    return find_tagger() if (name, value) == ("tagger", "nltk") else Path(value)
