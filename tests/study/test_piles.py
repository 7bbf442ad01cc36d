"""Piles: shapes, walls, steppers, faults; beside the contacts of a mechanism, and closed forms."""

from array import array
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

import symbody as sb


def test_three_balls_move_as_in_a_mechanism():
    """The same motion as `Contacts` with all pairs, by the same scheme."""
    at = np.array([(0.0, 0.0, 0.1), (0.13, 0.02, 0.35), (-0.05, 0.11, 0.62)])
    m = sb.Model("balls")
    m.gravity(0, 0, -9.81)
    balls, contacts = [], []
    for k in range(3):
        ball = m.body(f"b{k}", mass=2.0, inertia=(0.4 * 2 * 0.01,) * 3)
        m.free(f"b{k}", m.ground, ball, sequence="euler parameters")
        contacts.append(
            sb.Contact(f"floor{k}", sb.touch(sb.Ball(ball, 0.1), sb.HalfSpace(m.ground)), friction=0.3, restitution=0.2)
        )
        contacts += [
            sb.Contact(f"pair{j}{k}", sb.touch(sb.Ball(other, 0.1), sb.Ball(ball, 0.1)), friction=0.3, restitution=0.2)
            for j, other in enumerate(balls)
        ]
        balls.append(ball)
    start = {f"b{k}_{c}": float(at[k, i]) for k in range(3) for i, c in enumerate("xyz")} | {
        f"b{k}_e0": 1.0 for k in range(3)
    }
    slow = sb.simulate_modes(sb.Contacts(sb.derive(m), *contacts), 0.4, start, method="moreau", step=0.002)
    pile = sb.Pile("balls", friction=0.3, restitution=0.2)
    pile.many("b", sb.sphere(0.1), at=at, mass=2.0)
    pile.wall("floor")
    quick = pile.simulate(0.4, step=0.002, tolerance=1e-10)
    places = np.array([[slow[f"b{k}_{c}"][-1] for c in "xyz"] for k in range(3)])
    assert np.abs(places - quick.positions[-1]).max() < 1e-8
    assert np.abs(places - at).max() > 0.05


def test_a_box_slides_to_rest():
    """v² / (2 μ g), to a step."""
    pile = sb.Pile("slide", friction=0.3)
    pile.many("box", sb.box(0.4, 0.4, 0.1), at=[(0, 0, 0.05)], mass=3.0, velocities=[(2.0, 0, 0)])
    pile.wall("floor")
    motion = pile.simulate(1.0, step=0.001, every=1000)
    assert motion.positions[-1, 0, 0] == pytest.approx(4 / (2 * 0.3 * 9.81), abs=3e-3)
    assert np.abs(motion.velocities[-1]).max() < 1e-9


def test_a_stack_of_boxes_stands():
    pile = sb.Pile("stack", friction=0.5)
    pile.many("box", sb.box(0.2, 0.2, 0.2), at=[(0, 0, 0.1 + 0.2 * k) for k in range(6)], density=1000)
    pile.wall("floor")
    motion = pile.simulate(1.0, step=0.005, every=200)
    assert motion.missed == 0
    assert np.abs(motion.positions[-1] - motion.positions[0]).max() < 1e-7
    contacts = motion.contacts
    assert contacts.impulses[contacts.second < 0, 2].sum() == pytest.approx(6 * 8.0 * 9.81 * 0.005, rel=1e-5)


def test_a_ball_rolls_down_a_height_field_as_down_a_plane():
    """g sin α 5/7 of a ball that rolls."""
    x = np.linspace(-1, 4, 11)
    slope = 0.2
    pile = sb.Pile("hill", friction=0.5)
    normal = np.array([slope, 0, 1]) / np.hypot(slope, 1)
    pile.many("ball", sb.sphere(0.1), at=[0.1 * normal], mass=1.0)
    pile.terrain("hill", np.tile(-slope * x[:, None], (1, 5)), corner=(-1, -1), spacing=(0.5, 0.5))
    motion = pile.simulate(1.0, step=0.002, every=500)
    alpha = np.arctan(slope)
    assert motion.positions[-1, 0, 0] == pytest.approx(
        0.1 * normal[0] + 5 / 14 * 9.81 * np.sin(alpha) * np.cos(alpha), rel=5e-3
    )


