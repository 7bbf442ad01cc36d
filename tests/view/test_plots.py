"""Figures: what they show, as data and as pictures."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

import symbody as sb
from examples import motorcycle
from symbody.view.figures.drawing import typeset
from symbody.view.figures.plots import plot

from ..integrate.mechanisms import START, double_pendulum, slider_crank


@pytest.fixture(scope="module")
def lin() -> sb.LinearSystem:
    return motorcycle.straight_running()


def _is_picture(figure) -> bool:
    root = ElementTree.fromstring(figure.svg())
    return root.tag.endswith("svg") and "currentColor" in figure.svg()


class TestMotions:
    def test_coordinates_and_speeds(self):
        sim = sb.simulate(double_pendulum(), 2.0, q1=1.0)
        figure = plot(sim)
        assert [p.y_label for p in figure.panels] == ["coordinates [rad]", "speeds [rad/s]", "tip_height [m]"]
        assert [c.label for c in figure.panels[0].curves] == ["q1", "q2"]
        assert len(figure.panels[0].curves[0].x) >= 1000  # smooth
        assert _is_picture(figure)

    def test_what_is_named(self):
        sim = sb.simulate(double_pendulum(), [0.0, 1.0, 2.0], q1=1.0)
        figure = plot(sim, "tip_height", sim.equations.q[0] * 2)
        np.testing.assert_array_equal(figure.panels[0].curves[0].y, sim["tip_height"])
        path = plot(sim, "q2", over="q1").panels[0]
        np.testing.assert_array_equal(path.curves[0].x, sim["q1"])

    def test_energies_and_constraints(self):
        sim = sb.simulate(slider_crank(), 0.5, START)
        figure = plot(sim, "violations", "energies", "steps", "multipliers")
        missed, energies, steps, multipliers = figure.panels
        assert np.ptp(energies.curves[2].y) < 1e-6
        assert (energies.y_label, steps.y_label, multipliers.y_label) == ("energy [J]", "step size [s]", "multipliers")
        assert missed.y_scale == steps.y_scale == "log"
        assert np.sum(steps.curves[0].y) == pytest.approx(0.5, rel=1e-12)
        assert len(steps.curves[0].y) == sim.statistics.steps
        assert _is_picture(figure)

    def test_violations_have_a_floor_at_rounding(self):
        """Values below it are drawn on a named line, and decades above it are shown: rounding does not fill the panel."""
        positions = plot(sb.simulate(slider_crank(), 0.5, START), "violations").panels[0]
        assert min(np.min(c.y) for c in positions.curves) == 2.0**-52
        assert [n.text for n in positions.notes] == ["rounding"]
        assert positions.y_range[1] >= 1e4 * 2.0**-52
        assert [c.label for c in positions.curves] == ["violation of positions [m]", "violation of speeds [m/s]", ""]

    def test_powers_are_the_rate_of_the_kinetic_energy(self, pendulum):
        """∫ of all curves of powers is the change of kinetic energy: nothing is missing among them."""
        sim = sb.simulate(pendulum, 2.0, theta=1.0)
        curves = plot(sim, "powers").panels[0].curves
        assert {c.label for c in curves} == {"gravity", "theta.damper"}
        work = sum(np.trapezoid(c.y, c.x) for c in curves)
        assert work == pytest.approx(sim.kinetic_energy[-1] - sim.kinetic_energy[0], rel=1e-4)

    def test_panels_by_unit_and_short_labels(self, pendulum):
        (theta,), l = pendulum.q, sb.symbol("l", "parameter")
        sim = sb.simulate(pendulum, [0.0, 0.5, 1.0], theta=1.0)
        long = sum((sb.sin(k * theta) * l for k in range(40)), start=theta)
        figure = plot(sim, "theta", long, 2 * theta - 1 * theta.dot.dot, "theta_dot", sb.energy(pendulum))
        assert [p.y_label for p in figure.panels] == ["theta [rad]", "", "theta_dot [rad/s]", "energy [J]"]
        assert [c.label for c in figure.panels[1].curves] == ["theta + l*sin(2*theta) + …", "2*theta - theta_ddot"]
        together = plot(sim, "theta", 2 * theta).panels
        assert [p.y_label for p in together] == ["theta, 2*theta [rad]"]
        assert plot(sim, {"height [m]": -l * sb.cos(theta)}).panels[0].y_label == "height [m]"

    def test_names_of_mechanics_and_units_of_expressions(self, pendulum):
        """Components of momenta by name; a number may stand for a mass, so that a product with one has no unit."""
        (theta,), l = pendulum.q, sb.symbol("l", "parameter")
        sim = sb.simulate(pendulum, [0.0, 0.5, 1.0], theta=1.0)
        L = sb.angular_momentum(pendulum)
        assert plot(sim, L.in_ground[2]).panels[0].y_label == "angular momentum, z [N m s]"
        assert plot(sim, L).panels[0].y_label == "angular momentum [N m s]"
        assert plot(sim, l * sb.sin(theta)).panels[0].y_label == "l*sin(theta) [m]"
        assert plot(sim, l * theta.dot).panels[0].y_label == "l*theta_dot [m/s]"
        assert plot(sim, 3 * l * sb.sin(theta)).panels[0].y_label == "3*l*sin(theta)"

    def test_units_that_differ_have_no_equal_scales(self, pendulum):
        (theta,) = pendulum.q
        sim = sb.simulate(pendulum, 1.0, theta=1.0)
        assert plot(sim, 2 * theta, over="theta").panels[0].is_equal
        assert not plot(sim, "theta_dot", over="theta").panels[0].is_equal
        track = plot(sim, -sb.cos(theta), over=sb.sin(theta), equal=True).panels[0]
        assert track.is_equal
        np.testing.assert_allclose(np.hypot(track.curves[0].x, track.curves[0].y), 1.0)  # a circle
        space = plot([sim, sim], "theta_dot", over=["theta", sb.sin(theta)])
        assert space.panels[0].z_label == "theta_dot [rad/s]"
        assert _is_picture(space)
        with pytest.raises(sb.SymbodyError, match="known at steps"):
            plot(sim, "steps", over="theta")

    @pytest.mark.parametrize(
        ("changes", "labels"),
        [
            ([{"l": 1.0}, {"l": 1.5}], ["l = 1", "l = 1.5"]),
            ([{"theta": 1.0}, {"theta": -1.0}], ["theta = 1", "theta = -1"]),
            ([{"method": "dp5"}, {"method": "radau"}], ["method dp5", "method radau"]),
            ([{"rtol": 1e-6}, {"rtol": 1e-6, "max_step": 0.01}], ["max_step inf", "max_step 0.01"]),
            ([{"l": 1.0, "g": 9.0}, {"l": 1.5, "g": 9.0}, {"l": 1.5, "g": 5.0}], ["l = 1, g = 9", "l = 1.5, g = 9", "l = 1.5, g = 5"]),
            ([{}, {}], ["1", "2"]),
        ],
    )  # fmt: skip
    def test_several_motions_are_told_apart_by_what_differs(self, pendulum, changes, labels):
        sims = [sb.simulate(pendulum, 0.1, **change) for change in changes]
        figure = plot(sims, "theta", "energies")
        assert [[c.label for c in p.curves] for p in figure.panels] == [labels] * 4
        assert [p.y_label for p in figure.panels][1:] == ["kinetic energy [J]", "potential energy [J]", "energy [J]"]
        named = plot({f"run {k}": sim for k, sim in enumerate(sims)}, "theta").panels[0]
        assert [c.label for c in named.curves] == [f"run {k}" for k in range(len(sims))]
        with pytest.raises(sb.SymbodyError, match="one for each"):
            plot(sims, "theta", labels=["a"])


def test_runs_are_named_by_invariants_and_by_independent_coordinates():
    """T27 of the source documents: with the energy kept and without; N22: which coordinate is independent."""
    eq = bead()
    kept, free = (sb.simulate(eq, 0.1, x=1.0, y_dot=1.0, invariants=i) for i in (["energy"], []))
    assert [c.label for c in plot([kept, free], "x").panels[0].curves] == ["invariants energy", "without invariants"]
    asked: dict[str, dict[str, Any]] = {"partition": {"independent": ["y"]}, "qr": {}}
    forms = [sb.simulate(eq, 0.1, x=1.0, form=f, **o) for f, o in asked.items()]
    assert [c.label for c in plot(forms, "x").panels[0].curves] == ["form partition with independent y", "form qr"]


@pytest.fixture(scope="module")
def branches() -> list[sb.stability.Branch]:
    """x = 0 and its pitchfork x² = μ, y = 2 x."""
    x, y, mu = sb.symbols("x y mu")
    eq = sb.from_equations({x: mu * x - x**3, y: 2 * x - y}, {mu: -1.0}, name="fork")
    straight = sb.branch(eq, sb.steady(eq), mu=(-1, 1))
    return [straight, straight.switched()]


class TestBranches:
    def test_several_quantities_in_one_pair_of_axes(self, branches):
        """A list is a panel, as of motions: colours tell quantities, each label has a mark of its own."""
        (panel,) = plot(branches, ["x", "y"]).panels
        lines = [c for c in panel.curves if c.kind in ("line", "dashed")]
        assert {(c.label, c.group, c.mark) for c in lines} == {("x", 0, "circle"), ("y", 1, "square")}
        assert panel.y_label == "x, y"
        np.testing.assert_allclose(lines[-1].y[1:], 2 * lines[2].y[1:], atol=1e-9)
        assert len(plot(branches, "x", "y").panels) == 2
        assert _is_picture(plot(branches, ["x", "y"]))

    def test_names_of_quantities_and_of_branches(self, branches):
        x = sb.symbol("x")
        named = plot({"straight": branches[0], "fork": branches[1]}, {"lean [rad]": "x", "size [rad]": x**2}).panels[0]
        labels = dict.fromkeys(c.label for c in named.curves if c.label)
        assert list(labels) == ["lean, straight", "lean, fork", "size, straight", "size, fork"]
        assert named.y_label == "lean, size [rad]"
        with pytest.raises(sb.SymbodyError, match="2 branches and 1 labels"):
            plot(branches, "x", labels=["a"])
        with pytest.raises(sb.SymbodyError, match="a panel is empty"):
            plot(branches, [])

    def test_marks_at_chosen_values(self, branches):
        """x² = μ: at μ = ¼ the fork has two motions, the straight branch one."""
        panel = plot(branches, "x", mark={"here": 0.25}).panels[0]
        marked = sorted((n.x, n.y) for n in panel.notes if n.text == "here")
        np.testing.assert_allclose(marked, [(0.25, -0.5), (0.25, 0.0), (0.25, 0.5)], atol=1e-9)
        assert plot(branches, "x").size[1] < plot(branches, "x", mark=[0.2, 0.4, 0.6, 0.8]).size[1]  # room for names


def test_numbers_of_a_motion_on_a_branch_are_numbers():
    """A speed that was given as an expression in the varied value has its number at each point."""
    m = sb.Model("wheel")
    V, R = sb.symbols("V R")
    m.parameter("R", 0.5, unit="m")
    body = m.body("wheel", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.revolute("q", m.ground, body, stiffness=0.0)
    eq = sb.derive(m)
    found = sb.branch(eq, sb.steady(eq, {"q_dot": -V / R}, V=1.0), V=(0, 2))
    for k in (0, -1):
        motion = found.motion(k)
        assert float(motion["q_dot"]) == pytest.approx(-found["V"][k] / 0.5)
        assert motion.values["q_dot"] == motion["q_dot"]
    assert plot(found, "q_dot").panels[0].x_label == "V [m/s]"  # of -V / R in rad/s, with R in m


def bead() -> sb.Equations:
    m = sb.Model("bead")
    x, y = m.coordinates("x y")
    m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    m.constrain("ring", x**2 + y**2 - 1)
    return sb.derive(m)


@pytest.fixture(scope="module")
def pendulum() -> sb.Equations:
    m = sb.Model("pendulum")
    p = m.parameters(l=1.0, m=1.0, g=9.81)
    bob = m.body("bob", mass=p.m, com=(0, -p.l, 0))
    m.gravity(0, -p.g, 0)
    m.revolute("theta", m.ground, bob, damping=0.2)
    return sb.derive(m)


class TestFunctions:
    def test_contours_are_the_function(self, pendulum):
        """E = ½ m l² ω² - m g l cos θ at every place, with numbers that are given."""
        figure = plot(pendulum, sb.energy(pendulum), theta=(-3, 3), theta_dot=np.linspace(-2, 2, 7), l=2.0)
        panel = figure.panels[0]
        x, y = np.meshgrid(panel.field.x, panel.field.y, indexing="ij")
        np.testing.assert_allclose(panel.field.z, 2 * y**2 - 2 * 9.81 * np.cos(x), rtol=1e-12)
        assert (panel.x_label, panel.y_label, panel.field.label) == ("theta [rad]", "theta_dot [rad/s]", "energy [J]")
        assert _is_picture(figure)

    def test_flow_is_that_of_the_equations(self, pendulum):
        sim = sb.simulate(pendulum, 0.5, theta=1.0)
        panel = plot(pendulum, theta=(-3, 3), theta_dot=(-2, 2), beside=[sim]).panels[0]
        x, y = np.meshgrid(panel.flow.x, panel.flow.y, indexing="ij")
        np.testing.assert_allclose(panel.flow.across, y)
        np.testing.assert_allclose(panel.flow.up, -9.81 * np.sin(x) - 0.2 * y, atol=1e-12)
        np.testing.assert_array_equal(panel.curves[0].x[-1], sim["theta"][-1])

    def test_expressions_and_python_functions(self):
        x, y, a = sb.symbols("x y a")
        field = plot(sb.sin(x) * a * y, x=(0, 1), y=(0, 2), a=3.0).panels[0].field
        own = plot(lambda x, y, a: np.sin(x) * a * y, x=(0, 1), y=(0, 2), a=3.0).panels[0].field
        np.testing.assert_allclose(field.z, own.z, rtol=1e-14)
        line = plot(x**2, a * x, x=(0, 1), a=2).panels[0]
        assert [c.label for c in line.curves] == ["x**2", "a*x"]
        np.testing.assert_allclose(line.curves[0].y, line.curves[0].x ** 2)

    def test_points_are_on_the_constraints(self):
        """On x² + y² = 1 with y > 0: y, and its rate -x x' / y; gaps where |x| > 1, and refused where none fits."""
        eq = bead()
        figure = plot(eq, "y", "y_dot", x=np.linspace(-1.5, 1.5, 16), x_dot=np.linspace(0.0, 2.0, 5))
        x, v = np.meshgrid(np.linspace(-1.5, 1.5, 16), np.linspace(0.0, 2.0, 5), indexing="ij")
        y, rate = (panel.field.z for panel in figure.panels)
        inside = np.abs(x) < 1
        np.testing.assert_allclose(np.abs(y[inside]), np.sqrt(1 - x[inside] ** 2), rtol=1e-9)
        np.testing.assert_allclose(rate[inside], (-x * v / y)[inside], rtol=1e-9)
        assert np.isnan(y[~inside]).all()
        assert np.ptp(np.sign(y[inside])) == 0  # one sheet
        assert _is_picture(figure)
        with pytest.raises(sb.SymbodyError, match="no state with these values is on the constraints"):
            plot(eq, "y", x=(2.0, 3.0))

    def test_refused(self, pendulum):
        x, a = sb.symbols("x a")
        for call, said in (
            (lambda: plot(x * a, x=(0, 1)), "no value for a"),
            (lambda: plot(x * a, x=1, a=2), "one or two names are given a range"),
            (lambda: plot(x, x=(1, 0)), "to a larger one"),
            (lambda: plot(pendulum, theta=(0, 1), l=(1, 2)), "two states"),
            (lambda: plot(pendulum, "thet", theta=(0, 1)), "Did you mean 'theta'"),
            (lambda: plot(pendulum, "theta", thet=(0, 1)), "Did you mean 'theta'"),
            (lambda: plot(lambda y: y, x=(0, 1)), "called with arrays of x"),
        ):
            with pytest.raises(sb.SymbodyError, match=said):
                call()


