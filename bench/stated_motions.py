"""Problems of optimal control that are stated once for all programs: rates and costs are functions of a module `c` with
sin, cos, exp and atan, which is symbody, CasADi or SymPy. Ten follow the gallery of opty 1.5, with these
changes, which both programs get: the pendulum of free duration has time as its cost; the slide, the crane and the drone are
written as explicit first-order equations; the block has one node more; the quaternion of the drone is bounded by ±1 and
its q0 is free at the middle and the end; guesses are straight lines or a few points in place of random numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import symbody as sb

Range = tuple[float | None, float | None]


@dataclass(frozen=True)
class StatedMotion:
    """x' = rates(x, u, c) over a duration or range of durations, with the least ∫ integrand dt; `middle` has values at
    half of the time, `guess` values at equal distances."""

    name: str
    states: str
    inputs: str
    rates: Callable[[Any, Any, Any], list[Any]]
    integrand: Callable[[Any, Any], Any]
    duration: Any
    nodes: int
    start: Mapping[str, Any]
    end: Mapping[str, Any]
    bounds: Mapping[str, Range] = field(default_factory=dict)
    guess: Mapping[str, Any] = field(default_factory=dict)
    middle: Mapping[str, float] = field(default_factory=dict)
    path: tuple[Callable[[Any, Any], Any], float, float] | None = None
    optimum: float | None = None
    source: str = ""

    @property
    def is_timed(self) -> bool:
        return isinstance(self.duration, tuple)

    def problem(self) -> Any:
        """As `kits.motions.Problem`."""
        x, u = (sb.symbols(f"{names} unused", kind="variable")[:-1] for names in (self.states, self.inputs))
        eq = sb.from_equations(dict(zip(x, self.rates(x, u, sb), strict=True)), inputs=u)
        problem = sb.kits.motions.Problem(self.name)
        parts = ("first", "second") if self.middle else ("all",)
        for part in parts:
            phase = problem.phase(part, eq, self.duration / len(parts) if self.middle else self.duration)
            phase.bounds(self.bounds).cost("cost", integral=self.integrand(x, u))
            phase.guess({k: self.part_of(v, part) for k, v in self.guess.items() if k != "duration"})
            if "duration" in self.guess:
                phase.guess(duration=self.guess["duration"])
            if self.path:
                phase.path("path", self.path[0](x, u), low=self.path[1], high=self.path[2])
        problem.phases[parts[0]].start(self.start)
        problem.phases[parts[-1]].end(self.end)
        if self.middle:
            problem.phases["first"].end(self.middle)
            problem.link("first", "second")
        return problem

    @staticmethod
    def part_of(values: Any, part: str) -> Any:
        v = np.atleast_1d(np.asarray(values, dtype=float))
        if part == "all" or len(v) == 1:
            return v
        return np.interp([0.0, 0.5] if part == "first" else [0.5, 1.0], np.linspace(0, 1, len(v)), v)


def _pendulum(x: Any, u: Any, c: Any) -> list[Any]:
    return [x[1], u[0] - 9.81 * c.sin(x[0])]


def _betts_10_104(x: Any, u: Any, c: Any) -> list[Any]:
    g = 9.81
    a, b = -2 * x[4] * x[0] + u[0] * x[1], -g - 2 * x[4] * x[1] - u[0] * x[0]
    return [x[2], x[3], a, b, x[2] * a + x[3] * b - g * x[3] / 2]


def _slide(x: Any, u: Any, c: Any) -> list[Any]:
    return [x[2] * c.cos(u[0]), x[2] * c.sin(u[0]), -9.81 * c.sin(u[0])]


def _block(x: Any, u: Any, c: Any) -> list[Any]:
    """On the road y = a x² exp(b - x), pushed along it: (1 + y'²) x'' + y' y'' x'² = F sqrt(1 + y'²) - g y'."""
    a, b = 1.5, 2.5
    e = a * c.exp(b - x[0])
    s, k = (2 * x[0] - x[0] ** 2) * e, (2 - 4 * x[0] + x[0] ** 2) * e
    return [x[1], (u[0] * (1 + s**2) ** 0.5 - 9.81 * s - s * k * x[1] ** 2) / (1 + s**2)]


def _crane(x: Any, u: Any, c: Any) -> list[Any]:
    l, m1, m2, g = 5.0, 1.0, 10.0, 9.81
    s, co = c.sin(x[1]), c.cos(x[1])
    a = (u[0] + m2 * l * s * x[3] ** 2 + m2 * g * s * co) / (m1 + m2 * s**2)
    return [x[2], x[3], a, -(a * co + g * s) / l]


