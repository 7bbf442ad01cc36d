"""Free-body diagrams and sketches: every arrow is a force of the equations, words stand apart, text is escaped."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from xml.etree import ElementTree

import numpy as np
import pytest

import symbody as sb
from symbody.errors import ViewError
from symbody.view.diagrams.flat_view import convex_hull, posed_mechanism


@lru_cache(maxsize=1)
def slider_crank() -> sb.derivation.Equations:
    m = sb.Model("slider crank")
    p = m.parameters(r=0.2, l=0.5, m1=1.0, m2=2.0, m3=3.0, g=9.81, k=50.0, l_0=0.3)
    m.gravity(0, -p.g, 0)
    crank = m.body("crank", mass=p.m1, com=(p.r / 2, 0, 0), inertia=(0, 0, 0.01))
    rod = m.body("rod", mass=p.m2, com=(p.l / 2, 0, 0), inertia=(0, 0, 0.02))
    slider = m.body("slider", mass=p.m3, inertia=(0.01, 0.01, 0.01))
    m.revolute("A", m.ground, crank, damping=0.3)
    m.revolute("B", crank, rod, at=(p.r, 0, 0))
    m.prismatic("D", m.ground, slider, axis="x")
    m.coincide("C", rod.point(p.l, 0, 0), slider.point(0, 0, 0))
    m.spring("spring", slider.point(0, 0, 0), m.ground.point(1.2, 0.1, 0), stiffness=p.k, rest=p.l_0)
    return sb.derive(m)


@lru_cache(maxsize=1)
def arm() -> sb.derivation.Equations:
    """Two bars in space on crossed axes, with a motor, a spring on a coordinate, a push, and a ball placed by hand."""
    m = sb.Model("arm")
    m.gravity(0, 0, -9.81)
    upper = m.body("upper", mass=1.5, com=(0, 0.1, -0.4), inertia=(0.2, 0.18, 0.05))
    lower = m.body("lower", mass=1.0, com=(0.3, 0, 0), inertia=(0.06, 0.2, 0.18))
    m.revolute("a", m.ground, upper, axis="x", stiffness=4.0)
    m.revolute("b", upper, lower, axis="y", at=(0, 0, -1), damping=0.7)
    m.force("push", lower, 3 * lower.frame.y, at=lower.point(0.6, 0, 0))
    s = m.coordinate("s")
    m.particle("ball", lower.frame.translate(s, 0.1 * s**2, 0).origin, mass=0.4)
    return sb.derive(m)


@lru_cache(maxsize=1)
def states() -> list[sb.State]:
    return [
        sb.assemble(slider_crank(), A=0.7, A_dot=3.0, start={"B": -0.9, "D": 0.6}),
        sb.assemble(arm(), a=0.4, b=-0.6, s=0.2, a_dot=1.2, b_dot=-0.8, s_dot=0.5),
    ]


@lru_cache(maxsize=2)
def drawn(k: int) -> sb.view.Diagram:
    return sb.view.free_body(states()[k])


def _rates(state: sb.State, body: sb.bodies.Body) -> tuple[np.ndarray, ...]:
    """m a and d/dt (I ω), and the place of the mass centre, by the definition of each."""
    eq = state.equations
    spin = body.inertia().dot(body.frame.angular_velocity()).dt(eq.mechanism.ground)
    things = sb.derivation.in_own_terms(
        eq, [body.mass.m * body.mass_centre.acceleration().in_ground, spin.in_ground, body.mass_centre.in_ground], True
    )
    return tuple(np.array(sb.evaluate(x, eq.values(state.values)), dtype=float).reshape(3) for x in things)


@pytest.mark.parametrize("k", [0, 1])
def test_arrows_of_each_body_are_in_balance_with_its_acceleration(k):
    """Σ F = m a and Σ M + (r - c) × F = d/dt (I ω), from what is drawn."""
    state, diagram = states()[k], drawn(k)
    for body in state.equations.mechanism.bodies:
        force, moment, centre = _rates(state, body)
        own = [a for a in diagram.arrows if a.body == body.name]
        F = sum((np.array(a.vector) for a in own if a.quantity == "force"), np.zeros(3))
        M = sum((np.array(a.vector) for a in own if a.quantity == "torque"), np.zeros(3))
        M = M + sum((np.cross(np.array(a.at) - centre, a.vector) for a in own if a.quantity == "force"), np.zeros(3))
        scale = sum(a.magnitude for a in own)
        assert np.abs(F - force).max() <= 1e-8 * scale, body.name
        assert np.abs(M - moment).max() <= 1e-8 * scale, body.name


@pytest.mark.parametrize("k", [0, 1])
def test_with_inertia_everything_balances(k):
    """D'Alembert: all arrows of a body add up to nothing."""
    for plate in sb.view.free_body(states()[k], inertia=True).plates:
        scale = sum(a.magnitude for a in plate.arrows)
        F = sum((np.array(a.vector) for a in plate.arrows if a.quantity == "force"), np.zeros(3))
        assert np.abs(F).max() <= 1e-8 * scale


