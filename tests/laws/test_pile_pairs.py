"""Points of contact of two convex polyhedra, beside Qhull's Minkowski difference and linear programs."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import symbody as sb
from bench.pile_pairs import SIZE, Pair, least_overlap, ours, rotation, way_to_touch


def sharp(rng, n):
    """A hull of n corners, pressed flat and turned."""
    x = rng.normal(size=(n, 3)) * rng.permutation([1.0, 0.6, 0.15])
    return SIZE * (x - x.mean(axis=0)) / np.linalg.norm(x, axis=1).max() @ rotation(rng).T


def touching(n, count, gap):
    """Pairs that are brought together along random directions up to this gap."""
    rng = np.random.default_rng(n)
    for _ in range(count):
        a, b, d = sharp(rng, n), sharp(rng, n), rng.normal(size=3)
        d /= np.linalg.norm(d)
        yield a, b + (way_to_touch(a, b, d) + gap) * d


@pytest.mark.parametrize(("n", "overlap"), [(4, 0.01), (8, 0.2), (16, 0.05)])
def test_hulls_that_overlap_have_points_on_the_axis_of_least_overlap(n, overlap):
    """None is missed, also where the face most opposite to the best one is not that of the lowest corner."""
    depth = overlap * SIZE
    pairs = [Pair(a, b, least_overlap(a, b), False) for a, b in touching(n, 110, -depth)]
    found = ours(pairs)
    assert found["missed"] == 0
    assert found["excess"] * SIZE <= 0.021 * depth
    assert found["depth_error"] * SIZE <= 0.021 * depth


@pytest.mark.parametrize("n", [4, 7, 12])
def test_hulls_that_are_apart_have_no_points(n):
    """Also where edges far from each other are the only ones that separate them."""
    pile = sb.Pile("apart", gravity=(0, 0, 0))
    for k, (a, b) in enumerate(touching(n, 60, 5e-4 * SIZE)):
        for name, x in (("one", a), ("other", b)):
            pile.many(f"{name} {k}", x, at=[(0, 0, 0)], mass=1.0)
            pile.kinds[-1].states[0, :3] = pile.kinds[-1].solid.centre + np.array([8 * SIZE * k, 0, 0])
    motion = pile.simulate(1e-3, step=1e-3)
    assert motion.most_contacts == 0


@pytest.mark.parametrize("n", [4, 12])
def test_hulls_push_balls_along_the_normal_of_the_nearest_point(n):
    """Balls in front of faces, edges and corners of heavy hulls: from a point p and a direction of its normal cone the
    nearest point is p; balls that come along it are stopped."""
    rng, radius = np.random.default_rng(n), 0.3 * SIZE
    pile = sb.Pile("pushed", gravity=(0, 0, 0), friction=0.0)
    for k in range(40):
        hull = ConvexHull(sharp(rng, n))
        corners = hull.points[hull.simplices]  # of triangles
        if k % 2:
            on = rng.integers(len(corners))
            p, d = rng.dirichlet((1, 1, 1)) @ corners[on], hull.equations[on, :3]
        else:
            corner = rng.choice(hull.vertices)
            p, d = (
                hull.points[corner],
                rng.random(len(corners)) * (hull.simplices == corner).any(axis=1) @ hull.equations[:, :3],
            )
        d = d / np.linalg.norm(d)
        for name, shape, at, mass, speed in (
            ("hull", hull.points, np.zeros(3), 1e12, 0 * d),
            ("ball", sb.sphere(radius), p + (radius - 1e-9) * d, 1.0, -d),
        ):
            pile.many(f"{name} {k}", shape, at=[(0, 0, 0)], mass=mass, velocities=[speed])
            pile.kinds[-1].states[0, :3] = pile.kinds[-1].solid.centre + at + np.array([20 * SIZE * k, 0, 0])
    motion = pile.simulate(1e-9, step=1e-9)
    assert motion.most_contacts == 40
    assert motion.velocities[-1][1::2] == pytest.approx(np.zeros((40, 3)), abs=1e-6)
