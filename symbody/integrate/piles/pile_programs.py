"""The programs of one free body, which run for all of them, and the memory of a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...emit.run.loop_callee import program_callee
from ..complementarity.contact_arrays import indices
from ..complementarity.contact_graph import contact_graph
from ..time_stepping.moreau_programs import compiled_program
from .machine_programs import PileMechanism, link_record, machine_record
from .pile_records import MOST_CORNERS, MOST_FACES, ROOM, SPEEDS, STATE, PileGrid, PileStep
from .pile_solids import PileSolid, shape_record

MASS: Final = 4  # parameters of one body that come first: its mass and three moments of inertia
LARGE: Final = 4.0  # bodies this many times wider than the median are not on the grid


@dataclass(frozen=True)
class Terrain:
    """Heights over a rectangle of the x-y plane, from its lower corner on, with this spacing along x and y."""

    heights: Array
    corner: tuple[float, float]
    spacing: tuple[float, float]
    kind: int


@dataclass(frozen=True)
class PileNumbers:
    """A pile in numbers.

    body        equations of one free body in Euler parameters, whose first parameters are its mass and moments of inertia
    parameters  values of its others
    solids      shape of each kind; `masses` and moments of inertia of each kind (kinds x 4)
    kinds       of each body, those that are not free last: `fixed` of them, those of a `machine` before the others
    start       states of all bodies (bodies x 13)
    laws        friction coefficient, restitution and compliance of each pair of kinds (kinds x kinds x 3); walls are kinds, too
    planes      normal, distance of half-spaces, and `plane_kinds`
    """

    body: Equations
    parameters: Array
    solids: tuple[PileSolid, ...]
    masses: Array
    kinds: Array
    fixed: int
    start: Array
    laws: Array
    planes: Array
    plane_kinds: Array
    terrain: Terrain | None
    tolerance: float
    most_sweeps: int
    stabilise: float
    rest: float
    machine: PileMechanism | None = None


def body_outputs(body: Equations) -> dict[str, dict[str, Any]]:
    """What the programs of one body compute, by their names in a step."""
    return {"rates": {"qdot": body.rates}, "point": {"udot": body.udot}}


def pile_step_record(
    pile: PileNumbers, h: float, capacity: int, callees: dict[str, Any] | None = None, stride: int = 1
) -> PileStep:
    """Memory for a step of length h with at most so many contacts; `callees` are other programs of one body, `stride` that of V."""
    total = len(pile.kinds)
    n = total - pile.fixed
    c = capacity
    p = np.concatenate([np.zeros(MASS), pile.parameters, [0.0]])
    programs = callees or {
        k: program_callee(compiled_program(pile.body, k, outputs), {"p": p})
        for k, outputs in body_outputs(pile.body).items()
    }
    carried = 0 if pile.machine is None else len(pile.machine.bodies)
    links = link_record(pile.machine, n)
    tree = links.tree if links.is_there == 1 else None
    own = carried if tree is None else tree.mode_nodes
    nodes = n + (carried if tree is None else tree.links + tree.mode_nodes)
    graph = contact_graph(c, (2 + own) * c, nodes, SPEEDS, tree, stride)
    graph.tolerance, graph.most = pile.tolerance, pile.most_sweeps
    field = pile.terrain
    room = ROOM + 4 * MOST_FACES if callees is None else SPEEDS  # on a card hulls touch balls alone
    return PileStep(
        n=n, fixed=pile.fixed, kinds=len(pile.laws), h=h, y=np.append(np.ravel(pile.start), 0.0),
        kind=indices(pile.kinds.tolist()),
        turn=np.zeros(9 * total + 1), mass=_flat(pile.masses), roots=_flat(_roots(pile.masses)), laws=_flat(pile.laws),
        n_planes=len(pile.planes), planes=_flat(pile.planes), plane_kind=indices(pile.plane_kinds.tolist()),
        field_kind=-1 if field is None else field.kind, field=np.zeros(1) if field is None else _flat(field.heights),
        field_shape=indices([] if field is None else list(field.heights.shape)),
        field_place=np.zeros(1) if field is None else np.array([*field.corner, *field.spacing]),
        shapes=shape_record(list(pile.solids)), grid=_grid_record(pile), graph=graph, machine=machine_record(pile.machine, pile.body, links), capacity=c, contacts=0, is_full=0, margin=0.0,
        first=indices([0] * c), second=indices([0] * c), feature=indices([0] * c), normal=np.zeros(3 * c + 3), arm=np.zeros(3 * c + 3),
        gap=np.zeros(c + 1), restitution=np.zeros(c + 1), compliance=np.zeros(c + 1), axes=np.zeros(9 * c + 9), old_start=indices([0] * (n + carried + 1)), old_second=indices([0] * c),
        old_feature=indices([0] * c), old_impulse=np.zeros(3 * c + 3), new_start=indices([0] * (n + carried + 1)),
        **programs, x=np.zeros(STATE), p=p, udot=np.zeros(SPEEDS),
        qdot=np.zeros(7), before=np.zeros(STATE * n + 1), work=0.0, residual=0.0, free=np.zeros(SPEEDS * n + 1), own=np.zeros(SPEEDS * n + 1),
        stabilise=pile.stabilise, shift=np.zeros(SPEEDS * n + 1), rest=pile.rest, calm=indices([0] * nodes), mark=0, ball=np.zeros(8), w=np.zeros(16),
        clip=np.zeros(4 * MOST_CORNERS + 4), clipped=np.zeros(4 * MOST_CORNERS + 4), one=np.zeros(room), two=np.zeros(room),
    )  # fmt: skip


def _roots(masses: Array) -> Array:
    """1/√ of the mass, three times, and of the moments of inertia."""
    return 1.0 / np.sqrt(masses[:, [0, 0, 0, 1, 2, 3]])


def _grid_record(pile: PileNumbers) -> PileGrid:
    total = len(pile.kinds)
    widths = 2 * np.array([s.reach for s in pile.solids])[pile.kinds]
    widest = LARGE * float(np.median(widths))
    size = float(widths[widths <= widest].max())
    buckets = 2 * total + 1
    return PileGrid(
        low=np.zeros(3 * total + 1), high=np.zeros(3 * total + 1), at=indices([0] * (3 * total)), bucket=indices([0] * total), buckets=buckets,
        start=indices([0] * (buckets + 1)), sorted=indices([0] * total), large=indices([0] * total), count=0, size=size, widest=widest,
        origin=np.zeros(3),
    )  # fmt: skip


def _flat(values: Any) -> Array:
    return np.append(np.ravel(np.asarray(values, dtype=float)), 0.0)
