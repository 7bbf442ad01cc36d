"""Linear systems of rotors on elastic supports: multiblade (Coleman) coordinates, and Floquet's theory where these leave
coefficients that depend on the azimuth.

Blade k of N at the azimuth ψk = ψ + 2π (k - 1)/N has the coordinate (Coleman and Feingold, NACA report 1351, 1958)

    βk = β0 + Σ (βnc cos nψk + βns sin nψk) [+ βd (-1)^k for an even number of blades]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.optimize import linear_sum_assignment

import symbody as sb

from ....argument_kinds import answered
from ....errors import StabilityError, listed, unknown
from ....summary import Introduced

Complex = NDArray[np.complex128]
AZIMUTHS: Final = 7  # at which coefficients are compared
CONSTANT: Final = 1e-9  # coefficients that change by less than this part of the largest are constant
STEPS_PER_TURN: Final = 360  # of the fundamental matrix; a multiple of them where eigenvalues are fast
MOST_STEPS: Final = 100_000


@dataclass(frozen=True)
class Azimuth:
    """A linear system x' = S(ψ) x in numbers at each azimuth, for one set of parameters."""

    lin: sb.LinearSystem
    parameter: str
    values: Mapping[str, float]

    def matrices(self, psi: Any) -> NDArray[np.float64]:
        """E⁻¹ A at many azimuths."""
        n = self.lin.matrices({**self.values, self.parameter: np.atleast_1d(np.asarray(psi, dtype=float))})
        return np.asarray(np.linalg.solve(n.E, n.A), dtype=np.float64)


@dataclass(frozen=True)
class FloquetExponents(Introduced):
    """Exponents of a linear system whose coefficients repeat with every turn of a rotor.

    exponents     s of x(t) = p(t) exp(s t), p periodic; their imaginary parts are determined up to multiples of the
                  speed, and are those next to the eigenvalues of the mean coefficients
    multipliers   eigenvalues of the map of one turn
    speed         of the rotor, rad/s
    """

    exponents: Complex
    multipliers: Complex
    speed: float

    @property
    def is_stable(self) -> bool:
        """Whether no multiplier is larger than one."""
        return bool((np.abs(self.multipliers) <= 1 + 1e-9).all())

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """Of the oscillations, in Hz, in increasing order, each once."""
        f = np.sort(self.exponents.imag[self.exponents.imag > 0]) / (2 * np.pi)
        return np.asarray(f)


@answered
def multiblade(
    lin: sb.LinearSystem,
    blades: Sequence[Sequence[str]],
    *,
    azimuth: str = "psi",
    speed: str = "W",
    check: bool = True,
    **values: float,
) -> sb.LinearSystem:
    """The linear system of a rotor in multiblade coordinates, in which a rotor of three or more equal blades on any
    support has constant coefficients.

    lin       of equations in which the hub is turned by azimuth + speed · t, `m.ground.rotate("x", psi + W * m.time)`,
              about a motion with equal blades
    blades    coordinates of the blades in order, one list for each kind: [["flap1", "flap2", "flap3"], ...]; the name
              of the result is what they have in common, flap_0, flap_c, flap_s (flap_c2, ... with five blades or more,
              flap_d with an even number)
    azimuth   parameter of the angle of the first blade
    speed     parameter of the angular speed
    check     refuse systems that depend on the azimuth in these coordinates, too: `floquet` is for these
    values    of parameters without a value, for the check

    >>> m = sb.Model("rotor")
    >>> W, psi = m.parameters(W=2.0, psi=0.0)
    >>> y = m.coordinate("y")
    >>> hub = m.ground.translate(0, y, 0)
    >>> mast = m.body("mast", hub, mass=5.0)
    >>> for k in range(3):
    ...     lag = m.coordinate(f"lag{k + 1}")
    ...     arm = hub.rotate("x", psi + W * m.time + 2 * sb.pi * k / 3).rotate("x", lag)
    ...     blade = m.body(f"blade {k + 1}", arm, mass=1.0, com=(0, 0, 1), inertia=(0.1, 0.1, 0))
    ...     load = m.generalized_force(f"spring {k}", lag, -lag)
    >>> load = m.generalized_force("mast spring", y, -100 * y)
    >>> lin = sb.linearize(sb.derive(m), {})
    >>> rotor = sb.kits.machines.multiblade(lin, [["lag1", "lag2", "lag3"]])
    >>> rotor.x[:4]
    ('y', 'lag_0', 'lag_c', 'lag_s')

    See also: `kits.machines.floquet`, `kits.machines.campbell`, `linearize`.
    """
    psi, W = (_parameter(lin, name, what) for name, what in ((azimuth, "azimuth"), (speed, "speed")))
    S, left, names = _transformation(lin, blades, psi, W)
    turn = sb.derivative(S, psi) * W
    E, A = left @ lin.E @ S, left @ (lin.A @ S - lin.E @ turn)
    kept = {s: v for s, v in lin.defaults.items() if s.name in {p.name for p in sb.free_symbols(E, A, left @ lin.B)}}
    out = sb.linear_system(
        A, left @ lin.B, E=E, x=names, r=lin.r, name=f"{lin.name} in multiblade coordinates", defaults={**kept, psi: lin.defaults.get(psi, 0.0)}
    )  # fmt: skip
    if check and (change := _change(out, azimuth, values)) > CONSTANT:
        raise StabilityError(
            f"multiblade of {lin.name!r}: coefficients change by {change:z.2g} with the azimuth in these coordinates, too (two blades, unequal "
            "blades, a motion in which blades differ, or a kind of blade coordinate that is not listed); "
            "use floquet(lin, ...)"
        )
    return out


