"""The text of `__call__` of a compiled program.

`f(q, u)` is called in the innermost loops of users' programs. Its `__call__` is written out for the shape of one program, so
that between Python and machine code there is nothing but copying the arguments in and the results out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...algebra.printing.target_names import UniqueNames, is_python_reserved
from ...errors import ProgramError, listed, shown
from ..programs.program import Output, Program

MISSING: Final = object()  # stands for an argument that was not given


def call_text(program: Program, empty: tuple[str, ...] = ()) -> str:
    arguments, copies, at = _argument_names(program), list[str](), 0
    for name, g in zip(arguments, program.inputs, strict=True):
        if g.is_scalar:
            copies.append(f"        input__[{at}] = {name}")
        elif len(g):
            copies += [
                f"        if len({name}) != {len(g)}: raise ValueError",
                f"        input__[{at}:{at + len(g)}] = {name}",
            ]
        at += len(g)
    results, at = [], 0
    for o in program.outputs:
        shape = output_shape(o)
        part = f"output__[{at}:{at + len(o.values)}]" if len(program.outputs) > 1 else "output__"
        results.append(
            f"float(output__[{at}])" if shape == () else f"{part}.reshape{shape}" if len(shape) > 1 else part
        )
        at += len(o.values)
    names = "".join(f"{n}, " for n in arguments)
    given = names + "".join(f"*([{n}] if len({n}) else []), " for n in empty)
    needed = len(arguments)
    while needed > 1 and not program.inputs[needed - 1].is_scalar and not len(program.inputs[needed - 1]):
        needed -= 1  # parameters that there are not may be left out
    defaults = ["missing__"] * needed + ["()"] * (len(arguments) - needed + len(empty))
    signature = "".join(f", {n}={d}" for n, d in zip((*arguments, *empty), defaults, strict=True)) + ", *more__"
    last = arguments[needed - 1 : needed]
    is_wrong = " or ".join([*(f"{n} is missing__" for n in last), *(f"len({n})" for n in empty), "more__"])
    return "\n".join(
        [
            f"def __call__(self__{signature}):",
            f"    if {is_wrong}: explain__(self__.program, ({given}*more__,))",
            "    try: buffers__ = self__._local.buffers",
            "    except AttributeError: buffers__ = self__.buffers()",
            "    input__ = buffers__.input",
            "    try:",
            *copies,
            "        pass",
            f"    except (TypeError, ValueError, OverflowError): explain__(self__.program, ({names})); raise",
            "    self__._run(buffers__.arguments)",
            *(["    self__._externals.raise_pending()"] if program.externals else []),
            "    output__ = buffers__.output.copy()",
            f"    return {results[0]}" if len(results) == 1 else f"    return ({', '.join(results)})",
        ]
    )


def _argument_names(program: Program) -> list[str]:
    """Names of the groups, changed where they mean something else in the text of `__call__`: a word of Python, or one
    of its own variables."""
    names = UniqueNames(lambda n: is_python_reserved(n) or n.endswith("__"))
    return [names.new(g.name) for g in program.inputs]


def explain(program: Program, groups: Sequence[Any]) -> None:
    """Say which argument of a call does not fit."""
    given = [g for g in groups if g is not MISSING]
    if len(given) != len(program.inputs):
        raise wrong_count(program, len(given), program.name)
    for group, value in zip(program.inputs, groups, strict=True):
        expected = () if group.is_scalar else (len(group),)
        try:
            a = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ProgramError(
                f"{program.name}: {group.name} must be numbers of shape {expected}, got {shown(value)}"
            ) from None
        if a.shape != expected:
            hint = f"; {program.name}.batch takes many states" if a.ndim == len(expected) + 1 else ""
            raise ProgramError(f"{program.name}: {group.name} has shape {a.shape}, expected {expected}{hint}") from None


def output_shape(out: Output) -> tuple[int, ...]:
    return (len(out.values),) if out.is_sparse else out.shape


def wrong_count(program: Program, got: int, call: str) -> ProgramError:
    """The signature with the size of each argument, and with what stands in it."""
    sizes = ", ".join(g.name if g.is_scalar else f"{g.name}[{len(g)}]" for g in program.inputs)
    contents = "; ".join(f"{g.name} = {listed(s.name for s in g.symbols)}" for g in program.inputs if not g.is_scalar)
    n = len(program.inputs)
    return ProgramError(
        f"{call}({sizes}) takes {n} argument{'s' * (n != 1)}, got {got}{f'; {contents}' if contents else ''}"
    )
