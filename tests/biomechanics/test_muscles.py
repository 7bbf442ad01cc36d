"""Muscles on paths: curves and forces beside SymPy and OpenSim, routes and power, motions beside plain numerics, exports."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sm
import sympy.physics.biomechanics as sympy_muscles
import sympy.physics.mechanics as me
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import symbody as sb
from symbody.kits import biomechanics as bio
from tests.published.numbers import published

OPENSIM = published("opensim_muscle_curves")
RIGID = (  # x, x', a, e -> force, fibre length, fibre velocity, cos of pennation, rate of activation: the block of `pulled`
    ((0.0, 0.0, 0.5, 0.5), (250.33319858050962, 0.10427522201103963, 0.0, 0.9590005954570201, 0.0)),
    ((0.02, 0.2, 0.3, 0.9), (192.70079740606536, 0.12358528199365654, 0.19419788192279958, 0.9709894096139978, 42.10506282546495)),
    ((-0.03, -0.4, 0.8, 0.1), (83.38154935128277, 0.07598237904574724, -0.3685064925795736, 0.9212662314489339, -19.83333966762037)),
)  # fmt: skip
RESIDUALS = (  # l, l', a, f, f' -> imbalance of fibre and tendon, of the same muscle
    ((0.31, 0.1, 0.4, 0.3, 1.0), -0.17856798148490027),
    ((0.29, -0.2, 0.7, 0.6, -3.0), 0.248157344938075),
    ((0.32, 0.05, 0.1, 0.2, 0.5), 0.04459758394024643),
)
SYMPY = {
    "active_force": "FiberForceLengthActive", "passive_force": "FiberForceLengthPassive", "velocity_factor": "FiberForceVelocity",
    "velocity_of_factor": "FiberForceVelocityInverse", "tendon_force": "TendonForceLength", "tendon_length": "TendonForceLengthInverse",
}  # fmt: skip


@pytest.mark.parametrize("curve", OPENSIM)
def test_curves_of_opensim(curve: str) -> None:
    law = getattr(bio.muscle_curves("opensim"), curve)
    for x, expected in OPENSIM[curve].items():
        assert float(sb.evaluate(law(float(x)))) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("curve", SYMPY)
def test_curves_as_printed(curve: str) -> None:
    """SymPy has the numbers of the paper."""
    law, l = getattr(bio.muscle_curves("2016"), curve), sm.Symbol("l")
    theirs = sm.lambdify(l, getattr(sympy_muscles, f"{SYMPY[curve]}DeGroote2016").with_defaults(l).doit(), "math")
    for x in np.linspace(0.3, 1.6, 14):
        assert float(sb.evaluate(law(float(x)))) == pytest.approx(theirs(x), rel=1e-12)


def test_activation_of_sympy() -> None:
    made = sympy_muscles.FirstOrderActivationDeGroote2016.with_defaults("m")
    theirs = sm.lambdify((made.excitation, made.activation), made.rhs()[0], "math")
    for e, a in ((1.0, 0.2), (0.1, 0.7), (0.4, 0.4001)):
        assert float(sb.evaluate(bio.activation_rate(e, a))) == pytest.approx(theirs(e, a), rel=1e-12)


def pulled(**options: Any) -> tuple[sb.Model, bio.Muscle]:
    """A block on a rail, and a muscle along it."""
    m = sb.Model("pull")
    block = m.body("block", mass=2.0)
    m.prismatic("x", m.ground, block)
    path = m.path("mus", [m.ground.point(-0.3, 0, 0), block.point(0, 0, 0)])
    numbers: dict[str, Any] = {
        "max_force": 500.0,
        "optimal_length": 0.1,
        "slack_length": 0.2,
        "pennation": 0.3,
        "curves": "opensim",
    }
    return m, bio.muscle(m, "mus", path, **(numbers | options))


@pytest.mark.parametrize(("state", "expected"), RIGID)
def test_rigid_tendon_of_opensim(state: tuple[float, ...], expected: tuple[float, ...]) -> None:
    m, mus = pulled()
    names = ("x", "x_dot", "mus_activation", "mus_excitation")
    eq = sb.derive(m)
    values = dict(zip(names, state, strict=True)) | {"mus_activation_dot": 0.0}
    found = sb.evaluate([mus.force, mus.fibre_length, mus.fibre_velocity, mus.cos_pennation, -eq.h[0]], values)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert sb.evaluate(eq.f[0], values) == pytest.approx(-expected[0], rel=1e-12)


@pytest.mark.parametrize(("state", "expected"), RESIDUALS)
def test_elastic_tendon_of_opensim(state: tuple[float, ...], expected: float) -> None:
    """Its implicit form has the rate of the tension instead of the fibre's velocity."""
    m, _ = pulled(tendon="elastic")
    l, rate, a, f, f_rate = state
    values = {"x": l - 0.3, "x_dot": rate, "mus_activation": a, "mus_tension": f, "mus_tension_dot": f_rate}
    rows = dict(zip(("activation", "tension", "balance"), sb.derive(m).h.entries, strict=True))
    v = brentq(lambda v: float(sb.evaluate(rows["tension"], values | {"mus_speed": v})), -50, 50, xtol=1e-15)
    found = float(sb.evaluate(rows["balance"], values | {"mus_speed": v}))
    assert found == pytest.approx(expected, rel=1e-12)


