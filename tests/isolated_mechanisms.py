"""Random mechanisms that nothing outside acts on and no load takes energy from: they keep energy, momentum and angular
momentum, and retrace their motion when time runs backwards.

isolated_tree(seed)   a free body and what hangs on it, with springs inside
isolated_loop(seed)   two chains of bodies on a free body, closed by a joint; all coordinates are lengths and angles, whose
                      rates are the speeds, as variational steps need them
"""

from __future__ import annotations

from typing import Any

from tests.mechanisms import CLOSINGS, ROWS, TREE_KINDS, Draw, Sample, add_body, chain, chosen_coordinates, close, grow

HINGES = ("revolute_any", "prismatic_any")
INNER_KINDS = tuple(k for k in TREE_KINDS if k not in ("driven", "vectors", "free", "free_e", "fixed"))


def isolated_tree(seed: int) -> Sample:
    how = {"sequence": "euler parameters"} if seed % 2 else {}
    d = floating_base(seed, f"isolated tree {seed}", **how)
    grow(d, 1 + seed % 2, d.bodies[0], INNER_KINDS, lambda d: {"stiffness": d.number(1, 5)})
    add_springs(d)
    return Sample(d.model.freeze(), chosen_coordinates(d))


def isolated_loop(seed: int) -> Sample:
    d = floating_base(seed, f"isolated loop {seed}")
    kind = CLOSINGS[seed % len(CLOSINGS)]
    rows = ROWS[kind]
    first, second = (
        chain(d, name, d.bodies[0], freedoms, no_loads, HINGES)
        for name, freedoms in (("a", rows // 2 + 1), ("c", rows - rows // 2))
    )
    start = chosen_coordinates(d)
    close(d, kind, "closing", second, first, start)
    add_springs(d)
    return Sample(d.model.freeze(), start)


def no_loads(d: Draw) -> dict[str, Any]:
    return {}


def floating_base(seed: int, name: str, **how: Any) -> Draw:
    d = Draw(seed, name, seed % 2 == 0)
    base, _ = add_body(d, "base", True)
    d.model.free("f", d.model.ground, base, **how)
    d.bodies.append(base)
    return d


def add_springs(d: Draw) -> None:
    """Between the base and others, without damping."""
    for k, body in enumerate(d.bodies[1:]):
        ends = d.bodies[0].point(*d.place()), body.point(*d.place())
        d.model.spring(f"s{k}", *ends, stiffness=d.number(1, 9), rest=d.number(0.1, 0.3))
