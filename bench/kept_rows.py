"""Rows of a long benchmark in a file, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import json
from pathlib import Path

from .timing import Row


class KeptRows:
    """Rows in a file of JSON lines; None: kept nowhere."""

    def __init__(self, file: str | None) -> None:
        self.file = None if file is None else Path(file)
        lines = self.file.read_text().splitlines() if self.file is not None and self.file.exists() else []
        self.known: list[Row] = [json.loads(line) for line in lines]

    def rows(self, case: str) -> list[Row]:
        return [row for row in self.known if row["case"] == case]

    def added(self, rows: list[Row]) -> list[Row]:
        if self.file is not None:
            with self.file.open("a") as out:
                out.writelines(json.dumps(row) + "\n" for row in rows)
        return rows
