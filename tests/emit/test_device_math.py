"""Functions of numbers without a library (`device_math`), compiled for this computer and compared with many digits.

What a GPU has and this computer has not, the estimate of a reciprocal, is stood in for by one of the same few digits.
"""

import ctypes
import math
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest

from symbody.emit.llvm import jit
from symbody.emit.llvm.device_math import (
    ARGUMENTS,
    FUNCTIONS,
    UNLIKELY,
    any_angles,
    function_name,
    function_text,
    reciprocal,
    reduction_text,
    sine_and_cosine,
)
from symbody.emit.llvm.scalar_text import ScalarText

REALS = ("float", "double")
EPSILON = {"float": 2.0**-24, "double": 2.0**-53}
TYPES: dict[str, Any] = {"float": (ctypes.c_float, np.float32), "double": (ctypes.c_double, np.float64)}
ESTIMATE = {  # 1/x of 20 digits
    "float": """define float @estimate.f(float %x) {
  %y = fdiv float 1.0, %x
  %b = bitcast float %y to i32
  %c = and i32 %b, -16
  %z = bitcast i32 %c to float
  ret float %z
}
""",
    "double": """define double @estimate.d(double %x) {
  %y = fdiv double 1.0, %x
  %b = bitcast double %y to i64
  %c = and i64 %b, -4294967296
  %z = bitcast i64 %c to double
  ret double %z
}
""",
}


def on_this_computer(text: str, declared: set[str], real: str, entry: str) -> jit.Loaded:
    lines = [d for d in sorted(declared) if "nvvm" not in d and "symbody" not in d]
    lines = sorted({*lines, "declare double @llvm.copysign.f64(double, double)"})
    module = "\n".join([*lines, ESTIMATE[real], reduction_text(), text, entry, UNLIKELY])
    return jit.Loaded(jit.machine_code("", module.replace("llvm.nvvm.rcp.approx.ftz", "estimate")))


def called(code: jit.Loaded, real: str, arguments: int) -> Callable[..., float]:
    number = TYPES[real][0]
    f = ctypes.CFUNCTYPE(number, *[number] * arguments)(code.address("entry"))
    return lambda *x: float(f(*x)) if code else 0.0


@cache
def function(op: str, real: str) -> Callable[..., float]:
    text, declared = function_text(op, real)
    n = ARGUMENTS.get(op, 1)
    given = ", ".join(f"{real} %x{k}" for k in range(n))
    entry = f"define {real} @entry({given}) {{\n  %y = call {real} @{function_name(op)}({given})\n  ret {real} %y\n}}\n"
    return called(on_this_computer(text, declared, real, entry), real, n)


@cache
def written(what: str, real: str) -> Callable[..., float]:
    """Sine, cosine or reciprocal, which are written into programs and are no functions."""
    t = ScalarText(real)
    y = reciprocal(t, "%x") if what == "reciprocal" else sine_and_cosine(t, any_angles(t, ["%x"])[0])[what == "cos"]
    entry = "\n".join([f"define {real} @entry({real} %x) {{", *t.lines, f"  ret {real} {y}", "}", ""])
    return called(on_this_computer("", t.declared, real, entry), real, 1)


def single_or_double(x: float, real: str) -> float:
    return float(TYPES[real][1](x))


def units(got: float, expected: mpmath.mpf, real: str, least: float = 0.0) -> float:
    """Error in units of the last place of the result, or of `least` where the result is smaller."""
    size = max(abs(float(expected)), least, 1e-300 if real == "double" else 1e-37)
    return float(abs(mpmath.mpf(got) - expected)) / (2 * EPSILON[real] * size)


SIZES = (0.1, 3.0, 100.0, 9e4, 1e6, 1e7, 1e12, 1e22, 1e38)


@pytest.mark.parametrize("what", ["sin", "cos"])
@pytest.mark.parametrize(("real", "size"), [*product(REALS, SIZES), ("double", 1e300)])
def test_sines_of_all_angles(what: str, real: str, size: float) -> None:
    """To two units in the last place of one, however large the angle is."""
    draw = np.random.default_rng(1)
    with mpmath.workdps(400):
        for x in draw.uniform(-1, 1, 60) * size:
            x = single_or_double(x, real)
            assert units(written(what, real)(x), getattr(mpmath, what)(mpmath.mpf(x)), real, 1.0) < 2.0


