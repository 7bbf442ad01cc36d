"""Other generators of C for the same equations: CasADi's, SymPy's `codegen`, PyDy's. Each gives its times to write and
to compile, and a call."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

import symbody as sb

from .sympy_twin import converted, dependent, kane
from .timing import repeated

BUILD: Final = ("gcc", "-std=gnu99", "-O2", "-march=native", "-fPIC", "-shared")


CALLS: Final = 200  # of a function in one loop of C, so that what ctypes costs does not count
LOOPS: Final = """\
void loop_of_c(int n, int (*f)(double, void *, void *, void *, void *), double t, void *x, void *r, void *p, void *out)
{
    for (int k = 0; k < n; k++) {
        f(t, x, r, p, out);
    }
}
void loop_of_casadi(int n, int (*f)(void *, void *, void *, void *, int), void *arg, void *res, void *iw, void *w)
{
    for (int k = 0; k < n; k++) {
        f(arg, res, iw, w, 0);
    }
}
void loop_of_three(int n, void (*f)(void *, void *, void *), void *a, void *b, void *c)
{
    for (int k = 0; k < n; k++) {
        f(a, b, c);
    }
}
"""


class Generated(NamedTuple):
    """x' by somebody else's code: CPU seconds to write and to compile it, microseconds of a call, and x'."""

    write_s: float
    compile_s: float
    call_us: float
    value: Any


def compiled(source: Path) -> tuple[ctypes.CDLL, float]:
    """The library of a C file, and CPU seconds of the compiler."""
    before = os.times()
    library = source.with_suffix(".so")
    subprocess.run([*BUILD, str(source), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library)), os.times().children_user - before.children_user


@cache
def loops() -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "loops.c"
        source.write_text(LOOPS)
        return compiled(source)[0]


def microseconds(loop: str, function: Any, *given: Any) -> float:
    """Of a call of a C function, given by its address, made in a loop of C; `given` are numbers and addresses."""
    code = getattr(loops(), loop)
    types = [ctypes.c_double if isinstance(g, float) else ctypes.c_void_p for g in given]
    code.argtypes = [ctypes.c_int, ctypes.c_void_p, *types]
    return repeated(lambda: code(CALLS, function, *given)).least * 1e6 / CALLS


def address(function: Any) -> int:
    found = ctypes.cast(function, ctypes.c_void_p).value
    assert found is not None
    return found


# ---------------------------------------------------------------------------------------------------- CasADi


def casadi_c(eq: sb.Equations, folder: Path, x: Any, r: Any, p: Any) -> Generated:
    """C that CasADi generates of our expressions."""
    begun = time.process_time()
    sb.write.casadi(eq, folder, functions=["rhs"], reference=None, name="peer")
    spec = importlib.util.spec_from_file_location("peer_casadi", folder / "peer_casadi.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    f = module.function("rhs")
    here = Path.cwd()
    os.chdir(folder)  # it writes into the working directory only
    try:
        f.generate("casadi_peer.c")
    finally:
        os.chdir(here)
    write_s = time.process_time() - begun
    library, compile_s = compiled(folder / "casadi_peer.c")
    sizes = [f.sz_arg(), f.sz_res(), f.sz_iw(), f.sz_w()]
    t, out = np.array([0.1]), np.zeros(len(x))
    given = [a.ctypes.data for a in (t, x, r, p)]
    arg = (ctypes.c_void_p * sizes[0])(*given)
    res = (ctypes.c_void_p * sizes[1])(out.ctypes.data)
    iw, w = np.zeros(sizes[2] + 1, dtype=np.int64), np.zeros(sizes[3] + 1)
    places = [ctypes.addressof(arg), ctypes.addressof(res), iw.ctypes.data, w.ctypes.data]
    call_us = microseconds("loop_of_casadi", address(getattr(library, f.name())), *places)
    return Generated(write_s, compile_s, call_us, out)


# ---------------------------------------------------------------------------------------------------- SymPy


def sympy_c(eq: sb.Equations, folder: Path, x: Any, r: Any, p: Any) -> Generated:
    """Kane's equations of SymPy, solved symbolically, by `codegen`: a function of t, q, u, parameters."""
    from sympy import Eq, Matrix, MatrixSymbol, Symbol
    from sympy.utilities.codegen import codegen

    made = kane(eq.mechanism, dependent(eq.mechanism), converted(eq.mechanism, True))
    begun = time.process_time()
    states = [*made.q, *made.u]
    xdot = made.rhs()
    numbers = [Symbol(s.name) for s in eq.p]
    X, P = MatrixSymbol("x", len(states), 1), MatrixSymbol("p", max(1, len(numbers)), 1)
    known = {s: X[k, 0] for k, s in enumerate(states)}
    inside = {s.name: s for s in xdot.free_symbols}
    known |= {inside[s.name]: P[k, 0] for k, s in enumerate(numbers) if s.name in inside}
    xdot = xdot.subs(known)
    Y = MatrixSymbol("y", len(states), 1)
    ((_, text), _) = codegen(
        ("sympy_rhs", Eq(Y, Matrix(xdot))), "C99", "peer", header=False, argument_sequence=(X, P, Y)
    )
    source = folder / "sympy_peer.c"
    source.write_text(text.replace('#include "peer.h"', ""))
    write_s = time.process_time() - begun
    library, compile_s = compiled(source)
    out = np.zeros(len(x))
    call_us = microseconds("loop_of_three", address(library.sympy_rhs), x.ctypes.data, p.ctypes.data, out.ctypes.data)
    return Generated(write_s, compile_s, call_us, out)


def pydy_c(eq: sb.Equations, folder: Path, x: Any, r: Any, p: Any) -> Generated:
    """PyDy's generator by Cython, called from Python: mass matrix and forcing in C with common subexpressions, solved
    by LAPACK."""
    from pydy.codegen.ode_function_generators import generate_ode_function
    from sympy import Symbol

    made = kane(eq.mechanism, dependent(eq.mechanism), converted(eq.mechanism, True))
    begun, before = time.process_time(), os.times()
    inside = {s.name: s for s in (made.mass_matrix_full.free_symbols | made.forcing_full.free_symbols)}
    numbers = [inside.get(s.name, Symbol(s.name)) for s in eq.p]
    f = generate_ode_function(
        made.forcing_full, made.q, made.u, numbers, mass_matrix=made.mass_matrix_full, generator="cython", tmp_dir=str(folder / "pydy")
    )  # fmt: skip
    compile_s = os.times().children_user - before.children_user
    write_s = time.process_time() - begun
    return Generated(write_s, compile_s, repeated(lambda: f(x, 0.1, p)).least * 1e6, f(x, 0.1, p))
