"""What is done with orbits and families once they are found: files, tables, figures, scenes, going on."""

import json

import numpy as np
import pytest

import symbody as sb
from symbody.stability.periodic.families.orbit_curve import OrbitCurve

from .columns import ziegler


@pytest.fixture(scope="module")
def family() -> sb.stability.OrbitBranch:
    """Cycles of a follower-loaded column."""
    eq = ziegler(0.1)
    straight = sb.branch(eq, sb.steady(eq), P=(1.0, 2.2))
    return sb.orbits(eq, sb.orbit(eq, straight, amplitude=0.3), P=(1.4, 1.9))


@pytest.fixture(scope="module")
def roessler() -> sb.stability.OrbitBranch:
    x, y, z, a = sb.symbols("x y z a")
    eq = sb.from_equations({x: -y - z, y: x + a * y, z: 2 + z * (x - 4)}, {a: 0.33}, name="Roessler")
    return sb.orbits(eq, sb.orbit(eq, sb.simulate(eq, 200, x=1.0)), a=(0.3, 0.36))


def same(a: sb.stability.Orbit, b: sb.stability.Orbit) -> None:
    assert (a.period, a.residual, a.mesh_error, a.outcome, a.form) == (
        b.period,
        b.residual,
        b.mesh_error,
        b.outcome,
        b.form,
    )
    assert (a.multipliers == b.multipliers).all()
    assert (a.point.x == b.point.x).all()
    assert (a.point.K == b.point.K).all()
    assert a.parameters == b.parameters


def test_orbits_are_kept_without_loss(roessler, tmp_path):
    o = roessler.at(0.32)[0]
    same(o, sb.write.load_orbit(o.save(tmp_path / "o"), roessler.equations))
    again = sb.write.load_orbits(roessler.save(tmp_path / "family"), roessler.equations)
    assert (again["a"] == roessler["a"]).all()
    assert (again["period"] == roessler["period"]).all()
    assert all((a == b).all() for a, b in zip(again.multipliers, roessler.multipliers, strict=True))
    assert [(p.kind, p.value, p.multiplier) for p in again.special] == [
        (p.kind, p.value, p.multiplier) for p in roessler.special
    ]
    assert (again.outcome, again.range, again.steps) == (roessler.outcome, roessler.range, roessler.steps)
    assert again.at(0.32)[0].period == pytest.approx(o.period, rel=1e-11)
    assert again.switched(max_points=1)["period"] == pytest.approx(roessler.switched(max_points=1)["period"], rel=1e-9)
    with pytest.raises(sb.errors.StabilityError, match=r"its constants .* are not those that were given"):
        sb.write.load_orbit(tmp_path / "o.npz", ziegler(0.1))
    with pytest.raises(sb.errors.StabilityError, match="no orbit could be read from it"):
        sb.write.load_orbit(tmp_path / "family.npz", roessler.equations)


def test_driven_mirrored_and_hybrid_orbits_are_kept(tmp_path):
    """With a period that is an expression, a mirror, and nodes of shooting beside the polynomials that are shown."""
    x, y, w, h, v = sb.symbols("x y w h v")
    shaken = sb.from_equations({x: y, y: -x - x**3 - 0.2 * y + sb.cos(w * sb.symbol("t"))}, {w: 2.0})
    o = sb.orbit(shaken, {"x": 0.0}, period=2 * sb.pi / w, mirror=["x", "y"])
    again = sb.write.load_orbit(o.save(tmp_path / "driven"), shaken)
    same(o, again)
    assert sb.orbits(shaken, again, w=(1.9, 2.0))["period"] == pytest.approx(
        2 * np.pi / sb.orbits(shaken, o, w=(1.9, 2.0))["w"]
    )
    ball = sb.from_equations({h: v, v: -10 - 0.1 * v})
    bounce = sb.Event("bounce", ball.z[0], "falling", reset={"v": 5.0})
    o = sb.orbit(ball, {"h": 0.0, "v": 5.0}, period=0.97, events=[bounce])
    again = sb.write.load_orbit(o.save(tmp_path / "ball"), ball, events=[bounce])
    same(o, again)
    assert (again.nodes.x == o.nodes.x).all()
    with pytest.raises(sb.errors.StabilityError, match=r"its events \(bounce\) are not those that were given \(none\)"):
        sb.write.load_orbit(tmp_path / "ball.npz", ball)


