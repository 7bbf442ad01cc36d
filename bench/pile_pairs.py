"""Points of contact of convex polyhedra: our kernels beside coal (`pip install coal`), for the same pairs that touch.

Half of the pairs lie face on face, the others have random rotations; all overlap by 1 % of their size along the direction in which
they were brought together. `missed` pairs have no point; `pair_us` is CPU time for each pair: ours with search, coal's with search by its tree, which gives one
point for each pair; `patch_us` is that of coal's contact patch, which has several, called from Python for each pair. `points` is
their mean number, of coal those of the patch. `excess` is by how much the overlap along the normal that was found is more than the
least (from the Minkowski difference by Qhull), `depth_error` the error of the depth, both as a fraction of the size, at most.
`patch` is the area that the points of coal span in contacts of faces, over that of ours, in the middle.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, QhullError

import symbody as sb
from symbody.integrate.piles.pile_runs import PileRunner

from .timing import Row

Array = NDArray[np.float64]
CASES: Final = (("boxes", 8), ("hulls", 8), ("hulls", 20), ("hulls", 60))
PAIRS: Final = 200
SIZE: Final = 0.1  # radius of the sphere in which hulls are
OVERLAP: Final = 0.01  # of it
ROUNDS: Final = 20


@dataclass(frozen=True)
class Pair:
    """Corners of two bodies that overlap, and how much at least."""

    one: Array
    other: Array
    depth: float
    has_faces: bool


def rotation(rng: np.random.Generator) -> Array:
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return np.asarray(Q * np.linalg.det(Q))


def corners(case: str, n: int, rng: np.random.Generator) -> Array:
    if case == "boxes":
        return np.array(list(product((-1, 1), repeat=3))) * rng.uniform(0.3, 0.6, 3) * SIZE
    x = rng.normal(size=(n, 3))
    return np.asarray(SIZE * x / np.linalg.norm(x, axis=1)[:, None] * rng.uniform(0.8, 1.0, (n, 1)))


def face(x: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Normal and centre of a random face."""
    hull = ConvexHull(x)
    k = rng.integers(len(hull.simplices))
    plane = hull.equations[k]
    on = np.abs(x @ plane[:3] + plane[3]) < 1e-9 * SIZE
    return plane[:3], x[on].mean(axis=0)


def onto(a: Array, b: Array) -> Array:
    """A rotation that turns one unit vector onto another."""
    v, c = np.cross(a, b), float(a @ b)
    if c < -1 + 1e-12:
        w = np.linalg.svd(a[None])[2][1]
        return np.asarray(2 * np.outer(w, w) - np.eye(3))
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.asarray(np.eye(3) + K + K @ K / (1 + c))


def way_to_touch(a: Array, b: Array, d: Array) -> float:
    """How far b goes along d until the hulls just touch."""
    A = np.block([
        [a.T, -b.T, -d[:, None]], [np.ones(len(a)), np.zeros(len(b) + 1)], [np.zeros(len(a)), np.ones(len(b)), 0.0]
    ])  # fmt: skip
    cost = np.zeros(A.shape[1])
    cost[-1] = -1
    bounds = [(0, None)] * (A.shape[1] - 1) + [(None, None)]
    return float(linprog(cost, A_eq=A, b_eq=[0, 0, 0, 1, 1], bounds=bounds).x[-1])


def least_overlap(a: Array, b: Array) -> float:
    """Distance of the origin from the boundary of the Minkowski difference."""
    points = (a[:, None] - b[None]).reshape(-1, 3)
    return float(-ConvexHull(points).equations[:, 3].max())


def pairs(case: str, n: int) -> list[Pair]:
    rng, found = np.random.default_rng(n), []
    while len(found) < PAIRS:
        a, b = corners(case, n, rng) @ rotation(rng).T, corners(case, n, rng)
        if has_faces := len(found) % 2 == 0:
            (p, x), (q, _) = face(a, rng), face(b, rng)
            b = b @ onto(q, -p).T
            turn = rng.uniform(0, 2 * np.pi)
            K = np.cross(np.eye(3), -p)
            b = b @ (np.eye(3) + np.sin(turn) * K + (1 - np.cos(turn)) * K @ K).T
            on = b @ p < (b @ p).min() + 1e-9 * SIZE
            b = b + x - b[on].mean(axis=0) - OVERLAP * SIZE * p
        else:
            b = b @ rotation(rng).T
            d = rng.normal(size=3)
            d /= np.linalg.norm(d)
            b = b + (way_to_touch(a, b, d) - OVERLAP * SIZE) * d
        found.append(Pair(a, b, least_overlap(a, b), has_faces))
    return found


def lattice(count: int) -> Array:
    """A place for each pair, far from the others."""
    side = int(np.ceil(count ** (1 / 3)))
    return 8.0 * SIZE * np.array(list(product(range(side), repeat=3)), dtype=float)[:count]


def overlap_along(pair: Pair, normal: Array) -> float:
    """Overlap along a normal from the second body towards the first."""
    return float((pair.other @ normal).max() - (pair.one @ normal).min())


def area(points: Array, normal: Array) -> float:
    if len(points) < 3:
        return 0.0
    axes = np.linalg.svd(normal[None])[2][1:]
    try:
        return float(ConvexHull(points @ axes.T).volume)
    except QhullError:
        return 0.0


