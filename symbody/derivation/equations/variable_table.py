"""The table of variables of a mechanism's equations: units, default values, angles, Euler parameters, origins."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from itertools import islice, takewhile
from typing import Final

from ...algebra.calculus.derivatives import gradient
from ...algebra.graph.graph import Expr, Node, Symbol, rate_of
from ...algebra.graph.node_table import gc_paused
from ...algebra.graph.walk import free_symbols
from ...bodies.frames.rotations import Turn
from ...bodies.mechanism.existence import requirements
from ...bodies.mechanism.inferred_units import InferredUnits
from ...bodies.mechanism.mechanism import Mechanism
from ...errors import ExpressionError
from ...units import rate_unit
from .variables import ARGUMENTS, Variable, Variables

TRIGONOMETRIC: Final = ("sin", "cos", "tan")
UNITS_OF_ANGLES: Final = ("rad", "rad/s", "rad/s^2")
GROUPS_WITH_VALUES: Final = frozenset(ARGUMENTS.split())


def variable_table(
    mechanism: Mechanism, groups: Mapping[str, tuple[Symbol, ...]], constraints: Iterable[str]
) -> Variables:
    """The table of some groups of symbols: t, q, u, z, r, p, lam; their rates are added.

    constraints   their names in the order of the multipliers
    """
    with gc_paused():
        facts = _Facts(mechanism, groups, dict(zip(groups["lam"], constraints, strict=True)))
        everything = {**groups, **_rates(groups)}
        rows = [facts.row(s, group, k) for group, symbols in everything.items() for k, s in enumerate(symbols)]
        return Variables(mechanism.name, tuple(everything), tuple(rows), requirements(mechanism.bodies))


def _rates(groups: Mapping[str, tuple[Symbol, ...]]) -> dict[str, tuple[Symbol, ...]]:
    """The time derivatives of q (if they are not speeds), u, z and r, and the second ones of r (where they are not in r
    themselves)."""
    dots = {g: _dots(groups[g]) for g in "quzr"}
    speeds = {s.name for s in groups["u"]}
    dots["q"] = tuple(s for s in dots["q"] if s.name not in speeds)
    first = _dots(s for s in groups["r"] if not s.order)
    dots |= {"r": _beyond(first, groups["r"]), "r'": _beyond(_dots(first), groups["r"])}
    return {f"{g}'": symbols for g, symbols in dots.items()}


def _dots(symbols: Iterable[Symbol]) -> tuple[Symbol, ...]:
    return tuple(d for s in symbols if isinstance(d := rate_of(s), Symbol))


def _beyond(symbols: Iterable[Symbol], known: Container[Symbol]) -> tuple[Symbol, ...]:
    return tuple(s for s in symbols if s not in known)


class _Facts:
    """Units, defaults and origins of a mechanism's symbols."""

    def __init__(
        self, mechanism: Mechanism, groups: Mapping[str, tuple[Symbol, ...]], constraints: Mapping[Symbol, str]
    ) -> None:
        self.mechanism, self.constraints, self.inferred = mechanism, constraints, InferredUnits(mechanism)
        self.angles = angles(mechanism)
        self.quaternions = {e: k for k, norm in enumerate(mechanism.norms) for e in norm}
        self.first = {norm[0] for norm in mechanism.norms}
        rates_of_inputs = _dots(s for s in groups["r"] if not s.order)
        moving = (*(s for g in "quzr" for s in groups[g]), *rates_of_inputs)
        self.rate_of: dict[Expr, Symbol] = {s.dot: s for s in moving}
        self.spins = {
            s: norm[0] for norm in mechanism.norms for s in free_symbols(mechanism.rates[norm[0]]) if s.kind == "speed"
        }
        self.joints = {q: j for j in mechanism.joints for q in j.coordinates}
        self.turns = three_angles(mechanism, self.angles)

    def row(self, s: Symbol, group: str, index: int) -> Variable:
        return Variable(
            s, group, index, written_in=self._unit(s), default=self._default(s, group), is_angle=s in self.angles,
            quaternion=self.quaternions.get(s), rate_of=self.rate_of.get(s), description=self._description(s),
            turns=self.turns.get(s, ""), direction=self._direction(s), inferred=self.inferred,
        )  # fmt: skip

    def _unit(self, s: Symbol) -> str:
        if s.kind == "time":
            return "s"
        order = 0
        while s not in self.mechanism.units and s in self.rate_of:
            s, order = self.rate_of[s], order + 1
        if s in self.mechanism.units:
            return rate_unit(self.mechanism.units[s], order)
        order += s in self.spins
        return UNITS_OF_ANGLES[order] if s in self.angles or s in self.spins else ""

    def _default(self, s: Symbol, group: str) -> float | None:
        if group != "p":
            return None if group not in GROUPS_WITH_VALUES else 1.0 if s in self.first else 0.0
        value = self.mechanism.values.get(s)
        return None if value is None else float(value)

    def _direction(self, s: Symbol) -> str:
        """What a coordinate goes along or turns about, where that is an axis of a frame."""
        joint = self.joints.get(s)
        if joint is None or joint.closes_loop:
            return ""
        f = joint.inner
        while f is not joint.outer and f.parent is not None:
            axes = [f"along {'xyz'[k]}" for k, e in enumerate(f.offset.entries) if e is s]
            axes += [f"about {'xyz'[x.axis]}" for x in f.rotation.factors if isinstance(x, Turn) and x.angle is s]
            if axes:
                return f"{axes[0]} of {joint.parent}" if f.parent is joint.outer else axes[0]
            f = f.parent
        return ""

    def _description(self, s: Symbol) -> str:
        if s in self.rate_of:
            return f"rate of {self.rate_of[s].name}"
        if s in self.constraints:
            return f"of constraint {self.constraints[s]!r}"
        joint = self.joints.get(self.spins.get(s, s))
        if joint is None:
            return ""
        if s in self.spins:
            what = "angular velocity of "
        elif s in self.quaternions:
            what = "Euler parameter of "
        else:
            what = "angle of " if s in self.angles else ""
        return f"{what}{joint.kind} joint {joint.name!r}"


