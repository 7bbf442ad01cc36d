"""A mechanism among particles of YADE (`examples/particles/coupling.py`): both balances, and forces both ways."""

import shutil

import numpy as np
import pytest

import symbody as sb
from examples.particles.coupling import Particles, Tool, coupled_motion, yade

BALLS = [(0.3, 0, 0), (0.5, 0.02, 0)]


def cart():
    m = sb.Model("cart")
    body = m.body("cart", mass=1.5)
    m.prismatic("x", m.ground, body, axis="x")
    tool = Tool(m, "head", body.frame.translate(0, 0, 0), 0.1)
    return sb.derive(m), tool


@pytest.mark.skipif(shutil.which("yade") is None, reason="no yade: apt-get install yade")
def test_momentum_is_kept_and_energy_to_first_order():
    eq, tool = cart()
    particles = Particles(BALLS, 0.1, gravity=(0, 0, 0), young=1e6)
    coarse, fine = (coupled_motion(eq, tool, particles, 0.16, h, {"x_dot": 2.0}) for h in (1e-3, 2.5e-4))
    for found in (coarse, fine):
        momentum = 1.5 * found.states[1:, 1] + found.momentum[:, 0]
        assert np.abs(momentum - 3.0).max() < 1e-12
        assert np.allclose(found.impulses[:, 0].sum(), 1.5 * (found.states[-1, 1] - 2.0))
    assert fine.states[-1, 1] < 0  # the cart is thrown back, the balls fly on
    assert (fine.places[:, 0] > [0.3, 0.5]).all()
    assert np.abs(fine.balance).max() < 0.4 * np.abs(coarse.balance).max() < 0.12 * 3.0


def test_without_yade_the_package_is_named(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(FileNotFoundError, match="apt-get install yade"), yade(Particles(BALLS, 0.1), 0.1):
        pass