def _change(lin: sb.LinearSystem, azimuth: str, values: Mapping[str, float]) -> float:
    """The largest change of a coefficient over the azimuths, beside the coefficients of its row."""
    if azimuth not in {p.name for p in sb.free_symbols(lin.A, lin.E)}:
        return 0.0
    n = lin.matrices({**values, azimuth: 2 * np.pi * (np.arange(AZIMUTHS) + 0.1) / AZIMUTHS})
    parts = [np.abs(X - X[0]).max(axis=0) / np.maximum(np.abs(X).max(axis=(0, 2))[:, None], 1e-300) for X in (n.E, n.A)]
    return float(max(p.max() for p in parts))


@answered
def floquet(
    lin: sb.LinearSystem,
    blades: Sequence[Sequence[str]] = (),
    *,
    azimuth: str = "psi",
    speed: str = "W",
    **values: float,
) -> FloquetExponents:
    """Floquet exponents of a linear system whose coefficients repeat with every turn of a rotor: two blades on a
    support that yields, unequal blades, an unsymmetrical shaft.

        x' = S(ψ0 + W t) x,   X(0) = 1,   exponents log(eigenvalues of X(2π/W)) W/2π

    lin, blades, azimuth, speed   as for `multiblade`; with blades the imaginary parts are those in the fixed frame
    values                        numbers of parameters

    The fundamental matrix is a product of exponentials of the coefficients at 360 azimuths of a turn or more (Magnus'
    method of order four).

    >>> W, psi = sb.symbols("W psi")
    >>> lin = sb.linear_system([[0, 1], [-(1 + sb.cos(psi) / 5), 0]], x=["q", "q_dot"], defaults={psi: 0.0})
    >>> sb.kits.machines.floquet(lin, W=2.0).is_stable  # Mathieu: stiffness at twice the frequency
    False

    See also: `kits.machines.multiblade`, `orbit`.
    """
    if blades:
        lin = multiblade(lin, blades, azimuth=azimuth, speed=speed, check=False)
    W = float(values.get(speed, next((v for s, v in lin.defaults.items() if s.name == speed), 0.0)))
    if not W > 0:
        raise StabilityError(f"floquet of {lin.name!r}: the speed {speed} must be positive, got {W:g}")
    others = {k: v for k, v in values.items() if k in {p.name for p in lin.parameters}}
    at = Azimuth(lin, azimuth, others)
    X, mean = _turn_map(at, W)
    multipliers = np.linalg.eigvals(X).astype(complex)
    near = np.linalg.eigvals(mean).astype(complex)
    s = np.log(multipliers) * W / (2 * np.pi)
    return FloquetExponents(_on_branches(s, near, W), multipliers, W)


