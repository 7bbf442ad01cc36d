"""Steps of the loops over a tree of bodies (`tree_kernels.py`) that run on vectors of numbers: several degrees of freedom,
or several entries of a row of J, side by side. Arrays named in SHARED hold numbers that are the same for all of them."""

from __future__ import annotations

from typing import Final

from .kernel_language import Kernel, Numbers, unrolled


def clear_all(count: int, x: Numbers) -> None:
    for i in range(count):
        x[i] = 0.0


def multiply_transposed(wide: int, s: Numbers, J: Numbers, y: Numbers) -> None:
    """y = Jᵀ s."""
    for j in range(wide):
        x = s[0] * J[j]
        for r in unrolled(1, 6):
            x = x + s[r] * J[r * wide + j]
        y[j] = x


def pass_inertia_to_parent(wide: int, k: Numbers, y: Numbers, own: Numbers, parent: Numbers) -> None:
    """J - k yᵀ, which is added to that of the parent."""
    for j in range(wide):
        for r in unrolled(6):
            x = own[r * wide + j] - k[r] * y[j]
            own[r * wide + j] = x
            parent[r * wide + j] = parent[r * wide + j] + x


def base_wrench(wide: int, six: int, eight: int, base: Numbers, J: Numbers, P: Numbers, y: Numbers) -> None:
    """y = J δâ + P δω, with P column after column."""
    for j in range(six):
        x = base[0] * J[j]
        for r in unrolled(1, 6):
            x = x + base[r] * J[r * wide + j]
        for c in unrolled(3):
            x = x + base[6 + c] * P[c * eight + j]
        y[j] = x


def subtract_compliance(six: int, g: Numbers, L: Numbers, base: Numbers) -> None:
    """base - L g."""
    for j in range(six):
        x = base[j]
        for r in unrolled(6):
            x = x - g[r] * L[r * six + j]
        base[j] = x


def extend_response(blocks: int, count: int, k: Numbers, s: Numbers, X: Numbers, row: Numbers, own: Numbers) -> None:
    """row = -X·k, and X + row s."""
    for i in range(count):
        x = -X[i] * k[0]
        for c in unrolled(1, 6):
            x = x - X[c * blocks + i] * k[c]
        row[i] = x
        for c in unrolled(6):
            own[c * blocks + i] = X[c * blocks + i] + x * s[c]


def add_response(blocks: int, first: int, s: Numbers, row: Numbers, X: Numbers, own: Numbers) -> None:
    """X + row s."""
    for i in range(first, blocks):
        for c in unrolled(6):
            own[c * blocks + i] = X[c * blocks + i] + row[i] * s[c]


def extend_compliance(
    six: int, s: Numbers, k: Numbers, x: Numbers, S: Numbers, y: Numbers, L: Numbers, own: Numbers
) -> None:
    """L - S yᵀ - y Sᵀ + x S Sᵀ; s and k are S and y once more."""
    for j in range(six):
        rest = y[j] - x[0] * S[j]
        for r in unrolled(6):
            own[r * six + j] = L[r * six + j] - s[r] * rest - k[r] * S[j]


def negative_products(blocks: int, first: int, end: int, g: Numbers, X: Numbers, y: Numbers) -> None:
    """y = -X·g."""
    for i in range(first, end):
        x = -X[i] * g[0]
        for c in unrolled(1, 6):
            x = x - X[c * blocks + i] * g[c]
        y[i] = x


def two_negative_products(
    blocks: int, first: int, end: int, g: Numbers, h: Numbers, X: Numbers, y: Numbers, z: Numbers
) -> None:
    """y = -X·g and z = -X·h."""
    for i in range(first, end):
        x = -X[i] * g[0]
        w = -X[i] * h[0]
        for c in unrolled(1, 6):
            x = x - X[c * blocks + i] * g[c]
            w = w - X[c * blocks + i] * h[c]
        y[i] = x
        z[i] = w


def shift_response(blocks: int, first: int, end: int, s: Numbers, k: Numbers, inside: Numbers, Y: Numbers) -> None:
    """Y as answers to the motion before a degree of freedom, of those inside."""
    for i in range(first, end):
        x = Y[i] * s[0]
        for c in unrolled(1, 6):
            x = x + Y[c * blocks + i] * s[c]
        x = x * inside[i]
        for c in unrolled(9):
            Y[c * blocks + i] = Y[c * blocks + i] - x * k[c]


def base_response(blocks: int, first: int, end: int, base: Numbers, Y: Numbers, y: Numbers) -> None:
    """y = -Y·base."""
    for i in range(first, end):
        x = -Y[i] * base[0]
        for c in unrolled(1, 9):
            x = x - Y[c * blocks + i] * base[c]
        y[i] = x


def two_base_responses(
    blocks: int, first: int, end: int, base: Numbers, other: Numbers, Y: Numbers, y: Numbers, z: Numbers
) -> None:
    """y = -Y·base and z = -Y·other."""
    for i in range(first, end):
        x = -Y[i] * base[0]
        w = -Y[i] * other[0]
        for c in unrolled(1, 9):
            x = x - Y[c * blocks + i] * base[c]
            w = w - Y[c * blocks + i] * other[c]
        y[i] = x
        z[i] = w


def base_response_at_edge(
    blocks: int, i: int, base: Numbers, Y: Numbers, up: Numbers, down: Numbers, y: Numbers
) -> None:
    """y = -Y·base for those inside, where one vector holds some inside and some outside."""
    x = -Y[i] * base[0]
    for c in unrolled(1, 9):
        x = x - Y[c * blocks + i] * base[c]
    y[i] = x if up[i] * down[i] > 0.5 else y[i]


def add_multiple(blocks: int, factor: Numbers, x: Numbers, y: Numbers) -> None:
    for i in range(blocks):
        y[i] = y[i] + factor[0] * x[i]


SHARED: Final[dict[Kernel, tuple[str, ...]]] = {
    clear_all: (),
    multiply_transposed: ("s",),
    pass_inertia_to_parent: ("k",),
    extend_response: ("k", "s"),
    add_response: ("s",),
    base_wrench: ("base",),
    subtract_compliance: ("g",),
    extend_compliance: ("s", "k", "x"),
    negative_products: ("g",),
    two_negative_products: ("g", "h"),
    shift_response: ("s", "k"),
    base_response: ("base",),
    two_base_responses: ("base", "other"),
    base_response_at_edge: ("base",),
    add_multiple: ("factor",),
}
