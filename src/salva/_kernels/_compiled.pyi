from typing import Any

built_from: int

def __getattr__(name: str) -> Any: ...
