"""A model from Lynch's matrices (thesis, appendix A): what his generator reads, as a `Model`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...argument_kinds import answered_class
from ...errors import ModelError, listed, shown
from ..frames.frames import Frame
from ..frames.topology import FLOATING_WEIGHT
from ..mechanism.mechanism import Body, Joint
from .model import Model

Pair = tuple[int, int]  # body and its reference body, numbered from 1
KINDS: Mapping[float, str] = {1.0: "revolute", 1.1: "prismatic", 3.0: "spherical"}


@answered_class
@dataclass(frozen=True)
class LynchInput:
    """Bodies and joints by numbers, from 1; of a grounded system body 1 is the ground, which carries no mass.

    reference   ρ: -1 where body j carries body i
    distance    DM: 1 revolute, 1.1 translational, 3 spherical joint; 0.2 on the diagonal of a floating base
    axes        (i, j) -> pq_ij, pq_jj, rq_ij, rq_jj: axis, and a vector across it, in body i and in its reference body
                j
    dl          i -> from the joint of body i to its mass centre, in body i
    sl          (i, j) -> from the mass centre of body j to the joint of body i, in body j
    inertia     i -> central inertia of body i: a 3 by 3 matrix, or three principal values
    mass        i -> its mass; where none is given, the parameter m<i>
    rsda        (i, j) with 1 where a spring, damper and actuator turn the joint: parameters k<i>, c<i> and the input
                tau<i>
    tsda        (i, point in i, j, point in j): the same along the line between two points, with mass centres as origins
    gravity     axis of the ground and factor: ("y", -1); its strength is the parameter g

    >>> given = sb.LynchInput(
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

    def model(self, name: str, m: Model | None = None) -> Model:
        """The model. Bodies are "body 2", ..., with frames at their mass centres, joints and coordinates q2, ...; `m`
        is one in which parameters of the matrices were declared."""
        return _MatrixReader(self, Model(name) if m is None else m).built()


class _MatrixReader:
    def __init__(self, given: LynchInput, m: Model) -> None:
        self.given, self.m = given, m
        self.n = len(given.reference)
        self.bodies: dict[int, Body | Frame] = {}
        if any(
            len(rows) != self.n or any(len(r) != self.n for r in rows) for rows in (given.reference, given.distance)
        ):
            raise ModelError(
                f"Lynch's matrices: reference and distance matrix must be square of one size, {self.n} by {self.n}"
            )

    def built(self) -> Model:
        floating = self.given.distance[0][0] == FLOATING_WEIGHT
        if self.given.gravity is not None:
            axis, factor = self.given.gravity
            g = self._parameter("g", 9.81)
            self.m.gravity(*(factor * g if a == axis.lower() else 0 for a in "xyz"))
        self.bodies[1] = self._body(1) if floating else self.m.ground
        if floating:
            self.m.free("q1", self.m.ground, self.bodies[1], sequence="euler parameters")
        for i in range(2, self.n + 1):
            self._join(i, self._reference_of(i))
        for k, (i, p, j, r) in enumerate(self.given.tsda, start=1):
            a, b = self.bodies[i].point(*p), self.bodies[j].point(*r)
            rest = self._parameter(f"l{k}", 0.0)
            self.m.spring(f"tsda {k}", a, b, rest=rest, **self._loads(f"_{k}"))
        return self.m

    def _reference_of(self, i: int) -> int:
        carriers = [j + 1 for j, e in enumerate(self.given.reference[i - 1]) if e == -1]
        if len(carriers) != 1 or carriers[0] >= i:
            raise ModelError(
                f"Lynch's matrices: body {i} needs one reference body before it, row {i} has -1 at {listed(carriers)}"
            )
        return carriers[0]

    def _join(self, i: int, j: int) -> Joint:
        kind = KINDS.get(self.given.distance[i - 1][j - 1])
        if kind is None:
            raise ModelError(
                f"Lynch's matrices: bodies {i} and {j} are neighbours, their distance "
                f"{shown(self.given.distance[i - 1][j - 1])} is none of {listed(KINDS)}"
            )
        body = self.bodies[i] = self._body(i)
        how: dict[str, Any] = {"at": tuple(self.given.sl[i, j]), "on": tuple(-x for x in self.given.dl[i])}
        how["vectors"] = tuple(self.given.axes[i, j])
        has_rsda = bool(self.given.rsda) and self.given.rsda[i - 1][j - 1] == 1
        loads = self._loads(str(i)) if has_rsda else {}
        return self.m.joint(f"q{i}", self.bodies[j], body, kind, **how, **loads)

    def _body(self, i: int) -> Body:
        mass = self.given.mass.get(i)
        return self.m.body(
            f"body {i}", mass=self._parameter(f"m{i}", None) if mass is None else mass, inertia=self.given.inertia[i]
        )

    def _loads(self, number: str) -> dict[str, Any]:
        k, c = (self._parameter(f"{x}{number}", 0.0) for x in "kc")
        return {"stiffness": k, "damping": c, "actuation": self.m.input(f"tau{number}")}

    def _parameter(self, name: str, value: float | None) -> Any:
        known = self.m.symbols.get(name)
        return self.m.parameter(name, value) if known is None else known
