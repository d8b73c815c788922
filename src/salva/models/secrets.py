"""Secrets in what is shown and kept: a known one in any spelling, and what looks like one in a command."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

MASK = "***"
_LEAST = 8  # characters of a secret; local servers take any key, and a shorter one is a word such as EMPTY

_NAME = (
    r"(?<![a-z0-9])(?:(?:api|access|secret|private|auth)?keys?|(?:api|access|auth|bearer)?token|secrets?"
    r"|pass(?:word|wd|phrase)?|pwd|credentials?|auth(?:orization)?|cookies?)(?![a-z0-9])"
)
_ELSEWHERE = r"(?!-(?:variable|env|file|path|name)\b)"  # the option says where the secret is
_VALUE = r"(?:(?:bearer|basic|token)\s+)?[^\s\"'&;,}]+"
_QUOTED = r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+"
# In each, the last group is the secret.
_LOOKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(\bcookies?[\"']?\s*[=:]\s*[\"']?)([^\"']+)",  # all of them
        rf"(--?[\w-]*{_NAME}{_ELSEWHERE}[\w-]*\s+)({_QUOTED})",  # --api-key abc
        r"((?:^|\s)(?:-u|--user|--proxy-user)\s+['\"]?[^\s:'\"]*:)([^\s'\"]+)",  # -u name:password
        rf"([\w.-]*{_NAME}[\w.-]*[\"']?\s*[=:]\s*[\"']?)({_VALUE})",  # KEY=abc, Authorization: Bearer abc
        r"(\b(?:bearer|basic)\s+)([^\s\"'&;,}]+)",
        r"([a-z][a-z0-9+.-]*://)([^\s/@\"']+)(?=@)",  # https://name:password@host
        r"()(\b(?:sk|pk|hf|gh[opsu]|glpat|xox[abp])[-_][\w-]{8,})",
        r"()((?<![a-z0-9])(?=[0-9]*[a-z])(?=[a-z]*[0-9])[a-z0-9]{20,})",  # letters and digits, no word
    )
)


class Secrets:
    """Some secrets, which are masked in any text; their values are never shown."""

    def __init__(self, values: Iterable[str]) -> None:
        known = sorted({value for value in values if len(value) >= _LEAST}, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_spellings, known))) if known else None

    def hide(self, text: str) -> str:
        r"""Return a text with the secrets masked, also if they are spelled with escapes.

        >>> Secrets(["sk/abcdef"]).hide(r"key sk\/abcdef, \u0073k/abcdef or sk%2Fabcdef")
        'key ***, *** or ***'
        """
        return text if self._pattern is None else self._pattern.sub(MASK, text)

    def hide_bytes(self, line: bytes) -> bytes:
        """Do the same in bytes, which need not be valid in any encoding."""
        return self.hide(line.decode("latin-1")).encode("latin-1")


def _spellings(secret: str) -> str:
    """Return the pattern of a secret whose characters may be escaped as in JSON, URLs or HTML.

    A NUL may follow each, as in UTF-16 that is read as UTF-8.
    """
    return r"\0?".join(_spelling(ord(character), re.escape(character)) for character in secret)


def _spelling(code: int, plain: str) -> str:
    hexadecimal = "".join(f"[{digit}{digit.upper()}]" for digit in f"{code:02x}")
    escaped = rf"\\+(?:{plain}|u00{hexadecimal}|x{hexadecimal})"
    return rf"(?:{plain}|{escaped}|%{hexadecimal}|&#(?:0*{code}|[xX]0*{hexadecimal});)"


def find_secrets(command: str) -> list[str]:
    """Return what looks like a secret in a command line, and the values of secrets in the environment.

    >>> find_secrets("curl -H 'Authorization: Bearer abc' --api-key=def https://me:ghi@host")
    ['Bearer abc', 'abc', 'def', 'me:ghi']
    """
    found: dict[int, str] = {}
    for value in _held_in_environment():
        found |= {match.start(): value for match in re.finditer(re.escape(value), command)}
    for pattern in _LOOKS:
        found |= {match.start(2): match[2].strip("'\"") for match in pattern.finditer(command)}
    return [found[place] for place in sorted(found)]


def hide_secrets(command: str) -> str:
    """Return a command line with everything masked that looks like a secret.

    >>> hide_secrets("curl -H 'Authorization: Bearer abc' --api-key=def --token ghi --tokenizer fast")
    "curl -H 'Authorization: ***' --api-key=*** --token *** --tokenizer fast"
    """
    for value in _held_in_environment():
        command = command.replace(value, MASK)
    for pattern in _LOOKS:
        command = pattern.sub(rf"\1{MASK}", command)
    return command


def _held_in_environment() -> list[str]:
    """Return the values of variables that are called like secrets: a shell has put them into the command."""
    named = (value for name, value in os.environ.items() if re.search(_NAME, name, re.IGNORECASE))
    return sorted({value for value in named if len(value) >= _LEAST}, key=len, reverse=True)