def test_cylinders_roll_and_stand():
    """5/7 becomes 2/3 for a cylinder; one that stands keeps its weight on its lower end."""
    pile = sb.Pile("rollers", gravity=(9.81 * 0.1, 0, -9.81), friction=0.5)
    pile.many("roller", sb.cylinder(0.1, 0.3, "y"), at=[(0, 0, 0.1)], mass=1.0)
    pile.wall("floor")
    motion = pile.simulate(1.0, step=0.002, every=500)
    assert motion.positions[-1, 0, 0] == pytest.approx(9.81 * 0.1 / 3, rel=1e-2)
    standing = sb.Pile("column", friction=0.5)
    standing.many("column", sb.cylinder(0.1, 0.3), at=[(0, 0, 0.15)], mass=2.0)
    standing.wall("floor")
    motion = standing.simulate(0.5, step=0.005, every=100)
    assert motion.contacts.impulses[:, 2].sum() == pytest.approx(2 * 9.81 * 0.005, rel=1e-6)
    assert motion.positions[-1, 0, 2] == pytest.approx(0.15, abs=1e-8)


def test_penetration_is_taken_back_on_request():
    pile = sb.Pile("sunk")
    pile.many("ball", sb.sphere(0.1), at=[(0, 0, 0.08)], mass=1.0)
    pile.wall("floor")
    left, pushed = (pile.simulate(0.5, step=0.005, stabilise=s) for s in (0.0, 0.2))
    assert left.positions[-1, 0, 2] == pytest.approx(0.08)
    assert left.outcome.notes
    assert pushed.positions[-1, 0, 2] == pytest.approx(0.1, abs=1e-4)
    assert np.abs(pushed.velocities[-1]).max() < 1e-9


def test_bodies_that_rest_sleep_on_request_and_wake_when_they_are_hit():
    pile = sb.Pile("sleep", friction=0.3)
    pile.many("still", sb.sphere(0.1), at=[(0, 0, 0.1), (0.2, 0, 0.1)], mass=1.0)
    pile.many("fast", sb.sphere(0.1), at=[(-1.5, 0, 0.1)], mass=1.0, velocities=[(2.0, 0, 0)])
    pile.wall("floor")
    motion = pile.simulate(1.5, step=0.005, sleep=1e-3)
    assert np.abs(motion.velocities[60:80, :2]).max() == 0.0
    assert motion.positions[-1, 1, 0] > 0.21


def test_loads_act_on_every_body():
    """A body in a resisting medium reaches its terminal speed m g / c."""
    pile = sb.Pile("rain", loads=lambda m, body: m.force("drag", body, -2.0 * body.mass_centre.velocity()))
    pile.many("drop", sb.sphere(0.1), at=[(0, 0, 0), (1, 0, 0)], mass=0.5)
    motion = pile.simulate(3.0, step=0.01, every=300)
    assert motion.velocities[-1, :, 2] == pytest.approx([-0.5 * 9.81 / 2] * 2, rel=1e-3)


def test_a_stepper_takes_batches():
    pile = sb.Pile("ball", restitution=0.5)
    pile.many("ball", sb.sphere(0.1), at=[(0, 0, 0.2)], mass=1.0)
    pile.wall("floor")
    step = pile.stepper(0.02, substeps=4)
    many = np.repeat(pile.start[None], 3, axis=0)
    many[:, 0, 2] += [0.0, 0.1, 0.2]
    after = step(step(many))
    assert np.array_equal(after[0], step(step(pile.start)))
    assert after[2, 0, 2] > after[1, 0, 2] > after[0, 0, 2]
    with pytest.raises(sb.errors.SimulationError, match="bodies x 13"):
        step(np.zeros((2, 13)))


