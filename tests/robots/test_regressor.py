"""Regressors and base parameters: Pinocchio, ranks, grouping, loops; identification from motions of a robot whose
parameters are known."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.formats import Robot
from symbody.kits.robots import BaseParameters, Regressor, base_parameters, excitation, identify_robot, regressor
from symbody.kits.robots.identifiable_parameters import sampled_regressor
from symbody.kits.robots.inertia_fit import stacked
from symbody.kits.robots.physical_fit import refuse_what_no_body_has

from .mjcf_texts import FOUR_BAR


def robot_file(name: str) -> Path:
    try:
        found = [f for f in files("example-robot-data") or () if str(f).endswith(name)]
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    return Path(str(found[0].locate()))


def of_file(name: str, **options: Any) -> tuple[Robot, Regressor]:
    robot = sb.read_urdf(robot_file(name), parameters="none", actuators=None, **options)
    return robot, regressor(sb.derive(robot), frames=robot.links)


@pytest.fixture(scope="module")
def pendulum() -> tuple[Regressor, BaseParameters]:
    Y = of_file("double_pendulum.urdf")[1]
    return Y, base_parameters(Y)


@pytest.mark.parametrize("name", ["ur5_robot.urdf", "panda.urdf"])
def test_columns_of_pinocchio(name: str) -> None:
    pin = pytest.importorskip("pinocchio", reason="pin is not installed")
    _, Y = of_file(name, mimic=False)
    model = pin.buildModelFromUrdf(str(robot_file(name)))
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, model.nv))
    theirs = pin.computeJointTorqueRegressor(model, model.createData(), q, v, a)
    assert np.abs(stacked(Y, q, v, a)[0] - theirs).max() <= 1e-13 * np.abs(theirs).max()


RANKS = [  # file, options, base parameters with and without gravity (numbers by Pinocchio at random states)
    ("double_pendulum.urdf", {}, 6, 4),
    ("ur5_robot.urdf", {}, 36, 34),
    ("panda.urdf", {"hold": {"panda_finger_joint*": 0}}, 43, None),
    ("panda.urdf", {"mimic": False}, 51, 47),
    ("solo12.urdf", {"base": "free"}, 10 + 7 * 12, None),
]


@pytest.mark.parametrize(("name", "options", "rank", "without"), RANKS, ids=lambda x: str(x)[:14])
def test_ranks(name: str, options: dict[str, object], rank: int, without: int | None) -> None:
    Y = of_file(name, **options)[1]
    base = base_parameters(Y)
    assert len(base) == rank
    assert base.gap < 1e-10
    if without is not None:
        assert len(base_parameters(Y, gravity=False)) == without


def test_grouped_parameters_give_the_same_forces() -> None:
    """Y_base π_base = Y π for any π: the formulas say what is counted with what."""
    Y = of_file("ur5_robot.urdf")[1]
    base = base_parameters(Y)
    rng = np.random.default_rng(1)
    q, u, a = rng.normal(size=(3, 4, 6))
    pi = rng.normal(size=len(Y.parameters))
    whole = stacked(Y, q, u, a)
    ours, all_of_it = whole[:, :, list(base.columns)] @ (base.grouping @ pi), whole @ pi
    assert np.abs(ours - all_of_it).max() <= 1e-11 * np.abs(all_of_it).max()
    formula = dict(zip(base.names, base.formulas, strict=True))["upper_arm_link_mcz"]
    assert "0.425*forearm_link_m" in sb.text(formula)
    small, large = Y.program(base.columns).cost, Y.program().cost
    assert small.total < large.total < 900


def test_symbolic_geometry_stays_in_the_formulas() -> None:
    m = sb.Model("two arms")
    l1 = m.parameter("l1", 0.7)
    parts: list[tuple[Any, Any]] = [(m.ground, (0, 0, 0)), ("a", (l1, 0, 0))]
    for k, (parent, at) in enumerate(parts):
        m.body("ab"[k], mass=m.parameter(f"m{k}", 1.0), com=(0.3, 0.1, 0), inertia=(0.1, 0.2, 0.3))
        m.revolute(f"j{k}", m.bodies[parent] if isinstance(parent, str) else parent, m.bodies["ab"[k]], "z", at=at)
    m.gravity(0, -9.81, 0)
    base = base_parameters(regressor(sb.derive(m)))
    formulas = {n: sb.text(e) for n, e in zip(base.names, base.formulas, strict=True)}
    assert formulas["a_Izz"] == "a_Izz + b_m*l1**2"
    assert formulas["a_mcx"] == "a_mcx + b_m*l1"
    assert set(formulas) == {"a_mcx", "a_mcy", "a_Izz", "b_mcx", "b_mcy", "b_Izz"}


def test_closed_loop() -> None:
    """Rows of the independent speed: Y π are the forces of inertia and gravity, without multipliers."""
    m = sb.read_mjcf(FOUR_BAR, actuators=None)
    Y = regressor(sb.derive(m), rotors=True)
    assert Y.Y.shape == (1, 41)
    eq = Y.equations
    start = sb.assemble(sb.derive(m), {"a": 0.2}).values
    values = (
        {s: start[s.name] for s in eq.q}
        | dict.fromkeys(eq.u, 0.4)
        | {u.dot: -0.8 for u in eq.u}
        | dict(m.parts.default_values)
    )
    ours, theirs = (float(np.ravel(sb.evaluate(e, values))[0]) for e in (Y.forces, sb.joint_forces(eq)))
    assert ours == pytest.approx(theirs, rel=1e-11)


def four_bar(**lengths: float) -> Regressor:
    m = sb.Model("four bar")
    p = m.parameters(**lengths)
    crank, rod, rocker = (m.body(n, mass=1.0, com=(0.1, 0.05, 0), inertia=(0.1, 0.1, 0.1)) for n in ("crank", "rod", "rocker"))  # fmt: skip
    m.gravity(0, -9.81, 0)
    m.revolute("q1", m.ground, crank)
    m.revolute("q2", crank, rod, at=(p.a, 0, 0))
    m.revolute("q3", m.ground, rocker, at=(p.d, 0, 0))
    m.coincide("loop", rod.point(p.b, 0, 0), rocker.point(p.c, 0, 0), axes="xy")
    return regressor(sb.derive(m))


def test_base_parameters_of_a_closed_loop() -> None:
    """A four-bar linkage has eight: joints group masses as in a tree; a mass at the point where the loop is closed may
    be counted with the rod or the rocker. Lengths are symbols in all of it, so that the formulas hold of other lengths,
    at motions that were not used."""
    base = base_parameters(four_bar(a=0.3, b=1.0, c=0.8, d=1.1))
    formulas = dict(zip(base.names, map(sb.text, base.formulas), strict=True))
    assert formulas["crank_mcx"] == "crank_mcx + a*rod_m + a/c**2*rocker_Izz"
    assert formulas["crank_Izz"] == "crank_Izz + a**2*rod_m + a**2/c**2*rocker_Izz"
    assert formulas["rocker_mcx"] == "rocker_mcx - 1/c*rocker_Izz"
    assert len(base) == 8
    lengths = {"a": 0.25, "b": 0.9, "c": 0.7, "d": 1.0}
    Y = four_bar(**lengths)
    rng = np.random.default_rng(0)
    pi = dict(zip(Y.parameters, rng.normal(size=len(Y.parameters)), strict=True))
    values = {s: {**pi, **lengths}[s.name] for e in base.formulas for s in sb.free_symbols(e)}
    grouped = [float(sb.evaluate(e, values)) for e in base.formulas]
    A = sampled_regressor(Y, 7, part=0.2)
    assert np.abs(A[:, list(base.columns)] @ grouped - A @ list(pi.values())).max() < 1e-9 * np.abs(A).max()


def test_base_parameters_of_a_crank_on_its_bearing() -> None:
    """A slider crank whose bearing closes the loop has four without gravity: of the crank only the inertia about the
    bearing counts, (Izz - 2 r mcx + r² m) / r², at the end of the rod and with the slider."""
    m = sb.Model("slider crank")
    p = m.parameters(r=0.2, l=0.5)
    slider, rod, crank = (m.body(n, mass=1.0, com=(0.1, 0.05, 0), inertia=(0.1, 0.1, 0.1)) for n in ("the slider", "rod", "crank"))  # fmt: skip
    m.prismatic("x", m.ground, slider)
    m.revolute("alpha", slider, rod)
    m.revolute("beta", rod, crank, at=(p.l, 0, 0))
    m.revolute("bearing", m.ground, crank, on=(p.r, 0, 0))
    base = base_parameters(regressor(sb.derive(m)))
    formulas = dict(zip(base.names, map(sb.text, base.formulas), strict=True))
    assert formulas == {
        "the_slider_m": "crank_m + rod_m + the_slider_m - 2/r*crank_mcx + 1/r**2*crank_Izz",
        "rod_mcx": "rod_mcx + crank_m*l - 2*l/r*crank_mcx + l/r**2*crank_Izz",
        "rod_mcy": "rod_mcy",
        "rod_Izz": "rod_Izz + crank_m*l**2 - 2*l**2/r*crank_mcx + l**2/r**2*crank_Izz",
    }


def test_base_parameters_of_symoro() -> None:
    """The Staeubli RX90: 36, grouped as SYMORO groups them (RX90_regp.txt of its repository, without rotors)."""
    m, frame = sb.Model("rx90"), None
    p = m.parameters(D3=0.45, RL4=0.38)
    m.gravity(0, 0, -9.81)
    frame = m.ground
    for k, (turn, d, r) in enumerate(((0, 0, 0), (1, 0, 0), (0, p.D3, 0), (-1, 0, p.RL4), (1, 0, 0), (-1, 0, 0))):
        frame = frame.rotate("x", turn * np.pi / 2).translate(d, 0, 0)
        frame = frame.rotate("z", m.coordinate(f"th{k + 1}")).translate(0, 0, r)
        m.body(f"L{k + 1}", frame, mass=1.0, inertia=(1, 1, 1))
    base = base_parameters(regressor(sb.derive(m)))
    assert len(base) == 36
    s = dict(zip(base.regressor.parameters, np.random.default_rng(0).normal(size=60), strict=True))
    D3, RL4 = 0.45, 0.38
    MR4 = s["L4_m"] + s["L5_m"] + s["L6_m"]
    MR3 = s["L3_m"] + MR4
    YYR2 = D3**2 * MR3 + s["L2_Iyy"] + s["L3_Iyy"]
    theirs = {
        "L1_Izz": YYR2 + s["L1_Izz"],
        "L2_Ixx": s["L2_Ixx"] + s["L3_Iyy"] - YYR2,
        "L2_Ixz": -D3 * s["L3_mcz"] + s["L2_Ixz"],
        "L2_Izz": D3**2 * MR3 + s["L2_Izz"],
        "L2_mcx": D3 * MR3 + s["L2_mcx"],
        "L3_Ixx": RL4**2 * MR4 + 2 * RL4 * s["L4_mcz"] + s["L3_Ixx"] - s["L3_Iyy"] + s["L4_Iyy"],
        "L3_Izz": RL4**2 * MR4 + 2 * RL4 * s["L4_mcz"] + s["L4_Iyy"] + s["L3_Izz"],
        "L3_mcy": MR4 * RL4 + s["L3_mcy"] + s["L4_mcz"],
        "L4_Ixx": s["L4_Ixx"] - s["L4_Iyy"] + s["L5_Iyy"],
        "L4_mcy": s["L4_mcy"] - s["L5_mcz"],
        "L5_Izz": s["L6_Iyy"] + s["L5_Izz"],
        "L5_mcy": s["L5_mcy"] + s["L6_mcz"],
        "L6_Ixx": s["L6_Ixx"] - s["L6_Iyy"],
    }
    ours = dict(zip(base.names, base.formulas, strict=True))
    for name, value in theirs.items():
        values = {x: {**s, "D3": D3, "RL4": RL4}[x.name] for x in sb.free_symbols(ours[name])}
        assert float(sb.evaluate(ours[name], values)) == pytest.approx(value, rel=1e-12), name


def test_identified_parameters(pendulum: tuple[Regressor, BaseParameters]) -> None:
    """Base parameters within five standard deviations of the true ones; a body that exists; friction and rotors too."""
    Y, base = pendulum
    motion = excitation(base, 4.0, position=2.0, speed=3.0, tries=1)
    assert motion.condition < 20
    q, u, a = motion.at(np.linspace(0, 4, 120, endpoint=False))
    h = 1e-6
    assert np.abs((motion.at(1 + h)[0] - motion.at(1 - h)[0]) / (2 * h) - motion.at(1)[1]).max() < 1e-7
    assert np.abs(q).max() <= 2 + 1e-12
    pi = np.array([float(sb.evaluate(e, {})) for e in Y.known])
    noise = 1e-4 * np.random.default_rng(0).normal(size=(120, 2))
    found = identify_robot(
        base, q, u, a, stacked(Y, q, u, a) @ pi + noise, prior=dict(zip(Y.parameters, 1.1 * pi, strict=True))
    )
    for name, true in zip(base.names, base.grouping @ pi, strict=True):
        assert abs(found.base[name] - true) < 5 * found.deviations[name]
    assert found.noise == pytest.approx([1e-4, 1e-4], rel=0.3)
    t = np.linspace(0, 4, 50) + 0.01
    q, u, a = motion.at(t)
    check = found.validated(q, u, a, stacked(Y, q, u, a) @ pi + 1e-4)
    assert check.rms == pytest.approx([1e-4, 1e-4], rel=0.3)
    assert check.explained.min() > 0.999
    assert [p.y_label for p in check.plot().panels] == [s.name for s in Y.equations.u]
    assert found.parameters is not None
    full = np.array([found.parameters[n] for n in Y.parameters])
    assert np.abs(base.grouping @ full - list(found.base.values())).max() < 1e-4
    refuse_what_no_body_has(full[:10].tolist())


def test_friction_and_rotors_are_found() -> None:
    robot = sb.read_urdf(robot_file("double_pendulum.urdf"), parameters="none")
    Y = regressor(sb.derive(robot), friction=("viscous", "coulomb", "offset"), rotors=True)
    base = base_parameters(Y)
    assert len(base) == 6 + 8 - 1  # the rotor of the first joint is counted with its body
    rng = np.random.default_rng(3)
    q, u, a = rng.normal(size=(3, 200, 2))
    pi = rng.normal(size=len(Y.parameters))
    found = identify_robot(base, q, u, a, stacked(Y, q, u, a) @ pi)
    assert np.abs(list(found.base.values()) - base.grouping @ pi).max() < 1e-9


def test_what_no_body_has_is_refused() -> None:
    with pytest.raises(sb.ModelError, match="not positive definite"):
        refuse_what_no_body_has([1, 0, 0, 0, 1, 0, 1, 0, 0, 3])
