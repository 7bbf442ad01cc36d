"""The varied values of a sweep, and its members.

    levels      a list of values: each is combined with everything else
    intervals   (low, high), and distributions of `scipy.stats`: points are sampled in them

Points of all sampled values are drawn together in the unit cube, and mapped to values by the inverse of the
distribution function.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ....emit.run.callable import Array
from ....errors import StudyError, listed, shown, unknown
from ....optional_packages import optional_package

SAMPLES: Final = ("grid", "random", "sobol", "latin hypercube", "paired")
SAMPLE_DIMENSION: Final = "sample"  # name of the dimension along which points are sampled
MOST_MEMBERS: Final = 10**9
POINTS, NOISE = 0, 1  # streams of random numbers that belong to one seed


@dataclass(frozen=True)
class Interval:
    """A uniform distribution between two numbers."""

    low: float
    high: float

    def at(self, unit: Array) -> Array:
        return self.low + (self.high - self.low) * unit

    def __str__(self) -> str:
        return f"{self.low:z.9g} to {self.high:z.9g}"


@dataclass(frozen=True)
class DrawnFrom:
    """A distribution of `scipy.stats`, frozen with its parameters, or one of its newer random variables."""

    of: Any

    def at(self, unit: Array) -> Array:
        inverse = getattr(self.of, "ppf", None) or self.of.icdf
        return np.asarray(inverse(unit), dtype=np.float64)

    def __str__(self) -> str:
        kind = getattr(self.of, "dist", None)
        if kind is None:
            return shown(self.of)
        given = [*map(str, self.of.args), *(f"{k}={v}" for k, v in self.of.kwds.items())]
        return f"{kind.name}({', '.join(given)})"


@dataclass(frozen=True, eq=False)
class Listed:
    """Values given by the caller, one for each point."""

    chosen: Array

    def at(self, unit: Array) -> Array:
        return self.chosen

    def __str__(self) -> str:
        return "paired"


Drawn = Interval | DrawnFrom | Listed


@dataclass(frozen=True)
class Varied:
    """The members of a sweep, numbered from 0 in the order of `dims`, the last one fastest.

    levels   values that are combined, by name
    drawn    what points are drawn in, by name; every combination of levels meets the same points
    sample   how: "random", "sobol" or "latin hypercube"
    repeat   number of points, or of members with the same values where nothing is drawn
    labels   names under which values are found in the study, where they are others: `theta_start`
    """

    levels: Mapping[str, Array]
    drawn: Mapping[str, Drawn]
    sample: str = "grid"
    repeat: int = 1
    seed: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)

    def label(self, name: str) -> str:
        return self.labels.get(name, name)

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.levels, *self.drawn)

    @property
    def dims(self) -> dict[str, int]:
        """Names and lengths of the dimensions of the study."""
        points = {SAMPLE_DIMENSION: self.repeat} if self.drawn or self.repeat > 1 or not self.levels else {}
        return {self.label(name): len(values) for name, values in self.levels.items()} | points

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.dims.values())

    def __len__(self) -> int:
        return math.prod(self.shape)

    @cached_property
    def points(self) -> dict[str, Array]:
        """Values of the sampled quantities, at each point."""
        unit = unit_points(self.sample, self.repeat, len(self.drawn), self.seed) if self.drawn else np.zeros((0, 0))
        found = {name: kind.at(u) for (name, kind), u in zip(self.drawn.items(), unit.T, strict=True)}
        for name, values in found.items():
            if not np.isfinite(values).all():
                raise StudyError(
                    f"sweep: {name} is drawn from {self.drawn[name]}, which gave a value that is not finite"
                )
        return found

    def coordinates(self) -> dict[str, tuple[str, NDArray[Any]]]:
        """The values that are varied, each along its dimension."""
        number = (
            {SAMPLE_DIMENSION: (SAMPLE_DIMENSION, np.arange(self.repeat, dtype=np.int64))}
            if SAMPLE_DIMENSION in self.dims
            else {}
        )
        return {
            **{self.label(name): line for name, line in self._levels.items()},
            **number,
            **{self.label(name): line for name, line in self._points.items()},
        }

    @property
    def _levels(self) -> dict[str, tuple[str, NDArray[Any]]]:
        return {name: (self.label(name), values) for name, values in self.levels.items()}

    @property
    def _points(self) -> dict[str, tuple[str, NDArray[Any]]]:
        return {name: (SAMPLE_DIMENSION, values) for name, values in self.points.items()}

    def values(self, members: Any) -> dict[str, Array]:
        """The values of some members, by name."""
        along = dict(zip(self.dims, np.unravel_index(np.asarray(members), self.shape), strict=True))
        return {name: v[along[dim]] for name, (dim, v) in {**self._levels, **self._points}.items()}


def unit_points(sample: str, count: int, dimensions: int, seed: int) -> Array:
    """Points in the unit cube, one in each row. Random ones are those of their number, whatever the count is."""
    if sample == "sobol":
        return np.asarray(
            optional_package("scipy.stats.qmc", "Sobol's points", StudyError)
            .Sobol(dimensions, scramble=True, seed=seed)
            .random(count)
        )
    if sample == "latin hypercube":
        return np.asarray(
            optional_package("scipy.stats.qmc", "Latin hypercubes", StudyError)
            .LatinHypercube(dimensions, seed=seed)
            .random(count)
        )
    width = -(-dimensions // 4) * 4  # the generator makes blocks of four numbers: each point begins with a new block
    raw = np.random.Philox(key=np.array([seed, POINTS], dtype=np.uint64)).random_raw(count * width)
    return np.asarray(((raw.reshape(count, width)[:, :dimensions] >> np.uint64(11)) + 0.5) * 2.0**-53, dtype=np.float64)


def member_generator(seed: int, member: int) -> np.random.Generator:
    """Random numbers of a member, the same wherever and with whichever others it is computed."""
    counter = np.array([0, member, 0, 0], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=np.array([seed, NOISE], dtype=np.uint64), counter=counter))


# ------------------------------------------------------------------------------------------------ from what was written


def varied_values(over: Mapping[Any, Any], sample: str, repeat: int, seed: int) -> Varied:
    """The members specified by `over`, `sample` and `repeat` of `sweep`."""
    if sample not in SAMPLES:
        raise unknown("sweep", "way to sample", sample, SAMPLES, StudyError)
    if not isinstance(repeat, int) or repeat < 1:
        raise StudyError(f"sweep: repeat must be a whole number of at least 1, got {shown(repeat)}")
    if not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise StudyError(f"sweep: seed must be a whole number between 0 and 2**63, got {shown(seed)}")
    if not isinstance(over, Mapping) or not over:
        raise StudyError(
            f"sweep: over must be a mapping from names to lists of values, (low, high) or distributions, got {shown(over)}"
        )
    found = {
        str(getattr(k, "name", k)): _values_or_distribution(str(getattr(k, "name", k)), v) for k, v in over.items()
    }
    if wrong := [n for n in found if n in (SAMPLE_DIMENSION, "status", "message")]:
        raise StudyError(f"sweep: {listed(wrong)} cannot be varied under that name: the study uses this name")
    if sample == "paired":
        return _paired_members(found, repeat, seed)
    levels = {k: v for k, v in found.items() if isinstance(v, np.ndarray)}
    drawn = {k: v for k, v in found.items() if not isinstance(v, np.ndarray)}
    count = math.prod(len(v) for v in levels.values()) * repeat ** (len(drawn) if sample == "grid" and drawn else 1)
    if count > MOST_MEMBERS:
        raise StudyError(
            f"sweep: {listed(found)} make {count:z.3g} members, more than {MOST_MEMBERS:z.0e}; use fewer values, or sample='sobol' with repeat=1000"
        )
    if sample == "grid" and drawn:
        if repeat == 1:
            raise StudyError(
                f"sweep: {listed(drawn)} would have one value; repeat=20 takes 20 of each, sample='sobol' and "
                "repeat=1000 draw points in all of them together"
            )
        middle = (np.arange(repeat) + 0.5) / repeat
        grid = {k: v.at(np.linspace(0, 1, repeat) if isinstance(v, Interval) else middle) for k, v in drawn.items()}
        return Varied({k: v if k in levels else grid[k] for k, v in {**found, **levels}.items()}, {}, sample, 1, seed)
    return Varied(levels, drawn, sample, repeat, seed)


def _paired_members(found: Mapping[str, Any], repeat: int, seed: int) -> Varied:
    """The k-th member has the k-th value of each list."""
    lengths = {k: len(v) if isinstance(v, np.ndarray) else None for k, v in found.items()}
    if None in lengths.values() or len(set(lengths.values())) > 1 or repeat != 1:
        raise StudyError(
            "sweep: sample='paired' takes lists of one length, and no repeat; got "
            f"{listed(f'{k}: {n}' for k, n in lengths.items())}"
        )
    count = next(n for n in lengths.values() if n is not None)
    return Varied({}, {k: Listed(v) for k, v in found.items()}, "paired", count, seed)


def _values_or_distribution(name: str, given: Any) -> Any:
    """Values as an array, an interval, or a distribution."""
    if hasattr(given, "ppf") or hasattr(given, "icdf"):
        return DrawnFrom(given)
    if isinstance(given, tuple) and len(given) == 2:
        low, high = _numbers(name, given)
        if not low < high:
            raise StudyError(f"sweep: the interval of {name} goes from {low:g} to {high:g}; write (low, high)")
        return Interval(float(low), float(high))
    if isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, str):
        return _numbers(name, given)
    raise StudyError(
        f"sweep: {name} is varied over a list of values, an interval (low, high) or a distribution of "
        f"scipy.stats, got {shown(given)}"
    )


def _numbers(name: str, given: Any) -> Array:
    try:
        values = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.zeros((0, 0))
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise StudyError(
            f"sweep: the values of {name} must be a one-dimensional array of finite numbers, got {shown(given)}"
        )
    return values
