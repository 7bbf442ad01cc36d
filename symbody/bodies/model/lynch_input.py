"""A model from Lynch's matrices (thesis, appendix A): what his generator reads, as a `Model`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...algebra.calculus.derivatives import derivative, time_derivative
from ...algebra.graph.graph import ZERO, Expr, Symbol, symbol
from ...algebra.graph.matrix import Matrix, as_matrix
from ...algebra.graph.walk import free_symbols, substitute
from ...algebra.normal_forms.tidy import tidy
from ...argument_kinds import answered_class
from ...errors import ModelError, listed, shown
from ..frames.frames import Frame
from ..frames.rotations import unit_vector
from ..frames.topology import FLOATING_WEIGHT
from ..mechanism.mechanism import Body, Joint
from .model import Model

Pair = tuple[int, int]  # body and its reference body, numbered from 1
KINDS: Mapping[float, str] = {1.0: "revolute", 1.1: "prismatic", 3.0: "spherical"}
WHERE = "Lynch's matrices"


@answered_class
@dataclass(frozen=True)
class LynchInput:
    """The input matrices of Lynch's thesis. Bodies and joints are numbered from 1; in a grounded system body 1 is the
    ground, without mass.

    reference   REF, ρ: -1 where body j carries body i
    distance    DM: 1 revolute, 1.1 translational, 3 spherical joint; 0.2 on the diagonal of a floating base
    axes        (i, j) -> PQI, PQJ, RQI, RQJ: axis, and a vector across it, in body i and in its reference body j
    dl          i -> DL: from the joint of body i to its mass centre, in body i. That of a translational joint may
                contain the joint's own coordinate q<i>, as the thesis writes it; it is left out, since the joint moves
    sl          (i, j) -> SL: from the mass centre of body j to the joint of body i, in body j
    inertia     i -> JIP: central inertia of body i: a 3 by 3 matrix, or three principal values
    mass        i -> its mass; by default the parameter m<i>
    rsda        RSDA: (i, j) with 1 where a spring, damper and actuator turn the joint: parameters k<i>, alpha<i>, c<i> and
                the input tau<i>; on q<i> acts -k (q - alpha) - c q' + tau
    tsda        TSDA, PITSDA, PJTSDA: (i, point in i, j, point in j), with mass centres as origins: the same along the
                axis of the translational joint between i and j (eq. 4.24 to 4.26), parameters k_<n>, l<n> (rest length),
                c_<n> and the input tau_<n> of the n-th element; its length is the distance of the points along the axis
    gravity     GRAVITY: axis of the ground and factor, ("y", -1); its strength is the parameter g
    bodies, coordinates, path, base   NBOD, NGC, PIE, IBB: derived from the matrices, and checked if given

    A positive actuator force increases its coordinate, as in the printed equations of the thesis (appendix B, eq. 5.1);
    its equations (4.21) to (4.26) have the opposite sign.

    >>> given = sb.bodies.LynchInput(
    ...     reference=[[1, 0], [-1, 1]],
    ...     distance=[[0.0, 1.0], [1.0, 0.0]],
    ...     axes={(2, 1): ("z", "z", "x", "x")},
    ...     dl={2: (0, -0.5, 0)},
    ...     sl={(2, 1): (0, 0, 0)},
    ...     inertia={2: (0.2, 0.1, 0.2)},
    ...     gravity=("y", -1),
    ... )
    >>> sb.derive(given.model("pendulum")).M
    vector(0.25*m2 + 0.2)

    See also: `Model`, `derive`.
    """

    reference: Sequence[Sequence[int]]
    distance: Sequence[Sequence[float]]
    axes: Mapping[Pair, Sequence[Any]]
    dl: Mapping[int, Sequence[Any]]
    sl: Mapping[Pair, Sequence[Any]]
    inertia: Mapping[int, Any]
    mass: Mapping[int, Any] = field(default_factory=dict)
    rsda: Sequence[Sequence[int]] = ()
    tsda: Sequence[tuple[int, Sequence[Any], int, Sequence[Any]]] = ()
    gravity: tuple[str, Any] | None = None
    bodies: int | None = None
    coordinates: int | None = None
    path: Sequence[Sequence[int]] | None = None
    base: tuple[int, int] | None = None

    def model(self, name: str, m: Model | None = None) -> Model:
        """The model. Bodies are "body 2", ..., with frames at their mass centres, joints and coordinates q2, ...; `m`
        is a model in which the parameters of the matrices are already declared."""
        _check_matrices(self)
        return _MatrixReader(self, Model(name) if m is None else m).built()


# ---------------------------------------------------------------------------------------------------------- checks


def _check_matrices(given: LynchInput) -> None:
    """One size, a symmetric distance matrix, and NBOD, PIE and IBB that agree with the matrices."""
    n = len(given.reference)
    for name, rows in (("distance", given.distance), ("rsda", given.rsda or None), ("path", given.path)):
        if rows is not None and (len(rows) != n or any(len(r) != n for r in (*rows, *given.reference))):
            sizes = f"{name} has rows of {listed(dict.fromkeys(len(r) for r in rows))}"
            raise ModelError(f"{WHERE}: reference and {name} matrix must be square of one size, {n} by {n}; {sizes}")
    for i in range(n):
        for j in range(i):
            if given.distance[i][j] != given.distance[j][i]:
                pair = f"{shown(given.distance[i][j])} and {shown(given.distance[j][i])}"
                raise ModelError(f"{WHERE}: the distance of bodies {i + 1} and {j + 1} appears twice, as {pair}")
    if given.bodies is not None and given.bodies != n:
        raise ModelError(f"{WHERE}: bodies= (NBOD) is {shown(given.bodies)}, the reference matrix has {n} rows")
    _check_path(given)
    _check_base(given)


def _check_path(given: LynchInput) -> None:
    """π of the reference matrix: a body's own row has those of the body that carries it."""
    if given.path is None:
        return
    rows: list[list[int]] = []
    for i in range(1, len(given.reference) + 1):
        row = [0] * len(given.reference) if i == 1 else list(rows[_carrier(given, i) - 1])
        row[i - 1] = 1
        rows.append(row)
    for i, (printed, found) in enumerate(zip(given.path, rows, strict=True), start=1):
        if list(printed) != found:
            raise ModelError(
                f"{WHERE}: row {i} of path= (PIE) is {shown(list(printed))}; by the reference matrix it is {found}"
            )


