"""Numbers and texts in the notation of Scilab."""

from __future__ import annotations

from ....emit import ir
from ...artefacts.artefact import Numbers


def scilab_array(name: str, values: Numbers) -> list[str]:
    """name = [a, b, ...].', over several lines."""
    return scilab_column(name, [repr(float(v)) for v in values])


def scilab_column(name: str, entries: list[str]) -> list[str]:
    if not entries:
        return [f"{name} = [];"]
    return [f"{name} = [..", *(f"    {line}" for line in continued_lines(entries)), "].';"]


def continued_lines(entries: list[str]) -> list[str]:
    """Entries on lines that go on."""
    return [f"{line} .." for line in ir.comma_lines(entries, "", 100)]
