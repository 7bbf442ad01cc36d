"""A block of eight-node bricks by hand, as an independent source of matrices; and its mass as a matrix of one
component."""

from __future__ import annotations

import itertools

import numpy as np
from scipy import sparse

CORNERS = np.array(list(itertools.product((0, 1), repeat=3)))
AROUND = [0, 4, 6, 2, 1, 5, 7, 3]  # corners around the lower side, then around the upper one
LAME = (2.1e11 * 0.3 / (1.3 * 0.4), 2.1e11 / 2.6)
DENSITY = 7850.0


class Block:
    """Edges along x from 0, along y and z centred; n bricks along each."""

    def __init__(self, edges=(1.0, 0.06, 0.04), n=(8, 2, 2)):
        self.edges, self.n = np.array(edges), n
        grids = [np.linspace(0, 1, k + 1) for k in n]
        self.nodes = np.array(list(itertools.product(*grids))) * edges - [0, edges[1] / 2, edges[2] / 2]
        step = np.array([(n[1] + 1) * (n[2] + 1), n[2] + 1, 1])
        first = np.array(list(itertools.product(*map(range, n)))) @ step
        self.cells = first[:, None] + CORNERS @ step
        self.h = self.edges / n
        points = np.array(list(itertools.product((0.5 - 12**-0.5, 0.5 + 12**-0.5), repeat=3)))
        self.weight = self.h.prod() / 8
        parts = np.where(CORNERS == 1, points[:, None], 1 - points[:, None])  # (points, corners, 3)
        self.values = parts.prod(axis=2)
        slopes = np.where(CORNERS == 1, 1.0, -1.0) / self.h
        others = np.stack([np.delete(parts, a, axis=2).prod(axis=2) for a in range(3)], axis=2)
        self.gradients = slopes * others

    def scattered(self, part):
        """Equal element matrices of one component, added up."""
        i, j = np.repeat(self.cells, 8, axis=1).ravel(), np.tile(self.cells, (1, 8)).ravel()
        data = np.broadcast_to(part, (len(self.cells), 8, 8)).ravel()
        return sparse.csc_array(sparse.coo_array((data, (i, j)), shape=(len(self.nodes),) * 2))

    @property
    def scalar_mass(self):
        return self.scattered(DENSITY * self.weight * self.values.T @ self.values)

    @property
    def mass(self):
        return sparse.csc_array(sparse.kron(self.scalar_mass, sparse.eye_array(3)))

    @property
    def stiffness(self):
        lam, mu = LAME
        g = self.gradients
        H = self.weight * np.einsum("pia,pjb->iajb", g, g)
        K = lam * H + mu * (H.swapaxes(1, 3) + np.einsum("icjc,ab->iajb", H, np.eye(3)))
        total = sparse.csc_array((3 * len(self.nodes),) * 2)
        for a, b in itertools.product(range(3), repeat=2):
            unit = sparse.csc_array(([1.0], ([a], [b])), shape=(3, 3))
            total = total + sparse.kron(self.scattered(K[:, a, :, b]), unit)
        return sparse.csc_array(total)

    def prestressed(self, u):
        """∫ ∇φ_i · σ(u) ∇φ_j dV for three components."""
        lam, mu = LAME
        here = u.reshape(-1, 3)[self.cells]
        D = np.einsum("eia,pib->epab", here, self.gradients)
        e = (D + D.swapaxes(2, 3)) / 2
        s = 2 * mu * e + lam * np.trace(e, axis1=2, axis2=3)[..., None, None] * np.eye(3)
        part = self.weight * np.einsum("pia,epab,pjb->eij", self.gradients, s, self.gradients)
        return sparse.csc_array(sparse.kron(self.scattered(part), sparse.eye_array(3)))

    def stress_rows(self, cells):
        """Stresses xx, yy, zz, xy, yz, xz in the middle of cells, for displacements."""
        lam, mu = LAME
        g = np.where(CORNERS == 1, 1.0, -1.0) / self.h / 4
        out = np.zeros((6 * len(cells), 3 * len(self.nodes)))
        for row, cell in enumerate(cells):
            for node, grad in zip(self.cells[cell], g, strict=True):
                for axis in range(3):
                    D = np.zeros((3, 3))
                    D[axis] = grad
                    e = (D + D.T) / 2
                    s = 2 * mu * e + lam * np.trace(e) * np.eye(3)
                    out[6 * row : 6 * row + 6, 3 * node + axis] += [
                        s[0, 0],
                        s[1, 1],
                        s[2, 2],
                        s[0, 1],
                        s[1, 2],
                        s[0, 2],
                    ]
        return out
