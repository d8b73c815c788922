"""Convert the perceptron weights of PyPI's `textblob-aptagger` into the shipped table.

    pip download --no-deps textblob-aptagger==0.2.0
    python -m tools.build_tagger textblob_aptagger-0.2.0-py2.py3-none-any.whl

The package stores its weights as a pickle, which is unpickled only here, never at run time.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
import zipfile
from pathlib import Path

from salva.text.tagger_model import compile_model
from tools.tables import write_tables

PICKLE = "textblob_aptagger/trontagger-0.1.0.pickle"
SHA256 = "1109164b3d28dce58f96b763128bab2fd8754c3921fd3330de2724ac6d1ada7c"


def read_pickle(wheel: Path) -> tuple[dict[str, dict[str, float]], dict[str, str], set[str]]:
    """Check the digest; return the weights, the words that have only one tag, and the tags."""
    content = zipfile.ZipFile(wheel).read(PICKLE)
    digest = hashlib.sha256(content).hexdigest()
    if digest != SHA256:
        sys.exit(f"{PICKLE} has the digest {digest}, not {SHA256}")
    model: tuple[dict[str, dict[str, float]], dict[str, str], set[str]] = pickle.loads(content)  # noqa: S301
    return model


def main() -> None:
    """Write the table to the lexicon's data folder."""
    write_tables("tagger.arrow", compile_model(*read_pickle(Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