@pytest.mark.parametrize("real", REALS)
def test_sine_near_its_zeros(real: str) -> None:
    """Small results keep their digits, also where the angle is large."""
    with mpmath.workdps(400):
        for turns in (0, 1, 2, 7, 1000, 10**7, 10**15, 10**30):
            x = single_or_double(float(mpmath.pi * turns), real)
            exact = mpmath.sin(mpmath.mpf(x))
            least = 0.0 if turns < 10**6 else 4.0  # reduced angles are numbers about as large as one turn
            assert units(written("sin", real)(x), exact, real, max(least, 1e-6 if real == "float" else 1e-14)) < 4.0


@pytest.mark.parametrize("real", REALS)
def test_sines_of_what_is_no_angle(real: str) -> None:
    for x in (math.inf, -math.inf, math.nan):
        assert math.isnan(written("sin", real)(x))
        assert math.isnan(written("cos", real)(x))


@pytest.mark.parametrize("real", REALS)
def test_reciprocals(real: str) -> None:
    draw = np.random.default_rng(2)
    f = written("reciprocal", real)
    for x in 10.0 ** draw.uniform(-30, 30, 200) * draw.choice([-1, 1], 200):
        x = single_or_double(x, real)
        assert units(f(x), 1 / mpmath.mpf(x), real) < 1.01
    assert (f(0.0), f(-0.0), f(math.inf)) == (math.inf, -math.inf, 0.0)
    assert math.isnan(f(math.nan))


RANGES = {
    "exp": (-80, 80), "log": (1e-30, 1e30), "tan": (-20, 20), "atan": (-5, 5), "asin": (-1, 1), "acos": (-1, 1), "sinh": (-30, 30),
    "cosh": (-30, 30), "tanh": (-3, 3), "pow": (0.01, 100), "atan2": (-3, 3),
}  # fmt: skip


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("op", FUNCTIONS)
def test_other_functions(op: str, real: str) -> None:
    """To six units in the last place; powers in proportion to the exponent of the result."""
    draw, (low, high) = np.random.default_rng(3), RANGES[op]
    with mpmath.workdps(60):
        for _ in range(150):
            x = float(np.exp(draw.uniform(*np.log([low, high])))) if low > 0 else draw.uniform(low, high)
            given = [single_or_double(v, real) for v in (x, draw.uniform(-4, 4))][: ARGUMENTS.get(op, 1)]
            exact = mpmath.power(*given) if op == "pow" else getattr(mpmath, op)(*given)
            allowed = 6.0 + (2 * abs(given[1] * math.log(given[0])) if op == "pow" else 0.0)
            least = 1e-3 if op in ("log", "acos") else 0.0
            assert units(function(op, real)(*given), exact, real, least) < allowed, (op, given)


@pytest.mark.parametrize("real", REALS)
def test_edges(real: str) -> None:
    """Values where formulas divide by zero or overflow, as the library has them."""
    nan, inf = math.nan, math.inf
    cases: dict[str, list[tuple[float, ...]]] = {
        "exp": [(-1e4,), (1e4,), (nan,), (0.0,), (-inf,)], "log": [(0.0,), (inf,), (-1.0,), (nan,), (1e-40 if real == "float" else 1e-310,)],
        "atan": [(inf,), (-inf,), (0.0,)], "asin": [(1.0,), (-1.0,), (2.0,)], "acos": [(1.0,), (-1.0,), (2.0,)],
        "tanh": [(100.0,), (-100.0,), (0.0,)], "sinh": [(0.0,), (88.0,)], "tan": [(1e7,), (inf,)],
        "pow": [(-2.0, 3.0), (-2.0, 2.0), (-2.0, 0.5), (0.0, 2.0), (0.0, 0.0), (5.0, 0.0), (0.0, -1.0)],
        "atan2": [(0.0, 0.0), (0.0, -1.0), (-1.0, 0.0), (1.0, -1.0), (-0.0, -1.0), (3.0, inf)],
    }  # fmt: skip
    with np.errstate(all="ignore"):
        names = {"atan": "arctan", "asin": "arcsin", "acos": "arccos", "pow": "power", "atan2": "arctan2"}
        for op, arguments in cases.items():
            for x in arguments:
                expected = float(getattr(np, names.get(op, op))(*(TYPES[real][1](v) for v in x)))
                got = function(op, real)(*x)
                close = math.isclose(got, expected, rel_tol=64 * EPSILON[real], abs_tol=1e-30)
                assert close or (math.isnan(got) and math.isnan(expected)), (op, x, got, expected)