class TestLinear:
    def test_root_locus(self, lin):
        locus = lin.root_locus(points=60, V=(1, 40))
        figure = plot(locus)
        assert figure.panels[0].bands == tuple(locus.stable_ranges())
        assert len(figure.panels[0].curves) == locus.eigenvalues.shape[1] + 1
        assert [n.text for n in figure.panels[0].notes] == ["5.895", "10.3"]
        upper = figure.panels[1].curves[0].y
        assert np.nanmin(upper) >= 0
        assert "NaN" not in json.dumps(figure.data())  # gaps, where a pair is real
        assert "loses stability" in figure.caption
        assert _is_picture(figure)
        plane = plot(locus, "plane", label="speed [m/s]").noted(rear_wobble=(-12, 39))
        *_, dots = plane.panels[0].curves
        assert dots.label == "speed [m/s]"
        assert np.nanmin(dots.y) >= 0
        assert (dots.shade[0], dots.shade[-1]) == (1, 40)
        assert plane.panels[0].notes[-1].text == "rear wobble"
        assert _is_picture(plane)
        with pytest.raises(sb.SymbodyError, match=r"no kind 'plain'; there are parts, real, imaginary, plane.*'plane'"):
            plot(locus, "plain")

    def test_zeros_are_not_negative(self):
        """Beside a double zero and a double real eigenvalue: the caption does not call zeros negative, and nothing is
        drawn above the axis."""
        p = sb.symbol("p")
        blocks = np.zeros((6, 6), dtype=object)
        blocks[0, 0], blocks[1, 1], blocks[1, 0], blocks[2, 3], blocks[4, 4], blocks[5, 5], blocks[4, 5] = (
            p - 1,
            -2,
            1,
            1,
            -3,
            -3,
            1,
        )
        Q = sb.matrix(np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0])
        locus = sb.linear_system(Q @ sb.matrix(blocks.tolist()) @ Q.T).root_locus(points=80, p=(0.1, 2.2))
        figure = plot(locus)
        assert figure.caption.startswith("Shaded: no eigenvalue has a positive real part; 2 stay zero.")
        assert [c.kind for c in figure.panels[1].curves] == ["vertical"]
        assert figure.panels[0].bands == (pytest.approx((0.1, 1.0), rel=1e-12),)

    def test_responses(self, lin):
        both = [lin.frequency_response("tau", y, V=20.0) for y in ("phi", "delta")]
        figure = plot(both)
        assert [c.label for c in figure.panels[0].curves] == ["phi", "delta"]
        np.testing.assert_array_equal(figure.panels[1].curves[0].y, both[0].phase)
        assert plot(both[0], "nyquist").panels[0].is_equal
        assert plot(both, "nyquist").panels[0].curves[1].label == "delta"
        marks = plot(lin.frequency_response("tau", "phi", np.geomspace(0.5, 20, 50), V=20.0), "nyquist").panels[0]
        assert [n.text for n in marks.notes] == ["0.5 Hz", "1 Hz", "2 Hz"]  # others are near the origin
        assert len(marks.curves[1].x) == 6
        with pytest.raises(sb.SymbodyError, match="no kind 'nichols'"):
            plot(both, "nichols")
        step = lin.step_response("tau", "phi", V=8.0)
        np.testing.assert_array_equal(plot(step).panels[0].curves[0].y, step.values)

    def test_spectrum_and_chart(self, lin):
        assert len(plot(lin.modes(V=20.0)).panels[0].curves[0].x) == len(lin.modes(V=20.0))
        chart = lin.stability_chart(points=(8, 6), V=(1, 40), eps=(0.3, 0.6))
        figure = plot(chart)
        assert figure.panels[0].field.z.shape == (8, 6)
        assert figure.panels[0].x_scale == "linear"
        assert _is_picture(figure)
        spread = lin.stability_chart(V=np.geomspace(1, 40, 5), eps=(0.3, 0.6))
        assert plot(spread, labels=("speed", "")).panels[0].x_scale == "log"

    def test_shortcuts_of_linear_systems(self, lin):
        """The same figures as those of what they stand for."""
        for short, long in (
            (lin.plot(V=20.0), plot(lin.modes(V=20.0))),
            (lin.plot(V=(1, 40)), plot(lin.root_locus(V=(1, 40)))),
            (lin.plot("tau", "phi", V=20.0), plot(lin.frequency_response("tau", "phi", V=20.0))),
        ):
            assert short.data() == long.data()
        assert lin.plot("tau", "phi", V=20.0, kind="nyquist").title == "Nyquist diagram"
        for wrong in (lambda: lin.plot("tau", V=20.0), lambda: lin.plot(V=(1, 2), eps=(0.1, 0.2), h=(1, 2))):
            with pytest.raises(sb.SymbodyError, match="plot of a linear system"):
                wrong()

    def test_mode_and_design(self, lin):
        weave = lin.modes(V=20.0)[-2]
        arrows = {c.label: c for c in plot(weave).panels[0].curves if c.label}
        assert {"delta", "phi", "phi4"} <= set(arrows)
        assert arrows["phi"].x[1] + 1j * arrows["phi"].y[1] == weave.shape["phi"]
        assert [c.label for c in plot(weave, "Yr").panels[0].curves if c.label] == ["Yr"]
        with pytest.raises(sb.SymbodyError, match="no variable 'fi'"):
            plot(weave, "fi")
        design = sb.stability.design_parameters(lin, [-3.0], ["Cdelta"], V=20.0)
        quantities, parameters = plot(design).panels
        assert quantities.curves[0].y[-1] == design.reached[0].real
        assert [c.label for c in parameters.curves] == ["Cdelta"]
        assert _is_picture(plot(design))


