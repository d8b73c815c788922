"""Inspect: a Python file with one task per condition, and the logs that it writes, `.eval` and `.json`.

A `.eval` file is a zip archive of JSON, one file per sample. It may be compressed with Zstandard, which the
zip module of Python does not know.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from salva._files import Unit, open_regular, read_whole, storage_errors
from salva._types import PathLike
from salva.errors import InputError
from salva.harnesses.questions import KEY, Exported, Reply, Stop, write_questions, write_texts

_HEAD = '''"""Tasks of an exported suite for Inspect: one per condition; made by salva questions --to."""

from pathlib import Path

from inspect_ai import task

from salva.inspect_plugin import read_exported

FOLDER = Path(__file__).parent
'''
_TASK = """

@task
def {name}():
    return read_exported(FOLDER / "{name}.jsonl")
"""
_MOST_SAMPLE, _MOST_JSON, _MOST_SAMPLES = 64 << 20, 1 << 30, 10_000_000
_ZSTANDARD = 93
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partly, incorrect, none
_STOPS: dict[str, Stop] = {"max_tokens": "limit", "model_length": "limit", "content_filter": "refusal"}
_LOCAL = struct.Struct("<26xHH")  # of the header before a file in an archive: the lengths of name and extras


def write_inspect(folder: Path, suite: Exported, unit: Unit, *, overwrite: bool) -> list[str]:
    """Write the file with the tasks, and their questions; return the names of the files."""
    tasks = "".join(_TASK.format(name=part.name) for part in suite.parts)
    files = {"salva_tasks.py": _HEAD + tasks, "task.json": json.dumps(suite.task, indent=1) + "\n"}
    write_texts(folder, files, unit, overwrite=overwrite)
    for part in suite.parts:
        write_questions(folder / f"{part.name}.jsonl", part.questions(), unit, overwrite=overwrite)
    return [*files, *(f"{part.name}.jsonl" for part in suite.parts)]


def read_log(path: PathLike) -> Iterator[Reply]:
    """Yield the replies of a log of Inspect."""
    for name, sample in _samples(path):
        try:
            yield _reply(sample)
        except (ArithmeticError, KeyError, TypeError, AttributeError, IndexError) as error:
            problem = f"{name} is not a sample of an exported suite ({error!r:.60})"
            raise InputError.at(path, None, problem) from None


def _reply(sample: Mapping[str, Any]) -> Reply:
    key = sample["metadata"][KEY]
    own = next((one["value"] for one in (sample.get("scores") or {}).values()), None)
    own = _GRADES.get(own) if isinstance(own, str) else own
    if sample.get("error"):
        return Reply.of(key, None, own, sample["error"].get("message", "the sample failed"))
    text, stop = _read_output(sample["output"])
    return Reply.of(key, text, own, "the sample has no reply" if text is None else None, stop)


def _read_output(output: Mapping[str, Any]) -> tuple[str | None, Stop | None]:
    """Return a reply, and why it ends early; None if it does not, or if the log has no reason."""
    choices = output.get("choices") or []
    if not choices:
        return output.get("completion"), None
    content, stop = choices[0]["message"]["content"], _STOPS.get(choices[0].get("stop_reason"))
    if isinstance(content, str):
        return content, stop
    text = "\n".join(part["text"] for part in content if part.get("type") == "text")
    return text, "refusal" if any(part.get("refusal") for part in content) else stop


def _samples(path: PathLike) -> Iterator[tuple[str, Any]]:
    """Yield the name and the content of every sample."""
    if Path(path).suffix != ".eval":
        log = _parse(path, "the file", read_whole(path, _MOST_JSON))
        samples = log.get("samples") if isinstance(log, dict) else None
        if not isinstance(samples, list):
            raise InputError.at(path, None, "is not a log of Inspect with samples")
        yield from ((f"sample {number}", sample) for number, sample in enumerate(samples, 1))
        return
    with open_regular(path) as stream, storage_errors(path):
        try:
            with zipfile.ZipFile(stream) as archive:
                for entry in _entries(path, archive):
                    yield entry.filename, _parse(path, entry.filename, _content(path, stream, archive, entry))
        except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError) as error:
            problem = f"is not a whole log of Inspect ({str(error).splitlines()[0]:.80})"
            raise InputError.at(path, None, problem) from None


def _entries(path: PathLike, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the samples of an archive; nothing is unpacked to a disk, so names are only compared."""
    found = [one for one in archive.infolist() if one.filename.startswith("samples/")]
    if len(found) > _MOST_SAMPLES:
        raise InputError.at(path, None, f"has {len(found):,} samples, more than {_MOST_SAMPLES:,}")
    if not found:
        raise InputError.at(path, None, "has no samples; run inspect eval without --no-log-samples")
    return found


def _content(path: PathLike, stream: BinaryIO, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a file in an archive; refuse one that is too long, whatever its header says."""
    if entry.compress_type == _ZSTANDARD:
        content = _decompress(stream, entry)
    else:
        with archive.open(entry) as file:
            content = file.read(_MOST_SAMPLE + 1)
    if len(content) > _MOST_SAMPLE:
        problem = f"{entry.filename:.80} is longer than {_MOST_SAMPLE >> 20} MB, the limit for a sample"
        raise InputError.at(path, None, problem)
    return content


def _decompress(stream: BinaryIO, entry: zipfile.ZipInfo) -> bytes:
    import pyarrow as pa

    stream.seek(entry.header_offset)
    name, extra = _LOCAL.unpack(stream.read(_LOCAL.size))
    stream.seek(name + extra, 1)
    raw = pa.py_buffer(stream.read(min(entry.compress_size, _MOST_SAMPLE)))
    try:
        with pa.CompressedInputStream(pa.BufferReader(raw), "zstd") as unpacked:
            content: bytes = unpacked.read(_MOST_SAMPLE + 1)
    except OSError as error:
        raise zipfile.BadZipFile(str(error)) from None
    if zlib.crc32(content) != entry.CRC and len(content) <= _MOST_SAMPLE:
        raise zipfile.BadZipFile(f"the checksum of {entry.filename} is wrong")
    return content


def _parse(path: PathLike, name: str, content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError.at(path, None, f"{name:.80} is not JSON ({error!s:.60})") from None