def test_muscle_of_sympy() -> None:
    """The force of a whole muscle with the numbers as printed. Without pennation: SymPy projects the force by the angle at
    the optimal length, whatever the length is."""
    N, O, P = me.ReferenceFrame("N"), me.Point("O"), me.Point("P")
    q, (x, v, a) = me.dynamicsymbols("q"), sm.symbols("x v a")
    P.set_pos(O, (q + sm.Rational(3, 10)) * N.x)
    act = sympy_muscles.FirstOrderActivationDeGroote2016.with_defaults("m")
    made = sympy_muscles.MusculotendonDeGroote2016.with_defaults(
        "m",
        me.LinearPathway(O, P),
        act,
        musculotendon_dynamics=sympy_muscles.MusculotendonFormulation.RIGID_TENDON,
        tendon_slack_length=0.2,
        peak_isometric_force=500.0,
        optimal_fiber_length=0.1,
        maximal_fiber_velocity=1.0,  # in m/s
    )
    force = sm.lambdify((x, v, a), made.force.doit().subs({q.diff(): v}).subs({q: x, act.activation: a}), "math")
    _, mus = pulled(curves="2016", pennation=0)
    for (x, v, a, _), _expected in RIGID:
        ours = float(sb.evaluate(mus.force, {"x": x, "x_dot": v, "mus_activation": a}))
        assert ours == pytest.approx(-force(x, v, a), rel=1e-12)


def elbow(tendon: str, **options: Any) -> tuple[sb.Model, bio.Muscle]:
    """Two links, and a muscle over both joints, through a point and over a cylinder."""
    m = sb.Model("arm")
    upper = m.body("upper", mass=1.9, com=(0, -0.15, 0), inertia=(0.015, 0.004, 0.013))
    fore = m.body("forearm", mass=1.5, com=(0, -0.18, 0), inertia=(0.02, 0.002, 0.02))
    m.revolute("shoulder", m.ground, upper, "z", damping=0.5)
    m.revolute("elbow", upper, fore, "z", at=(0, -0.29, 0), damping=0.5)
    m.gravity(0, -9.81, 0)
    joint = sb.bodies.WrapCylinder(upper.frame.translate(0, -0.29, 0), 0.02, side=1)
    stations = [m.ground.point(0.02, 0.02, 0), upper.point(0.025, -0.05, 0), joint, fore.point(0.02, -0.045, 0)]
    path = m.path("BIC", stations)
    numbers = {"max_force": 600, "optimal_length": 0.13, "slack_length": 0.19, "pennation": 0.1}
    return m, bio.muscle(m, "BIC", path, tendon=tendon, **(numbers | options))


@pytest.mark.parametrize("tendon", ["rigid", "elastic"])
def test_all_routes_and_power(tendon: str) -> None:
    m, mus = elbow(tendon)
    eq = sb.derive(m)
    assert sb.certify(eq).passed
    values = {
        "shoulder": 0.2,
        "elbow": 0.9,
        "shoulder_dot": 0.3,
        "elbow_dot": -1.2,
        "BIC_activation": 0.4,
        "BIC_tension": 0.3,
    }
    given = float(sb.evaluate(sb.derivation.load_powers(eq)["BIC"], values))
    assert given == pytest.approx(float(sb.evaluate(mus.power, values)), rel=1e-12)
    arms = [float(sb.evaluate(mus.moment_arm(q), values)) for q in eq.q]
    pulls = [float(sb.evaluate(e, values)) for e in sb.derivation.generalized_force(eq, "BIC").entries]
    assert pulls == pytest.approx([r * float(sb.evaluate(mus.force, values)) for r in arms], rel=1e-12)