@pytest.mark.parametrize("k", [0, 1])
@pytest.mark.parametrize("symbolic", [True, False])
def test_action_and_reaction(k, symbolic):
    """What a joint exerts on its two bodies adds up to nothing, arrow by arrow, under one symbol."""
    diagram = sb.view.free_body(states()[k], symbolic=symbolic)
    joints = {j.name: j for j in states()[k].equations.mechanism.joints}
    inner = {n for n, j in joints.items() if "ground" not in (j.parent, j.child)} | ({"C"} if k == 0 else {"ball"})
    for name in inner:
        pairs: dict[str, list[sb.view.ForceArrow]] = {}
        for a in diagram.arrows:
            if a.name == name and a.kind == "reaction":
                pairs.setdefault(a.symbol, []).append(a)
        assert pairs
        for symbol, both in pairs.items():
            assert len({a.body for a in both}) == 2, (name, symbol)
            total = np.sum([a.vector for a in both], axis=0)
            assert np.abs(total).max() <= 1e-9 * max(a.magnitude for a in both)
            assert np.allclose(both[0].at, both[1].at, atol=1e-9)


def test_forces_are_those_of_the_trajectory():
    """Arrows of a joint are its reaction along a motion, at the chosen time."""
    sim = sb.simulate(arm(), 0.5, a=0.4, b=-0.6)
    force, moment = sim.at([0.3]).reactions(["b"], "ground")["b"]
    diagram = sb.view.free_body(sim.at(0.3), "lower")
    for quantity, value in (("force", force), ("torque", moment)):
        found = [
            np.array(a.vector) for a in diagram.arrows if (a.name, a.kind, a.quantity) == ("b", "reaction", quantity)
        ]
        assert np.allclose(np.sum(found, axis=0), value.reshape(3), atol=1e-9)
    with pytest.raises(ViewError, match=r"sim\.at\(t\) is one of them"):
        sb.view.free_body(sim)


def test_symbols():
    diagram = sb.view.free_body(states()[0], symbolic=True)
    by_body = {p.title: {a.symbol for a in p.arrows} for p in diagram.plates}
    assert by_body["rod"] == {"$m_{2} g$", "$B_{x}$", "$B_{y}$", "$C_{x}$", "$C_{y}$"}
    assert by_body["slider"] >= {"$m_{3} g$", "$D_{y}$", r"$k \left(\ell - l_{0}\right)$"}
    assert "length of spring" in diagram.caption
    assert "$D_{x}$" not in by_body["slider"]


def test_greek_names_are_letters(tmp_path):
    """Joints named theta and phi_2 on a cart; drawn, so that the formulas are valid."""
    m = sb.Model("cart and poles")
    m.gravity(0, -9.81, 0)
    parent = m.body("cart", mass=1)
    m.prismatic("x", m.ground, parent)
    for name in ("theta", "phi_2"):
        bar = m.body(f"bar {name}", mass=1, com=(0, -1, 0))
        m.revolute(name, parent, bar)
        parent = bar
    diagram = sb.view.free_body(sb.derive(m), "bar theta")
    assert {a.symbol for a in diagram.arrows} >= {r"$F_{\theta x}$", r"$F_{\phi_{2} y}$"}
    assert diagram.save(tmp_path / "a.svg").stat().st_size > 1000


def test_axes_of_a_body():
    """Components along the rod are those of its own axes."""
    state = states()[0]
    diagram = sb.view.free_body(state, "rod", axes="rod")
    R = np.array(
        sb.evaluate(state.equations.mechanism.body("rod").frame.x.in_ground, state.equations.values(state.values)),
        dtype=float,
    )
    along = next(a for a in diagram.arrows if a.symbol == "$B_{x}$")
    assert abs(abs(np.dot(along.vector, R.reshape(3))) - along.magnitude) < 1e-9 * along.magnitude
    with pytest.raises(ViewError, match="rodd"):
        sb.view.free_body(state, axes="rodd")
    with pytest.raises(ViewError, match="Did you mean 'rod'"):
        sb.view.free_body(state, "rodd")