# ------------------------------------------------------------------------------------------------------- compliance


def test_a_compliant_floor_is_a_spring():
    """Half a period of z = r - C m g (1 - cos ω t), ω² = 1 / (C m), as the steps become shorter; then it comes to rest at r - C m g."""
    m, C, g = 2.0, 1e-4, 9.81
    deep, w = C * m * g, 1 / np.sqrt(C * m)
    pile = sb.Pile("ball", compliance=C)
    pile.many("b", sb.sphere(0.1), at=[(0, 0, 0.1)], mass=m)
    pile.wall("floor")
    off = []
    for steps in (200, 800):
        motion = pile.simulate(np.pi / w, step=np.pi / w / steps)
        off.append(np.abs(motion.positions[:, 0, 2] - 0.1 + deep * (1 - np.cos(w * motion.t))).max())
    assert off[1] < 0.3 * off[0] < 0.3 * 0.05 * deep
    rest = pile.simulate(1.0, step=0.005)
    assert rest.missed == 0
    assert rest.positions[-1, 0, 2] - 0.1 == pytest.approx(-deep, rel=1e-5)
    assert -rest.contacts.gaps[0] == pytest.approx(C * rest.contacts.impulses[0, 2] / 0.005, rel=1e-5)


def test_a_compliant_contact_that_sticks_does_not_creep():
    """A box on a slope: gaps are those of springs in each of its corners, and friction holds it. `stabilise` leaves what
    is elastic, but for motions within a step."""
    for stabilise, near in ((0.0, 1e-6), (0.3, 0.01)):
        pile = sb.Pile("slope", gravity=(2.0, 0, -9.81), friction=0.5)
        pile.many("box", sb.box(0.2, 0.2, 0.1), at=[(0, 0, 0.05)], mass=3.0)
        pile.wall("floor", compliance=1e-7)
        motion = pile.simulate(0.6, step=0.002, every=150, stabilise=stabilise, tolerance=1e-9)
        assert motion.missed == 0
        forces = motion.contacts.impulses / 0.002
        assert forces.sum(axis=0) == pytest.approx((-6.0, 0, 29.43), abs=1e-4)
        assert -motion.contacts.gaps == pytest.approx(1e-7 * forces[:, 2], rel=near)
        assert np.abs(motion.positions[2] - motion.positions[1]).max() < 1e-10
        assert motion.positions[2, 0, 0] > 1e-7 * 6.0 / 4


def test_compliance_is_that_of_a_pair_and_steppers_refuse_it():
    pile = sb.Pile("balls", compliance=1e-6)
    pile.many("a", sb.sphere(0.1), at=[(0, 0, 0.1)], mass=1.0)
    pile.many("b", sb.sphere(0.1), at=[(0.5, 0, 0.1)], mass=1.0, compliance=1e-5)
    pile.wall("floor", compliance=0)
    pile.pair("b", "floor", compliance=2e-5)
    rest = pile.simulate(0.5, step=0.005)
    assert 0.1 - rest.positions[-1, :, 2] == pytest.approx((0, 9.81 * 2e-5), abs=1e-9)
    with pytest.raises(sb.errors.SimulationError, match="steppers keep states alone"):
        pile.stepper(0.01)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda p: sb.Pile("q", compliance=-1), "pile 'q': compliance = -1: .* at least 0"),
        (lambda p: p.wall("w", compliance=float("nan")), "pile 'p', 'w': compliance = nan is not a finite"),
        (lambda p: p.pair("a", "a", compliance="1e-8 m/N"), "a and a: compliance must be one number, got '1e-8 m/N'"),
        (lambda p: p.many("b", sb.sphere(1), at=[(0, 0, 0)], mass=1, compliance=[0]), "'b': compliance must be one"),
    ],
)
def test_a_compliance_that_is_none_is_named_with_its_part(made, said):
    pile = sb.Pile("p")
    pile.many("a", sb.sphere(0.1), at=[(0, 0, 0)], mass=1)
    with pytest.raises(sb.ModelError, match=said):
        made(pile)


