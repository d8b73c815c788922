"""Compile WordNet 3.0 (Debian's wordnet-base and wordnet-sense-index) into the shipped table.

    python -m tools.build_wordnet [/usr/share/wordnet]

Keeps lemmas, sense order and counts, synset members, exceptions, antonyms, hypernyms and instances.
Leaves out glosses, verb frames and the other relations. `salva.lexicon.wordnet` reads the result.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from tools.tables import write_tables

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
TYPE_NUMBERS = {"n": 1, "v": 2, "a": 3, "r": 4, "s": 5}
MARKER = re.compile(r"\((a|p|ip)\)$")


@dataclass
class Synset:
    """One line of a data file."""

    offset: int
    pos: str
    lexicographer_file: int
    names: list[str] = field(default_factory=list)
    lex_ids: list[int] = field(default_factory=list)
    pointers: list[tuple[str, str, int, int, int]] = field(default_factory=list)


def lines_of(path: Path) -> Iterator[str]:
    """Yield the lines of a WordNet file without its licence header."""
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith(" "):
            yield line


def parse_synset(line: str) -> Synset:
    """Read one line of a data file."""
    fields = iter(line.partition(" | ")[0].split())
    offset, file_number, pos = int(next(fields)), int(next(fields)), next(fields)
    synset = Synset(offset, pos, file_number)
    for _ in range(int(next(fields), 16)):
        synset.names.append(MARKER.sub("", next(fields)))
        synset.lex_ids.append(int(next(fields), 16))
    for _ in range(int(next(fields))):
        symbol, target, target_pos, ends = next(fields), int(next(fields)), next(fields), next(fields)
        synset.pointers.append((symbol, target_pos, target, int(ends[:2], 16), int(ends[2:], 16)))
    return synset


def read_synsets(folder: Path) -> dict[tuple[str, int], Synset]:
    """Read all data files; return a mapping from (file, offset) to synset, in file order."""
    return {
        (pos, synset.offset): synset
        for pos, name in FILES.items()
        for synset in map(parse_synset, lines_of(folder / f"data.{name}"))
    }


def sense_counts(folder: Path, synsets: dict[tuple[str, int], Synset]) -> list[int]:
    """Return how often each member of each synset occurs in the sense-tagged texts."""
    counts = {}
    for line in lines_of(folder / "cntlist.rev"):
        key, _, count = line.split()
        counts[key] = int(count)
    result = []
    for synset in synsets.values():
        head = ":"
        if synset.pos == "s":
            target = next(p[2] for p in synset.pointers if p[0] == "&")
            first = synsets["a", target]
            head = f"{first.names[0]}:{first.lex_ids[0]:02d}"
        for name, lex_id in zip(synset.names, synset.lex_ids, strict=True):
            number = TYPE_NUMBERS[synset.pos]
            key = f"{name}%{number}:{synset.lexicographer_file:02d}:{lex_id:02d}:{head}".lower()
            result.append(counts.get(key, 0))
    return result


def read_index(folder: Path, pos: str) -> list[tuple[str, list[int]]]:
    """Read an index file; return lemmas, sorted, with the offsets of their synsets in sense order."""
    rows = []
    for line in lines_of(folder / f"index.{FILES[pos]}"):
        fields = line.split()
        rows.append((fields[0], [int(offset) for offset in fields[-int(fields[2]) :]]))
    return sorted(rows, key=lambda row: row[0].encode())


def offsets_of(groups: Iterable[list[int]]) -> list[int]:
    """Return where each of the consecutive groups starts, and where the last one ends."""
    starts = [0]
    for group in groups:
        starts.append(starts[-1] + len(group))
    return starts


def relation(synsets: dict[tuple[str, int], Synset], symbol: str) -> list[list[int]]:
    """Return the targets of one synset relation, as synset numbers, in file order."""
    number = {key: i for i, key in enumerate(synsets)}
    return [
        [number[pos.replace("s", "a"), offset] for sign, pos, offset, *_ in synset.pointers if sign == symbol]
        for synset in synsets.values()
    ]


def antonyms(synsets: dict[tuple[str, int], Synset]) -> list[tuple[int, int]]:
    """Return pairs of member numbers that are antonyms, in file order."""
    starts = offsets_of(list(range(len(s.names))) for s in synsets.values())
    start = dict(zip(synsets, starts[:-1], strict=True))
    return [
        (start[key] + source - 1, start[pos.replace("s", "a"), offset] + target - 1)
        for key, synset in synsets.items()
        for sign, pos, offset, source, target in synset.pointers
        if sign == "!"
    ]


def compile_tables(folder: Path) -> dict[str, pa.Array]:
    """Read everything and return it as flat arrays."""
    synsets = read_synsets(folder)
    number = {key: i for i, key in enumerate(synsets)}
    index = {pos: read_index(folder, pos) for pos in FILES}
    names = {name for synset in synsets.values() for name in synset.names}
    lemmas = {lemma for rows in index.values() for lemma, _ in rows}
    words = sorted(names | lemmas, key=str.encode)
    word_id = {word: i for i, word in enumerate(words)}
    int32 = pa.int32()
    tables: dict[str, pa.Array] = {
        "words": pa.array(words, pa.string()),
        "synset_pos": pa.array(["nvars".index(s.pos) for s in synsets.values()], pa.int8()),
        "synset_offset": pa.array([s.offset for s in synsets.values()], int32),
        "member_starts": pa.array(offsets_of(list(range(len(s.names))) for s in synsets.values()), int32),
        "members": pa.array([word_id[name] for s in synsets.values() for name in s.names], int32),
        "member_counts": pa.array(sense_counts(folder, synsets), int32),
    }
    for name, symbol in {"hypernym": "@", "instance": "@i"}.items():
        targets = relation(synsets, symbol)
        tables[f"{name}_starts"] = pa.array(offsets_of(targets), int32)
        tables[f"{name}s"] = pa.array([t for group in targets for t in group], int32)
    pairs = antonyms(synsets)
    tables["antonym_sources"] = pa.array([source for source, _ in pairs], int32)
    tables["antonym_targets"] = pa.array([target for _, target in pairs], int32)
    for pos, rows in index.items():
        tables[f"lemmas_{pos}"] = pa.array([word_id[lemma] for lemma, _ in rows], int32)
        tables[f"sense_starts_{pos}"] = pa.array(offsets_of(offsets for _, offsets in rows), int32)
        tables[f"senses_{pos}"] = pa.array([number[pos, o] for _, offsets in rows for o in offsets], int32)
        forms = {}
        for line in lines_of(folder / f"{FILES[pos]}.exc"):
            form, *bases = line.split()
            forms[form] = " ".join(bases)
        tables[f"irregular_{pos}"] = pa.array(list(forms), pa.string())
        tables[f"irregular_bases_{pos}"] = pa.array(list(forms.values()), pa.string())
    return tables


def main() -> None:
    """Write the table to the lexicon's data folder."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/wordnet")
    tables = compile_tables(folder)
    write_tables("wordnet.arrow", tables)


if __name__ == "__main__":
    main()
