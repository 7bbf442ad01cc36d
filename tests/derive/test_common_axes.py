"""Forces on a body that are given in one other frame are added up there before they are turned."""

import numpy as np

import symbody as sb


def car(is_common):
    """A body with pitch and roll on four forces that are given along the road, at points of it."""
    m = sb.Model("car")
    x, z, pitch, roll = m.coordinates("x z pitch roll")
    road = m.ground.translate(x, 0, 0)
    body = m.body("hull", road.translate(0, 0, 1 - z).rotate("y", pitch).rotate("x", roll), mass=2, inertia=(1, 2, 3))
    pushes = m.inputs(" ".join(f"along_{k} up_{k}" for k in range(4)))
    for k in range(4):
        force, at = pushes[2 * k] * road.x + pushes[2 * k + 1] * road.z, road.point(k // 2, k % 2, 0.1)
        if not is_common:  # the same force and point, given along the axes of the body
            at = body.frame.point(*(at - body.frame.origin).components(body.frame).entries)
        m.force(f"tyre {k}", body, force, at=at)
    m.force("wind", body, -x.dot * m.ground.x)
    return sb.derive(m)


def test_forces_in_a_common_frame():
    common, own = car(True), car(False)
    rng = np.random.default_rng(0)
    for _ in range(3):
        values = rng.normal(size=16)
        one, other = (
            np.ravel(sb.evaluate(eq.f, dict(zip((*eq.q, *eq.u, *eq.r), values, strict=True)))) for eq in (common, own)
        )
        assert np.allclose(one, other, rtol=1e-12, atol=1e-12)
    assert sb.algebra.operations(common.f) < 0.7 * sb.algebra.operations(own.f)
