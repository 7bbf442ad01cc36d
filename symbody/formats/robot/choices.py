"""Options of readers of robots: names and patterns of joints and numbers."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import ModelError, shown, unknown


@dataclass(frozen=True)
class RobotOptions:
    """Options of readers of robots. `caller` is the reader; `tolerance` is None where angles are not snapped; `wrench`: inputs on
    what moves freely."""

    caller: str
    is_free: bool
    parameters: Any
    free: Any
    hold: Mapping[str, float]
    mimic: bool
    actuators: Any
    damping: bool
    friction: float | None
    tolerance: float | None
    strict: bool
    wrench: bool = False


class NameChoice:
    """Names and patterns that a user gave; remembers which of them were of use."""

    def __init__(self, caller: str, what: str, given: Any) -> None:
        self._caller, self._what = caller, what
        items = given.replace(",", " ").split() if isinstance(given, str) else list(given)
        if wrong := [x for x in items if not isinstance(x, str)]:
            raise ModelError(f"{caller}: {what}: expected names or patterns, got {shown(wrong[0])}")
        self._unused = dict.fromkeys(items)
        self._patterns = [(x, re.compile(fnmatch.translate(x)).match) for x in items]
        self._offered: dict[str, None] = {}

    def __call__(self, *names: str) -> bool:
        """Whether one of the names of a thing is chosen."""
        self._offered[names[0]] = None
        found = [p for p, fits in self._patterns if any(fits(n) for n in names)]
        for p in found:
            self._unused.pop(p, None)
        return bool(found)

    def check(self) -> None:
        for p in self._unused:
            raise unknown(self._caller, self._what, p, self._offered)


class Parameters:
    """Which numbers of the file become parameters."""

    def __init__(self, caller: str, given: Any) -> None:
        keywords = {"all": (True, False), "bodies": (True, False), "everything": (True, True), "none": (False, False)}
        self.of_bodies = given == "bodies"
        self._choice = None
        if isinstance(given, str) and given in keywords:
            self.inertial, self.geometric = keywords[given]
        else:
            self._choice = NameChoice(caller, "parameter", given)
            self.inertial = self.geometric = True

    def chooses(self, name: str, geometric: bool) -> bool:
        if self._choice is not None:
            return self._choice(name)
        return self.geometric if geometric else self.inertial

    def check(self) -> None:
        if self._choice is not None:
            self._choice.check()
