"""Questions about texts or pairs of texts: as they are, rewritten, once more, or in words of the user's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from salva._arrow import Strings, as_numbers, as_strings, ints
from salva.errors import UsageError
from salva.models.protocol import Text
from salva.questions.conditions import Recipe
from salva.questions.items import Items
from salva.questions.options import Data
from salva.questions.table import CHANGE, MEASURE, NO_EDIT, NO_TEXT, NO_VALUE, keys_of, make_block
from salva.tasks.choices import as_rows
from salva.transforms import Summary


class TextMaker:
    """Makes the questions about items, group by group.

    `opposites` are labels that turn into one another. Without `shares`, a twin that is equal to its original
    is asked about by itself.
    """

    def __init__(
        self,
        data: Data,
        recipes: Sequence[Recipe],
        *,
        opposites: Mapping[str, str],
        shares: bool = True,
        threads: int | None = None,
    ) -> None:
        self._data, self._recipes, self._threads = data, recipes, threads
        self._opposites, self._shares = opposites, shares
        self.conditions = tuple(recipe.describe() for recipe in recipes)
        self.rewritten_part = 0

    def make(self, items: Items, columns: Sequence[str], summaries: dict[str, Summary]) -> pa.Table:
        """Return the questions about some items; `columns` are those of the texts.

        What was done to the words is added to `summaries`, by condition.
        """
        self.rewritten_part = _find_column(columns, self._data.rewrite)
        clean = keys_of(_as_inputs(items.texts))
        blocks = []
        for recipe, condition in zip(self._recipes, self.conditions, strict=True):
            texts, edits = self._rewrite(items, recipe, condition.name, summaries)
            about: dict[str, Any] = {"expected": _as_expected(items.labels), "edits": edits}
            inputs = _as_inputs(texts)
            keys = clean if condition.is_clean else keys_of(inputs, recipe.way.time)
            why = [NO_TEXT if key is None else None for key in keys]
            if condition.is_clean:
                text = items.texts[self.rewritten_part].array
                about["facts"] = list_facts(items, self._data.slice_by)
                about["characters"] = pc.utf8_length(text)
            elif condition.must == CHANGE and recipe.rewriting is not None and edits is not None:
                turned = self._opposites if recipe.rewriting.turns_answers else {}
                about["expected"] = _as_expected([turned.get(label or "") for label in items.labels])
                edited = (np.diff(ints(edits.offsets)) > 0).tolist()
                why = [reason if done else NO_EDIT for reason, done in zip(why, edited, strict=True)]
            elif recipe.rewriting is not None and not recipe.way.time:
                pairs = zip(keys, clean, strict=True)
                about["unchanged"] = [key is not None and key == other for key, other in pairs]
                if not self._shares:
                    keys = keys_of(inputs, manner=condition.name)
            if recipe.way.column is not None:
                # A row without a paraphrase is not asked; without its text it fails, as everywhere.
                why = [
                    NO_VALUE if one and key is not None else one for one, key in zip(why, clean, strict=True)
                ]
            blocks.append(
                make_block(
                    len(items),
                    key=[None if reason else key for key, reason in zip(keys, why, strict=True)],
                    condition=condition.name,
                    purpose=MEASURE,
                    must=condition.must,
                    parts=_as_parts(texts),
                    why_not_asked=why if any(why) else None,
                    **describe_items(items, self._data),
                    **about,
                )
            )
        return pa.concat_tables(blocks)

    def _rewrite(
        self, items: Items, recipe: Recipe, name: str, summaries: dict[str, Summary]
    ) -> tuple[list[Strings], pa.ListArray | None]:
        """Return the texts of all rows under a condition, and the edits that were made."""
        texts, part, edits = list(items.texts), self.rewritten_part, None
        if recipe.way.column is not None:
            texts[part] = read_paraphrases(items, recipe.way.column)
        if recipe.rewriting is not None:
            rewritten = recipe.rewriting.rewrite(texts[part], threads=self._threads)
            summaries[name] = summaries.get(name, Summary()) + rewritten.summary
            texts[part], edits = as_strings(rewritten.column), _place_edits(rewritten.edits, part)
        return texts, edits


def _find_column(columns: Sequence[str], wanted: str | None) -> int:
    if wanted not in (None, *columns):
        named = ", ".join(map(repr, columns))
        raise UsageError(f"rewrite={wanted!r} must be one of the text columns ({named})")
    return 0 if wanted is None else list(columns).index(wanted)


def _as_inputs(texts: Sequence[Strings]) -> list[Text | None]:
    """Return texts, or pairs of them, as a model gets them."""
    columns = [text.array.to_pylist() for text in texts]
    if len(columns) == 1:
        return list(columns[0])
    return [None if None in pair else pair for pair in zip(*columns, strict=True)]


def _as_parts(texts: Sequence[Strings]) -> pa.ListArray:
    width, size, values = len(texts), len(texts[0].array), texts[0].array
    if width > 1:
        order = np.arange(width * size).reshape(width, size).T.ravel()
        values = pa.concat_arrays([text.array for text in texts]).take(as_numbers(order))
    return pa.ListArray.from_arrays(as_numbers(np.arange(0, width * size + 1, width, dtype=np.int32)), values)


def _as_expected(labels: Sequence[str | None]) -> list[list[str] | None]:
    return [None if label is None else [label] for label in labels]


def read_paraphrases(items: Items, column: str) -> Strings:
    """Return a column of paraphrases; an empty one counts as missing."""
    return as_strings([value if value and value.strip() else None for value in items.columns[column]])


def list_facts(items: Items, names: Sequence[str]) -> list[list[tuple[str, str]]] | None:
    """Return some columns as facts about every item; a missing value is left out."""
    if not names:
        return None
    rows = as_rows({name: items.columns[name] for name in names})
    return [[(name, value) for name, value in row.items() if value is not None] for row in rows]


def describe_items(items: Items, data: Data) -> dict[str, Any]:
    """Return what the questions about some items have in common, whatever the condition is."""
    numbers = as_numbers(np.arange(items.first, items.first + len(items)))
    groups = None if data.group is None else items.columns[data.group]
    return {"item": numbers, "id": items.ids, "group": groups}


def _place_edits(edits: pa.ListArray, part: int) -> pa.ListArray:
    """Return edits in a part."""
    if not part:
        return edits
    flat = edits.values
    columns = [as_numbers(np.full(len(flat), part, np.int16)), *flat.flatten()[1:]]
    moved = pa.StructArray.from_arrays(columns, fields=list(flat.type))
    return pa.ListArray.from_arrays(edits.offsets, moved)
