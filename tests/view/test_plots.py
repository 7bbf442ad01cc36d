"""Figures: what they show, as data and as pictures."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import symbody as sb
from examples import motorcycle
from symbody.view.drawing import typeset
from symbody.view.plots import energies, plot, violations

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
        assert [p.y_label for p in figure.panels] == ["coordinates", "speeds", "outputs"]
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
        total = energies(sim).panels[0].curves[2]
        assert np.ptp(total.y) < 1e-6
        assert violations(sim).panels[0].y_scale == "log"
        assert _is_picture(violations(sim))


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
    assert figure.save(tmp_path / "a.csv").read_text().splitlines()[1].startswith("q1,q1,0.0,1.0")
    with pytest.raises(sb.SymbodyError, match=r"\.svg"):
        figure.save(tmp_path / "a.doc")


@pytest.mark.parametrize(
    ("name", "shown"),
    [("delta_dot", r"$\dot{\delta}$"), ("q12", "$q_{12}$"), ("V", "$V$"), ("time [s]", "time [s]"), ("phi4_ddot", r"$\ddot{\phi}_{4}$"), ("box", "box")],
)  # fmt: skip
def test_names_are_typeset(name, shown):
    assert typeset(name) == shown


def test_the_same_figure_is_the_same_text():
    sim = sb.simulate(double_pendulum(), [0.0, 0.5, 1.0], q1=1.0)
    assert plot(sim, "q1").svg() == plot(sim, "q1").svg()


def test_what_cannot_be_plotted():
    with pytest.raises(sb.SymbodyError, match="no plot of int"):
        plot(3)
