"""What words may be replaced with: WordNet, synonym groups, polarity, keyboards, stop words, vocabulary."""

from salva.lexicon.alphabets import ALPHABETS
from salva.lexicon.check import CHECKS, Finding, check_groups
from salva.lexicon.groups import Group, Groups, load_groups, read_groups
from salva.lexicon.keyboards import KEYBOARDS
from salva.lexicon.lists import offensive_words, polarity, stop_words
from salva.lexicon.vocabulary import common_words, embedded_vocabulary
from salva.lexicon.wordnet import Lemma, Synset, WordNet

__all__ = [
    "ALPHABETS",
    "CHECKS",
    "KEYBOARDS",
    "Finding",
    "Group",
    "Groups",
    "Lemma",
    "Synset",
    "WordNet",
    "check_groups",
    "common_words",
    "embedded_vocabulary",
    "load_groups",
    "offensive_words",
    "polarity",
    "read_groups",
    "stop_words",
]
