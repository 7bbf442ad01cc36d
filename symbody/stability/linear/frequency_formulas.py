"""Natural frequencies of undamped oscillations as formulas: ω² of det(K - ω² M) = 0.

Coordinates that are not coupled, and motions that are symmetric and antisymmetric under an exchange of coordinates, are
taken apart; what is left has up to three coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Final

from ...algebra.graph.functions import acos, cos
from ...algebra.graph.graph import PI, ZERO, Expr
from ...algebra.graph.matrix import Matrix, as_matrix
from ...algebra.normal_forms.square_roots import square_root
from ...algebra.normal_forms.tidy import tidy
from ...algebra.normal_forms.written_form import effort
from ...errors import StabilityError, listed

if TYPE_CHECKING:
    from .linear_system import LinearSystem

MAX_COUPLED: Final = 3
Entries = list[list[Expr]]


def frequency_formulas(lin: LinearSystem) -> Matrix:
    """Squares of the natural angular frequencies, ω² in (rad/s)², as expressions in the parameters.

        det(K - ω² M) = 0

    Available for up to three degrees of freedom, and for more if some are uncoupled or coordinates can be exchanged
    (equal masses on equal springs). Systems with damping, gyroscopic or circulatory terms are refused.

    >>> m = sb.Model("two masses")
    >>> k, mass = m.parameters("k m")
    >>> left, right = m.body("left", mass=mass), m.body("right", mass=mass)
    >>> joint = m.prismatic("x1", m.ground, left, stiffness=k)
    >>> other = m.prismatic("x2", m.ground, right, stiffness=k)
    >>> spring = m.potential("between", k * (sb.symbol("x1", "coordinate") - sb.symbol("x2", "coordinate"))**2 / 2)
    >>> sb.stability.frequency_formulas(sb.linearize(sb.derive(m), {}))
    vector(k/m, 3*k/m)

    See also: `LinearSystem.modes`, `LinearSystem.second_order`, `tidy`.
    """
    form = lin.second_order()
    for part, kind in (("D", "damping"), ("G", "gyroscopic"), ("N", "circulatory")):
        if any(tidy(e) is not ZERO for e in getattr(form, part).entries):
            raise StabilityError(
                f"frequency_formulas of {lin.name!r}: it has {kind} terms ({part} is not zero), so that frequencies are not "
                "those of det(K - ω² M) = 0; lin.modes(...) has them in numbers"
            )
    n = len(form.q)
    M, K = ([[tidy(A[i, j]) for j in range(n)] for i in range(n)] for A in (form.M, form.K))
    return as_matrix(
        [w for block in _blocks(M, K) for w in _squares(*_sub(M, K, block), lin.name, [form.q[i] for i in block])]
    )


def _sub(M: Entries, K: Entries, at: list[int]) -> tuple[Entries, Entries]:
    one, other = ([[A[i][j] for j in at] for i in at] for A in (M, K))
    return one, other


def _blocks(M: Entries, K: Entries) -> Iterator[list[int]]:
    """Indices that are coupled with each other."""
    left = list(range(len(M)))
    while left:
        block, new = [left[0]], [left[0]]
        while new:
            i = new.pop()
            for j in left:
                if j not in block and (M[i][j] is not ZERO or K[i][j] is not ZERO):
                    block.append(j)
                    new.append(j)
        left = [i for i in left if i not in block]
        yield sorted(block)


def _squares(M: Entries, K: Entries, name: str, names: list[str]) -> list[Expr]:
    """ω² of coupled coordinates, by symmetry if there is one."""
    n = len(M)
    if n == 1:
        return [tidy(K[0][0] / M[0][0])]
    for pairs in _exchanges(n):
        if _is_symmetry(M, pairs) and _is_symmetry(K, pairs):
            return [w for parts in _by_symmetry(M, K, pairs) for w in _of_blocks(*parts, name, names)]
    if n > MAX_COUPLED:
        raise StabilityError(
            f"frequency_formulas of {name!r}: {n} coordinates are coupled ({listed(names)}) and none can be exchanged; there are "
            f"formulas for up to {MAX_COUPLED}; lin.modes(...) has frequencies in numbers"
        )
    return _roots(_characteristic(M, K))


def _of_blocks(M: Entries, K: Entries, name: str, names: list[str]) -> list[Expr]:
    return [w for block in _blocks(M, K) for w in _squares(*_sub(M, K, block), name, names)]


def _exchanges(n: int) -> Iterator[list[tuple[int, int]]]:
    """Exchanges of coordinates that are tried: end for end, and two of them."""
    yield [(i, n - 1 - i) for i in range(n // 2)]
    for pair in combinations(range(n), 2):
        yield [pair]


def _is_symmetry(A: Entries, pairs: list[tuple[int, int]]) -> bool:
    to = {i: j for a, b in pairs for i, j in ((a, b), (b, a))}
    n = range(len(A))
    return all(A[i][j] is A[to.get(i, i)][to.get(j, j)] for i in n for j in n)


def _by_symmetry(M: Entries, K: Entries, pairs: list[tuple[int, int]]) -> list[tuple[Entries, Entries]]:
    """Mass and stiffness of symmetric motions (x_a = x_b, and those that are not exchanged), and of antisymmetric
    ones."""
    fixed = [i for i in range(len(M)) if all(i not in p for p in pairs)]
    even = [*([(a, 1), (b, 1)] for a, b in pairs), *([(i, 1)] for i in fixed)]
    odd = [[(a, 1), (b, -1)] for a, b in pairs]

    def projected(A: Entries, basis: list[list[tuple[int, int]]]) -> Entries:
        return [
            [tidy(sum((s * t * A[i][j] for i, s in one for j, t in other), ZERO)) for other in basis] for one in basis
        ]

    return [(projected(M, basis), projected(K, basis)) for basis in (even, odd)]


def _characteristic(M: Entries, K: Entries) -> list[Expr]:
    """Coefficients of det(K - w M), of 1, w, w², ..."""
    n = len(M)
    if n == 1:
        return [K[0][0], -M[0][0]]
    out = [ZERO] * (n + 1)
    for j in range(n):
        minor = _characteristic(*([[r[k] for k in range(n) if k != j] for r in A[1:]] for A in (M, K)))
        sign = -1 if j % 2 else 1
        for k, c in enumerate(minor):
            out[k] = out[k] + sign * K[0][j] * c
            out[k + 1] = out[k + 1] - sign * M[0][j] * c
    return [tidy(c) for c in out]


def _roots(c: list[Expr]) -> list[Expr]:
    """Zeros of a polynomial of degree 1, 2 or 3, all of them real."""
    if c[0] is ZERO:  # a motion without stiffness
        return [ZERO, *_roots(c[1:])]
    if len(c) == 2:
        return [tidy(-c[0] / c[1])]
    if len(c) == 3:
        root = square_root(tidy(c[1] ** 2 - 4 * c[0] * c[2]))
        top, bottom = tidy(-c[1]), tidy(2 * c[2])
        return [min(tidy(e), e, key=effort) for e in ((top - root) / bottom, (top + root) / bottom)]
    d, b, a = (tidy(x / c[3]) for x in c[:3])  # w³ + a w² + b w + d: Viète
    Q, R = tidy((a**2 - 3 * b) / 9), tidy((2 * a**3 - 9 * a * b + 27 * d) / 54)
    if R is ZERO:  # equally far from each other
        return [tidy(-a / 3 + k * square_root(tidy(3 * Q))) for k in (-1, 0, 1)]
    angle = acos(R / Q ** (1.5)) / 3
    return [-2 * square_root(Q) * cos(angle + 2 * k * PI / 3) - a / 3 for k in (0, 2, 1)]