def summary(given: list[Pair], normals: list[Array], depths: list[float], points: list[Array]) -> dict[str, Any]:
    excess = [overlap_along(p, n) - p.depth for p, n in zip(given, normals, strict=True)]
    missed = [abs(d - p.depth) for p, d in zip(given, depths, strict=True)]
    return {
        "points": float(np.mean([len(x) for x in points])), "excess": max(excess) / SIZE, "depth_error": max(missed) / SIZE,
        "areas": [area(x, n) for p, x, n in zip(given, points, normals, strict=True) if p.has_faces],
    }  # fmt: skip


def ours(given: list[Pair]) -> dict[str, Any]:
    pile, at = sb.Pile("pairs"), lattice(len(given))
    for k, pair in enumerate(given):
        for name, x in (("one", pair.one), ("other", pair.other)):
            kind = f"{name} {k}"
            pile.many(kind, x, at=[(0, 0, 0)], mass=1.0)
            pile.kinds[-1].states[0, :3] = at[k] + pile.kinds[-1].solid.centre
    runner = PileRunner(pile._in_numbers(1e-6, 1, 0.0, 0.0), 1e-3)
    runner.touching()  # with memory for all of them
    runner._begin(runner.most)
    runner._effort.improve()
    spent = []
    for _ in range(ROUNDS):
        began = time.process_time()
        now, _ = runner.touching()
        spent.append(time.process_time() - began)
    owner = now.first.astype(int) // 2
    kept: list[Pair] = []
    normals, depths, points = [], [], []
    for k in range(len(given)):
        own = np.flatnonzero(owner == k)
        if not len(own):
            continue
        kept.append(given[k])
        sign = 1.0 if now.first[own[0]] % 2 == 0 else -1.0
        normals.append(sign * now.normals[own[0]])
        depths.append(-float(now.gaps[own].min()))
        points.append(now.points[own])
    missed = len(given) - len(kept)
    return {"pair_us": 1e6 * min(spent) / len(given), "missed": missed, **summary(kept, normals, depths, points)}


def coal(given: list[Pair]) -> dict[str, Any]:
    """One point for each pair by `collide`, from C++ for all pairs in a tree; manifolds by `computeContactPatch`."""
    import coal as co

    at = lattice(len(given))
    here = [co.Transform3s(np.eye(3), x) for x in at]
    bodies = [[convex(co, x) for x in (pair.one, pair.other)] for pair in given]
    manager = co.DynamicAABBTreeCollisionManager()
    kept = [co.CollisionObject(x, place) for both, place in zip(bodies, here, strict=True) for x in both]
    for x in kept:
        manager.registerObject(x)
    manager.setup()
    spent, patched = [], []
    for _ in range(ROUNDS):
        all_pairs = co.CollisionCallBackDefault()
        all_pairs.data.request.num_max_contacts = 10 * len(given)
        began = time.process_time()
        manager.collide(all_pairs)
        spent.append(time.process_time() - began)
    missed = len(given) - all_pairs.data.result.numContacts()
    request, wanted = co.CollisionRequest(), co.ContactPatchRequest()
    normals, depths, points = [], [], []
    for _ in range(ROUNDS // 4):
        patched.append(0.0)
        normals, depths, points = [], [], []
        for (a, b), place in zip(bodies, here, strict=True):
            result, patches = co.CollisionResult(), co.ContactPatchResult()
            co.collide(a, place, b, place, request, result)
            began = time.process_time()
            co.computeContactPatch(a, place, b, place, result, wanted, patches)
            patched[-1] += time.process_time() - began
            contact = result.getContact(0)
            patch = patches.getContactPatch(0)
            normals.append(-np.asarray(contact.normal))  # coal's is from the first towards the second
            depths.append(float(-contact.penetration_depth))
            points.append(np.array([patch.getPoint(k) for k in range(patch.size())]).reshape(-1, 3))
    return {
        "pair_us": 1e6 * min(spent) / len(given), "patch_us": 1e6 * min(patched) / len(given), "missed": missed, **summary(given, normals, depths, points),
    }  # fmt: skip


def convex(co: Any, x: Array) -> Any:
    hull = ConvexHull(x)
    corners, faces = co.StdVec_Vec3s(), co.StdVec_Triangle()
    for p in x[hull.vertices]:
        corners.append(p)
    number = {int(k): i for i, k in enumerate(hull.vertices)}
    for simplex, plane in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = (int(k) for k in simplex)
        if np.cross(x[b] - x[a], x[c] - x[a]) @ plane[:3] < 0:
            b, c = c, b
        faces.append(co.Triangle(number[a], number[b], number[c]))
    return co.Convex(corners, faces)


def rows() -> Iterator[Row]:
    for case, n in CASES:
        given = pairs(case, n)
        own = ours(given)
        areas = np.array(own.pop("areas"))
        common = {"case": f"pairs of {case}", "corners": n, "n": len(given)}
        yield {**common, **own}
        if importlib.util.find_spec("coal") is None:
            continue
        peer = coal(given)
        patch = float(np.median(np.array(peer.pop("areas")) / areas))
        ratio = (peer["pair_us"] + peer["patch_us"]) / own["pair_us"]
        yield {**common, "peer": "coal", **peer, "patch": patch, "ratio": ratio}
