"""Every body that exists is accepted, however thin and however it is written; what cannot exist is refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symbody as sb
from symbody import Model, ModelError


def of_points(masses: np.ndarray, places: np.ndarray, about: np.ndarray) -> np.ndarray:
    """∑ m (r·r 1 - r rᵀ)"""
    return sum(m * (np.dot(r, r) * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, places - about, strict=True))


def cloud(rng: np.random.Generator, dimensions: int) -> tuple[np.ndarray, np.ndarray]:
    """Point masses in a point, on a line, in a plane or in space, anywhere and in any direction; sizes from micrometres
    to kilometres."""
    directions = np.linalg.qr(rng.normal(size=(3, 3)))[0][:, :dimensions]
    size = 10 ** rng.uniform(-6, 3)
    places = size * (rng.normal(size=3) + rng.normal(size=(8, dimensions)) @ directions.T)
    return 10 ** rng.uniform(-3, 3) * rng.uniform(0.1, 1, 8), places


@pytest.mark.parametrize("dimensions", [0, 1, 2, 3])
def test_bodies_of_point_masses_pass(dimensions: int) -> None:
    rng = np.random.default_rng(dimensions)
    m = Model("bodies")
    for k in range(150):
        masses, places = cloud(rng, dimensions)
        centre, total = masses @ places / masses.sum(), masses.sum()
        I = of_points(masses, places, centre)
        m.body(f"central {k}", mass=total, com=centre, inertia=I)
        far = centre + rng.normal(size=3) * 100 * np.abs(places).max()
        I_far = of_points(masses, places, far)
        made = m.body(f"shifted {k}", mass=total, com=centre, inertia=I_far, about=far)
        assert np.array(sb.evaluate(made.mass.I_BBcm)) == pytest.approx(I, rel=1e-6, abs=1e-11 * np.abs(I_far).max())


@pytest.mark.parametrize("worse", [1.01, 1.5, 10])
def test_bodies_that_cannot_exist_are_refused(worse: float) -> None:
    """One principal value beyond the sum of the others, in any orientation."""
    rng = np.random.default_rng(int(10 * worse))
    for _ in range(30):
        a, b = rng.uniform(0.1, 1, 2)
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        I = R @ np.diag([a, b, worse * (a + b)]) @ R.T
        with pytest.raises(ModelError, match=r"body 'fly wheel': no body has the principal inertias .*physical=False"):
            Model("bodies").body("fly wheel", mass=1, inertia=I)
        Model("bodies").body("fly wheel", mass=1, inertia=I, physical=False)


def test_tensors_turned_by_symbols_pass() -> None:
    """R diag(x, y, z) Rᵀ: its entries are equal across the diagonal, but not written alike."""
    m = Model("bodies")
    p = m.parameters(Ix=1.0, Iy=1.2, Iz=1.1, a=0.3, b=0.4, c=0.5)
    R = m.ground.rotate("zxy", p.a, p.b, p.c).rotation_in(m.ground).matrix
    turned = R @ sb.diagonal(p.Ix, p.Iy, p.Iz) @ R.T
    body = m.body("turned", mass=1, inertia=turned)
    values = dict(m.parts.default_values)
    assert np.array(sb.evaluate(body.mass.I_BBcm, values)) == pytest.approx(np.array(sb.evaluate(turned, values)))
    assert body.mass.I_BBcm == body.mass.I_BBcm.T
    m.revolute("pin", m.ground, body)
    assert sb.derive(m).degrees_of_freedom == 1
    with pytest.raises(ModelError, match="body 'bent': the inertia is not symmetric"):
        m.body("bent", mass=1, inertia=turned + sb.matrix([[0, 0, 0], [1e-3, 0, 0], [0, 0, 0]]))


@pytest.mark.parametrize(
    ("given", "principal"),
    [
        ((0, 2, 2), (0, 2, 2)),
        ([2.0, 0, 2], (2, 0, 2)),
        (np.array([2.0, 2.0, 0.0]), (2, 2, 0)),
        ((1, 0, 0), (1, 0, 0)),
        (sb.inertia(0, 0, 3), (0, 0, 3)),
    ],
)
def test_principal_values_in_every_shape(given: Any, principal: tuple[float, ...]) -> None:
    made = Model("bodies").body("b", mass=1, inertia=given)
    assert np.array_equal(sb.evaluate(made.mass.I_BBcm, {}), np.diag(principal))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"inertia": 2.0}, "inertia= must be three principal values or a 3 by 3 tensor, .* got 2.0"),
        ({"inertia": (1, 2)}, "inertia= must be three"),
        ({"inertia": "abc"}, "inertia= must be three"),
        ({"com": 1}, "com= needs three coordinates in the body frame, got 1"),
        ({"about": (1, 2), "inertia": (1, 1, 1)}, "about= needs three"),
        ({"mass": (1, 2)}, "mass= is a number or an expression"),
    ],
)
def test_what_is_no_inertia_is_refused_by_name(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ModelError, match=f"body 'arm': {says}"):
        Model("bodies").body("arm", **({"mass": 1.0} | wrong))
