"""Notes of `audit`: what a person would ask on reading a model. Each model is as it should be but for one thing."""

from __future__ import annotations

from typing import Any

import pytest

import symbody as sb


def pendulum(gravity: bool = True, **of_rod: Any) -> sb.Model:
    m = sb.Model("pendulum")
    if gravity:
        m.gravity(0, -9.81, 0)
    rod: dict[str, Any] = {"mass": 1, "com": (0, -0.5, 0), "inertia": (0.1, 0.1, 0.1)}
    m.revolute("q", m.ground, m.body("rod", **(rod | of_rod)))
    return m


def test_a_model_without_surprises_has_no_notes() -> None:
    found = sb.audit(pendulum())
    assert found.notes == ()
    assert "note" not in str(found)


def test_no_gravity() -> None:
    found = sb.audit(pendulum(gravity=False))
    assert found.notes == ("there is no gravity; m.gravity(0, 0, -9.81) would add it",)
    assert "note: there is no gravity" in str(found)
    m = sb.Model("orbit")
    x, y = m.coordinates("x y")
    m.particle("p", m.ground.point(x, y, 0), mass=1)
    m.central_gravity("sun", 1.0, m.ground.origin)
    assert sb.audit(m).notes == ()


def test_bodies_that_are_points() -> None:
    assert "body rod has mass and no inertia: it is a point mass" in sb.audit(pendulum(inertia=None)).notes[0]
    m = sb.Model("a particle is one")
    m.gravity(0, -9.81, 0)
    m.revolute("q", m.ground, m.particle("bob", mass=1), on=(0, 1, 0))
    assert sb.audit(m).notes == ()
    m.prismatic("x", m.ground, m.body("cart", mass=1))  # does not turn
    assert sb.audit(m).notes == ()


def test_hinges_through_a_point() -> None:
    m = sb.Model("bob")
    m.gravity(0, -9.81, 0)
    m.revolute("q", m.ground, m.particle("bob", mass=1))
    found = sb.audit(m)
    assert not found.passed
    assert "joint 'q' turns bob about an axis through its mass centre" in " ".join(found.notes)


def test_inputs_and_parameters_that_act_on_nothing() -> None:
    m = pendulum()
    m.input("tau")
    m.parameter("l", 1.0)
    found = sb.audit(m)
    assert "the input tau acts on nothing" in found.notes
    assert "l" in " ".join((*found.notes, *found.remarks))


def test_springs_without_rest_length() -> None:
    m = pendulum()
    rod = m.bodies["rod"]
    m.spring("loose", m.ground.point(1, 0, 0), rod.point(0, -1, 0), stiffness=10)
    m.spring("tight", m.ground.point(2, 0, 0), rod.point(0, -1, 0), stiffness=10, rest=0.5)
    assert sb.audit(m).notes == ("spring 'loose' has the rest length 0, as it would without rest=",)


def test_angles_beyond_a_full_turn() -> None:
    m = sb.Model("degrees")
    m.gravity(0, -9.81, 0)
    arm = m.body("arm", mass=1, com=(1, 0, 0), inertia=(1, 1, 1))
    m.revolute("q", m.ground, arm, orientation=("z", 90))
    (note,) = sb.audit(m).notes
    assert "is turned by 90 rad, more than a full turn" in note


def test_a_mass_centre_needs_a_mass() -> None:
    m = sb.Model("p")
    with pytest.raises(sb.ModelError, match=r"body 'a' has a mass centre and no mass; give mass=, which may be 0"):
        m.body("a", com=(0, -0.5, 0))
    assert m.body("a", mass=0, com=(0, -0.5, 0)).mass.is_massless
    m.body("b")  # a frame with a name


def test_gravity_across_every_motion() -> None:
    m = sb.Model("pendulum about its vertical axis")
    m.gravity(0, -9.81, 0)
    m.revolute("q", m.ground, m.body("rod", mass=1, com=(0, -0.5, 0), inertia=(0.1, 0.1, 0.1)), axis="y")
    assert sb.audit(m).notes == (
        "gravity does no work in any motion of the model: check its direction and the axes of the joints",
    )


def test_negative_stiffness_and_damping() -> None:
    m = sb.Model("slide")
    k, c = m.parameters(k=-5.0, c=1.0)
    m.gravity(-9.81, 0, 0)
    m.prismatic("x", m.ground, m.body("a", mass=1), stiffness=k, damping=c)
    m.prismatic("y", m.ground, m.body("b", mass=1), stiffness=1, damping=-2)
    assert sb.audit(m).notes == (
        "spring 'x.spring' has a negative stiffness, and drives the motion",
        "damper 'y.damper' has a negative damping, and drives the motion",
    )


@pytest.mark.parametrize(("modes", "is_noted"), [({"y": 2, "z": 2, "twist": 1}, True), ({"y": 2, "z": 2}, False)])
def test_beams_that_would_buckle_sideways(modes: dict[str, int], is_noted: bool) -> None:
    """Above Prandtl's load the linear equations are stable still: the note names the load and what is dropped."""
    m = sb.Model("cantilever")
    beam = m.beam(
        "blade",
        m.ground,
        length=1.0,
        EI=(100.0, 1.0),
        GJ=0.8 if is_noted else None,
        rho_A=1.0,
        rho_I=(1e-4, 1e-4),
        modes=modes,
    )
    m.gravity(0, -9.81, 0)
    m.force("tip", beam, -5.0 * m.ground.y, at=beam.point(1.0))
    found = [n for n in sb.audit(m).notes if "buckle sideways" in n]
    assert bool(found) is is_noted
    if is_noted:
        assert "beam 'blade' is loaded across its axis (tip)" in found[0]
        assert "4.013 sqrt(EI GJ)/L²" in found[0]
