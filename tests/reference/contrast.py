"""The plans of contrast presets for one text, with strings: all possible edits, and which are made."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from salva._kernels import constants as stages
from salva._kernels.constants import LONGEST_NUMBER, PERSON, PLACE
from salva.edits.swaps import Kind
from tests.reference import rng
from tests.reference.plans import below
from tests.reference.surface import CAPITALS, Row

Edit = tuple[int, str, str]
LETTERS = "[A-Za-z]"
JOINS_BEFORE, JOINS_AFTER = set("-/_&@#\\=+~^%*:.,'"), set("-/_&@#\\=+~^$*:'")
TOUCHING = re.compile(r"[-/_&@#\\=+~^%$*0-9A-Za-z]")
NUMBER = re.compile(r"(\d{1,3}(?:,\d{3})+(?![,\d])|\d+)(\.\d+)?", re.ASCII)
RATING = {"of", "out", "/", "10", "a"}


def choose(
    edits: Sequence[Edit], units: Sequence[object], key: int, severity: float, most: int
) -> list[Edit]:
    """Return the edits of the units with the lowest draws, if the row is kept."""
    if not below(rng.draw(key, 0, stages.CONTRAST_KEEP), severity):
        return []
    leaders: dict[object, int] = {}
    for (place, _, _), unit in zip(edits, units, strict=True):
        leaders.setdefault(unit, place)
    first = sorted(
        leaders, key=lambda unit: (rng.draw(key, leaders[unit], stages.CONTRAST_RANK), leaders[unit])
    )
    return [edit for edit, unit in zip(edits, units, strict=True) if unit in first[:most]]


def is_clear(words: Sequence[str], own: range, flags: Mapping[str, int], stop: int, barred: int) -> bool:
    """Return whether the sentence of an edit has no barred word outside the edit."""
    sentence, sentences = 0, []
    for word in words:
        sentences.append(sentence)
        sentence += bool(flags.get(word.lower(), 0) & stop)
    return not any(
        flags.get(word.lower(), 0) & barred and place not in own and sentences[place] == sentences[own[0]]
        for place, word in enumerate(words)
    )


def swaps(
    row: Row, kinds: Sequence[Kind], before: Collection[str], after: Collection[str], rule: str
) -> list[Edit]:
    """Return all words that may become others of their kind."""
    kind_of = {word: kind for kind in kinds for word in kind.words}
    words, found = row.words, []
    for place, word in enumerate(words):
        if word not in kind_of or row.blocked[place]:
            continue
        if any(map(TOUCHING.match, (row.before(place), row.after(place)))):
            continue
        if not fits(words, place, kind_of, before, after):
            continue
        members = kind_of[word].words
        picked = rng.bounded(rng.draw(row.key, words.index(word), stages.SWAP_CHOICE), len(members))
        absent = [own for own in (*members[picked:], *members[:picked]) if own not in words]
        found += [(place, rule, absent[0])] if absent else []
    return found


def fits(words, place, kind_of, before, after) -> bool:
    rule = kind_of[words[place]].rule

    def at(distance: int) -> str:
        return words[place + distance] if 0 <= place + distance < len(words) else " "

    if rule == PERSON:
        return at(-1)[0] not in CAPITALS
    if rule == PLACE:
        beyond = [at(2 * side) for side in (-1, 1) if at(side)[0] == ","]
        return not any(word[0] in CAPITALS for word in (at(-1), at(1), *beyond))
    return not (at(-1) in kind_of or at(-1) in before or at(1) in kind_of or at(1) in after)


def digits(row: Row, times: Collection[str], rule: str) -> list[Edit]:
    """Return all numbers in digits that may become others."""
    words, found = row.words, []
    for place, word in enumerate(words):
        if row.blocked[place] or not re.match("[0-9]", word) or is_joined(row, place):
            continue
        read = roles_of(word, row.before(place))
        if read is None or is_fixed(row, place, len(read), times):
            continue
        changed, new = False, ""
        for k, allowed in enumerate(read):
            digit = word[k]
            if allowed:
                options = [one for one in allowed if changed or one != digit]
                bits = rng.draw(row.key, words.index(word) * LONGEST_NUMBER + k, stages.DIGIT_CHOICE)
                digit, changed = options[rng.bounded(bits, len(options))], True
            new += digit
        found.append((place, rule, new + word[len(read) :]))
    return found


def is_joined(row: Row, place: int) -> bool:
    joined = re.compile("[A-Za-z0-9]")
    before, after = row.before(place), row.after(place)
    return bool(before in JOINS_BEFORE or after in JOINS_AFTER or joined.match(before) or joined.match(after))


def roles_of(word: str, before: str) -> list[str] | None:
    """Return which digits each digit of a number may become; none for those that stay."""
    match = NUMBER.match(word)
    if match is None or len(match[0]) > LONGEST_NUMBER or re.match(r",[0-9]{3}", word[match.end() :]):
        return None
    number, rest = match[0], word[match.end() :]
    year = re.fullmatch("(1[1-9]|20)[0-9]{2}", number) and before != "$" and not before > "\x7f"
    roles = [""] * len(number)
    if rest == "th":
        roles[-1] = "456789"
        return roles if number[-1] in roles[-1] else None
    decade = rest == "s" and re.fullmatch("(1[1-9]|20)[0-9]0", number)
    if rest and not decade and not (rest == "/10" and len(number) == 1):
        return None
    if number in ("0", "1") or (number[0] == "0" and number[1:2] != "."):
        return None
    if year:
        roles[2:] = ["01" if number[0] == "2" else "0123456789", "" if decade else "0123456789"]
        return roles
    end = len(number.rstrip("0.,")) or 1
    roles = ["0123456789" if digit.isdigit() and k < end else "" for k, digit in enumerate(number)]
    if number[end - 1] != "0":
        roles[end - 1] = "123456789"
    roles[0] = "" if number[0] == "0" else "23456789" if len(number) == 1 else "123456789"
    return roles if any(roles) else None


def is_fixed(row: Row, place: int, size: int, times: Collection[str]) -> bool:
    """Return whether a number is a time or a part of a rating, of a title, or a high percentage."""
    words = row.words

    def at(distance: int) -> str:
        return words[place + distance] if 0 <= place + distance < len(words) else ""

    if at(1) in times or (at(-1) == "a" and at(0) == "10"):
        return True
    if at(-1) == "/" or (at(-2), at(-1)) == ("out", "of"):
        return True
    if (at(1) == "/" and at(2) != "10") or (at(1) == "out" and at(2) == "of" and at(3) != "10"):
        return True
    if size > 1 and at(1) in ("/", "out"):
        return True
    if size > 2:
        return row.after(place) == "%"
    titled = place >= 2 and at(-1)[0] in CAPITALS
    return titled and at(-2)[-1] not in '.!?>":()'
