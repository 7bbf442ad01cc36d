"""What does not change from state to state, computed once for all of them.

Where parameters (or time, or inputs) are the same for all states of a batch, every value that depends on nothing else is an input of the loop over states.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from ...algebra.graph import symbols
from .instruction_order import depth_first
from .program import Group, Instruction, Output, Program

LEAST_PART: Final = 0.05  # of the operations: for less it is not worth a program of its own
_STAYING: Final = frozenset(
    "factor solve tree lt le eq and or not true call".split()
)  # no numbers; or a user's function


def without_constant_part(p: Program, constant: Collection[int]) -> tuple[Program, Program] | None:
    """The values that depend on these groups of inputs alone, and the program with them as one more group; None where there are hardly any."""
    is_constant = _constants(p, constant)
    found = [k for k, i in enumerate(p.code) if is_constant[k] and i.op not in ("const", "input", "sincos")]
    used = {a for k, i in enumerate(p.code) if not is_constant[k] for a in i.args} | {
        v for o in p.outputs for v in o.values
    }
    handed = [k for k in found if k in used]
    if not handed or len(found) < LEAST_PART * p.cost.total:
        return None
    groups = [p.inputs[g] for g in sorted(constant)]
    place = {g: at for at, g in enumerate(sorted(constant))}
    first = [
        i._replace(data=(place[i.data[0]], i.data[1])) if i.op == "input" and i.data[0] in place else i for i in p.code
    ]
    name = next(
        n for n in ("constant_part", "constant_part_", "constant_part__") if n not in {g.name for g in p.inputs}
    )
    everything = Output(name, (len(handed),), tuple(handed), tuple((k,) for k in range(len(handed))))
    rest = list(p.code)
    for at, k in enumerate(handed):
        rest[k] = Instruction("input", (), (len(p.inputs), at))
    more = Group(name, tuple(symbols([f"{name}_{k}" for k in range(len(handed))])))
    return _needed(f"{p.name}_constant_part", groups, [everything], first), _needed(
        p.name, [*p.inputs, more], p.outputs, rest
    )


def _constants(p: Program, constant: Collection[int]) -> list[bool]:
    out: list[bool] = []
    for i in p.code:
        if i.op == "input":
            out.append(i.data[0] in constant)
        else:
            out.append(i.op not in _STAYING and all(out[a] for a in i.args))
    return out


def _needed(name: str, groups: Sequence[Group], outputs: Sequence[Output], code: Sequence[Instruction]) -> Program:
    order = depth_first((v for o in outputs for v in o.values), {k: i.args for k, i in enumerate(code)})
    number = {k: at for at, k in enumerate(order)}
    kept = tuple(code[k]._replace(args=tuple(number[a] for a in code[k].args)) for k in order)
    made = [
        Output(o.name, o.shape, tuple(number[v] for v in o.values), o.nonzeros, o.is_symmetric, o.is_sparse)
        for o in outputs
    ]
    return Program(name, tuple(groups), tuple(made), kept)
