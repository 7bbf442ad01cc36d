"""Reduction for a band of frequencies, stresses, and bodies that depend on a parameter, against the full matrices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import symbody as sb

from .bricks import Block

HELD = {"root": "rbe2", "tip": "rbe2"}


def body(edges=(1.0, 0.06, 0.04), stiffer=1.0, heavier=1.0):
    b = Block(edges, n=(6, 2, 1))
    made = sb.finite_elements(mass=heavier * b.mass, stiffness=stiffer * b.stiffness, nodes=b.nodes)
    rows = sparse.csr_array(b.stress_rows([0, 1, 8]))
    return replace(made.with_sets(root=made.near(x=0), tip=made.near(x=1.0)), stress={"cells": rows})


@pytest.fixture(scope="module")
def part():
    return body()


def test_shapes_for_a_band(part):
    """With as many coordinates, Krylov's and balanced shapes keep responses better than modes; the error told is that
    of the full matrices."""
    found = {
        m: part.reduced(interfaces=HELD, method=m, modes=n, band=(0, 1500), frame="mean")
        for m, n in (("craig-bampton", 8), ("krylov", 14), ("balanced", 14))
    }
    error = {m: made.report["error in band"] for m, made in found.items()}
    assert [made.count for made in found.values()] == [14, 14, 14]
    assert error["balanced"] < 0.05 < 2 * error["balanced"] + error["craig-bampton"]
    assert error["balanced"] < error["craig-bampton"]
    assert part.reduced(interfaces=HELD, method="krylov", modes=20, band=(0, 1500)).report["error in band"] < 0.1
    made = found["balanced"]
    w = 2 * np.pi * 700.0
    b = np.concatenate([np.concatenate([p.shifts, p.angles], axis=1).T for p in made.points.values()])
    ours = b @ np.linalg.solve(made.stiffness * (1 + 0.02j) - w**2 * np.eye(14), b.T)
    T = part.reduced(interfaces=HELD, method="free", modes=50, frame="mean")  # nearly all of the body
    b = np.concatenate([np.concatenate([p.shifts, p.angles], axis=1).T for p in T.points.values()])
    theirs = b @ np.linalg.solve(T.stiffness * (1 + 0.02j) - w**2 * np.eye(T.count), b.T)
    assert np.linalg.norm(ours - theirs) < 0.05 * np.linalg.norm(theirs)


def test_stresses(part):
    """A static load at an interface: the stresses of the reduced body are those of the full one; extremes over a
    run."""
    made = part.reduced(interfaces={"root": "rbe2", "tip": "rbe3"}, modes=1)
    m = sb.Model("m")
    arm = m.elastic_from("arm", made, m.ground)
    q = np.linalg.solve(made.stiffness, made.points["tip"].shifts @ [0, 0, 100.0])
    free = np.flatnonzero(~np.isin(part.node_of, part.sets["root"]))
    f = np.zeros(part.size)
    tip = np.flatnonzero(np.isin(part.node_of, part.sets["tip"]) & (part.direction == 2))
    f[tip] = 100.0 / len(tip)
    u = np.zeros(part.size)
    u[free] = np.linalg.solve(part.stiffness.toarray()[np.ix_(free, free)], f[free])
    expected = (part.stress["cells"] @ u).reshape(-1, 6)
    run = {
        "t": np.array([0.0, 1.0]),
        **{s.name: np.array([0.5 * x, x]) for s, x in zip(arm.coordinates, q, strict=True)},
    }
    history: Any = arm.stresses(run)
    assert history.components[1] == pytest.approx(expected, rel=1e-6, abs=1e-6 * np.abs(expected).max())
    x, y, z, xy, yz, xz = expected[0]
    mises = np.sqrt(((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) / 2 + 3 * (xy**2 + yz**2 + xz**2))
    assert history.von_mises[1, 0] == pytest.approx(mises, rel=1e-6)
    assert history.largest[1] == 1.0
    with pytest.raises(sb.ModelError, match="no place 'hub'"):
        arm.stresses(run, "hub")


def lowest(m, count=4, **values):
    eq = sb.derive(m)
    lin = sb.linearize(eq, dict.fromkeys(eq.q, 0.0), moving=True)
    return lin, lambda **now: np.sort(np.abs(lin.eigenvalues(**{**values, **now}).imag))[::2][:count]


def test_parameters_stay_symbols():
    """Young's modulus and density by two samples are exact, with the derivatives of eigenvalues; a thickness by four to
    1e-5."""
    m = sb.Model("m")
    e = m.parameter("e", 1.0)
    m.elastic_from(
        "arm",
        sb.formats.interpolated_body(
            e, {x: body(stiffer=x) for x in (0.8, 1.2)}, interfaces=HELD, modes=2, rayleigh=(0.0, 0.0)
        ),
        m.ground,
    )
    _, w = lowest(m)
    whole = 2 * np.pi * body().reduced(interfaces=HELD, modes=2).frequencies[:4]
    assert w(e=1.0) == pytest.approx(whole, rel=1e-9)
    assert (w(e=1.001) - w(e=0.999)) / 0.002 == pytest.approx(whole / 2, rel=1e-6)
    m = sb.Model("m")
    r = m.parameter("r", 1.0)
    samples = {x: body(heavier=x) for x in (0.8, 1.2)}
    m.elastic_from("arm", sb.formats.interpolated_body(r, samples, interfaces=HELD, modes=2), m.ground)
    _, w = lowest(m)
    assert w(r=0.9) == pytest.approx(whole / np.sqrt(0.9), rel=1e-9)
    assert (w(r=1.001) - w(r=0.999)) / 0.002 == pytest.approx(-whole / 2, rel=1e-5)
    m = sb.Model("m")
    h = m.parameter("h", 0.04)
    made = sb.formats.interpolated_body(
        h, {x: body((1.0, 0.06, x)) for x in (0.034, 0.038, 0.042, 0.046)}, interfaces=HELD, modes=2
    )
    m.elastic_from("arm", made, m.ground)
    _, w = lowest(m)
    assert w(h=0.04) == pytest.approx(whole, rel=1e-5)


def test_interpolation_is_refused(part):
    p = sb.Model("m").parameter("p", 1.0)
    for samples, says in (
        ({1.0: part}, "two or more values of p"),
        ({1.0: part, 2.0: sb.finite_elements(mass=Block(n=(2, 1, 1)).mass, stiffness=Block(n=(2, 1, 1)).stiffness, nodes=Block(n=(2, 1, 1)).nodes)}, "of one mesh"),
        ({1.0: part, 2.0: body((1.0, 0.06, 0.5))}, "have a direction in common"),
    ):  # fmt: skip
        with pytest.raises(sb.ModelError, match=says):
            sb.formats.interpolated_body(p, samples, interfaces=HELD, modes=2)
