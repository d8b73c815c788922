"""Judge pairs by reading them in context: propose, draw, read, record, and list what has not been judged.

    python -m tools.judge_pairs propose v --corpus imdb=train.parquet > rules.txt
    python -m tools.judge_pairs draw rules.txt --corpus imdb=train.parquet --corpus union=state_union.zip -o sheet.tsv
    python -m tools.judge_pairs read sheet.tsv       # or fill in the column `verdict` in an editor: good or bad
    python -m tools.judge_pairs record sheet.tsv     # adds to tools/judgements/pairs.jsonl.gz
    python -m tools.judge_pairs list                 # shipped pairs without an accepted judgement
    python -m tools.judge_pairs again movie --corpus imdb=train.parquet -o sheet.tsv   # the places read before

The contexts are edits that the preset `natural` makes with one rule alone, one per text, drawn from a seed and
the rule: a changed rule gets other contexts. `tools/judgements/README.md` says what good means.
"""  # noqa: E501

from __future__ import annotations

import argparse
import csv
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import NamedTuple

import salva
from salva.errors import InputError, SalvaError
from salva.lexicon import Pair, WordNet, check_pairs, offensive_words, read_pairs
from salva.lexicon.inflections import TAGS, inflect
from salva.lexicon.pair_forms import compare_polarity, inflect_pair
from salva.lexicon.pairs import load_pairs, parse_rule
from salva.transforms import Transform
from tools.corpora import Edited, Text, draw_edits, find_edits, read_corpora
from tools.judgements import (
    ENOUGH,
    KEPT,
    Judgement,
    Place,
    decide,
    read_judgements,
    state_bases,
    write_judgements,
)

QUOTED = 35  # characters on each side of a bad edit that are kept with a judgement


class Reading(NamedTuple):
    """One line of a sheet: a place at which a rule was read, its context, and whether it is good."""

    rule: str
    place: str
    context: str
    quotation: str
    verdict: str = ""
    why: str = ""


def show_rule(pair: Pair) -> str:
    """Return a pair as a line of a file.

    >>> show_rule(parse_rule("v  look_at > see | next! COMMA,it;tag VB")[0])
    'v look_at > see | next! COMMA,it; tag VB'
    """
    joined = [" , ".join(name.split(",")).strip() if pair.part == "x" else name for name in pair.targets]
    names = joined if pair.part == "x" else [name.replace(" ", "_") for name in pair.targets]
    source = pair.source if pair.part == "x" else pair.source.replace(" ", "_")
    conditions = "; ".join(
        f"{own.place}{'!' * own.negated} {','.join('COMMA' if word == ',' else word for word in own.values)}"
        for own in pair.conditions
    )
    targets = (" / " if pair.part == "x" else " ").join(" ".join(name.split()) for name in names)
    return f"{pair.part} {source} > {targets}{f' | {conditions}' if conditions else ''}"


def natural_with(rule: str, folder: str) -> Transform:
    """Return the preset with one rule alone."""
    path = Path(folder) / "rule.txt"
    path.write_text(f"{rule}\n", "utf-8")
    return salva.preset("natural", pairs=path, contractions="none", spellings="none")


def with_source(pair: Pair, texts: Iterable[Text]) -> list[Text]:
    """Return the texts that may have the source of a pair: a form of it, or the start of a contraction."""
    sources = {form.source for form in inflect_pair(pair)}
    found = {source if source.replace(" ", "").isalpha() else source.split()[0] for source in sources}
    return [text for text in texts if any(source in text.text.lower() for source in found)]


def draw_contexts(rule: str, texts: Sequence[Text], seed: int, most: int = ENOUGH) -> list[Edited]:
    """Return edits of a rule, one per text, from all corpora in turn as far as they have some."""
    (pair,) = parse_rule(rule)
    by_corpus: dict[str, list[Text]] = {}
    for text in with_source(pair, texts):
        by_corpus.setdefault(text.corpus, []).append(text)
    with tempfile.TemporaryDirectory() as folder:
        transform = natural_with(rule, folder)
        drawn = [list(draw_edits(transform, own, most, f"{seed} {rule}")) for own in by_corpus.values()]
    in_turn = chain.from_iterable(zip_longest(*drawn))
    return list(islice((edit for edit in in_turn if edit is not None), most))


