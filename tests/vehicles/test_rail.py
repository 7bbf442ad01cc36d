"""Rail vehicles: contact by Hertz and Kalker against limits in closed form, creep forces that saturate, hunting of a whole car."""

from __future__ import annotations

import numpy as np
import pytest

import symbody as sb
from symbody.kits import vehicles as vh
from symbody.kits.vehicles.wheels.rail_contact import KALKER
from tests.published.numbers import published


def test_ellipse_of_equal_curvatures_is_the_circle_of_hertz() -> None:
    """a³ = 3 N R / (4 E*) of a sphere of radius R on a plane, here two crossed cylinders."""
    found = vh.rail_contact(5e4, wheel_radius=0.4, rail_radius=0.4, modulus=2e11, poisson=0.25)
    effective = 2e11 / (2 * (1 - 0.25**2))
    assert found.along == pytest.approx((3 * 5e4 * 0.4 / (4 * effective)) ** (1 / 3), rel=1e-9)
    assert found.along == pytest.approx(found.across, rel=1e-9)
    assert found.f11 == pytest.approx(2e11 / 2.5 * found.along**2 * 4.12, rel=1e-9)


def test_pressure_of_an_ellipse_closes_the_gap() -> None:
    """The curvatures of Johnson (4.26), by numerical quadrature of the displacements of a half space on both axes."""
    found = vh.rail_contact(6e4, wheel_radius=0.46, rail_radius=0.3)
    a, b, p0 = found.along, found.across, found.pressure
    effective = 2.07e11 / (2 * (1 - 0.25**2))
    w = np.linspace(0, 60, 600001)[1:]  # of the potential ∫ dw / √((a² + w)(b² + w) w), with w = b² x²
    x = b * w
    step = x[1] - x[0]
    for axis, curvature in ((a, 0.5 / 0.46), (b, 0.5 / 0.3)):
        integral = np.sum(2 * b * a / ((axis**2 + x**2) * np.sqrt((a**2 + x**2) * (b**2 + x**2)))) * step
        assert p0 / (2 * effective) * integral == pytest.approx(curvature, rel=2e-3)


def test_kalkers_table_meets_its_limits() -> None:
    """Slender ellipses (Kalker 1967): C11 = π²/(4(1 - ν)), C22 = π²/4 for a/b -> 0; series in 1/Λ, Λ = ln(16/g²), for b/a -> 0.
    No value of the table is off a smooth curve."""
    first, last = KALKER[0], KALKER[-1]
    assert first[1] == pytest.approx(np.pi**2 / 3, rel=0.02)
    assert first[2] == pytest.approx(np.pi**2 / 4, rel=0.05)
    big, log4 = np.log(1600), np.log(4)
    assert last[1] == pytest.approx(20 * np.pi / (big - 0.5) * (1 + (3 - log4) / (big - 0.5)), rel=0.05)
    down = 0.75 * big + 0.5
    assert last[2] == pytest.approx(20 * np.pi / down * (1 + 0.75 * (3 - log4) / down), rel=0.05)
    x, table = np.log([row[0] for row in KALKER]), np.log([row[1:] for row in KALKER])
    for column in table.T:
        for k in range(2, len(x) - 2):
            near = [k - 2, k - 1, k + 1, k + 2]
            smooth = np.polyval(np.polyfit(x[near], column[near], 3), x[k])
            assert abs(column[k] - smooth) < 0.012


def test_polachs_force_is_kalkers_at_first_and_friction_at_last() -> None:
    f = [float(sb.evaluate(e, {})) for e in vh.polach_force(1e-6, 2e-6, 1e7, 1e7, 2e4)]
    assert f == pytest.approx([-10.0, -20.0], rel=1e-3)
    far = np.array([float(sb.evaluate(e, {})) for e in vh.polach_force(0.3, 0.4, 1e7, 9e6, 2e4)])
    assert np.hypot(*far) == pytest.approx(2e4, rel=1e-3)
    assert far[1] / far[0] == pytest.approx(4 / 3)