def test_saved_as_picture_and_as_numbers(tmp_path):
    figure = plot(sb.simulate(double_pendulum(), [0.0, 0.5, 1.0], q1=1.0), "q1")
    for ending, start in ((".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<?xml")):
        assert figure.save(tmp_path / f"a{ending}").read_bytes().startswith(start)
    assert json.loads(figure.save(tmp_path / "a.json").read_text())["panels"][0]["curves"][0]["x"] == [0.0, 0.5, 1.0]
    assert figure.save(tmp_path / "a.csv").read_text().splitlines()[1].startswith("q1 [rad],q1,0.0,1.0")
    with pytest.raises(sb.SymbodyError, match=r"\.svg"):
        figure.save(tmp_path / "a.doc")


def _boxes(grid):
    canvas = grid.draw()
    canvas.draw_without_rendering()
    return [ax.bbox for ax in canvas.axes]


class TestSideBySide:
    def test_figures_keep_their_titles_and_captions(self, tmp_path):
        """Letters and captions are in the picture, numbers of all figures in the table."""
        sim = sb.simulate(double_pendulum(), [0.0, 0.5, 1.0], q1=1.0)
        first, second = (replace(plot(sim, n), caption=f"The angle {n}.", title=f"angle {n}") for n in ("q1", "q2"))
        both = first | second
        text = both.svg()
        for said in ("(a) angle q1", "(b) angle q2", "The angle q1.", "The angle q2."):
            assert said in text
        boxes = _boxes(both)
        assert boxes[0].x1 < boxes[1].x0
        assert boxes[0].y0 == pytest.approx(boxes[1].y0)
        assert {row[0] for row in both.rows()} == {"a", "b"}
        assert len(list(both.rows())) == len(list(first.rows())) + len(list(second.rows()))
        assert "<svg" in both.save(tmp_path / "both.html").read_text()
        assert both.save(tmp_path / "both.png").read_bytes().startswith(b"\x89PNG")
        assert json.loads(both.save(tmp_path / "both.json").read_text())["figures"][1]["title"] == "angle q2"

    def test_rows_of_columns(self):
        x = sb.symbol("x")
        figures = [plot(sb.sin(k * x), x=(0, 1)) for k in (1, 2, 3)]
        assert (figures[0] | figures[1] | figures[2]).columns == 3
        grid = sb.view.side_by_side(*figures, columns=2, title="waves")
        boxes = _boxes(grid)
        assert boxes[2].y1 < boxes[0].y0
        assert boxes[2].x0 < boxes[1].x0
        for wrong, said in (
            (lambda: figures[0] | cast(Any, 3), "figures stand beside each other"),
            (sb.view.side_by_side, "no figures"),
        ):
            with pytest.raises(sb.SymbodyError, match=said):
                wrong()


