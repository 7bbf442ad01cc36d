"""Machines with elastic parts whose answers are known in closed form: a whirling shaft, a satellite with panels."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb


def test_whirling_shaft():
    """Internal damping c_i makes a shaft on stiff bearings whirl beyond Ω = ω₁ (1 + c_e / c_i); external damping c_e,
    in the ground, raises that speed."""
    m = sb.Model("shaft")
    W, ce, beta = m.parameters(W=1.0, ce=0.0, beta=1e-3)
    shaft = m.beam(
        "shaft",
        m.ground.rotate("x", W * m.time),
        length=1,
        EI=1,
        rho_A=1,
        modes=1,
        bending="yz",
        ends=("pinned", "pinned"),
        rayleigh=(0, beta),
        stiffening=False,
    )
    M = shaft.mass_matrix[0, 0]
    y, z = shaft.coordinates  # external damping of the mode: -ce M (q' + Ω × q), in axes that turn
    for q, other, sign in ((y, z, -1), (z, y, 1)):
        m.generalized_force(f"air on {q.name}", q, -ce * M * (q.dot + sign * W * other))
    system = sb.linearize(sb.derive(m), {})
    w1 = float(np.sqrt(sb.evaluate([shaft.stiffness[0, 0] / M], {})[0]))
    internal = 1e-3 * w1**2

    def growth(speed, outside):
        return float(system.eigenvalues(W=speed, ce=outside, beta=1e-3).real.max())

    for outside in (0.0, 0.5 * internal, 2 * internal):
        critical = w1 * (1 + outside / internal)
        assert growth(0.99 * critical, outside) < 0 < growth(1.01 * critical, outside)


@pytest.fixture(scope="module")
def satellite():
    m = sb.Model("satellite")
    L, EI, mu, J, r = m.parameters(L=2.0, EI=40.0, mu=0.8, J=5.0, r=0.5)
    torque = m.input("torque")
    hub = m.body("hub", mass=100.0, inertia=(J, J, J))
    m.revolute("theta", m.ground, hub, axis="z")
    panels = []
    for name, turn in (("right", 0), ("left", sb.pi)):
        root = hub.frame.rotate("z", turn).translate(r, 0, 0)
        panels.append(m.beam(name, root, length=L, EI=EI, rho_A=mu, modes=3, stiffening=False))
    m.torque("wheel", hub, m.ground.vector(0, 0, torque))
    m.output("angle", m.symbols["theta"])
    return m, panels


def test_satellite_with_panels(satellite):
    """θ(s) / τ(s) as an expression in L, EI, μ, J: its zeros are the frequencies of the panels on a hub that stands
    still, its poles those of the free satellite."""
    m, panels = satellite
    eq = sb.derive(m)
    s = sb.symbol("s")
    still = dict.fromkeys((*eq.q, *eq.u), 0)
    M, K, b = (
        sb.substitute(A, {**still, eq.r[0]: 0}) for A in (eq.M, -sb.jacobian(eq.f, eq.q), sb.jacobian(eq.f, eq.r))
    )
    k = [q.name for q in eq.q].index("theta")
    transfer = sb.solve(M * s**2 + K, b.column(0))[k]
    numbers = {p.name: float(v) for p, v in eq.mechanism.values.items()}
    lin = sb.linearize(eq, {})
    poles = np.unique(np.abs(lin.eigenvalues().imag).round(6))
    held = np.sqrt(
        np.linalg.eigvals(
            np.linalg.solve(
                *(
                    np.array(sb.evaluate([A], numbers)[0], dtype=float).reshape(3, 3)
                    for A in (panels[0].mass_matrix, panels[0].stiffness)
                )
            )
        ).real
    )
    cantilever = 3.516015 * np.sqrt(40.0 / (0.8 * 2.0**4))
    assert held.min() == pytest.approx(cantilever, rel=1e-3)
    zeros = np.unique(np.abs(lin.zeros("torque", "angle").imag).round(4))
    assert [z for z in zeros if z > 1e-3] == pytest.approx(sorted(held), rel=1e-4)

    def value(w):
        return complex(sb.evaluate([transfer], {**numbers, "s": 1j * w})[0])

    for w in held:  # panels that bend against each other have this pole too, and move the hub by nothing
        assert abs(value(w * (1 + 1e-7))) < 1e-4 * abs(value(0.9 * w))
    free = [p for p in poles if p > 1e-3 and np.abs(p - held).min() > 1e-3]
    assert len(free) == 3
    for p in free:
        assert abs(value(p * (1 + 1e-7))) > 1e3 * abs(value(1.1 * p))


def test_modes_beside_the_own(satellite):
    """Of the two panels' modes, those that move nothing else are the panel's own; the others lie above them."""
    m, panels = satellite
    eq = sb.derive(m)
    lin = sb.linearize(eq, {})
    values = {p.name: float(v) for p, v in eq.mechanism.values.items()}
    table = panels[0].beside([x for x in lin.modes() if x.is_oscillatory and x.eigenvalue.imag > 0], values)
    low = sorted(table.rows, key=lambda r: r.frequency)[:2]
    assert low[0].frequency == pytest.approx(table.frequencies[0], rel=1e-9)
    assert low[1].frequency > table.frequencies[0]
    assert [r.own for r in low] == [1, 1]
    assert low[0].likeness == pytest.approx(1.0)
    assert low[0].share == pytest.approx(0.5, abs=1e-6)
    assert "part of right" in str(table)
    with pytest.raises(sb.ModelError, match="give values of"):
        panels[0].beside([])