def test_the_polyhedron_of_a_box_is_the_hull_of_its_corners():
    half = np.array((0.3, 0.2, 0.7))
    corners = half * [(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    pile = sb.Pile("p")
    pile.many("box", sb.box(*(2 * half)), at=[(0, 0, 1)], density=1000)
    pile.many("hull", corners, at=[(2, 0, 1)], density=1000)
    box, hull = (k.solid for k in pile.kinds)
    assert box.content == pytest.approx(hull.content)
    for solid in (box, hull):
        assert [len(f) for f in solid.faces] == [4] * 6
        assert len(solid.edges) == 12
        for plane, face in zip(solid.planes, solid.faces, strict=True):
            np.testing.assert_allclose(solid.corners[list(face)] @ plane[:3], plane[3], rtol=1e-12)
            first, second, third = solid.corners[list(face[:3])]
            assert np.cross(second - first, third - second) @ plane[:3] > 0
        for a, b, one, two in solid.edges:
            across = np.cross(solid.planes[one][:3], solid.planes[two][:3])
            assert across @ (solid.corners[b] - solid.corners[a]) > 0
    assert sorted(map(tuple, box.planes.tolist())) == sorted(
        (*(s * np.eye(3)[k]), half[k]) for k in range(3) for s in (-1, 1)
    )


# ------------------------------------------------------------------------------------------------------- faults


def test_a_mesh_that_is_not_convex_is_named():
    surface = sb.box(1, 1, 1)
    bent = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.1, 0.1, 0.1)])
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4)]
    mesh = replace(surface, kind="solid", surface=array("d", bent[np.array(faces)].ravel()))
    with pytest.raises(sb.ModelError, match=r"not convex: a corner is .* above triangle 3"):
        sb.Pile("p").many("star", mesh, at=[(0, 0, 0)], mass=1.0)


def test_a_large_mesh_that_is_not_convex_is_named_and_a_convex_one_taken():
    """A cube of 43 200 triangles, and with one of its corners moved inwards: in linear time."""
    n = 60
    grid = np.array([(i, j) for i in range(n) for j in range(n)]) / n
    half = np.array([(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)]) / n
    face = np.pad((grid[:, None] + half).reshape(-1, 2) - 0.5, ((0, 0), (0, 1)), constant_values=0.5)
    sides = [np.roll(face, k, axis=1) for k in range(3)]
    cube = np.concatenate([*sides, *(-x.reshape(-1, 3, 3)[:, ::-1].reshape(-1, 3) for x in sides)])
    dented = np.where(
        np.abs(cube - (0.5, 1 / n - 0.5, 1 / n - 0.5)).max(axis=1, keepdims=True) < 1e-9, 0.9 * cube, cube
    )

    def mesh(corners):
        volume = np.linalg.det(corners.reshape(-1, 3, 3)).sum() / 6
        return replace(
            sb.box(1, 1, 1), kind="solid", content=sb.algebra.as_expr(volume), surface=array("d", corners.ravel())
        )

    pile = sb.Pile("p")
    pile.many("cube", mesh(cube), at=[(0, 0, 1)], density=1000)
    assert len(pile.kinds[0].solid.corners) == 8
    with pytest.raises(
        sb.ModelError, match=r"'dented': the mesh is not convex: its volume is 0\.999.*, that of its hull 1;"
    ):
        pile.many("dented", mesh(dented), at=[(0, 0, 1)], density=1000)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda p: p.many("b", sb.torus(1, 0.1), at=[(0, 0, 0)], mass=1), "a torus has no surface"),
        (lambda p: p.many("b", [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], at=[(0, 0, 0)], mass=1), "in one plane"),
        (lambda p: p.many("b", sb.sphere(1), at=[(0, 0)], mass=1), "n x 3 finite numbers"),
        (
            lambda p: p.many("b", sb.sphere(1), at=[(0, 0, 0), (0, np.nan, 0)], mass=1),
            r"'b': at: .* got nan at \[1, 1\]",
        ),
        (
            lambda p: p.many("b", {"left": sb.sphere(1)}, at=[(0, 0, 0)], mass=1),
            "one shape, got those of 'left'; take one",
        ),
        (lambda p: p.many("b", sb.sphere(1), at=[(0, 0, 0)]), "mass= or density="),
        (lambda p: p.many("b", sb.sphere(sb.symbol("r")), at=[(0, 0, 0)], mass=1), "sizes in numbers"),
        (lambda p: p.pair("a", "b", friction=1), "there is no part 'a'"),
        (
            lambda p: (p.wall("w"), p.wall("v"), p.pair("w", "v")),
            "w and v: give friction=, restitution= or compliance=",
        ),
        (lambda p: p.many("b", sb.sphere(1), at=[(0, 0, 0)], mass=1, sides=4), "sides = 4 is for a cylinder"),
        (lambda p: p.wall("w", at="5 mm"), "at: numbers without units and quotes"),
        (lambda p: p.wall("w", at=5), "at: 3 finite numbers, got 5"),
        (lambda p: p.wall("w", normal=(0, 0, 0)), "no direction"),
        (lambda p: p.wall("w", restitution=2), "restitution from 0 to 1"),
    ],
)
def test_faults_of_descriptions(made, said):
    with pytest.raises(sb.ModelError, match=said):
        made(sb.Pile("p"))


