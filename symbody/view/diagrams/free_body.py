"""`free_body`: each body alone, with every force and torque on it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ...bodies.frames.frames import Frame
from ...bodies.mechanism.mechanism import Body
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import values_by_name
from ...derivation.equations.own_terms import in_own_terms
from ...derivation.equations.undetermined_forces import undetermined
from ...derivation.kinematics.kinematics import Kinematics
from ...derivation.questions.body_forces import BodyForce, body_forces, force_components
from ...emit.run.callable import Array
from ...errors import ViewError, listed, shown, unknown
from ...integrate.start.state import State
from ..scenes.poses import three
from ..scenes.scene_items import BODY_COLOURS
from ..scenes.shown_motion import standing_still
from .diagram import Diagram, ForceArrow, Plate, Stroke, Wish, plate
from .flat_view import PosedMechanism, body_strokes, pale, posed_mechanism
from .force_words import ForceName, inertia_name, load_name, reaction_name

BODY_SIZE: Final = 1.6  # inches of the longest side of a body
SMALLEST: Final = 0.3  # size of a body, in parts of that of the mechanism, from which it is drawn in full size
ARROW: Final = 0.6  # inches of an arrow
SHORTEST: Final = 0.25  # inches of the shortest arrow of a diagram with numbers
HEAD: Final = 0.11  # inches of an arrowhead
TURN: Final = 0.2  # radius of a curved arrow, in inches
NEGLIGIBLE: Final = 1e-9  # of the largest force, below which one is not drawn
NEARBY: Final = 1e-2  # change of coordinates in these states
TRIED: Final = 3  # states at which a component has to vanish to be left out of a diagram with symbols
SAME_DIRECTION: Final = 0.3  # radians between two arrows at a point, below which one would cover the other
ASIDE: Final = 0.13  # inches between arrows side by side
SHEET: Final = 3  # plates in a row


@values_by_name(ViewError)
def free_body(
    source: Any,
    body: str | Iterable[str] | None = None,
    *,
    axes: str | Frame | Body = "ground",
    inertia: bool = False,
    symbolic: bool | None = None,
    share: str | Mapping[str, Any] | None = None,
    shapes: Mapping[str, Any] | None = None,
    columns: int = 0,
    title: str | None = None,
    values: Mapping[Any, float] | None = None,
    options: Mapping[str, Any] | None = None,
    **named: float,
) -> Diagram:
    """The free-body diagram of a body, or of all bodies on one sheet: weight, loads, and reactions in components.

    source     equations: arrows have symbols, and the pose is that of the given values or a generic one; a state, or a
               state of a trajectory, `sim.at(0.3)`: arrows have numbers
    body       the name of one, or several; all by default
    axes       in which reactions are drawn: "ground", a body or its name, or a frame
    inertia    whether to draw the inertia forces -m a and the negative rate of angular momentum (d'Alembert); all
               arrows of a body are then in equilibrium
    symbolic   symbols (True) or numbers (False); by default determined by the source
    share      how forces that redundant constraints leave undetermined are distributed, as in `reaction`
    shapes     of bodies by name, as in `scene`
    columns    plates in a row
    values     of equations, by name or symbol; also as keywords if the name is not that of an option
    options    any of these arguments by name, for names that also exist in the model

    The forces of a joint on its two bodies have one symbol and opposite arrows. Symbols are positive along their
    arrows. With numbers, arrows point in the direction of the force and numbers are magnitudes. Components that are
    always zero are omitted.

    >>> m = sb.Model("pendulum")
    >>> l, mass, g = m.parameters("l m g", 1.0, 2.0, 9.81)
    >>> joint = m.revolute("A", m.ground, m.body("bob", mass=mass, com=(0, -l, 0)))
    >>> m.gravity(0, -g, 0)
    >>> eq = sb.derive(m)
    >>> [a.symbol for a in sb.view.free_body(eq, "bob").arrows]
    ['$m g$', '$A_{x}$', '$A_{y}$']
    >>> at_rest = sb.view.free_body(sb.assemble(eq), "bob")
    >>> [(a.symbol, round(a.vector[1], 6)) for a in at_rest.arrows]
    [('$m g$', -19.62), ('$A_{y}$', 19.62)]

    See also: `view.sketch`, `derivation.body_forces`, `reaction`, `scene`.
    """
    where = "free_body"
    posed = posed_mechanism(source, values or {}, shapes, where)
    eq = posed.equations
    names = _names(eq, body)
    has_symbols = isinstance(source, Equations) if symbolic is None else symbolic
    found = _ForceArrows(posed, _frame(eq, axes), has_symbols, inertia, share)
    plates = [_BodyPlate(posed, found, name).plate() for name in names]
    caption = " ".join(filter(None, [_CAPTIONS[has_symbols], *dict.fromkeys(found.notes)]))
    wide = columns or min(SHEET, len(plates))
    return Diagram(title or eq.mechanism.name, tuple(plates), wide, caption)


_CAPTIONS: Final = {
    True: "Symbols are positive in the directions of their arrows.",
    False: "Arrows point as the forces act; numbers are magnitudes.",
}


def _names(eq: Equations, wanted: Any) -> list[str]:
    known = [b.name for b in eq.mechanism.bodies]
    names = known if wanted is None else [wanted] if isinstance(wanted, str) else list(wanted)
    names = [b.name if isinstance(b, Body) else b for b in ([names] if isinstance(names, Body) else names)]
    for n in names:
        if n not in known:
            raise unknown(f"free_body of {eq.name!r}", "body", str(n), known, ViewError)
    if not names:
        raise ViewError(f"free_body of {eq.name!r}: there is no body to draw")
    return names


def _frame(eq: Equations, axes: Any) -> Frame:
    m = eq.mechanism
    known = {"ground": m.ground, **{b.name: b.frame for b in m.bodies}}
    if isinstance(axes, str):
        if axes not in known:
            raise unknown(f"free_body of {eq.name!r}, axes=", "body", axes, known, ViewError)
        return known[axes]
    found = axes.frame if isinstance(axes, Body) else axes
    if not isinstance(found, Frame):
        raise ViewError(
            f"free_body of {eq.name!r}: axes= must be a frame, a body, its name, or 'ground'; got {shown(axes)}"
        )
    return found


# ---------------------------------------------------------------------------------------------------------- forces


@dataclass(frozen=True, eq=False)
class _Drawn:
    """An arrow to draw, with the direction on which its symbol is positive."""

    arrow: ForceArrow
    value: float


class _ForceArrows:
    """Forces on bodies at the state of a pose, as arrows."""

    def __init__(self, posed: PosedMechanism, axes: Frame, symbolic: bool, inertia: bool, share: Any) -> None:
        self.posed, self.symbolic, self.notes = posed, symbolic, list[str]()
        eq = self.eq = posed.equations
        self.forces = [*body_forces(eq), *(_inertia_forces(eq) if inertia else ())]
        loose = undetermined(eq)
        if loose and share is None and not symbolic:
            raise ViewError(
                f"free_body of {eq.name!r}: redundant constraints do not determine {listed(s.name for s in loose)}; share='least norm' or "
                "share={joint: stiffness} defines how the load is shared"
            )
        how = "least norm" if loose and share is None else share
        k, ground = Kinematics(eq.mechanism), eq.mechanism.ground
        names = [self._name(f) for f in self.forces]
        lines = [n.axis if n.axis is not None else ground.x for n in names]
        flat = k.in_speeds(
            [x for v, f in zip(lines, self.forces, strict=True) for x in (v.components(ground), f.at.in_ground)]
        )
        places = in_own_terms(eq, [*flat, *(v.components(ground) for v in (axes.x, axes.y, axes.z))], True, how)
        self.now = posed.motion.segments[0].state(0)
        states = self._states()
        self.vectors = self._values(states, force_components(eq, self.forces, None, how))
        at = [x[0] for x in self._values([self.now], places)]
        self.lines, self.at, self.axes = at[:-3:2], at[1:-3:2], np.stack(at[-3:])
        self.names = names
        if wrong := [f.name for f, v in zip(self.forces, self.vectors, strict=True) if not np.isfinite(v[0]).all()]:
            raise ViewError(
                f"free_body of {eq.name!r}: at this state there is no finite number for the forces of {listed(dict.fromkeys(wrong))}"
            )
        self.largest = {
            q: max(
                (float(np.abs(v).max()) for f, v in zip(self.forces, self.vectors, strict=True) if _quantity(f) == q),
                default=0.0,
            )
            for q in ("force", "torque")
        }

    def _states(self) -> list[State]:
        """The state itself; with symbols others near it, in motion, so that no force vanishes by chance and no singular
        position leaves it open."""
        eq, now = self.eq, self.now
        if not self.symbolic:
            return [now]
        draw = np.random.default_rng(7)
        out = []
        for _ in range(TRIED):
            q = now.q + draw.uniform(-NEARBY, NEARBY, len(eq.q))
            for ks in ([eq.q.index(s) for s in norm] for norm in eq.mechanism.norms if set(norm) <= set(eq.q)):
                q[ks] /= np.linalg.norm(q[ks])
            u, r = (draw.uniform(0.5, 1.5, len(group)) for group in (eq.u, eq.r))
            out.append(replace(now, q=q, u=u, r=r))
        return out

    def _values(self, states: Sequence[State], things: Sequence[Any]) -> list[Array]:
        if not things:
            return []
        found = [standing_still(s).values(list(things)) for s in states]
        return [np.stack([np.asarray(x[k]).reshape(-1) for x in found]) for k in range(len(things))]

    def _name(self, f: BodyForce) -> ForceName:
        if f.kind in ("reaction", "inertia"):
            return ForceName("")
        made = load_name(self.eq.mechanism, f)
        self.notes += [f"{made.about}."] if made.about else []
        return made

    # ------------------------------------------------------------------------------------------------ arrows

    def on(self, body: str) -> list[_Drawn]:
        """Arrows on a body: loads along their lines, reactions in components."""
        out: list[_Drawn] = []
        for own in self._together(body):
            if own[0].kind in ("reaction", "inertia"):
                out += self._components(*own)
            else:
                out += self._alone(*own)
        return out

    def _together(self, body: str) -> Iterator[tuple[BodyForce, ForceName, Array, Array, Array]]:
        """Forces of one joint at one place, added up: the rows of a constraint are one reaction."""
        met: dict[tuple[Any, ...], list[Any]] = {}
        for f, n, v, line, at in zip(self.forces, self.names, self.vectors, self.lines, self.at, strict=True):
            if f.body != body:
                continue
            is_joint = f.kind == "reaction"
            spot = tuple(np.round(at / (1e-6 * self.posed.size)).tolist())
            key = (f.name, f.kind, _quantity(f), spot) if is_joint else (id(f),)
            if key in met:
                met[key][2] = met[key][2] + v
            else:
                met[key] = [f, n, v, line, at]
        return iter([tuple(x) for x in met.values()])

    def _is_negligible(self, f: BodyForce, v: Array) -> bool:
        least = (
            self.largest["force"]
            if f.force is not None
            else max(self.largest["torque"], self.largest["force"] * self.posed.size)
        )
        return bool(np.abs(v).max(initial=0.0) <= NEGLIGIBLE * least)

    def _alone(self, f: BodyForce, name: ForceName, v: Array, line: Array, at: Array) -> Iterator[_Drawn]:
        if self._is_negligible(f, v):
            return
        size = np.linalg.norm(v, axis=1)
        along = v[int(np.argmax(size))] / size.max() if name.axis is None else line / np.linalg.norm(line)
        if not self.symbolic:
            along = v[0]
        symbol = name.symbol
        yield _Drawn(ForceArrow(f.body, f.name, f.kind, _quantity(f), symbol, three(at), three(along)), float(size[0]))

    def _components(self, f: BodyForce, name: ForceName, v: Array, line: Array, at: Array) -> Iterator[_Drawn]:
        """Along the axes: with symbols positive along them on the child (or the body named first), opposite on the other."""
        for k, axis in enumerate(self.axes):
            parts = v @ axis
            if self._is_negligible(f, parts):
                continue
            if f.kind == "inertia":
                symbol = inertia_name(f.body, _quantity(f), "xyz"[k])
            else:
                symbol = reaction_name(f.name, _quantity(f), "xyz"[k])
            sign = -1.0 if f.kind == "inertia" or self._is_second(f) else 1.0
            vector = sign * axis if self.symbolic else parts[0] * axis
            made = ForceArrow(f.body, f.name, f.kind, _quantity(f), symbol, three(at), three(vector))
            yield _Drawn(made, abs(float(parts[0])))

    def _is_second(self, f: BodyForce) -> bool:
        """Whether its opposite was drawn along the axes: the first of the two bodies in the list of forces."""
        first = next(g.body for g in self.forces if g.name == f.name and g.kind == f.kind)
        return f.body != first


def _quantity(f: BodyForce) -> str:
    return "torque" if f.force is None else "force"


def _inertia_forces(eq: Equations) -> Iterator[BodyForce]:
    """-m a and -d/dt (I · ω) of each rigid body."""
    for b in eq.mechanism.bodies:
        if b.moments is not None:
            raise ViewError(
                f"free_body of {eq.name!r}: {b.name!r} deforms, and has no single force of inertia; leave out inertia=True"
            )
        c = b.mass_centre
        yield BodyForce(b.name, b.name, "inertia", c, force=-(b.mass.m * c.acceleration()))
        spin = b.inertia().dot(b.frame.angular_velocity())
        yield BodyForce(b.name, b.name, "inertia", c, torque=-spin.dt(eq.mechanism.ground))


# ---------------------------------------------------------------------------------------------------------- drawing


class _BodyPlate:
    """One body, in inches."""

    def __init__(self, posed: PosedMechanism, forces: _ForceArrows, body: str) -> None:
        self.posed, self.forces, self.body, self.view = posed, forces, body, posed.view
        self.outlines = posed.outlines(body)
        self.drawn = forces.on(body)
        centre = posed.finder.now_points[0, [b.name for b in posed.equations.mechanism.bodies].index(body)]
        self.centre = self.view.flat(centre)
        corners = np.concatenate([self.centre[None], *(o.reshape(-1, 2) for o in self.outlines)])
        extent = max(float(np.ptp(corners, axis=0).max()), SMALLEST * posed.size)
        self.scale = BODY_SIZE * (0.5 + 0.5 * min(self._spread() / extent, 1.0)) / extent
        self.middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
        self.strokes: list[Stroke] = []
        self.wishes: list[Wish] = []
        self.taken: list[tuple[Array, float]] = []  # places and directions of arrows, in inches and radians
        self.turns: list[Array] = []  # places of curved arrows

    def _spread(self) -> float:
        """How far points of application are apart: where all forces meet, arrows have to leave the body."""
        points = np.array([self.centre, *(self.view.flat(np.array(d.arrow.at)) for d in self.drawn)])
        return float(np.ptp(points, axis=0).max())

    def _inches(self, flat: Array) -> Array:
        return (flat - self.middle) * self.scale

    def plate(self) -> Plate:
        k = [b.name for b in self.posed.equations.mechanism.bodies].index(self.body)
        colour = pale(BODY_COLOURS[k % len(BODY_COLOURS)])
        self.strokes += body_strokes([self._inches(o) for o in self.outlines], colour)
        self.strokes += _centre_mark(self._inches(self.centre))
        places = {
            tuple(np.round(self._inches(self.view.flat(np.array(d.arrow.at))), 6))
            for d in self.drawn
            if d.arrow.kind != "weight"
        }
        self.strokes += [s for p in sorted(places) for s in ring(np.array(p), 0.045)]
        for d in self.drawn:
            self._arrow(d)
        self.strokes += self._triad()
        return plate(self.body, self.strokes, self.wishes, [d.arrow for d in self.drawn])

    def _arrow(self, d: _Drawn) -> None:
        a = d.arrow
        p, v = self._inches(self.view.flat(np.array(a.at))), np.array(a.vector) / np.linalg.norm(a.vector)
        flat, towards = self.view.flat(v), float(v @ self.view.eye)
        colour = a.kind if a.kind in ("weight", "reaction", "inertia") else "load"
        shown = self._words(d)
        if np.hypot(*flat) < 0.15 and a.quantity == "torque":
            self._curved(p, towards > 0, colour, shown)
        elif np.hypot(*flat) < 0.15:
            self._end_on(p, towards > 0, colour, shown)
        else:
            self._straight(
                p, flat / np.hypot(*flat), self._length(d), colour, shown, 2 if a.quantity == "torque" else 1, a
            )

    def _words(self, d: _Drawn) -> str:
        if self.forces.symbolic:
            return d.arrow.symbol
        unit = "N" if d.arrow.quantity == "force" else "N m"
        return f"{d.arrow.symbol} = {number(d.value)} {unit}"

    def _length(self, d: _Drawn) -> float:
        if self.forces.symbolic:
            return ARROW
        largest = max(x.value for x in self.drawn if x.arrow.quantity == d.arrow.quantity)
        return SHORTEST + (1.4 * ARROW - SHORTEST) * d.value / largest

    def _straight(
        self, p: Array, way: Array, length: float, colour: str, shown: str, heads: int, a: ForceArrow
    ) -> None:
        """Away from the body where that is the way it points, else towards its point; beside others that are there."""
        angle = math.atan2(way[1], way[0])
        outwards = float((p - self._inches(self.centre)) @ way) >= -1e-9 or a.kind in ("weight", "inertia")
        turned = {True: angle, False: angle + math.pi}
        side = outwards if not self._is_taken(p, turned[outwards]) else not outwards
        shift = np.zeros(2)
        if self._is_taken(p, turned[side]):
            side = outwards
            count = sum(1 for q, b in self.taken if _near(q, p) and _between(b, turned[side]) < SAME_DIRECTION)
            shift = count * ASIDE * np.array([-way[1], way[0]])
        self.taken.append((p, turned[side]))
        begin = p + shift + (0.0 if side else -length) * way
        end = begin + length * way
        self.strokes += arrow_strokes(begin, end, colour, heads, dashed=a.kind == "inertia")
        far = end if side else begin
        self.wishes.append(
            Wish(shown, float(far[0]), float(far[1]), "right" if far[0] >= p[0] - 1e-9 else "left", colour)
        )

    def _is_taken(self, p: Array, angle: float) -> bool:
        return any(_near(q, p) and _between(b, angle) < SAME_DIRECTION for q, b in self.taken)

    def _curved(self, p: Array, is_positive: bool, colour: str, shown: str) -> None:
        radius = TURN + 0.09 * sum(_near(q, p) for q in self.turns)
        self.turns.append(p)
        angles = np.linspace(-0.6, 3.6, 40) if is_positive else np.linspace(3.74, -0.46, 40)
        points = p + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        self.strokes += arrow_strokes(points[-4], points[-1], colour, 1, along=points)
        at = points[len(points) // 3]
        self.wishes.append(Wish(shown, float(at[0]), float(at[1]), "right", colour))

    def _end_on(self, p: Array, is_towards: bool, colour: str, shown: str) -> None:
        """A dot in a circle towards the eye, a cross in it away from it."""
        r = 0.09
        self.strokes += ring(p, r, colour, "")
        if is_towards:
            self.strokes += ring(p, 0.025, colour, colour)
        else:
            for w in ((0.7, 0.7), (0.7, -0.7)):
                self.strokes.append(Stroke(np.array([p - r * np.array(w), p + r * np.array(w)]), colour, 1.2))
        self.wishes.append(Wish(shown, float(p[0]), float(p[1]), "right", colour))

    def _triad(self) -> list[Stroke]:
        """Axes of components, below on the left."""
        flat = [self.view.flat(x) for x in self.forces.axes]
        points = np.concatenate([s.points for s in self.strokes])
        begin = points.min(axis=0) + np.array([-0.1, -0.35])
        out: list[Stroke] = []
        for name, way in zip("xyz", flat, strict=True):
            if np.hypot(*way) > 0.15:
                end = begin + 0.3 * way
                out += arrow_strokes(begin, end, "soft", 1, head=0.07, width=1.0)
                self.wishes.append(Wish(f"${name}$", float(end[0]), float(end[1]), "right", "soft"))
        return out


def number(value: float) -> str:
    """Three digits, without exponents where that is short."""
    return (
        f"{value:z.3g}"
        if not value or 1e-3 <= abs(value) < 1e3
        else f"{value:z.0f}"
        if 1e3 <= abs(value) < 1e5
        else f"{value:z.2e}"
    )


def arrow_strokes(
    begin: Array, end: Array, colour: str, heads: int = 1, *, head: float = HEAD, width: float = 1.8, dashed: bool = False, along: Array | None = None
) -> list[Stroke]:  # fmt: skip
    """A line with one or two heads at its end; `along`: the line where it is curved."""
    way = (end - begin) / np.linalg.norm(end - begin)
    side = 0.38 * head * np.array([-way[1], way[0]])
    line = np.stack([begin, end - 0.7 * head * way]) if along is None else along[:-1]
    out = [Stroke(line, colour, width, "dashed" if dashed else "solid")]
    for k in range(heads):
        tip = end - 0.75 * k * head * way
        out.append(Stroke(np.stack([tip, tip - head * way + side, tip - head * way - side]), colour, 0.0, fill=colour))
    return out


def ring(p: Array, radius: float, colour: str = "ink", fill: str = "#ffffff") -> list[Stroke]:
    angle = np.linspace(0, 2 * math.pi, 25)
    return [Stroke(p + radius * np.stack([np.cos(angle), np.sin(angle)], axis=1), colour, 1.2, fill=fill)]


def _centre_mark(p: Array) -> list[Stroke]:
    """The mass centre: a circle with two dark quarters."""
    r, out = 0.06, ring(p, 0.06)
    for begin in (0.0, math.pi):
        angle = np.linspace(begin, begin + math.pi / 2, 8)
        quarter = np.vstack([p, p + r * np.stack([np.cos(angle), np.sin(angle)], axis=1)])
        out.append(Stroke(quarter, width=0.0, fill="ink"))
    return out


def _near(p: Array, q: Array) -> bool:
    return bool(np.hypot(*(p - q)) < 0.02)


def _between(a: float, b: float) -> float:
    return abs((a - b + math.pi) % (2 * math.pi) - math.pi)
