"""The mechanism that a model describes; one that is incomplete is refused."""

from __future__ import annotations

from typing import Final

from ...errors import ModelError, in_number, listed, shown
from ..mechanism.declarations import speeds_and_rates
from ..mechanism.existence import first_refusal, requirements
from ..mechanism.mechanism import Constraint, Mechanism
from .parts import Parts

ROUNDING: Final = 1e-14  # of lengths and cosines in constraints that are satisfied identically


def mechanism_of(parts: Parts) -> Mechanism:
    """See `Model.freeze`."""
    bodies, z, kinematics = tuple(parts.bodies.values()), parts.symbols_of_kind("variable"), parts.kinematics
    if lost := [b.name for b in bodies if not b.frame.root.is_ground]:
        raise ModelError(
            f"model {parts.name!r}: {in_number(lost, 'body {} is', 'bodies {} are')} not connected; place each by a joint, or leave "
            "it free with m.free"
        )
    if len(z) != len(parts.equations):
        raise ModelError(
            f"model {parts.name!r}: each additional variable needs one additional equation; variables: "
            f"{listed(z)}; equations: {listed(parts.equations)}"
        )
    if wrong := first_refusal(requirements(bodies), parts.default_values):
        raise ModelError(f"model {parts.name!r}: {wrong}")
    u, rates = speeds_and_rates(parts)
    if strange := [s.name for s in parts.balances if s not in u]:
        raise ModelError(
            f"model {parts.name!r}: balances of {in_number(strange, '{}, which is not a speed', '{}, which are not speeds')} of it; its speeds "
            f"are {listed(s.name for s in u)}"
        )
    loads = parts.all_loads()
    kept, notes = _constraints_that_say_something(parts)
    return Mechanism(
        name=parts.name,
        ground=parts.ground,
        q=parts.symbols_of_kind("coordinate"),
        u=tuple(u),
        rates=rates,
        p=parts.symbols_of_kind("parameter"),
        r=parts.symbols_of_kind("input"),
        z=z,
        bodies=bodies,
        joints=tuple(parts.joints.values()),
        loads=loads,
        constraints=kept,
        equations=dict(parts.equations),
        outputs=dict(parts.outputs),
        labels=dict(parts.labels),
        norms=kinematics.norms,
        gravity=parts.gravity,
        values=dict(parts.default_values),
        units=dict(parts.units),
        small=kinematics.small,
        notes=(*notes, *parts.notes),
        kinetic=dict(parts.kinetic_energies),
        balances=dict(parts.balances),
        validity=dict(parts.validity),
    )


def _constraints_that_say_something(parts: Parts) -> tuple[tuple[Constraint, ...], tuple[str, ...]]:
    """Constraints of loop joints that are zero, or rounding of zero, whatever the coordinates (as out of the plane of a
    plane linkage) are left out and noted."""
    kept, notes = [], []
    for c in parts.constraints.values():
        if c.expression.value is None:
            kept.append(c)
        elif c.joint is not None and abs(float(c.expression.value)) <= ROUNDING:
            notes.append(f"constraint {c.name} is always satisfied and is dropped")
        else:
            raise ModelError(f"constraint {c.name!r} cannot be satisfied: it reads {shown(c.expression)} = 0")
    silent = {j.name for j in parts.joints.values() if j.closes_loop} - {c.joint for c in kept}
    if idle := sorted(silent & {c.joint for c in parts.constraints.values() if c.joint is not None}):
        raise ModelError(
            f"joint {idle[0]!r} closes a loop but adds no constraint: its conditions are always satisfied; omit it"
        )
    return tuple(kept), tuple(notes)