def test_models_without_numbers_are_drawn():
    m = sb.Model("pendulum")
    l, mass, g = m.parameters("l m g")
    m.revolute("A", m.ground, m.body("bob", mass=mass, com=(0, -l, 0)))
    m.gravity(0, -g, 0)
    eq = sb.derive(m)
    assert [a.symbol for a in sb.view.free_body(eq).arrows] == ["$m g$", "$A_{x}$", "$A_{y}$"]
    assert [w.text for w in sb.view.sketch(eq).plates[0].words if "A" in w.text] == ["$A$"]


def crank_on_a_line() -> sb.Model:
    m = sb.Model("slider crank")
    a, b = m.parameters("a b", 0.3, 0.9)
    crank, rod, piston = (m.body(n, mass=1.0) for n in ("crank", "rod", "piston"))
    m.revolute("q", m.ground, crank)
    m.revolute("s", crank, rod, at=(a, 0, 0))
    m.prismatic("x", m.ground, piston, axis="x")
    m.revolute("C", rod, piston, at=(b, 0, 0))
    return m


def test_loops_are_drawn_off_their_dead_positions():
    """At zero all joints of this slider crank are on one line; given values hold."""
    eq = sb.derive(crank_on_a_line())
    posed = posed_mechanism(eq, {}, None, "sketch")
    state = posed.motion.segments[0].state(0)
    assert abs(np.sin(state["q"])) > 0.3
    assert abs(state["x"] - 0.3 * np.cos(state["q"]) - 0.9 * np.cos(state["q"] + state["s"])) < 1e-9
    dead = posed_mechanism(eq, {"q": 0.0, "x": 1.2}, None, "sketch").motion.segments[0].state(0)
    assert (dead["q"], dead["x"]) == (0.0, 1.2)


def test_written_constraints():
    """On the motion of one joint or body its force is drawn; across several joints the paths of forces are not
    determined, and the error names what to write instead."""
    m = sb.Model("bead on a circle")
    l = m.parameter("l", 1.0)
    x, y = m.coordinates("x y")
    m.particle("bead", m.ground.point(x, y, 0), mass=2.0)
    m.gravity(0, -10.0, 0)
    m.constrain("wire", x**2 + y**2 - l**2)
    eq = sb.derive(m)
    assert {a.name for a in sb.view.free_body(eq).arrows} == {"gravity", "wire"}
    pushes = {a.symbol: a for a in sb.view.free_body(sb.assemble(eq, x=0.6, start={"y": -0.8}, x_dot=1.6)).arrows}
    wire = sum(np.array(a.vector) for a in pushes.values() if a.name == "wire")  # m v²/l + m g cos(angle)
    assert np.allclose(wire, (2.0 * 4.0 + 2.0 * 10.0 * 0.8) * np.array([-0.6, 0.8, 0.0]))
    m = sb.Model("two sliders")
    first = m.prismatic("p", m.ground, m.body("a", mass=1.0), axis="x").coordinates[0]
    second = m.prismatic("s", m.ground, m.body("b", mass=1.0), axis="y").coordinates[0]
    m.constrain("rod", first**2 + second**2 - 1)
    with pytest.raises(
        sb.errors.DerivationError, match=r"constraint 'rod' .* close the loop by a joint or m\.coincide"
    ):
        sb.view.free_body(sb.derive(m), p=0.6)


# ---------------------------------------------------------------------------------------------------------- pictures


def _overlaps(a, b) -> bool:
    return bool(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3])


def pictures() -> list[sb.view.Diagram]:
    return [
        drawn(0),
        drawn(1),
        sb.view.free_body(states()[1], symbolic=True, inertia=True),
        *(sb.view.sketch(s) for s in states()),
    ]


def test_words_are_inside_and_apart():
    for diagram in pictures():
        for plate in diagram.plates:
            boxes = [w.box for w in plate.words]
            assert boxes
            assert not [1 for k, a in enumerate(boxes) for b in boxes[:k] if _overlaps(a, b)], diagram
            left, low, right, high = plate.box
            assert all(left <= b[0] and low <= b[1] and b[2] <= right and b[3] <= high for b in boxes)
            points = np.concatenate([s.points for s in plate.strokes])
            assert (points >= [left, low]).all()
            assert (points <= [right, high]).all()


