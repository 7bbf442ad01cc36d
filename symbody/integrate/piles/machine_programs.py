"""The program of a mechanism in a pile: of a tree, what moves of the places of its links, accelerations and constraints; of any
other mechanism places and twists of its bodies that touch others, and their responses to impulses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from ...algebra.calculus.derivatives import jacobian, time_derivative
from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import ZERO, Expr, as_expr
from ...algebra.graph.matrix import Matrix
from ...algebra.graph.walk import free_symbols
from ...derivation.equations.equations import Equations
from ...derivation.programs.forward_dynamics import tree_accelerations
from ...derivation.programs.link_table import POSE, LinkTable, MachineBody, link_table
from ...emit.lowering.lower import program
from ...emit.run.callable import Array, Compiled, compile_program
from ...emit.run.loop_callee import program_callee
from ...errors import SimulationError
from ..contact.contact_modes import ModeTable
from ..start.state import State
from ..time_stepping.moreau_programs import compiled_program, moreau_memory, solved_columns
from .link_motion import LUMP, LinkNumbers, PileLinks, pile_links
from .pile_records import SPEEDS, PileMachine

MOST_CONSTRAINTS: Final = 60  # of a tree: K is dense
MOST_SURFACES: Final = 60  # of other mechanisms: six symbolic columns for each
MANY_SPEEDS: Final = 100  # from which on optimised code takes a second or more, and saves a fiftieth of a step


class MachinePrograms(NamedTuple):
    """What a step needs of its midpoint, and q'; of a tree `point` has its accelerations alone, and `places` what is left. (Programs
    of many speeds that have no loops run from tables first, which need not be compiled.)"""

    point: Compiled
    rates: Compiled
    places: Compiled | None


@dataclass(frozen=True)
class PileMechanism:
    """A mechanism in a pile: its start, the bodies that touch others, and pairs of these that touch each other.

    table    its links, where it is a tree whose surfaces do not move on their frames; None: all mechanisms that are not
    """

    start: State
    bodies: tuple[MachineBody, ...]
    pairs: tuple[tuple[int, int], ...] = ()

    @property
    def equations(self) -> Equations:
        return self.start.equations

    @property
    def state(self) -> Array:
        return np.concatenate([self.start.q, self.start.u])

    @cached_property
    def table(self) -> LinkTable | None:
        numbers = [e.value for body in self.bodies for e in body.at.entries]
        if None in numbers or len(self.equations.lam) > MOST_CONSTRAINTS:
            return None
        table = link_table(self.equations, [body.frame for body in self.bodies])
        return None if table is None or tree_accelerations(self.equations) is None else table

    @cached_property
    def programs(self) -> MachinePrograms:
        eq, count = self.equations, len(self.bodies)
        if self.table is None and count > MOST_SURFACES:
            raise SimulationError(
                f"{eq.name!r} has {count} surfaces in a pile; more than {MOST_SURFACES} need a tree of rigid links with at most "
                f"{MOST_CONSTRAINTS} constraints (it has {len(eq.lam)}), in which every speed moves one frame"
            )
        is_quick = len(eq.u) > MANY_SPEEDS
        rates = compiled_program(eq, "coordinate_rates", {"qdot": eq.rates}, is_quick=is_quick)
        if self.table is None:
            return MachinePrograms(compiled_program(eq, "machine", machine_outputs(eq, self.bodies)), rates, None)
        udot = tree_accelerations(eq)
        assert udot is not None
        point = compiled_program(eq, "machine", {"udot": udot.entries}, is_quick=is_quick)
        return MachinePrograms(
            point, rates, compiled_program(eq, "machine_places", link_outputs(self), is_quick=is_quick)
        )

    @cached_property
    def changing(self) -> list[int]:
        """Numbers of the entries of the table that depend on coordinates."""
        entries = [] if self.table is None else self.table.entries
        return [k for k, e in enumerate(entries) if any(s.kind == "coordinate" for s in free_symbols(e))]


def link_outputs(machine: PileMechanism) -> dict[str, Any]:
    """What a step needs of a tree at its midpoint, besides accelerations."""
    eq, table = machine.equations, machine.table
    assert table is not None
    phi = (*eq.phi.entries, *[ZERO] * (len(eq.lam) - len(eq.phi.entries)))
    found = [table.entries[j] for j in machine.changing]
    outputs = {"found": found, "Jc": eq.Jc.entries, "b": eq.b.entries, "phi": phi}
    return {name: list(values) or [ZERO] for name, values in outputs.items()}


def link_record(machine: PileMechanism | None, node: int) -> PileLinks:
    """Memory of the links of a tree, whose first is a node of the contact graph; of none for other mechanisms."""
    numbers = None if machine is None else link_numbers(machine)
    if machine is None or numbers is None:
        return pile_links(None, node, 0)
    places = machine.programs.places
    assert places is not None
    given = {"p": machine.start.p, "r": machine.start.r}
    return pile_links(numbers, node, len(machine.equations.lam), program_callee(places, given))


def link_numbers(machine: PileMechanism) -> LinkNumbers | None:
    """The table in numbers, with the values of the start."""
    table = machine.table
    if table is None:
        return None
    values = dict(zip(machine.equations.p, machine.start.p, strict=True))
    surfaces = [table.surface(body) for body in machine.bodies]

    def rows(width: int, entries: list[Expr]) -> Array:
        known = [e if e.value is None else float(e.value) for e in entries]
        open_ones = [e for e in known if isinstance(e, Expr)]
        found = iter(evaluate(open_ones, values))
        return np.array([float(next(found)) if isinstance(e, Expr) else e for e in known]).reshape(-1, width)

    changes = set(machine.changing)
    still = [ZERO if k in changes else e for k, e in enumerate(table.entries)]
    places = rows(POSE, [e for _, x in surfaces for e in x])
    for place, body in zip(places, machine.bodies, strict=True):
        place[:9] = (place[:9].reshape(3, 3) @ body.axes).ravel()
    return LinkNumbers(
        parents=[x.parent for x in table.links], speeds=[x.speeds for x in table.links], sizes=[len(x.entries) for x in table.links],
        base=rows(POSE, [e for x in table.links for e in x.base]), lumps=rows(LUMP, [e for x in table.links for e in x.lump]),
        local=rows(1, still).ravel(), changing=machine.changing, carriers=[i for i, _ in surfaces], surfaces=places,
    )  # fmt: skip


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
    if machine.table is not None:
        return link_places(machine, t, states)
    eq, entries = machine.equations, [_place(body) for body in machine.bodies]
    groups: dict[str, Any] = {"t": eq.t, "q": eq.q, "r": eq.r, "p": eq.p}
    given = {"t": t, "q": states[:, : len(eq.q)], "r": machine.start.r, "p": machine.start.p}
    used = [k for k in groups if k == "t" or groups[k]]
    f = compile_program(
        program("places", {k: groups[k] for k in used}, {"x": [e for x in entries for e in x]}), is_quick=True
    )
    found = np.asarray(f.batch(*(given[k] for k in used))).reshape(len(t), -1, 12)
    return found[..., :3], found[..., 3:].reshape(len(t), -1, 3, 3)


def link_places(machine: PileMechanism, t: Array, states: Array) -> tuple[Array, Array]:
    """The same of a tree: by its joints, one after another."""
    eq, table, links = machine.equations, machine.table, link_numbers(machine)
    assert table is not None
    assert links is not None
    outputs = {"found": [table.entries[k] for k in machine.changing] or [ZERO]}
    f = compiled_program(eq, "places_of_links", outputs, is_quick=True)
    groups = [x for x in (machine.start.r, machine.start.p) if len(x)]
    local = np.tile(links.local, (len(t), 1))
    local[:, machine.changing] = np.asarray(f.batch(t, states, *groups)).reshape(len(t), -1)[:, : len(machine.changing)]
    R, p, at = [np.tile(np.eye(3), (len(t), 1, 1))], [np.zeros((len(t), 3))], 0
    for parent, base, size in zip(links.parents[1:], links.base[1:], links.sizes[1:], strict=True):
        above = R[parent] @ base[:9].reshape(3, 3)
        p.append(p[parent] + R[parent] @ base[9:] + (above @ local[:, at + 9 : at + 12, None])[:, :, 0])
        R.append(above @ local[:, at : at + 9].reshape(-1, 3, 3))
        at += size
    pairs = list(zip(links.carriers, links.surfaces, strict=True))
    centres = np.stack([p[i] + R[i] @ x[9:] for i, x in pairs], axis=1)
    return centres, np.stack([R[i] @ x[:9].reshape(3, 3) for i, x in pairs], axis=1)


def _place(body: MachineBody) -> list[Expr]:
    """The centre, and the rotation matrix of the principal axes."""
    turned = body.rotation @ Matrix(3, 3, tuple(as_expr(float(e)) for e in body.axes.ravel()))
    return [*body.centre, *turned.entries]


def machine_record(machine: PileMechanism | None, dummy: Equations, links: PileLinks) -> PileMachine:
    """Memory of a mechanism, or of none."""
    eq = dummy if machine is None else machine.equations
    bodies = () if machine is None else machine.bodies
    given = {} if machine is None else {"p": machine.start.p, "r": machine.start.r}
    is_tree = links.is_there == 1
    if machine is not None:
        point, rates, _ = machine.programs
    else:
        point, rates = (compiled_program(eq, name, {name: [ZERO]}) for name in ("point", "rates"))
    callees = {"point": program_callee(point, given), "rates": program_callee(rates, given), "variables": None}
    b = len(bodies)
    rows = 0 if is_tree else SPEEDS * b
    step = moreau_memory(ModeTable(eq, (), ()), rows, callees, remembers=False)
    if machine is not None:
        step.y[: len(machine.state)] = machine.state
    n = len(eq.state)
    touches = np.zeros(b * b + 1, dtype=np.int64)
    pairs = np.array(() if machine is None else machine.pairs, dtype=np.int64).reshape(-1, 2)
    touches[pairs @ [b, 1]] = touches[pairs @ [1, b]] = 1
    return PileMachine(
        bodies=b, links=links, touches=touches, step=step, place=np.zeros(12 * b + 1), twist=np.zeros(rows + 1), free=np.zeros(rows + 1), W=np.zeros(rows * rows + 1),
        factor=np.zeros(rows * rows + 1), wrench=np.zeros(SPEEDS * b + 1), shift=np.zeros(n + 1), kept=np.zeros(n + 1), work=0.0,
    )  # fmt: skip