def test_iterations_to_an_orbit_of_the_roessler_system(roessler, tmp_path):
    """Figure 6.8 of Lennartsson: from x = 3, y = 0, z = 2 with a period of 6.3; after three iterations changes are of the
    order of 1e-7, near x = 3.1525486, z = 2.6631716 with a period of 6.1746375."""
    eq, start = roessler.equations, {"x": 3.0, "y": 0.0, "z": 2.0}
    o = sb.orbit(eq, start, a=0.3, period=6.3, form="shooting", segments=1)
    first, _, _, third = o.iterations[:4]
    assert (first.start, first.period) == (start, 6.3)
    assert [third.start["x"], third.start["z"], third.period] == pytest.approx(
        [3.1525486, 2.6631716, 6.1746375], abs=1e-7
    )
    assert 1e-9 < third.change < 1e-7 < o.iterations[2].change < 1e-3
    simulated = sb.simulate(eq, 6.3, start, a=0.3, rtol=1e-11)
    assert [first.motion[n][-1] for n in "xyz"] == pytest.approx(
        [simulated[n][-1] for n in "xyz"], abs=1e-5
    )  # of the polynomials shown
    curves = sb.plot([i.motion for i in o.iterations[:4]], "z", over=["x", "y"]).panels[0].curves
    assert [c.z[0] for c in curves] == pytest.approx([i.start["z"] for i in o.iterations[:4]])
    again = sb.write.load_orbit(o.save(tmp_path / "o"), eq)
    assert [(i.start, i.period, i.residual, i.change) for i in again.iterations] == [
        (i.start, i.period, i.residual, i.change) for i in o.iterations
    ]


def test_iterations_that_lead_astray_are_kept_too():
    """Of polynomials by collocation, on one mesh after another, with residuals that vanish; and where there is no orbit."""
    x, y = sb.symbols("x y")
    eq = sb.from_equations({x: y, y: (1 - x**2) * y - x})
    o = sb.orbit(eq, {"x": 2.0}, period=6.6)
    assert o.iterations[0].residual > 1e-3 > 1e-12 > o.iterations[-1].residual
    assert o.iterations[0].motion["x"][0] == pytest.approx(2.0, abs=1e-3)
    assert o.iterations[-1].motion["x"] == pytest.approx(o.trajectory()["x"], abs=1e-9)
    lost = sb.orbit(sb.from_equations({x: 1 + x**2, y: -y}), {"x": 0.0}, period=1.0)
    assert not lost.is_periodic
    assert lost.iterations[0].period == 1.0
    assert np.isfinite(lost.iterations[0].motion["x"]).all()


def test_interrupted_families_go_on(family, monkeypatch):
    """A wider interval, and after Ctrl-C: the same orbits as in one go."""
    eq = family.equations
    part = sb.orbits(eq, family.at(1.6)[0], P=(1.55, 1.7))
    wider = part.extended(P=(1.4, 1.9))
    for one, other in zip((wider.at(v)[0] for v in (1.5, 1.75)), (family.at(v)[0] for v in (1.5, 1.75)), strict=True):
        assert one.period == pytest.approx(other.period, rel=1e-9)
    assert wider.outcome == ("ends in a steady motion (Hopf point)", "reached the bound")
    assert part.extended()["P"] == pytest.approx(part["P"])  # nothing more in the same interval
    calls = iter(range(10**6))

    def interrupted(self, *given, after=OrbitCurve.ahead, **more):
        if next(calls) == 6:
            raise KeyboardInterrupt
        return after(self, *given, **more)

    monkeypatch.setattr(OrbitCurve, "ahead", interrupted)
    torn = sb.orbits(eq, family.at(1.5)[0], P=(1.45, 1.9))
    assert torn.outcome[1] == "was interrupted"
    again = torn.extended()
    assert again["P"].max() == 1.9
    assert again.at(1.75)[0].period == pytest.approx(family.at(1.75)[0].period, rel=1e-9)