def test_a_pair_without_a_gap_is_named():
    pile = sb.Pile("p")
    pile.many("roll", sb.cylinder(0.1, 0.2), at=[(0, 0, 0)], mass=1)
    pile.many("box", sb.box(1, 1, 1), at=[(2, 0, 0)], mass=1)
    with pytest.raises(
        sb.errors.SimulationError,
        match=r"roll \(cylinder\) and box \(polyhedron\) have no gap.* sides=24 in many\(\.\.\.\)",
    ):
        pile.simulate(1.0, step=0.01)


def roll_under_a_brick(sides: int | None) -> sb.Pile:
    m = sb.Model("roller")
    roll = m.body("roll", mass=5.0, inertia=(0.1, 0.1, 0.1))
    m.revolute("a", m.ground, roll, axis="y", actuation=1.0)
    pile = sb.Pile("p", friction=0.5)
    pile.many("brick", sb.box(0.1, 0.1, 0.1), at=[(0, 0, 0.25)], density=1000)
    pile.mechanism(sb.assemble(sb.derive(m)), {"roll": (roll, sb.cylinder(0.2, 0.3, axis="y"))}, sides=sides)
    return pile


def test_cylinders_of_a_mechanism_can_be_prisms():
    """A brick on a roll that begins to turn is carried along; without sides the message says what to write."""
    moved = roll_under_a_brick(24).simulate(0.3, step=2e-3)
    assert moved.positions[-1, 0, 0] > 0.01
    assert moved.positions[-1, 0, 2] > 0.2
    with pytest.raises(sb.errors.SimulationError, match=r"sides=24 in mechanism\(\.\.\.\) it is a prism"):
        roll_under_a_brick(None).simulate(0.3, step=2e-3)
    with pytest.raises(sb.ModelError, match="sides = 2: a whole number from 3"):
        roll_under_a_brick(2)


def test_overlapping_starts_by_the_thousand_are_refused():
    """Two thousand balls at one place: two million pairs, bounded in time and memory."""
    pile = sb.Pile("p")
    pile.many("ball", sb.sphere(0.1), at=np.zeros((2000, 3)), mass=1)
    with pytest.raises(
        sb.errors.SimulationError, match=r"overlap at the start in .* such as ball\[\d+\] and ball\[\d+\] \(gap -0.2\)"
    ):
        pile.simulate(1.0, step=0.01)


