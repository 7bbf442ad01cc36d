"""Derivatives of schedules of fragments (`graph/sweeps.py`), which are schedules again: nothing is written out.

Every fragment y = f(x) gets a second one for its tangents, y' = ∂f/∂x x', or for its adjoints, x̄ += (∂f/∂x)ᵀ ȳ. What
these need of the values is passed on through memory. Tangents run over the steps in their order, adjoints against it. A
Jacobian repeats the tangent steps for every column. Entries whose tangent is zero everywhere are not computed: fragments
with different zeros have tangent fragments of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ...errors import ExpressionError
from ..graph.graph import ZERO, Expr, Node, Symbol, intern, symbol
from ..graph.sweeps import Columns, Fragment, NewSteps, Schedule
from ..graph.walk import free_symbols
from .staged_fragments import StagedFragment, SweepStage, staged_fragments

CLEARED_AT_ONCE: Final = 64  # numbers of adjoint memory that a step sets to zero

Groups = tuple[tuple[Symbol, ...], ...]
Forward = Callable[[Sequence[Expr], Mapping[Symbol, Symbol]], list[Expr]]  # outputs, and tangents of inputs
Reverse = Callable[[Sequence[Expr], Sequence[Expr], Sequence[Symbol]], list[Expr]]  # outputs, their adjoints, inputs


def sweep_tangents(node: Node, tangents: Mapping[int, Expr], forward: Forward) -> list[Expr]:
    """Tangents of the items, where those of some arguments are given."""
    schedule, moving = _of(node), tuple(sorted(tangents))
    made = schedule.cached("tangents", moving, lambda: _Tangents(schedule, len(node.args), moving, forward))
    span = range(moving[0], moving[-1] + 1)
    block = intern("sweeps", (*node.args, *(tangents.get(k, ZERO) for k in span)), made.schedule)
    item = iter(range(len(made.live)))
    return [intern("item", (block,), next(item)) if k in made.live else ZERO for k in range(len(schedule.results))]


def sweep_jacobian(node: Node, moving: Sequence[int], forward: Forward) -> Callable[[int, int], Expr]:
    """Entries of the Jacobian by number of the item and of the argument, which is one of those that move."""
    schedule, order = _of(node), tuple(sorted(moving))
    made = schedule.cached("columns", order, lambda: _Tangents(schedule, len(node.args), order, forward, True))
    block = intern("sweeps", node.args, made.schedule)
    row, column = {k: n * len(order) for n, k in enumerate(made.live)}, {k: n for n, k in enumerate(order)}
    return lambda k, j: intern("item", (block,), column[j] + row[k]) if k in row else ZERO


def sweep_adjoints(node: Node, bars: Mapping[int, Expr], moving: Sequence[int], reverse: Reverse) -> dict[int, Expr]:
    """Adjoints of arguments, where those of some items are given."""
    schedule, key = _of(node), (tuple(sorted(bars)), tuple(moving))
    made = schedule.cached("adjoints", key, lambda: _Adjoints(schedule, len(node.args), *key, reverse))
    block = intern("sweeps", (*node.args, *(bars[k] for k in key[0])), made.schedule)
    return {k: intern("item", (block,), n) for n, k in enumerate(made.live)}


def _of(node: Node) -> Schedule:
    schedule: Schedule = node.data
    if schedule.columns is not None:
        raise ExpressionError(
            "second derivatives of a Jacobian in loops: differentiate its product with a vector instead, "
            "algebra.directional_derivative"
        )
    return schedule


# ------------------------------------------------------------------------------------------------------ new schedules


@dataclass(frozen=True)
class _DerivedFragments:
    """A fragment that keeps what its derivatives need, and the fragment of these.

    reads, writes   groups of the fragment that the second one reads and writes: tangents of inputs and outputs, or
                    adjoints of outputs and inputs
    found           of each group that is written, which entries are not zero everywhere
    """

    value: StagedFragment
    second: StagedFragment
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    found: tuple[bytes, ...]


def _pair(
    f: Fragment, given: Mapping[int, tuple[Symbol, ...]], found: Mapping[int, Sequence[Expr]], adds: Sequence[bool],
) -> _DerivedFragments:  # fmt: skip
    """Both fragments, from the expressions of the second one by group."""
    outputs = tuple(tuple(es) for es in found.values())
    value = SweepStage(f.inputs, f.outputs, f.adds)
    second = SweepStage(tuple(given.values()), outputs, tuple(adds))
    name = f"{_free_name(f, 'kept')}_{{}}_{{}}"
    made = staged_fragments([value, second], name)
    masks = tuple(bytes(e is not ZERO for e in es) for es in outputs)
    return _DerivedFragments(made[0], made[1], tuple(given), tuple(found), masks)


def _free_name(f: Fragment, name: str) -> str:
    """A name with which no symbol of a fragment begins."""
    taken = [s.stem for g in f.inputs for s in g]
    while any(t.startswith(f"{name}_") for t in taken):
        name = f"d{name}"
    return name


def _symbols_like(f: Fragment, groups: Sequence[Sequence[Expr]], name: str) -> Groups:
    name = _free_name(f, name)
    return tuple(tuple(symbol(f"{name}_{g}_{i}", "material") for i in range(len(x))) for g, x in enumerate(groups))


# ----------------------------------------------------------------------------------------------------------- tangents


_CLEAR: Final = Fragment((), ((ZERO,),), (False,))


class _Tangents:
    """The schedule of the tangents of some results, of which `live` are the numbers.

    Memory: arguments, tangents of those from the first to the last that moves, the other values, their tangents, what
    fragments pass on.
    """

    def __init__(
        self, of: Schedule, count: int, moving: Sequence[int], forward: Forward, in_columns: bool = False
    ) -> None:
        self.of, self.count, self.forward = of, count, forward
        self.first, self.span = moving[0], moving[-1] + 1 - moving[0]
        self.size = 2 * of.size - count + self.span
        self.mask = bytearray(of.size)
        for k in moving:
            self.mask[k] = 1
        self._made: dict[object, tuple[Groups, list[list[Expr]]]] = {}
        self._pairs: dict[object, _DerivedFragments] = {}
        values, seconds = self._steps()
        self.live = {k: None for k, p in enumerate(of.results) if self.mask[p]}
        results = [self._tangent(of.results[k]) for k in self.live]
        n = len(values.kinds)
        for fragment, places in seconds:
            values.add(fragment, places)
        if in_columns:
            columns = Columns(n, tuple(self._tangent(k) for k in moving), tuple(results))
            self.schedule = values.schedule(self.size, (), columns)
        else:
            self.schedule = values.schedule(self.size, results)

    def _value(self, p: int) -> int:
        return p if p < self.count else p + self.span

    def _tangent(self, p: int) -> int:
        return self.count + p - self.first if p < self.count else self.of.size + self.span + p - self.count

    def _steps(self) -> tuple[NewSteps, list[tuple[Fragment, list[int]]]]:
        """Steps of the values, and of the tangents behind them."""
        values, seconds = NewSteps(), []
        written = bytearray(self.of.size)
        for kind, places in self.of.steps():
            f = self.of.fragments[kind]
            inputs, outputs = places[: len(f.inputs)], places[len(f.inputs) :]
            masks = tuple(bytes(self.mask[at : at + len(g)]) for g, at in zip(f.inputs, inputs, strict=True))
            given, found = self._expressions(kind, masks)
            moved = [g for g, es in enumerate(found) if any(e is not ZERO for e in es)]
            spans = [range(outputs[g], outputs[g] + len(f.outputs[g])) for g in moved]
            adds = tuple(f.adds[g] and any(written[p] for p in span) for g, span in zip(moved, spans, strict=True))
            key = kind, masks, adds
            if key not in self._pairs:
                live = {g: given[g] for g, m in enumerate(masks) if any(m)}
                self._pairs[key] = _pair(f, live, {g: found[g] for g in moved}, adds)
            pair = self._pairs[key]
            kept = self.size
            self.size += pair.value.keeps
            own = [self._value(inputs[g]) for _, g in pair.value.inputs] + [self._value(p) for p in outputs]
            values.add(pair.value.fragment, own + [kept] * bool(pair.value.keeps))
            for span, added in zip(spans, adds, strict=True):
                seconds += [(_CLEAR, [self._tangent(p)]) for p in span if added and not written[p]]
                written[span.start : span.stop] = b"\1" * len(span)
            if moved:
                seconds.append((pair.second.fragment, self._second_places(pair, inputs, outputs, kept)))
            for g, mask in zip(pair.writes, pair.found, strict=True):
                for i, is_moved in enumerate(mask):
                    self.mask[outputs[g] + i] |= is_moved
        return values, seconds

    def _expressions(self, kind: int, masks: tuple[bytes, ...]) -> tuple[Groups, list[list[Expr]]]:
        """Symbols for the tangents of inputs, and the tangents of outputs."""
        if (kind, masks) not in self._made:
            f = self.of.fragments[kind]
            given = _symbols_like(f, f.inputs, "rate")
            seeds = {
                x: d
                for g, mask in enumerate(masks)
                for x, d, is_live in zip(f.inputs[g], given[g], mask, strict=True)
                if is_live
            }
            flat = iter(self.forward([e for g in f.outputs for e in g], seeds))
            self._made[kind, masks] = given, [[next(flat) for _ in g] for g in f.outputs]
        return self._made[kind, masks]

    def _second_places(
        self, pair: _DerivedFragments, inputs: Sequence[int], outputs: Sequence[int], kept: int
    ) -> list[int]:
        out = []
        for stage, g in pair.second.inputs:
            if g < 0:
                out.append(kept)
            else:
                out.append(self._tangent(inputs[pair.reads[g]]) if stage else self._value(inputs[g]))
        return out + [self._tangent(outputs[g]) for g in pair.writes]


# ----------------------------------------------------------------------------------------------------------- adjoints


class _Adjoints:
    """The schedule of the adjoints of some arguments; `live` are those that are not zero everywhere.

    Memory: arguments, adjoints of results, the other values, adjoints of all values, what fragments pass on.
    """

    def __init__(
        self, of: Schedule, count: int, seeds: Sequence[int], moving: Sequence[int], reverse: Reverse
    ) -> None:  # fmt: skip
        self.of, self.count, self.seeds, self.reverse = of, count, seeds, reverse
        self.base = of.size + len(seeds)
        self.size = self.base + -(-of.size // CLEARED_AT_ONCE) * CLEARED_AT_ONCE
        self._pairs: dict[object, _DerivedFragments] = {}
        depends = self._dependence(moving)
        steps = self._steps(depends)
        self.live = [k for k in moving if self.has[k]]
        self.schedule = steps.schedule(self.size, [self.base + k for k in self.live])

    def _value(self, p: int) -> int:
        return p if p < self.count else p + len(self.seeds)

    def _dependence(self, moving: Sequence[int]) -> bytearray:
        """By place, whether a value depends on an argument that moves."""
        depends, reach = bytearray(self.of.size), dict[object, list[bytes]]()
        for k in moving:
            depends[k] = 1
        for kind, places in self.of.steps():
            f = self.of.fragments[kind]
            masks = tuple(bytes(depends[at : at + len(g)]) for g, at in zip(f.inputs, places, strict=False))
            if (kind, masks) not in reach:
                moved = {
                    x
                    for g, m in zip(f.inputs, masks, strict=True)
                    for x, is_moved in zip(g, m, strict=True)
                    if is_moved
                }
                reach[kind, masks] = [bytes(not moved.isdisjoint(free_symbols(e)) for e in g) for g in f.outputs]
            for at, mask in zip(places[len(f.inputs) :], reach[kind, masks], strict=True):
                for i, is_moved in enumerate(mask):
                    depends[at + i] |= is_moved
        return depends

    def _steps(self, depends: bytearray) -> NewSteps:
        """Values in their order, then adjoints against it: found first, since they decide what values keep."""
        self.has = has = bytearray(self.of.size)
        for k in self.seeds:
            has[self.of.results[k]] = 1
        steps, rows = self.of.steps(), list[tuple[_DerivedFragments | None, int]]()
        for kind, places in reversed(steps):
            pair = self._pair_of(kind, places, depends)
            rows.append((pair, self.size))
            if pair is not None:
                self.size += pair.value.keeps
                for g, mask in zip(pair.writes, pair.found, strict=True):
                    for i, is_there in enumerate(mask):
                        has[places[g] + i] |= is_there
        out = NewSteps()
        self._add_start(out)
        for (kind, places), (pair, kept) in zip(steps, reversed(rows), strict=True):
            f = self.of.fragments[kind]
            if pair is None:
                out.add(f, [self._value(p) for p in places])
            else:
                own = [self._value(places[g]) for _, g in pair.value.inputs]
                own += [self._value(p) for p in places[len(f.inputs) :]]
                out.add(pair.value.fragment, own + [kept] * bool(pair.value.keeps))
        for (kind, places), (pair, kept) in zip(reversed(steps), rows, strict=True):
            if pair is not None:
                out.add(pair.second.fragment, self._second_places(pair, kind, places, kept))
        return out

    def _add_start(self, out: NewSteps) -> None:
        """Adjoints are zero, but those of the results."""
        clear = Fragment((), ((ZERO,) * CLEARED_AT_ONCE,), (False,))
        for at in range(self.base, self.base + self.of.size, CLEARED_AT_ONCE):
            out.add(clear, [at])
        x = symbol("adjoint", "material")
        put = Fragment(((x,),), ((x,),), (True,))
        for n, k in enumerate(self.seeds):
            out.add(put, [self.count + n, self.base + self.of.results[k]])

    def _pair_of(self, kind: int, places: Sequence[int], depends: bytearray) -> _DerivedFragments | None:
        """None where no adjoint passes through a step."""
        f = self.of.fragments[kind]
        groups = (*f.inputs, *f.outputs)
        table = [depends] * len(f.inputs) + [self.has] * len(f.outputs)
        masks = tuple(bytes(t[at : at + len(g)]) for t, g, at in zip(table, groups, places, strict=True))
        below, above = masks[: len(f.inputs)], masks[len(f.inputs) :]
        if not any(map(any, below)) or not any(map(any, above)):
            return None
        if (kind, masks) not in self._pairs:
            bars = _symbols_like(f, f.outputs, "adjoint")
            wanted = [
                x for g, m in zip(f.inputs, below, strict=True) for x, is_live in zip(g, m, strict=True) if is_live
            ]
            chosen = [
                (e, b)
                for g, bs, m in zip(f.outputs, bars, above, strict=True)
                for e, b, y in zip(g, bs, m, strict=True)
                if y
            ]
            adjoint = dict(
                zip(wanted, self.reverse([e for e, _ in chosen], [b for _, b in chosen], wanted), strict=True)
            )
            found = {g: [adjoint.get(x, ZERO) for x in group] for g, group in enumerate(f.inputs)}
            found = {g: es for g, es in found.items() if any(e is not ZERO for e in es)}
            given = {g: bs for g, bs in enumerate(bars) if any(above[g])}
            self._pairs[kind, masks] = _pair(f, given, found, [True] * len(found))
        pair = self._pairs[kind, masks]
        return pair if pair.writes else None

    def _second_places(self, pair: _DerivedFragments, kind: int, places: Sequence[int], kept: int) -> list[int]:
        outputs, out = places[len(self.of.fragments[kind].inputs) :], []
        for stage, g in pair.second.inputs:
            if g < 0:
                out.append(kept)
            else:
                out.append(self.base + outputs[pair.reads[g]] if stage else self._value(places[g]))
        return out + [self.base + places[g] for g in pair.writes]