def test_families_that_begin_at_others(roessler):
    """The one of twice the period, once."""
    first, twice = roessler.connected()
    assert first is roessler
    assert twice["period"].min() == pytest.approx(2 * roessler.special[0].period, rel=1e-2)
    assert twice.ends_at(roessler.special[0])


def test_tables(family):
    """Rows for orbits, extremes of any quantity; an orbit over its period."""
    q1, q2 = family.equations.q
    table = family.to_pandas([q1 + q2])
    assert len(table) == len(family)
    assert table["max q1"].iloc[-1] == pytest.approx(family.orbit(-1).extremes("q1")[1], rel=1e-2)
    assert table[f"max {q1 + q2}"].max() == pytest.approx(family.orbit(-1).extremes(q1 + q2)[1], rel=1e-2)
    assert table["modulus"].iloc[-1] == np.abs(family.multipliers[-1]).max()
    data = family.to_xarray()
    assert (data["period"].to_numpy() == family["period"]).all()
    assert data.attrs["b"] == 0.1
    o = family.orbit(-1)
    assert o.to_xarray(["P"]).attrs["period"] == o.period
    assert o.to_pandas([q1 + q2])[str(q1 + q2)].iloc[0] == pytest.approx(o["q1"][0] + o["q2"][0])


def test_figures_in_planes_and_in_space(family, tmp_path):
    a, b = family.at(1.5)[0], family.at(1.8)[0]
    both = sb.plot([a, b], "q1_dot", "q2_dot", over="q1")
    assert [p.y_label for p in both.panels] == ["q1_dot [rad/s]", "q2_dot [rad/s]"]
    assert [len(p.curves) for p in both.panels] == [2, 2]
    space = sb.plot(a, "q1_dot", over=["q1", "q2"])
    (panel,) = space.panels
    assert (panel.x_label, panel.y_label, panel.z_label) == ("q1 [rad]", "q2 [rad]", "q1_dot [rad/s]")
    assert (panel.curves[0].z == a["q1_dot"]).all()
    numbers = json.loads(space.save(tmp_path / "space.json").read_text())
    assert numbers["panels"][0]["curves"][0]["z"][0] == a["q1_dot"][0]
    assert space.save(tmp_path / "space.csv").read_text().startswith("panel,curve,x,y,z")
    assert space.save(tmp_path / "space.png").stat().st_size > 5000
    moduli, period = sb.plot(family, "multipliers", "period", over="P").panels
    assert max(moduli.curves[1].y) <= 1 + 1e-6
    assert period.y_label == "period [s]"
    assert len(sb.plot(sb.simulate(family.equations, 3, a), "q1_dot", over=["q1", "q2"]).panels[0].curves[0].z) > 100
    with pytest.raises(sb.errors.ViewError, match="over time, one quantity or two"):
        sb.plot(a, "q1", over=["q1", "q2", "q1_dot"])


def test_orbit_is_animated(family):
    """A scene over one period that ends as it began; the trajectory goes on from period to period."""
    o = family.orbit(-1)
    shown = sb.scene(o)
    assert shown.t[-1] - shown.t[0] == pytest.approx(o.period)
    for track in shown.frames:
        assert track.position[0] == pytest.approx(track.position[-1], abs=1e-7)
    long = o.trajectory(periods=2)
    assert long.t[-1] == pytest.approx(2 * o.period)
    assert long["q1"][-1] == pytest.approx(long["q1"][0], abs=1e-9)