class TestMarks:
    def test_marks_lie_on_the_curves(self):
        """x = cos t: zeros of x' are at multiples of π, where x = ±1."""
        x, v = sb.symbols("x v", "variable")
        sim = sb.simulate(sb.from_equations({x: v, v: -x}), 7.0, x=1.0, rtol=1e-10)
        panel = plot(sim, "x", mark=["start", v, 1.0]).panels[0]
        start, others = panel.curves[1:]
        assert (start.mark, start.x[0], start.y[0]) == ("ring", 0.0, 1.0)
        np.testing.assert_allclose(others.x, [np.pi, 2 * np.pi, 1.0], atol=1e-6)
        np.testing.assert_allclose(others.y, [-1, 1, np.cos(1.0)], atol=1e-5)
        assert [n.text for n in panel.notes] == ["t = 1"]
        plane = plot([sim, sim], "v", over="x", mark={"turn": "v"}).panels[0]
        assert [n.text for n in plane.notes] == ["turn"] * 4
        assert [c.group for c in plane.curves] == [0, 1, 0, 1]  # in the colour of their curve
        space = plot(sim, "v", over=["x", x * v], mark="start").panels[0]
        assert (space.curves[1].x[0], space.curves[1].z[0]) == (1.0, 0.0)
        assert _is_picture(plot(sim, "v", over=["x", x * v], mark="start"))
        for wrong, said in (({"a": 9.0}, "goes from t = 0 to 7"), (object(), "a mark is one of"), ("xx", "no")):
            with pytest.raises(sb.SymbodyError, match=said):
                plot(sim, "x", mark=wrong)


