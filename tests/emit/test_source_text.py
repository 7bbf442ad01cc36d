"""NumPy and C text as a user meets them: broadcasting, shapes, warnings, linking, names of files."""

from __future__ import annotations

import ctypes
import subprocess
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from symbody.algebra.graph import functions as fn
from symbody.algebra.graph.functions import ExternalFunction, cos, sin
from symbody.algebra.graph.graph import symbol, symbols
from symbody.algebra.graph.linear import factorize
from symbody.algebra.graph.matrix import matrix
from symbody.algebra.printing.target_names import UniqueNames, is_c_reserved, is_python_reserved
from symbody.emit.lowering.lower import program
from symbody.emit.programs.program import Group, Instruction, Output, Program
from symbody.emit.text.numpy_text import numpy_function, numpy_source
from symbody.write.targets.c import c_printer as c
from symbody.write.targets.c.c_printer import c_source

from ..contracts.targets import WARNINGS, c_compiler

x, y, z = symbols("x y z")
t = symbol("t", "time")

# ---------------------------------------------------------------------------------------------------- NumPy


def all_sorts() -> dict[str, object]:
    loop = factorize(matrix([[x, y, 1], [y, 0, 2], [1, 2, z]]), "indefinite").solve([t, 1, z])
    return {"s": sin(t) * x, "v": [y, 3], "M": matrix([[x, 0], [0, cos(y)]]), "n": 5, "sol": loop}


@pytest.mark.parametrize(
    ("shape_t", "shape_q", "shape_p"),
    [
        ((), (), ()),
        ((4,), (), ()),
        ((), (4,), ()),
        ((), (), (4,)),
        ((4, 1), (3,), ()),
        ((2, 1, 1), (3, 1), (5,)),
        ((0,), (), ()),
    ],
)
def test_leading_dimensions_broadcast(
    shape_t: tuple[int, ...], shape_q: tuple[int, ...], shape_p: tuple[int, ...]
) -> None:
    """Every member of the batch is what a call for that member alone gives, constants included."""
    f = numpy_function(program("f", {"t": t, "q": [x, y], "p": [z]}, all_sorts()))
    rng = np.random.default_rng(0)
    time, q, p = rng.uniform(1, 2, shape_t), rng.uniform(1, 2, (*shape_q, 2)), rng.uniform(1, 2, (*shape_p, 1))
    shape = np.broadcast_shapes(shape_t, shape_q, shape_p)
    got = f(time, q, p)
    assert [np.shape(g) for g in got] == [shape, (*shape, 2), (*shape, 2, 2), shape, (*shape, 3)]
    time = np.broadcast_to(time, shape)
    q, p = np.broadcast_to(q, (*shape, 2)), np.broadcast_to(p, (*shape, 1))
    for k in np.ndindex(shape):
        for all_members, alone in zip(got, f(time[k], q[k], p[k]), strict=True):
            np.testing.assert_allclose(all_members[k], alone, rtol=1e-14)


def test_numpy_does_not_touch_its_arguments() -> None:
    f = numpy_function(program("f", {"p": [x, y]}, {"e": x, "v": [x, y], "w": [y, x]}))
    p = np.array([1.0, 2.0])
    _, v, w = f(p)
    v[:], w[:] = 7, 8
    assert p.tolist() == [1.0, 2.0]


def test_numpy_gives_no_warnings() -> None:
    e = fn.log(x) + 1 / x + fn.sqrt(-1 - x) + fn.asin(2 + x) + fn.exp(1000 + x)
    f = numpy_function(program("f", {"p": [x]}, {"e": e}))
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        assert np.isnan(f([0.0]))


def test_numpy_checks_shapes() -> None:
    f = numpy_function(program("f", {"t": t, "q": [x, y]}, {"e": x * y + t}))
    with pytest.raises(ValueError, match=r"q has shape \(3,\), expected \(..., 2\)"):
        f(1.0, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"q has shape \(\), expected \(..., 2\)"):
        f(1.0, 2.0)


def test_numpy_text_is_python_for_each_name() -> None:
    """Also for functions whose name is a word of Python; the text says under which name it calls them."""
    g = ExternalFunction("lambda", 1, python=lambda v: 2 * v)
    p = program("f", {"p": [x]}, {"e": g(x)})
    assert "Define these functions of arrays as well: lambda_" in numpy_source(p)
    assert numpy_function(p)([3.0]) == 6.0


# ---------------------------------------------------------------------------------------------------- C


def test_external_function_is_linked(tmp_path: Path) -> None:
    """Without C text the header declares the function, and whoever links supplies it."""
    wind = ExternalFunction("wind", 2, python=lambda a, b: a - 2 * b)
    source = c_source(program("gust", {"t": t, "p": [x]}, {"e": wind(t, x) + 1}))
    assert "double wind(double, double);" in source.header
    _, path = source.write(tmp_path)
    (tmp_path / "wind.c").write_text('#include "gust.h"\ndouble wind(double a, double b) { return a - 2.0 * b; }\n')
    library = tmp_path / "all.so"
    command = [
        c_compiler(),
        "-std=c99",
        *WARNINGS,
        "-fPIC",
        "-shared",
        str(path),
        str(tmp_path / "wind.c"),
        "-o",
        str(library),
    ]
    subprocess.run(command, check=True)
    result = ctypes.c_double()
    call = ctypes.CDLL(str(library)).gust
    call(ctypes.c_double(5.0), (ctypes.c_double * 1)(3.0), ctypes.byref(result))
    assert result.value == 0.0


def test_files_are_written_and_returned(tmp_path: Path) -> None:
    source = c_source(program("math", {"p": [x]}, {"e": x}))
    assert source.name == "math_"  # a file math.h would hide the one of the library
    header, text = source.write(tmp_path)
    assert (header.name, text.name) == ("math_.h", "math_.c")
    assert header.read_text() == source.header
    assert text.read_text() == source.source