def _drone(x: Any, u: Any, c: Any) -> list[Any]:
    m, l, w, d, g, drag = 2.0, 1.0, 0.5, 0.1, 9.81, 0.06
    q0, q1, q2, q3, v1, v2, v3, w1, w2, w3 = (x[k] for k in range(3, 13))
    R = [
        [1 - 2 * (q2**2 + q3**2), 2 * (q1 * q2 - q0 * q3), 2 * (q1 * q3 + q0 * q2)],
        [2 * (q1 * q2 + q0 * q3), 1 - 2 * (q1**2 + q3**2), 2 * (q2 * q3 - q0 * q1)],
        [2 * (q1 * q3 - q0 * q2), 2 * (q2 * q3 + q0 * q1), 1 - 2 * (q1**2 + q2**2)],
    ]
    v, lift = (v1, v2, v3), u[0] + u[1] + u[2] + u[3]
    places = [sum(R[i][j] * v[j] for j in range(3)) for i in range(3)]
    turns = [
        -(q1 * w1 + q2 * w2 + q3 * w3) / 2,
        (q0 * w1 + q2 * w3 - q3 * w2) / 2,
        (q0 * w2 + q3 * w1 - q1 * w3) / 2,
        (q0 * w3 + q1 * w2 - q2 * w1) / 2,
    ]
    speeds = [
        w3 * v2 - w2 * v3 - g * R[2][0] - drag / m * v1,
        w1 * v3 - w3 * v1 - g * R[2][1] - drag / m * v2,
        w2 * v1 - w1 * v2 - g * R[2][2] - drag / m * v3 + lift / m,
    ]
    I1, I2, I3 = m * (w**2 + d**2) / 12, m * (l**2 + d**2) / 12, m * (l**2 + w**2) / 12
    t1, t2 = w / 2 * (u[0] + u[1] - u[2] - u[3]), -l / 2 * (u[0] - u[1] + u[2] - u[3])
    rates = [(t1 - (I3 - I2) * w2 * w3) / I1, (t2 - (I1 - I3) * w3 * w1) / I2, -(I2 - I1) * w1 * w2 / I3]
    return [*places, *turns, *speeds, *rates]


def _cylinder(x: Any, u: Any, c: Any) -> list[Any]:
    return [x[3], x[4], x[5], u[0], u[1], u[2]]


def _squares(x: Any, u: Any) -> Any:
    return sum(u[k] ** 2 for k in range(u.shape[0] if hasattr(u, "shape") else len(u)))


def _time(x: Any, u: Any) -> Any:
    return 1.0


def _zeros(names: str) -> dict[str, float]:
    return dict.fromkeys(names.split(), 0.0)


HALF = float(np.sin(np.pi / 4))
ROAD = {"F": (-10.0, 15.0), "x": (0.0, 10.0), "v": (0.0, 100.0)}
FLAT, STILL = "q1 q2 q3", "v1 v2 v3 w1 w2 w3"

GALLERY = (
    StatedMotion(
        "pendulum, 10 s", "a w", "T", _pendulum, _squares, 10.0, 501, _zeros("a w"), {"a": np.pi, "w": 0.0}, {"T": (-2, 2)}
    ),
    StatedMotion(
        "pendulum, free duration", "a w", "T", _pendulum, _time, (1.0, 20.0), 501, _zeros("a w"), {"a": np.pi, "w": 0.0},
        {"T": (-2, 2)}, {"duration": 5.0, "a": [0, 1, -1, 1.5, -1.5, np.pi]},
    ),
    StatedMotion(
        "Betts 10.7", "y", "u", lambda x, u, c: [u[0] - x[0] ** 3], lambda x, u: x[0] ** 2 + u[0] ** 2, 8.0, 10001,
        {"y": 1.0}, {"y": 1.5}, optimum=6.7241, source="Betts 2010",
    ),
    StatedMotion(
        "Betts 10.104", "y0 y1 y2 y3 y4", "u", _betts_10_104, _squares, 3.0, 751, {"y0": 1.0, **_zeros("y1 y2 y3 y4")},
        _zeros("y0 y2"), {**dict.fromkeys(("y0", "y1", "y2", "y3"), (-5, 5)), "y4": (-1, 15)}, optimum=12.8738850,
        guess={"y1": [0, -1], "y4": [0, 5]}, source="Betts 2010",
    ),
    StatedMotion(
        "slide to (10, -6)", "x y v", "b", _slide, _time, (0.5, 20.0), 201, _zeros("x y v"), {"x": 10.0, "y": -6.0},
        {"b": (-np.pi / 2 + 1e-5, np.pi / 2)}, {"b": [-1.4, 0.2], "v": [0, 10], "duration": 2.0},
    ),
    StatedMotion(
        "block, fastest", "x v", "F", _block, _time, (0.01, 100.0), 151, _zeros("x v"), {"x": 10.0, "v": 0.0}, ROAD,
        {"duration": 3.0, "v": 3.0},
    ),
    StatedMotion(
        "block, least force", "x v", "F", _block, _squares, 6.0, 151, _zeros("x v"), {"x": 10.0, "v": 0.0}, ROAD
    ),
    StatedMotion(
        "crane, fastest", "x q v w", "F", _crane, _time, (0.5, 100.0), 151, _zeros("x q v w"),
        {"x": 15.0, **_zeros("q v w")}, {"F": (-20, 20), "x": (0, 15)}, {"duration": 5.0},
    ),
    StatedMotion(
        "on a cylinder", "x y z vx vy vz", "Fx Fy Fz", _cylinder, _squares, 10.0, 101,
        {"x": 0.0, "y": -1.0, **_zeros("z vx vy vz")}, {"x": 0.0, "y": 1.0, "z": 4.0, **_zeros("vx vy vz")},
        guess={"x": [0, 1, 0]}, path=(lambda x, u: x[0] ** 2 + x[1] ** 2, 1.0, 1.0),
    ),
    StatedMotion(
        "drone with a quarter turn", f"x y z q0 {FLAT} {STILL}", "F1 F2 F3 F4", _drone, _squares, 10.0, 301,
        {"q0": 1.0, **_zeros(f"x y z {FLAT} {STILL}")}, {"x": 10.0, "y": 10.0, "z": 10.0, **_zeros(f"{FLAT} {STILL}")},
        {**dict.fromkeys(("F1", "F2", "F3", "F4"), (-100.0, 100.0)), **dict.fromkeys(("q0", "q1", "q2", "q3"), (-1.0, 1.0))},
        {**dict.fromkeys(("F1", "F2", "F3", "F4"), 10.0), "q0": [1, HALF, 1]}, {"q1": HALF, "q2": 0.0, "q3": 0.0},
    ),
)  # fmt: skip
