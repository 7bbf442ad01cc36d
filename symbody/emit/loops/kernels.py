"""Kernels that programs call: elimination, and moving rows of batches side by side and back."""

from __future__ import annotations

from typing import Any, Final

from ...algebra import elimination
from ...algebra.linear import FactorShape
from .language import Kernel

FACTORS: Final = "a"  # as kernels call them
RIGHT_SIDES: Final = "x"


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
