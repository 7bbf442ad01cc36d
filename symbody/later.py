"""Later stages, for methods of earlier results: `scene.save("view.glb")` hands the scene to `write`.

Imports point against the flow of data, so a result cannot import what is made of it. The few methods that hand a result
onwards ask here, when they are called; `tests/test_architecture.py` lists them.
"""

from __future__ import annotations

import importlib
from typing import Any


def later(module: str, name: str) -> Any:
    """The function `name` of a module of a later stage, such as `later("write.gltf", "glb")`."""
    return getattr(importlib.import_module(f"symbody.{module}"), name)