def test_outputs() -> None:
    m, mus = elbow("elastic")
    names = ["BIC_length", "BIC_fibre_length", "BIC_fibre_velocity", "BIC_force", "BIC_arm_shoulder", "BIC_arm_elbow"]
    assert list(m.parts.outputs) == names
    assert m.parts.outputs["BIC_arm_elbow"] is mus.moment_arm(m.symbols["elbow"])
    few, _ = elbow("rigid", outputs=("force",))
    assert list(few.parts.outputs) == ["BIC_force"]


@pytest.fixture(scope="module")
def held() -> tuple[sb.Equations, sb.State]:
    """An elastic tendon at rest with its fibre."""
    m, _ = elbow("elastic", curves="opensim")
    eq = sb.derive(m)
    return eq, sb.assemble(eq, shoulder=0.1, elbow=0.9, BIC_activation=0.3, BIC_speed=0)


def test_start_of_a_fibre_at_rest(held: tuple[sb.Equations, sb.State]) -> None:
    """Fibre and tendon carry the same force at lengths that add up to the path."""
    _, state = held
    c = bio.muscle_curves("opensim")
    f, fibre = state["BIC_tension"], state["BIC_fibre_length"]
    thick = 0.13 * math.sin(0.1)
    cosine = math.sqrt(1 - (thick / fibre) ** 2)
    carried = float(sb.evaluate(0.3 * c.active_force(fibre / 0.13) * c.velocity_factor(0) + c.passive_force(fibre / 0.13)))  # fmt: skip
    assert carried * cosine == pytest.approx(f, rel=1e-9)
    tendon = 0.19 * float(sb.evaluate(c.tendon_length(f)))
    assert fibre * cosine + tendon == pytest.approx(state["BIC_length"], rel=1e-12)


