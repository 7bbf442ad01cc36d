"""An order of a program's instructions in which fewer values wait at one time: for machines where those live in
registers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .instruction_order import depth_first
from .program import Instruction, Program


def values_alive(program: Program) -> int:
    """The most values that are needed at one time, in the order in which the program computes them."""
    last = program.last_uses()
    ends = [0] * (len(last) + 1)
    alive = most = 0
    for k, i in enumerate(program.code):
        if i.op not in ("const", "true", "sincos", "factor", "solve"):
            alive += 1
            ends[last[k]] += 1
        most = max(most, alive)
        alive -= ends[k]
    return most


def with_fewer_alive(program: Program) -> Program:
    """The program, or the same with arguments that take more registers computed before those that take fewer (Sethi and
    Ullman 1970, for trees), whichever has fewer values alive."""
    code = program.code
    needed = _registers(code)
    arguments = {k: tuple(sorted(i.args, key=lambda a: -needed[a])) for k, i in enumerate(code)}
    order = depth_first([v for o in program.outputs for v in o.values], arguments)
    number = {v: k for k, v in enumerate(order)}
    made = replace(
        program,
        code=tuple(code[v]._replace(args=tuple(number[a] for a in code[v].args)) for v in order),
        outputs=tuple(replace(o, values=tuple(number[v] for v in o.values)) for o in program.outputs),
        labels={number[k]: name for k, name in program.labels.items()},
    )
    return min(program, made, key=values_alive)


def _registers(code: Sequence[Instruction]) -> list[int]:
    """Registers that each value takes, as if nothing were shared."""
    needed: list[int] = []
    for i in code:
        of_arguments = sorted(_of({*i.args}, needed), reverse=True)
        most = max((n + k for k, n in enumerate(of_arguments)), default=1)
        needed.append(0 if i.op in ("const", "true") else most)
    return needed


def _of(values: Iterable[int], needed: Sequence[int]) -> list[int]:
    return [needed[v] for v in values if needed[v]]
