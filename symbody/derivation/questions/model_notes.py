"""Notes that a person would make on reading a model: nothing is wrong in the equations, and something may not be what was
meant."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Final

from ...algebra.calculus.derivatives import derivative
from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ZERO, Expr, Symbol
from ...algebra.graph.late_matrix import is_unmade, symbol_carriers
from ...algebra.graph.walk import free_symbols
from ...bodies.elastic.beam_fields import BeamShapes
from ...bodies.elastic.elastic_body import ElasticBody
from ...bodies.frames.frames import Frame
from ...bodies.frames.rotations import Turn
from ...bodies.loads.loads import GravityLoad
from ...bodies.mechanism.mechanism import Body, Load, Mechanism
from ...errors import in_number, listed
from ..entry.checks import hinges_through_points
from ..equations.energies import kinetic_energy
from ..equations.equations import Equations
from ..equations.readable_equations import is_readable

FULL_TURN: Final = 2 * math.pi
FEW_SPEEDS: Final = 30  # up to which symbols are looked for in M and in the whole potential of gravity
FIELDS: Final = ("gravity", "central gravity")  # kinds of loads that are a field of gravity


def model_notes(eq: Equations) -> tuple[str, ...]:
    """Notes on the model of some equations, each a sentence that names the parts."""
    m = eq.mechanism
    return (
        *_gravity(m),
        *_idle_gravity(m),
        *_point_like(m),
        *hinges_through_points(m),
        *_unused_parameters(eq),
        *_remarks(m),
        *_driving(m),
        *_large_angles(m),
        *_lateral_buckling(m),
    )


def _gravity(m: Mechanism) -> Iterator[str]:
    """A model of bodies with mass and no gravity."""
    has_field = m.gravity is not None or any(x.kind in FIELDS for x in m.loads)
    if not has_field and any(not b.mass.is_massless for b in m.bodies):
        yield "there is no gravity; m.gravity(0, 0, -9.81) would add it"


def _idle_gravity(m: Mechanism) -> Iterator[str]:
    """Gravity across every motion: its potential does not depend on the coordinates."""
    found = next((x for x in m.loads if x.kind == "gravity"), None)
    if found is None or not m.q or len(m.u) > len(m.q):
        return
    potentials: Iterable[Expr | None]
    if isinstance(found, GravityLoad) and len(m.u) > FEW_SPEEDS:
        potentials = found.potentials_of_bodies()  # one that depends on the coordinates is soon found
    else:
        potentials = (found.potential,)
    has_potential = False
    for V in potentials:
        if V is None or any(s.kind == "coordinate" for s in free_symbols(V)):
            return
        has_potential = True
    if has_potential:
        yield "gravity does no work in any motion of the model: check its direction and the axes of the joints"


def _driving(m: Mechanism) -> Iterator[str]:
    """Springs and dampers of joints whose coefficient is negative, for the values of the parameters."""
    values = dict(m.values)
    for load in m.loads:
        for q, force in load.on_rates.items() if load.kind in ("spring", "damper") else ():
            cause = q if load.kind == "spring" else q.dot
            slope = derivative(force, cause) if isinstance(cause, Symbol) else ZERO
            if all(s in values for s in free_symbols(slope)) and evaluate(slope, values) > 0:
                word = "stiffness" if load.kind == "spring" else "damping"
                yield f"{load.kind} {load.name!r} has a negative {word}, and drives the motion"


def _point_like(m: Mechanism) -> Iterator[str]:
    """Bodies with mass and without inertia that turn, and were not called particles."""
    found = [b.name for b in m.bodies if not b.is_point and b.mass.is_particle and not b.mass.is_massless and _turns(b)]
    if found:
        yield in_number(
            found,
            "body {} has mass and no inertia: it is a point mass at its mass centre; inertia= or shape= gives it size",
            "bodies {} have mass and no inertia: they are point masses at their mass centres; inertia= or shape= gives "
            "them size",
        )


def _turns(b: Body) -> bool:
    return any(e.value != 0 for e in b.frame.angular_velocity_components.entries)


def _unused_parameters(eq: Equations) -> Iterator[str]:
    """Parameters and inputs that act on nothing; readable equations have remarks of their own on parameters."""
    m = eq.mechanism
    if not m.p and not m.r:
        return
    used = set(_symbols_in(eq))
    inputs = [s.name for s in m.r if s not in used and s.order == 0]
    if inputs:
        yield in_number(inputs, "the input {} acts on nothing", "the inputs {} act on nothing")
    acting = [s.name for s in m.r if s in used and s.order == 0]
    if acting:
        yield in_number(
            acting,
            "the input {} is 0 in motions that give it no value",
            "the inputs {} are 0 in motions that give them no value",
        )
    parameters = [s.name for s in m.p if s not in used]
    if parameters and not is_readable(eq):
        yield in_number(parameters, "the parameter {} is not used", "the parameters {} are not used")


def _symbols_in(eq: Equations) -> list[Symbol]:
    """Those of M are in the kinetic energy, which is linear in the number of bodies where M is not. Of entries that were not made
    yet, symbols are those of what they are made from."""
    m = eq.mechanism
    M = symbol_carriers(eq.M) if len(eq.u) <= FEW_SPEEDS or is_unmade(eq.M) else (kinetic_energy(eq),)
    inside = [*M, *symbol_carriers(eq.f), eq.rates, *(c.expression for c in m.constraints), *m.equations.values()]
    return free_symbols(*inside, *eq.outputs.values(), *(x for x in m.values if not isinstance(x, Symbol)))


def _remarks(m: Mechanism) -> Iterator[str]:
    for load in m.loads:
        if load.remark:
            yield f"{load.kind} {load.name!r} {load.remark}"


def _large_angles(m: Mechanism) -> Iterator[str]:
    """Frames that are turned by more than a full turn: degrees, more often than not."""
    seen: set[Frame] = set()
    for b in m.bodies:
        new: list[Frame] = []
        above: Frame | None = b.frame
        while above is not None and above not in seen:
            new.append(above)
            above = above.parent
        seen.update(new)
        for f in reversed(new):
            for turn in f.rotation.factors:
                angle = turn.angle.value if isinstance(turn, Turn) else None
                if angle is not None and abs(float(angle)) > FULL_TURN:
                    yield f"frame {f.name} of {b.name} is turned by {float(angle):g} rad, more than a full turn; angles are in radians"


def _lateral_buckling(m: Mechanism) -> Iterator[str]:
    """Forces across beams that bend in both planes and twist: bending in one plane does not soften the others, since strains
    couple bending with torsion in terms that are dropped."""
    for b in m.bodies:
        if isinstance(b, ElasticBody) and isinstance(b.shapes, BeamShapes):
            moves = {mode.moves for mode in b.shapes.fields.modes}
            loads = [x.name for x in m.loads if x.kind != "gravity" and _pushes_across(x, b)]
            if loads and {"y", "z", "twist"} <= moves:
                yield (
                    f"beam {b.name!r} is loaded across its axis ({listed(loads)}), and does not buckle sideways in this model: "
                    "bending coupled with torsion by strain is dropped. A cantilever with EI of its weak plane buckles under a "
                    "force of 4.013 sqrt(EI GJ)/L² at its end (Prandtl)"
                )


def _pushes_across(load: Load, beam: Body) -> bool:
    on_beam = [a for a in load.actions if a.force is not None and beam.frame in a.frame.path]
    return any(e is not ZERO for a in on_beam for e in a.force.components(beam.frame).entries[1:])  # type: ignore[union-attr]
