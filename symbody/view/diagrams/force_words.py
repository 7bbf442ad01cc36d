"""Words at the arrows of a free-body diagram: m g, k (l - l_0), A_x, and numbers with units."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ...algebra.calculus.derivatives import jacobian
from ...algebra.graph.graph import ZERO, Expr, symbol
from ...algebra.graph.walk import substitute_all
from ...algebra.normal_forms.tidy import tidy
from ...algebra.printing.greek_letters import GREEK
from ...algebra.printing.printing import latex, operations, text
from ...bodies.frames.frames import Frame
from ...bodies.frames.vectors import Vector
from ...bodies.mechanism.mechanism import Action, Load, Mechanism
from ...derivation.questions.body_forces import BodyForce
from ...escaping import in_figure
from ..figures.drawing import is_mathematics

LONGEST: Final = 26  # characters of a formula that stands at an arrow
MOST_OPERATIONS: Final = 300  # of an expression that is brought into a short form
LENGTH: Final = "ell"  # of a spring, in formulas


@dataclass(frozen=True)
class ForceName:
    """What is written at an arrow, and the direction in which it is positive: an axis of a frame, or towards the other end of
    a spring, or as the force acts.

    symbol   as mathematics, between dollar signs, or plain text
    axis     a vector of length one; None: as the force acts
    about    what the symbol stands for, where it is a name of ours
    """

    symbol: str
    axis: Vector | None = None
    about: str = ""


def load_name(mechanism: Mechanism, force: BodyForce) -> ForceName:
    """A short formula along an axis, the tension of a spring, or the name of the load."""
    if (found := _along_axis(mechanism, force)) is not None:
        return found
    load = next((x for x in mechanism.loads if x.name == force.name), None)
    if load is not None and (found := _tension(load, force)) is not None:
        return found
    letter = "M" if force.force is None else "F"
    return ForceName(_name_with_index(letter, force.name), None, "")


def _along_axis(mechanism: Mechanism, force: BodyForce) -> ForceName | None:
    """A vector with one component in the frames it was written in, in those of its body, or in the ground."""
    frames = [*force.vector.terms, mechanism.body(force.body).frame, mechanism.ground]
    for frame in dict.fromkeys(frames):
        parts = force.vector.components(frame).entries
        found = [k for k, e in enumerate(parts) if e is not ZERO]
        if len(found) == 1 and operations(parts[found[0]]) <= MOST_OPERATIONS:
            value, axis = tidy(parts[found[0]]), _axis(frame, found[0])
            if text(value).startswith("-"):
                value, axis = tidy(-value), -axis
            if (written := mathematics(value)) is not None:
                return ForceName(written, axis)
            return None
    return None


def _axis(frame: Frame, k: int) -> Vector:
    return (frame.x, frame.y, frame.z)[k]


def _tension(load: Load, force: BodyForce) -> ForceName | None:
    """Of what pulls two points together: its formula, with its length where that is long."""
    ends = list(_ends(load))
    if len(ends) != 2 or force.force is None:
        return None
    own = next((k for k, a in enumerate(ends) if a.at is force.at), None)
    if own is None:
        return None
    other = ends[1 - own].at
    assert other is not None
    line = other - force.at
    length = line.magnitude()
    pull = force.force.dot(line) / length
    if operations(pull) <= MOST_OPERATIONS and (written := mathematics(tidy(pull))) is not None:
        return ForceName(written, line)
    if load.potential is not None:
        ell = symbol(LENGTH)
        (energy,) = substitute_all([load.potential], {length: ell})
        slope = tidy(jacobian([energy], [ell])[0, 0]) if operations(energy) <= MOST_OPERATIONS else ZERO
        if slope is not ZERO and (written := mathematics(slope)) is not None:
            return ForceName(written, line, f"$\\ell$ is the length of {in_figure(load.name)}")
    return ForceName(_name_with_index("F", load.name), line)


def _ends(load: Load) -> Iterator[Action]:
    return (a for a in load.actions if a.force is not None and a.at is not None)


def mathematics(expression: Expr) -> str | None:
    """A short expression between dollar signs; None if it is long, or nothing that can be typeset."""
    if len(text(expression)) > LONGEST:
        return None
    written = latex(expression).replace(rf"\mathit{{{LENGTH}}}", r"\ell")
    found = f"${written}$"
    return found if is_mathematics(found) else None


def reaction_name(name: str, quantity: str, axis: str) -> str:
    """A_x of a joint A; F and M with an index of joints whose names are longer."""
    if re.fullmatch("[A-Z]", name):
        return f"${name}_{{{axis}}}$" if quantity == "force" else f"$M_{{{name}{axis}}}$"
    return _name_with_index("F" if quantity == "force" else "M", name, axis)


def inertia_name(body: str, quantity: str, axis: str = "") -> str:
    """m a of a body, and the rate of its moment of momentum."""
    return _name_with_index("ma" if quantity == "force" else "H'", body, axis)


def _name_with_index(letter: str, name: str, axis: str = "") -> str:
    """A letter with the name of a joint or load as its index; names that are not words follow it as text."""
    index = f"{name} {axis}".strip()
    if re.fullmatch(r"([A-Za-z]+?)_?\d*", name) and re.sub(r"_?\d*$", "", name) in GREEK:
        return f"${letter}_{{{f'{latex(symbol(name))} {axis}'.strip()}}}$"
    if re.fullmatch(r"[A-Za-z0-9 .]{1,24}", index):
        inside = index.replace(" ", r"\ ")
        return rf"${letter}_{{\mathrm{{{inside}}}}}$"
    return f"${letter}$ {in_figure(index)}"