def test_arrows_point_along_their_vectors():
    """The head of each straight arrow lies along the projection of its force."""
    diagram = drawn(0)
    for plate in diagram.plates:
        heads = [
            s.points
            for s in plate.strokes
            if s.fill and not s.width and len(s.points) == 3 and s.fill not in ("ink", "soft")
        ]
        ways = [h[0] - h[1:].mean(axis=0) for h in heads]
        ways = [w / np.linalg.norm(w) for w in ways]
        for a in plate.arrows:
            if a.quantity == "force":
                v = np.array(a.vector[:2]) / a.magnitude
                assert max(float(w @ v) for w in ways) > 1 - 1e-9


def test_files(tmp_path):
    """Valid XML without addresses of elsewhere; a PDF; the forces as a table and as JSON."""
    for k, diagram in enumerate(pictures()[::3]):
        path = diagram.save(tmp_path / f"{k}.svg")
        text = path.read_text()
        ElementTree.fromstring(text)
        assert not re.findall(r'(?:href|src)="(?!#|data:)[^"]*"', text)
    assert drawn(0).save(tmp_path / "a.pdf").read_bytes()[:5] == b"%PDF-"
    rows = json.loads(drawn(0).save(tmp_path / "a.json").read_text())["arrows"]
    assert len(rows) == len(drawn(0).arrows)
    assert (tmp_path / "a.json").exists()
    assert drawn(0).save(tmp_path / "a.csv").read_text().startswith("body,name,kind")
    page = drawn(0).save(tmp_path / "a.html").read_text()
    assert "numbers are magnitudes" in page


HOSTILE = '<script>alert("$x$")</script> & \\frac{'


def test_hostile_names_are_text(tmp_path):
    m = sb.Model(HOSTILE)
    bob = m.body(HOSTILE, mass=1.0, com=(0, -1, 0))
    m.revolute(HOSTILE, m.ground, bob)
    m.gravity(0, -9.81, 0)
    m.force(HOSTILE + "2", bob, m.ground.x + m.ground.y, at=bob.point(0, -1, 0))
    eq = sb.derive(m)
    for diagram in (sb.view.free_body(eq), sb.view.sketch(eq), sb.view.free_body(sb.assemble(eq))):
        text = diagram.save(tmp_path / "a.html").read_text()
        assert "<script>alert" not in text
        root = ElementTree.fromstring(diagram.svg())
        assert "alert(" in "".join(root.itertext())


# ---------------------------------------------------------------------------------------------------------- sketches


def test_sketches_have_their_coordinates():
    words = {w.text for w in sb.view.sketch(states()[0]).plates[0].words}
    assert {"$A$", "$B$", "$D$", "crank", "rod", "slider", "spring", "$g$"} <= words
    bare = sb.view.sketch(states()[0], coordinates=False, names=False)
    assert {w.text for w in bare.plates[0].words} == {"$g$"}


def test_sketches_are_in_the_plane():
    """Pins of a planar mechanism are drawn at their places, at one scale."""
    (plate,) = sb.view.sketch(states()[0]).plates
    rings = [s.points for s in plate.strokes if s.fill == "#ffffff" and len(s.points) == 25]
    centres = np.array([r[:-1].mean(axis=0) for r in rings])
    state = states()[0]
    pin = np.array([0.2 * np.cos(state["A"]), 0.2 * np.sin(state["A"])])
    first = centres - centres[0]
    lengths = np.linalg.norm(first[:, None] - first[None], axis=2)
    scale = 4.0 / 0.636
    assert np.abs(lengths - np.linalg.norm(pin) * scale).min() < 0.02 * scale


@pytest.mark.parametrize("seed", range(3))
def test_hull(seed):
    """Every point is to the left of every side."""
    points = np.random.default_rng(seed).normal(size=(30, 2))
    hull = convex_hull(points)
    way = np.roll(hull, -1, axis=0) - hull
    sides = way[:, None, 0] * (points[None, :, 1] - hull[:, None, 1]) - way[:, None, 1] * (
        points[None, :, 0] - hull[:, None, 0]
    )
    assert (sides >= -1e-9).all()
