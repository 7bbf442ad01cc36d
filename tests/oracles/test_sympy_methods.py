"""Equations that somebody has in SymPy: accelerations, multipliers and forces here are those of SymPy's own numbers."""

from collections.abc import Mapping

import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me

import symbody as sb
from symbody.derivation.equations.random_states import random_state

from .sympy_mechanics import (
    bicycle,
    four_bar_linkage,
    knife_edge,
    pendulum_by_lagrange,
    pendulums_on_a_cart,
    rolling_disc,
    system_of_joints,
    t,
)

KANE = (pendulums_on_a_cart, rolling_disc, four_bar_linkage, knife_edge)


def numbers(eq: sb.Equations, seed: int = 1) -> dict:
    """A state on the constraints, by symbol."""
    return random_state(eq, seed, {"l1": 1.0, "l2": 2.2, "l3": 1.7, "l4": 2.0} if "l4" in eq.variables else None)


def in_sympy(values: Mapping) -> dict:
    """The same for SymPy's symbols and dynamicsymbols."""
    named = {s.name: v for s, v in values.items()}
    return {
        k: v
        for n, v in named.items()
        for k in (
            sm.Symbol(n),
            me.dynamicsymbols(n),
            sm.Derivative(me.dynamicsymbols(n.removesuffix("_dot")), t) if n.endswith("_dot") else sm.Symbol(n),
        )
    }


def floats(m: sm.Matrix, at: Mapping) -> np.ndarray:
    return np.array(m.xreplace(at).evalf().tolist(), dtype=float)


