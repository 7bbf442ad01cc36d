"""Sums with products as one operation with one rounding, for processors that have it.

    fma: a b + c      fms: a b - c      fnma: c - a b

Machine code uses them; other targets are written from programs without.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ..programs.program import Instruction, Program


def with_fused_products(p: Program) -> Program:
    """The same program, with products that are used once, in a sum or difference, computed together with that. Of two
    such products the first one is."""
    fused = _fused_products(p)
    if not fused:
        return p
    absorbed = set(fused.values())
    number: dict[int, int] = {}
    code: list[Instruction] = []
    for k, i in enumerate(p.code):
        if k in absorbed:
            continue
        made = _together(p.code, i, fused[k]) if k in fused else i
        number[k] = len(code)
        code.append(made.of(tuple(number[a] for a in made.args)))
    outputs = tuple(replace(o, values=tuple(number[v] for v in o.values)) for o in p.outputs)
    return replace(p, code=tuple(code), outputs=outputs, labels={})


def _fused_products(p: Program) -> dict[int, int]:
    """For each sum or difference the product that becomes part of it."""
    code, uses = p.code, Counter(a for i in p.code for a in i.args)
    uses.update(v for o in p.outputs for v in o.values)
    out = {}
    for k, i in enumerate(code):
        if i.op in ("add", "sub"):
            product = next((a for a in i.args if code[a].op == "mul" and uses[a] == 1), None)
            if product is not None:
                out[k] = product
    return out


def _together(code: tuple[Instruction, ...], i: Instruction, product: int) -> Instruction:
    is_first = i.args[0] == product
    op = "fma" if i.op == "add" else "fms" if is_first else "fnma"
    return Instruction(op, (*code[product].args, i.args[1] if is_first else i.args[0]))