def test_states_stream_to_disk_by_column(tmp_path):
    """The rows are the states of a motion in memory, of the bodies and columns that were chosen."""

    def rows(**more):
        pile = sb.Pile("two kinds", friction=0.2)
        pile.many("ball", sb.sphere(0.1), at=[(0, 0, 0.3), (0.5, 0, 0.4)], density=1000)
        pile.many("brick", sb.box(0.1, 0.1, 0.1), at=[(0, 1, 0.5)], density=1000)
        pile.wall("floor")
        return pile.simulate(0.3, step=1e-3, every=2, **more)

    whole = rows()
    ends = rows(to=tmp_path / "run.npy", columns=["velocities", "positions"], of=["brick"])
    table = np.load(tmp_path / "run.npy", mmap_mode="r")
    assert table.dtype.names == ("t", "velocities", "positions")
    assert table["positions"].shape == (151, 1, 3)
    assert np.array_equal(table["t"], whole.t)
    assert np.abs(table["positions"] - whole.positions[:, 2:]).max() < 1e-6
    assert np.abs(table["velocities"] - whole.velocities[:, 2:]).max() < 1e-6
    assert np.array_equal(ends.states, whole.states[[0, -1]])
    assert np.array_equal(ends.t, whole.t[[0, -1]])
    for wrong, message in (
        ({"to": tmp_path / "run.csv"}, "written to a .npy file"),
        ({"to": tmp_path / "x.npy", "columns": ["place"]}, "no column 'place'"),
        ({"to": tmp_path / "x.npy", "columns": ["mechanism"]}, "no column 'mechanism'"),
        ({"to": tmp_path / "x.npy", "of": ["floor"]}, "no kind of bodies that move 'floor'"),
    ):
        with pytest.raises(sb.SymbodyError, match=message):
            rows(**wrong)
    assert not (tmp_path / "x.npy").exists()


def test_a_clump_of_one_ball_moves_as_a_ball():
    def end(shape):
        pile = sb.Pile("x", friction=0.3)
        pile.many("b", shape, at=[(0, 0, 0.3), (0.05, 0.02, 0.6)], mass=2.0, velocities=[(1, 0, 0), (0, 0, 0)])
        pile.many("box", sb.box(0.2, 0.2, 0.2), at=[(0.4, 0, 0.1)], mass=1.0)
        pile.terrain("field", np.zeros((3, 3)), corner=(-5, -5), spacing=(5, 5))
        return pile.simulate(0.4, step=2e-3, tolerance=1e-10).states[-1]

    assert np.abs(end(sb.sphere(0.1)) - end([(0, 0, 0, 0.1)])).max() < 1e-9


def test_moments_of_a_clump_are_those_of_its_balls():
    """Of two balls apart in closed form, of a ball inside of another those of the larger."""
    apart = sb.Pile("apart")
    apart.many("b", [(0, 0, 0, 0.1), (0.5, 0, 0, 0.2)], at=[(0, 0, 1)], density=1000)
    masses = 4000 / 3 * np.pi * np.array([0.1**3, 0.2**3])
    kind = apart.kinds[0]
    assert kind.mass == pytest.approx(masses.sum())
    across = masses @ np.array([0.1**2, 0.2**2]) * 0.4
    steiner = masses.prod() / masses.sum() * 0.25
    assert np.allclose(np.sort(kind.inertia), [across, across + steiner, across + steiner])
    inside = sb.Pile("inside")
    inside.many("b", [(0, 0, 0, 0.2), (0.05, 0, 0, 0.1)], at=[(0, 0, 1)], density=1000)
    assert inside.kinds[0].mass == pytest.approx(4000 / 3 * np.pi * 0.2**3, rel=2e-3)
    assert inside.kinds[0].inertia == pytest.approx(0.4 * 0.04 * inside.kinds[0].mass, rel=3e-3)


