"""All assemblies that a search found, and an estimate of those that it missed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ...summary import Introduced
from .state import State

MIN_TRIES: Final = 60  # smallest number of random starts
MAX_TRIES: Final = 3000  # largest number of random starts where more and more come to light


class Assemblies(Introduced, tuple[State, ...]):
    """States that satisfy the constraints, nearest to the guess first, with an estimate of missed ones.

    times   how often each was met
    tries   how many random starts there were

    >>> m = sb.Model("bead")
    >>> x, y = m.coordinates("x y")
    >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=1.0)
    >>> ring = m.constrain("ring", x**2 + y**2 - 1)
    >>> found = sb.all_assemblies(sb.derive(m), x=0.6)
    >>> len(found), found.tries, min(found.times) > 10, found.unseen
    (2, 60, True, 0.0)

    See also: `all_assemblies`, `State`.
    """

    times: tuple[int, ...]
    tries: int

    def __new__(cls, states: Iterable[State], times: Sequence[int], tries: int) -> Assemblies:
        made = super().__new__(cls, states)
        made.times, made.tries = tuple(times), tries
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return Assemblies, (tuple(self), self.times, self.tries)

    @property
    def unseen(self) -> float:
        """Estimated probability that one more successful start finds a new state: the fraction of states found once
        (Good 1953)."""
        return chance_of_new(self.times)


def chance_of_new(times: Sequence[int]) -> float:
    """The share of what was met once among all meetings; zero if one thing was met by its own start alone."""
    return sum(t == 1 for t in times) / max(sum(times), 1) if len(times) > 1 else 0.0


def goes_on(times: Sequence[int], tries: int) -> bool:
    """Whether a search goes on: some were met once only, and not all, as they would be on a curve of them."""
    if tries < MIN_TRIES:
        return True
    once = sum(t == 1 for t in times)
    return 0 < once < len(times) and tries < MAX_TRIES
