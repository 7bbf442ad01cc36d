"""Fragments of several sweeps from the expressions of one link: what a sweep computes and a later one uses is kept.

Stage by stage more inputs are known. An expression is computed in the first stage that knows all its symbols; where a
later stage needs it, it is passed on through memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..graph.graph import Expr, Node, Symbol, symbol
from ..graph.sweeps import Fragment
from ..graph.walk import evaluation_order, with_arguments

KEPT: Final = "kept_{}_{}"  # names of what a stage passes on


@dataclass(frozen=True)
class SweepStage:
    """One sweep: groups of symbols that are known from here on, and what it gives, group by group.

    adds   of each output: whether it is added to what is there
    """

    inputs: tuple[tuple[Symbol, ...], ...]
    outputs: tuple[tuple[Expr, ...], ...]
    adds: tuple[bool, ...]


@dataclass(frozen=True)
class StagedFragment:
    """A fragment, and where its groups come from.

    inputs   of each input: stage and number of the group; number -1 is what that stage keeps
    keeps    how many numbers it passes on, as its last output where there are any
    """

    fragment: Fragment
    inputs: tuple[tuple[int, int], ...]
    keeps: int


def staged_fragments(stages: Sequence[SweepStage], kept_name: str = KEPT) -> list[StagedFragment]:
    """A fragment for each stage. `kept_name` is that of symbols for what is passed on, by stage and number."""
    level = _levels(stages)
    kept = _kept_nodes(stages, level, kept_name)
    return [_fragment(stages, s, level, kept) for s in range(len(stages))]


def _levels(stages: Sequence[SweepStage]) -> dict[Node, int]:
    """The stage in which each node can be computed; -1 for numbers."""
    known = {x: s for s, stage in enumerate(stages) for g in stage.inputs for x in g}
    level: dict[Node, int] = {}
    for n in evaluation_order([e for stage in stages for g in stage.outputs for e in g]):
        level[n] = known[n] if isinstance(n, Symbol) else max((level[a] for a in n.args), default=-1)
    return level


def _is_passed(n: Node, level: dict[Node, int], s: int) -> bool:
    """Whether stage s takes a node from an earlier one; conditions are made again, since memory holds numbers."""
    return 0 <= level[n] < s and isinstance(n, Expr) and not isinstance(n, Symbol)


def _kept_nodes(stages: Sequence[SweepStage], level: dict[Node, int], name: str) -> list[dict[Node, Symbol]]:
    """By stage the nodes that later ones need, with the symbols that stand for them there."""
    kept: list[dict[Node, Symbol]] = [{} for _ in stages]
    for s in reversed(range(len(stages))):
        roots = [*(e for g in stages[s].outputs for e in g), *kept[s]]
        for n in _nodes_of_stage(roots, level, s):
            for a in (n,) if _is_passed(n, level, s) else n.args:
                if _is_passed(a, level, s):
                    own = kept[level[a]]
                    own.setdefault(a, symbol(name.format(level[a], len(own)), "material"))
    return kept


def _nodes_of_stage(roots: Sequence[Node], level: dict[Node, int], s: int) -> list[Node]:
    """Nodes of a stage: from its roots down to what is passed to it."""
    seen, stack = set(roots), list(roots)
    while stack:
        n = stack.pop()
        if not _is_passed(n, level, s):
            fresh = [a for a in n.args if a not in seen]
            seen.update(fresh)
            stack.extend(fresh)
    return sorted(seen, key=lambda n: n.serial)


def _fragment(
    stages: Sequence[SweepStage], s: int, level: dict[Node, int], kept: list[dict[Node, Symbol]]
) -> StagedFragment:
    groups = [*stages[s].outputs, *([tuple(kept[s])] if kept[s] else [])]
    new: dict[Node, Any] = {}
    used: set[Node] = set()
    for n in _nodes_of_stage([e for g in groups for e in g], level, s):
        if _is_passed(n, level, s):
            new[n] = kept[level[n]][n]
            used.add(new[n])
        elif isinstance(n, Symbol):
            new[n] = n
            used.add(n)
        else:
            args = tuple(new[a] for a in n.args)
            new[n] = n if args == n.args else with_arguments(n, args)
    sources = {(k, g): group for k in range(s + 1) for g, group in enumerate(stages[k].inputs)}
    sources |= {(k, -1): tuple(kept[k].values()) for k in range(s)}
    inputs = {place: group for place, group in sources.items() if not used.isdisjoint(group)}
    outputs = tuple(tuple(new[e] for e in g) for g in groups)
    adds = (*stages[s].adds, *([False] if kept[s] else []))
    return StagedFragment(Fragment(tuple(inputs.values()), outputs, adds), tuple(inputs), len(kept[s]))