def test_clumps_keep_momentum_and_come_to_rest_on_two_points():
    """Dumbbells collide without gravity: Σ m v stays. On a floor one lies on both of its balls."""
    shape = [(-0.1, 0, 0, 0.1), (0.1, 0, 0, 0.1)]
    free = sb.Pile("free", gravity=(0, 0, 0), friction=0.3, restitution=0.5)
    rng = np.random.default_rng(2)
    places = np.mgrid[-1:2, -1:2, -1:2].reshape(3, -1).T * 0.45
    free.many("d", shape, at=places, density=1000, velocities=-3 * places + 0.3 * rng.standard_normal(places.shape))
    motion = free.simulate(0.5, step=1e-3)
    assert motion.most_contacts > 2
    assert np.abs(motion.velocities[-1] - motion.velocities[0]).max() > 0.1
    assert np.abs(motion.momentum - motion.momentum[0]).max() < 1e-9
    lying = sb.Pile("lying", friction=0.5)
    lying.many("d", shape, at=[(0, 0, 0.3)], density=1000, rotations=[(np.cos(0.2), 0, np.sin(0.2), 0)])
    lying.wall("floor")
    rest = lying.simulate(1.5, step=2e-3)
    assert rest.positions[-1, 0, 2] == pytest.approx(0.1, abs=1e-3)
    assert len(rest.contacts.gaps) == 2
    assert rest.contacts.impulses[:, 2].sum() == pytest.approx(lying.kinds[0].mass * 9.81 * 2e-3, rel=1e-6)


def test_faults_of_clumps_and_of_fine_meshes_are_named():
    pile = sb.Pile("faults")
    with pytest.raises(sb.ModelError, match="a positive radius"):
        pile.many("c", [(0, 0, 0, -0.1)], at=[(0, 0, 0)], density=1)
    with pytest.raises(sb.ModelError, match="more than 256 balls"):
        pile.many("c", np.ones((300, 4)), at=[(0, 0, 0)], density=1)


def stack():
    pile = sb.Pile("stack", friction=0.5)
    pile.many("box", sb.box(0.1, 0.1, 0.1), at=[(0, 0, 0.04), (0, 0, 0.13), (0, 0, 0.2)], density=1000)
    pile.wall("floor")
    return pile


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tolerance": 0}, "tolerance = 0: a residual above 0"),
        ({"most_sweeps": 0}, "most_sweeps = 0: a whole number of at least 1"),
        ({"most_sweeps": 2.5}, "most_sweeps = 2.5: a whole number"),
        ({"stabilise": 2}, "stabilise = 2: the part of the penetration, from 0 to 1"),
        ({"every": 0}, "every = 0: a whole number of at least 1"),
        ({"sleep": -1e-3}, r"sleep = -0\.001: a speed of at least 0"),
        ({"columns": ["velocities"]}, "columns= and of= choose what to= writes"),
    ],
)
def test_arguments_that_would_do_nothing_are_refused(given: dict[str, Any], said):
    with pytest.raises(sb.SymbodyError, match=said):
        stack().simulate(0.1, step=0.01, **given)


def test_whole_numbers_of_numpy_are_whole_numbers():
    pile, eight = sb.Pile("p"), cast(Any, np.int64(8))
    pile.many("can", sb.cylinder(0.1, 0.2), at=[(0, 0, 3)], mass=1.0, sides=eight)
    two: Any = np.int64(2)
    assert len(pile.simulate(0.1, step=0.01, every=two).t) == 6
    assert pile.stepper(0.01, substeps=two)(pile.start).shape == (1, 13)
    wrong: Any
    for wrong in (0, 1.5, True):
        with pytest.raises(sb.SymbodyError, match=r"substeps = .*: a whole number of at least 1"):
            pile.stepper(0.01, substeps=wrong)


def test_more_states_than_fit_into_memory_are_refused():
    with pytest.raises(sb.SymbodyError, match=r"states take .* GB; keep fewer with every=, or write them with to="):
        stack().simulate(1e9, step=1e-3)


