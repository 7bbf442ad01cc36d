"""A `standard_tree` rebuilt in Pinocchio, and its state in Pinocchio's coordinates.

Joints of several freedoms are chains of simple ones with massless bodies between, except for Euler parameters (a
quaternion) and the free joint, whose linear speeds Pinocchio counts in the body: v = G u with G = Rᵀ there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.mechanisms import Link, Sample

X, Y, Z = np.eye(3)


def placement(pin: Any, rotation: Any, place: Any) -> Any:
    return pin.SE3(np.array(rotation, float), np.array(place, float))


def unit(axis: Any) -> Any:
    return np.array(axis, float) / np.linalg.norm(axis)


def stages(link: Link) -> list[tuple[str, Any]]:
    """The simple joints that a joint consists of."""
    a = unit(link.axis)
    turns = [("turn", X), ("turn", Y), ("turn", Z)]
    return {
        "revolute": [("turn", a)], "prismatic": [("slide", a)], "cylindrical": [("slide", a), ("turn", a)],
        "universal": turns[:2], "spherical": turns, "planar": [("slide", X), ("slide", Y), ("turn", Z)],
        "spherical_e": [("quaternion", None)], "free_e": [("free", None)], "fixed": [],
    }[link.kind]  # fmt: skip


class Rebuilt:
    """The model in Pinocchio, and maps of states."""

    def __init__(self, pin: Any, sample: Sample) -> None:
        self.pin, self.sample = pin, sample
        self.model = pin.Model()
        self.model.gravity.linear = np.array([0.3, -0.2, -9.81])
        self.joints: list[tuple[Link, list[int]]] = []
        bodies: list[tuple[int, Any]] = []  # joint on which a body sits, and the body frame in it
        for link in sample.links:
            joint, at = bodies[link.parent] if link.parent >= 0 else (0, pin.SE3.Identity())
            at = at * placement(pin, np.eye(3), link.at)
            made = []
            for kind, axis in stages(link):
                joint = self.model.addJoint(joint, self._joint(kind, axis), at, f"{kind}{self.model.njoints}")
                made.append(joint)
                at = pin.SE3.Identity()
            R = np.array(link.orientation)
            at = at * placement(pin, R, -R @ np.array(link.on))
            self.model.appendBodyToJoint(joint, pin.Inertia(link.mass, np.array(link.com), np.array(link.inertia)), at)
            bodies.append((joint, at))
            self.joints.append((link, made))
        self.data = self.model.createData()

    def _joint(self, kind: str, axis: Any) -> Any:
        pin = self.pin
        if kind == "turn":
            return pin.JointModelRevoluteUnaligned(axis)
        if kind == "slide":
            return pin.JointModelPrismaticUnaligned(axis)
        return pin.JointModelSpherical() if kind == "quaternion" else pin.JointModelFreeFlyer()

    def state(self, values: dict[str, float]) -> tuple[Any, Any, Any, Any]:
        """q, v, a of Pinocchio and G, from values by name (accelerations as u_dot)."""
        model = self.model
        q, v, a, G = np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv), np.zeros((model.nv, model.nv))
        speeds = [u.name for u in self.sample.mechanism.u]
        rates = {u.name: u.dot.name for u in self.sample.mechanism.u}

        def put(row: int, block: Any, names: list[str], bias: Any) -> None:
            u, du = (np.array([values[n] for n in list_]) for list_ in (names, [rates[n] for n in names]))
            k = len(names)
            v[row : row + k], a[row : row + k] = block @ u, block @ du + bias(u)
            for j, n in enumerate(names):
                G[row : row + k, speeds.index(n)] = block[:, j]

        for link, made in self.joints:
            base = link.coordinates[0].rsplit("_", 1)[0] if link.kind.endswith("_e") else ""
            spin = [f"{base}_w{k}" for k in "xyz"]
            if link.kind.endswith("_e"):
                e0, *e = (values[f"{base}_e{k}"] for k in range(4))
                joint = made[0]
                iq, iv = model.joints[joint].idx_q, model.joints[joint].idx_v
                if link.kind == "spherical_e":
                    q[iq : iq + 4] = [*e, e0]
                    put(iv, np.eye(3), spin, lambda u: np.zeros(3))
                    continue
                q[iq : iq + 7] = [*(values[f"{base}_{k}"] for k in "xyz"), *e, e0]
                Rt = self.pin.Quaternion(e0, *e).matrix().T
                w = np.array([values[n] for n in spin])
                put(iv, Rt, [f"{base}_{k}_dot" for k in "xyz"], lambda u, Rt=Rt, w=w: -np.cross(w, Rt @ u))
                put(iv + 3, np.eye(3), spin, lambda u: np.zeros(3))
                continue
            for joint, name in zip(made, link.coordinates, strict=True):
                q[model.joints[joint].idx_q] = values[name]
                put(model.joints[joint].idx_v, np.eye(1), [f"{name}_dot"], lambda u: np.zeros(1))
        return q, v, a, G

    def mass_matrix(self, values: dict[str, float]) -> Any:
        """Column by column from inverse dynamics: `crba` wants its joints numbered depth first, which these are not."""
        q, _, _, G = self.state(values)
        rest = np.zeros(self.model.nv)
        gravity = self.pin.rnea(self.model, self.data, q, rest, rest).copy()
        columns = [self.pin.rnea(self.model, self.data, q, rest, e) - gravity for e in np.eye(self.model.nv)]
        return G.T @ np.column_stack(columns) @ G

    def inverse_dynamics(self, values: dict[str, float]) -> Any:
        q, v, a, G = self.state(values)
        return G.T @ self.pin.rnea(self.model, self.data, q, v, a)
