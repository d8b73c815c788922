"""What must not change in the edited columns of a task: options, answers, numbers, code, placeholders."""

from __future__ import annotations

import re

_NUMBER_WORDS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds
    thousand thousands million millions billion billions trillion dozen dozens half halves third thirds
    quarter quarters fourth fifth sixth seventh eighth ninth tenth once twice thrice double triple first
    second pair couple
"""

# Found in every text, whatever the row; options and answers are those of the row.
PATTERNS = {
    "numbers": re.compile(rf"\d+(?:[.,:/]\d+)*|(?i:(?<!\w)(?:{'|'.join(_NUMBER_WORDS.split())})(?!\w))"),
    "code": re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`|\$\$.+?\$\$|\\\(.+?\\\)|\\\[.+?\\\]", re.DOTALL),
    "placeholders": re.compile(
        r"\{\{[^{}\n]*\}\}|\{[^{}\n]*\}|\[[A-Z][A-Z_]*\]|<[A-Za-z_/][^<>\n]*>|_{2,}|%[sd]|\$\{?[A-Za-z_]\w*\}?"
    ),
}
PROTECTED = ("options", "answers", *PATTERNS)
