"""What model files use of the kits: `use: vehicles.car`, `tyre: {vehicles.read_tyre: car.tir}`.

A file names a model or a part of a kit and its arguments by their names; nothing else of Python is reached from files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import symbody as sb

from ..errors import ModelError, unknown

MODELS: Final[dict[str, str]] = {
    "vehicles": "car single_track path_follower car_and_trailer semitrailer motorcycle suspended_motorcycle sharps_motorcycle wheelset bogie rail_car",
    "machines": "wind_turbine",
}
PARTS: Final[dict[str, str]] = {
    "vehicles": "LinearTyre BrushTyre TMeasy TyrePair Driver path_through path_of_curvature rail_geometry WISHBONES STRUT",
    "machines": "",
}
OF_FILES: Final = {"vehicles": "read_tyre read_crg", "machines": ""}
"""Those that read a file beside the model file, their first argument."""
OF_FRAMES: Final = {"vehicles": "random_road profile_road sampled_road", "machines": ""}
"""Those whose first argument is a frame of the model, which takes a function of the frame."""


@dataclass(frozen=True)
class NamedPart:
    """A model, part or constant of a kit by its name in files.

    is_file   its first argument is a file
    """

    name: str
    value: Any
    is_model: bool = False
    is_file: bool = False
    of_frame: bool = False

    def made(self, arguments: list[Any], options: dict[str, Any]) -> Any:
        """What it is with these arguments; a constant has none."""
        if not isinstance(self.value, Callable):  # type: ignore[arg-type]
            if arguments or options:
                raise ModelError(f"{self.name} is a table and takes no arguments")
            return self.value
        if self.of_frame:
            return lambda frame: self.value(frame, *arguments, **options)
        found = self.value(*arguments, **options)
        return partial(found.road) if self.name == "vehicles.read_crg" else found


def named_part(name: str, is_model: bool) -> NamedPart:
    """The model or the part of this name, such as vehicles.car."""
    known = models() if is_model else parts()
    if name not in known:
        raise unknown("use" if is_model else "value", "model" if is_model else "part of a kit", name, known)
    kit, _, own = name.partition(".")
    value = getattr(getattr(sb.kits, kit), own)
    return NamedPart(name, value, is_model, own in OF_FILES[kit].split(), own in OF_FRAMES[kit].split())


def models() -> list[str]:
    """Names of models that files may use."""
    return _names(MODELS)


def parts() -> list[str]:
    """Names of their parts: tyres, roads, drivers, hardpoints."""
    return _names(PARTS, OF_FILES, OF_FRAMES)


def _names(*tables: dict[str, str]) -> list[str]:
    return [f"{kit}.{name}" for table in tables for kit, names in table.items() for name in names.split()]
