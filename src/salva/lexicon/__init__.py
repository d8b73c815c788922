"""What words may be replaced with: WordNet, synonym groups, polarity, keyboards, stop words, vocabulary."""

from salva.lexicon.checking import CHECKS, CheckedFile, check_file
from salva.lexicon.findings import Finding
from salva.lexicon.groups import Group, Groups, check_groups, load_groups, read_groups
from salva.lexicon.letters import ALPHABETS, KEYBOARDS
from salva.lexicon.pair_checks import check_pairs
from salva.lexicon.pairs import Condition, Pair, read_pairs
from salva.lexicon.shipped import offensive_words, polarity, stop_words
from salva.lexicon.vocabulary import common_words, embedded_vocabulary
from salva.lexicon.wordnet import Lemma, Synset, WordNet

__all__ = [
    "ALPHABETS",
    "CHECKS",
    "KEYBOARDS",
    "CheckedFile",
    "Condition",
    "Finding",
    "Group",
    "Groups",
    "Lemma",
    "Pair",
    "Synset",
    "WordNet",
    "check_file",
    "check_groups",
    "check_pairs",
    "common_words",
    "embedded_vocabulary",
    "load_groups",
    "offensive_words",
    "polarity",
    "read_groups",
    "read_pairs",
    "stop_words",
]
