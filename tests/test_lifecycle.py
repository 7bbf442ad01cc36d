"""What a model leaves behind when it is dropped: nothing. Caches belong to what they are made of, and die with it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import numpy as np
import pytest

import symbody as sb
from bench.lifecycle import STAGES, floor, nodes_left, pendulum, start
from symbody.algebra.graph.cache_owner import MAX_ENTRIES, CacheOwner
from symbody.integrate.inputs.inputs import with_inputs

from .amount import FULL, some


@pytest.mark.parametrize("stage", some(STAGES, 3), ids=lambda s: s.__name__)
def test_dropped_models_leave_no_nodes(stage: Callable[[int], None]) -> None:
    """To the last node, after the first model has loaded what the process keeps (kernels, pages)."""
    stage(0)
    before = nodes_left()
    for k in range(1, 3 if FULL else 2):
        stage(k)
    assert nodes_left() == before


def test_simulated_equations_die() -> None:
    eq = pendulum(0)
    sb.simulate(eq, 0.1, start(0), events=[floor(eq)])
    gone = weakref.ref(eq)
    del eq
    gc.collect()
    assert gone() is None


def test_equations_with_the_same_laws_are_made_once() -> None:
    """By content for expressions and samples, by identity for functions."""
    eq, law = pendulum(0), lambda t: 0.1 * t
    for first, same, other in (
        (2 * eq.t, 2 * eq.t, 3 * eq.t),
        (([0, 1], [2, 3]), (np.arange(2.0), [2, 3]), ([0, 1], [2, 4])),
        (law, law, lambda t: 0.1 * t),
    ):
        made, again, another = (with_inputs(eq, {"tau": x})[0] for x in (first, same, other))
        assert made is again
        assert made is not another


class TestCacheOwner:
    def test_made_once_for_each_key(self):
        owner, made = CacheOwner(), []
        for key in ("a", "b", "a"):
            owner.cached("kind", key, lambda key=key: made.append(key))
        owner.cached("other kind", "a", lambda: made.append("again"))
        assert made == ["a", "b", "again"]

    def test_least_recently_used_goes_first(self):
        owner, made = CacheOwner(), []
        for key in [
            *range(MAX_ENTRIES),
            0,
            MAX_ENTRIES,
            0,
            1,
        ]:  # key 0 is used again before there are too many, so that key 1 has to go
            owner.cached("kind", key, lambda key=key: made.append(key))
        assert made == [*range(MAX_ENTRIES), MAX_ENTRIES, 1]
