"""The folder that a run writes parts to: its settings, whether it may be written to, and its manifest.

Readers of folders skip names that begin with an underscore, so the parts are all that they see.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from salva._arguments import argument
from salva._results import as_json, brief
from salva.errors import InputError, UsageError
from salva.rows.places import Place
from salva.rows.write import versions
from salva.transforms.parts import RECORDS, SUCCESS, Part, read_record
from salva.transforms.twins import Summary

MANIFEST = "_manifest.json"
_SETTINGS = "_salva/settings.json"
_COUNTS = ("rows_in", "rows_out", "rows_repaired", "rows_rejected")


@brief
@dataclass(frozen=True, slots=True, kw_only=True)
class FolderManifest:
    """Provenance of a folder of parts; nothing in it depends on the engine, the time or the machine.

    `digest` covers the names and digests of all outputs.
    """

    digest: str
    rows_in: int
    rows_out: int
    rows_repaired: int
    rows_rejected: int
    settings: dict[str, Any]
    transform: dict[str, Any]
    parts: tuple[Part, ...]

    @classmethod
    def of_parts(cls, settings: Mapping[str, Any], parts: Sequence[Part]) -> FolderManifest:
        """Return the manifest for all parts, whose counts are added up."""
        about = dict(settings)
        summary = sum((Summary.from_dict(part.summary) for part in parts), Summary())
        lines = "".join(f"{part.output}\0{part.output_digest}\n" for part in parts)
        return cls(
            digest=f"sha256:{hashlib.sha256(lines.encode()).hexdigest()}",
            **{name: sum(getattr(part, name) for part in parts) for name in _COUNTS},
            transform=about.pop("transform") | {"summary": summary.as_dict()},
            settings=about,
            parts=tuple(parts),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, with versions."""
        return versions() | dataclasses.asdict(self)


class OutputFolder:
    """Where a run writes its parts, and with which settings."""

    def __init__(self, place: Place, edits: Place | None, settings: Mapping[str, Any]) -> None:
        self.place, self.edits = place, edits
        self._settings = json.loads(json.dumps(settings))

    @property
    def digest(self) -> str:
        """What the record of a finished part must name."""
        return hashlib.sha256(json.dumps(self._settings, sort_keys=True).encode()).hexdigest()

    @contextlib.contextmanager
    def open(self, outputs: Sequence[str], *, resume: bool, overwrite: bool) -> Iterator[None]:
        """Write the settings; go on with an older run, remove it or refuse it, as the user says.

        A run that fails before a part is finished leaves nothing behind.
        """
        raw = self.place.read(_SETTINGS)
        if raw is None and (self.place.files() or self.place.read(SUCCESS) is not None):
            raise InputError.at(self.place.name, None, "is not empty and holds no run; give another folder")
        if raw is not None and not resume and not overwrite:
            ways = f"{argument('resume', True)} to continue it, {argument('overwrite', True)} to start over"
            raise InputError.at(self.place.name, None, f"holds a run; pass {ways}, or give another folder")
        if raw is not None and resume:
            self._check_same(raw, outputs)
        else:
            self._remove_run()
            self.place.write(_SETTINGS, as_json(self._settings))
        try:
            yield
        except BaseException:
            # A part may have its name but, on a full disk, no record: then the run stays, to be continued.
            if not self.place.files(RECORDS) and not self.place.files():
                self._remove_run()
            raise
        finally:
            for place in filter(None, (self.place, self.edits)):
                place.sweep()

    def finish(self, parts: Sequence[Part]) -> FolderManifest:
        """Write the manifest and, last of all, the file that marks the run as complete."""
        manifest = FolderManifest.of_parts(self._settings, parts)
        content = as_json(manifest.as_dict())
        if self.place.read(MANIFEST) != content:
            self.place.write(MANIFEST, content)
        if self.place.read(SUCCESS) is None:
            self.place.write(SUCCESS, b"")
        return manifest

    def _check_same(self, raw: bytes, outputs: Sequence[str]) -> None:
        afresh = f"pass {argument('overwrite', True)} to start over, or give another folder"
        try:
            differing = next(_differences(json.loads(raw), self._settings), None)
        except ValueError:
            raise InputError.at(self.place.name, None, f"{_SETTINGS} is damaged; {afresh}") from None
        if differing is not None:
            problem = f"was made with different settings: {differing}"
            raise UsageError(f"{self.place.name}: {problem}; resume with the same settings, {afresh}")
        known = {f"{name}.json" for name in outputs}
        gone = next((name for name in self.place.files(RECORDS) if name not in known), None)
        if gone is not None:
            problem = f"has the part {gone.removesuffix('.json')!r}, which the input no longer has"
            raise InputError.at(self.place.name, None, f"{problem}; {afresh}")

    def _remove_run(self) -> None:
        """Remove what a run wrote, and nothing else."""
        self.place.remove(SUCCESS)
        for name in self.place.files(RECORDS):
            record = read_record(self.place, f"{RECORDS}/{name}")
            if record is not None:
                self.place.remove(record.part.output)
                if self.edits is not None and record.part.edits is not None:
                    self.edits.remove(record.part.edits)
            self.place.remove(f"{RECORDS}/{name}")
        self.place.remove(MANIFEST)
        self.place.remove(_SETTINGS)
        self.place.prune()


def _differences(old: Any, new: Any, name: str = "") -> Iterator[str]:
    """Yield what differs: its name, the old value and the new one."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*new, *old]):
            yield from _differences(old.get(key), new.get(key), f"{name}.{key}" if name else key)
    elif old != new:
        yield f"{name} was {old!r:.40} and is now {new!r:.40}"
