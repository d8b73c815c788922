"""What the bundled WordNet says about English words: part of speech, lemma, number, named entity."""

from __future__ import annotations

from functools import cache

from salva._types import Pos
from salva.lexicon import Synset, WordNet, stop_words
from salva.outliers.notes import PartOfSpeech

PARTS: dict[PartOfSpeech, Pos] = {"noun": "n", "verb": "v", "adjective": "a"}

# Nouns without a singular, or without one of the same meaning; WordNet lists a singular for many of them.
_NO_SINGULAR = """
    binoculars boxers breeches briefs clothes dungarees earphones glasses goggles goods headphones jeans
    knickers leggings outskirts overalls pajamas panties pants pincers pliers pyjamas scissors shears
    shorts slacks spectacles stairs sunglasses surroundings sweatpants thanks tights tongs trousers
    trunks tweezers underpants
"""
PLURALIA_TANTUM = frozenset(_NO_SINGULAR.split())


@cache
def can_be(word: str, part: PartOfSpeech) -> bool:
    """Return whether a word can have a part of speech; a word unknown to WordNet can have any.

    >>> can_be("download", "verb"), can_be("download", "noun"), can_be("milking", "noun")
    (True, False, True)
    """
    wordnet = WordNet.load()
    if wordnet.morphy(word.lower(), PARTS[part]) or not is_known(word):
        return True
    # Every verb has a gerund, which is a noun, and participles, which are adjectives; WordNet lists few.
    ending = "ing" if part == "noun" else ("ing", "ed")
    return part != "verb" and word.endswith(ending) and wordnet.morphy(word.lower(), "v") is not None


@cache
def is_known(word: str) -> bool:
    """Return whether WordNet knows a word in any form."""
    return WordNet.load().morphy(word.lower()) is not None


def likely_part(words: tuple[str, ...]) -> PartOfSpeech:
    """Return the part of speech that most words can have; nouns win ties.

    >>> likely_part(("eat", "fast", "dine"))
    'verb'
    """
    best, likely = -1, next(iter(PARTS))
    for part in PARTS:
        missed = 0
        for word in words:  # stop once this part cannot win: a third of the look-ups
            missed += not can_be(word, part)
            if len(words) - missed <= best:
                break
        else:
            best, likely = len(words) - missed, part
    return likely


@cache
def lemma(word: str, part: PartOfSpeech) -> str | None:
    """Return the base form of a word that is a form of another word and has no entry of its own; else None.

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
    """Return whether a word is the plural of a noun that has a singular.

    >>> is_plural("boots"), is_plural("jeans"), is_plural("bus")
    (True, False, False)
    """
    last = word.lower().rpartition("_")[2]
    return last not in PLURALIA_TANTUM and lemma(word, "noun") is not None


@cache
def is_closed_class(word: str) -> bool:
    """Return whether a word is a function word: a stop word that cannot be a noun, verb or adjective.

    >>> is_closed_class("which"), is_closed_class("can")
    (True, False)
    """
    wordnet = WordNet.load()
    open_class = any(wordnet.synsets(word, pos) for pos in PARTS.values())
    return word.lower() in stop_words() and not open_class


@cache
def is_entity(word: str) -> bool:
    """Return whether all of WordNet's senses of a word are single things, such as a planet or a person.

    For a word with a capital, only senses spelt with it count: Turkey is a country, a turkey is not.

    >>> [is_entity(word) for word in ("Neptune", "planet", "prague", "Turkey", "turkey")]
    [True, False, True, True, False]
    """
    written = _written(word)
    senses = [sense for sense in written if not _is_genus(sense)] or WordNet.load().synsets(word)
    return bool(senses) and all(sense.instance_hypernyms() for sense in senses)


@cache
def is_capitalised(word: str) -> bool:
    """Return whether the capitals of a word belong to its spelling; in a term, those of each of its words.

    >>> [is_capitalised(word) for word in ("German", "Latin_alphabet", "DIY", "Bus")]
    [True, True, True, False]
    """
    parts = [part for part in word.split("_") if part != part.lower()]
    return bool(_written(word)) or all(is_abbreviation(part) or bool(_written(part)) for part in parts)


@cache
def is_abbreviation(word: str) -> bool:
    """Return whether a word is two to five capitals, and not an English word when lower-cased.

    >>> is_abbreviation("DIY"), is_abbreviation("BUS")
    (True, False)
    """
    names = {name for sense in WordNet.load().synsets(word) for name in sense.lemma_names()}
    return 2 <= len(word) <= 5 and word.isalpha() and word.isupper() and word.lower() not in names


def as_one_word(term: str) -> str | None:
    """Return how WordNet spells a term that it lists as one word or with a hyphen, but not as two words.

    >>> as_one_word("gold_fish"), as_one_word("t_shirt"), as_one_word("ice_cream")
    ('goldfish', 't-shirt', None)
    """
    wordnet = WordNet.load()
    if "_" not in term or any(wordnet.synsets(term, pos) for pos in PARTS.values()):
        return None
    spellings = (term.replace("_", joint) for joint in ("", "-"))
    return next((s for s in spellings if wordnet.morphy(s.lower()) == s.lower()), None)


def _written(word: str) -> list[Synset]:
    """Return the senses of a word that WordNet spells with these capitals; empty for a word without any."""
    if word == word.lower():
        return []
    return [sense for sense in WordNet.load().synsets(word) if word in sense.lemma_names()]


def _is_genus(sense: Synset) -> bool:
    """Return whether a sense is a genus, which may be named after anything."""
    return any(name.endswith("genus") for above in sense.hypernyms() for name in above.lemma_names())
