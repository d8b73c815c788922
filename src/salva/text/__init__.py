"""Sentences, tokens, tags and case, identical to NLTK's, with their positions in the text."""

from salva.text import casing
from salva.text.detokenize import detokenize
from salva.text.spans import Spans
from salva.text.tagger import Tagged, Tagger, tag
from salva.text.tokens import sentences, tokenize

__all__ = ["Spans", "Tagged", "Tagger", "casing", "detokenize", "sentences", "tag", "tokenize"]
