"""The table of variables of a mechanism's equations: units, default values, angles, Euler parameters, origins."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from ...algebra.calculus.derivatives import gradient
from ...algebra.graph.graph import Expr, Node, Symbol, rate_of
from ...algebra.graph.node_table import gc_paused
from ...algebra.graph.walk import free_symbols
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import Turn
from ...bodies.mechanism.existence import requirements
from ...bodies.mechanism.inferred_units import InferredUnits
from ...bodies.mechanism.mechanism import Joint, Mechanism
from ...errors import ExpressionError
from ...units import rate_unit
from .variable import ARGUMENTS, Variable, VariableFacts, VariableGroup
from .variables import Variables

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
        parts = [VariableGroup(group, symbols, range(len(symbols)), facts) for group, symbols in everything.items()]
        return Variables(mechanism.name, tuple(everything), tuple(parts), requirements(mechanism.bodies))


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


class _Facts(VariableFacts):
    """Units, defaults and origins of a mechanism's symbols."""

    def __init__(
        self, mechanism: Mechanism, groups: Mapping[str, tuple[Symbol, ...]], constraints: Mapping[Symbol, str]
    ) -> None:
        self.mechanism, self.groups, self.constraints = mechanism, groups, constraints
        self.inferred = InferredUnits(mechanism)
        self.first = {norm[0] for norm in mechanism.norms}

    @cached_property
    def angles(self) -> frozenset[Symbol]:
        return angles(self.mechanism)

    @cached_property
    def turns(self) -> Mapping[Symbol, str]:
        return three_angles(self.mechanism, lambda: self.angles)

    @cached_property
    def quaternions(self) -> Mapping[Symbol, int]:
        return {e: k for k, norm in enumerate(self.mechanism.norms) for e in norm}

    @cached_property
    def rate_of(self) -> dict[Expr, Symbol]:
        rates_of_inputs = _dots(s for s in self.groups["r"] if not s.order)
        return {s.dot: s for s in (*(s for g in "quzr" for s in self.groups[g]), *rates_of_inputs)}

    @cached_property
    def spins(self) -> dict[Symbol, Symbol]:
        """The first Euler parameter of each speed that its rate contains."""
        rates = ((norm[0], self.mechanism.rates[norm[0]]) for norm in self.mechanism.norms)
        return {s: e for e, rate in rates for s in free_symbols(rate) if s.kind == "speed"}

    @cached_property
    def joints(self) -> dict[Symbol, Joint]:
        return {q: j for j in self.mechanism.joints for q in j.coordinates}

    def row(self, s: Symbol, group: str, index: int) -> Variable:
        return Variable(
            s, group, index, written_in=self._unit(s), default=self.defaults((s,), group).get(s), is_angle=s in self.angles,
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

    def defaults(self, symbols: Sequence[Symbol], group: str) -> dict[Symbol, float]:
        if group == "p":
            given = ((s, self.mechanism.values.get(s)) for s in symbols)
            return {s: float(value) for s, value in given if value is not None}
        if group not in GROUPS_WITH_VALUES:
            return {}
        return {**dict.fromkeys(symbols, 0.0), **dict.fromkeys(self.first.intersection(symbols), 1.0)}

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


def three_angles(mechanism: Mechanism, known: Callable[[], Container[Symbol]]) -> dict[Symbol, str]:
    """Triples of angles that rotate something successively: those of a joint, or of the frames between a body and
    the previous body, made by hand. For each angle, the joint or body that it rotates.

    known   all angles; called where something has three coordinates
    """
    out: dict[Symbol, str] = {}
    for j in mechanism.joints:
        if len(j.coordinates) >= 3 and len(turning := [q for q in j.coordinates if q in known()]) == 3:
            out |= dict.fromkeys(turning, f"{j.kind} joint {j.name!r}")
    carriers = {b.frame for b in mechanism.bodies}
    for b in mechanism.bodies:
        angles = _angles_between(b.frame, carriers)
        if len(angles) < 3 and all(isinstance(e, Symbol) for e in angles):
            continue
        turning = [q for e in angles for q in _slopes(e) if q in known()]
        if len(turning) == len(set(turning)) == 3 and not out.keys() & set(turning):
            out |= dict.fromkeys(turning, f"body {b.name!r}")
    return out


def _angles_between(frame: Frame, carriers: Container[Frame]) -> list[Expr]:
    """Angles of turns from the previous frame that carries a body to this one."""
    f: Frame | None = frame
    found: list[list[Expr]] = []
    while f is not None and (f is frame or f not in carriers):
        found.append([x.angle for x in f.rotation.factors if isinstance(x, Turn)])
        f = f.parent
    return [e for angles in reversed(found) for e in angles]


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
