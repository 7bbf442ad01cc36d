"""Sharp's motorcycle near straight running, as Lot and Da Lio derive it (4): eigenvalues and responses over a range,
matrices, critical speeds. What they print is compared in docs/documents/chapters/2-mbsymba.py."""

import math

import numpy as np
import pytest

import symbody as sb
from docs.documents import mbsymba_matrices as sharp71
from examples import motorcycle

from .numbers import published

V = sb.symbol("V")
STATES = sharp71.STATES


@pytest.fixture(scope="module")
def straight() -> sb.stability.SteadyMotion:
    return sb.steady(sb.derive(motorcycle.model()), values={"x_dot": V}, zero=["y", "psi", "phi", "delta"])


@pytest.fixture(scope="module")
def sharp() -> sb.LinearSystem:
    """In Sharp's variables and in the order in which they are printed (4.2)."""
    return motorcycle.straight_running().with_states(*STATES)


def test_straight_running(straight):
    """Wheels turn by -V/R; no force is needed in any direction, whatever the parameters."""
    assert straight.is_symbolic
    assert straight["theta1_dot"] is -V / sb.symbol("Rr")
    assert set(straight.drifting) == {"x", "theta1", "theta4"}
    assert [straight[k.name] for k in (*straight.equations.lam, *straight.equations.z)] == [0.0] * 6


@pytest.mark.parametrize("seed", range(2))
def test_matrices_for_random_parameters(sharp, seed):
    """E, A and B are the printed AA, BB, CC for numbers at random, a and f being tied to the others as the paper ties
    them (4.2)."""
    draw = np.random.default_rng(seed)
    p = {s.name: draw.uniform(0.2, 1.5) for s in (*sharp.about.equations.p, V)}
    p["Crxz"] *= 0.6 * math.sqrt(p["Irx"] * p["Irz"])  # of a body that can exist
    s, c = math.sin(p["eps"]), math.cos(p["eps"])
    p |= {"f": s * p["k"] - c * p["j"], "a": c * p["k"] - p["e"] + p["j"] * s}
    n = sharp.matrices(**{s.name: p[s.name] for s in sharp.parameters})
    rows, sign = [STATES.index(name) for name in sharp71.ROWS], np.array(sharp71.SIGNS)[:, None]
    for ours, theirs in ((n.E, sharp71.AA), (n.A, sharp71.BB), (n.B, sharp71.CC)):
        printed = np.array(sb.evaluate(theirs, {sb.symbol(name): value for name, value in p.items()}), dtype=float)
        assert (sign * ours[rows]).ravel() == pytest.approx(printed.ravel(), abs=1e-12)


def in_order(eigenvalues):
    return sorted((complex(w) for w in eigenvalues), key=lambda w: (round(w.real, 6), w.imag))


def test_eigenvalues_over_speed(sharp):
    for speed, pairs in published("sharp71_eig_table").items():
        found = in_order(sharp.eigenvalues(V=float(speed)))
        assert found == pytest.approx(in_order(complex(*p) for p in pairs), rel=1e-7, abs=1e-7)


def test_frequency_responses(sharp):
    """Every state over the steering torque at several frequencies."""
    table = published("sharp71_frf_table")
    for k, x in enumerate(STATES):
        response = sharp.frequency_response("tau", x, [float(f) for f in table], V=20)
        assert response.values == pytest.approx(
            np.array([complex(*row[k]) for row in table.values()]), rel=1e-8, abs=1e-10
        )


def test_dependent_coordinates_respond_too(sharp):
    """φ4 = φ + sin ε δ, ψ4' = ψ' + cos ε δ' (4.1)."""
    phi, delta, phi4 = (sharp.frequency_response("tau", x, [2.0], V=20).values[0] for x in ("phi", "delta", "phi4"))
    assert phi4 == pytest.approx(phi + math.sin(0.4715) * delta)
    psi, delta, psi4 = (
        sharp.frequency_response("tau", x, [2.0], V=20).values[0] for x in ("psi_dot", "delta_dot", "psi4_dot")
    )
    assert psi4 == pytest.approx(psi + math.cos(0.4715) * delta)


def test_critical_speeds(sharp):
    locus = sharp.root_locus(points=200, V=(1, 60))
    value = published("sharp71_critical_speeds")
    found = [(c.value, c.kind, c.how) for c in locus.critical if c.kind != "meeting"]
    assert [kind for _, kind, _ in found] == ["oscillatory", "real", "oscillatory"]
    assert [how for _, _, how in found] == ["gains stability", "loses stability", "loses stability"]
    expected = [value["weave_stable_above"], value["capsize_unstable_above"], value["wobble_unstable_above"]]
    assert [v for v, _, _ in found] == pytest.approx(expected, abs=1e-6)
    assert locus.stable_ranges() == [pytest.approx(tuple(expected[:2]), abs=1e-6)]


def test_critical_speeds_with_a_heading(straight):
    """The heading adds an eigenvalue that is zero at all speeds; the capsize passes it."""
    lin = sb.linearize(straight.equations, straight, drop="cyclic").without("x_dot")
    assert "psi" in lin.x
    value = published("sharp71_critical_speeds")
    (capsize,) = (c for c in lin.root_locus(points=60, V=(1, 40)).critical if c.kind == "real")
    assert capsize.value == pytest.approx(value["capsize_unstable_above"], abs=1e-8)


def test_entries_can_be_read(sharp):
    """SymPy makes them no longer; steering stiffness, damping and the wheel's gyroscope are the printed ones, and no
    longer."""
    short = sb.simplified(sharp, seconds=20)
    row = dict(zip(STATES, short.A.row(STATES.index("delta_dot")), strict=True))
    e, g, mf, an, Zf, eps, ify, Rf = sb.symbols("e g mf an Zf eps ify Rf")
    known = {s: 0.3 + 0.1 * k for k, s in enumerate((e, g, mf, an, Zf))}
    assert sb.evaluate(row["phi"], known) == pytest.approx(sb.evaluate(mf * e * g - an * Zf, known))
    assert sb.program("entry", {"p": list(known)}, {"entry": row["phi"]}).cost.total == 4
    assert row["Yf"] is -an
    assert row["delta_dot"] is -sb.symbol("Cdelta")
    assert sb.evaluate(
        row["delta"] - sb.sin(eps) * row["phi"], dict.fromkeys((e, g, mf, an, Zf, eps, ify, Rf), 0.7)
    ) == pytest.approx(0)
    assert "\\begin{bmatrix}" in short.latex()