def find_again(judgement: Judgement, texts: Sequence[Text], rule: str | None = None) -> list[Edited]:
    """Return the edits at the places of a judgement that its rule, or another one, still makes."""
    places = [Place.parse(place) for place in judgement.places]
    wanted = {place[:2] for place in places}
    with tempfile.TemporaryDirectory() as folder:
        transform = natural_with(rule or judgement.rule, folder)
        edits = find_edits(transform, [text for text in texts if text[:2] in wanted])
        # An edit begins with the article before the source if that changes too.
        found = {Place(*edit.source[:2], at): edit for edit in edits for at in range(edit.start, edit.end)}
    return [found[place] for place in places if place in found]


def as_readings(rule: str, edits: Iterable[Edited]) -> list[Reading]:
    """Return the lines of a sheet for some edits."""
    return [
        Reading(rule, str(Place(*edit.source[:2], edit.start)), edit.show(), edit.show(QUOTED, QUOTED))
        for edit in edits
    ]


def judge(readings: Sequence[Reading]) -> list[Judgement]:
    """Return what the filled-in lines of a sheet decide, one judgement per rule."""
    by_rule: dict[str, list[Reading]] = {}
    for reading in readings:
        by_rule.setdefault(reading.rule, []).append(reading)
    return [_judge_rule(rule, own) for rule, own in by_rule.items()]


def _judge_rule(rule: str, readings: Sequence[Reading]) -> Judgement:
    for reading in readings:
        if reading.verdict not in {"good", "bad"}:
            raise InputError(
                f"{rule}: {reading.place} has the verdict {reading.verdict!r}; write good or bad"
            )
    bad = {str(n): own for n, own in enumerate(readings, 1) if own.verdict == "bad"}
    why = "; ".join(filter(None, (own.why for own in bad.values())))
    places = tuple(own.place for own in readings)
    quotations = {number: own.quotation for number, own in bad.items()}
    return Judgement(rule, decide(len(readings), len(bad)), places, quotations, why)


def propose(part: str, texts: Iterable[Text], judged: Iterable[Judgement], most: int) -> list[str]:
    """Return rules for synonyms that share their first sense, most frequent source first.

    Left out are rules that were judged, or whose targets are offensive or of another polarity.
    """
    counts = Counter(word for text in texts for word in re.findall(r"[a-z]+", text.text.lower()))
    known = {(own.pair.source, target) for own in judged for target in own.pair.targets}
    found: dict[str, int] = {}
    for source, target in _synonyms(part):
        rule = f"{part} {source} > {target}"
        (pair,) = parse_rule(rule)
        forms = {form for tag in TAGS[part] for form in inflect(source, tag)[:1]}
        frequency = sum(counts[form] for form in forms)
        fine = target not in offensive_words() and compare_polarity(pair, target) == "same"
        if frequency >= ENOUGH and fine and (source, target) not in known:
            found[rule] = frequency
    return sorted(found, key=lambda rule: (-found[rule], rule))[:most]


def _synonyms(part: str) -> Iterator[tuple[str, str]]:
    """Yield single words and those that are most often used in the same sense."""
    wordnet = WordNet.load()
    for word in sorted(set(wordnet.lemmas(part))):  # type: ignore[arg-type]
        if not (word.isascii() and word.isalpha() and word.islower()):
            continue
        sense = wordnet.synsets(word, part)[0]  # type: ignore[arg-type]
        for other in sense.lemma_names():
            single = other != word and other.isalpha() and other.islower()
            if single and wordnet.synsets(other, part)[0] == sense:  # type: ignore[arg-type]
                yield word, other


def read_sheet(path: Path) -> list[Reading]:
    """Return the lines of a sheet."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    return [Reading(**row) for row in rows]


def write_sheet(path: Path, readings: Iterable[Reading]) -> None:
    """Write a sheet: tab-separated, with a header."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerows([Reading._fields, *readings])


def ask(readings: Iterable[Reading], answer: Callable[[str], str] = input) -> Iterator[Reading]:
    """Ask for the verdicts that are missing: g, b and a reason, or q to leave the rest for later."""
    asking, rule = True, ""
    for reading in readings:
        if reading.verdict or not asking:
            yield reading
            continue
        if reading.rule != rule:
            rule = reading.rule
            print(f"\n{rule}")
        key, _, why = answer(f"{reading.context}\ng(ood), b(ad) WHY, q(uit)? ").strip().partition(" ")
        asking = not key.startswith("q")
        verdict = {"g": "good", "b": "bad"}.get(key[:1], "")
        yield reading._replace(verdict=verdict, why=why)


