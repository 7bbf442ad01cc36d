"""Interfaces of a body from finite elements: sets of nodes that move as one frame.

RBE2: the nodes are rigid, and follow the six motions of a point. RBE3: the point follows their mean, and they stay as
soft as they are,

    u = Σ w_i u_i + θ × (p - c),   θ = J⁻¹ Σ w_i r_i × u_i,   r_i = x_i - c,  c = Σ w_i x_i,  J = Σ w_i (r·r 1 - r rᵀ)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from scipy import sparse

from ....errors import ModelError, shown
from .finite_body import Array, FiniteElements, Indices, node_list, rigid_motions

KINDS: Final = ("rbe2", "rbe3")
FLAT: Final = 1e-8  # of the largest principal value: nodes lie on a line


@dataclass(frozen=True, eq=False)
class Interface:
    """Nodes and the point that stands for them."""

    name: str
    kind: str
    nodes: Indices
    weights: Array
    place: Array


def interfaces_of(where: str, body: FiniteElements, given: Any) -> tuple[Interface, ...]:
    """From {name: "rbe2"} for node sets by name, or {name: {"nodes": ..., "kind": ..., "at": ..., "weights": ...}}."""
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise ModelError(
            f"{where}: interfaces= maps names to 'rbe2' or 'rbe3', or to mappings with nodes and kind; got "
            f"{shown(given)}"
        )
    made = tuple(_interface(where, body, str(n), v) for n, v in given.items())
    taken: dict[int, str] = {}
    for i in made:
        for k in i.nodes if i.kind == "rbe2" else ():
            if taken.setdefault(int(k), i.name) != i.name:
                raise ModelError(
                    f"{where}: node {body.labels[k]} is in {taken[int(k)]!r} and in {i.name!r}; two rigid "
                    "interfaces cannot share it. Use 'rbe3' for one of them, or omit the node"
                )
    return made


def _interface(where: str, body: FiniteElements, name: str, given: Any) -> Interface:
    said = {"kind": given} if isinstance(given, str) else given
    here = f"{where}, interface {name!r}"
    if (
        not isinstance(said, Mapping)
        or set(said) - {"kind", "nodes", "at", "weights"}
        or said.get("kind", "rbe2") not in KINDS
    ):
        raise ModelError(
            f"{here}: is 'rbe2' or 'rbe3', or a mapping with nodes, kind, at and weights; got {shown(given)}"
        )
    nodes = body.node_numbers(here, said.get("nodes", name))
    w = np.ones(len(nodes)) if said.get("weights") is None else np.asarray(said["weights"], dtype=float)
    if w.shape != nodes.shape or w.min() < 0 or w.sum() <= 0:
        raise ModelError(
            f"{here}: weights= has a number from 0 for each of its {len(nodes)} nodes, got {shown(said['weights'])}"
        )
    w = w / w.sum()
    place = w @ body.nodes[nodes] if said.get("at") is None else np.asarray(said["at"], dtype=float)
    made = Interface(name, said.get("kind", "rbe2"), nodes, w, place)
    _refuse_lines(here, body, made)
    return made


def _refuse_lines(here: str, body: FiniteElements, i: Interface) -> None:
    """Rotations of a frame need nodes that do not lie on a line, or nodes that have rotations."""
    if len(np.unique(body.direction[np.isin(body.node_of, i.nodes)])) == 6:
        return
    J = _spread(body, i)
    values = np.linalg.eigvalsh(J)
    if values[0] > FLAT * max(values[-1], (1e-6 * body.extent) ** 2):
        return
    shape = "one node" if len(i.nodes) == 1 else f"{len(i.nodes)} nodes on a line"
    raise ModelError(
        f"{here}: {shape} without rotations ({node_list(body, i.nodes)}; least spread {values[0]:z.2g}) "
        "cannot turn a frame; add nodes beside, such as those of a face or a hole"
    )


def _spread(body: FiniteElements, i: Interface) -> Array:
    r = body.nodes[i.nodes] - i.weights @ body.nodes[i.nodes]
    return np.asarray(np.einsum("n,na,na->", i.weights, r, r) * np.eye(3) - np.einsum("n,na,nb->ab", i.weights, r, r))


@dataclass(frozen=True, eq=False)
class TiedBody:
    """A body with its rigid interfaces tied: v are displacements of nodes that are free, then six for each RBE2.

    T          u = T v
    B          motions of the interfaces, six each: B v
    """

    body: FiniteElements
    interfaces: tuple[Interface, ...]
    T: sparse.csc_array
    B: sparse.csc_array

    @cached_property
    def mass(self) -> sparse.csc_array:
        return sparse.csc_array(self.T.T @ self.body.mass @ self.T)

    @cached_property
    def stiffness(self) -> sparse.csc_array:
        return sparse.csc_array(self.T.T @ self.body.stiffness @ self.T)

    @cached_property
    def rigid(self) -> Array:
        """T v = R for rigid motions: of free rows as they are, of rigid interfaces those of their points."""
        free = self.body.size - len(_tied_rows(self.body, self.interfaces))
        kept = np.setdiff1d(np.arange(self.body.size), _tied_rows(self.body, self.interfaces), assume_unique=True)
        own = [self.body.rigid[kept]] if free else []
        own += [motions_at(i.place) for i in self.interfaces if i.kind == "rbe2"]
        return np.concatenate(own)

    def rows(self, name: str) -> slice:
        """Of B."""
        k = [i.name for i in self.interfaces].index(name)
        return slice(6 * k, 6 * k + 6)


def motions_at(place: Array) -> Array:
    """Rigid motions as the six motions of a point."""
    return rigid_motions(np.tile(place, (6, 1)), np.arange(6))


def _tied_rows(body: FiniteElements, interfaces: Sequence[Interface]) -> Indices:
    nodes = [i.nodes for i in interfaces if i.kind == "rbe2"]
    return np.flatnonzero(np.isin(body.node_of, np.concatenate(nodes))) if nodes else np.zeros(0, dtype=np.int64)


def tied_body(body: FiniteElements, interfaces: tuple[Interface, ...]) -> TiedBody:
    gone = _tied_rows(body, interfaces)
    kept = np.setdiff1d(np.arange(body.size), gone, assume_unique=True)
    rigid = [i for i in interfaces if i.kind == "rbe2"]
    n = len(kept) + 6 * len(rigid)
    T = sparse.lil_array((body.size, n))
    T[kept, np.arange(len(kept))] = 1.0
    for k, i in enumerate(rigid):
        rows = np.flatnonzero(np.isin(body.node_of, i.nodes))
        T[np.ix_(rows, len(kept) + 6 * k + np.arange(6))] = rigid_motions(
            body.nodes[body.node_of[rows]] - i.place, body.direction[rows]
        )
    T = sparse.csc_array(T)
    B = sparse.lil_array((6 * len(interfaces), n))
    for k, i in enumerate(interfaces):
        if i.kind == "rbe2":
            B[6 * k + np.arange(6), len(kept) + 6 * rigid.index(i) + np.arange(6)] = 1.0
        else:
            rows, W = mean_motion(body, i)
            B[6 * k : 6 * k + 6, :] = sparse.csr_array(sparse.csr_array(W) @ T[rows])
    return TiedBody(body, interfaces, T, sparse.csc_array(B))


def mean_motion(body: FiniteElements, i: Interface) -> tuple[Indices, Array]:
    """Rows of the matrices, and W of the six mean motions W u of nodes: least squares of rigid motions, rotations of
    nodes counted where they are."""
    rows = np.flatnonzero(np.isin(body.node_of, i.nodes))
    R = rigid_motions(body.nodes[body.node_of[rows]] - i.place, body.direction[rows])
    weight = dict(zip(i.nodes.tolist(), i.weights, strict=True))
    w = np.array([weight[int(k)] for k in body.node_of[rows]])
    size = max(float(np.trace(_spread(body, i))), (1e-3 * body.extent) ** 2)
    w = np.where(body.direction[rows] < 3, w, w * size)  # rotations count as displacements at the mean distance
    G = R.T * w
    return rows, np.linalg.lstsq(G @ R, G, rcond=1e-12)[0]


def point_motion(body: FiniteElements, nodes: Indices, place: Array) -> tuple[Indices, Array]:
    """As `mean_motion`, of any nodes; what they cannot say of rotations is zero."""
    return mean_motion(body, Interface("", "rbe3", nodes, np.full(len(nodes), 1 / len(nodes)), place))
