"""The NumPy target: a Python module whose functions take many states at once, and its loops as kernels that run as they
stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from inspect import getclosurevars, signature

from ....emit import ir
from ...artefacts.algorithms import ROUNDING
from ...artefacts.artefact import Algorithm, Artefact
from ...printers.templates import template_parts
from .array_python import NUMPY
from .python_check import python_check, value_lines
from .python_module import in_docstring, module_text, python_readme

BY_SOLVE_IVP = 1e-6


def numpy_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    n = made.identifier
    text = module_text(made, NUMPY, "import math\n\nimport numpy as np", [*_functions(made), *_loops(made)])
    page = python_readme(made, "numpy", "NumPy", "so that they take arrays")
    return {f"{n}_numpy.py": text, f"{n}_check.py": _check(made), "README.md": page}


def _functions(made: Artefact) -> list[str]:
    """Functions, after what they call: helpers with the same text stand once."""
    texts = [ir.NumpyFunction(replace(f.program, name=f.name)) for f in made.functions]
    helpers = dict.fromkeys(h for t in texts for h in t.helpers)
    definitions = [t.definition(f"{in_docstring(f.about)}; ") for t, f in zip(texts, made.functions, strict=True)]
    return [text.rstrip("\n") for text in (*helpers, *definitions)]


# ---------------------------------------------------------------------------------------------------- loops


def _loops(made: Artefact) -> list[str]:
    """Patterns of compressed rows, kernels, and a function around each that gives them arrays."""
    tables = "\n".join(["TABLES = {", *(f"    {k!r}: {v!r}," for k, v in made.tables.items()), "}"])
    if not made.algorithms:
        return [tables]
    kernels = dict.fromkeys(k for a in made.algorithms for k in _with_called_kernels(a.kernel))
    names = {kernel.__name__: f"_{kernel.__name__}_loop" for kernel in kernels}
    numbers = {
        k: v for kernel in kernels for k, v in getclosurevars(kernel).globals.items() if isinstance(v, int | float)
    }
    texts = [ir.kernel_text(kernel, names[kernel.__name__], names).rstrip("\n") for kernel in kernels]
    loops = template_parts(__package__, "module.py.txt")["numpy_loops"].filled(
        constants=[f"{k} = {v!r}" for k, v in numbers.items()],
        kernels="\n\n\n".join(texts),
        loops="\n\n\n".join(_loop(made, a) for a in made.algorithms),
    )
    return [tables, loops]


def _with_called_kernels(kernel: ir.Kernel) -> Iterator[ir.Kernel]:
    """A kernel, behind those that it calls."""
    for called in getclosurevars(kernel).globals.values():
        if getattr(called, "__module__", "") == kernel.__module__:
            yield from _with_called_kernels(called)
    yield kernel


def _loop(made: Artefact, a: Algorithm) -> str:
    state, _ = a.state
    made_here = {**a.results, **a.scratch}
    given = {state: state, **{k: k for k in a.more}, **{k: f"np.zeros({n})" for k, n in made_here.items()}}
    given |= {k: str(v) for k, v in a.constants.items()} | {k: f"TABLES[{table!r}]" for k, table in a.tables.items()}
    for parameter, name in a.calls.items():
        sizes = [len(g) for g in (made.function(name).program.inputs[1], *made.function(name).program.inputs[4:])]
        given[parameter] = f"_called({name}, {tuple(sizes)}, t, r, p)"
    given |= {ROUNDING: "float(np.finfo(float).eps)"} if ROUNDING in signature(a.kernel).parameters else {}
    arguments = ", ".join(["t", state, "r", "p", *a.more])
    lines = [f"def {a.name}({arguments}):", f'    """{in_docstring(a.about).replace(", in place", "")}"""']
    lines += [f"    {k} = np.array({k}, dtype=float)" for k in (state, *a.more)]
    lines += [f"    {k} = {given[k]}" for k in a.results]
    call = f"_{a.kernel.__name__}_loop({', '.join(f'{k}={k if k in a.results else v}' for k, v in given.items())})"
    if not a.changes:
        return "\n".join([*lines, f"    {call}", f"    return {', '.join(a.results)}"])
    failed = f"{a.name}: corrections do not converge"
    return "\n".join([*lines, f"    if {call}:", f"        raise ArithmeticError({failed!r})", f"    return {state}"])


def _check(made: Artefact) -> str:
    """The check, with loops, and the same motion by SciPy where it is installed."""
    point = made.check
    assert point is not None
    values = {a.name: point.values[a.name] for a in made.algorithms if a.name in point.values}
    more = template_parts(__package__, "check.py.txt")["by_solve_ivp"].filled(allowed=BY_SOLVE_IVP)
    loops = ["LOOPS = {", *(f"    {line}" for line in value_lines(values)), "}"]
    return python_check(made, "numpy", "model.{0}", loops=loops, more=more)