def matrices(V: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M, C, K of the car written down anew, with rows of travels."""
    g = {
        "m": 1000.0, "J": 600.0, "r0": 0.45, "l": 0.75, "cone": 0.05, "f11": 5e6, "f22": 5e6, "ky": 5e6, "kpsi": 5e6, "mb": 3000.0, "Jb": 4000.0,
        "half": 1.25, "mc": 32000.0, "Jc": 2e6, "Jr": 6e4, "pivot": 9.5, "h": 0.9, "k2y": 3.2e5, "c2y": 3.2e4, "k2psi": 3e5, "c2psi": 2e5, "kr": 2.4e6,
        "cr": 6e4,
    }  # fmt: skip
    M, C, K = (np.zeros((15, 15)) for _ in range(3))  # y psi roll, yf psif yr psir, y1 psi1 ... y4 psi4
    v = np.zeros(15)
    v[[0, 2]] = 1, -g["h"]
    M += g["mc"] * np.outer(v, v)
    M[1, 1] += g["Jc"]
    M[2, 2] += g["Jr"]
    K[2, 2] += g["kr"]
    C[2, 2] += g["cr"]

    def tie(rows: dict[int, float], k: float, c: float) -> None:
        v = np.zeros(15)
        for i, x in rows.items():
            v[i] = x
        K[:] += k * np.outer(v, v)
        C[:] += c * np.outer(v, v)

    for j, at in ((0, g["pivot"]), (1, -g["pivot"])):
        b = 3 + 2 * j
        M[b, b], M[b + 1, b + 1] = g["mb"], g["Jb"]
        tie({b: 1, 0: -1, 1: -at}, g["k2y"], g["c2y"])
        tie({b + 1: 1, 1: -1}, g["k2psi"], g["c2psi"])
        for i, x in ((0, g["half"]), (1, -g["half"])):
            n = 7 + 4 * j + 2 * i
            M[n, n], M[n + 1, n + 1] = g["m"], g["J"]
            tie({n: 1, b: -1, b + 1: -x}, g["ky"], 0)
            tie({n + 1: 1, b + 1: -1}, g["kpsi"], 0)
            C[n, n] += 2 * g["f22"] / V
            K[n, n + 1] -= 2 * g["f22"]
            C[n + 1, n + 1] += 2 * g["l"] ** 2 * g["f11"] / V
            K[n + 1, n] += 2 * g["l"] * g["f11"] * g["cone"] / g["r0"]
    return M, C, K


def growth(V: float) -> float:
    M, C, K = matrices(V)
    A = np.block([[np.zeros((15, 15)), np.eye(15)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    return float(np.linalg.eigvals(A).real.max())


def test_critical_speed_of_a_whole_car_is_that_of_its_matrices() -> None:
    eq = sb.derive(vh.rail_car())
    lin = sb.linearize(eq, {})
    for V in (20.0, 60.0):
        assert lin.eigenvalues(V=V).real.max() == pytest.approx(growth(V), rel=1e-6, abs=1e-6)
    low, high = 20.0, 200.0
    assert growth(low) < 0 < growth(high)
    for _ in range(40):
        low, high = ((low + high) / 2, high) if growth((low + high) / 2) < 0 else (low, (low + high) / 2)
    assert lin.eigenvalues(V=0.99 * low).real.max() < 0 < lin.eigenvalues(V=1.01 * low).real.max()


def test_creep_that_saturates_has_the_same_critical_speed() -> None:
    """Small creepages of Polach's law are those of linear creep."""
    eq = sb.derive(vh.rail_car(friction=0.3, load=6e4))
    lin = sb.linearize(eq, dict.fromkeys((*(s.name for s in eq.q), *(s.name for s in eq.u)), 0.0))
    assert lin.eigenvalues(V=60.0).real.max() == pytest.approx(growth(60.0), rel=1e-3, abs=1e-3)


def test_simplified_theory_begins_with_kalkers_linear_theory() -> None:
    """Each creepage on its own, and spin: F = -f ξ."""
    contact, N = vh.rail_contact(6e4, wheel_radius=0.46), 6e4
    for creepages, expected in (
        ((1e-7, 0, 0), (-contact.f11, 0)),
        ((0, 1e-7, 0), (0, -contact.f22)),
        ((0, 0, 1e-6), (0, -10 * contact.f23)),
    ):
        found = vh.creep_forces(contact, N, creepages, strips=60)
        assert np.array([found.along, found.across]) == pytest.approx(np.array(expected) * 1e-7, rel=2e-3, abs=1e-6)
        assert found.sliding < 0.05


def test_simplified_theory_ends_with_friction() -> None:
    contact, N = vh.rail_contact(6e4, wheel_radius=0.46), 6e4
    found = vh.creep_forces(contact, N, (0.03, 0.04, 0.0), friction=0.25)
    assert found.sliding == 1
    assert np.hypot(found.along, found.across) == pytest.approx(0.25 * N, rel=2e-3)
    bound = 0.25 * 2 * N / (np.pi * contact.along * contact.across)
    assert np.hypot(*found.tractions.reshape(-1, 2).T).max() <= bound


def test_simplified_theory_of_pure_creepage_is_that_of_its_strips() -> None:
    """Without spin a strip sticks from its leading edge x = h to x = c - h, c = 3 f ξ/(8 b) π b/(2 μ N), and slides behind; by
    quadrature of that, beside Polach's formula, which is near."""
    contact, N, mu = vh.rail_contact(6e4, wheel_radius=0.46), 6e4, 0.3
    a, b, f = contact.along, contact.across, contact.f11
    for xi in (5e-4, 1.5e-3, 4e-3):
        rigid = 3 * f * xi / (8 * a**2 * b)
        p0 = mu * 2 * N / (np.pi * a * b)
        y = np.linspace(-b, b, 2001)[:, None]
        h = a * np.sqrt(np.maximum(1 - (y / b) ** 2, 0))
        x = h * np.linspace(-1, 1, 2001)
        traction = np.minimum(rigid * (h - x), p0 * (h**2 - x**2) / a**2)
        exact = float(np.trapezoid(np.trapezoid(traction, x, axis=1), y[:, 0]))
        found = vh.creep_forces(contact, N, (xi, 0, 0), friction=mu, strips=60)
        assert -found.along == pytest.approx(exact, rel=3e-3)
        polach = float(sb.evaluate(vh.polach_force(xi, 0.0, f, f, mu * N)[0], {}))
        assert found.along == pytest.approx(polach, rel=0.12)


def test_comfort_weighting_has_the_values_of_the_standard() -> None:
    for axis in ("k", "d"):
        table = published(f"iso2631_weighting_{axis}")
        found = np.abs(vh.comfort_weighting(np.array([float(f) for f in table]), axis))
        assert found == pytest.approx(list(table.values()), abs=1.5e-3)


def test_ride_comfort_of_a_quarter_car_on_a_road() -> None:
    """By samples in time, and by the spectrum of the road through the frequency response."""
    V, m, k, c = 20.0, 300.0, 2e4, 1500.0
    f = np.linspace(0.3, 30, 4000)
    s = 2j * np.pi * f
    H = s**2 * (c * s + k) / (m * s**2 + c * s + k)
    density = vh.road_spectrum("B", f / V) / V
    weighted = np.sqrt(np.trapezoid(np.abs(H * vh.comfort_weighting(f)) ** 2 * density, f))
    profile = vh.random_profile("B", waves=300, band=(0.3 / V, 30 / V))
    phases = 2j * np.pi * profile.n * V
    answer = phases**2 * (c * phases + k) / (m * phases**2 + c * phases + k)
    t = np.arange(0, 60, 0.015)
    a = (np.exp(np.outer(t, phases) + 1j * profile.phases) @ (answer * profile.amplitudes)).real
    assert vh.ride_comfort(t, a).weighted == pytest.approx(weighted, rel=0.05)


def test_bad_data_are_refused_by_name() -> None:
    with pytest.raises(sb.ModelError, match="wheel_radius"):
        vh.rail_contact(5e4, wheel_radius=-0.4)
    with pytest.raises(sb.ModelError, match="wheel_profile"):
        vh.rail_contact(5e4, wheel_radius=0.46, rail_radius=0.3, wheel_profile=-0.2)
    with pytest.raises(sb.ModelError, match="outside of the table"):
        vh.kalker_coefficients(30.0)
    with pytest.raises(sb.errors.StudyError, match="equal distances"):
        vh.ride_comfort(np.geomspace(1, 2, 20), np.zeros(20))
    with pytest.raises(sb.errors.StudyError, match="weighting"):
        vh.comfort_weighting(1.0, "z")
