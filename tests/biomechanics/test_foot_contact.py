"""Spheres on half-spaces of OpenSim's files: accelerations beside OpenSim 4.6, Hertz's law, and energy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symbody as sb
from symbody.kits import biomechanics as bio
from symbody.kits.biomechanics.foot_contact import BALL

OPENSIM = (  # x, y, turn; their rates; accelerations of turn, x, y by OpenSim 4.6
    ((0, 0.098, 0), (0.2, 0, 0), (-112.20000000000007, -5.6666666666666705, -3.139983333333329)),
    ((0, 0.095, 0.3), (0.03, -0.4, 0.5), (-488.43121062535306, -25.047754391043757, 24.451357985157465)),
    ((0.1, 0.09, 0), (-1.0, 0.3, 2.0), (925.7750066690272, 48.725000351001434, 47.95843941874459)),
    ((0, 0.099, 0), (0.01, -1.0, -0.3), (16.25147222373819, 0.8166568956652354, -5.681860443078469)),
    ((0, 0.12, 0), (1, 1, 1), (0.0, 0.0, -9.80665)),
)


@pytest.mark.parametrize(("place", "speed", "wanted"), OPENSIM)
def test_accelerations_beside_opensim(place: tuple[float, ...], speed: tuple[float, ...], wanted: tuple[float, ...]) -> None:  # fmt: skip
    m = sb.read_osim(BALL)
    assert str(m.report) == "read without changes"
    bio.add_contacts(m)
    eq = sb.derive(m)
    order = [["x", "y", "turn"].index(q.name) for q in eq.q]
    found = sb.compile(eq).udot(0.0, [place[k] for k in order], [speed[k] for k in order])
    by_name = dict(zip((q.name for q in eq.q), found, strict=True))
    assert [by_name[n] for n in ("turn", "x", "y")] == pytest.approx(wanted, rel=1e-9, abs=1e-9)


def test_hertz_and_reactions() -> None:
    """Two spheres of equal stiffness: k = E^(2/3)/2 on both sides; the half-space of a moving body reacts."""
    moving = BALL.replace(
        '<ContactHalfSpace name="floor"><socket_frame>/ground', '<ContactHalfSpace name="floor"><socket_frame>/bodyset/ball'
    ).replace('<ContactSphere name="ball"><socket_frame>/bodyset/ball', '<ContactSphere name="ball"><socket_frame>/ground')  # fmt: skip
    m = sb.read_osim(moving)
    made = bio.add_contacts(m, "ball", outputs=False)["ball"]
    state = {"x": 0.0, "y": 0.0, "turn": 0.0, "x_dot": 0.0, "y_dot": 0.0, "turn_dot": 0.0}
    depth = 0.1
    assert sb.evaluate(made.depth, state) == pytest.approx(depth)
    wanted = 4 / 3 * (1e6 ** (2 / 3) / 2) ** 1.5 * math.sqrt(0.1) * depth**1.5
    assert sb.evaluate(made.force, state) == pytest.approx(wanted, rel=1e-12)
    eq = sb.derive(m)
    push = np.ravel(np.array(sb.evaluate(eq.f, state), dtype=float))
    assert dict(zip((q.name for q in eq.q), push, strict=True))["y"] == pytest.approx(-wanted - 2 * 9.80665)


def test_a_ball_that_bounces_keeps_its_energy_without_losses() -> None:
    text = BALL.replace("<dissipation>0.5", "<dissipation>0")
    for mu in ("static_friction>0.9", "dynamic_friction>0.8", "viscous_friction>0.05"):
        text = text.replace(f"<{mu}", f"<{mu.partition('>')[0]}>0")
    m = sb.read_osim(text)
    bio.add_contacts(m)
    sim = sb.simulate(sb.derive(m), 0.45, y=0.2, rtol=1e-10)
    assert sim.outcome
    assert sim.min("y_dot") < -1.0
    assert sim.max("y_dot") == pytest.approx(-sim.min("y_dot"), rel=1e-4)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("<geometry>floor ball", "<geometry>floor bal", "no contact geometry 'bal'.*Did you mean 'ball'"),
        ("<socket_frame>/bodyset/ball", "<socket_frame>/bodyset/foot", "no body 'foot'"),
        ("<stiffness>1000000", "<stiffness>hard", "<stiffness> must be a number, got 'hard'"),
    ],
)
def test_what_is_refused(old: str, new: str, words: str) -> None:
    with pytest.raises(sb.ModelError, match=words):
        sb.read_osim(BALL.replace(old, new))


def test_names_that_are_not_there() -> None:
    with pytest.raises(sb.ModelError, match="no contact sphere 'heel'"):
        bio.add_contacts(sb.read_osim(BALL), ["heel"])
    with pytest.raises(sb.ModelError, match="from read_osim"):
        bio.add_contacts(sb.Model("m"))  # type: ignore[arg-type]
