"""Eigenvalues and modes of a linear system."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...argument_kinds import answered_class
from ...derivation.equations.keywords import values_by_name
from ...display import Displayed, DisplayPart, LabelledRows, ShownTable, Title
from ...emit.run.callable import Array
from ...errors import StabilityError, shown, unknown
from ...summary import Tabular
from ..variation.system_matrices import FullSystem
from .nearest_eigenvalues import nearest_eigenvalues, nearest_modes
from .pencil import Complex, finite_eigenvalues, pencil_spectrum, qz_eigenvalues, without_rounding
from .unreduced_pencils import full_pencil, pencil_of_squares, tangent_pencil

if TYPE_CHECKING:
    from ..linear.linear_system import LinearSystem

METHODS = ("coordinates", "qz", "qr")
PENCILS = ("coordinates", "qz", "squares")


@dataclass(frozen=True, repr=False)
class Mode(Displayed):
    """x(t) = shape · exp(eigenvalue t).

    shape           of every coordinate, speed and variable, dependent ones too; the largest coordinate is 1, with phase
                    0
    participation   share of each state in the mode: |yᵢ (E x)ᵢ|, summing to 1 (y the left vector)

    >>> lin = sb.linear_system([[0, 1], [-4, -0.4]], x=["x", "v"])
    >>> mode = lin.modes()[-1]
    >>> mode.damping_ratio, mode.frequency, mode.is_oscillatory, mode.leading
    (0.1, 0.316714, True, ('x', 'v'))

    See also: `stability.Spectrum`, `LinearSystem.modes`, `scene`.
    """

    eigenvalue: complex
    shape: Mapping[str, complex]
    participation: Mapping[str, float]

    def __repr__(self) -> str:
        s = self.eigenvalue
        shares = ", ".join(f"{name} {self.participation[name]:.0%}" for name in self.leading[:3])
        return (
            f"<Mode {s.real:z.6g} {s.imag:+z.6g}i, {self.frequency:z.5g} Hz, damping ratio "
            f"{self.damping_ratio:z.4f}: {shares}>"
        )

    def _display(self) -> Iterable[DisplayPart]:
        """The shape as amplitudes and phases, and the share of each state."""
        rows = [
            (
                n,
                f"{abs(v):z.5g}",
                f"{math.degrees(math.atan2(v.imag, v.real)):z.1f}",
                f"{share:z.3f}" if (share := self.participation.get(n)) is not None else "",
            )
            for n, v in self.shape.items()
        ]
        return Title(repr(self).strip("<>")), ShownTable(("", "amplitude", "phase [deg]", "share"), rows)

    @property
    def leading(self) -> tuple[str, ...]:
        """Names of states by their share in the mode, the largest first; equal shares in the order of the states."""
        return tuple(sorted(self.participation, key=lambda name: -round(self.participation[name], 9)))

    @property
    def is_oscillatory(self) -> bool:
        """Whether the eigenvalue has an imaginary part."""
        return abs(self.eigenvalue.imag) > 1e-9 * max(abs(self.eigenvalue), 1e-300)

    @property
    def frequency(self) -> float:
        """Frequency of the damped oscillation, in Hz."""
        return abs(self.eigenvalue.imag) / (2 * math.pi)

    @property
    def natural_frequency(self) -> float:
        """|s| / 2π, in Hz."""
        return abs(self.eigenvalue) / (2 * math.pi)

    @property
    def damping_ratio(self) -> float:
        """-Re s / |s|: 1 is critical, negative is growth."""
        return -self.eigenvalue.real / abs(self.eigenvalue) if self.eigenvalue else 0.0

    @property
    def phases(self) -> dict[str, float]:
        """Phase of each variable in degrees, ahead of the largest coordinate.

        >>> mode = sb.linear_system([[0, 1], [-4, 0]], x=["x", "v"]).modes()[-1]
        >>> round(mode.natural_frequency * 2 * np.pi, 6), mode.phases  # the speed is a quarter of a turn ahead
        (2.0, {'x': -90.0, 'v': 0.0})
        """
        return {n: math.degrees(math.atan2(v.imag, v.real)) for n, v in self.shape.items()}


@answered_class
@dataclass(frozen=True, repr=False)
class Spectrum(Tabular, Sequence[Mode]):
    """All modes with finite eigenvalues, sorted by real part, and the number of infinite eigenvalues.

    >>> lin = sb.linear_system([[0, 1], [-4, -0.4]], x=["x", "v"])
    >>> spectrum = lin.modes()
    >>> len(spectrum), spectrum.infinite, spectrum.eigenvalues.real
    (2, 0, array([-0.2, -0.2]))

    See also: `stability.Mode`, `LinearSystem.modes`, `plot`.
    """

    modes: tuple[Mode, ...]
    infinite: int

    @property
    def eigenvalues(self) -> Complex:
        """Eigenvalues of the modes, in order."""
        return np.array([m.eigenvalue for m in self.modes], dtype=complex)

    @property
    def is_stable(self) -> bool:
        """Whether all real parts are negative.

        >>> sb.linear_system([[0, 1], [-4, -0.4]]).modes().is_stable
        True
        """
        return bool((self.eigenvalues.real < 0).all())

    def __len__(self) -> int:
        return len(self.modes)

    def __getitem__(self, at: int) -> Mode:  # type: ignore[override]
        return self.modes[at]

    def __iter__(self) -> Iterator[Mode]:
        return iter(self.modes)

    def _display(self) -> Iterable[DisplayPart]:
        columns = ("real part [1/s]", "imaginary part [rad/s]", "frequency [Hz]", "damping ratio", "mostly")
        rows = [
            (
                f"{without_rounding(m.eigenvalue).real:z.6g}",
                f"{without_rounding(m.eigenvalue).imag:z.6g}",
                f"{m.frequency:z.5g}",
                f"{m.damping_ratio:z.4f}",
                next(iter(m.leading), ""),
            )
            for m in self.modes
        ]
        more = [LabelledRows([("infinite", str(self.infinite))])] if self.infinite else []
        return ShownTable(columns, rows), *more

    def __str__(self) -> str:
        lines = ["     real part    imag. part   freq. [Hz]  damping  mostly"]
        for m in self.modes:
            most = next(iter(m.leading), "")
            s = without_rounding(m.eigenvalue)
            lines.append(f"{s.real:z14.6g}{s.imag:z14.6g}{m.frequency:z13.5g}{m.damping_ratio:z9.4f}  {most}")
        return "\n".join([*lines, *([f"and {self.infinite} infinite"] if self.infinite else [])])


def eigenvalues(
    lin: LinearSystem, values: Mapping[str, float], method: str = "coordinates", count: int | None = None, near: complex = 0.0
) -> Complex:  # fmt: skip
    """Finite eigenvalues, by real part; or `count` of them, the nearest to `near`.

    coordinates   of the reduced pencil (E, A)
    qz            by the QZ algorithm on the equations in all variables, with accelerations and multipliers (Lynch eq.
                  6.6)
    qr            on an orthonormal basis of what the constraints leave free (Lynch eq. 6.16)
    """
    if method not in METHODS:
        raise unknown("eigenvalues", "method", method, METHODS, StabilityError)
    if count is not None:
        return _nearest(lin, values, method, count, near)
    if method == "coordinates":
        n = lin.matrices(values)
        return finite_eigenvalues(n.E, n.A, lin.x)
    full = _before_reduction(lin, method)
    if method == "qz":
        return qz_eigenvalues(*full_pencil(lin, values), names=full.names)[0]
    return pencil_spectrum(*tangent_pencil(lin, values)).s


def _nearest(lin: LinearSystem, values: Mapping[str, float], method: str, count: int, near: complex) -> Complex:
    if method != "coordinates":
        raise StabilityError(f"eigenvalues: count= is for method='coordinates', got method={method!r}")
    _refuse_selection("eigenvalues", count, near)
    return nearest_eigenvalues(lin.numbers.sparse(values), count, near, lin.x)


def _refuse_selection(what: str, count: int, near: complex) -> None:
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise StabilityError(f"{what}: count is a whole number from 1 on, got {shown(count)}")
    if not isinstance(near, (int, float, complex)) or not np.isfinite(near):
        raise StabilityError(f"{what}: near is a finite number, real or complex, got {shown(near)}")


@values_by_name(StabilityError)
def infinite_eigenvalues(
    lin: LinearSystem,
    values: Mapping[Any, Any] | None = None,
    *,
    method: str = "coordinates",
    options: Mapping[str, Any] | None = None,
    **named: float,
) -> int:
    """Number of infinite eigenvalues of the pencil that `method` uses.

    coordinates   the reduced pencil (E, A): one for each algebraic variable, more in chains
    qz            the pencil in all variables: q, u, u', z and multipliers
    squares       that of ω² in q and multipliers, without damping: two for each constraint (Lynch eq. 6.6)

    >>> lin = sb.linear_system([[0, 1], [-4, -1]], E=[[1, 0], [0, 0]])  # 0 = -4 x - v: algebraic
    >>> lin.eigenvalues().real, sb.stability.infinite_eigenvalues(lin)
    (array([-4.]), 1)

    See also: `LinearSystem.eigenvalues`.
    """
    values = values or {}
    if method not in PENCILS:
        raise unknown("infinite eigenvalues", "method", method, PENCILS, StabilityError)
    if method == "coordinates":
        n = lin.matrices(values)
        return pencil_spectrum(n.E, n.A, lin.x).infinite
    full = _before_reduction(lin, method)
    if method == "qz":
        return qz_eigenvalues(*full_pencil(lin, values), names=full.names)[1]
    return qz_eigenvalues(*pencil_of_squares(lin, values), names=full.names_of_squares)[1]


def _before_reduction(lin: LinearSystem, method: str) -> FullSystem:
    if lin.full is None:
        raise StabilityError(
            f"linear system {lin.name!r}: method={method!r} needs the equations that it was reduced from; "
            "there are none"
        )
    return lin.full


def modes(lin: LinearSystem, values: Mapping[str, float], count: int | None = None, near: complex = 0.0) -> Spectrum:
    if count is None:
        n = lin.matrices(values)
        found = pencil_spectrum(n.E, n.A, lin.x)
        moved = n.E @ found.x
    else:
        _refuse_selection("modes", count, near)
        pencil = lin.numbers.sparse(values)
        found = nearest_modes(pencil, count, near, lin.x)
        moved = pencil.E[: pencil.states, : pencil.states] @ found.x
    shapes = found.x if lin.variables == lin.x else lin.numbers.recovered(values) @ found.x
    names = lin.variables
    coordinates = [k for k, name in enumerate(names) if lin.full is None or name in lin.full.q]
    share = np.abs(found.y.conj() * moved)
    made = [_mode(complex(s), shapes[:, k], share[:, k], coordinates, names, lin.x) for k, s in enumerate(found.s)]
    return Spectrum(tuple(made), found.infinite)


def _mode(
    s: complex, shape: Complex, share: Array, first: list[int], names: Sequence[str], states: Sequence[str]
) -> Mode:
    among = (
        first
        if np.abs(shape[first]).max(initial=0.0) > 1e-9 * np.abs(shape).max(initial=0.0)
        else list(range(len(shape)))
    )
    largest = among[int(np.argmax(np.round(np.abs(shape[among]) / np.abs(shape[among]).max(), 9)))]
    normal = shape / shape[largest]
    total = share.sum() or 1.0
    return Mode(
        s,
        dict(zip(names, map(complex, normal), strict=True)),
        dict(zip(states, map(float, share / total), strict=True)),
    )
