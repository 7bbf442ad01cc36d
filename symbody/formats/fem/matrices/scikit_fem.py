"""Bodies from scikit-fem: a basis of Lagrange elements on a solid mesh, with a linear elastic isotropic material.

K = ∫ σ(φ_i) : ε(φ_j) dV,   M = ∫ ρ φ_i · φ_j dV,   K_g(σ) = ∫ (∇φ_i · σ ∇φ_j) 1 dV
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ....errors import ModelError, shown
from ....optional_packages import optional_package
from ..bodies.finite_body import Array, FiniteElements, Indices, checked_elements
from ..bodies.outer_faces import ElementKind, outer_triangles

STRESSES = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))


def is_basis(thing: Any) -> bool:
    return type(thing).__module__.startswith("skfem.") and hasattr(thing, "mesh") and hasattr(thing, "elem")


def from_basis(where: str, basis: Any, young: Any, poisson: Any, density: Any, sets: Any, units: Any) -> FiniteElements:
    """A body of the basis of one component, or of one of vectors."""
    for name, value in (("young", young), ("poisson", poisson), ("density", density)):
        if not isinstance(value, (int, float)) or (value <= 0 and name != "poisson"):
            raise ModelError(f"{where}: a scikit-fem basis needs {name}=, a number; got {shown(value)}")
    if basis.mesh.dim() != 3:
        raise ModelError(f"{where}: the mesh must be three-dimensional; it has {basis.mesh.dim()} dimensions")
    one = basis
    if hasattr(basis.elem, "elem"):  # three components of one element
        one = optional_package("skfem", where, ModelError, "scikit-fem").Basis(
            basis.mesh, basis.elem.elem, quadrature=(basis.X, basis.W)
        )
    mu, lam = young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    made = SolidElements(one, mu, lam)
    nodes = np.asarray(one.doflocs).T
    if len(np.unique(np.round(nodes / (1e-9 * np.ptp(nodes, axis=0).max())), axis=0)) != len(nodes):
        raise ModelError(
            f"{where}: some points carry several degrees of freedom; use Lagrange elements, such as "
            "ElementHex2 or ElementTetP2"
        )
    return checked_elements(
        where, density * made.mass, made.stiffness, nodes, sets={**_mesh_sets(one), **(sets or {})}, units=units,
        faces=_skin(one), prestressed=made.prestressed, stress={"nodes": made.stress_rows},
        places={"nodes": np.asarray(one.nodal_dofs[0], dtype=np.int64)},
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class SolidElements:
    """Matrices of solids from the values and gradients of shape functions at points of integration."""

    basis: Any
    mu: float
    lam: float

    @cached_property
    def _gradients(self) -> Array:
        """(functions, 3, elements, points)."""
        return np.stack([np.broadcast_to(f[0].grad, (3, *self.basis.dx.shape)) for f in self.basis.basis])

    @property
    def mass(self) -> sparse.csc_array:
        """∫ φ_i φ_j dV ⊗ 1, rows node by node."""
        v = np.stack([np.broadcast_to(np.asarray(f[0]), self.basis.dx.shape) for f in self.basis.basis])
        return self._three_times(np.einsum("iep,jep,ep->eij", v, v, self.basis.dx, optimize=True))

    @property
    def stiffness(self) -> sparse.csc_array:
        """∫ λ ∂_a φ_i ∂_b φ_j + μ (∂_b φ_i ∂_a φ_j + δ_ab ∇φ_i · ∇φ_j) dV between i along a and j along b."""
        g = self._gradients
        H = np.einsum("iaep,jbep,ep->eiajb", g, g, self.basis.dx, optimize=True)
        K = self.lam * H + self.mu * (H.swapaxes(2, 4) + np.einsum("eicjc,ab->eiajb", H, np.eye(3), optimize=True))
        d = 3 * self.basis.element_dofs.T[:, :, None] + np.arange(3)
        n = d.shape[1] * 3
        return _assembled_matrix(d.reshape(len(d), n), K.reshape(len(d), n, n), 3 * self.basis.N)

    def prestressed(self, u: Array) -> sparse.csc_array:
        """∫ ∇φ_i · σ(u) ∇φ_j dV ⊗ 1."""
        g = self._gradients
        here = u.reshape(-1, 3)[self.basis.element_dofs]  # (functions, elements, 3)
        s = self._stress(np.einsum("iea,ibep->abep", here, g, optimize=True))
        return self._three_times(np.einsum("iaep,abep,jbep,ep->eij", g, s, g, self.basis.dx, optimize=True))

    def _stress(self, gradient: NDArray[Any]) -> NDArray[Any]:
        e = (gradient + gradient.swapaxes(0, 1)) / 2
        return np.asarray(2 * self.mu * e + self.lam * np.einsum("cc...,ab->ab...", e, np.eye(3)))

    def _three_times(self, A: Array) -> sparse.csc_array:
        return sparse.csc_array(
            sparse.kron(_assembled_matrix(self.basis.element_dofs.T, A, self.basis.N), sparse.eye_array(3))
        )

    @property
    def stress_rows(self) -> sparse.csr_array:
        """Stresses xx, yy, zz, xy, yz, xz at the corners of the mesh for displacements of nodes, the mean over elements
        that meet there."""
        mesh, elem = self.basis.mesh, self.basis.elem
        corners = elem.refdom.init_refdom()[0]
        shape = (3, mesh.t.shape[1], corners.shape[1])
        count = np.bincount(mesh.t.ravel(), minlength=mesh.p.shape[1])
        rows, cols, data = [], [], []
        for local, dofs in enumerate(self.basis.element_dofs):
            g = np.broadcast_to(elem.gbasis(self.basis.mapping, corners, local)[0].grad, shape)
            for axis in range(3):
                gradient = np.zeros((3, *shape))
                gradient[axis] = g
                s = self._stress(gradient)
                for corner, at in enumerate(mesh.t):
                    for k, (a, b) in enumerate(STRESSES):
                        rows.append(6 * at + k)
                        cols.append(3 * dofs + axis)
                        data.append(s[a, b, :, corner] / count[at])
        shape_of = (6 * mesh.p.shape[1], 3 * self.basis.N)
        return sparse.csr_array((np.concatenate(data), (np.concatenate(rows), np.concatenate(cols))), shape=shape_of)


def _assembled_matrix(dofs: Indices, parts: Array, size: int) -> sparse.csc_array:
    """Element matrices (elements, n, n) added up."""
    n = dofs.shape[1]
    i, j = np.repeat(dofs, n, axis=1).ravel(), np.tile(dofs, (1, n)).ravel()
    return sparse.csc_array(sparse.coo_array((parts.ravel(), (i, j)), shape=(size, size)))


def _mesh_sets(basis: Any) -> dict[str, Indices]:
    """Boundaries of the mesh that have a name, as nodes."""
    return {name: np.unique(basis.get_dofs(name).all()) for name in basis.mesh.boundaries or {}}


def _skin(basis: Any) -> Indices:
    """Triangles on the boundary of the mesh, between all nodes that lie there."""
    elem, domain = basis.elem, basis.elem.refdom
    corners = domain.nnodes
    facets = tuple(tuple(dict.fromkeys(f)) for f in domain.facets)  # one that is a triangle may name a corner twice
    is_second = elem.edge_dofs == 1
    kind = ElementKind(corners, facets, tuple(map(tuple, domain.edges)), centres=is_second and elem.facet_dofs == 1)
    rows = basis.element_dofs.T if is_second else basis.element_dofs.T[:, :corners]
    return outer_triangles([(kind, np.asarray(rows, dtype=np.int64))], np.asarray(basis.doflocs).T)
