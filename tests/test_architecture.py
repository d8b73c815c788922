"""DESIGN's table of levels, held against every import in the package."""

from __future__ import annotations

import ast
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import salva

SOURCE = Path(salva.__file__).parent
LEVEL_0 = {"errors", "_types", "_arrow", "_files", "_show", "_torch"}
ARROW = {"numpy", "pyarrow"}

# Package: what of salva it may import, and which third parties.
TABLE = {
    **dict.fromkeys(LEVEL_0 - {"_torch"}, (LEVEL_0 - {"_torch"}, ARROW | {"filelock"})),
    "_torch": ({"errors"}, {"torch"}),
    "_kernels": (set(), {"numba", "numpy", "platformdirs"}),
    "lexicon": (LEVEL_0 | {"_kernels"}, ARROW),
    "text": (LEVEL_0 | {"_kernels", "lexicon"}, ARROW),
    "edits": (LEVEL_0 | {"_kernels", "lexicon", "text"}, ARROW | {"regex"}),
    "datasets": (LEVEL_0, ARROW),
    "models": (
        LEVEL_0 | {"datasets"},
        ARROW | {"httpx2", "onnxruntime", "skops", "stamina", "tokenizers", "torch", "transformers"},
    ),
    "stats": (LEVEL_0 | {"_kernels"}, {"numpy", "scipy"}),
    "pairs": (LEVEL_0 | {"stats"}, {"numpy"}),
    "transforms": (
        LEVEL_0 | {"_kernels", "lexicon", "text", "edits", "datasets"},
        ARROW | {"pandas", "polars"},
    ),
    "compat": (LEVEL_0 | {"_kernels", "lexicon", "text", "edits", "transforms"}, ARROW),
    "runs": (LEVEL_0 | {"datasets"}, ARROW),
    "pages": (LEVEL_0, {"jinja2"}),
    "evaluation": (
        LEVEL_0 | {"datasets", "models", "pages", "pairs", "runs", "stats", "transforms"},
        ARROW | {"mlflow", "wandb"},
    ),
    "outliers": (
        LEVEL_0 | {"_kernels", "lexicon", "datasets", "models", "pages", "pairs", "runs", "stats"},
        ARROW | {"safetensors"},
    ),
    "twins": (
        LEVEL_0
        | {"_kernels", "lexicon", "text", "edits", "transforms"}
        | {"datasets", "models", "pages", "pairs", "runs", "stats"},
        ARROW | {"safetensors", "torch"},
    ),
    "cli": (
        LEVEL_0
        | {
            "lexicon",
            "text",
            "datasets",
            "stats",
            "transforms",
            "models",
            "evaluation",
            "outliers",
            "twins",
            "",
        },
        {"click", "rich"},
    ),
    "__main__": ({"cli"}, set()),
    "": (
        {"compat", "errors", "datasets", "evaluation", "lexicon", "models", "outliers", "text", "transforms"}
        | {"twins", ""},
        set(),
    ),
}
# Reads and runs code from data; hidden in `numba`'s cache alone.
BANNED = {
    "pickle",
    "dill",
    "cloudpickle",
    "marshal",
    "shelve",
    "joblib",
    "yaml",
    "urllib",
    "http",
    "requests",
}
MODULES = sorted(SOURCE.rglob("*.py"))


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def imports_of(path: Path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "salva":
                yield from (f"salva.{alias.name}" for alias in node.names if alias.name != "__version__")
            else:
                yield node.module


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_what_the_table_allows(path):
    home = package_of(name_of(path))
    ours, theirs = TABLE[home]
    for name in imports_of(path):
        top = name.split(".")[0]
        if top == "salva":
            assert package_of(name) in ours | {home}, f"{home} imports {name}"
        elif top not in sys.stdlib_module_names:
            assert top in theirs, f"{home} imports {name}"
        assert top not in BANNED, f"{home} imports {name}"


def test_there_is_no_import_cycle():
    known = {name_of(path) for path in MODULES}
    graph = {name_of(p): {n for n in imports_of(p) if n in known and n != name_of(p)} for p in MODULES}
    graph["salva"] = set()  # its imports are for type checkers; names load on first use
    tuple(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_code_is_made_from_data(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"eval", "exec", "compile"}, f"{path}:{node.lineno}"
        if isinstance(node, ast.keyword):
            assert node.arg not in {"allow_pickle", "parallel"}, f"{path}:{node.lineno}"
