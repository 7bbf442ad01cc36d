"""Teaching: students' equations compared with the right ones, derivations step by step, exercises with their answers,
bodies whose mass changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...later import offer

if TYPE_CHECKING:
    from .comparison import Comparison, RowVerdict, compare

__all__ = ["compare", "Comparison", "RowVerdict"]  # noqa: RUF022  (in order of flow)

offer(__name__)
