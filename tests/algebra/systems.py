"""Standard systems of equations (Moré, Garbow, Hillstrom 1981, *Testing unconstrained optimization software*), with
exact Jacobians."""

from collections.abc import Callable

import numpy as np

Rows = Callable[[np.ndarray], np.ndarray]


def with_jacobian(rows: Rows) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Rows and their derivatives by the complex step."""

    def both(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with np.errstate(all="ignore"):
            F = np.asarray(rows(x), dtype=float)
            J = np.empty((len(F), len(x)))
            for j in range(len(x)):
                z = x.astype(complex)
                z[j] += 1e-30j
                J[:, j] = np.imag(np.asarray(rows(z), dtype=complex)) / 1e-30
        return F, J

    return both


def rosenbrock(x):
    return np.array([1 - x[0], 10 * (x[1] - x[0] ** 2)])


def powell_singular(x):
    return np.array([x[0] + 10 * x[1], 5**0.5 * (x[2] - x[3]), (x[1] - 2 * x[2]) ** 2, 10**0.5 * (x[0] - x[3]) ** 2])


def powell_badly_scaled(x):
    return np.array([1e4 * x[0] * x[1] - 1, np.exp(-x[0]) + np.exp(-x[1]) - 1.0001])


def wood(x):
    return np.array([
        -200 * x[0] * (x[1] - x[0] ** 2) - (1 - x[0]), 200 * (x[1] - x[0] ** 2) + 20 * (x[1] - 1) + 19.8 * (x[3] - 1),
        -180 * x[2] * (x[3] - x[2] ** 2) - (1 - x[2]), 180 * (x[3] - x[2] ** 2) + 20.2 * (x[3] - 1) + 19.8 * (x[1] - 1),
    ])  # fmt: skip


def helical_valley(x):
    turn = np.arctan(x[1] / x[0]) / (2 * np.pi) + (0.5 if np.real(x[0]) < 0 else 0)
    return np.array([10 * (x[2] - 10 * turn), 10 * (np.sqrt(x[0] ** 2 + x[1] ** 2) - 1), x[2]])


def chebyquad(x):
    n = len(x)
    before, here = np.ones_like(x), 2 * x - 1
    out = []
    for i in range(1, n + 1):
        out.append(np.sum(here) / n + (1 / (i * i - 1) if i % 2 == 0 else 0))
        before, here = here, 2 * (2 * x - 1) * here - before
    return np.array(out)


def brown_almost_linear(x):
    n = len(x)
    return np.array([*(x[:-1] + np.sum(x) - (n + 1)), np.prod(x) - 1])


def discrete_boundary_value(x):
    n, h = len(x), 1 / (len(x) + 1)
    t = h * np.arange(1, n + 1)
    padded = np.concatenate([[0], x, [0]])
    return 2 * x - padded[:-2] - padded[2:] + h * h * (x + t + 1) ** 3 / 2


def discrete_integral(x):
    n, h = len(x), 1 / (len(x) + 1)
    t = h * np.arange(1, n + 1)
    cubes = (x + t + 1) ** 3
    return np.array([
        x[i] + h * ((1 - t[i]) * np.sum((t * cubes)[: i + 1]) + t[i] * np.sum(((1 - t) * cubes)[i + 1 :])) / 2
        for i in range(n)
    ])  # fmt: skip


def trigonometric(x):
    n = len(x)
    return n - np.sum(np.cos(x)) + np.arange(1, n + 1) * (1 - np.cos(x)) - np.sin(x)


def variably_dimensioned(x):
    moment = np.sum(np.arange(1, len(x) + 1) * (x - 1))
    return x - 1 + np.arange(1, len(x) + 1) * moment * (1 + 2 * moment**2)


def broyden_tridiagonal(x):
    padded = np.concatenate([[0], x, [0]])
    return (3 - 2 * x) * x - padded[:-2] - 2 * padded[2:] + 1


def broyden_banded(x):
    n, out = len(x), []
    for i in range(n):
        near = [j for j in range(max(0, i - 5), min(n, i + 2)) if j != i]
        out.append(x[i] * (2 + 5 * x[i] ** 2) + 1 - sum(x[j] * (1 + x[j]) for j in near))
    return np.array(out)


def freudenstein_roth(x):
    return np.array([-13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1], -29 + x[0] + ((x[1] + 1) * x[1] - 14) * x[1]])


_ten = np.arange(1, 11) / 11

STANDARD: dict[str, tuple[Rows, np.ndarray]] = {
    "Rosenbrock": (rosenbrock, np.array([-1.2, 1.0])),
    "Powell singular": (powell_singular, np.array([3.0, -1.0, 0.0, 1.0])),
    "Powell badly scaled": (powell_badly_scaled, np.array([0.0, 1.0])),
    "Wood": (wood, np.array([-3.0, -1.0, -3.0, -1.0])),
    "helical valley": (helical_valley, np.array([-1.0, 0.0, 0.0])),
    "Chebyquad 5": (chebyquad, np.arange(1, 6) / 6),
    "Chebyquad 7": (chebyquad, np.arange(1, 8) / 8),
    "Chebyquad 9": (chebyquad, np.arange(1, 10) / 10),
    "Brown almost linear": (brown_almost_linear, np.full(10, 0.5)),
    "Brown almost linear 40": (brown_almost_linear, np.full(40, 0.5)),
    "discrete boundary value": (discrete_boundary_value, _ten * (_ten - 1)),
    "discrete integral": (discrete_integral, _ten * (_ten - 1)),
    "trigonometric": (trigonometric, np.full(10, 0.1)),
    "variably dimensioned": (variably_dimensioned, 1 - np.arange(1, 11) / 10),
    "Broyden tridiagonal": (broyden_tridiagonal, np.full(10, -1.0)),
    "Broyden banded": (broyden_banded, np.full(10, -1.0)),
    "Freudenstein and Roth": (freudenstein_roth, np.array([6.0, 5.0])),
}