def test_overlaps_of_a_start_are_counted_by_pairs():
    """Boxes that stand on each other have four points for each pair, which are one place."""
    motion = stack().simulate(0.4, step=2e-3, stabilise=0.2)
    pairs = "box[1] and box[2] (gap -0.03), box[0] and a wall (gap -0.01), box[0] and box[1] (gap -0.01)"
    assert f"at 3 places, such as {pairs}; stabilise= moves them apart" in motion.outcome.notes[0]
    assert motion.positions[-1, :, 2] == pytest.approx([0.05, 0.15, 0.25], abs=1e-6)


@pytest.mark.parametrize(("every", "t"), [(3, [0, 0.3, 0.6, 0.9, 1.0]), (70, [0, 0.7, 1.0])])
def test_the_last_state_is_kept(every, t):
    pile = sb.Pile("fall")
    pile.many("ball", sb.sphere(0.5), at=[(0, 0, 10)], mass=1.0)
    motion = pile.simulate(1.0, step=0.1 if every == 3 else 0.01, every=every)
    assert motion.t == pytest.approx(t)
    assert motion.positions[-1, 0, 2] == pytest.approx(10 - 9.81 / 2)
    assert len(motion.states) == len(t)


def test_steps_are_no_longer_than_they_are_given():
    motion = stack().simulate(0.25, step=0.1, stabilise=0.2)
    assert motion.t == pytest.approx([0, 0.25 / 3, 0.5 / 3, 0.25])
    assert len(stack().simulate(0.3, step=0.1, stabilise=0.2).t) == 4


def test_bodies_that_may_pass_through_others_are_noted():
    pile = sb.Pile("shot")
    pile.many("bullet", sb.sphere(0.005), at=[(0, 0, 1)], density=1000, velocities=[(0, 0, -300)])
    pile.many("plate", sb.box(1, 1, 0.01), at=[(0, 0, 0.5)], fixed=True)
    note = pile.simulate(0.01, step=1e-3, every=5).outcome.notes[-1]
    assert "1 body moved further in a step than the surface is from the centre, such as bullet[0] (0.3 m)" in note
    caught = pile.simulate(0.01, step=1e-5, every=500)
    assert not caught.outcome.notes
    assert caught.positions[-1, 0, 2] == pytest.approx(0.51, abs=2e-3)


def test_rotations_are_those_of_the_shapes_as_they_are_drawn(tmp_path):
    """Also of hulls, whose principal axes are others, in memory and on disk."""
    rng = np.random.default_rng(3)
    corners, e = rng.normal(size=(9, 3)), np.array([[1.0, 2.0, -1.0, 0.5], [0.3, 0.1, 0.4, 0.2]])
    w = np.array([[0.5, -1.0, 2.0], [0.0, 1.0, 0.0]])
    pile = sb.Pile("gems", gravity=(0, 0, 0))
    pile.many("ball", sb.sphere(0.1), at=[(9, 0, 0)], mass=1.0)
    pile.many("still", corners, at=[(30, 0, 0)], fixed=True)
    pile.many("gem", corners, at=[(0, 0, 0), (0, 20, 0)], mass=1.0, rotations=e, angular_velocities=w)
    motion = pile.simulate(0.01, step=1e-3)
    unit = e / np.linalg.norm(e, axis=1)[:, None]
    assert np.abs((motion.rotations[0, 1:] * unit).sum(axis=1)) == pytest.approx([1.0, 1.0])
    assert motion.angular_velocities[0, 1:] == pytest.approx(w)
    assert np.abs(pile.kinds[2].solid.turn - np.eye(3)).max() > 0.1
    pile.simulate(0.01, step=1e-3, to=tmp_path / "gems.npy", columns=["rotations", "angular_velocities"], of=["gem"])
    rows = np.load(tmp_path / "gems.npy")
    assert rows["rotations"] == pytest.approx(motion.rotations[:, 1:], abs=1e-6)
    assert rows["angular_velocities"] == pytest.approx(motion.angular_velocities[:, 1:], abs=1e-5)
