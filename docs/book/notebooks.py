"""Cells as a notebook (nbformat 4): the same text and code, without outputs, which running it gives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from .cells import Cell

KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def write_notebook(cells: Sequence[Cell], path: Path) -> None:
    """Cells with numbers for names: a notebook is the same file whenever it is made."""
    made = [
        (new_code_cell if c.is_code else new_markdown_cell)(c.source, id=f"cell-{k}") for k, c in enumerate(cells, 1)
    ]
    nbformat.write(new_notebook(cells=made, metadata=KERNEL), path)
