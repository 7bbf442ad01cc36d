"""An order of a program's instructions in which fewer values wait at one time: for machines where those live in
registers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush
from typing import Final

from ..programs.instruction_order import depth_first
from ..programs.program import Instruction, Program

_WITHOUT_REGISTER: Final = ("const", "true", "sincos", "factor", "solve", "sweeps")


def values_alive(program: Program) -> int:
    """The most values that are needed at one time, in the order in which the program computes them."""
    last = program.last_uses()
    ends = [0] * (len(last) + 1)
    alive = most = 0
    for k, i in enumerate(program.code):
        if i.op not in _WITHOUT_REGISTER:
            alive += 1
            ends[last[k]] += 1
        most = max(most, alive)
        alive -= ends[k]
    return most


def with_fewer_alive(program: Program) -> Program:
    """The program, or the same in another order, whichever has fewest values alive: arguments that take more registers
    before those that take fewer (Sethi and Ullman 1970, for trees), or made from its end to its beginning."""
    code = program.code
    needed = _registers(code)
    arguments = {k: tuple(sorted(i.args, key=lambda a: -needed[a])) for k, i in enumerate(code)}
    from_the_deepest = depth_first([v for o in program.outputs for v in o.values], arguments)
    orders = (from_the_deepest, _from_the_end(program))
    return min(program, *(_in_order(program, order) for order in orders), key=values_alive)


def _in_order(program: Program, order: Sequence[int]) -> Program:
    code, number = program.code, {v: k for k, v in enumerate(order)}
    return replace(
        program,
        code=tuple(code[v].of(tuple(number[a] for a in code[v].args)) for v in order),
        outputs=tuple(replace(o, values=tuple(number[v] for v in o.values)) for o in program.outputs),
        labels={number[k]: name for k, name in program.labels.items()},
    )


def _from_the_end(program: Program) -> list[int]:
    """Instructions in the reverse order of a choice among those whose results have all been requested: the one that
    needs the fewest values that are not needed yet; of several, the one that has waited longest."""
    code = program.code
    users: list[list[int]] = [[] for _ in code]
    for k, i in enumerate(code):
        for a in {*i.args}:
            users[a].append(k)
    outputs = {v for o in program.outputs for v in o.values}
    left = [len(u) for u in users]
    asked, done = [False] * len(code), [False] * len(code)
    more = [sum(code[a].op not in _WITHOUT_REGISTER for a in {*i.args}) for i in code]  # values not yet asked for
    ready = [(more[k], 0, k) for k in sorted(outputs) if not left[k]]
    heapify(ready)
    order: list[int] = []
    while ready:
        asks, _, k = heappop(ready)
        if done[k] or asks != more[k]:
            continue  # it has been taken, or stands further in front
        done[k] = True
        order.append(k)
        for a in sorted({*code[k].args}):
            left[a] -= 1
            if not asked[a] and code[a].op not in _WITHOUT_REGISTER:
                asked[a] = True
                for u in users[a]:
                    more[u] -= 1
                    if not left[u] and not done[u]:
                        heappush(ready, (more[u], len(order), u))
            if not left[a]:
                heappush(ready, (more[a], len(order), a))
    return order[::-1]


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
