"""What tests of questions share: rows of a task."""

from __future__ import annotations

ROWS = [
    {
        "id": f"q{n}",
        "question": f"We cannot begin to think of a very big film. Is {n} an odd number, or is it even?",
        "choices": '["odd", "even"]',
        "answer": "A" if n % 2 else "B",
        "topic": "numbers" if n % 3 else "films",
    }
    for n in range(12)
]
