"""Early linearisation: right to first order, and honest about the rest."""

from __future__ import annotations

import pytest

import symbody as sb


def rolling_pendulum() -> sb.Model:
    """A cart that may go anywhere, a pendulum on it that stays near the vertical, a second that does not."""
    m = sb.Model("cart with two pendulums")
    p = m.parameters(M=3.0, m=1.0, l=0.7, g=9.81)
    m.gravity(0, -p.g, 0)
    cart, near, far = (
        m.body("cart", mass=p.M),
        m.body("near", mass=p.m, com=(0, -p.l, 0)),
        m.body("far", mass=p.m, com=(0, -p.l, 0)),
    )
    m.prismatic("x", m.ground, cart)
    m.revolute("a", cart, near)
    m.revolute("b", cart, far)
    m.small(m.symbols["a"])
    m.output("height", near.mass_centre.position().components(m.ground)[1])
    return m


def test_first_order_is_exact_and_second_is_gone():
    m = rolling_pendulum()
    full, eq = sb.derive(m), sb.derive(m, small=True)
    a, b = eq.q[1], eq.q[2]
    at = full.values(otherwise=0.4, a=0.0, a_dot=0.0)
    for name in ("M", "f"):
        for small in (0.0, 1e-4):
            here = {**at, a: small, a.dot: 3 * small}
            exact, found = (sb.evaluate(sb.matrix([list(getattr(e, name).entries)]), here)[0] for e in (full, eq))
            worst = max(abs(x - y) for x, y in zip(exact, found, strict=True))
            assert worst <= 100 * small**2 + 1e-14
    slopes = sb.jacobian([*eq.M.entries, *eq.f.entries], [a, a.dot])
    assert not [s for s in sb.free_symbols(slopes) if s in (a, a.dot)]
    assert sb.evaluate(eq.f[2], {**at, b: 1.0}) == pytest.approx(sb.evaluate(full.f[2], {**at, b: 1.0}))


def test_it_says_what_was_dropped():
    eq = sb.derive(rolling_pendulum(), small=True)
    a = eq.q[1]
    assert eq.dropped["f[0]"] == sb.matrix([[0]])[0, 0]  # m l sin(a) a'² is of third order
    assert sb.evaluate(eq.dropped["M[0, 1]"], eq.values(otherwise=0, a=0.1)) == pytest.approx(-0.7 * 0.1**2 / 2)
    assert sb.evaluate(eq.dropped["height"], eq.values(otherwise=0, a=0.1)) == pytest.approx(0.7 * 0.1**2 / 2)
    assert a in sb.free_symbols(eq.dropped["M[0, 1]"])
    assert "linearised in a, a_dot" in eq.notes[-1]


def test_nothing_small_is_an_error():
    m = sb.Model("pendulum")
    m.revolute("q", m.ground, m.body("bob", mass=1, com=(0, -1, 0)))
    with pytest.raises(sb.ModelError, match="nothing is declared small"):
        sb.derive(m, small=True)