def test_orbits_have_names_marks_and_one_pair_of_axes():
    """Circles at starts, in the colour of each orbit; a list of quantities stays in one panel."""
    x, v, a = sb.symbols("x v a")
    eq = sb.from_equations({x: v, v: a * (1 - x**2) * v - x}, {a: 1.0})
    slow, fast = (sb.orbit(eq, {"x": 2.0}, period=p, a=c) for p, c in ((6.6, 1.0), (6.3, 0.2)))
    panel = plot({"slow": slow, "fast": fast}, "v", over="x", mark="start").panels[0]
    assert [(c.label, c.group, c.mark) for c in panel.curves[:2]] == [("slow", 0, ""), ("fast", 1, "")]
    starts = [(c.mark, c.group, c.x[0], c.y[0]) for c in panel.curves[2:]]
    assert starts == [("ring", k, o["x"][0], o["v"][0]) for k, o in enumerate((slow, fast))]
    mixed = plot([slow, fast], ["x", "v"]).panels
    assert [c.mark for c in mixed[0].curves] == ["circle", "square", "triangle", "diamond"]
    assert len(plot(slow).panels) == 1
    with pytest.raises(sb.SymbodyError, match="one for each"):
        plot([slow, fast], "x", labels=["a"])


@pytest.mark.parametrize(
    ("name", "shown"),
    [("delta_dot", r"$\dot{\delta}$"), ("q12", "$q_{12}$"), ("V", "$V$"), ("time [s]", "time [s]"), ("phi4_ddot", r"$\ddot{\phi}_{4}$"), ("box", "box"), ("theta_dot [rad/s]", r"$\dot{\theta}$ [rad/s]"),
     ("l*sin(alpha) - 2*q1**12", r"$l\,\sin(\alpha ) - 2\,q_{1}^{12}$"), ("theta = -6", r"$\theta  = -6$"), ("q1, straight", "$q_{1}$, straight"), ("2", "2"),
     ("2*cost", "2*cost"), ("a_1", "$a_{1}$"), ("a [m/s^2]", "$a$ [m/s²]"), ("$x$", r"\$x\$")],
)  # fmt: skip
def test_names_are_typeset(name, shown):
    assert typeset(name) == shown