def _turn_map(at: Azimuth, W: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    S = at.matrices(2 * np.pi * np.arange(AZIMUTHS) / AZIMUTHS)
    fastest = float(np.abs(np.linalg.eigvals(S)).max())
    steps = int(min(MOST_STEPS, STEPS_PER_TURN * max(1.0, np.ceil(fastest / W / 30))))
    h, nodes = 2 * np.pi / steps, (np.sqrt(3) / 6) * np.array([-1, 1])
    psi = h * (np.arange(steps) + 0.5)
    first, second = (at.matrices(psi + h * c) for c in nodes)
    dt = h / W
    omega = dt / 2 * (first + second) - np.sqrt(3) / 12 * dt**2 * (first @ second - second @ first)
    X = np.eye(S.shape[-1])
    for step in expm(omega):
        X = step @ X
    return X, (first + second).mean(axis=0) / 2


def _on_branches(s: Complex, near: Complex, W: float) -> Complex:
    """Exponents with multiples of the speed added, so that they are those next to given eigenvalues."""
    shift = np.round((near.imag[None, :] - s.imag[:, None]) / W)
    moved = s[:, None] + 1j * W * shift
    rows, columns = linear_sum_assignment(np.abs(moved - near[None, :]))
    out = moved[rows, columns]
    return np.asarray(out[np.lexsort((out.imag, out.real))])


def _parameter(lin: sb.LinearSystem, name: str, what: str) -> sb.Symbol:
    known = {p.name: p for p in lin.parameters}
    if name not in known:
        raise unknown(f"multiblade of {lin.name!r}, {what}=", "parameter", name, known, StabilityError)
    return known[name]


def _transformation(
    lin: sb.LinearSystem, blades: Sequence[Sequence[str]], psi: sb.Symbol, W: sb.Symbol
) -> tuple[sb.Matrix, sb.Matrix, list[str]]:
    """S of x = S y, the matrix by which rows are multiplied, and the names of y; of blade states and their rates."""
    n = len(lin.x)
    S = [[sb.fraction(int(i == j), 1) + 0 for j in range(n)] for i in range(n)]
    left = [list(row) for row in S]
    names = list(lin.x)
    for group in blades:
        if isinstance(group, str) or len(group) < 2:
            raise StabilityError(f"multiblade: a kind of blade coordinate has two or more names, got {group!r}")
        q = [_place(lin, name) for name in group]
        v = [_place(lin, f"{name}_dot") for name in group]
        T, inverse = _blade_matrix(len(group), psi)
        for i in range(len(group)):
            for j in range(len(group)):
                S[q[i]][q[j]] = S[v[i]][v[j]] = T[i, j]
                S[v[i]][q[j]] = W * sb.derivative(T[i, j], psi)
                left[q[i]][q[j]] = left[v[i]][v[j]] = inverse[i, j]
        stem = _common(group)
        for i, end in enumerate(_endings(len(group))):
            names[q[i]], names[v[i]] = f"{stem}_{end}", f"{stem}_{end}_dot"
    if len(set(names)) < n:
        raise StabilityError(f"multiblade of {lin.name!r}: the names must differ, got {listed(names)}")
    return sb.matrix(S), sb.matrix(left), names


def _blade_matrix(n: int, psi: sb.Symbol) -> tuple[sb.Matrix, sb.Matrix]:
    angles = [psi + 2 * sb.pi * k / n for k in range(n)]
    columns: list[list[Any]] = [[1] * n]
    weights: list[Any] = [sb.fraction(1, n)]
    for h in range(1, (n - 1) // 2 + 1):
        columns += [[sb.cos(h * a) for a in angles], [sb.sin(h * a) for a in angles]]
        weights += [sb.fraction(2, n)] * 2
    if n % 2 == 0:
        columns.append([(-1) ** k for k in range(n)])
        weights.append(sb.fraction(1, n))
    T = [[c[k] + sb.fraction(0, 1) for c in columns] for k in range(n)]
    inverse = [[w * c[k] for k in range(n)] for w, c in zip(weights, columns, strict=True)]
    return sb.matrix(T), sb.matrix(inverse)


def _endings(n: int) -> list[str]:
    cyclic = [f"{part}{h if h > 1 else ''}" for h in range(1, (n - 1) // 2 + 1) for part in ("c", "s")]
    return ["0", *cyclic, *(["d"] if n % 2 == 0 else [])]


def _common(group: Sequence[str]) -> str:
    """The name without what numbers the blades: flap of flap1, flap2; blade_y1 of blade1_y1, blade2_y1."""
    first, last = group[0], group[1]
    start = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    back, front = first[::-1], last[::-1]
    end = next((i for i, (a, b) in enumerate(zip(back, front, strict=False)) if a != b), 0)
    end = min(end, len(first) - start, len(last) - start)
    stem = first[:start].rstrip("_ ") + (first[len(first) - end :] if end else "")
    return stem or "blade"


def _place(lin: sb.LinearSystem, name: str) -> int:
    if name not in lin.x:
        raise unknown(f"multiblade of {lin.name!r}", "state", name, lin.x, StabilityError)
    return lin.x.index(name)
