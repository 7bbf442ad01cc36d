"""The answer of a command."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Answer:
    """The answer of a command, as text and as data; `is_good` where the answer is yes."""

    text: str
    data: Any = field(default_factory=dict)
    is_good: bool = True
