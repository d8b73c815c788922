"""What the shipped WordNet says about an English word in a set: parts of speech, lemma, number, entity."""

from __future__ import annotations

from functools import cache

from salva._types import Pos
from salva.lexicon import Synset, WordNet, stop_words
from salva.outliers.notes import PartOfSpeech

__all__ = [
    "PLURALIA_TANTUM",
    "as_one_word",
    "fitting",
    "is_abbreviation",
    "is_capitalised",
    "is_closed_class",
    "is_entity",
    "is_known",
    "is_plural",
    "lemma",
    "likely_part",
]

PARTS: dict[PartOfSpeech, Pos] = {"noun": "n", "verb": "v", "adjective": "a"}

# Nouns that have no singular, or none of the same meaning; WordNet has a singular entry for many of them.
_NO_SINGULAR = """
    binoculars boxers breeches briefs clothes dungarees earphones glasses goggles goods headphones jeans
    knickers leggings outskirts overalls pajamas panties pants pincers pliers pyjamas scissors shears
    shorts slacks spectacles stairs sunglasses surroundings sweatpants thanks tights tongs trousers
    trunks tweezers underpants
"""
PLURALIA_TANTUM = frozenset(_NO_SINGULAR.split())


@cache
def fitting(word: str, part: PartOfSpeech) -> bool:
    """Tell whether a word can be of a part of speech; one that WordNet does not know can be of any.

    >>> fitting("download", "verb"), fitting("download", "noun"), fitting("milking", "noun")
    (True, False, True)
    """
    wordnet = WordNet.load()
    if wordnet.morphy(word.lower(), PARTS[part]) or not is_known(word):
        return True
    # Any verb has a gerund, which is a noun, and participles, which are adjectives; WordNet lists a few.
    ending = "ing" if part == "noun" else ("ing", "ed")
    return part != "verb" and word.endswith(ending) and wordnet.morphy(word.lower(), "v") is not None


@cache
def is_known(word: str) -> bool:
    """Tell whether WordNet knows a word in any form."""
    return WordNet.load().morphy(word.lower()) is not None


def likely_part(words: tuple[str, ...]) -> PartOfSpeech:
    """Return the part of speech that most words can be of; of equals, nouns first.

    >>> likely_part(("eat", "fast", "dine"))
    'verb'
    """
    best, found = -1, next(iter(PARTS))
    for part in PARTS:
        missed = 0
        for word in words:  # only until it is clear that they are not more: a third of the look-ups
            missed += not fitting(word, part)
            if len(words) - missed <= best:
                break
        else:
            best, found = len(words) - missed, part
    return found


@cache
def lemma(word: str, part: PartOfSpeech) -> str | None:
    """Return the base form of a word that is a form of another and no entry of its own; else None.

    >>> lemma("sandals", "noun"), lemma("ran", "verb"), lemma("glass", "noun"), lemma("rain_boots", "noun")
    ('sandal', 'run', None, 'rain_boot')
    """
    lowered = word.lower()
    base = WordNet.load().morphy(lowered, PARTS[part])
    if base is None and "_" in lowered:
        start, _, last = lowered.rpartition("_")
        inner = lemma(last, part) if part == "noun" else None
        return f"{start}_{inner}" if inner else None
    return base if base not in (None, lowered) else None


def is_plural(word: str) -> bool:
    """Tell whether a word is the plural of a noun that has a singular.

    >>> is_plural("boots"), is_plural("jeans"), is_plural("bus")
    (True, False, False)
    """
    last = word.lower().rpartition("_")[2]
    return last not in PLURALIA_TANTUM and lemma(word, "noun") is not None


@cache
def is_closed_class(word: str) -> bool:
    """Tell whether a word only builds sentences: a stop word that is no noun, verb or adjective.

    >>> is_closed_class("which"), is_closed_class("can")
    (True, False)
    """
    wordnet = WordNet.load()
    open_class = any(wordnet.synsets(word, pos) for pos in PARTS.values())
    return word.lower() in stop_words() and not open_class


@cache
def is_entity(word: str) -> bool:
    """Tell whether WordNet has only single things of this name, such as a planet or a person.

    Of a word with a capital those senses count that are written so: Turkey is a country, a turkey is not.

    >>> [is_entity(word) for word in ("Neptune", "planet", "prague", "Turkey", "turkey")]
    [True, False, True, True, False]
    """
    written = _written(word)
    senses = [sense for sense in written if not _is_genus(sense)] or WordNet.load().synsets(word)
    return bool(senses) and all(sense.instance_hypernyms() for sense in senses)


@cache
def is_capitalised(word: str) -> bool:
    """Tell whether the capitals of a word are those of its spelling; in a term, those of every word of it.

    >>> [is_capitalised(word) for word in ("German", "Latin_alphabet", "DIY", "Bus")]
    [True, True, True, False]
    """
    parts = [part for part in word.split("_") if part != part.lower()]
    return bool(_written(word)) or all(is_abbreviation(part) or bool(_written(part)) for part in parts)


@cache
def is_abbreviation(word: str) -> bool:
    """Tell whether a word is two to five capitals, and no English word in small letters.

    >>> is_abbreviation("DIY"), is_abbreviation("BUS")
    (True, False)
    """
    names = {name for sense in WordNet.load().synsets(word) for name in sense.lemma_names()}
    return 2 <= len(word) <= 5 and word.isalpha() and word.isupper() and word.lower() not in names


def as_one_word(term: str) -> str | None:
    """Return how WordNet writes a term that it knows joined or with a hyphen, and not as two words.

    >>> as_one_word("gold_fish"), as_one_word("t_shirt"), as_one_word("ice_cream")
    ('goldfish', 't-shirt', None)
    """
    wordnet = WordNet.load()
    if "_" not in term or any(wordnet.synsets(term, pos) for pos in PARTS.values()):
        return None
    spellings = (term.replace("_", joint) for joint in ("", "-"))
    return next((one for one in spellings if wordnet.morphy(one.lower()) == one.lower()), None)


def _written(word: str) -> list[Synset]:
    """Return the senses of a word that WordNet writes with just these capitals; none for one without."""
    if word == word.lower():
        return []
    return [sense for sense in WordNet.load().synsets(word) if word in sense.lemma_names()]


def _is_genus(sense: Synset) -> bool:
    """Tell whether a sense is a group of living things, which has the name of anything."""
    return any(name.endswith("genus") for kind in sense.hypernyms() for name in kind.lemma_names())
