"""Mass and stiffness matrices of a body with the places of its nodes: what a finite-element program leaves of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ....argument_kinds import answered_class, checked_flags
from ....errors import ModelError, listed, shown, unknown
from ....later import later
from ....summary import one_line_tag

if TYPE_CHECKING:
    from ..reduced.reduced_body import ReducedBody

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

SYMMETRIC: Final = 1e-6  # of the largest entry: files with seven digits pass
RIGID: Final = 1e-5  # force of a rigid motion, of the largest that its entries could give
FASTEST: Final = 2e4  # m/s: sound in any solid is slower
SLOWEST: Final = 1e-3
DENSEST: Final = 2.3e4  # kg/m³ of the space that a body takes: osmium
LENGTHS: Final = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "in": 0.0254, "ft": 0.3048}
MASSES: Final = {"kg": 1.0, "t": 1e3, "g": 1e-3, "slug": 14.593903, "lbf s2/in": 175.126835}
TIMES: Final = {"s": 1.0, "ms": 1e-3}


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class FiniteElements:
    """M and K of an unsupported body.

    nodes       places, one row each
    node_of     for each row of the matrices, the number of its node (from 0), and in `direction` 0, 1, 2: displacement
                along x, y, z; 3, 4, 5: rotation
    labels      of the nodes, as the program that made them calls them
    sets        nodes by name of their set, numbers from 0
    faces       triangles between nodes, for drawings
    prestressed geometric stiffness matrix of the stress that goes with a displacement, where it is known
    stress      {name: (N, 6) rows by displacements}, where it is known: stresses xx, yy, zz, xy, yz, xz at places of
                that name
    places      numbers of the nodes where these places are, where they are nodes: {name: (N,)}

    mass, stiffness   M and K, sparse

    >>> part = sb.finite_elements(mass=np.eye(6), stiffness=np.zeros((6, 6)), nodes=[[0, 0, 0], [1, 0, 0]])
    >>> part.nodes[1], part.direction
    (array([1., 0., 0.]), array([0, 1, 2, 0, 1, 2]))

    See also: `finite_elements`, `formats.ReducedBody`.
    """

    mass: sparse.csc_array
    stiffness: sparse.csc_array
    nodes: Array
    node_of: Indices
    direction: Indices
    labels: Indices
    sets: Mapping[str, Indices] = field(default_factory=dict)
    faces: Indices = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    prestressed: Callable[[Array], sparse.csc_array] | None = None
    stress: Mapping[str, sparse.csr_array] = field(default_factory=dict)
    places: Mapping[str, Indices] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("sets", "stress", "places"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    @property
    def size(self) -> int:
        """Rows of the matrices.

        >>> part = sb.finite_elements(mass=2 * np.eye(6), stiffness=np.zeros((6, 6)), nodes=[[0, 0, 0], [1, 0, 0]])
        >>> part.size, part.rigid.shape, part.centre, part.extent
        (6, (6, 6), array([0.5, 0. , 0. ]), 1.0)
        >>> part.rigid_inertia.diagonal()  # mass three times, and inertia about x, y and z through the origin
        array([4., 4., 4., 0., 2., 2.])
        >>> part.near(x=1), part.with_sets(tip=part.near(x=1)).node_numbers("example", "tip")
        (array([1]), array([1]))

        See also: `finite_elements`, `formats.FiniteElements.reduced`.
        """
        return len(self.node_of)

    @cached_property
    def rigid(self) -> Array:
        """Rigid motions, six columns: displacements along x, y, z, and turns about axes through the origin."""
        return rigid_motions(self.nodes[self.node_of], self.direction)

    @cached_property
    def rigid_inertia(self) -> Array:
        """Rᵀ M R: mass, first moments and inertia about the origin."""
        return np.asarray(self.rigid.T @ (self.mass @ self.rigid))

    @cached_property
    def centre(self) -> Array:
        """The mass centre."""
        R = self.rigid_inertia
        m = np.trace(R[:3, :3]) / 3
        return np.array([R[1, 5] - R[2, 4], R[2, 3] - R[0, 5], R[0, 4] - R[1, 3]]) / (2 * m)

    @cached_property
    def extent(self) -> float:
        """The longest edge of the box around its nodes."""
        return float(np.ptp(self.nodes, axis=0).max())

    def near(
        self, x: float | None = None, y: float | None = None, z: float | None = None, within: float | None = None
    ) -> Indices:
        """Numbers of the nodes whose coordinates are these, within a millionth of the body's size: `part.near(x=0)` is
        a face."""
        wanted = [(k, v) for k, v in enumerate((x, y, z)) if v is not None]
        reach = 1e-6 * self.extent if within is None else within
        hit = (
            np.all([np.abs(self.nodes[:, k] - v) <= reach for k, v in wanted], axis=0) if wanted else np.zeros(0, bool)
        )
        found = np.flatnonzero(hit)
        if not len(found):
            asked = listed(f"{'xyz'[k]} = {v:zg}" for k, v in wanted)
            low, high = self.nodes.min(axis=0), self.nodes.max(axis=0)
            reached = listed(f"{a} from {p:z.4g} to {q:z.4g}" for a, p, q in zip("xyz", low, high, strict=True))
            raise ModelError(
                f"finite elements: no node has {asked or 'no coordinate'} within {reach:z.3g}; they are at {reached}"
            )
        return found

    def node_numbers(self, where: str, given: Any) -> Indices:
        """Numbers from 0 of nodes given by the name of a set, or by numbers of this kind."""
        if isinstance(given, str):
            if given not in self.sets:
                raise unknown(where, "node set", given, self.sets)
            return self.sets[given]
        found = np.unique(np.atleast_1d(np.asarray(given)))
        if found.dtype.kind not in "iu" or not len(found) or found.min() < 0 or found.max() >= len(self.nodes):
            raise ModelError(
                f"{where}: nodes must be the name of a set, or numbers from 0 to {len(self.nodes) - 1}; got {shown(given)}"
            )
        return found.astype(np.int64)

    def with_sets(self, **sets: Any) -> FiniteElements:
        """The same with further node sets: `part.with_sets(hub=part.near(x=0))`."""
        more = {n: self.node_numbers(f"node set {n!r}", v) for n, v in sets.items()}
        return replace(self, sets={**self.sets, **more})

    @checked_flags(ModelError)
    def reduced(
        self,
        *,
        interfaces: Any = None,
        frame: Any = None,
        method: str = "craig-bampton",
        modes: int | None = None,
        up_to: float | None = None,
        participation: float | None = None,
        band: Any = None,
        points: Any = None,
        stiffening: bool | Mapping[str, Any] = False,
        stress: Any = None,
        modal_damping: Any = None,
        rayleigh: Any = None,
        any_units: bool = False,
    ) -> ReducedBody:
        """A body from finite elements with few coordinates, for `Model.elastic_from`.

        interfaces      where joints and forces act: {"hub": "rbe2", "tip": "rbe3"} for node sets by name (rigid, or
                        following the mean of their nodes), or {"hub": {"nodes": numbers, "kind": "rbe2", "at": (x, y,
                        z)}}
        frame           where the frame of the body is attached: the name of an interface (the first by default), two
                        names for a chord (the origin at the first, the second kept straight ahead), or "mean" for mean
                        axes at the mass centre
        method          "craig-bampton": static shapes of the interfaces, and modes of the body held there; "free":
                        modes of the free body with residual attachment shapes of the interfaces; "krylov", "balanced":
                        shapes that keep the responses between the interfaces in the band
        modes, up_to    how many modes of vibration, or all below a frequency in Hz
        participation   leave out modes whose part is less than this: in the mass that moves with an interface
                        (craig-bampton), in the compliance of the interfaces (free)
        band            (from, to) in Hz: the range over which the error of responses is measured, and for which
                        "krylov" and "balanced" are made
        points          further frames: {"sensor": node, set or place}
        stiffening      True: geometric stiffness of accelerations, rotation and forces at interfaces, from their
                        stresses; or matrices of these by name
        stress          names of places whose stresses are to be had of a run, all that are known by default
        modal_damping, rayleigh    damping ratios of its modes, or (alpha, beta) of alpha M + beta K
        any_units       True: frequencies that no solid of this size has are not refused

        >>> nodes = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> K = np.zeros((12, 12))  # four nodes, and a spring between any two
        >>> for i, j in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]:
        ...     way = (nodes[j] - nodes[i]) / np.linalg.norm(nodes[j] - nodes[i])
        ...     b = np.kron(np.eye(4)[j] - np.eye(4)[i], way)
        ...     K += 1000.0 * np.outer(b, b)
        >>> part = sb.finite_elements(mass=np.eye(12), stiffness=K, nodes=nodes)
        >>> part.reduced(frame="mean", method="free", modes=1).frequencies  # √(k / m) / 2π
        array([5.032921])

        See also: `Model.elastic_from`, `formats.ReducedBody`.
        """
        ask = later("formats.fem.reduction.reduce", "ReductionQuestion")(
            interfaces,
            frame,
            method,
            modes,
            up_to,
            participation,
            band,
            points,
            stiffening,
            stress,
            modal_damping,
            rayleigh,
            any_units,
        )
        made: ReducedBody = later("formats.fem.reduction.reduce", "reduced_body")(self, ask)
        return made

    def __repr__(self) -> str:
        sets = f"; node sets {listed(self.sets, 6)}" if self.sets else ""
        return one_line_tag(
            f"Finite elements: {len(self.nodes)} nodes, {self.size} degrees of freedom, mass "
            f"{self.rigid_inertia[0, 0]:z.6g}{sets}"
        )


def rigid_motions(places: Array, direction: Indices) -> Array:
    """Six columns for rows that are displacements (0, 1, 2) or rotations (3, 4, 5) along an axis at these places."""
    R = np.zeros((len(direction), 6))
    for a in range(3):
        R[direction == a, a] = 1.0
        R[direction == 3 + a, 3 + a] = 1.0
        b, c = (a + 1) % 3, (a + 2) % 3  # e_b × x has the component x_c along a, e_c × x the component -x_b
        rows = direction == a
        R[rows, 3 + b] = places[rows, c]
        R[rows, 3 + c] = -places[rows, b]
    return R


# ---------------------------------------------------------------------------------------------------------- from arrays


def checked_elements(
    where: str,
    mass: Any,
    stiffness: Any,
    nodes: Any,
    dofs: Any = None,
    labels: Any = None,
    sets: Mapping[str, Any] | None = None,
    units: Any = None,
    **more: Any,
) -> FiniteElements:
    """Checked: shapes, numbers, symmetry, units, rigid motions without force."""
    M, K = _square(where, "mass", mass), _square(where, "stiffness", stiffness)
    if M.shape != K.shape:
        raise ModelError(
            f"{where}: its mass matrix is {_by(M)}, its stiffness matrix {_by(K)}; they must be of one size"
        )
    places = np.asarray(nodes, dtype=float)
    if places.ndim != 2 or places.shape[1] != 3 or not np.isfinite(places).all():
        raise ModelError(f"{where}: nodes are rows of three finite coordinates, got an array of shape {places.shape}")
    node_of, direction = _freedoms(where, dofs, len(places), M.shape[0])
    names = np.arange(1, len(places) + 1) if labels is None else np.asarray(labels, dtype=np.int64)
    M, K, places = _in_metres(where, units, M, K, places, direction)
    body = FiniteElements(
        _symmetric(where, "mass", M), _symmetric(where, "stiffness", K), places, node_of, direction, names, **more
    )
    known = {n: body.node_numbers(f"{where}, set {n!r}", v) for n, v in (sets or {}).items()}
    object.__setattr__(body, "sets", MappingProxyType(known))
    _refuse_mass(where, body)
    _refuse_supports(where, body)
    return body


def _square(where: str, what: str, given: Any) -> sparse.csc_array:
    try:
        if np.iscomplexobj(given):
            raise TypeError("its entries are complex")
        A = sparse.csc_array(given, dtype=float)
    except (TypeError, ValueError) as reason:
        raise ModelError(
            f"{where}: {what}= must be a square matrix, an array or a sparse one of SciPy; got {shown(given)} ({reason})"
        ) from None
    if A.ndim != 2 or A.shape[0] != A.shape[1] or not A.shape[0]:
        raise ModelError(f"{where}: its {what} matrix is not square but {_by(A)}")
    if bad := int((~np.isfinite(A.data)).sum()):
        raise ModelError(f"{where}: its {what} matrix has {bad} entries that are not finite")
    return A


def _by(A: Any) -> str:
    return " by ".join(map(str, A.shape))


def _freedoms(where: str, dofs: Any, nodes: int, rows: int) -> tuple[Indices, Indices]:
    """Node and direction of each row: given as pairs, or three or six for each node in order."""
    if dofs is not None:
        pairs = np.asarray(dofs)
        if pairs.shape != (rows, 2) or pairs.dtype.kind not in "iu":
            raise ModelError(
                f"{where}: dofs= has a pair (number of the node from 0, direction from 0 to 5) for each of "
                f"{rows} rows; got {shown(dofs)}"
            )
        if pairs.min() < 0 or pairs[:, 0].max() >= nodes or pairs[:, 1].max() > 5:
            raise ModelError(
                f"{where}: dofs= names node {pairs[:, 0].max()} and direction {pairs[:, 1].max()}; there are "
                f"nodes 0 to {nodes - 1} and directions 0 to 5"
            )
        return pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)
    for each in (3, 6):
        if rows == each * nodes:
            return np.repeat(np.arange(nodes), each), np.tile(np.arange(each), nodes)
    raise ModelError(
        f"{where}: matrices with {rows} rows and {nodes} nodes: neither three nor six for each node; give "
        "dofs=, pairs of node and direction for each row"
    )


def _symmetric(where: str, what: str, A: sparse.csc_array) -> sparse.csc_array:
    off = abs(A - A.T).tocoo()
    size = float(abs(A).max())
    if off.nnz and off.data.max() > SYMMETRIC * size:
        at = int(off.data.argmax())
        i, j = sorted((int(off.coords[0][at]), int(off.coords[1][at])))
        raise ModelError(
            f"{where}: its {what} matrix is not symmetric: entries {i}, {j} and {j}, {i} are {A[i, j]:z.6g} and {A[j, i]:z.6g}. A file that has one triangle only is "
            "read as symmetric by `finite_elements`; gyroscopic or follower terms do not belong in it"
        )
    return sparse.csc_array((A + A.T) / 2)


def _in_metres(where: str, units: Any, M: Any, K: Any, places: Array, direction: Indices) -> tuple[Any, Any, Array]:
    """Converted to m, kg, s: with u = l u_m the matrices are S⁻¹ A S⁻¹ times the unit of energy, S = l for
    displacements and 1 for rotations."""
    if units is None:
        return M, K, places
    words = tuple(units) if isinstance(units, (tuple, list)) else ()
    tables = (LENGTHS, MASSES, TIMES)
    if len(words) != 3 or any(w not in t for w, t in zip(words, tables, strict=True)):
        raise ModelError(
            f"{where}: units= are those of length, mass and time: one of {listed(LENGTHS)}; of "
            f"{listed(MASSES)}; of {listed(TIMES)}; such as ('mm', 't', 's'); got {shown(units)}"
        )
    length, mass, time = (t[w] for t, w in zip(tables, words, strict=True))
    S = sparse.diags_array(np.where(direction < 3, 1 / length, 1.0))
    return mass * length**2 * (S @ M @ S), mass * length**2 / time**2 * (S @ K @ S), places * length


def _refuse_mass(where: str, body: FiniteElements) -> None:
    least = body.mass.diagonal()
    if (least < 0).any():
        k = int(least.argmin())
        raise ModelError(
            f"{where}: its mass matrix is not positive: entry {k}, {k} (node {body.labels[body.node_of[k]]}, "
            f"direction {body.direction[k]}) is {least[k]:z.4g}. Were mass and stiffness swapped?"
        )
    m = np.diag(body.rigid_inertia)[:3]
    if m.min() <= 0:
        raise ModelError(f"{where}: its mass is {listed(f'{x:z.4g}' for x in m)} along x, y, z; it must be positive")
    if np.ptp(m) > 1e-3 * m.max():
        raise ModelError(
            f"{where}: its mass is {listed(f'{x:z.6g}' for x in m)} along x, y, z: rows of displacements are "
            "missing (supports that were taken out?), or dofs= has them in another order"
        )


def _refuse_supports(where: str, body: FiniteElements) -> None:
    """K R = 0: the body must be free, with its nodes where the matrices have them."""
    size = abs(body.stiffness) @ np.abs(body.rigid)
    force = np.abs(body.stiffness @ body.rigid)
    ratio = (force / np.maximum(size.max(axis=0), 1e-300)).max(axis=0)
    if ratio.max() <= RIGID:
        return
    moves = ("along x", "along y", "along z", "about x", "about y", "about z")
    worst = int(ratio[:3].argmax() if ratio[:3].max() > RIGID else ratio.argmax())
    if worst < 3:
        k = int(force[:, worst].argmax())
        raise ModelError(
            f"{where}: its stiffness resists a motion of the whole {moves[worst]}: the force is {ratio[worst]:z.2g} of what its entries could give, largest at node "
            f"{body.labels[body.node_of[k]]}. Export the matrices without supports and springs to the ground; joints hold the body"
        )
    raise ModelError(
        f"{where}: its stiffness resists a turn of the whole {moves[worst]} ({ratio[worst]:z.2g} of what its entries could give), but no displacement of it: the nodes are not where the "
        "matrices have them (another order, other units?), or dofs= marks rotations that the body does not have"
    )


def refuse_units(where: str, body: FiniteElements, frequency: float) -> None:
    """Sound that is faster than in any solid, or slower than in anything solid, and masses denser than any metal, are
    units that do not fit."""
    speed = frequency * body.extent
    box = float(np.prod(np.maximum(np.ptp(body.nodes, axis=0), 1e-3 * body.extent)))
    density = float(body.rigid_inertia[0, 0]) / box
    said = ""
    if not SLOWEST < speed < FASTEST:
        said = (
            f"its first frequency, {frequency:z.4g} Hz, times its size, {body.extent:z.4g}, is {speed:z.3g} m/s, "
            f"which is {'more' if speed > 1 else 'less'} than in any solid"
        )
    elif density > DENSEST and np.ptp(body.nodes, axis=0).min() > 1e-3 * body.extent:
        said = (
            f"its mass, {body.rigid_inertia[0, 0]:z.4g}, in a box of {box:z.4g} is {density:z.3g} kg/m³, denser "
            "than any metal"
        )
    if said:
        raise ModelError(
            f"{where}: {said}; lengths, masses and times do not seem to be in m, kg and s. Pass units=('mm', 't', 's') (or the actual units) to `finite_elements`, or any_units=True here"
        )


def node_list(body: FiniteElements, numbers: Sequence[int] | Indices) -> str:
    return listed((int(body.labels[k]) for k in numbers), 6)
