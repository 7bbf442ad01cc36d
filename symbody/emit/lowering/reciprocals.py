"""Reciprocals that are used once:  x (1/d)  becomes  x / d. Pivots of a linear system are used once if there is
one right side and they come last."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ..programs.instruction_order import depth_first
from ..programs.program import Instruction, Program

ONE = Instruction("const", (), 1.0)


def without_single_reciprocals(p: Program) -> Program:
    """The same program with fewer multiplications; itself if there is nothing to do."""
    uses = Counter(a for i in p.code for a in i.args)
    uses.update(v for o in p.outputs for v in o.values)
    code = list(p.code)
    for k, i in enumerate(p.code):
        if i.op == "mul":
            for x, r in (i.args, i.args[::-1]):
                if p.code[r].op == "div" and uses[r] == 1 and p.code[p.code[r].args[0]] == ONE and r not in p.labels:
                    code[k] = Instruction("div", (x, p.code[r].args[1]))
                    break
    if code == list(p.code):
        return p
    order = depth_first((v for o in p.outputs for v in o.values), {k: i.args for k, i in enumerate(code)})
    number = {k: at for at, k in enumerate(order)}
    return replace(
        p,
        code=tuple(code[k].of(tuple(number[a] for a in code[k].args)) for k in order),
        outputs=tuple(replace(o, values=tuple(number[v] for v in o.values)) for o in p.outputs),
        labels={number[k]: label for k, label in p.labels.items() if k in number},
    )
