"""The program of a mechanism in a pile: places and twists of its bodies that touch others, and their responses to impulses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.graph.graph import ZERO, Expr, as_expr
from ...algebra.graph.matrix import Matrix
from ...derivation.equations.equations import Equations
from ...emit.programs.lower import program
from ...emit.run.callable import Array, compile_program
from ...emit.run.loop_callee import program_callee
from ..complementarity.contact_arrays import indices
from ..contact.contact_modes import ModeTable
from ..start.state import State
from ..time_stepping.moreau_programs import compiled_program, moreau_memory, solved_columns
from .pile_records import SPEEDS, PileMachine


@dataclass(frozen=True)
class MachineBody:
    """A shape on a frame of a mechanism: its centre and the rotation matrix of the frame in the ground frame, as expressions, and its
    principal axes in the frame (columns)."""

    centre: tuple[Expr, ...]
    rotation: Matrix
    axes: Array


@dataclass(frozen=True)
class PileMechanism:
    """A mechanism in a pile: its start, the bodies that touch others, and pairs of these that touch each other."""

    start: State
    bodies: tuple[MachineBody, ...]
    pairs: tuple[tuple[int, int], ...] = ()

    @property
    def equations(self) -> Equations:
        return self.start.equations

    @property
    def state(self) -> Array:
        return np.concatenate([self.start.q, self.start.u])


def machine_outputs(eq: Equations, bodies: Sequence[MachineBody]) -> dict[str, Any]:
    """Everything at the midpoint of a step, from one factorization."""
    rates = dict(zip(eq.q, eq.rates.entries, strict=True))
    places: list[Expr] = []
    twists: list[Expr] = []
    for body in bodies:
        centre, R = body.centre, body.rotation
        places += _place(body)
        spin = Matrix(3, 3, tuple(time_derivative(e, rates) for e in R.entries)) @ R.T
        twists += [time_derivative(e, rates) for e in centre] + [spin[2, 1], spin[0, 2], spin[1, 0]]
    G = jacobian(twists, eq.u)
    solved, n = solved_columns(eq, G), len(eq.u)
    back = [e for j in (1, 2, 3) for e in solved.column(j)[:n]] if eq.lam else [ZERO] * (3 * n)
    return {
        "place": places, "twist": twists, "G": list(G.entries), "X": [e for i in range(G.rows) for e in solved.column(4 + i)[:n]],
        "udot": solved.column(0)[:n], "back": back,
    }  # fmt: skip


def machine_places(machine: PileMechanism, t: Array, states: Array) -> tuple[Array, Array]:
    """Centres (times, bodies, 3) and rotation matrices of the principal axes of the bodies that touch others."""
    eq, entries = machine.equations, [_place(body) for body in machine.bodies]
    groups: dict[str, Any] = {"t": eq.t, "q": eq.q, "r": eq.r, "p": eq.p}
    given = {"t": t, "q": states[:, : len(eq.q)], "r": machine.start.r, "p": machine.start.p}
    used = [k for k in groups if k == "t" or groups[k]]
    f = compile_program(
        program("places", {k: groups[k] for k in used}, {"x": [e for x in entries for e in x]}), is_quick=True
    )
    found = np.asarray(f.batch(*(given[k] for k in used))).reshape(len(t), -1, 12)
    return found[..., :3], found[..., 3:].reshape(len(t), -1, 3, 3)


def _place(body: MachineBody) -> list[Expr]:
    """The centre, and the rotation matrix of the principal axes."""
    turned = body.rotation @ Matrix(3, 3, tuple(as_expr(float(e)) for e in body.axes.ravel()))
    return [*body.centre, *turned.entries]


def machine_record(machine: PileMechanism | None, dummy: Equations) -> PileMachine:
    """Memory of a mechanism, or of none."""
    eq = dummy if machine is None else machine.equations
    bodies = () if machine is None else machine.bodies
    given = {} if machine is None else {"p": machine.start.p, "r": machine.start.r}
    outputs = {"udot": [ZERO]} if machine is None else machine_outputs(eq, bodies)
    rates = compiled_program(eq, "coordinate_rates", {"qdot": eq.rates})
    callees = {
        "point": program_callee(compiled_program(eq, "machine", outputs), given), "rates": program_callee(rates, given), "variables": None,
    }  # fmt: skip
    b = len(bodies)
    rows = SPEEDS * b
    step = moreau_memory(ModeTable(eq, (), ()), rows, callees, remembers=False)
    if machine is not None:
        step.y[: len(machine.state)] = machine.state
    n = len(eq.state)
    touches = [0] * (b * b)
    for i, j in () if machine is None else machine.pairs:
        touches[i * b + j] = touches[j * b + i] = 1
    return PileMachine(
        bodies=b, touches=indices(touches), step=step, place=np.zeros(12 * b + 1), twist=np.zeros(rows + 1), free=np.zeros(rows + 1), W=np.zeros(rows * rows + 1),
        factor=np.zeros(rows * rows + 1), wrench=np.zeros(rows + 1), shift=np.zeros(n + 1), kept=np.zeros(n + 1),
    )  # fmt: skip
