"""[M Jᵀ; J 0] of parts and groups of rows between them, eliminated block by block as steps of a schedule: the order and all
places are known before numbers are.

With M_k of part k and J_ik of group i in it, the parts are eliminated first, which leaves S = -J M⁻¹ Jᵀ:

    S_ij ← S_ij - J_ik M_k⁻¹ J_jkᵀ
    b_i ← b_i - J_ik M_k⁻¹ b_k,   and at the end   x_k = M_k⁻¹ (b_k - Σ J_ikᵀ x_i)

and then the blocks k of S in the order of `block_order.py`, with F_k the factors of a diagonal block when its turn comes, and
i, j the blocks after k that are coupled with it by then:

    W_ik = S_ik F_k⁻¹,   S_ij ← S_ij - S_ik W_jkᵀ                      factors
    b_i ← b_i - W_ik b_k,   then   x_k = F_k⁻¹ b_k - Σ W_ikᵀ x_i       solutions

No pivots are chosen. A guarded elimination has no values where a pivot of S is noise beside its trace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement
from typing import Any, Final, NamedTuple

from ..elimination.block_order import BlockOrder
from ..graph.cache_owner import CacheOwner
from ..graph.graph import Expr
from ..graph.sweeps import Fragment, NewSteps
from . import block_fragments as fragments
from .block_fragments import Known

AT_ONCE: Final = 6  # groups of one part in one step


class StepMemory:
    """Places in the memory of a schedule, and its steps: the first step that writes to a group replaces what is there, later ones
    add."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.steps = NewSteps()
        self.written: set[int] = set()

    def take(self, n: int) -> int:
        """Places for n numbers."""
        self.size += n
        return self.size - n

    def add(self, fragment: Fragment, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """A step; outputs that were written before are added to."""
        adds = tuple([at in self.written for at in outputs])
        if True in adds:
            fragment = fragment.cached("adding", adds, lambda: Fragment(fragment.inputs, fragment.outputs, adds))
        self.written.update(outputs)
        self.steps.add(fragment, (*inputs, *outputs))


class Entries(NamedTuple):
    """A matrix in the memory: its place, and those of its entries that are numbers."""

    at: int
    known: Known


def entries_at(at: int, expressions: Sequence[Expr]) -> Entries:
    """Those of some expressions that are stored from a place on."""
    return Entries(at, tuple([e if e.op == "const" else None for e in expressions]))


class BlockElimination(CacheOwner):
    """The elimination of parts, and of groups of rows.

    parts    unknowns of each part
    rows     of each group
    within   of each group the parts in which it has entries
    """

    def __init__(self, parts: Sequence[int], rows: Sequence[int], within: Sequence[Sequence[int]]) -> None:
        self.parts, self.rows = parts, rows
        touched: list[list[int]] = [[] for _ in parts]
        for g, owners in enumerate(within):
            for k in owners:
                touched[k].append(g)
        near: list[set[int]] = [set() for _ in rows]
        for groups in touched:
            for g in groups:
                near[g].update(groups)
        for g, others in enumerate(near):
            others.discard(g)
        self.blocks = BlockOrder(rows, near)
        self.touched = [_chunks(self.blocks.in_turn(groups)) for groups in touched]

    def factor(
        self, m: StepMemory, own: Sequence[Entries], coupling: dict[tuple[int, int], Entries], is_guarded: bool
    ) -> BlockFactors:
        """Steps of the factors; `own` are those of M of each part, and `coupling` J by group and part."""
        out = BlockFactors(self, m, own, coupling)
        out.eliminate_parts()
        out.eliminate_blocks(is_guarded)
        return out


def _chunks(groups: Sequence[int]) -> list[list[int]]:
    return [list(groups[k : k + AT_ONCE]) for k in range(0, len(groups), AT_ONCE)] or [[]]


class BlockFactors:
    """Places of the factors: F_k, and W_ik."""

    def __init__(
        self,
        elimination: BlockElimination,
        m: StepMemory,
        of_parts: Sequence[Entries],
        coupling: dict[tuple[int, int], Entries],
    ) -> None:
        self.elimination, self.blocks, self.memory = elimination, elimination.blocks, m
        self.of_parts, self.coupling = of_parts, coupling
        self.diagonal: dict[int, int] = {}  # upper triangles, by rows
        self.beside: dict[tuple[int, int], int] = {}  # of a later and an earlier block, by rows of the later
        self.own: dict[int, int] = {}
        self.weights: dict[tuple[int, int], int] = {}

    def _made(self, fragment: Callable[..., Fragment], *key: Any) -> Fragment:
        """A fragment of parts, made once."""
        return self.elimination.cached(fragment.__name__, key, lambda: fragment(*key))

    # ---------------------------------------------------------------------------------------------------- factors

    def eliminate_parts(self) -> None:
        """What the parts leave of the blocks."""
        e, blocks, m = self.elimination, self.blocks, self.memory
        for k, chunks in enumerate(e.touched):
            for one, other in combinations_with_replacement(chunks, 2):
                groups = one if one is other else [*one, *other]
                pairs = combinations_with_replacement(one, 2) if one is other else [(g, h) for g in one for h in other]
                kinds, places = [], list[int]()
                for g, h in pairs:
                    is_within = blocks.block[g] == blocks.block[h]
                    kinds.append((groups.index(g), groups.index(h), is_within or e.rows[g] == e.rows[h] == 1))
                    places += self._rows_of(g, h)
                if groups:
                    J = [self.coupling[g, k] for g in groups]
                    key = tuple((e.rows[g], x.known) for g, x in zip(groups, J, strict=True))
                    made = self._made(
                        fragments.complement, e.parts[k], self.of_parts[k].known, key, tuple(kinds), blocks.is_joined
                    )
                    m.add(made, [self.of_parts[k].at, *(x.at for x in J)], places)

    def _rows_of(self, g: int, h: int) -> list[int]:
        """Places of the rows of what two groups have in common, the first being eliminated first or with the other; one place
        where they fill a block."""
        blocks, rows = self.blocks, self.elimination.rows
        first, second = blocks.block[g], blocks.block[h]
        if first == second:
            at, n = self._diagonal(first), blocks.sizes[first]
            if not blocks.is_joined:
                return [at]
            out = []
            for i in range(blocks.offset[g], blocks.offset[g] + rows[g]):
                out.append(at + i * n - i * (i - 1) // 2 + max(blocks.offset[h], i) - i)
        else:
            at = self._beside(second, first)
            if not blocks.is_joined:
                return [at]
            first_row, n = blocks.offset[h], blocks.sizes[first]
            out = [at + (first_row + i) * n + blocks.offset[g] for i in range(rows[h])]
        self.memory.written.update(out)
        return out

    def _diagonal(self, b: int) -> int:
        if b not in self.diagonal:
            n = self.blocks.sizes[b]
            at = self.diagonal[b] = self.memory.take(n * (n + 1) // 2)
            if self.blocks.is_joined:
                self.memory.add(fragments.unit_rows(n, self.blocks.used[b]), [], [at])
        return self.diagonal[b]

    def _beside(self, later: int, earlier: int) -> int:
        if (later, earlier) not in self.beside:
            n = self.blocks.sizes[later] * self.blocks.sizes[earlier]
            at = self.beside[later, earlier] = self.memory.take(n)
            if self.blocks.is_joined:
                self.memory.add(fragments.zeros(n), [], [at])
        return self.beside[later, earlier]

    def eliminate_blocks(self, is_guarded: bool) -> None:
        """Factors of the blocks, one after the other."""
        blocks, m = self.blocks, self.memory
        sizes = blocks.sizes
        places = [self._diagonal(b) for b in range(len(sizes))]
        trace = m.take(1)
        for b, at in enumerate(places if is_guarded else ()):
            m.add(fragments.trace(sizes[b], blocks.used[b]), [at], [trace])
        for k in blocks.order:
            n, below = sizes[k], blocks.below[k]
            self.own[k] = m.take(n * n)
            if is_guarded:
                m.add(fragments.guarded_factor(n, blocks.used[k]), [places[k], trace], [self.own[k]])
            else:
                m.add(fragments.factor(n), [places[k]], [self.own[k]])
            for i in below:
                self.weights[i, k] = m.take(sizes[i] * n)
                m.add(fragments.weights(sizes[i], n), [self.beside[i, k], self.own[k]], [self.weights[i, k]])
            for at, j in enumerate(below):
                m.add(fragments.own_update(sizes[j], n), [self.beside[j, k], self.weights[j, k]], [places[j]])
                for i in below[at + 1 :]:
                    if (i, j) not in self.beside:
                        self.beside[i, j] = m.take(sizes[i] * sizes[j])
                    made = fragments.update(sizes[i], sizes[j], n)
                    m.add(made, [self.beside[i, k], self.weights[j, k]], [self.beside[i, j]])

    # ------------------------------------------------------------------------------------------------------ solutions

    def solve(self, of_parts: Sequence[int] | None, right: int, solutions: Sequence[Sequence[int]]) -> int:
        """Steps of the solution; the first place of that of the rows, which stand in the places of `block_order.py`.

        of_parts    places of the right sides of the parts, which are overwritten; None if these are zero
        right       first place of the right sides of the rows, which are overwritten
        solutions   of each part the places of its solution, one by one
        """
        m, blocks = self.memory, self.blocks
        if blocks.is_joined:
            for b, used in enumerate(blocks.used):
                if used < blocks.sizes[b]:
                    m.add(fragments.zeros(blocks.sizes[b] - used), [], [right + blocks.starts[b] + used])
        if of_parts is not None:
            self._push_parts(of_parts, right)
        found = m.take(blocks.starts[-1])
        sizes, at = blocks.sizes, blocks.starts
        for k in blocks.order:
            for i in blocks.below[k]:
                m.add(fragments.push(sizes[i], sizes[k]), [self.weights[i, k], right + at[k]], [right + at[i]])
        for k in reversed(blocks.order):
            m.add(fragments.solution(sizes[k]), [self.own[k], right + at[k]], [found + at[k]])
            for i in blocks.below[k]:
                m.add(fragments.pull(sizes[i], sizes[k]), [self.weights[i, k], found + at[i]], [found + at[k]])
        self._solve_parts(of_parts, found, solutions)
        return found

    def _groups(self, k: int, groups: Sequence[int]) -> tuple[fragments.Couplings, list[int]]:
        """J of some groups in a part: sizes with known entries, and places."""
        J = [self.coupling[g, k] for g in groups]
        rows = self.elimination.rows
        return tuple((rows[g], x.known) for g, x in zip(groups, J, strict=True)), [x.at for x in J]

    def _push_parts(self, of_parts: Sequence[int], right: int) -> None:
        e, m = self.elimination, self.memory
        for k, chunks in enumerate(e.touched):
            for groups in chunks if chunks[0] else ():
                kinds, places = self._groups(k, groups)
                made = self._made(fragments.push_part, e.parts[k], self.of_parts[k].known, kinds)
                outputs = [right + self.blocks.place(g) for g in groups]
                m.add(made, [self.of_parts[k].at, of_parts[k], *places], outputs)

    def _solve_parts(self, of_parts: Sequence[int] | None, found: int, solutions: Sequence[Sequence[int]]) -> None:
        e, m = self.elimination, self.memory
        for k, chunks in enumerate(e.touched):
            n, known = e.parts[k], self.of_parts[k].known
            right = None if of_parts is None else of_parts[k]
            if right is None and len(chunks) > 1:
                right = m.take(n)
            for groups in chunks[:-1]:
                kinds, places = self._groups(k, groups)
                rows = [found + self.blocks.place(g) for g in groups]
                assert right is not None
                m.add(self._made(fragments.pull_part, n, kinds), [*places, *rows], [right])
            kinds, places = self._groups(k, chunks[-1])
            rows = [found + self.blocks.place(g) for g in chunks[-1]]
            made = self._made(fragments.part_solution, n, known, kinds, right is not None)
            m.add(made, [self.of_parts[k].at, *([] if right is None else [right]), *places, *rows], solutions[k])
