"""What results of the kits show of themselves: a few lines, never their arrays and expressions."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody.kits import biomechanics as bio
from symbody.kits import machines as mc
from symbody.kits import robots as rb
from symbody.kits import teaching
from symbody.kits import vehicles as vh

from .test_first_look import assert_good_to_look_at
from .vehicles.passenger_tyre import NUMBERS, tir

LARGE = ("ndarray", "Mapping", "Array", "Equations", "Trajectory", "Matrix", "Frame", "Branch")


@pytest.mark.parametrize(
    "module", [rb, vh, bio, teaching, mc], ids=["robots", "vehicles", "biomechanics", "teaching", "machines"]
)
def test_what_is_large_has_a_summary(module: Any) -> None:
    made = [
        c for c in (getattr(module, n) for n in module.__all__) if dataclasses.is_dataclass(c) and inspect.isclass(c)
    ]
    raw = [c for c in made if "__repr__" in vars(c) and c.__dataclass_params__.repr]  # type: ignore[attr-defined]
    large = [c.__name__ for c in raw if any(t in str(f.type) for f in dataclasses.fields(c) for t in LARGE)]
    assert large == []


def test_identification() -> None:
    m = sb.Model("arm")
    m.gravity(0, -9.81, 0)
    rod = m.body("rod", mass=1.0, com=(0, -1, 0), inertia=(1, 1, 1))
    m.revolute("q", m.ground, rod)
    eq = sb.derive(m)
    Y = rb.regressor(eq, friction=("viscous",))
    base = rb.base_parameters(Y)
    motion = rb.excitation(base, 2.0, position=2.0, speed=3.0, harmonics=1, samples=10, tries=1)
    q, u, a = motion.at(np.linspace(0, 2, 20))
    found = rb.identify_robot(base, q, u, a, q)
    for thing in (Y, base, motion, found, found.validated(q, u, a, q), rb.task(eq, rod)):
        assert_good_to_look_at(thing)
    assert "<Regressor of arm: 1 force, 11 parameters" in repr(Y)
    assert "1 joint, 1 harmonic, period 2 s" in repr(motion)


def test_vehicles() -> None:
    x = np.linspace(-0.1, 0.1, 40)
    crg = vh.CrgFile("bump.crg", x, x, np.outer(x, x), 0 * x, (0.0, 0.0))
    curves = vh.KinematicCurves("travel", x, {"toe": x**2, "camber": -x})
    things = [
        vh.read_tyre(tir(NUMBERS)),
        vh.read_tir(tir(NUMBERS)),
        crg,
        curves,
        vh.random_profile("A"),
        vh.Road(sb.Model("m").ground),
    ]
    for thing in things:
        assert_good_to_look_at(thing)
    assert "toe" in repr(curves)
    assert "FNOMIN" in repr(things[0])


def test_biomechanics() -> None:
    m = sb.Model("pull")
    block = m.body("block", mass=2)
    m.prismatic("x", m.ground, block)
    path = m.path("flexor", [m.ground.point(-0.3, 0, 0), block.point(0, 0, 0)])
    flexor = bio.muscle(m, "flexor", path, max_force=500, optimal_length=0.1, slack_length=0.2)
    assert_good_to_look_at(flexor)
    assert "<Muscle flexor" in repr(flexor)
