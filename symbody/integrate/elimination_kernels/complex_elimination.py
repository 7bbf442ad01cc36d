"""Gaussian elimination on complex numbers, in real arithmetic: real and imaginary parts are arrays of their own.

As `algebra/elimination/elimination.py`, whose elimination of real matrices runs on numbers of any kind only as Python.
"""

from __future__ import annotations

from ...emit.loops.kernel_language import Indices, Numbers


def complex_factor(n: int, re: Numbers, im: Numbers, p: Indices) -> None:
    """P A = L U, in place: L below the diagonal, U above, 1/diagonal(U) on it; rows with a factor 0 are left alone."""
    for k in range(n):
        best: int = k
        largest = abs(re[k * n + k]) + abs(im[k * n + k])
        for i in range(k + 1, n):
            candidate = abs(re[i * n + k]) + abs(im[i * n + k])
            if candidate > largest:
                largest = candidate
                best = i
        p[k] = best
        if best != k:
            for j in range(n):
                swapped = re[k * n + j]
                re[k * n + j] = re[best * n + j]
                re[best * n + j] = swapped
                swapped = im[k * n + j]
                im[k * n + j] = im[best * n + j]
                im[best * n + j] = swapped
        square = re[k * n + k] * re[k * n + k] + im[k * n + k] * im[k * n + k]
        re[k * n + k] = re[k * n + k] / square
        im[k * n + k] = -im[k * n + k] / square
        for i in range(k + 1, n):
            if re[i * n + k] == 0.0 and im[i * n + k] == 0.0:
                continue
            x = re[i * n + k] * re[k * n + k] - im[i * n + k] * im[k * n + k]
            y = re[i * n + k] * im[k * n + k] + im[i * n + k] * re[k * n + k]
            re[i * n + k] = x
            im[i * n + k] = y
            for j in range(k + 1, n):
                re[i * n + j] = re[i * n + j] - x * re[k * n + j] + y * im[k * n + j]
                im[i * n + j] = im[i * n + j] - x * im[k * n + j] - y * re[k * n + j]


def complex_solve(n: int, re: Numbers, im: Numbers, p: Indices, x: Numbers, y: Numbers) -> None:
    """The solution of A (x + i y) = b with the factors of `complex_factor`; x + i y holds b on entry."""
    for k in range(n):
        a = x[k]
        b = y[k]
        x[k] = x[p[k]]
        y[k] = y[p[k]]
        x[p[k]] = a
        y[p[k]] = b
    for i in range(n):
        a = x[i]
        b = y[i]
        for k in range(i):
            a = a - re[i * n + k] * x[k] + im[i * n + k] * y[k]
            b = b - re[i * n + k] * y[k] - im[i * n + k] * x[k]
        x[i] = a
        y[i] = b
    for m in range(n):
        row: int = n - 1 - m
        a = x[row]
        b = y[row]
        for k in range(row + 1, n):
            a = a - re[row * n + k] * x[k] + im[row * n + k] * y[k]
            b = b - re[row * n + k] * y[k] - im[row * n + k] * x[k]
        x[row] = a * re[row * n + row] - b * im[row * n + row]
        y[row] = a * im[row * n + row] + b * re[row * n + row]
