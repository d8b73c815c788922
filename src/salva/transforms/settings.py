"""The settings of every preset, with the names and defaults of its document."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from salva._arguments import did_you_mean
from salva.edits.render import RENDERS
from salva.errors import UsageError
from salva.lexicon import KEYBOARDS
from salva.transforms.fields import choice, count, flag, rate, resource, weight, words
from salva.transforms.own_values import own_groups, own_keyboard, own_thesaurus

_RENDER = "How to rebuild the text: splice, spaces or treebank."
_POLARITY = "Replace praise with praise, blame with blame, and other words with words that are neither."
_KEYBOARD = f"Neighbouring keys: {', '.join(KEYBOARDS)}, a TOML file, or a mapping."
_EXCLUDE = "Words never to put into a text: offensive (the shipped list), a file, or a list."


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings that all presets have."""

    exclude: str | tuple[str, ...] = words("offensive", _EXCLUDE)
    keep_polarity: bool = flag(True, _POLARITY)
    protect: bool = flag(False, "Leave URLs, email addresses, @names, #tags, HTML tags and entities alone.")
    protect_markup: bool = flag(True, "Leave HTML tags and entities alone, with or without protect.")
    protect_words: tuple[str, ...] = words((), "Words and phrases to leave alone, whatever their case.")
    protect_patterns: tuple[str, ...] = words((), "Regular expressions for what to leave alone.")
    render: str = choice("splice", RENDERS, _RENDER)


@dataclass(frozen=True, kw_only=True)
class HybridSettings(Settings):
    """Synonyms from domain groups and WordNet by part of speech, and a few typos."""

    p_synonym_adj: float = rate(0.70, "Probability of replacing an adjective.")
    p_synonym_adv: float = rate(0.70, "Probability of replacing an adverb.")
    p_synonym_noun: float = rate(0.30, "Probability of replacing a noun.")
    p_synonym_verb: float = rate(0.25, "Probability of replacing a verb.")
    min_word_length: int = count(4, "Shortest word that is replaced or mistyped.", least=1)
    p_typo: float = rate(0.10, "Probability of a typo in a word that was not replaced.")
    max_typos_per_example: int = count(2, "Most typos in one text.")
    second_draw: bool = flag(
        True, "Whether a word of a group that its group does not replace gets WordNet's draw as well."
    )
    groups: str | tuple[tuple[str, ...], ...] = resource(
        "builtin", "Domain groups: builtin, a TOML file, or lists of words; [] for WordNet alone.", own_groups
    )
    tagger: str = resource(
        "builtin", "Parts of speech: builtin, nltk (its weights, where NLTK looks), or a folder with weights."
    )
    keyboard: str | tuple[tuple[str, str], ...] = resource("hybrid", _KEYBOARD, own_keyboard)
    render: str = choice("treebank", RENDERS, _RENDER)


@dataclass(frozen=True, kw_only=True)
class SynonymSettings(Settings):
    """WordNet synonyms for half of the words that are not stop words."""

    prob: float = rate(0.5, "Probability of replacing a word.")
    max_synsets: int = count(3, "How many synsets of a word to look at.", least=1)
    stop_words: str | tuple[str, ...] = words(
        "english", "Words to leave alone: english (NLTK's), a file, or a list."
    )
    render: str = choice("spaces", RENDERS, _RENDER)


@dataclass(frozen=True, kw_only=True)
class TypoSettings(Settings):
    """Neighbouring keys in a quarter of the words."""

    prob: float = rate(0.25, "Probability of typos in a word.")
    typo_per_word: float = rate(0.4, "Share of a word's characters that are chosen; at least one.")
    min_word_length: int = count(3, "Shortest word that gets typos.", least=1)
    keyboard: str | tuple[tuple[str, str], ...] = resource("typos", _KEYBOARD, own_keyboard)
    render: str = choice("spaces", RENDERS, _RENDER)


@dataclass(frozen=True, kw_only=True)
class CorruptSettings(Settings):
    """Bad autocorrection, bad autocompletion, synonyms out of context, and typos."""

    typo_weight: float = weight(0.05, "How often a word gets a typo, relative to the other weights.")
    autocomplete_weight: float = weight(0.30, "How often a word is completed to another.")
    autocorrect_weight: float = weight(0.30, "How often a word is corrected to another.")
    synonym_weight: float = weight(0.35, "How often a word becomes a synonym, whatever its sense.")
    dictionary_size: int = count(4000, "How many common words to use for corrections and completions.")
    vocabulary: str | tuple[str, ...] = words(
        "builtin", "Common words, most frequent first: builtin, a file, or a list."
    )
    thesaurus: str | tuple[tuple[str, tuple[str, ...]], ...] = resource(
        "wordnet", "Synonyms: wordnet, a TSV file of words and their synonyms, or a mapping.", own_thesaurus
    )
    share_of: str = choice("words", ("words", "tokens"), "What severity is a share of: words, or all tokens.")
    look_up: str = choice("lower", ("lower", "written"), "Look words up in lower case, or as written.")
    correct: str = choice("any", ("any", "common"), "Which words are corrected: any, or only common ones.")
    render: str = choice("spaces", RENDERS, _RENDER)

    def __post_init__(self) -> None:
        """Refuse weights that are all 0."""
        if not any(self.weights):
            raise UsageError("all weights are 0; give at least one corruption a weight")

    @property
    def weights(self) -> tuple[float, float, float, float]:
        """The weights of typo, autocomplete, autocorrect and synonym."""
        return self.typo_weight, self.autocomplete_weight, self.autocorrect_weight, self.synonym_weight


def checked(preset: str, kind: type[Settings], values: dict[str, Any]) -> Settings:
    """Return settings from the user's values, each checked; for an unknown name, suggest the nearest one.

    >>> checked("typos", TypoSettings, {"prob": 1}).prob
    1.0
    """
    known = {field.name: field for field in fields(kind)}
    for name in values:
        if name not in known:
            hint = did_you_mean(name, known, otherwise=f"its settings are {', '.join(known)}")
            raise UsageError(f"preset {preset} has no setting {name!r}; {hint}")
    return kind(**{name: known[name].metadata["check"](name, value) for name, value in values.items()})
