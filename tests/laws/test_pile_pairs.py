"""Points of contact of two convex polyhedra, beside Qhull's Minkowski difference and linear programs."""

import numpy as np
import pytest

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