# ---------------------------------------------------------------------------------------------------------- angles


def three_angles(mechanism: Mechanism, known: Container[Symbol]) -> dict[Symbol, str]:
    """Triples of angles that rotate something successively: those of a joint, or of the frames between a body and
    the previous body, made by hand. For each angle, the joint or body that it rotates."""
    out: dict[Symbol, str] = {}
    for j in mechanism.joints:
        turning = [q for q in j.coordinates if q in known]
        if len(turning) == 3:
            out |= dict.fromkeys(turning, f"{j.kind} joint {j.name!r}")
    carriers = {b.frame for b in mechanism.bodies}
    for b in mechanism.bodies:
        before = takewhile(lambda f: f not in carriers, islice(b.frame.ancestors(), 1, None))
        turns = [x for f in (*reversed(tuple(before)), b.frame) for x in f.rotation.factors if isinstance(x, Turn)]
        turning = [q for x in turns for q in _slopes(x.angle) if q in known]
        if len(turning) == len(set(turning)) == 3 and not out.keys() & set(turning):
            out |= dict.fromkeys(turning, f"body {b.name!r}")
    return out


def angles(mechanism: Mechanism) -> frozenset[Symbol]:
    """Coordinates that are angles of frames.

    A coordinate is an angle if a frame rotates by it (or by its negative, or with an offset). It is also an angle if
    frames rotate or points move by the sine and cosine of a numeric multiple of it, unless it also occurs outside of
    sines and cosines: then it is a length (x of a wheel that rolls by x / 0.3). Energies and balances written by the
    user are examined in the same way as positions.
    """
    plain: set[Symbol] = set()
    inside: set[Symbol] = set()
    outside: set[Symbol] = set()
    for frame in mechanism.frames:
        for factor in frame.rotation.factors:
            if isinstance(factor, Turn):
                found = _slopes(factor.angle)
                plain |= {q for q, slope in found.items() if abs(slope) == 1}
                inside |= set(found)
            else:
                inside |= _inside_and_outside(factor.matrix.entries)[0]
        if any(e.op != "const" for e in frame.offset.entries):
            places = _inside_and_outside(frame.offset.entries)
            inside |= places[0]
            outside |= places[1]
    if mechanism.has_written_motion:
        potentials = [x.potential for x in mechanism.loads if x.potential is not None]
        places = _inside_and_outside([*mechanism.kinetic.values(), *mechanism.balances.values(), *potentials])
        inside |= places[0]
        outside |= places[1]
    return frozenset(plain | (inside - outside))


def _slopes(angle: Expr) -> dict[Symbol, float]:
    """Coordinates of which an angle is a numeric multiple, something else added."""
    if isinstance(angle, Symbol):
        return {angle: 1.0} if angle.kind == "coordinate" else {}
    coordinates = [s for s in free_symbols(angle) if s.kind == "coordinate"]
    try:
        slopes = gradient(angle, coordinates).entries if coordinates else ()
    except ExpressionError:  # a function without derivatives
        return {}
    return {q: float(slope.value) for q, slope in zip(coordinates, slopes, strict=True) if slope.value is not None}


def _inside_and_outside(entries: Iterable[Expr]) -> tuple[set[Symbol], set[Symbol]]:
    """Coordinates inside sines and cosines, and those outside of them."""
    inside: set[Symbol] = set()
    outside: set[Symbol] = set()
    left: list[Node] = list(entries)
    seen = set(left)
    while left:
        node = left.pop()
        if node.op in TRIGONOMETRIC:
            inside |= set(_slopes(node.args[0]))
        elif isinstance(node, Symbol) and node.kind == "coordinate":
            outside.add(node)
        else:
            left += [a for a in node.args if a not in seen]
            seen.update(node.args)
    return inside, outside
