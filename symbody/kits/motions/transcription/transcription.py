"""A problem on a mesh -> a sparse nonlinear program.

The unknowns are those of all nodes of all phases, then begin and duration of each phase, chosen parameters and impulses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import coo_array

import symbody as sb

from ..parts.problem_parts import Phase, PhaseLink, Range, Repetition, range_at
from .collocation_tables import CollocationTable
from .multiple_shooting import FRACTION, WIDTH, end_of_interval
from .node_functions import Array, Indices, NodeFunctions
from .sparse_program import NodeBlock, RowGroup, SparseProgram

MISS = 1e-6  # violation of a constraint at given values beyond which a phase cannot begin
BESIDE = 1e-2  # distance of a second guess, relative to 1 + |z|
START_ROW = 1e-9  # a pivot, relative to the largest, below which a condition at the start follows from others


@dataclass(frozen=True, eq=False)
class PhaseMesh:
    """A phase on a mesh: where its nodes are in time and among the unknowns."""

    phase: Phase
    table: CollocationTable
    fractions: Array  # ends of the intervals, from 0 to 1
    first: int  # place of its first unknown

    @property
    def intervals(self) -> int:
        return len(self.fractions) - 1

    @property
    def steps(self) -> int:
        """Nodes of an interval, without its first."""
        return len(self.table.points) - 1

    @cached_property
    def at(self) -> Array:
        """Fractions of the duration at which the nodes are."""
        widths = np.diff(self.fractions)
        inner = self.fractions[:-1, None] + widths[:, None] * self.table.points[None, 1:]
        return np.concatenate([[0.0], inner.ravel()])

    @property
    def width(self) -> int:
        return len(self.phase.form.node)

    @property
    def size(self) -> int:
        return len(self.at) * self.width

    @cached_property
    def index(self) -> Indices:
        """Places of the unknowns of each node."""
        return self.first + np.arange(self.size).reshape(len(self.at), self.width)

    @cached_property
    def place(self) -> dict[sb.Symbol, int]:
        return {s: k for k, s in enumerate(self.phase.form.node)}

    @cached_property
    def state_columns(self) -> list[int]:
        """Of the states of the equations, among the unknowns of a node."""
        return [self.place[s] for s in self.phase.equations.state]


@dataclass(eq=False)
class CollectedRows:
    """CollectedRows of constraints while they are collected."""

    groups: list[RowGroup]
    low: list[Array]
    high: list[Array]
    linear: list[tuple[Any, Any, Any]]
    count: int = 0

    def add(self, name: str, n: int, low: Any = 0.0, high: Any = 0.0) -> Indices:
        """New rows with a range."""
        out = self.count + np.arange(n)
        self.groups.append(RowGroup(name, slice(self.count, self.count + n)))
        self.low.append(np.broadcast_to(np.asarray(low, float), (n,)))
        self.high.append(np.broadcast_to(np.asarray(high, float), (n,)))
        self.count += n
        return out

    def term(self, rows: Any, columns: Any, factors: Any) -> None:
        r, c, f = np.broadcast_arrays(rows, columns, np.asarray(factors, float))
        self.linear.append((r.ravel(), c.ravel(), f.ravel()))


@dataclass(eq=False)
class _BlockParts:
    """A block while its rows and costs are collected: values and what they are used for."""

    name: str
    phase: Phase
    unknowns: list[sb.Symbol]
    index: Indices
    given: Array
    values: list[sb.Expr]
    uses: list[tuple[Any, Any, Any, Any]]  # rows, nodes, value, factors
    costs: list[tuple[str, Any, int, Any]]  # name, nodes, value, factors
    given_symbols: list[sb.Symbol] = field(default_factory=lambda: [FRACTION])


class Transcription:
    """A problem on a mesh; `program` is what a solver gets, `guess` where it begins."""

    def __init__(
        self,
        phases: Sequence[Phase],
        links: Sequence[PhaseLink],
        repetitions: Sequence[Repetition],
        chosen: Mapping[sb.Symbol, Range],
        table: CollocationTable,
        fractions: Mapping[str, Array],
        functions: dict[Any, NodeFunctions],
    ) -> None:
        self.chosen, self.links, self.repetitions = dict(chosen), tuple(links), tuple(repetitions)
        self._functions = functions
        self.meshes: dict[str, PhaseMesh] = {}
        at = 0
        for p in phases:
            self.meshes[p.name] = mesh = PhaseMesh(p, table, fractions[p.name], at)
            at += mesh.size
        self.begin = {p.name: at + 2 * k for k, p in enumerate(phases)}
        self.duration = {p.name: at + 2 * k + 1 for k, p in enumerate(phases)}
        at += 2 * len(phases)
        self.parameter = {s: at + k for k, s in enumerate(self.chosen)}
        at += len(self.chosen)
        self.impulse: dict[tuple[str, str], int] = {}
        for link in links:
            for name in link.impulses or {}:
                self.impulse[link.after.name, name] = at
                at += 1
        self.n = at
        self._rows = CollectedRows([], [], [], [])
        self.weights: dict[str, Array] = {}
        self.product_rows: list[Indices] = []  # of quantities of which one is zero
        self._blocks: list[_BlockParts] = []
        for mesh in self.meshes.values():
            self._add_nodes(mesh)
            self._add_ends(mesh)
            self._add_start_rows(mesh)
        for link in links:
            self._add_link(link)
        for r in repetitions:
            self._add_repetition(r)
        self._blocks = [b for b in self._blocks if b.values]

    # ------------------------------------------------------------------------------------------------ rows of a phase

    def _shared(self, mesh: PhaseMesh) -> tuple[list[sb.Symbol], list[int]]:
        """Unknowns that all nodes of a phase have in common."""
        p = mesh.phase
        own = {s: k for s, k in self.parameter.items() if s in p.equations.p}
        times = {p.begin: self.begin[p.name], p.duration: self.duration[p.name]}
        free = {s: k for s, k in times.items() if s not in self._fixed_times(p)}
        return [*free, *own], [*free.values(), *own.values()]

    def _fixed_times(self, p: Phase) -> dict[sb.Symbol, float]:
        """Begin and duration of a phase where they are numbers."""
        low, high = p.duration_range
        out = {p.duration: low} if low == high else {}
        return out if any(k.after.name == p.name and not k.closes_cycle for k in self.links) else {**out, p.begin: 0.0}

    def _block(self, mesh: PhaseMesh, nodes: Any, name: str) -> _BlockParts:
        shared, places = self._shared(mesh)
        index = np.hstack([mesh.index[nodes], np.tile(np.array(places, np.intp), (len(mesh.index[nodes]), 1))])
        unknowns = [*mesh.phase.form.node, *shared]
        out = _BlockParts(name, mesh.phase, unknowns, index, mesh.at[nodes][:, None], [], [], [])
        self._blocks.append(out)
        return out

    def _add_nodes(self, mesh: PhaseMesh) -> None:
        p, form, table, rows = mesh.phase, mesh.phase.form, mesh.table, self._rows
        every = np.arange(len(mesh.at))
        block = self._block(mesh, every, f"{p.name}")
        shoots = bool(table.shooting_steps)
        if shoots:
            self._add_shooting(mesh)
        else:
            block.values = [p.duration * e for e in form.rates]
            self._add_defects(mesh, block)
        collocated = every if table.starts_collocated else every[1:]
        for name, e in form.rows:
            r = rows.add(f"{p.where}: {name}", len(collocated))
            block.uses.append((r, collocated, len(block.values), 1.0))
            block.values.append(e)
        for term in p.paths:
            r = rows.add(f"{p.where}: path {term.name!r}", len(every), *term.range)
            block.uses.append((r, every, len(block.values), 1.0))
            block.values.append(term.expression)
        for term in p.products:
            r = rows.add(f"{p.where}: product of {term.name!r}", len(collocated), -np.inf, np.inf)
            self.product_rows.append(r)
            block.uses.append((r, collocated, len(block.values), 1.0))
            block.values.append(term.expression)
        weights = np.zeros(len(every))
        h = np.diff(mesh.fractions)
        for j, b in enumerate(table.weights):
            np.add.at(weights, np.arange(mesh.intervals) * mesh.steps + j, h * b)
        self.weights[p.name] = weights
        for term in () if shoots else p.integrals:
            r = rows.add(f"{p.where}: integral {term.name!r}", 1, *term.range)
            block.uses.append((np.full(len(every), r[0]), every, len(block.values), weights))
            block.values.append(p.duration * term.expression)
        for term in (c for c in p.costs if not c.at and not shoots):
            block.costs.append((term.name, every, len(block.values), weights * term.weight))
            block.values.append(p.duration * term.expression)
        if not table.starts_collocated:  # inputs at the start are in no equation: they continue those beside them
            later = mesh.index[:2, len(form.states) :]
            if later.shape[1]:
                r = rows.add(f"{p.where}: inputs at the start", later.shape[1])
                rows.term(r, later[0], 1.0)
                rows.term(r, later[1], -1.0)

    def _add_defects(self, mesh: PhaseMesh, block: _BlockParts) -> None:
        """Σ_j A_ij x_j - h Σ_j B_ij T f_j = 0."""
        n, m, h = len(mesh.phase.form.states), mesh.steps, np.diff(mesh.fractions)
        A, B = mesh.table.rows
        r = self._rows.add(f"{mesh.phase.where}: equations of motion", mesh.intervals * m * n)
        r = r.reshape(mesh.intervals, m, n)
        intervals = np.arange(mesh.intervals)
        for i in range(m):
            for j in range(m + 1):
                nodes = intervals * m + j
                if A[i, j]:
                    self._rows.term(r[:, i], mesh.index[nodes][:, :n], A[i, j])
                if B[i, j]:
                    for x in range(n):
                        block.uses.append((r[:, i, x], nodes, x, -h * B[i, j]))

    def _add_shooting(self, mesh: PhaseMesh) -> None:
        """x at the end of each interval is that of Runge-Kutta steps from its start; integrals are summed by them too."""
        p, intervals = mesh.phase, np.arange(mesh.intervals)
        if p.form.rows:
            raise sb.ModelError(f"{p.where}: method='shooting' needs form='explicit'")
        costs = [c for c in p.costs if not c.at]
        integrands = [t.expression for t in (*p.integrals, *costs)]
        later, ends, totals = end_of_interval(p, integrands, mesh.table.shooting_steps)
        block = self._block(mesh, intervals, f"steps of {p.name}")
        n, k = len(p.form.states), len(later)
        block.unknowns += later
        block.index = np.hstack([block.index, mesh.index[1:, n : n + k]])
        block.given_symbols = [FRACTION, WIDTH]
        block.given = np.column_stack([mesh.at[:-1], np.diff(mesh.fractions)])
        r = self._rows.add(f"{p.where}: equations of motion", mesh.intervals * n).reshape(mesh.intervals, n)
        self._rows.term(r, mesh.index[1:, :n], 1.0)
        for j, e in enumerate(ends):
            block.uses.append((r[:, j], intervals, len(block.values), -1.0))
            block.values.append(e)
        for term, e in zip(p.integrals, totals, strict=False):
            r = self._rows.add(f"{p.where}: integral {term.name!r}", 1, *term.range)
            block.uses.append((np.full(mesh.intervals, r[0]), intervals, len(block.values), 1.0))
            block.values.append(e)
        for term, e in zip(costs, totals[len(p.integrals) :], strict=True):
            block.costs.append((term.name, intervals, len(block.values), np.full(mesh.intervals, term.weight)))
            block.values.append(e)

    def _add_ends(self, mesh: PhaseMesh) -> None:
        p = mesh.phase
        for at, node in (("start", 0), ("end", len(mesh.at) - 1)):
            conditions = [c for c in p.conditions if c.at == at]
            costs = [c for c in p.costs if c.at == at]
            if not conditions and not costs:
                continue
            block = self._block(mesh, np.array([node]), f"{at} of {p.name}")
            for c in conditions:
                r = self._rows.add(f"{p.where}: condition {c.name!r} at the {at}", 1, *c.range)
                block.uses.append((r, np.zeros(1, int), len(block.values), 1.0))
                block.values.append(c.expression)
            for c in costs:
                block.costs.append((c.name, np.zeros(1, int), len(block.values), np.full(1, c.weight)))
                block.values.append(c.expression)

    def _add_start_rows(self, mesh: PhaseMesh) -> None:
        """Constraints of the mechanism at the start, as far as they do not hold already."""
        p = mesh.phase
        before = [k for k in self.links if k.after.name == p.name]
        kept = {name for k in before if k.impulses is None for name, _ in k.before.form.start_rows}
        wanted = [(name, e) for name, e in p.form.start_rows if name not in kept]
        wanted = self._independent(mesh, wanted)
        if not wanted:
            return
        block = self._block(mesh, np.array([0]), f"constraints at the start of {p.name}")
        for name, e in wanted:
            r = self._rows.add(f"{p.where}: {name} at the start", 1)
            block.uses.append((r, np.zeros(1, int), len(block.values), 1.0))
            block.values.append(e)

    def _independent(self, mesh: PhaseMesh, rows: Sequence[tuple[str, sb.Expr]]) -> list[tuple[str, sb.Expr]]:
        """CollectedRows that contain free states, each of which solves for one of them; rows of fixed states are checked."""
        if not rows:
            return []
        p = mesh.phase
        numbers = {**p.parameters, **{s: sum(r) / 2 for s, r in self.chosen.items() if np.isfinite(sum(r))}}
        numbers |= dict(zip(p.form.node, p_guess(mesh, 0.0)[0], strict=True)) | {p.equations.t: 0.0}
        free = [s for s in p.form.states if np.ptp(range_at(p, s, "start")) > 0]
        for name, e in rows:
            if set(free).isdisjoint(sb.free_symbols(e)) and abs(value := float(sb.evaluate(e, numbers))) > MISS:
                raise sb.ModelError(
                    f"{p.where}: cannot be entered: at the values given for its start, {name!r} is {value:z.6g} instead of 0; "
                    "leave one of them free"
                )
        if not free:
            return []
        rng = np.random.default_rng(0)  # a generic point: at a guess of zeros many derivatives vanish
        numbers |= {s: numbers[s] + rng.normal() for s in free}
        matrix = sb.jacobian(sb.vector(*(e for _, e in rows)), free)
        J = np.array(sb.evaluate(matrix, numbers), dtype=float).reshape(len(rows), len(free))
        out, basis = [], np.zeros((0, len(free)))
        for row, direction in zip(rows, J, strict=True):
            rest = direction - basis.T @ (basis @ direction)
            if (size := np.linalg.norm(rest)) > START_ROW * max(float(np.linalg.norm(direction)), 1e-300):
                basis = np.vstack([basis, rest / size])
                out.append(row)
        return out

    # ------------------------------------------------------------------------------------------- rows between phases

    def _add_link(self, link: PhaseLink) -> None:
        a, b = self.meshes[link.before.name], self.meshes[link.after.name]
        if not link.closes_cycle:
            r = self._rows.add(f"{link.after.where}: begins when {link.before.name!r} ends", 1)
            for column, factor in (
                (self.begin[b.phase.name], 1.0),
                (self.begin[a.phase.name], -1.0),
                (self.duration[a.phase.name], -1.0),
            ):
                self._rows.term(r, column, factor)
        block = None
        for s, e in link.values.items():
            r = self._rows.add(f"{link.after.where}: {s.name} at the start, after {link.before.name!r}", 1)
            self._rows.term(r, b.index[0, b.place[s]], 1.0)
            if isinstance(e, sb.Symbol) and e in a.place:
                self._rows.term(r, a.index[-1, a.place[e]], -1.0)
                continue
            block = block or self._block(a, np.array([len(a.at) - 1]), f"jump to {link.after.name}")
            block.uses.append((r, np.zeros(1, int), len(block.values), -1.0))
            block.values.append(e)
        if link.impulses is not None:
            self._add_impact(link, a, b)

    def _add_impact(self, link: PhaseLink, a: PhaseMesh, b: PhaseMesh) -> None:
        """M (u⁺ - u⁻) = Jcᵀ Λ, with the constraints of the phase that begins."""
        eq, block = b.phase.equations, self._block(b, np.array([0]), f"impact at the start of {b.phase.name}")
        earlier = [sb.symbol(f"{u.name}_before_impact", "variable") for u in eq.u]
        impulses = [sb.symbol(f"impulse_of_{k}", "variable") for k in range(len(eq.lam))]
        columns = [a.index[-1, a.place[link.earlier[u.name]]] for u in eq.u]
        columns += [self.impulse[b.phase.name, s.name] for s in eq.lam]
        block.unknowns += [*earlier, *impulses]
        block.index = np.hstack([block.index, np.array([columns], np.intp)])
        change = sb.vector(*(u - v for u, v in zip(eq.u, earlier, strict=True)))
        out = eq.M @ change - eq.Jc.T @ sb.vector(*impulses)
        for u, e in zip(eq.u, out.entries, strict=True):
            r = self._rows.add(f"{b.phase.where}: impact, balance of {u.name}", 1)
            block.uses.append((r, np.zeros(1, int), len(block.values), 1.0))
            block.values.append(e)
        for name, (normal, coefficient) in link.cones.items():  # -mu normal <= impulse <= mu normal
            for sign in (1.0, -1.0):
                r = self._rows.add(f"{b.phase.where}: friction of the impulse {name!r}", 1, -np.inf, 0.0)
                self._rows.term(r, self.impulse[b.phase.name, name], sign)
                self._rows.term(r, self.impulse[b.phase.name, normal], -coefficient)

    def _add_repetition(self, repetition: Repetition) -> None:
        a, b = self.meshes[repetition.last.name], self.meshes[repetition.first.name]
        for s, (sign, other) in repetition.pairs.items():
            r = self._rows.add(f"{a.phase.where}: {s.name} at the end is {other.name} at the start", 1)
            self._rows.term(r, a.index[-1, a.place[s]], 1.0)
            self._rows.term(r, b.index[0, b.place[other]], -sign)

    def with_chosen(self, more: Mapping[sb.Symbol, Range]) -> Transcription:
        """The same problem on the same mesh with further parameters among the unknowns."""
        meshes = self.meshes.values()
        fractions = {m.phase.name: m.fractions for m in meshes}
        phases, table = [m.phase for m in meshes], next(iter(meshes)).table
        chosen = {**self.chosen, **more}
        return Transcription(phases, self.links, self.repetitions, chosen, table, fractions, self._functions)

    # ------------------------------------------------------------------------------------------------ the program

    @cached_property
    def program(self) -> SparseProgram:
        rows = self._rows
        low, high = self._bounds()
        r, c, f = (np.concatenate(x) for x in zip(*rows.linear, strict=True))
        linear = coo_array((f, (r, c)), shape=(rows.count, self.n)).tocsr()
        blocks = tuple(self._made(b) for b in self._blocks)
        return SparseProgram(
            blocks, linear, np.concatenate(rows.low), np.concatenate(rows.high), low, high, tuple(rows.groups)
        )

    def _made(self, parts: _BlockParts) -> NodeBlock:
        phase = parts.phase
        known = {**phase.parameters, **self._fixed_times(phase)}
        values = sb.substitute(sb.vector(*parts.values), {phase.equations.t: phase.begin + FRACTION * phase.duration})
        fixed = [p for p in (*phase.equations.p, phase.begin, phase.duration) if p not in parts.unknowns]
        used = set(sb.free_symbols(values))
        fixed = [p for p in fixed if p in used]
        if missing := [p.name for p in fixed if p not in known]:
            raise sb.ModelError(f"{phase.where}: no value for {', '.join(missing)}; give values={{...}} to the phase")
        given = [s for s in parts.given_symbols if s in used]
        columns = [k for k, s in enumerate(parts.given_symbols) if s in used]
        key = (tuple(parts.unknowns), tuple(given), tuple(fixed), tuple(values.entries))
        if key not in self._functions:
            self._functions[key] = NodeFunctions(key[0], given, fixed, values.entries)
        functions = self._functions[key]
        n, size = len(parts.index), len(parts.values)
        uses = [
            tuple(x.ravel() for x in np.broadcast_arrays(r, k * size + v, np.asarray(f, float)))
            for r, k, v, f in parts.uses
        ]
        r, c, f = (np.concatenate(x) for x in zip(*uses, strict=True)) if uses else (np.zeros(0, int),) * 3
        used_rows = coo_array((f, (r, c)), shape=(self._rows.count, n * size)).tocsr()
        cost = np.zeros(n * size)
        for _, k, v, f in parts.costs:
            cost[k * size + v] += f
        numbers = np.array([known[p] for p in fixed], dtype=float)
        given_numbers = np.ascontiguousarray(parts.given[:, columns], dtype=float)
        return NodeBlock(functions, parts.index, given_numbers, numbers, used_rows, cost)

    def _bounds(self) -> tuple[Array, Array]:
        low, high = np.full(self.n, -np.inf), np.full(self.n, np.inf)

        def put(places: Any, pair: Range) -> None:
            low[places], high[places] = pair

        for name, mesh in self.meshes.items():
            for s, j in mesh.place.items():
                put(mesh.index[:, j], range_at(mesh.phase, s, "path"))
                put(mesh.index[0, j], range_at(mesh.phase, s, "start"))
                put(mesh.index[-1, j], range_at(mesh.phase, s, "end"))
            put(self.duration[name], mesh.phase.duration_range)
            if mesh.phase.begin in self._fixed_times(mesh.phase):
                put(self.begin[name], (0.0, 0.0))
        for p, place in self.parameter.items():
            put(place, self.chosen[p])
        for link in self.links:
            for name, pair in (link.impulses or {}).items():
                put(self.impulse[link.after.name, name], pair)
        return low, high

    @cached_property
    def places(self) -> dict[str, Indices]:
        """Where the values of states, inputs and multipliers are among the unknowns, in all phases, by name."""
        out: dict[str, list[Indices]] = {}
        for mesh in self.meshes.values():
            for s, j in mesh.place.items():
                out.setdefault(s.name, []).append(mesh.index[:, j])
        return {name: np.concatenate(parts) for name, parts in out.items()}

    def costs(self, z: Array) -> dict[str, float]:
        """The terms of the cost by name, with their weights; terms of the same name are added up."""
        out: dict[str, float] = {}
        for parts, block in zip(self._blocks, self.program.blocks, strict=True):
            values = block.values(z) if parts.costs else None
            for name, nodes, value, factors in parts.costs:
                part = values[nodes, value] @ factors  # type: ignore[index]
                out[name] = out.get(name, 0.0) + float(part)
        return out

    @cached_property
    def guess(self) -> Array:
        """Unknowns from the guesses of the phases."""
        z, begin = np.zeros(self.n), 0.0
        for name, mesh in self.meshes.items():
            p = mesh.phase
            duration = float(p.guesses[p.duration][0]) if p.duration in p.guesses else _middle(*p.duration_range, 1.0)
            z[mesh.index] = p_guess(mesh, mesh.at)
            z[self.begin[name]], z[self.duration[name]] = begin, duration
            begin += duration
        for s, place in self.parameter.items():
            default = next((m.phase.parameters[s] for m in self.meshes.values() if s in m.phase.parameters), 1.0)
            z[place] = np.clip(default, *self.chosen[s])
        return z


def beside(made: Transcription, z: Array) -> Array:
    """A point near z, away from it in all directions at random, within the bounds."""
    rng, size = np.random.default_rng(0), BESIDE * (1 + np.abs(z))
    return np.clip(z + size * rng.uniform(-1, 1, len(z)), made.program.low, made.program.high)


def p_guess(mesh: PhaseMesh, at: Any) -> Array:
    """Guesses of the unknowns of nodes at some fractions of the duration, one row for each."""
    p, s = mesh.phase, np.atleast_1d(at)
    out = np.zeros((len(s), mesh.width))
    for symbol, j in mesh.place.items():
        if symbol in p.guesses:
            given = p.guesses[symbol]
            out[:, j] = np.interp(s, np.linspace(0, 1, len(given)), given) if len(given) > 1 else given[0]
            continue
        a, b = range_at(p, symbol, "start"), range_at(p, symbol, "end")
        first, last = (_middle(*x, None) for x in (a, b))
        first = last if first is None else first
        last = first if last is None else last
        if first is not None and last is not None:
            out[:, j] = first + (last - first) * s
    return out


def _middle(low: float, high: float, otherwise: Any) -> Any:
    """A value in a range: its middle, or the finite end of it that is nearest to zero."""
    if np.isfinite(low) and np.isfinite(high):
        return (low + high) / 2
    if np.isfinite(low) or np.isfinite(high):
        end = low if np.isfinite(low) else high
        return end if otherwise is None else max(end, otherwise) if np.isfinite(low) else min(end, otherwise)
    return otherwise