def test_elastic_motion_beside_plain_numerics(held: tuple[sb.Equations, sb.State]) -> None:
    """The same equations, with the fibre's velocity by a search for a zero in each call."""
    eq, start = held
    sim = sb.simulate(eq, 0.3, start=start, inputs={"BIC_excitation": 0.6}, rtol=1e-9, atol=1e-11)
    assert sim.outcome

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        q, u, (a, tension) = y[:2], y[2:4], y[4:]

        def rows(v: float, dz: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
            values = dict(zip((*eq.q, *eq.u, *eq.z, *eq.r), (*q, *u, a, tension, v, 0.6), strict=True))
            return np.array(h(*[values[s] for s in order], *dz))

        v = brentq(lambda v: rows(v)[2], -5, 5, xtol=1e-14)
        M = np.array(mass(*q)).reshape(2, 2)
        udot = np.linalg.solve(M, np.array(force(*q, *u, tension)))
        return np.concatenate([u, udot, -rows(v)[:2]])

    order = (*eq.q, *eq.u, *eq.z, *eq.r)
    h = _numbers(eq.h, (*order, *(z.dot for z in eq.z)))
    mass, force = _numbers(eq.M, eq.q), _numbers(eq.f, (*eq.q, *eq.u, eq.z[1]))
    y0 = [start[s.name] for s in (*eq.q, *eq.u, *eq.z[:2])]
    end = solve_ivp(rates, (0, 0.3), y0, method="LSODA", rtol=1e-9, atol=1e-11).y[:, -1]
    found = [sim[s.name][-1] for s in (*eq.q, *eq.u, *eq.z[:2])]
    assert found == pytest.approx(end, rel=2e-6, abs=2e-7)


def _numbers(what: Any, symbols: Any) -> Any:
    f = sb.emit.numpy_function(sb.program("f", {s.name: s for s in symbols}, {"y": what}))
    return lambda *x: np.ravel(f(*x))


def test_stiff_tendon_is_rigid() -> None:
    """With a strain of 1e-5 at full force, the motion is that of a rigid tendon to this order."""
    ends = []
    for tendon, strain in (("rigid", None), ("elastic", 1e-5)):
        m, _ = elbow(tendon, curves=bio.muscle_curves("opensim", tendon_strain=strain))
        eq = sb.derive(m)
        start: dict[str, Any] = {"shoulder": 0.1, "elbow": 0.9, "BIC_activation": 0.3}
        if tendon == "elastic":
            start["BIC_tension"] = sb.assemble(eq, BIC_speed=0, **start)["BIC_tension"]
        sim = sb.simulate(eq, 0.2, inputs={"BIC_excitation": 0.3}, method="radau", **start)
        assert sim.outcome
        ends.append([sim["shoulder"][-1], sim["elbow"][-1]])
    assert ends[0] == pytest.approx(ends[1], abs=5e-5)


def test_slack_muscle_does_not_pull() -> None:
    _, mus = pulled(pennation=0)
    at = {"x_dot": 0.1, "mus_activation": 1.0}
    assert float(sb.evaluate(mus.force, at | {"x": -0.12})) == 0
    assert float(sb.evaluate(mus.force, at | {"x": 0.0})) > 500


@pytest.mark.parametrize("tendon", ["rigid", "elastic"])
def test_linear_system(tendon: str) -> None:
    """The activation's own eigenvalue, and how many states."""
    m, _ = elbow(tendon, curves="opensim")
    eq = sb.derive(m)
    point = sb.steady(eq, start={"elbow": 0.9, "shoulder": 0.1, "BIC_tension": 0.3} if tendon == "elastic" else {"elbow": 0.9, "shoulder": 0.1}, BIC_excitation=0.3)  # fmt: skip
    assert point.outcome
    found = sb.linearize(eq, point).eigenvalues()
    level = 0.5 + 1.5 * 0.3
    follows = -(0.5 / (0.015 * level) + 0.5 * level / 0.060)
    assert np.min(np.abs(found - follows)) < 1e-8 * abs(follows)
    assert len(found) == (5 if tendon == "rigid" else 6)


def test_model_file_and_exports(tmp_path: Path, held: tuple[sb.Equations, sb.State]) -> None:
    m, _ = elbow("elastic", curves="opensim")
    sb.write_model(m, tmp_path / "arm.yaml")
    again = sb.derive(sb.read_model(tmp_path / "arm.yaml").model)
    eq, state = held
    values = (
        {s.name: state[s.name] for s in (*eq.q, *eq.u, *eq.z)}
        | {"BIC_excitation": 0.5}
        | {f"{z.name}_dot": 0.1 for z in eq.z}
    )
    assert sb.evaluate([*again.f, *again.h], values) == pytest.approx(sb.evaluate([*eq.f, *eq.h], values), rel=1e-14)
    rigid = sb.derive(elbow("rigid")[0])
    assert (sb.write.c(rigid, tmp_path / "c", reference=None) / "README.md").exists()
    assert sb.write.fmu(rigid, tmp_path / "arm.fmu").exists()
    with pytest.raises(sb.errors.ProgramError, match="follow from equations only by iteration"):
        sb.write.modelica(eq, tmp_path / "mo", reference=None)


def test_what_is_no_muscle() -> None:
    m = sb.Model("none")
    path = m.path("p", [m.ground.point(0, 0, 0), m.ground.translate(m.coordinate("x"), 0, 0).origin])
    good: dict[str, Any] = {"max_force": 1, "optimal_length": 0.1, "slack_length": 0.2}
    for wrong, words in (
        ({"max_force": -1}, "max_force must be positive, got -1"),
        ({"pennation": 10}, "angle in radians"),
        ({"tendon": "rigd"}, "Did you mean 'rigid'"),
        ({"tendon": "elastic", "damping": 0}, "damping must be positive with an elastic tendon"),
        ({"curves": "2017"}, "no set of curves '2017'"),
        ({"excitation": 1, "activation": 1}, "not both"),
        ({"outputs": ("forse",)}, "force"),
    ):
        with pytest.raises(sb.ModelError, match=words):
            bio.muscle(m, "a", path, **(good | wrong))
        m = sb.Model("none")
        path = m.path("p", [m.ground.point(0, 0, 0), m.ground.translate(m.coordinate("x"), 0, 0).origin])
    with pytest.raises(sb.ModelError, match=r"expected a path made by m\.path"):
        bio.muscle(m, "b", m.ground, **good)  # type: ignore[arg-type]
    with pytest.raises(sb.ModelError, match="must be a strain"):
        bio.muscle_curves(tendon_strain=-1)
