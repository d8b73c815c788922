"""How similar words are: files of vectors in several formats, and thesauri."""

from salva.outliers.vectors.formats import open_vectors
from salva.outliers.vectors.similarities import Similarities, SourceInfo, Vectors
from salva.outliers.vectors.thesaurus import Thesaurus, open_thesaurus

__all__ = ["Similarities", "SourceInfo", "Thesaurus", "Vectors", "open_thesaurus", "open_vectors"]
