"""The check of a module of Python: every function at one point, and the reference motion by Runge-Kutta steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....emit import ir
from ...artefacts.artefact import Artefact, CheckValues
from ...artefacts.reference_steps import STAGES, STEP_KERNELS, TABLE
from ...printers.templates import template_parts


def python_check(
    made: Artefact, package: str, call: str, imports: Sequence[str] = (), needed: Sequence[str] | None = None, loops: Sequence[str] = (), more: str = ""
) -> str:  # fmt: skip
    """Text of `name_check.py`.

    call      Python code that makes a function of arrays, with a place for its name in the module
    needed    functions without which derivatives are not checked; None: they have no check
    loops     lines with values of algorithms
    more      other motions
    """
    point, parts = made.check, template_parts(__package__, "check.py.txt")
    assert point is not None
    values = {f.name: point.values[f.name] for f in made.functions if f.name in point.values}
    derivatives = parts[f"{package}_derivatives"].filled() if needed is not None and all(map(made.has, needed)) else ""
    return parts["file"].filled(
        name=made.identifier, package=package, imports=imports, t=point.t, x=repr(list(point.x)), r=repr(list(point.r)),
        values=value_lines(values), loops=loops, checks=parts[package].filled(), derivatives=derivatives, motion=_motion(made, call),
        more_motions=more if made.reference else "",
    ) + "\n"  # fmt: skip


def value_lines(values: Mapping[str, CheckValues]) -> list[str]:
    """Inputs and outputs of functions, by their names."""
    pairs = {k: tuple([list(a) for a in group] for group in (v.inputs, v.outputs)) for k, v in values.items()}
    return [f"{k!r}: {pair!r}," for k, pair in pairs.items()]


def _motion(made: Artefact, call: str) -> str:
    ref = made.reference
    if ref is None:
        return ""
    used = ["rhs", *(["project"] if ref.projects else [])]
    projected = "np.ravel(np.array(project(t + h, y, r, p), dtype=float))"
    kernels = [ir.kernel_text(kernel, kernel.__name__).rstrip("\n") for kernel in STEP_KERNELS]
    return template_parts(__package__, "check.py.txt")["motion"].filled(
        times=repr(list(ref.times)), states=repr([list(s) for s in ref.states]), table=repr(list(TABLE)), stages=STAGES,
        functions=[f"{f} = {call.format(f)}" for f in used], kernels="\n\n\n".join(kernels),
        then=", then back onto the constraints" if ref.projects else "", end=projected if ref.projects else "y", steps=ref.steps,
        allowed=ref.tolerance,
    )  # fmt: skip
