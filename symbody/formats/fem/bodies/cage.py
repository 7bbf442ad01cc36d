"""Edges by which a body from finite elements is drawn: a cage of few nodes that moves with its mesh."""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy import sparse

from .finite_body import Array, FiniteElements, Indices

MOST_NODES: Final = 48  # of a cage


def cage(body: FiniteElements) -> Indices:
    """Pairs of nodes: those of triangles, or those that the stiffness couples, taken together in boxes until they are
    few."""
    edges = _edges(body)
    if not len(edges):
        return edges
    used = np.unique(edges)
    kept = used
    cells = 64
    while len(kept) > MOST_NODES and cells:
        kept = _representatives(body.nodes, used, cells)
        cells -= 1 if cells < 16 else 4
    nearest = _nearest(body.nodes[used], body.nodes[kept])
    number = np.full(len(body.nodes), -1)
    number[used] = kept[nearest]
    pairs = np.sort(number[edges], axis=1)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)


def _edges(body: FiniteElements) -> Indices:
    if len(body.faces):
        pairs = np.concatenate([body.faces[:, [0, 1]], body.faces[:, [1, 2]], body.faces[:, [2, 0]]])
        return np.unique(np.sort(pairs, axis=1), axis=0)
    i, j = sparse.coo_array(body.stiffness).coords
    a, b = body.node_of[i], body.node_of[j]
    ahead = a < b
    return np.unique(np.stack([a[ahead], b[ahead]], axis=1), axis=0)


def _representatives(nodes: Array, used: Indices, cells: int) -> Indices:
    """One node of each box, with `cells` of them along the longest side: that nearest to the corner of the body's box
    that is nearest."""
    low, size = nodes[used].min(axis=0), max(float(np.ptp(nodes[used], axis=0).max()), 1e-300)
    box = np.floor((nodes[used] - low) / size * cells * (1 - 1e-9)).astype(np.int64)
    centre = nodes[used].mean(axis=0)
    far = -np.linalg.norm(nodes[used] - centre, axis=1)
    order = np.lexsort((far, *box.T))
    first = np.unique(box[order], axis=0, return_index=True)[1]
    return used[order[first]]


def _nearest(points: Array, among: Array) -> Indices:
    return np.asarray(((points[:, None] - among[None]) ** 2).sum(axis=2).argmin(axis=1))
