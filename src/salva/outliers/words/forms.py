"""Forms of words in languages other than English: their endings, and dictionaries of lemmas.

Endings alone are weak evidence, so checks based on them are hints. The dictionaries of simplemma, of about
fifty languages, come with the extra `lemmas`. They give one lemma per form and no part of speech, which is
inferred from forms that only verbs or only adjectives have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec

from salva.outliers.words.frequencies import has_list, per_million

_MOST_CUT = 3  # letters at the end of a word that a form may replace


@dataclass(frozen=True, slots=True)
class Grammar:
    """The endings of one language; nothing is concluded from an empty table."""

    infinitives: tuple[str, ...] = ()
    adjectives: tuple[str, ...] = ()  # every masculine singular adjective ends with one of these
    other_adjectives: tuple[str, ...] = ()  # no masculine singular adjective ends with one of these
    invariable: tuple[str, ...] = ()  # except these, some of them whole words
    plurals: tuple[tuple[str, str], ...] = (("", ""),)  # the ending of a plural noun, and of its singular
    only_plural: tuple[str, ...] = ()  # nouns without a singular of the same meaning
    nominal: tuple[str, ...] = ()  # endings that nouns and adjectives add to their stem
    verbal: tuple[str, ...] = ()  # endings that only verbs add
    number: tuple[tuple[str, str], ...] = ()  # the ending of a word, and that of its plural
    feminine: tuple[tuple[str, str], ...] = ()  # the ending of an adjective, and that of its feminine
    derived: tuple[str, ...] = ()  # endings of superlatives and adverbs
    head_first: bool = False  # whether the head of a term comes first

    def is_infinitive(self, word: str) -> bool:
        """Return whether a word, or any word of a term, ends like an infinitive."""
        return any(part.endswith(self.infinitives) for part in word.split("_"))

    def is_base_adjective(self, word: str) -> bool:
        """Return whether a word's ending fits the base form of an adjective; in most languages any does."""
        if word.endswith(self.invariable):
            return True
        return word.endswith(self.adjectives or "") and not word.endswith(self.other_adjectives)

    def is_plural_of(self, word: str, lemma: str) -> bool:
        """Return whether the ending of a noun fits a plural of the lemma."""
        return any(word.endswith(end) and lemma.endswith(other) for end, other in self.plurals)

    def head(self, term: str) -> str:
        """Return the head of a term, the word that the others modify."""
        return term.partition("_")[0] if self.head_first else term.rpartition("_")[2]