def test_arguments_are_what_a_c_user_expects() -> None:
    outputs = {"y": x, "M": matrix([[x, y], [y, z]]), "J": matrix([[0, x], [0, 0]]), "none": []}
    header = c_source(program("f", {"t": t, "q": [x, y, z], "p": []}, outputs, sparse=["J"])).header
    assert (
        "void f(double t, const double q[3], const double *p, double *y, double M[4], double J[1], double *none);"
        in header
    )


def test_text_does_not_depend_on_what_was_done_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same program gives the same text, in one piece and in many."""
    for size in (1500, 7):
        monkeypatch.setattr(c, "PIECE", size)
        p = program("f", {"t": t, "q": [x, y], "p": [z]}, all_sorts())
        assert c_source(p) == c_source(p)


def grouped(outer: str, inner: str, side: int) -> Program:
    """One operation inside another: (x inner y) outer z, or z outer (x inner y); a negation takes one argument."""
    names = ["x", *(["y"] if inner != "neg" else []), *(["z"] if outer != "neg" else [])]
    code = [Instruction("input", (), (0, "xyz".index(n))) for n in names]
    code.append(Instruction(inner, (0, 1)[: 1 if inner == "neg" else 2]))
    pair, z_at = len(names), len(names) - 1
    arguments = (pair,) if outer == "neg" else (pair, z_at) if side == 0 else (z_at, pair)
    code.append(Instruction(outer, arguments))
    return Program("f", (Group("p", (x, y, z)),), (Output("e", (), (pair + 1,), ((),)),), tuple(code))


GROUPED = {
    ("add", "add", 0): "x + y + z",
    ("add", "add", 1): "z + (x + y)",
    ("add", "sub", 0): "x - y + z",
    ("add", "sub", 1): "z + (x - y)",
    ("sub", "add", 1): "z - (x + y)",
    ("sub", "sub", 0): "x - y - z",
    ("sub", "sub", 1): "z - (x - y)",
    ("add", "mul", 1): "z + x*y",
    ("sub", "div", 0): "x/y - z",
    ("mul", "mul", 0): "x*y*z",
    ("mul", "mul", 1): "z*(x*y)",
    ("mul", "div", 1): "z*(x/y)",
    ("div", "mul", 0): "x*y/z",
    ("div", "mul", 1): "z/(x*y)",
    ("div", "div", 0): "x/y/z",
    ("div", "div", 1): "z/(x/y)",
    ("mul", "add", 0): "(x + y)*z",
    ("mul", "sub", 1): "z*(x - y)",
    ("add", "neg", 1): "z + (-x)",
    ("sub", "neg", 1): "z - (-x)",
    ("mul", "neg", 0): "-x*z",
    ("mul", "neg", 1): "z*(-x)",
    ("neg", "add", 0): "-(x + y)",
    ("neg", "mul", 0): "-(x*y)",
}


@pytest.mark.parametrize("case", GROUPED, ids=str)
def test_rounding_is_that_of_the_program(case: tuple[str, str, int]) -> None:
    """Parentheses stay where leaving them out would add or multiply in another order."""
    p = grouped(*case)
    assert f"*e = {GROUPED[case]};" in c_source(p).source
    assert f"e[...] = {GROUPED[case]}\n" in numpy_source(p)


# ---------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    "word", "double sin for y0 I exp main malloc math _Bool __LINE__ M_PI sinf class linux NULL".split()
)
def test_words_of_c_are_kept_free(word: str) -> None:
    names = UniqueNames(is_c_reserved)
    first, second = names.new(word), names.new(word)
    assert word not in (first, second)
    assert first != second
    assert not is_c_reserved(first)


@pytest.mark.parametrize("word", "lambda def print None np __debug__ abs".split())
def test_words_of_python_are_kept_free(word: str) -> None:
    assert UniqueNames(is_python_reserved).new(word) == f"{word}_"


def test_each_name_is_given_once() -> None:
    names = UniqueNames(is_c_reserved)
    given = [names.new(w) for w in ["w", "w", "w_2", "w", "double", "double_", "double"]]
    assert len(set(given)) == len(given)
    assert given[:3] == ["w", "w_2", "w_2_2"]


def test_equal_labels_stay_apart() -> None:
    """Values of one label have names of their own, in both languages."""
    e = x * y * sin(x) + cos(y)
    made = program("f", {"p": [x, y]}, {"e": e, "again": e * e}, labels={"a": x * y, "b": sin(x), "c": cos(y)})
    p = replace(made, labels=dict.fromkeys(made.labels, "w"))
    assert len(p.labels) == 3
    for text in (c_source(p).source, numpy_source(p)):
        assert all(f"{w} = " in text for w in ("w", "w_2", "w_3"))


def test_no_sign_follows_an_operator() -> None:
    """x + -2*y is no Fortran, and hard to read; the value is that of x - 2*y to the last bit."""
    p = program("f", {"q": [x, y], "p": [z]}, {"e": x})
    code = (
        Instruction("input", (), (0, 0)), Instruction("input", (), (0, 1)), Instruction("const", (), -0.1),
        Instruction("mul", (2, 1)), Instruction("add", (0, 3)), Instruction("mul", (2, 0)), Instruction("sub", (4, 5)),
    )  # fmt: skip
    made = Program("f", p.inputs, (Output("e", (), (6,), ((),)),), code)
    texts = numpy_source(made), c_source(made).source
    assert not [line for text in texts for line in text.splitlines() if "+ -" in line or "- -" in line]
    assert numpy_function(made)([0.3, 0.7], [1.0]) == 0.3 + -0.1 * 0.7 - -0.1 * 0.3
