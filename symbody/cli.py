"""`python -m symbody`: a chain of spherical pendulums, derived, printed, compiled, run and checked."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .algebra.derivatives import jacobian, time_derivative
from .algebra.functions import cos, sin
from .algebra.graph import ZERO, Expr, Symbol, symbol, symbols
from .algebra.linear import solve
from .algebra.matrix import Matrix, cross, diagonal, dot, matrix, vector, zeros
from .algebra.printing import text
from .emit.dynamics import compile
from .emit.lower import program

VALUES = {"m": 1.0, "l": 1.0, "g": 9.81}


class Chain(NamedTuple):
    """Equations of motion  M(q, p) u' + b(q, u, p) = 0,  q' = u,  and the energy."""

    q: list[Symbol]
    u: list[Symbol]
    p: list[Symbol]
    M: Matrix
    b: Matrix
    energy: Expr


def spherical_pendulums(n: int) -> Chain:
    """n bars, each hanging on the one before by a rotation about its x axis, then about its y axis; by Kane's method.

        M = Σ m Jvᵀ Jv + Jwᵀ I Jw,   b = Σ Jvᵀ m (a - g) + Jwᵀ (I α + ω × I ω)

    with Jv, Jw the partial velocities ∂v/∂u, ∂ω/∂u of mass centre and bar, and a, α their accelerations where u' = 0.
    Vectors are in the frame of their bar.
    """
    q = [symbol(f"q{i}", "coordinate") for i in range(1, 2 * n + 1)]
    u = [symbol(f"u{i}", "speed") for i in range(1, 2 * n + 1)]
    m, l, g = symbols("m l g")
    rates = {**dict(zip(q, u, strict=True)), **dict.fromkeys(u, ZERO)}
    inertia = diagonal(m * l**2 / 12, m * l**2 / 12, m * l**2 / 100)
    centre, end = vector(0, 0, -l / 2), vector(0, 0, -l)

    w, v, up, height = zeros(3), zeros(3), vector(0, 0, 1), ZERO  # of the joint; `up` is the vertical
    M, b, energy = zeros(2 * n, 2 * n), zeros(2 * n), ZERO
    for k in range(n):
        about_x, about_y = rotation_x(q[2 * k]), rotation_y(q[2 * k + 1])
        w = about_y.T @ (about_x.T @ w + vector(u[2 * k], 0, 0)) + vector(0, u[2 * k + 1], 0)
        v, up = about_y.T @ (about_x.T @ v), about_y.T @ (about_x.T @ up)
        vc = v + cross(w, centre)
        Jv, Jw = jacobian(vc, u), jacobian(w, u)
        acceleration = time_derivative(vc, rates) + cross(w, vc)
        moment = inertia @ time_derivative(w, rates) + cross(w, inertia @ w)
        M = M + Jv.T @ Jv * m + Jw.T @ inertia @ Jw
        b = b + Jv.T @ ((acceleration + g * up) * m) + Jw.T @ moment
        energy = energy + m * dot(vc, vc) / 2 + dot(w, inertia @ w) / 2 + m * g * (height + dot(up, centre))
        v, height = v + cross(w, end), height + dot(up, end)
    return Chain(q, u, [m, l, g], symmetric(M), b, energy)


def rotation_x(angle: Expr) -> Matrix:
    c, s = cos(angle), sin(angle)
    return matrix([[1, 0, 0], [0, c, -s], [0, s, c]])


def rotation_y(angle: Expr) -> Matrix:
    c, s = cos(angle), sin(angle)
    return matrix([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def symmetric(m: Matrix) -> Matrix:
    """The matrix with its upper triangle mirrored: products that differ in their order only become one node."""
    return matrix([[m[min(i, j), max(i, j)] for j in range(m.cols)] for i in range(m.rows)])


def demonstrate(n: int) -> None:
    """Derive, print, compile, run, check."""
    one = spherical_pendulums(1)
    print("One bar of mass m and length l on two angles; its mass matrix M:\n")
    print(*(f"    M[{i}, {j}] = {text(one.M[i, j])}" for i in range(2) for j in range(i, 2)), sep="\n")

    start = time.perf_counter()
    chain = spherical_pendulums(n)
    inputs = {"q": chain.q, "u": chain.u, "p": chain.p}
    rate = solve(chain.M, -chain.b, "definite")
    power = time_derivative(chain.energy, dict(zip([*chain.q, *chain.u], [*chain.u, *rate], strict=True)))
    forward = program("forward", inputs, {"udot": rate, "energy": chain.energy, "power": power})
    derived = time.perf_counter()
    run = compile(forward, cache=False)
    compiled = time.perf_counter()
    print(f"\n{n} such bars in a chain, {2 * n} degrees of freedom, forward dynamics by a linear solve:\n")
    print(f"    {forward.cost}")
    print(f"    derived in {derived - start:.3f} s, compiled in {compiled - derived:.3f} s")

    q, u = 0.3 + 0.1 * np.arange(2 * n), np.linspace(-1, 1, 2 * n)
    p = [VALUES[s.name] for s in chain.p]
    udot, energy, rate_of_energy = run(q, u, p)
    calls = 1000
    start = time.perf_counter()
    for _ in range(calls):
        run(q, u, p)
    print(f"    one call from Python: {(time.perf_counter() - start) / calls * 1e6:.1f} microseconds\n")
    print(f"    accelerations  {np.array2string(udot, precision=4, max_line_width=100, prefix=' ' * 19)}")
    print(f"    energy {energy:.6f}; its rate, zero but for rounding: {rate_of_energy:.1e}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="symbody", description=__doc__)
    parser.add_argument("--bars", type=int, default=5, help="length of the chain (5)")
    bars = parser.parse_args(arguments).bars
    if bars < 1:
        parser.error(f"--bars must be at least 1, got {bars}")
    demonstrate(bars)
