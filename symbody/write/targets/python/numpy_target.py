"""The NumPy target: a Python module whose functions take many states at once, and its loops as kernels that run as they
stand."""

from __future__ import annotations

from dataclasses import replace
from inspect import getclosurevars, signature

from ....emit import ir
from ...artefacts.algorithms import ROUNDING
from ...artefacts.artefact import Algorithm, Artefact
from ...artefacts.readme import LanguageWords, readme
from .array_python import NUMPY
from .python_target import (
    CHECK_END,
    check_head,
    check_values,
    in_docstring,
    module_files,
    module_text,
    motion_lines,
    supplied_words,
)

BY_SOLVE_IVP = 1e-6


def numpy_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    n = made.identifier
    text = module_text(made, NUMPY, ["import math", "", "import numpy as np"], [*_functions(made), *_loops(made)])
    words = LanguageWords(
        "functions of NumPy",
        f"python {n}_check.py",
        _EXAMPLE.format(n),
        "python",
        f"{n}_numpy.",
        module_files(n, "numpy"),
        (*_MORE, *supplied_words(made, "NumPy", "so that they take arrays")),
    )
    return {f"{n}_numpy.py": text, f"{n}_check.py": _check(made), "README.md": readme(made, words)}


_EXAMPLE = """\
import {0}_numpy as model
from scipy.integrate import solve_ivp

t, x, r = model.initial_state()
p = model.default_parameters()
model.rhs(t, x, r, p)                            # one state, or many: all arguments may have leading dimensions
solve_ivp(lambda t, x: model.rhs(t, x, r, p), (0, 1), x, method="DOP853")"""
_MORE = (
    "NumPy is all that the module needs. Leading dimensions of the arguments of functions broadcast against each other; what has no value (the root of a negative number, "
    "a singular system) is nan, and harms no other member of a batch. Loops (`project` and others) take one state. Parameters are an array in the order below.",
)


def _functions(made: Artefact) -> list[str]:
    """Functions, after what they call: helpers with the same text stand once."""
    texts = [ir.NumpyFunction(replace(f.program, name=f.name)) for f in made.functions]
    helpers = dict.fromkeys(h for t in texts for h in t.helpers)
    definitions = [t.definition(f"{in_docstring(f.about)}; ") for t, f in zip(texts, made.functions, strict=True)]
    return ["\n\n" + text.rstrip("\n") for text in (*helpers, *definitions)]


# ---------------------------------------------------------------------------------------------------- loops

_CALLED = """

def _called(f, sizes, t, r, p):
    def run(inputs, outputs):
        x, *more = (a[:n] for a, n in zip(inputs, sizes))
        found = f(t, x, r, p, *more)
        for out, values in zip(outputs, found if isinstance(found, tuple) else (found,)):
            out[: np.size(values)] = np.ravel(values)

    return run"""


def _loops(made: Artefact) -> list[str]:
    """Patterns of compressed rows, kernels, and a function around each that gives them arrays."""
    lines = ["", "", "TABLES = {", *(f"    {k!r}: {v!r}," for k, v in made.tables.items()), "}"]
    if not made.algorithms:
        return lines
    lines += _CALLED.split("\n")
    kernels = dict.fromkeys(a.kernel for a in made.algorithms)
    numbers = {
        k: v for kernel in kernels for k, v in getclosurevars(kernel).globals.items() if isinstance(v, int | float)
    }
    lines += ["", "", *(f"{k} = {v!r}" for k, v in numbers.items()), "is_finite, sqrt = math.isfinite, math.sqrt"]
    for kernel in kernels:
        lines += ["", "", ir.kernel_text(kernel, f"_{kernel.__name__}_loop").rstrip("\n")]
    return [*lines, *(line for a in made.algorithms for line in _loop(made, a))]


def _loop(made: Artefact, a: Algorithm) -> list[str]:
    state, _ = a.state
    made_here = {**a.results, **a.scratch}
    given = {state: state, **{k: k for k in a.more}, **{k: f"np.zeros({n})" for k, n in made_here.items()}}
    given |= {k: str(v) for k, v in a.constants.items()} | {k: f"TABLES[{table!r}]" for k, table in a.tables.items()}
    for parameter, name in a.calls.items():
        sizes = [len(g) for g in (made.function(name).program.inputs[1], *made.function(name).program.inputs[4:])]
        given[parameter] = f"_called({name}, {tuple(sizes)}, t, r, p)"
    given |= {ROUNDING: "float(np.finfo(float).eps)"} if ROUNDING in signature(a.kernel).parameters else {}
    arguments = ", ".join(["t", state, "r", "p", *a.more])
    lines = ["", "", f"def {a.name}({arguments}):", f'    """{in_docstring(a.about).replace(", in place", "")}"""']
    lines += [f"    {k} = np.array({k}, dtype=float)" for k in (state, *a.more)]
    lines += [f"    {k} = {given[k]}" for k in a.results]
    call = f"_{a.kernel.__name__}_loop({', '.join(f'{k}={k if k in a.results else v}' for k, v in given.items())})"
    if not a.changes:
        return [*lines, f"    {call}", f"    return {', '.join(a.results)}"]
    failed = f"{a.name}: corrections do not come to an end"
    return [*lines, f"    if {call}:", f"        raise ArithmeticError({failed!r})", f"    return {state}"]


# ---------------------------------------------------------------------------------------------------- check

_CHECK = """\
t, x, r, p = T, np.array(X), np.array(R), model.default_parameters()
for name, (inputs, outputs) in VALUES.items():
    f = getattr(model, name)
    found = f(t, x, r, p, *map(np.array, inputs))
    found = found if isinstance(found, tuple) else (found,)
    verdict(name, np.concatenate([np.ravel(a) for a in found]), np.concatenate(outputs))
    many = np.array([x, 1.1 * x, 0.9 * x])
    together = f(t, many, r, p, *map(np.array, inputs))
    together = together if isinstance(together, tuple) else (together,)
    apart = [f(t, y, r, p, *map(np.array, inputs)) for y in many]
    apart = [a if isinstance(a, tuple) else (a,) for a in apart]
    for k, a in enumerate(together):
        verdict(f"{name} of many states", a, np.array([one[k] for one in apart]))
for name, (inputs, outputs) in LOOPS.items():
    found = getattr(model, name)(t, inputs[0], r, p, *inputs[1:])
    found = found if isinstance(found, tuple) else (found,)
    verdict(name, np.concatenate([np.ravel(a) for a in found]), np.concatenate(outputs))
"""


def _check(made: Artefact) -> str:
    point = made.check
    assert point is not None
    lines = check_head(made, "numpy", [])
    lines += check_values("LOOPS", {a.name: point.values[a.name] for a in made.algorithms if a.name in point.values})
    return "\n".join([*lines, *_CHECK.splitlines(), *motion_lines(made, "model.{0}"), *_by_solve_ivp(made), *CHECK_END])


def _by_solve_ivp(made: Artefact) -> list[str]:
    """The same motion by SciPy, where it is installed."""
    if made.reference is None:
        return []
    return [
        "try:", "    from scipy.integrate import solve_ivp", "except ImportError:", '    print("motion by solve_ivp is left out: there is no SciPy")',
        "else:", (
                "    found = solve_ivp(lambda t, x: rhs(t, x, r, p), (TIMES[0], TIMES[-1]), "
                "model.initial_state()[1], method=\"DOP853\", rtol=1e-10, atol=1e-10)"),
        f'    verdict("motion by solve_ivp", found.y[:, -1], STATES[-1], {BY_SOLVE_IVP!r})',
    ]  # fmt: skip
