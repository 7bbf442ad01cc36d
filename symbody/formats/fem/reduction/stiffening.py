"""Geometric stiffening of a body from finite elements, by analyses of unit loads.

The second-order fields s_kl enter equations only by g_kl, G_0,kl and their values where forces act. A load f stresses
the body, u = K⁻¹ f held in its frame, and the geometric stiffness K_g(σ(u)) of that stress gives the modes the
stiffness Φ_kᵀ K_g Φ_l. Set beside what the fields give (Wallrapp, Mech. Struct. Mach. 22, 1994),

    acceleration -e_a of the frame          g_kl,a
    angular acceleration -e_a               ax(G_0,kl)_a
    rotation, w_a w_b                       sym(G_0,kl) - tr(G_0,kl) 1
    force e_a at a point                    -s_kl,a there
    torque e_a at a point                   -(θ_kl,a + Σ r_i · sym(θ̃_k θ̃_l) g_i) there

twelve loads and six for each interface are enough. θ_kl are second-order rotation vectors. A section that turns by θ
has nodes that move by ½ θ × (θ × r) beside; the forces g_i by which the elements carry a unit torque do work there,
which is not a stiffness due to the torque.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from ....errors import ModelError, listed
from ..bodies.finite_body import Array
from ..bodies.interfaces import Interface
from ..reduced.reduced_body import Stiffening
from .static_solves import FreeSolver, HeldSolver

LOADS = ("a_x", "a_y", "a_z", "al_x", "al_y", "al_z", "w_xx", "w_yy", "w_zz", "w_xy", "w_yz", "w_xz")
AT_POINTS = ("x", "y", "z", "tx", "ty", "tz")  # forces, then torques
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))


@dataclass(frozen=True, eq=False)
class GeometricStiffness:
    """Second-order fields, and second-order shifts and rotation vectors of interfaces by name, (n, n, 3)."""

    fields: Stiffening
    at: Mapping[str, Array]
    turned: Mapping[str, Array]


def stiffening_of(where: str, solver: FreeSolver, reference: Any, v: Array, asked: Any) -> GeometricStiffness | None:
    if asked is False or asked is None:
        return None
    body = solver.body
    names = [*LOADS, *(f"{i.name}.{a}" for i in body.interfaces for a in AT_POINTS)]
    shapes = np.asarray(body.T @ v)
    of = (
        _given_matrices(where, asked, names)
        if isinstance(asked, Mapping)
        else _stress_matrices(where, solver, reference)
    )
    n = v.shape[1]
    found = {}
    for name in names:
        Kg = of(name)
        found[name] = np.zeros((n, n)) if Kg is None else np.asarray(shapes.T @ (Kg @ shapes))
    for i in body.interfaces if _has_torques(asked) else ():
        work = _work_of_turning(solver, reference, v, i)
        for a, name in enumerate(AT_POINTS[3:]):
            found[f"{i.name}.{name}"] += work[:, :, a]
    made = _fields(found, [i.name for i in body.interfaces])
    return made if _has_torques(asked) else replace(made, turned={})


def _has_torques(asked: Any) -> bool:
    return not isinstance(asked, Mapping) or any(n.split(".")[-1] in AT_POINTS[3:] for n in asked)


def _work_of_turning(solver: FreeSolver, reference: Any, v: Array, loaded: Interface) -> Array:
    """Σ g_i · ½ (θ_k × (θ_l × r_i) + θ_l × (θ_k × r_i)) for unit torques at an interface, (n, n, 3): over its nodes, and
    those of others that are rigid."""
    tied = solver.body
    body, held = tied.body, HeldSolver(solver, sparse.csc_array(reference.C))
    moved = np.asarray(tied.B @ v)
    loads = unit_loads(solver, reference.origin)
    out = np.zeros((v.shape[1], v.shape[1], 3))
    for a, name in enumerate(AT_POINTS[3:]):
        forces = np.asarray(body.stiffness @ (tied.T @ held(loads[f"{loaded.name}.{name}"])))
        for i in tied.interfaces:
            if i is not loaded and i.kind != "rbe2":
                continue
            turn = moved[tied.rows(i.name)][3:].T
            at = (body.direction < 3) & np.isin(body.node_of, i.nodes)
            S = np.zeros((3, 3))  # Σ r gᵀ
            np.add.at(S.T, body.direction[at], forces[at][:, None] * (body.nodes[body.node_of[at]] - i.place))
            # g · (θ_k × (θ_l × r)) = (θ_k · r) (θ_l · g) - (θ_k · θ_l) (r · g)
            mixed = turn @ S @ turn.T
            out[:, :, a] += (mixed + mixed.T) / 2 - np.trace(S) * (turn @ turn.T)
    return out


def _fields(found: Mapping[str, Array], interfaces: list[str]) -> GeometricStiffness:
    g = np.stack([found[f"a_{a}"] for a in "xyz"], axis=-1)
    turn = np.stack([found[f"al_{a}"] for a in "xyz"], axis=-1)
    n = len(g)
    Q = np.zeros((n, n, 3, 3))
    for name, (a, b) in zip(LOADS[6:], PAIRS, strict=True):
        Q[:, :, a, b] = Q[:, :, b, a] = found[name] if a == b else found[name] / 2
    G = Q - np.trace(Q, axis1=2, axis2=3)[:, :, None, None] / 2 * np.eye(3)
    for a, (b, c) in enumerate(((1, 2), (2, 0), (0, 1))):  # ax(G)_a = G_bc - G_cb
        G[:, :, b, c] += turn[:, :, a] / 2
        G[:, :, c, b] -= turn[:, :, a] / 2
    at, turned = (
        {i: -np.stack([found[f"{i}.{a}"] for a in axes], axis=-1) for i in interfaces}
        for axes in (AT_POINTS[:3], AT_POINTS[3:])
    )
    return GeometricStiffness(Stiffening(g, G), at, turned)


def _given_matrices(where: str, matrices: Mapping[str, Any], names: list[str]) -> Callable[[str], Any]:
    """Matrices by name of the load, from another program; those that are not named are zero."""
    for n in matrices:
        if n not in names:
            raise ModelError(
                f"{where}: stiffening= maps loads to geometric stiffness matrices; there is no load {n!r} but "
                f"{listed(names, 24)}"
            )
    return matrices.get


def _stress_matrices(where: str, solver: FreeSolver, reference: Any) -> Callable[[str], Any]:
    body = solver.body.body
    prestressed = body.prestressed
    if prestressed is None:
        raise ModelError(
            f"{where}: stiffening=True needs the stresses of the elements, which matrices do not have: make the body of a scikit-fem basis with young=, poisson= and density=, or give "
            f"the geometric stiffness matrices of unit loads from the program that made them: stiffening={{'w_xx': K, ...}}; loads are {listed(LOADS, 12)}, and 'tip.x' (force), 'tip.tx' (torque) of interfaces"
        )
    held = HeldSolver(solver, sparse.csc_array(reference.C))
    loads = unit_loads(solver, reference.origin)

    def matrix(name: str) -> Any:
        return prestressed(np.asarray(solver.body.T @ held(loads[name])))

    return matrix


def unit_loads(solver: FreeSolver, origin: Array) -> dict[str, Array]:
    """Inertia forces of accelerations of one, and forces and torques of one at interfaces, on the rows of the tied body."""
    body, T = solver.body.body, solver.body.T
    x = (body.nodes - origin)[body.node_of]
    unit = np.eye(3)

    def of(acceleration: Array) -> Array:
        a = np.where(body.direction < 3, acceleration[np.arange(body.size), body.direction % 3], 0.0)
        return np.asarray(T.T @ (body.mass @ -a))

    loads = {f"a_{'xyz'[a]}": of(np.tile(unit[a], (body.size, 1))) for a in range(3)}
    loads |= {f"al_{'xyz'[a]}": of(np.cross(unit[a], x)) for a in range(3)}
    for name, (a, b) in zip(LOADS[6:], PAIRS, strict=True):
        turned = np.cross(unit[a], np.cross(unit[b], x))
        loads[name] = of(turned if a == b else turned + np.cross(unit[b], np.cross(unit[a], x)))
    B = np.asarray(solver.body.B.todense())
    for k, i in enumerate(solver.body.interfaces):
        loads |= {f"{i.name}.{name}": B[6 * k + a] for a, name in enumerate(AT_POINTS)}
    return loads
