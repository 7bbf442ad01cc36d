"""A model as writers of files see it: moving parts, linear loads, and numbers as text, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

import symbody as sb

from ...errors import ModelError, listed, unknown
from ...whole_files import whole_file
from .linear_loads import CoordinateLoad, PointLoad, linear_loads
from .moving_parts import MovingParts

OF_A_MUSCLE: Final = ("activation", "tension", "balance")  # its additional equations, by the ends of their names


class WrittenModel:
    """The parts of a model that a format has; what it does not have is refused by name.

    what         the function that writes, for messages
    parts        moving parts
    coordinates  the linear force on each coordinate
    points       linear springs and dampers between two points, one for each pair of points
    omitted      names of loads, constraints and joints that the user leaves out
    muscles      loads that muscles make, if the format has muscles
    """

    def __init__(
        self,
        what: str,
        model: Any,
        values: Mapping[str, float] | None,
        omit: Sequence[str],
        *,
        has_muscles: bool = False,
        others: Sequence[str] = (),
    ) -> None:
        mechanism = model.freeze() if isinstance(model, sb.Model) else model
        if not isinstance(mechanism, sb.bodies.Mechanism):
            raise ModelError(f"{what}: expected a model or a mechanism, got {type(model).__name__}")
        self.what, self.mechanism = what, mechanism
        self.omitted = self._names_of(omit, others)
        self.muscles: list[sb.bodies.Load] = []
        self._refuse_equations()
        self.parts = MovingParts(mechanism, what, self._parameter_values(values or {}))
        self.coordinates: dict[sb.Symbol, CoordinateLoad] = {}
        self._points: list[PointLoad] = []
        for load in mechanism.loads:
            if load.kind == "gravity" or load.name in self.omitted:
                continue
            if has_muscles and load.element is not None:
                self.muscles.append(load)
            elif load.element is not None:
                raise ModelError(
                    f"{what}: muscle {load.name!r} has other curves than muscles of this format, and moves differently; leave it out: "
                    f"omit=[{load.name!r}]"
                )
            else:
                self._take(linear_loads(load, self.parts))

    def _take(self, loads: Sequence[CoordinateLoad | PointLoad]) -> None:
        for load in loads:
            if isinstance(load, PointLoad):
                self._points.append(load)
            else:
                before = self.coordinates.get(load.q)
                self.coordinates[load.q] = load if before is None else before + load

    @property
    def points(self) -> list[PointLoad]:
        """A spring and a damper between the same points are one element."""
        between: dict[tuple[object, ...], PointLoad] = {}
        for load in self._points:
            ends = [(self.parts.part_of(p.frame), p) for p in (load.a, load.b)]
            key = tuple((part, *self.parts.place(p, part)) for part, p in ends)
            between[key] = load if key not in between else between[key] + load
        return list(between.values())

    @property
    def gravity(self) -> Any:
        """Components of uniform gravity in the ground."""
        g = self.mechanism.gravity
        return np.zeros(3) if g is None else self.parts.numbers(g.components(self.mechanism.ground))

    # ---------------------------------------------------------------------------------------------------- checks

    def _names_of(self, omit: Sequence[str], others: Sequence[str]) -> list[str]:
        m = self.mechanism
        known = [*(p.name for group in (m.loads, m.constraints, m.joints) for p in group), *others]
        names = [omit] if isinstance(omit, str) else list(omit)
        for name in names:
            if name not in known:
                raise unknown(f"{self.what}: omit=", "load, constraint or joint", name, known)
        return names

    def _parameter_values(self, values: Mapping[str, float]) -> dict[sb.Symbol, float]:
        by_name = {p.name: p for p in self.mechanism.p}
        for name in values:
            if name not in by_name:
                raise unknown(f"{self.what}: values=", "parameter", name, list(by_name))
        given = {by_name[n]: float(v) for n, v in values.items()}
        out = {**{p: v for p, v in self.mechanism.values.items() if p in self.mechanism.p}, **given}
        if missing := [p.name for p in self.mechanism.p if p not in out]:
            raise ModelError(
                f"{self.what}: the file contains numbers, so give values for {listed(missing)}: values={{{missing[0]!r}: ...}}"
            )
        return out

    def _refuse_equations(self) -> None:
        m = self.mechanism
        of_muscles = {f"{load.name}_{k}" for load in m.loads if load.element is not None for k in OF_A_MUSCLE}
        for kind, names in (
            ("additional equations", [n for n in m.equations if n not in of_muscles]),
            ("kinetic energies", m.kinetic),
            ("equations of motion", m.balances),
        ):
            if names:
                written = listed([getattr(n, "name", n) for n in names])
                raise ModelError(f"{self.what}: this format has no {kind} written by hand: {written}")


def saved_text(text: str, path: str | Path | None) -> str:
    """The text, which is written to the path if there is one."""
    if path is not None:
        with whole_file(path) as file:
            file.write(text.encode())
    return text


def number_text(x: float) -> str:
    """Fifteen digits where these are the number to its rounding, seventeen otherwise."""
    short = f"{x:z.15g}"
    return ("0" if x == 0 else short) if abs(float(short) - x) <= 4 * math.ulp(x) else f"{x:.17g}"


def numbers_text(values: Any) -> str:
    """Numbers in a row. Entries that are rounding beside the largest one are zero."""
    v = np.asarray(values, float)
    return " ".join(
        number_text(float(x)) for x in np.where(np.abs(v) <= 1e-15 * np.max(np.abs(v), initial=0.0), 0.0, v)
    )