@pytest.mark.parametrize("make", KANE)
def test_accelerations_are_those_of_kanes_method(make):
    method = make()
    eq = sb.from_sympy(method)
    for seed in (1, 2):
        values = numbers(eq, seed)
        at = in_sympy(values)
        wanted = np.linalg.solve(floats(method.mass_matrix, at), floats(method.forcing, at).ravel())
        found = np.array(sb.evaluate(eq.udot, values))
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-11)
        compiled = sb.compile(eq)
        groups = [[values[s] for s in group] for group in (eq.q, eq.u, eq.r) if group or group is not eq.r]
        assert compiled.udot(0.0, *groups, [values[s] for s in eq.p]) == pytest.approx(wanted, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("make", KANE)
def test_everything_follows(make):
    eq = sb.from_sympy(make())
    known = {s.name: 1.0 + k / 10 for k, s in enumerate(eq.p)} | (
        {"l1": 1.0, "l2": 2.2, "l3": 1.7, "l4": 2.0} if make is four_bar_linkage else {}
    )
    assert sb.certify(eq, values=known).passed
    rough = {"q1": 0.6, "q2": -0.4, "q3": -1.4, "u1": 0.1, "ux": 0.4, "ua": 0.3}
    start = sb.assemble(eq, known, start={n: v for n, v in rough.items() if n in eq.variables})
    sim = sb.simulate(eq, 0.5, start)
    assert sim.outcome
    read = sb.derive(sb.study.read_model_text(sb.write.model_text(eq.mechanism)).mechanism, "kane")
    values = numbers(eq)
    assert sb.evaluate(list(read.f.entries), values) == pytest.approx(
        sb.evaluate(list(eq.f.entries), values), rel=1e-12
    )


def test_constraints_of_the_four_bar_linkage_are_counted_once():
    """Velocity constraints that are rates of configuration constraints are no constraints of their own."""
    eq = sb.from_sympy(four_bar_linkage())
    assert (eq.phi.rows, len(eq.lam), eq.degrees_of_freedom) == (2, 2, 1)
    eq = sb.from_sympy(knife_edge())
    assert (eq.phi.rows, len(eq.lam), eq.degrees_of_freedom) == (0, 1, 2)


def test_contact_forces_of_the_rolling_disc():
    """What auxiliary equations determine are outputs: SymPy's own equations hold with them."""
    method = rolling_disc()
    eq = sb.from_sympy(method)
    assert set(eq.outputs) == {"fx", "fy", "fz"}
    values = numbers(eq)
    state = {s: values[s] for s in eq.variables.arguments}
    udot = sb.evaluate(eq.udot, state)
    moving = {**state, **dict(zip((u.dot for u in eq.u), udot, strict=True))}
    forces = {me.dynamicsymbols(n): sb.evaluate(e, moving) for n, e in eq.outputs.items()}
    rates = {u.diff(t): a for u, a in zip(method.u, udot, strict=True)}
    assert floats(method.auxiliary_eqs, {**in_sympy(state), **forces, **rates}).ravel() == pytest.approx(
        [0, 0, 0], abs=1e-10
    )


def test_lagranges_method():
    """Accelerations, and multipliers: the unknowns beside them in SymPy's matrix are the negatives of its `lam_vec`."""
    method = pendulum_by_lagrange()
    eq = sb.from_sympy(method)
    values = numbers(eq)
    at = in_sympy(values)
    n = len(eq.q)
    A = np.vstack([floats(method.mass_matrix, at), np.hstack([floats(method._m_cd, at), np.zeros((2, 2))])])
    whole = np.linalg.solve(A, np.vstack([floats(method.forcing, at), floats(method._f_cd, at)]).ravel())
    assert sb.evaluate(eq.udot, values) == pytest.approx(whole[:n], rel=1e-9, abs=1e-11)
    assert sb.evaluate(eq.multipliers, values) == pytest.approx(whole[n:], rel=1e-9, abs=1e-11)
    assert sb.certify(eq).passed
    assert [s.name for s in eq.r] == ["F"]


def test_system():
    system = system_of_joints()
    eq = sb.from_sympy(system)
    values = numbers(eq)
    at = in_sympy(values)
    wanted = np.linalg.solve(floats(system.mass_matrix, at), floats(system.forcing, at).ravel())
    assert sb.evaluate(eq.udot, values) == pytest.approx(wanted, rel=1e-9)


def test_linearised_like_sympy():
    """Eigenvalues of the hanging double pendulum, by SymPy's linear matrices."""
    system = system_of_joints()
    eq = sb.from_sympy(system)
    numbers_ = {"g": 9.81, "l": 1.3, "m": 0.7} | {s.name: 0.02 for s in eq.p if s.name not in ("g", "l", "m")}
    point = dict.fromkeys((s.name for s in eq.q), 0.0) | {eq.q[0].name: -np.pi / 2}
    found = sb.linearize(eq, point, **numbers_).eigenvalues()
    A, _, _ = system.eom_method.linearize(
        A_and_B=True, op_point={**{q: point[str(q.func)] for q in system.q}, **dict.fromkeys(system.u, 0)}
    )
    at = {sm.Symbol(n): v for n, v in numbers_.items()} | {me.dynamicsymbols("T"): 0}
    theirs = np.linalg.eigvals(floats(sm.Matrix(A), at))
    assert sorted(np.abs(found)) == pytest.approx(sorted(np.abs(theirs)), rel=1e-7)


def test_eigenvalues_of_the_bicycle():
    """Built in SymPy, whose own equations are never formed: the eigenvalues of the benchmark (Meijaard et al. 2007,
    table 2)."""
    eq = sb.from_sympy(bicycle())
    assert eq.degrees_of_freedom == 3
    known = {
        1.0: [
            -7.11008014637441,
            -3.13423125066578,
            3.52696170990069 - 0.80774027519930j,
            3.52696170990069 + 0.80774027519930j,
        ],
        5.0: [
            -14.07838969279822,
            -0.77534188219585 - 4.46486771378823j,
            -0.77534188219585 + 4.46486771378823j,
            -0.32286642900409,
        ],
    }
    for v, wanted in known.items():
        found = sb.linearize(eq, sb.steady(eq, ur=-v / 0.3, uf=-v / 0.35)).eigenvalues()
        found = np.sort_complex(found[np.abs(found) > 1e-3])  # yaw and the angles of the wheels are cyclic
        assert found == pytest.approx(np.sort_complex(np.array(wanted)), rel=1e-9)


# ------------------------------------------------------------------------------------------------------ geometry


def test_frames_points_vectors_dyads_and_bodies():
    a, b = me.dynamicsymbols("a b")
    l, m = sm.symbols("l m")
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [a, N.z])
    B = A.orientnew("B", "Axis", [b, A.x])
    O = me.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", l * B.y + 2 * A.x)
    P.set_vel(B, 0)
    model = sb.Model("twin")
    model.coordinates("a b")
    model.parameters("l m", 0.7, 1.2)
    table = {N: model.ground, O: model.ground.origin}
    values = dict(zip(model.symbols_of_kind("coordinate"), (0.4, -0.9), strict=True)) | dict(model.parts.default_values)
    values |= {s.dot: v for s, v in zip(model.symbols_of_kind("coordinate"), (1.1, 0.3), strict=True)}
    at = in_sympy(values)
    ours = lambda v: np.array(sb.evaluate(v.components(model.ground), values))  # noqa: E731
    theirs = lambda v: floats(v.to_matrix(N), at)  # noqa: E731
    v = 3 * l * B.z + a.diff(t) * A.y
    assert ours(sb.from_sympy(v, table)) == pytest.approx(theirs(v).ravel())
    assert ours(sb.from_sympy(P, table).position()) == pytest.approx(theirs(P.pos_from(O)).ravel())
    assert ours(sb.from_sympy(P, table).velocity()) == pytest.approx(theirs(P.pos_from(O).dt(N)).ravel())
    assert ours(sb.from_sympy(B, table).angular_velocity()) == pytest.approx(theirs(B.ang_vel_in(N)).ravel())
    D = me.inertia(B, 1, 2, 3, l) + N.x.outer(A.y)
    assert ours(sb.from_sympy(D, table)) == pytest.approx(theirs(D))
    body = model.parts.add_body(sb.from_sympy(me.RigidBody("body", P, B, m, (me.inertia(B, 1, 2, 2.5), P)), table))
    model.parts.add_body(sb.from_sympy(me.Particle("grain", P, 2 * m), table))
    assert ours(body.mass_centre.position()) == pytest.approx(theirs(P.pos_from(O)).ravel())
    P.set_vel(N, P.pos_from(O).dt(N))
    eq = sb.derive(model)
    T = me.RigidBody("body", P, B, 3 * m, (me.inertia(B, 1, 2, 2.5), P)).kinetic_energy(N)
    assert sb.evaluate(sb.kinetic_energy(eq), values) == pytest.approx(float(T.xreplace(at).evalf()))


def test_what_is_not_named_is_asked_for():
    N, O, P = me.ReferenceFrame("N"), me.Point("O"), me.Point("P")
    with pytest.raises(sb.ModelError, match=r"from_sympy\(..., \{N: m.ground\}\)"):
        sb.from_sympy(N.x)
    with pytest.raises(sb.ModelError, match="the point 'P' has no position"):
        sb.from_sympy(P, {N: sb.Model("m").ground, O: sb.Model("m").ground.origin})
    q, u = me.dynamicsymbols("q u")
    method = me.KanesMethod(N, [q], [u], [q.diff(t) - u])
    with pytest.raises(sb.ModelError, match="no bodies yet"):
        sb.from_sympy(method)
