"""Laws of piles: many free bodies on a sparse contact graph."""

import numpy as np
import pytest

import symbody as sb


def thrown(seed=0, *, friction=0.4, restitution=0.0, gravity=(0, 0, -9.81), floor=True, shapes=("ball", "box", "gem")):
    """A few bodies of all shapes, turned at random, above a floor."""
    rng = np.random.default_rng(seed)
    pile = sb.Pile("thrown", friction=friction, restitution=restitution, gravity=gravity)
    kinds = {"ball": sb.sphere(0.1), "box": sb.box(0.2, 0.15, 0.1), "gem": rng.normal(size=(10, 3)) * 0.08}
    for k, name in enumerate(shapes):
        at = np.array([(0.3 * i, 0.3 * k, 0.2 + 0.3 * j) for i in range(2) for j in range(2)])
        pile.many(
            name, kinds[name], at=at, density=1000, rotations=rng.normal(size=(4, 4)), velocities=rng.normal(size=(4, 3)),
            angular_velocities=rng.normal(size=(4, 3)),
        )  # fmt: skip
    if floor:
        pile.wall("floor")
    return pile


@pytest.mark.parametrize("seed", range(3))
def test_momentum_is_kept_by_collisions(seed):
    """Without gravity and walls Σ m v and the sum of angular momenta stay, to rounding."""
    rng = np.random.default_rng(seed)
    at = rng.uniform(-0.3, 0.3, (8, 3)) + 0.25 * np.array(
        [(i, j, k) for i in (-2, 2) for j in (-2, 2) for k in (-2, 2)]
    )
    pile = sb.Pile("cloud", gravity=(0, 0, 0), friction=0.3, restitution=0.7)
    pile.many("ball", sb.sphere(0.12), at=at, mass=2.0, velocities=-at * 3)
    motion = pile.simulate(0.6, step=0.005)
    assert motion.most_contacts > 0
    assert (
        np.abs(motion.momentum - motion.momentum[0]).max()
        < 1e-12 * 2.0 * np.abs(motion.velocities).sum(axis=(1, 2)).max()
    )
    L = 2.0 * np.cross(motion.positions, motion.velocities).sum(axis=1)
    spin = 0.4 * 2.0 * 0.12**2
    assert np.abs(motion.states[..., 10:]).max() > 0.01  # friction turns them, in axes of the bodies
    at_end = L[-1] + spin * turned(motion.states[-1]).sum(axis=0)
    size = 2.0 * (np.linalg.norm(at, axis=1) * np.linalg.norm(motion.velocities[0], axis=1)).sum()
    assert np.abs(at_end - L[0]).max() < 1e-12 * size


def turned(states):
    """Angular velocities in the ground frame."""
    e0, e, w = states[:, 3:4], states[:, 4:7], states[:, 10:]
    return w + 2 * np.cross(e, np.cross(e, w) + e0 * w)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_energy_never_grows(restitution):
    shapes = ("ball",) if restitution == 1.0 else ("ball", "box", "gem")
    motion = thrown(1, restitution=restitution, shapes=shapes).simulate(0.5, step=0.002)
    assert motion.outcome
    assert motion.missed == 0
    assert np.diff(motion.energy).max() < 1e-5 * motion.energy[0]


@pytest.mark.parametrize("seed", range(2))
def test_impulses_are_in_their_cones_and_push(seed):
    contacts = thrown(seed).simulate(0.4, step=0.002).contacts
    normal = np.einsum("ij,ij->i", contacts.impulses, contacts.normals)
    across = contacts.impulses - normal[:, None] * contacts.normals
    assert len(normal)
    assert (normal >= 0).all()
    assert (contacts.gaps <= 1e-9).all()
    assert (np.linalg.norm(across, axis=1) <= 0.4 * normal * (1 + 1e-9) + 1e-15).all()


def test_the_floor_carries_the_weight():
    """At rest the reactions of the floor are the weight; balls may roll."""
    pile = thrown(3, shapes=("ball", "box"))
    for x in (-0.3, 0.6):
        pile.wall(f"side {x}", at=(x, 0, 0), normal=(-np.sign(x), 0, 0), friction=0)
    for y in (-0.3, 0.6):
        pile.wall(f"other side {y}", at=(0, y, 0), normal=(0, -np.sign(y), 0), friction=0)
    motion = pile.simulate(3.0, step=0.004, every=750)
    contacts, h = motion.contacts, 0.004
    on_floor = (contacts.second < 0) & (contacts.normals[:, 2] > 0.5)
    weight = 4 * 1000 * (4 / 3 * np.pi * 0.1**3 + 0.2 * 0.15 * 0.1) * 9.81
    assert motion.missed == 0
    assert np.abs(motion.velocities[-1, :, 2]).max() < 1e-8
    assert contacts.impulses[on_floor, 2].sum() / h == pytest.approx(weight, rel=1e-8)


def test_the_same_run_has_the_same_bits():
    one, other = (thrown(2).simulate(0.3, step=0.003).states for _ in range(2))
    assert np.array_equal(one, other)


def test_a_pile_that_rests_meets_the_tolerance():
    """Contacts that carry weight stay: none is lost by rounding, and every step from forces of the one before is exact."""
    at = [(0.11 * (i - 1.5), 0.11 * (j - 1.5), 0.05 + 0.1 * k) for k in range(3) for i in range(4) for j in range(4)]
    pile = sb.Pile("columns", friction=0.3)
    pile.many("ball", sb.sphere(0.05), at=at, density=2500)
    pile.wall("floor")
    motion = pile.simulate(0.4, step=0.002, every=200)
    assert motion.missed == 0
    assert motion.mean_contacts == 48
    assert np.abs(motion.positions[-1] - np.array(at)).max() < 1e-8
