"""Records of the kernels of piles: shapes, the grid of the broad phase, and the step."""

from __future__ import annotations

from typing import Final

from ...emit.loops.kernel_language import Function, Indices, Known, Mutable, Numbers
from ...emit.loops.records import Struct
from ..complementarity.contact_graph import ContactGraph
from ..time_stepping.moreau_records import MoreauStep
from .link_motion import PileLinks

STATE: Final = 13  # x y z e0 e1 e2 e3 x' y' z' wx wy wz of a body: those of one free body that was derived
SPEEDS: Final = 6
PLACE: Final = 7  # where the speeds begin
LAWS: Final = 3  # numbers of a pair of kinds
BALL: Final = 0
HULL: Final = 1  # a convex polyhedron: boxes, prisms, convex meshes
DRUM: Final = 2  # a cylinder with flat ends
CLUMP: Final = 3  # balls that are fixed to each other
MOST_CORNERS: Final = 256  # of a hull, and of a face after clipping
CLOSED: Final = (
    1e-7  # gaps below this fraction of the largest coordinate are closed: speeds at rest are as exact as the residual
)
MOST_FACES: Final = 512
ROOM: Final = 3 * MOST_CORNERS  # where faces stand after the corners of a hull in the ground frame


class PileShapes(Struct):
    """Of each kind of body (`form`), sizes in its principal axes.

    clumps, solids    1 where some are clumps; where some are neither clumps nor balls
    radius, half      of balls, drums and capsules; half the length along `axis` (three numbers)
    reach             radius of a sphere around the body's centre that contains it
    corner, ...       of each hull: where its corners (of `corners`), faces (`face_planes`: normal and distance; corners of a
                      face are `loops` from `loop_at` on) and edges (two corners, two faces) begin; the corners of a clump are
                      the centres of its balls, whose radii are in `sizes`
    """

    clumps: Known[int]
    solids: Known[int]
    form: Indices
    radius: Numbers
    half: Numbers
    axis: Numbers
    reach: Numbers
    corner: Indices
    corners: Numbers
    sizes: Numbers
    face: Indices
    face_planes: Numbers
    loop_at: Indices
    loops: Indices
    edge: Indices
    edges: Indices


class PileGrid(Struct):
    """The uniform grid of the broad phase: boxes around bodies (`low`, `high`), cells of one `size`.

    at            cell of each body, three numbers from `origin` on; `bucket`, of which there are `buckets`: where its cell is
                  kept, -1: too large for the grid
    large         bodies that are too large, `count` of them: those beyond `widest`
    start, sorted bodies by buckets, in the order of their numbers
    """

    low: Numbers
    high: Numbers
    at: Indices
    bucket: Indices
    buckets: int
    start: Indices
    sorted: Indices
    large: Indices
    count: Mutable[int]
    size: float
    widest: float
    origin: Numbers


class PileMachine(Struct):
    """A mechanism in a pile, of which some `bodies` touch others; 0: none.

    links            the mechanism as a tree, or none; with a tree place, twist, free, W and factor are not used
    touches          of each pair of these bodies (bodies x bodies), 1: they may touch each other
    step             its state y, and its programs; G and X: of the twists of these bodies
    place, twist     of each body at the midpoint: centre and rotation matrix (12), velocity and angular velocity (6)
    free             twists after the step without contacts
    W, factor        response of twists to impulses, and Cholesky's factor of it
    wrench           impulses of the contacts, with their moments about the centres
    shift            speeds that push bodies apart; `kept`: state before the step
    work             of the contacts on it, of all steps
    """

    bodies: int
    links: PileLinks
    touches: Indices
    step: MoreauStep
    place: Numbers
    twist: Numbers
    free: Numbers
    W: Numbers
    factor: Numbers
    wrench: Numbers
    shift: Numbers
    kept: Numbers
    work: Mutable[float]


class PileStep(Struct):
    """A step of n free bodies, after which `fixed` ones stand: those of a mechanism first, then those that do not move.

    y, kind       state and kind of each body, `turn`: its rotation matrix at the midpoint
    h             length of the step
    mass          of each kind: mass, and three moments of inertia
    roots         of each kind: 1/√ of these
    laws          of each pair of kinds: friction coefficient, restitution and compliance (kinds x kinds x 3)
    planes        normal, distance and kind of each half-space
    field         heights of the terrain: see `height_field.py`; field_kind -1: none
    contacts      `first`, `second` (-1: the ground) and `feature` of each contact; `normal`, `arm` (point of contact), `gap`
    old_...       those of the step before, by the first body (`old_start`)
    axes          normal and tangents of each contact, `restitution` and `compliance` of it
    capacity      most contacts in memory; is_full 1: there were more
    margin        gap up to which a contact is closed
    point, x, p, udot      the program of one body, its state, parameters and accelerations
    stabilise     part of the penetration that a step takes back; `shift`: speeds that do so
    work          of the contacts on the free bodies, of all steps
    ball          two balls that may touch: centre and radius of each
    rest          speed below which an island sleeps, 0: never; `calm`: steps that a body was slow
    """

    n: int
    fixed: int
    kinds: int
    h: Mutable[float]
    y: Numbers
    kind: Indices
    turn: Numbers
    mass: Numbers
    roots: Numbers
    laws: Numbers
    n_planes: int
    planes: Numbers
    plane_kind: Indices
    field_kind: int
    field: Numbers
    field_shape: Indices
    field_place: Numbers
    shapes: PileShapes
    grid: PileGrid
    graph: ContactGraph
    machine: PileMachine
    capacity: Mutable[int]
    contacts: Mutable[int]
    is_full: Mutable[int]
    margin: Mutable[float]
    first: Indices
    second: Indices
    feature: Indices
    normal: Numbers
    arm: Numbers
    gap: Numbers
    restitution: Numbers
    compliance: Numbers
    axes: Numbers
    old_start: Indices
    old_second: Indices
    old_feature: Indices
    old_impulse: Numbers
    new_start: Indices
    rates: Function
    point: Function
    x: Numbers
    p: Numbers
    udot: Numbers
    qdot: Numbers
    before: Numbers
    work: Mutable[float]
    residual: Mutable[float]
    free: Numbers
    own: Numbers
    stabilise: float
    shift: Numbers
    rest: float
    calm: Indices
    mark: Mutable[int]
    ball: Numbers
    w: Numbers
    clip: Numbers
    clipped: Numbers
    one: Numbers
    two: Numbers
