"""Campbell diagrams: frequencies of the modes over the speed of a rotor, lines of the orders of its excitation, and their
crossings (Campbell, Trans. ASME 46, 1924)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import symbody as sb

from ....argument_kinds import answered, answered_class
from ....errors import StabilityError, finite_number, shown, unknown
from ....summary import Tabular
from .followed_modes import FollowedModes, Pair

Numbers = NDArray[np.float64]
RPM: Final = 2 * np.pi / 60  # rad/s
STYLES: Final = {"forward": "line", "backward": "dashed", "planar": "dash-dotted", "": "line"}


@dataclass(frozen=True)
class Crossing:
    """A speed at which an order of the excitation meets a natural frequency.

    order       the excitation acts this many times a turn
    mode        name of the mode
    rpm         speed of the rotor, 1/min
    frequency   Hz
    whirl       "forward", "backward", "planar", or "" without pairs of coordinates
    damping     damping ratio of the mode there
    """

    order: float
    mode: str
    rpm: float
    frequency: float
    whirl: str
    damping: float


@answered_class
@dataclass(frozen=True, repr=False)
class Campbell(Tabular):
    """Natural frequencies over the speed of a rotor, with order lines and crossings.

    rpm           speeds, 1/min
    frequencies   Hz, a row for each speed, a column for each mode; NaN if a mode does not oscillate
    damping       damping ratios, in the same order
    names         of the modes, by frequency at the lowest speed, after what takes part most in the middle of the range
    whirl         whirl direction of each mode in the middle of the range: "forward", "backward", "planar", or ""
    orders        of the excitation, 1 for unbalance
    crossings     of orders and modes, by speed

    See also: `kits.machines.campbell`, `LinearSystem.root_locus`.
    """

    rpm: Numbers
    frequencies: Numbers
    damping: Numbers
    names: tuple[str, ...]
    whirl: tuple[str, ...]
    orders: tuple[float, ...]
    crossings: tuple[Crossing, ...]

    @property
    def critical_speeds(self) -> tuple[float, ...]:
        """Speeds in 1/min at which unbalance excites a mode: crossings with order one of modes that do not whirl
        backward."""
        return tuple(c.rpm for c in self.crossings if c.order == 1 and c.whirl != "backward")

    def __str__(self) -> str:
        lines = [f"Campbell diagram, {self.rpm[0]:g} ... {self.rpm[-1]:g} rpm: {len(self.names)} modes"]
        lines += [
            f"    {c.rpm:z10.2f} rpm   {c.frequency:z9.4f} Hz   order {c.order:g} meets {c.mode}, damping ratio {c.damping:z.4f}"
            for c in self.crossings
        ]
        return "\n".join(lines)

    def table(self, *rpm: float) -> str:
        """Frequencies in Hz at some speeds, a line for each mode."""
        at = rpm or (float(self.rpm[0]), float(self.rpm[-1]))
        width = max(map(len, self.names), default=4)
        lines = [" " * width + "".join(f"{x:>12g}" for x in at) + "  rpm"]
        for k, name in enumerate(self.names):
            lines.append(
                name.ljust(width) + "".join(f"{np.interp(x, self.rpm, self.frequencies[:, k]):z12.4f}" for x in at)
            )
        return "\n".join(lines)

    def plot(self, *, highest: float | None = None, published: Mapping[str, Any] | None = None) -> sb.view.Figure:
        """The diagram: Hz over rpm, order lines thin, crossings marked, modes that whirl backward dashed.

        highest     frequency at which the diagram ends, Hz
        published   points to draw beside it: {label: (rpm, Hz)}
        """
        top = highest or 1.05 * float(np.nanmax(self.frequencies))
        curves = [
            sb.view.Curve(self.rpm, f, name, STYLES[way], group=k)
            for k, (f, name, way) in enumerate(zip(self.frequencies.T, self.names, self.whirl, strict=True))
            if np.nanmin(f) < top
        ]
        for order in self.orders:
            end = min(float(self.rpm[-1]), 60 * top / order)
            x = np.array([float(self.rpm[0]), end])
            curves.append(sb.view.Curve(x, order * x / 60, f"order {order:g}", "thin"))
        seen = [c for c in self.crossings if c.frequency < top]
        if seen:
            x, y = np.array([c.rpm for c in seen]), np.array([c.frequency for c in seen])
            curves.append(sb.view.Curve(x, y, "crossings", "points", mark="ring"))
        for label, (x, y) in (published or {}).items():
            curves.append(sb.view.Curve(np.asarray(x, float), np.asarray(y, float), label, "points", mark="cross"))
        panel = sb.view.Panel(
            "speed [rpm]",
            "frequency [Hz]",
            tuple(curves),
            x_range=(float(self.rpm[0]), float(self.rpm[-1])),
            y_range=(0.0, top),
        )
        said = "; ".join(f"order {c.order:g} and {c.mode} at {c.rpm:z.4g} rpm" for c in seen[:6])
        size = (8.0, 4.5 + 0.12 * len(curves))  # inches; the legend takes some
        return sb.view.Figure("Campbell diagram", (panel,), caption=f"Crossings: {said}." if said else "", size=size)


@answered
def campbell(
    lin: sb.LinearSystem,
    rpm: tuple[float, float] | Sequence[float],
    *,
    speed: str = "W",
    orders: Iterable[float] = (1,),
    pairs: Iterable[Pair] | None = None,
    names: Sequence[str] | None = None,
    highest: float | None = None,
    points: int = 60,
    **values: float,
) -> Campbell:
    """The Campbell diagram of a linear system: natural frequencies in Hz over the speed in rpm, followed as branches,
    named, with the direction of their whirl, and their crossings with the orders of the excitation.

    lin       about rotation at the speed; of a rotor on elastic supports with blades, in coordinates of `multiblade`
    rpm       lowest and highest speed, or all speeds, 1/min
    speed     parameter of the speed, in rad/s
    orders    of the excitation: 1 for unbalance, 3 for three blades
    pairs     coordinates in two directions of the fixed frame, the second a quarter of a turn ahead in the direction of
              rotation: [("x", "y")]; by default those of `multiblade` and of `shaft`
    names     of the modes by frequency at the lowest speed; by default after the coordinates that take part most
    highest   modes above this frequency in Hz at all speeds are left out
    points    number of speeds
    values    numbers of other parameters

    >>> x, y, W = sb.symbols("x y W")
    >>> A = [[0, 0, 1, 0], [0, 0, 0, 1], [-100, 0, 0, -W / 2], [0, -100, W / 2, 0]]
    >>> lin = sb.linear_system(A, x=["a", "b", "a_dot", "b_dot"])
    >>> diagram = sb.kits.machines.campbell(lin, (0, 300), pairs=[("a", "b")])
    >>> [(c.mode, round(c.rpm, 3)) for c in diagram.crossings]  # 10 sqrt(2/3), 10 sqrt(2) rad/s
    [('a, b backward', 77.97), ('a, b forward', 135.047)]

    See also: `kits.machines.multiblade`, `LinearSystem.root_locus`, `LinearSystem.modes`.
    """
    grid = speeds_of(rpm, points)
    known = {p.name for p in lin.parameters}
    if speed not in known:
        raise unknown(f"campbell of {lin.name!r}, speed=", "parameter", speed, known, StabilityError)
    many = tuple(finite_number(n, "campbell: an order", StabilityError) for n in orders)
    if any(n <= 0 for n in many):
        raise StabilityError(f"campbell of {lin.name!r}: orders must be positive, got {shown(many)}")
    followed = FollowedModes(lin, speed, values, _pairs(lin, pairs), grid * RPM, highest)
    s = followed.eigenvalues
    middle = [followed.at(len(grid) // 2, k) for k in range(s.shape[1])]
    whirl = tuple(mode.whirl for mode in middle)
    said = _mode_names(names, [mode.leading for mode in middle], whirl)
    size = np.where(np.abs(s) > 0, np.abs(s), 1.0)
    found = [
        _crossing(followed, n, said[k], k, at)
        for n in many
        for k in range(s.shape[1])
        for at in followed.meetings(n, k)
    ]
    return Campbell(
        grid, np.where(s.imag > 0, s.imag / (2 * np.pi), np.nan), -s.real / size, said, whirl, many, tuple(sorted(found, key=lambda c: c.rpm))
    )  # fmt: skip


def _crossing(followed: FollowedModes, order: float, name: str, k: int, speed: float) -> Crossing:
    mode = followed.between(speed, k)
    return Crossing(order, name, speed / RPM, order * speed / (2 * np.pi), mode.whirl, mode.damping)


def speeds_of(rpm: Any, points: int) -> Numbers:
    given = np.asarray(rpm, dtype=float)
    grid = np.linspace(given[0], given[1], points) if isinstance(rpm, tuple) and given.shape == (2,) else given
    if grid.ndim != 1 or len(grid) < 2 or not np.isfinite(grid).all() or not (np.diff(grid) > 0).all() or grid[0] < 0:
        raise StabilityError(f"campbell: speeds in rpm increase from zero or more, got {shown(rpm)}")
    return grid


def _pairs(lin: sb.LinearSystem, pairs: Iterable[Pair] | None) -> tuple[Pair, ...]:
    if pairs is None:
        ends = (("_c", "_s"), ("_x", "_y"), ("_b", "_a"))
        by_end = [(n, n[:-2] + t) for f, t in ends for n in lin.x if n.endswith(f) and n[:-2] + t in lin.x]
        numbered = [
            (n, f"{stem}_y{k}") for n in lin.x for stem, _, k in (n.rpartition("_x"),) if k.isdigit() and f"{stem}_y{k}" in lin.x
        ]  # fmt: skip
        return (*by_end, *numbered)
    chosen = tuple((str(a), str(b)) for a, b in pairs)
    for name in (n for pair in chosen for n in pair):
        if name not in lin.x:
            raise unknown(f"campbell of {lin.name!r}, pairs=", "state", name, lin.x, StabilityError)
    return chosen


def _mode_names(given: Sequence[str] | None, leading: Sequence[str], whirl: Sequence[str]) -> tuple[str, ...]:
    if given is not None:
        if len(given) != len(leading):
            raise StabilityError(
                f"campbell: {len(given)} names for {len(leading)} modes; by default they are {', '.join(leading)}"
            )
        return tuple(given)
    plain = [f"{n} {w}" if w in ("forward", "backward") else n for n, w in zip(leading, whirl, strict=True)]
    count: dict[str, int] = {}
    out = []
    for name in plain:
        count[name] = count.get(name, 0) + 1
        out.append(f"{name} {count[name]}" if plain.count(name) > 1 else name)
    return tuple(out)