def test_the_same_figure_is_the_same_text():
    sim = sb.simulate(double_pendulum(), [0.0, 0.5, 1.0], q1=1.0)
    assert plot(sim, "q1").svg() == plot(sim, "q1").svg()


def test_what_cannot_be_plotted():
    with pytest.raises(sb.SymbodyError, match="no plot of int"):
        plot(3)


def test_an_axis_of_long_names_says_what_its_unit_is_of():
    sim = sb.simulate(double_pendulum(), 0.2, q1=1.0)
    energies = {
        "kinetic energy [J]": sb.kinetic_energy(sim.equations),
        "potential energy [J]": sb.potential_energy(sim.equations),
    }
    assert plot(sim, energies).panels[0].y_label == "energy [J]"


def test_a_single_curve_in_space_has_no_legend():
    sim = sb.simulate(double_pendulum(), 0.2, q1=1.0)
    (one,) = plot(sim, "q1", over=["q2", "q1_dot"]).draw().axes
    assert one.get_legend() is None
    (two,) = plot(sim, ["q1", "q2_dot"], over=["q2", "q1_dot"]).draw().axes
    assert two.get_legend() is not None


def test_kinds_of_lines():
    x = np.linspace(0.0, 1.0, 5)
    curves = tuple(sb.view.Curve(x, x, kind=k) for k in ("line", "thin", "dashed", "dotted", "dash-dotted"))
    (axes,) = sb.view.Figure("", (sb.view.Panel("x", "y", curves),)).draw().axes
    assert len({line.get_linestyle() + str(line._dash_pattern) for line in axes.lines}) == 4  # thin is solid
    assert axes.lines[1].get_linewidth() < axes.lines[0].get_linewidth()
    with pytest.raises(sb.SymbodyError, match=r"no kind 'dasht'.*Did you mean 'dashed'"):
        sb.view.Curve(x, x, kind="dasht")
    with pytest.raises(sb.SymbodyError, match="no mark 'stern'"):
        sb.view.Curve(x, x, mark="stern")