def _split(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_ROMANCE = ("s", "es", "a", "as", "os")
_SLAVIC_NOUNS = _split("a e i o u y ou em om ami mi ov ech ách ám ě í ů")
_SLAVIC_ADJECTIVES = ("á", "é", "ého", "ému", "ým", "ých", "ej", "eho", "emu", "ym", "ich", "ych")

GRAMMARS: dict[str, Grammar] = {
    "CS": Grammar(
        infinitives=("t", "ti", "ci", "ct"),
        adjectives=("ý", "í"),
        invariable=("blond", "bordó", "fajn", "khaki", "lila", "prima", "rád", "sám"),
        only_plural=("brýle", "dveře", "džíny", "kalhoty", "nůžky", "prázdniny", "šaty", "záda"),
        nominal=(*_SLAVIC_NOUNS, *_SLAVIC_ADJECTIVES),
        verbal=("l", "la", "li", "lo"),
    ),
    "DE": Grammar(
        infinitives=("en", "ln", "rn", "tun", "sein"),
        invariable=("fade", "orange"),
        only_plural=("Eltern", "Ferien", "Geschwister", "Jeans", "Kosten", "Leute", "Möbel", "Shorts"),
        nominal=("e", "en", "em", "er", "es", "ern", "n", "s", "ns", "ens"),
        verbal=("nd",),
    ),
    "ES": Grammar(
        infinitives=("ar", "er", "ir", "ír", "arse", "erse", "irse"),
        other_adjectives=("a", "as", "os"),
        invariable=_split(
            "ista ícola ícida rosa naranja violeta lila malva púrpura belga hipócrita idiota indígena "
            "nómada persa azteca entusiasta"
        ),
        plurals=(("s", ""),),
        only_plural=_split("gafas pantalones tijeras vacaciones vaqueros auriculares prismáticos"),
        nominal=_ROMANCE,
        verbal=("ndo", "iendo"),
        number=(("", "s"), ("", "es")),
        feminine=(("o", "a"),),
        derived=("ísimo", "ísima", "amente"),
        head_first=True,
    ),
    "ET": Grammar(
        infinitives=("ma",),
        only_plural=("püksid", "prillid", "käärid", "teksad"),
        nominal=("d", "de", "te", "t", "s", "st", "le", "l", "lt", "ks", "ga", "i", "id", "a", "e", "u"),
        verbal=("b", "da", "nud", "sid", "takse"),
    ),
    "FR": Grammar(
        infinitives=("er", "ir", "ïr", "re"),
        other_adjectives=_split(
            "euse euses ive ives enne ennes elles trice trices ée ées és nelle relle uelle ielle ienne"
        ),
        invariable=("athée", "rebelle"),
        plurals=(("s", ""), ("x", "")),
        only_plural=_split(
            "ciseaux jeans lunettes mathématiques pâtes toilettes vacances écouteurs escaliers échecs "
            "jumelles gémeaux fiançailles"
        ),
        nominal=("s", "x", "e", "es", "ux"),
        verbal=("ant", "ait", "ent", "ssant", "ons"),
        number=(("", "s"), ("", "x")),
        head_first=True,
    ),
    "IT": Grammar(
        infinitives=("are", "ere", "ire", "rre", "rsi"),
        other_adjectives=("a", "i"),
        invariable=_split(
            "ista asta cida ota rosa viola lilla pari dispari belga ipocrita cosmopolita indigena nomade "
            "triste"
        ),
        plurals=(("i", "o"), ("i", "e"), ("i", "a"), ("e", "a")),
        only_plural=_split(
            "forbici gemelli occhiali pantaloncini pantaloni cuffie mutande nozze ferie eclissi pile"
        ),
        nominal=("i", "e", "hi", "he", "a", "o"),
        verbal=("ndo", "endo", "iamo", "ano", "ono"),
        number=(("o", "i"), ("e", "i"), ("a", "e"), ("a", "i"), ("o", "hi"), ("a", "he")),
        feminine=(("o", "a"),),
        derived=("issimo", "issima", "amente"),
        head_first=True,
    ),
    "NL": Grammar(
        infinitives=("en", "aan", "oen", "ien", "ijn"),
        only_plural=("hersenen", "kosten", "ouders", "vakantie"),
        nominal=("en", "n", "s", "e", "er"),
        verbal=("nd", "end"),
    ),
    "PL": Grammar(
        infinitives=("ć", "c"),
        adjectives=("y", "i"),
        invariable=("blond", "khaki", "fajny", "bordo", "rad"),
        only_plural=("drzwi", "dżinsy", "nożyczki", "okulary", "plecy", "spodnie", "wakacje"),
        nominal=_split("a e i o u y ą ę em om ami ach owi ów ie iem ego emu"),
        verbal=("ł", "ła", "li", "ły"),
    ),
    "PT": Grammar(
        infinitives=("ar", "er", "ir", "or", "ôr", "air", "uir", "air-se", "ar-se", "er-se", "ir-se"),
        other_adjectives=("a", "as", "os", "ã", "ãs"),
        invariable=_split(
            "ista ícola icida rosa laranja violeta lilás belga hipócrita idiota indígena nómada nômade "
            "persa entusiasta púrpura simples"
        ),
        plurals=(("s", ""),),
        only_plural=("óculos", "férias", "calças", "costas", "olheiras"),
        nominal=_ROMANCE,
        verbal=("ndo",),
        feminine=(("o", "a"),),
        derived=("íssimo", "íssima", "amente"),
        head_first=True,
    ),
    "SK": Grammar(
        infinitives=("ť",),
        adjectives=("ý", "y", "í", "i"),
        invariable=("blond", "bordó", "fajn", "khaki", "lila", "prima", "rád", "sám"),
        only_plural=("okuliare", "dvere", "džínsy", "nohavice", "nožnice", "prázdniny", "šaty"),
        nominal=(*_SLAVIC_NOUNS, *_SLAVIC_ADJECTIVES, "och", "ách", "och", "iam", "iach"),
        verbal=("l", "la", "li", "lo"),
    ),
}


def grammar_of(language: str) -> Grammar:
    """Return the endings of a language, empty if they are unknown."""
    return GRAMMARS.get(language, Grammar())


class Dictionary:
    """The lemmas of some words and of their possible forms, in one language."""

    def __init__(self, language: str, lemmas: Mapping[str, str]) -> None:
        self._language, self._lemmas = language, lemmas
        self._grammar = grammar_of(language)

    def __contains__(self, word: str) -> bool:
        return word in self._lemmas

    def lemma(self, word: str) -> str | None:
        """Return the lemma of a word that is a form of another word and not an entry of its own; else None.

        Entries have forms: the Italian `sale` is a form of `sala`, but also an entry with the plural `sali`.
        """
        base = self._lemmas.get(word)
        if base is None or base.casefold() == word.casefold() or base[:1].isupper() != word[:1].isupper():
            return None
        return None if self.forms(word) else base

    def forms(self, word: str) -> list[str]:
        """Return other forms of a word, as far as the endings of the grammar cover them."""
        return [form for form in possible_forms(word, self._grammar) if self._is_form(form, word)]

    def is_verb(self, word: str) -> bool:
        """Return whether a word ends like a verb, has forms of a verb, and has no noun plural."""
        return (
            word.endswith(self._grammar.infinitives)
            and self._is_inflected(word)
            and not self._has_plural(word)
        )

    def is_noun(self, word: str) -> bool:
        """Return whether a word has a noun plural and no forms of a verb."""
        return self._has_plural(word) and not self._is_inflected(word)

    def is_adjective(self, word: str) -> bool | None:
        """Return whether a word has forms that only adjectives have; None if its ending cannot decide."""
        for end, other in self._grammar.feminine:
            if word.endswith(end):
                stem = word.removesuffix(end)
                if self._is_form(stem + other, word) or self._is_compared(stem):
                    return True
                # The Italian dictionary has both magra and tavola as entries of their own.
                return False if has_list(self._language) or stem + other not in self else None
        return None

    def _is_compared(self, stem: str) -> bool:
        endings = self._grammar.derived if has_list(self._language) else ()
        return any(per_million(self._language, stem + end) for end in endings)

    def _is_inflected(self, word: str) -> bool:
        return any(self._is_form(form, word) for form in _endings(word, self._grammar.verbal))

    def _has_plural(self, word: str) -> bool:
        return any(self._is_form(form, word) for form in _replaced(word, self._grammar.number))

    def _is_form(self, form: str, word: str) -> bool:
        return form != word and self._lemmas.get(form) == word


def read_dictionary(language: str, words: Iterable[str]) -> Dictionary | None:
    """Return a dictionary for some words; None without the extra, or if the language has no dictionary.

    Only the entries that the words need are kept: a whole dictionary takes up to half a gigabyte.
    """
    lemmas = _read_lemmas(language.lower()) if find_spec("simplemma") else None
    if lemmas is None:
        return None
    grammar = grammar_of(language)
    parts = {part for word in words for part in word.split("_")}
    needed = {form for part in parts for form in (part, *possible_forms(part, grammar))}
    return Dictionary(language, {form: lemma for form in needed if (lemma := lemmas.get(form)) is not None})


def possible_forms(word: str, grammar: Grammar) -> Iterator[str]:
    """Yield the possible forms of a word, from the endings of its language."""
    yield from _endings(word, (*grammar.nominal, *grammar.verbal))
    yield from _replaced(word, (*grammar.number, *grammar.feminine))


def _endings(word: str, endings: tuple[str, ...]) -> Iterator[str]:
    for cut in range(min(_MOST_CUT, len(word) - 1) + 1):
        yield from (word[: len(word) - cut] + end for end in endings)


def _replaced(word: str, ends: tuple[tuple[str, str], ...]) -> Iterator[str]:
    return (word.removesuffix(end) + other for end, other in ends if word.endswith(end))


@lru_cache(maxsize=1)
def _read_lemmas(language: str) -> Mapping[str, str] | None:
    from simplemma.strategies import DefaultDictionaryFactory

    try:
        return DefaultDictionaryFactory(cache_max_size=1).get_dictionary(language)
    except ValueError:  # no such language
        return None
