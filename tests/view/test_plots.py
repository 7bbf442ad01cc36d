"""Figures: what they show, as data and as pictures."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

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
        assert [p.y_label for p in figure.panels] == ["coordinates [rad]", "speeds [rad/s]", "tip_height"]
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
        assert [c.label for c in figure.panels[1].curves] == ["expression 2", "2*theta - theta_ddot"]
        together = plot(sim, "theta", 2 * theta).panels
        assert [p.y_label for p in together] == ["[rad]"]
        assert plot(sim, {"height [m]": -l * sb.cos(theta)}).panels[0].y_label == "height [m]"

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
        with pytest.raises(sb.SymbodyError, match=r"no kind 'plain'; there are parts, plane.*'plane'"):
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
        design = lin.design([-3.0], ["Cdelta"], V=20.0)
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


@pytest.mark.parametrize(
    ("name", "shown"),
    [("delta_dot", r"$\dot{\delta}$"), ("q12", "$q_{12}$"), ("V", "$V$"), ("time [s]", "time [s]"), ("phi4_ddot", r"$\ddot{\phi}_{4}$"), ("box", "box"), ("theta_dot [rad/s]", r"$\dot{\theta}$ [rad/s]")],
)  # fmt: skip
def test_names_are_typeset(name, shown):
    assert typeset(name) == shown


def test_the_same_figure_is_the_same_text():
    sim = sb.simulate(double_pendulum(), [0.0, 0.5, 1.0], q1=1.0)
    assert plot(sim, "q1").svg() == plot(sim, "q1").svg()


def test_what_cannot_be_plotted():
    with pytest.raises(sb.SymbodyError, match="no plot of int"):
        plot(3)
