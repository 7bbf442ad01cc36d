"""Functions of coordinates in OpenSim's files, as functions of expressions.

A SimmSpline is a cubic spline with two continuous derivatives whose third derivative in its first and last piece is that
of the cubic through the first and last four points (Forsythe, Malcolm, Moler: Computer Methods for Mathematical
Computations, 1977); beyond its ends it is straight. With s'' = 6 m at the points, h between them and slopes d:

    h₀ m₀ + 2 (h₀ + h₁) m₁ + h₁ m₂ = d₁ - d₀,      (m₁ - m₀)/h₀ = third divided difference, at both ends

The spline that goes through the same points and one more in its first and its last piece, with a continuous third
derivative there, is the same function: that is how it is handed to `integrate.interpolation`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import symbody as sb

from ...errors import shown
from ..robot.xml_tree import XmlElement
from .osim_file import OsimFile

Law: TypeAlias = Callable[[sb.Expr], sb.Expr]


def function_of(file: OsimFile, e: XmlElement, name: str) -> Law:
    """The function that an element is; `name` is that of a spline in generated code."""
    match e.tag:
        case "Constant":
            value = sb.algebra.as_expr(file.number(e, "value", 0.0))
            return lambda x: value
        case "LinearFunction":
            slope, offset = file.numbers(e, "coefficients", 2)
            return lambda x: sb.algebra.as_expr(slope) * x + offset
        case "PolynomialFunction":
            return _polynomial(file.numbers(e, "coefficients", None))
        case "MultiplierFunction":
            scale = file.number(e, "scale", 1.0)
            inner = function_inside(file, e, "function", name)
            return lambda x: sb.algebra.as_expr(scale) * inner(x)
        case "SimmSpline" | "NaturalCubicSpline":
            return spline(*_points(file, e), name)
        case "PiecewiseLinearFunction":
            return _straight(*_points(file, e), name)
    raise file.wrong(
        e, "this function is not supported; supported are: Constant, LinearFunction, PolynomialFunction, MultiplierFunction, SimmSpline, "
        "PiecewiseLinearFunction"
    )  # fmt: skip


def function_inside(file: OsimFile, e: XmlElement, tag: str, name: str) -> Law:
    """The one function in an element of that tag; or, in a TransformAxis, the one called so."""
    inside = file.only(e, tag)
    found = list(inside.children) if inside is not None else []
    if len(found) != 1:
        raise file.wrong(e, f"<{tag}> must contain one function, got {len(found)}")
    return function_of(file, found[0], name)


def _points(file: OsimFile, e: XmlElement) -> tuple[list[float], list[float]]:
    x, y = (file.numbers(e, tag, None) for tag in "xy")
    if len(x) != len(y) or len(x) < 2 or any(b <= a for a, b in pairwise(x)):
        raise file.wrong(e, f"needs two or more x that increase, and as many y; got {shown(x)} and {shown(y)}")
    return x, y


def _polynomial(coefficients: Sequence[float]) -> Law:
    """That of the highest power first."""

    def law(x: sb.Expr) -> sb.Expr:
        total = sb.algebra.as_expr(0)
        for c in coefficients:
            total = total * x + c
        return total

    return law


def _straight(x: Sequence[float], y: Sequence[float], name: str) -> Law:
    """Lines between points, and on beyond the ends."""
    slopes = [(d - c) / (b - a) for a, b, c, d in zip(x, x[1:], y, y[1:], strict=False)]
    if len(x) == 2:
        return lambda at: sb.algebra.as_expr(slopes[0]) * (at - x[0]) + y[0]
    return _linear_extension(_interpolation(name, x, y, "linear"), x, slopes[0], slopes[-1])


def spline(x: Sequence[float], y: Sequence[float], name: str) -> Law:
    """A SimmSpline."""
    if len(x) == 2:
        return _straight(x, y, name)
    m = _curvatures(x, y)
    h = [b - a for a, b in pairwise(x)]
    first = (y[1] - y[0]) / h[0] - h[0] * (2 * m[0] + m[1])
    last = (y[-1] - y[-2]) / h[-1] + h[-1] * (m[-2] + 2 * m[-1])
    inner = [(x[k] + h[k] / 2, (y[k] + y[k + 1]) / 2 - 3 * h[k] ** 2 / 8 * (m[k] + m[k + 1])) for k in (0, len(h) - 1)]
    xs, ys = ([v[0], inner[0][i], *v[1:-1], inner[1][i], v[-1]] for i, v in enumerate((x, y)))
    return _linear_extension(_interpolation(name, xs, ys, "cubic"), x, first, last)


def _interpolation(name: str, x: Sequence[float], y: Sequence[float], kind: str) -> Any:
    return sb.integrate.interpolation(name, list(x), list(y), kind)


def _linear_extension(inside: Any, x: Sequence[float], first: float, last: float) -> Law:
    """What is constant beyond its ends, with slopes there."""
    return lambda at: (
        inside(at)
        + sb.algebra.as_expr(first) * sb.minimum(at - x[0], 0)
        + sb.algebra.as_expr(last) * sb.maximum(at - x[-1], 0)
    )


def _curvatures(x: Sequence[float], y: Sequence[float]) -> list[float]:
    """m = s''/6 at the points; elimination in a tridiagonal system whose end rows say m₁ - m₀ = h c."""
    n = len(x)
    h = [b - a for a, b in pairwise(x)]
    d = [(q - p) / k for p, q, k in zip(y, y[1:], h, strict=False)]
    third = [0.0, 0.0]  # three points: one parabola
    if n > 3:
        second = [(d[k + 1] - d[k]) / (x[k + 2] - x[k]) for k in (0, 1, n - 4, n - 3)]
        third = [(second[1] - second[0]) / (x[3] - x[0]), (second[3] - second[2]) / (x[-1] - x[-4])]
    diagonal = [-h[0], *(2 * (h[k] + h[k + 1]) for k in range(n - 2)), -h[-1]]
    right = [h[0] ** 2 * third[0], *(d[k + 1] - d[k] for k in range(n - 2)), -(h[-1] ** 2) * third[1]]
    for k in range(1, n):
        factor = h[k - 1] / diagonal[k - 1]
        diagonal[k] -= factor * h[k - 1]
        right[k] -= factor * right[k - 1]
    m = [right[-1] / diagonal[-1]]
    for k in reversed(range(n - 1)):
        m.append((right[k] - h[k] * m[-1]) / diagonal[k])
    return m[::-1]
