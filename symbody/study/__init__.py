"""Where models come from, what is asked of them, and the study that answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from .read_model import ModelFile, built_in, read_model, read_model_text
    from .sources import ModelSource, find_model
    from .study import Study

__all__ = [  # noqa: RUF022  (in order of flow)
    "ModelFile", "built_in", "read_model", "read_model_text", "ModelSource", "find_model", "Study",
]  # fmt: skip

offer(__name__)
