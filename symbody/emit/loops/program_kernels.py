"""Kernels that programs call: elimination, piecewise polynomials, and moving rows of batches side by side and back."""

from __future__ import annotations

from typing import Any, Final

from ...algebra.elimination import elimination
from ...algebra.graph.linear import FactorShape
from .kernel_language import Kernel, Numbers

FACTORS: Final = "a"  # name of the factors among the arguments of kernels
RIGHT_SIDES: Final = "x"
ELIMINATION_KERNELS: Final = (  # that `factor_kernel` and `solve_kernel` give for one right side
    elimination.definite_factor, elimination.definite_solve,
    elimination.general_factor, elimination.general_solve, elimination.general_solve_transposed,
)  # fmt: skip


def factor_kernel(shape: FactorShape) -> Kernel:
    return elimination.definite_factor if shape.kind == "definite" else elimination.general_factor


def solve_kernel(shape: FactorShape, transposed: bool, side_by_side: bool = False) -> Kernel:
    """The loop for one right side, or for several side by side."""
    if shape.kind == "definite":
        return elimination.definite_solve_rows if side_by_side else elimination.definite_solve
    return elimination.general_solve_transposed if transposed else elimination.general_solve


def has_pivots(shape: FactorShape) -> bool:
    return shape.kind != "definite"


def clear(n: int, x: list[Any]) -> None:
    """Zeros."""
    for i in range(n):
        x[i] = 0


def pack(size: int, lanes: int, first: int, stop: int, stride: int, source: list[Any], target: list[Any]) -> None:
    """Rows first, first + 1, ... of an array, side by side. Past the end the last row is repeated."""
    for lane in range(lanes):
        if first + lane < stop:
            for j in range(size):
                target[j * lanes + lane] = source[(first + lane) * stride + j]
        else:
            for j in range(size):
                target[j * lanes + lane] = source[(stop - 1) * stride + j]


def unpack(size: int, lanes: int, first: int, stop: int, source: list[Any], target: list[Any]) -> None:
    """The reverse of `pack`; what lies past the end is dropped."""
    for lane in range(lanes):
        if first + lane < stop:
            for j in range(size):
                target[(first + lane) * size + j] = source[j * lanes + lane]


def on_pieces(n: int, terms: int, times: Numbers, coefficients: Numbers, x: float) -> float:
    """Σ c_k (x - t_i)ᵏ in the piece i that holds x, found by bisection; constant before the first time and after the last.

    coefficients   `terms` numbers for each of the n - 1 pieces, that of the highest power first
    """
    at: float = x
    if x < times[0]:
        at = times[0]
    if x > times[n - 1]:
        at = times[n - 1]
    low: int = 0
    high: int = n - 1
    while high - low > 1:
        middle: int = (low + high) // 2
        if times[middle] <= at:
            low = middle
        else:
            high = middle
    s = at - times[low]
    y: float = 0.0
    for k in range(terms):
        y = y * s + coefficients[low * terms + k]
    return y


def rate_on_pieces(n: int, terms: int, times: Numbers, coefficients: Numbers, x: float) -> float:
    """The same for a derivative, which is zero before the first time and after the last."""
    if x < times[0]:
        return 0.0
    if x > times[n - 1]:
        return 0.0
    return on_pieces(n, terms, times, coefficients, x)
