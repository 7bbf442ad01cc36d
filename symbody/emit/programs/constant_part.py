"""Values that do not change from state to state, computed once for all of them.

Where parameters (or time, or inputs) are the same for all states of a batch, every value that depends on nothing else
is an input of the loop over states.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from ...algebra.graph.graph import symbols
from ...algebra.printing.target_names import UniqueNames
from .instruction_order import depth_first
from .program import Group, Instruction, Output, Program

MIN_SHARE: Final = 0.2  # share of the work: less is not worth a program of its own
_FREE: Final = frozenset(("const", "input", "item"))
_WORK: Final = {
    "neg": 1,
    "add": 1,
    "sub": 1,
    "mul": 1,
    "div": 4,
}  # cost of an operation, in additions; others are functions
_FUNCTION: Final = 15
_STAYING: Final = frozenset(
    "factor solve tree lt le eq and or not true call".split()
)  # no number; or a user's function


def without_constant_part(p: Program, constant: Collection[int]) -> tuple[Program, Program] | None:
    """The values that depend on these groups of inputs alone, and the program with them as one more group; None where
    they are little work."""
    is_constant = _constants(p, constant)
    found = [k for k, i in enumerate(p.code) if is_constant[k] and i.op not in ("const", "input", "sincos")]
    used = {a for k, i in enumerate(p.code) if not is_constant[k] for a in i.args}
    used |= {v for o in p.outputs for v in o.values}
    handed = [k for k in found if k in used]
    work = sum(_work(i) for k, i in enumerate(p.code) if is_constant[k])
    if not handed or work < MIN_SHARE * sum(map(_work, p.code)):
        return None
    name = UniqueNames({g.name for g in p.inputs}.__contains__).new("constant_part")
    return _first_part(p, sorted(constant), name, handed), _rest(p, name, handed)


def _constants(p: Program, constant: Collection[int]) -> list[bool]:
    out: list[bool] = []
    for i in p.code:
        if i.op == "input":
            out.append(i.data[0] in constant)
        else:
            out.append(i.op not in _STAYING and all(out[a] for a in i.args))
    return out


def _work(i: Instruction) -> int:
    """About so many additions."""
    return 0 if i.op in _FREE else _WORK.get(i.op, _FUNCTION)


def _first_part(p: Program, constant: Sequence[int], name: str, handed: Sequence[int]) -> Program:
    place = {g: at for at, g in enumerate(constant)}
    code = [
        i._replace(data=(place[i.data[0]], i.data[1])) if i.op == "input" and i.data[0] in place else i for i in p.code
    ]
    out = Output(name, (len(handed),), tuple(handed), tuple((k,) for k in range(len(handed))))
    return _program_without_unused(f"{p.name}_{name}", [p.inputs[g] for g in constant], [out], code)


def _rest(p: Program, name: str, handed: Sequence[int]) -> Program:
    code = list(p.code)
    for at, k in enumerate(handed):
        code[k] = Instruction("input", (), (len(p.inputs), at))
    more = Group(name, tuple(symbols([f"{name}_{k}" for k in range(len(handed))])))
    return _program_without_unused(p.name, [*p.inputs, more], p.outputs, code)


def _program_without_unused(
    name: str, groups: Iterable[Group], outputs: Iterable[Output], code: Sequence[Instruction]
) -> Program:
    made = tuple(outputs)
    order = depth_first((v for o in made for v in o.values), {k: i.args for k, i in enumerate(code)})
    number = {k: at for at, k in enumerate(order)}
    kept = tuple(code[k].of(tuple(number[a] for a in code[k].args)) for k in order)
    return Program(
        name, tuple(groups), tuple(replace(o, values=tuple(number[v] for v in o.values)) for o in made), kept
    )