def run_propose(args: argparse.Namespace) -> None:
    """Print candidates."""
    print("\n".join(propose(args.part, read_corpora(args.corpus), read_judgements(args.kept), args.most)))


def run_draw(args: argparse.Namespace) -> None:
    """Write a sheet of fresh contexts."""
    texts, readings = read_corpora(args.corpus), []
    pairs = read_pairs(args.rules)
    for finding in check_pairs(pairs):
        print(
            f"{args.rules}:{finding.line}: {finding.level} {finding.code}: {finding.message}", file=sys.stderr
        )
    for rule in map(show_rule, pairs):
        edits = draw_contexts(rule, texts, args.seed)
        print(f"{rule}: {len(edits)} contexts{'' if len(edits) >= ENOUGH else ', rare'}")
        readings += as_readings(rule, edits)
    write_sheet(args.output, readings)


def run_again(args: argparse.Namespace) -> None:
    """Write a sheet of the places that were read before."""
    texts, readings = read_corpora(args.corpus), []
    for judgement in read_judgements(args.kept):
        if judgement.pair.source == args.source:
            edits = find_again(judgement, texts)
            print(
                f"{judgement.rule}: {judgement.verdict}, {len(edits)} of {len(judgement.places)} places found"
            )
            readings += as_readings(judgement.rule, edits)
    write_sheet(args.output, readings)


def run_read(args: argparse.Namespace) -> None:
    """Ask for the verdicts that are missing in a sheet."""
    write_sheet(args.sheet, list(ask(read_sheet(args.sheet))))


def run_record(args: argparse.Namespace) -> None:
    """Add what sheets decide to the kept judgements; it replaces earlier judgements of the same rules."""
    decided = {own.rule: own for path in args.sheets for own in judge(read_sheet(path))}
    kept = {own.rule: own for own in read_judgements(args.kept)} if args.kept.exists() else {}
    write_judgements((kept | decided).values(), args.kept)
    for own in decided.values():
        print(f"{own.verdict}: {own.rule} ({len(own.places)} read, {len(own.bad)} bad)")


def run_list(args: argparse.Namespace) -> None:
    """Print the pairs without an accepted judgement of their own; exit with 1 if some have no basis."""
    pairs = read_pairs(args.file) if args.file else load_pairs("pairs")
    stated = state_bases(pairs, read_judgements(args.kept))
    for pair, target, basis in stated:
        if basis.kind != "read":
            origin = f", from {basis.judgement.rule}" if basis.judgement else ""
            print(f"{pair.line}: {basis.kind}: {pair.part} {pair.source} > {target}{origin}")
    counts = Counter(basis.kind for *_, basis in stated)
    print(", ".join(f"{kind}: {counts[kind]}" for kind in ("read", "narrowed", "none")))
    sys.exit(bool(counts["none"]))


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kept", type=Path, default=KEPT, help="file of judgements")
    commands = parser.add_subparsers(required=True)

    def add(run: Callable[[argparse.Namespace], None], *names: str) -> argparse.ArgumentParser:
        command = commands.add_parser(run.__name__.removeprefix("run_"), help=run.__doc__)
        command.set_defaults(run=run)
        if "corpus" in names:
            command.add_argument("--corpus", action="append", required=True, metavar="NAME=PATH")
        if "output" in names:
            command.add_argument("-o", "--output", type=Path, required=True)
        return command

    command = add(run_propose, "corpus")
    command.add_argument("part", choices=tuple(TAGS))
    command.add_argument("--most", type=int, default=100)
    command = add(run_draw, "corpus", "output")
    command.add_argument("rules", type=Path)
    command.add_argument("--seed", type=int, default=0)
    add(run_again, "corpus", "output").add_argument("source")
    add(run_read).add_argument("sheet", type=Path)
    add(run_record).add_argument("sheets", type=Path, nargs="+")
    add(run_list).add_argument("file", type=Path, nargs="?")
    return parser


def main() -> None:
    """Run one command."""
    args = make_parser().parse_args()
    try:
        args.run(args)
    except SalvaError as error:
        sys.exit(f"judge_pairs: {error}")


if __name__ == "__main__":
    main()
