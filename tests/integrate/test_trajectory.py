"""`Trajectory`: one type for motions in one set of equations and for motions that switch; what is stored is not
computed."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.errors import SymbodyError
from symbody.integrate.result import quantities
from tests.integrate.test_impacts import ball

from .mechanisms import START, double_pendulum, slider_crank

G = 9.81


def bouncing(eq: sb.Equations | None = None, t: object = 3.0) -> tuple[sb.Contacts, sb.Trajectory]:
    """Free flight, then rest: two sets of equations with the same coordinates."""
    eq = eq or ball()
    contacts = sb.Contacts(eq, sb.Contact("floor", eq.q[0], 0.5))
    return contacts, sb.simulate_modes(contacts, t, z=1.0)


def rope() -> tuple[sb.Modes, sb.Trajectory]:
    """A particle on a rope that breaks: first an angle is its coordinate, then two lengths."""
    held, free = sb.Model("held"), sb.Model("free")
    for m in (held, free):
        m.gravity(0, -m.parameter("g", G), 0)
    a = held.coordinate("a")
    held.particle("stone", held.ground.rotate("z", a).point(0, -1, 0), mass=1)
    x, y = free.coordinates("x y")
    free.particle("stone", free.ground.point(x, y, 0), mass=1)
    for m, height in ((held, -sb.cos(a)), (free, y)):
        m.output("height", height)
    breaks = sb.Switch(
        "breaks", a - 0.3, "held", "free", "rising",
        reset={"x": sb.sin(a), "y": -sb.cos(a), "x_dot": sb.cos(a) * a.dot, "y_dot": sb.sin(a) * a.dot},
    )  # fmt: skip
    modes = sb.Modes({"held": sb.derive(held), "free": sb.derive(free)}, [breaks], initial="held")
    return modes, sb.simulate_modes(modes, 1.0, a=-0.5, a_dot=1.0)


# ------------------------------------------------------------------------------------------------ what is stored


class TestStored:
    @pytest.fixture
    def no_programs(self, monkeypatch):
        """Whoever makes a program fails."""

        def refuse(*_: object) -> None:
            raise AssertionError("a program is made")

        monkeypatch.setattr(quantities, "_program", refuse)

    def test_columns_are_views(self, no_programs):
        eq = double_pendulum()
        sim = sb.simulate(eq, 0.5, q1=1.0, tau=0.25)
        for k, s in enumerate((*eq.q, *eq.u)):
            for what in (s, s.name):
                assert np.shares_memory(sim[what], sim.y)
                assert np.array_equal(sim[what], sim.y[:, k])
        assert np.array_equal(sim["t"], sim.t)
        assert np.array_equal(sim["m1"], np.full(len(sim), 1.0))
        assert np.array_equal(sim["tau"], np.full(len(sim), 0.25))

    def test_what_is_stored_cannot_be_written_to(self):
        sim = sb.simulate(double_pendulum(), 0.1, q1=1.0)
        for stored in (sim["q1"], sim["m1"], sim.t, sim.y, sim.q):
            with pytest.raises(ValueError, match="read-only"):
                stored[0] = 2.0

    def test_same_numbers_as_a_program_gives(self):
        sim = sb.simulate(slider_crank(), 0.3, START)
        names = [s.name for s in (*sim.equations.q, *sim.equations.u, *sim.equations.p, sim.equations.t)]
        computed = [quantities.evaluated_quantities(sim.segments[0], "test", n, lambda n=n: quantities.meaning(sim.equations, [n]))[0] for n in names]  # fmt: skip
        for name, values in zip(names, computed, strict=True):
            assert np.array_equal(sim[name], values)

    def test_programs_are_made_once(self, monkeypatch):
        eq = sb.derive(slider_crank().mechanism)
        runs = [sb.simulate(eq, end, START) for end in (0.1, 0.2)]
        made = []
        monkeypatch.setattr(quantities, "_program", lambda *a, real=quantities._program: (made.append(a), real(*a))[1])
        for sim in runs:  # another simulation of the same equations, and the same one again
            for _ in range(2):
                again = sb.Trajectory.of(sim.segments[0])
                for name in ("energy", "lam", "violation", "load_powers"):
                    getattr(again, name)
                again[eq.q[0] * eq.u[0]]
                again.reaction("beta")
                again.values(["t", eq.q[0] + 1, eq.q[0]])
        assert len(made) == 6

    def test_outputs_come_before_coordinates_of_the_same_name(self):
        eq = double_pendulum()
        renamed = sb.derive(eq.mechanism)
        object.__setattr__(renamed, "outputs", {"q1": 2 * renamed.q[0]})
        sim = sb.simulate(renamed, 0.1, q1=1.0)
        assert np.array_equal(sim["q1"], 2 * sim[renamed.q[0]])

    def test_what_is_no_quantity(self):
        sim = sb.simulate(double_pendulum(), 0.1)
        with pytest.raises(sb.errors.SimulationError, match=r"sim.values\(\[...\]\) takes several"):
            sim[["q1", "q2"]]
        with pytest.raises(sb.errors.SimulationError, match="q1"):
            sim["q11"]


# ------------------------------------------------------------------------------------------------ one type


class TestOneType:
    def test_pieces_of_a_motion_that_does_not_switch(self):
        sim = sb.simulate(double_pendulum(), 0.5, q1=1.0)
        assert sim.modes == ("double pendulum",)
        assert list(sim.mode) == ["double pendulum"] * len(sim)
        (piece,) = sim.pieces
        assert np.array_equal(piece.y, sim.y)
        assert piece.equations is sim.equations

    def test_names_that_exist_in_all_modes_give_one_column(self):
        _, sim = bouncing()
        assert sim.modes == ("free", "floor")
        assert np.array_equal(sim["z"], np.concatenate([p["z"] for p in sim.pieces]))
        assert np.array_equal(sim.y, np.stack([sim["z"], sim["z_dot"]], axis=1))
        assert sim.energy == pytest.approx(G * 2 * sim["z"] + sim["z_dot"] ** 2, abs=1e-12)
        assert sim.violation.position_names == ("floor",)
        assert sim.violation.position < 1e-12
        with pytest.raises(sb.errors.SimulationError, match="switches between free, floor"):
            sim.equations
        with pytest.raises(sb.errors.SimulationError, match="differ in lam"):
            sim.lam
        with pytest.raises(SymbodyError, match=r"does not exist in mode 'held'.*sim.pieces"):
            rope()[1]["x"]

    def test_events_are_listed_once_and_in_order(self):
        _, sim = bouncing()
        times = [e.t for e in sim.events]
        assert times == sorted(times)
        assert [e.name for e in sim.events][-1] == "floor rests"
        assert sum(len(p.events) for p in sim.pieces) == len(sim.events)

    def test_states_one_after_another(self):
        """Also where modes have other coordinates; each is a start for another simulation."""
        _, sim = rope()
        states = list(sim)
        assert [s.t for s in states] == list(sim.t)
        assert set(states[0].values) == {"t", "a", "a_dot", "g"}
        assert set(states[-1].values) == {"t", "x", "x_dot", "y", "y_dot", "g"}
        on = sb.simulate(states[-1].equations, 1.5, states[-1])
        assert on["y"][-1] == pytest.approx(sim.final["y"] + 0.5 * sim.final["y_dot"] - G * 0.5**2 / 2, abs=1e-9)

    def test_at_other_times(self):
        _, sim = rope()
        switch = sim.events[0].t
        at = sim.at([0.1, switch, 0.9])
        assert at.modes == ("held", "free")
        assert list(at.mode) == ["held", "free", "free"]
        assert at.pieces[1]["y"][0] == pytest.approx(-np.cos(0.3))
        assert np.array_equal(at["height"][1:], at.pieces[1]["y"])

    def test_tables(self):
        pandas = pytest.importorskip("pandas")
        xarray = pytest.importorskip("xarray")
        _, sim = bouncing()
        frame = sim.to_pandas(["lam_floor"])
        assert isinstance(frame, pandas.DataFrame)
        assert list(frame.columns) == ["z", "z_dot", "lam_floor", "mode"]
        assert np.array_equal(frame["lam_floor"][frame["mode"] == "floor"], sim.pieces[1]["lam_floor"])
        data = sim.to_xarray()
        assert isinstance(data, xarray.Dataset)
        assert data.attrs["g"] == G
        assert list(sb.simulate(double_pendulum(), 0.1).to_pandas().columns) == [
            "q1", "q2", "q1_dot", "q2_dot", "tau", "tip_height",
        ]  # fmt: skip

    def test_choices_of_each_mode(self):
        _, sim = bouncing()
        assert sim.choices["tolerance"] == "rtol 1e-08"
        assert sim.choices["form"].startswith("free: form minimal")
        assert "; floor: form projection" in sim.choices["form"]


class TestSwitchedElsewhere:
    """What later stages make of motions that switch."""

    def test_plots(self, tmp_path):
        _, sim = bouncing()
        figure = sim.plot()
        assert [p.y_label for p in figure.panels] == ["z [m]", "z_dot [m/s]"]
        curve = figure.panels[0].curves[0]
        assert len(curve.x) > 1000
        assert np.all(np.diff(curve.x) >= 0)
        assert (curve.x[0], curve.x[-1]) == (0, 3)
        assert figure.save(tmp_path / "a.svg").exists()
        assert rope()[1].plot("height").panels[0].curves[0].label == "height"
        with pytest.raises(SymbodyError, match=r"no coordinates in common; plot\(sim.pieces\[k\]\)"):
            rope()[1].plot()

    def test_scene(self, tmp_path):
        """The ball is where its coordinate says, on both sides of the switch."""
        _, sim = bouncing()
        scene = sim.scene(forces=("loads", "reactions"))
        track = next(f for f in scene.frames if f.name == "ball")
        heights = track.position.reshape(-1, 3)[:, 2]
        assert heights == pytest.approx(sim.at(scene.t)["z"], abs=1e-9)
        assert scene.save(tmp_path / "view.html").exists()
        with pytest.raises(sb.errors.ViewError, match=r"'held' and 'free'.*scene\(sim.pieces\[k\]\)"):
            rope()[1].scene()
        rope()[1].pieces[1].scene()

    @pytest.mark.parametrize("made", [bouncing, rope, lambda: bouncing(t=np.linspace(0, 3, 31))])
    def test_nothing_is_lost_on_disk(self, made, tmp_path):
        modes, sim = made()
        back = sb.write.load_trajectory(sim.save(tmp_path / "run"), modes)
        assert back.outcome == sim.outcome
        assert back.modes == sim.modes
        assert [str(e) for e in back.events] == [str(e) for e in sim.events]
        assert (back.statistics, back.choices) == (sim.statistics, sim.choices)
        for one, other in zip(back.segments, sim.segments, strict=True):
            assert one.outcome == other.outcome
            for name in ("t", "y", "p", "r"):
                assert np.array_equal(getattr(one, name), getattr(other, name))
        if sim.is_dense:
            times = np.linspace(0, 1, 7)
            assert all(
                np.array_equal(a.y, b.y) for a, b in zip(back.at(times).pieces, sim.at(times).pieces, strict=True)
            )

    def test_a_column_for_each_name(self, tmp_path):
        _, sim = rope()
        with np.load(sim.save(tmp_path / "run")) as file:
            x = file["column x"]
            assert np.array_equal(x[sim.mode == "free"], sim.pieces[1]["x"])
            assert np.all(np.isnan(x[sim.mode == "held"]))

    def test_what_it_was_made_with_must_be_given(self, tmp_path):
        _, sim = bouncing()
        path = sim.save(tmp_path / "run")
        with pytest.raises(
            sb.errors.SimulationError, match="switches between free, floor; give the `Modes` or `Contacts`"
        ):
            sb.write.load_trajectory(path, ball())
        other = sb.Contacts(ball(), sb.Contact("table", ball().q[0], 0.5))
        with pytest.raises(sb.errors.SimulationError, match="no contact 'floor'"):
            sb.write.load_trajectory(path, other)
        with pytest.raises(sb.errors.SimulationError, match="no mode 'free'"):
            sb.write.load_trajectory(path, sb.Modes({"flight": ball()}, [], initial="flight"))


# ----------------------------------------------------------------------------------------------- times, frames, vectors


def test_two_numbers_are_begin_and_end_and_an_array_is_times():
    """In a tuple or in a list alike every step is kept; an array of two has two rows."""
    eq = double_pendulum()
    every = sb.simulate(eq, (0, 1), q1=1.0)
    assert len(every) > 3
    assert np.array_equal(sb.simulate(eq, [0, 1], q1=1.0).t, every.t)
    assert np.array_equal(sb.simulate(eq, 1, q1=1.0).t, every.t)
    for times in (np.array([0, 1]), (0, 0.5, 1), [0, 0.5, 1], np.linspace(0, 1, 4)):
        assert np.array_equal(sb.simulate(eq, times, q1=1.0).t, np.asarray(times, dtype=float))
    with pytest.raises(
        sb.errors.SimulationError, match=r"t is the end, \(begin, end\), or an array of times; got \(1,\)"
    ):
        sb.simulate(eq, (1,), q1=1.0)


def turning_arm() -> sb.Equations:
    """A bar on a hinge that is tilted in the ground and sits on a body that turns."""
    m = sb.Model("arm")
    base = m.body("base", mass=2.0, inertia=(0.2, 0.3, 0.25))
    arm = m.body("arm", mass=1.0, com=(0.4, 0, 0), inertia=(0.01, 0.05, 0.05))
    m.revolute("turn", m.ground, base, axis="z")
    m.revolute("hinge", base, arm, axis=(1, 1, 0), at=(0.1, 0, 0.3))
    m.gravity(0, 0, -9.81)
    return sb.derive(m)


def test_reactions_in_frames():
    """By default along the axes of the parent at the joint; frame= turns components, and keeps length."""
    eq = turning_arm()
    sim = sb.simulate(eq, np.linspace(0, 1, 7), turn_dot=2.0, hinge=0.3)
    base = eq.mechanism.body("base").frame
    R = sim[base.rotation_in(eq.mechanism.ground).matrix]
    for name in ("hinge", "turn"):
        own, in_base, in_ground = (sim.reaction(name, frame=f) for f in (None, base, "ground"))
        for one, other in zip(in_base, in_ground, strict=True):
            assert np.einsum("tij,tj->ti", R, one.reshape(7, 3)) == pytest.approx(other.reshape(7, 3), abs=1e-9)
        expected = in_base if name == "hinge" else in_ground
        assert all(np.array_equal(a, b) for a, b in zip(own, expected, strict=True))
    assert np.array_equal(sim.reaction("hinge", "base")[0], sim.reaction("hinge", eq.mechanism.body("base"))[0])
    with pytest.raises(
        sb.ModelError, match=r"reaction in 'hinge', frame=: there is no body 'bse'.*Did you mean 'base'"
    ):
        sim.reaction("hinge", frame="bse")


def test_vectors_and_points_along_a_motion():
    """A vector or a point has three columns: its components in the ground."""
    eq = turning_arm()
    sim = sb.simulate(eq, np.linspace(0, 1, 5), turn_dot=2.0)
    tip = eq.mechanism.body("arm").point(1, 0, 0)
    place = sim[tip].reshape(5, 3)
    assert np.array_equal(place, sim[tip.position().components(eq.mechanism.ground)].reshape(5, 3))
    assert np.linalg.norm(place - [0.0, 0.0, 0.3], axis=1).max() < 1.11
    L = sb.angular_momentum(eq)
    assert isinstance(L, sb.Vector)
    assert np.ptp(sim[L].reshape(5, 3)[:, 2]) < 1e-6
    assert sim[sb.momentum(eq)].reshape(5, 3) == pytest.approx(3.0 * sim[centre_velocity(eq)].reshape(5, 3))
    start = sb.State.of(eq, {})
    assert np.ravel(start.quantity(tip)) == pytest.approx([1.1, 0, 0.3])


def centre_velocity(eq: sb.Equations) -> sb.Matrix:
    return sb.time_derivative(sb.centre_of_mass(eq).coordinates)


def test_states_by_number():
    """A trajectory is a sequence of states: by number as in a loop, over all its modes."""
    x, v = sb.symbols("x v", "variable")
    sim = sb.simulate(sb.from_equations({x: v, v: -x}), 3, x=1)
    for k, state in enumerate(sim):
        assert (sim[k].t, sim[k]["x"]) == (state.t, state["x"]) == (sim.t[k], sim["x"][k])
    assert sim[-1]["x"] == sim.final["x"]
    with pytest.raises(IndexError):
        sim[len(sim)]
    for wrong in (2.0, slice(1, 3)):
        with pytest.raises(sb.errors.SimulationError, match=r"sim\.at\(times\)"):
            sim[wrong]