def _check_base(given: LynchInput) -> None:
    """IBB: one base, grounded (1) or floating (0)."""
    if given.base is None:
        return
    is_grounded = int(not _is_floating(given))
    if tuple(given.base) != (1, is_grounded):
        kind = "grounded" if is_grounded else f"floating, with {FLOATING_WEIGHT} in the distance matrix"
        raise ModelError(
            f"{WHERE}: base= (IBB) is {shown(given.base)}, where one base that is {kind} is (1, {is_grounded})"
        )


def _is_floating(given: LynchInput) -> bool:
    return given.distance[0][0] == FLOATING_WEIGHT


def _carrier(given: LynchInput, i: int) -> int:
    """The reference body of body i."""
    carriers = [j + 1 for j, e in enumerate(given.reference[i - 1]) if e == -1]
    if len(carriers) != 1 or carriers[0] >= i:
        raise ModelError(f"{WHERE}: body {i} needs one reference body before it, row {i} has -1 at {listed(carriers)}")
    return carriers[0]


# ---------------------------------------------------------------------------------------------------------- model


class _MatrixReader:
    def __init__(self, given: LynchInput, m: Model) -> None:
        self.given, self.m = given, m
        self.bodies: dict[int, Body | Frame] = {}
        self.joints: dict[Pair, Joint] = {}

    def built(self) -> Model:
        if self.given.gravity is not None:
            axis, factor = self.given.gravity
            g = self._parameter("g", 9.81)
            self.m.gravity(*(factor * g if a == axis.lower() else 0 for a in "xyz"))
        self._add_base()
        for i in range(2, len(self.given.reference) + 1):
            self._join(i, _carrier(self.given, i))
        for n, element in enumerate(self.given.tsda, start=1):
            self._add_tsda(n, *element)
        self._check_coordinates()
        return self.m

    def _add_base(self) -> None:
        if any(x is not ZERO for x in as_matrix(tuple(self.given.dl.get(1, (0, 0, 0)))).entries):
            raise ModelError(
                f"{WHERE}: the base, body 1, has no joint: its DL must be zero, got {shown(self.given.dl[1])}"
            )
        if not _is_floating(self.given):
            self.bodies[1] = self.m.ground
            return
        base = self.bodies[1] = self._body(1)
        self.joints[1, 0] = self.m.free("q1", self.m.ground, base, sequence="euler parameters")

    def _join(self, i: int, j: int) -> None:
        kind = KINDS.get(self.given.distance[i - 1][j - 1])
        if kind is None:
            raise ModelError(
                f"{WHERE}: bodies {i} and {j} are neighbours, but their distance "
                f"{shown(self.given.distance[i - 1][j - 1])} is not one of {listed(KINDS)}"
            )
        body = self.bodies[i] = self._body(i)
        vectors = tuple(_entry(self.given.axes, (i, j), "PQI, PQJ, RQI, RQJ (axes=)", "joint"))
        how: dict[str, Any] = {
            "at": tuple(_entry(self.given.sl, (i, j), "SL (sl=)", "joint")),
            "on": tuple(-x for x in self._dl(i, kind, vectors[0]).entries),
            "vectors": vectors,
        }
        if self.given.rsda and self.given.rsda[i - 1][j - 1] == 1:
            how |= self._loads(str(i), f"alpha{i}")
        if (known := self.m.symbols.get(f"q{i}")) is not None:
            how["coordinates"] = [known]
        self.joints[i, j] = self.m.joint(f"q{i}", self.bodies[j], body, kind, **how)

    def _dl(self, i: int, kind: str, axis: Any) -> Matrix:
        """From the joint to the mass centre where the coordinate is zero: the joint itself makes the slide."""
        dl, q = as_matrix(tuple(_entry(self.given.dl, i, "DL (dl=)", "body"))), symbol(f"q{i}", "coordinate")
        if q not in free_symbols(dl):
            return dl
        slide = tidy(derivative(dl, q))
        if kind != "prismatic" or slide != unit_vector(axis):
            raise ModelError(
                f"{WHERE}: DL of body {i} contains q{i}, which belongs there along the axis {shown(axis)} of a "
                f"translational joint; the joint is {kind} and DL is {shown(self.given.dl[i])}"
            )
        return as_matrix(substitute(dl, {q: 0}))

    def _add_tsda(self, n: int, i: int, p: Sequence[Any], j: int, r: Sequence[Any]) -> None:
        """Spring, damper and actuator along a translational joint: f = k (l - β) + c l' - τ pulls the points together."""
        child, parent = max(i, j), min(i, j)
        joint = self.joints.get((child, parent))
        if joint is None or joint.kind != "prismatic":
            kinds = listed(f"{a} on {b}" for (a, b), x in self.joints.items() if x.kind == "prismatic")
            raise ModelError(
                f"{WHERE}: TSDA {n} acts between bodies {i} and {j}, which no translational joint connects (these do: {kinds}); "
                "m.spring(...) on the model pulls along the line between any two points"
            )
        ends = {i: p, j: r}
        apart = self.bodies[child].point(*ends[child]) - self.bodies[parent].point(*ends[parent])
        u = joint.outer.vector(*unit_vector(self.given.axes[child, parent][1]).entries)
        across = tidy(apart.cross(u).components(joint.outer))
        if any(e is not ZERO for e in across.entries):
            raise ModelError(
                f"{WHERE}: the points of TSDA {n} lie apart across the axis of joint {joint.name!r}, by {shown(across)} (cross product with the "
                "axis): forces along it would turn both bodies. Take points on one line along the axis"
            )
        self._pull(n, joint.q, tidy(apart.dot(u)))

    def _pull(self, n: int, q: Symbol, length: Expr) -> None:
        given = self._loads(f"_{n}", f"l{n}")
        self.m.potential(f"tsda {n}", given["stiffness"] * (length - given["rest"]) ** 2 / 2)
        self.m.generalized_force(f"tsda {n}.damper", q, -given["damping"] * time_derivative(length))
        self.m.generalized_force(f"tsda {n}.actuator", q, given["actuation"])

    def _body(self, i: int) -> Body:
        mass = self.given.mass.get(i)
        inertia = _entry(self.given.inertia, i, "JIP (inertia=)", "body")
        return self.m.body(f"body {i}", mass=self._parameter(f"m{i}", None) if mass is None else mass, inertia=inertia)

    def _loads(self, number: str, rest: str) -> dict[str, Any]:
        k, c, zero = (self._parameter(name, 0.0) for name in (f"k{number}", f"c{number}", rest))
        return {"stiffness": k, "damping": c, "rest": zero, "actuation": self.m.input(f"tau{number}")}

    def _parameter(self, name: str, value: float | None) -> Any:
        known = self.m.symbols.get(name)
        return self.m.parameter(name, value) if known is None else known

    def _check_coordinates(self) -> None:
        """NGC: with four Euler parameters for a floating base."""
        found = [q.name for joint in self.joints.values() for q in joint.coordinates]
        if self.given.coordinates is not None and self.given.coordinates != len(found):
            raise ModelError(
                f"{WHERE}: coordinates= (NGC) is {shown(self.given.coordinates)}; the joints have {len(found)}: {listed(found)}"
            )


def _entry(table: Mapping[Any, Any], key: Any, name: str, what: str) -> Any:
    """An entry that the input must have."""
    if key not in table:
        of = f"body {key}" if what == "body" else f"the {what} of body {key[0]} on body {key[1]}, {key}"
        raise ModelError(f"{WHERE}: {name} of {of} is missing; it is given for {listed(table)}")
    return table[key]
