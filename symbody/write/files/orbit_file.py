"""Orbits and families of them on disk, without loss: a NumPy archive (.npz) with a header in JSON.

Any program that reads .npz finds the orbits one below the other: `times` in parts of the period and `x`, a row for each
point of a mesh with the columns that the header names, `intervals` of each orbit, `T` and `value`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...algebra.graph.graph import Expr
from ...algebra.printing.printing import text
from ...argument_kinds import answered
from ...array_files import ArrayFile, as_complex, as_pairs, read_arrays, write_arrays
from ...derivation.equations.equations import Equations
from ...errors import StabilityError, listed
from ...stability.periodic.families.orbit_branch import OrbitBranch
from ...stability.periodic.families.orbit_curve import OrbitCurve, OrbitCurvePoint, ValueRange
from ...stability.periodic.families.orbit_points import SpecialOrbit
from ...stability.periodic.orbits.find_orbit import conserved_rows
from ...stability.periodic.orbits.hybrid_orbit import HybridOrbit
from ...stability.periodic.orbits.orbit import Orbit, flow_of, without_trivial
from ...stability.periodic.problem.itineraries import EventItinerary, HybridSystem, Itinerary, ModeItinerary
from ...stability.periodic.problem.orbit_problem import NewtonIterate, OrbitPoint, OrbitSetting, Plane
from ...study.named_expression import named_expression

VERSION: Final = 1
ORBIT, FAMILY = "symbody orbit", "symbody orbits"
T = TypeVar("T", Orbit, OrbitBranch)


@dataclass(frozen=True)
class OrbitQuestion:
    """The settings of an orbit other than numbers, which a file cannot contain."""

    equations: Equations
    conserved: Mapping[str, Expr]
    course: Itinerary


@dataclass(frozen=True)
class GivenQuestion:
    """The same as far as it is given where a file is read; the mode of a hybrid system is in the file."""

    system: Equations | HybridSystem
    conserved: Mapping[str, Any] | str
    events: tuple[Any, ...]

    def of(self, said: Mapping[str, Any]) -> OrbitQuestion:
        if isinstance(self.system, Equations):
            rows = {} if self.events and self.conserved == "auto" else conserved_rows(self.system, self.conserved)
            return OrbitQuestion(self.system, rows, EventItinerary(self.events))
        mode = str(said["mode"])
        eq = self.system.equations(mode)
        more = tuple((str(n), float(x)) for n, x in said["more"].items())
        rows = {} if self.conserved == "auto" else conserved_rows(eq, self.conserved)
        return OrbitQuestion(eq, rows, ModeItinerary(self.system, mode, self.events, more))


def save_orbit(orbit: Orbit, path: str | Path) -> Path:
    """Write an orbit; the file's name gets the ending .npz if it has none.

    >>> x, v = sb.symbols("x v", "variable")
    >>> eq = sb.from_equations({x: v, v: (1 - x**2) * v - x})
    >>> sb.write.save_orbit(sb.orbit(eq, {"x": 2.0}, period=6.6), "orbit").name
    'orbit.npz'

    See also: `write.load_orbit`, `stability.Orbit`.
    """
    header = {
        ORBIT: VERSION,
        **_question_header(orbit.equations, orbit.setting, orbit.conserved, orbit.course),
        "states": list(orbit.names),
        "form": orbit.form,
        "outcome": orbit.outcome,
        "is periodic": orbit.is_periodic,
        "has nodes": orbit.nodes is not None,
        "iterations": len(orbit.way),
    }
    points = {
        "": [orbit.point],
        "nodes ": [] if orbit.nodes is None else [orbit.nodes],
        "iterations ": [i.point for i in orbit.way],
    }
    arrays = {**_setting_arrays(orbit.setting), "multipliers": as_pairs(orbit.all_multipliers)}
    arrays["errors"] = np.array([orbit.residual, orbit.mesh_error])
    arrays["iterations"] = np.array([[i.residual, i.change] for i in orbit.way]).reshape(len(orbit.way), 2)
    for prefix, some in points.items():
        arrays |= _stacked_points(some, prefix) if some else {}
    return write_arrays(path, header, arrays)


@answered
def load_orbit(
    path: str | Path, equations: Equations | HybridSystem, *, conserved: Mapping[str, Any] | str = "auto", events: Sequence[Any] = ()
) -> Orbit:  # fmt: skip
    """Read an orbit back. Equations, events and conserved quantities must be those it was found with; names are
    compared.

    Raises a `StabilityError` if they differ.

    >>> x, v = sb.symbols("x v", "variable")
    >>> eq = sb.from_equations({x: v, v: (1 - x**2) * v - x})
    >>> path = sb.orbit(eq, {"x": 2.0}, period=6.6).save("orbit.npz")
    >>> sb.write.load_orbit(path, eq).period
    6.66329

    See also: `write.save_orbit`, `stability.Orbit`.
    """
    return _read(path, "orbit", equations, conserved, events, _orbit)


def save_orbits(family: OrbitBranch, path: str | Path) -> Path:
    """Write a family of orbits; the file's name gets the ending .npz if it has none.

    >>> x, v, mu = sb.symbols("x v mu")
    >>> eq = sb.from_equations({x: v, v: mu * (1 - x**2) * v - x}, {mu: 1.0})
    >>> family = sb.orbits(eq, sb.orbit(eq, {"x": 2.0}, period=6.6), mu=(0.9, 1.1))
    >>> sb.write.save_orbits(family, "family").name
    'family.npz'

    See also: `write.load_orbits`, `stability.OrbitBranch`.
    """
    header = {
        FAMILY: VERSION,
        **_question_header(family.equations, family.setting, tuple(family.conserved), family.course),
        "states": [s.name for s in family.problem.flow.x],
        "form": family.form,
        "varied": family.varied,
        "interval": [family.range.low, family.range.high],
        "outcome": list(family.outcome),
        "steps": list(family.steps),
        "orbits": len(family),
        "special": [{"kind": s.kind, "place": s.place} for s in family.special],
    }
    every = [*family.curve_points, *(s.at for s in family.special)]
    arrays = _setting_arrays(family.setting) | _stacked_points([c.point for c in every])
    arrays |= _stacked_points([c.tangent for c in every], "tangent ")
    arrays["multipliers"] = as_pairs(np.concatenate([c.multipliers for c in every]))
    arrays["multipliers of each"] = np.array([len(c.multipliers) for c in every], dtype=np.int64)
    arrays["mesh errors"] = np.array([c.mesh_error for c in every])
    arrays["iterations"] = np.array([c.iterations for c in every], dtype=np.int64)
    arrays["special"] = np.array([[s.value, s.period, s.multiplier.real, s.multiplier.imag] for s in family.special])
    arrays["special"] = arrays["special"].reshape(len(family.special), 4)
    return write_arrays(path, header, arrays)


@answered
def load_orbits(
    path: str | Path, equations: Equations | HybridSystem, *, conserved: Mapping[str, Any] | str = "auto", events: Sequence[Any] = ()
) -> OrbitBranch:  # fmt: skip
    """Read a family of orbits back. Equations, events and conserved quantities must be those it was found with; names
    are compared.

    Raises a `StabilityError` if they differ.

    >>> x, v, mu = sb.symbols("x v mu")
    >>> eq = sb.from_equations({x: v, v: mu * (1 - x**2) * v - x}, {mu: 1.0})
    >>> path = sb.orbits(eq, sb.orbit(eq, {"x": 2.0}, period=6.6), mu=(0.9, 1.1)).save("family.npz")
    >>> sb.write.load_orbits(path, eq).varied
    'mu'

    See also: `write.save_orbits`, `stability.OrbitBranch`.
    """
    return _read(path, "family of orbits", equations, conserved, events, _family)


def _read(
    path: str | Path, what: str, eq: Equations | HybridSystem, conserved: Any, events: Sequence[Any], made: Callable[[ArrayFile, GivenQuestion], T]
) -> T:  # fmt: skip
    with read_arrays(path, what, StabilityError) as file:
        return made(file, GivenQuestion(eq, conserved, tuple(events)))


def _orbit(file: ArrayFile, given: GivenQuestion) -> Orbit:
    said = file.header(ORBIT, VERSION)
    asked = given.of(said)
    n = _state_count(file, said, asked)
    setting = _setting(file, said, asked.equations, n)
    residual, error = map(float, file.read("errors", (2,)))
    (point,) = _points(file, n)
    nodes = _points(file, n, "nodes ")[0] if said["has nodes"] else None
    multipliers = as_complex(file.read("multipliers", (None, 2)))
    tried = _points(file, n, "iterations ") if said["iterations"] else []
    sizes = file.read("iterations", (len(tried), 2)).tolist()
    way = tuple(NewtonIterate(p, residual, change) for p, (residual, change) in zip(tried, sizes, strict=True))
    kind = Orbit if asked.course.system is None else HybridOrbit
    return kind(
        asked.equations, setting, point, tuple(map(str, said["states"])), tuple(asked.conserved), multipliers, residual, error, str(said["form"]),
        str(said["outcome"]), bool(said["is periodic"]), tuple(asked.conserved.values()), asked.course, nodes, way,
    )  # fmt: skip


def _family(file: ArrayFile, given: GivenQuestion) -> OrbitBranch:
    said = file.header(FAMILY, VERSION)
    asked = given.of(said)
    n = _state_count(file, said, asked)
    setting = _setting(file, said, asked.equations, n)
    low, high = map(float, said["interval"])
    step, largest, tolerance, least = said["steps"]
    empty = OrbitBranch(
        asked.equations, str(said["varied"]), setting, asked.conserved, (), (), (str(said["outcome"][0]), str(said["outcome"][1])),
        ValueRange(low, high), (float(step), float(largest), float(tolerance), int(least)), str(said["form"]), asked.course,
    )  # fmt: skip
    every = _curve_points(file, n, OrbitCurve(empty.problem, empty.range, *empty.steps))
    count = int(said["orbits"])
    numbers = file.read("special", (len(said["special"]), 4))
    special = tuple(
        SpecialOrbit(str(s["kind"]), float(value), float(T), int(s["place"]), complex(re, im), at)
        for s, (value, T, re, im), at in zip(said["special"], numbers, every[count:], strict=True)
    )
    return OrbitBranch(
        empty.equations, empty.varied, setting, asked.conserved, tuple(every[:count]), special, empty.outcome, empty.range, empty.steps, empty.form,
        asked.course,
    )  # fmt: skip


def _curve_points(file: ArrayFile, n: int, curve: OrbitCurve) -> list[OrbitCurvePoint]:
    """Orbits with tangents and multipliers; rows that belong to tangents follow from them."""
    points, tangents = _points(file, n), _points(file, n, "tangent ")
    counts = file.read("multipliers of each", (len(points),), np.int64)
    multipliers = np.split(as_complex(file.read("multipliers", (int(counts.sum()), 2))), np.cumsum(counts)[:-1])
    errors, iterations = file.read("mesh errors", (len(points),)), file.read("iterations", (len(points),), np.int64)
    is_driven, none = curve.problem.setting.period is not None, Plane(np.zeros(0), np.zeros(0), 0.0)
    return [
        curve.measured_anew(OrbitCurvePoint(point, tangent, none, m, without_trivial(m, is_driven)[0], float(e), int(k)))
        for point, tangent, m, e, k in zip(points, tangents, multipliers, errors, iterations, strict=True)
    ]  # fmt: skip


# --------------------------------------------------------------------------------------------------------- the question


def _question_header(
    eq: Equations, setting: OrbitSetting, conserved: Sequence[str], course: Itinerary
) -> dict[str, Any]:
    return {
        "model": eq.name,
        "constants": [s.name for s in eq.variables.constants],
        "conserved": list(conserved),
        "events": list(course.names),
        "mode": course.mode,
        "more": dict(course.more),
        "place": setting.place,
        "freed": setting.freed,
        "has mirror": setting.mirror is not None,
        "period": None if setting.period is None else text(setting.period, exact=True),
        "t0": setting.t0,
        "image": [list(swapped) for swapped in setting.image],
    }


def _setting_arrays(setting: OrbitSetting) -> dict[str, NDArray[Any]]:
    own = {"parameters": setting.p, "levels": setting.levels}
    return own if setting.mirror is None else {**own, "mirror": setting.mirror}


def _setting(file: ArrayFile, said: Any, eq: Equations, n: int) -> OrbitSetting:
    period = None if said["period"] is None else named_expression(eq, str(said["period"]), f"{file.path}, period")
    place, freed = (None if said[k] is None else int(said[k]) for k in ("place", "freed"))
    mirror = file.read("mirror", (n,)) if said["has mirror"] else None
    p = file.read("parameters", (len(eq.variables.constants),))
    image = tuple((str(a), str(b), float(sign)) for a, b, sign in said["image"])
    return OrbitSetting(p, file.read("levels", (None,)), place, freed, mirror, period, float(said["t0"]), image)


def _state_count(file: ArrayFile, said: Any, asked: OrbitQuestion) -> int:
    """The number of states, where names are those of the question."""
    eq = asked.equations
    own = {
        "constants": [s.name for s in eq.variables.constants],
        "conserved": list(asked.conserved),
        "events": list(asked.course.names),
        "states": [s.name for s in flow_of(eq, dict(asked.conserved), None, asked.course).x],
    }
    for what, names in own.items():
        if names != said[what]:
            raise StabilityError(
                f"{file.path}: its {what} ({listed(said[what]) or 'none'}) are not those that were given "
                f"({listed(names) or 'none'}); it belongs to {said['model']!r}"
            )
    return len(own["states"])


# ---------------------------------------------------------------------------------------------------------- numbers


def _stacked_points(points: Sequence[OrbitPoint], prefix: str = "") -> dict[str, NDArray[Any]]:
    """Orbits one below the other."""
    found: dict[str, NDArray[Any]] = {
        "intervals": np.array([len(p.K) for p in points], dtype=np.int64),
        "times": np.concatenate([p.times for p in points]),
        "x": np.concatenate([p.x for p in points]),
        "slopes": np.concatenate([p.K for p in points]),
        "T": np.array([p.T for p in points]),
        "value": np.array([p.value for p in points]),
    }
    return {prefix + name: a for name, a in found.items()}


def _points(file: ArrayFile, n: int, prefix: str = "") -> list[OrbitPoint]:
    counts = file.read(f"{prefix}intervals", (None,), np.int64)
    if (counts < 1).any():
        raise StabilityError(f"{file.path}: an orbit has {counts.min()} intervals; one at least is needed")
    total, ends = int(counts.sum()), np.cumsum(counts)[:-1]
    times = np.split(file.read(f"{prefix}times", (total + len(counts),)), np.cumsum(counts + 1)[:-1])
    x = np.split(file.read(f"{prefix}x", (total + len(counts), n)), np.cumsum(counts + 1)[:-1])
    K = np.split(file.read(f"{prefix}slopes", (total, None, n)), ends)
    scalars = zip(file.read(f"{prefix}T", (len(counts),)), file.read(f"{prefix}value", (len(counts),)), strict=True)
    return [OrbitPoint(t, a, k, float(T), float(v)) for t, a, k, (T, v) in zip(times, x, K, scalars, strict=True)]
