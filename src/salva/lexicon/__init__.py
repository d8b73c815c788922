"""What words may be replaced with: WordNet, synonym groups, polarity, keyboards, stop words, vocabulary."""

from salva.lexicon.groups import CHECKS, Finding, Group, Groups, check_groups, load_groups, read_groups
from salva.lexicon.letters import ALPHABETS, KEYBOARDS
from salva.lexicon.shipped import offensive_words, polarity, stop_words
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
