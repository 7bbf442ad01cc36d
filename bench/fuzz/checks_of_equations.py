"""Questions to the equations: routes, laws, degrees of freedom, reduced and readable forms, derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

import symbody as sb

from .oracle import Numbers
from .subject import DisagreementError, NotComparableError, Subject, agree

STEP = 1e-30
LARGEST_READ = 300  # operations of equations that introduce themselves as text


def routes(s: Subject) -> None:
    """M and f by every route; accelerations and multipliers against a solution by NumPy."""
    others = {
        r: sb.derive(s.file.mechanism, r, check=False) for r in ("kane", "lagrange", "newton-euler", "gibbs-appell")
    }
    for at in s.states:
        size = np.sqrt(np.maximum(np.diag(at.M), 1e-6 * np.abs(at.M).max(initial=1e-300)))
        level = np.abs(at.f / size).max(initial=0.0) + np.abs(at.udot * size).max(initial=0.0) + 1.0
        for route, eq in others.items():
            other = Numbers(eq, at.values)
            agree(f"M by {route}", at.M / np.outer(size, size), other.M / np.outer(size, size), 1e-9, 1.0)
            agree(f"f by {route}", at.f / size, other.f / size, 1e-9, level)
        u = at.array(s.eq.udot)
        agree("accelerations", u, at.udot, 1e-8, np.abs(at.udot).max(initial=0.0) + 1.0)
        lam = at.array(s.eq.multipliers)
        agree("M u' - f - Jcᵀ lam", at.M @ u - at.Jc.T @ lam, at.f, 1e-8, (level * size).max(initial=1.0))


def certificate(s: Subject) -> None:
    """Laws that the package knows itself."""
    if s.is_redundant:
        raise NotComparableError("certificates are of independent constraints")
    found = sb.certify(s.eq, [seed for seed, _ in s.regular], values=s.near)
    if not found.passed:
        raise DisagreementError(f"certify: {found}")


def freedoms(s: Subject) -> None:
    """Degrees of freedom of `audit` and of the equations, against the rank of Jc."""
    expected = min(len(s.eq.u) - len(at.basis) for at in s.states)
    if s.eq.degrees_of_freedom != expected:
        raise DisagreementError(
            f"degrees of freedom: {s.eq.degrees_of_freedom} of the equations, {expected} by the rank of Jc"
        )
    found = sb.audit(s.file.mechanism)
    if found.degrees_of_freedom != expected:
        raise DisagreementError(
            f"degrees of freedom: {found.degrees_of_freedom} of the audit, {expected} by the rank of Jc"
        )
    repr(found), str(found), repr(s.eq), repr(s.file.model)


def reduced(s: Subject) -> None:
    """The minimal form has the same accelerations, and the same energy."""
    if not s.eq.lam:
        raise NotComparableError("there are no constraints to eliminate")
    first = s.states[0]
    values = {x: first.values[x] for x in (*s.eq.q, *s.eq.p, s.eq.t)}
    small = sb.minimal(s.eq, at=values)
    own = {u: first.values[u] for u in small.u if u in first.values}
    at = Numbers(small, {**first.values, **own})
    speeds, rates = (
        sb.derivation.in_own_terms(small, [sb.matrix([[u] for u in s.eq.u])]),
        sb.derivation.in_own_terms(small, [s.eq.udot], solved=True),
    )
    agree("speeds of the minimal form", at.array(speeds[0]), [first.values[u] for u in s.eq.u], 1e-7)
    agree("accelerations of the minimal form", at.array(rates[0]), first.udot, 1e-6)


def readable(s: Subject) -> None:
    """Tidy matrices and readable lines have the values of the equations."""
    eq = s.eq
    if sb.emit.program("size", {"x": list(eq.variables.arguments)}, {"M": eq.M, "f": eq.f}).cost.total > LARGEST_READ:
        raise NotComparableError("too large to be read")
    tidy = sb.tidy(eq)
    text, formula = str(eq.readable), eq.readable.latex()
    if not text and (eq.u or eq.phi.rows):
        raise DisagreementError(f"readable: no text, {len(formula)} characters of LaTeX")
    for at in s.states:
        other = Numbers(tidy, at.values)
        for part in ("M", "f", "rates", "phi", "Jc", "b", "c"):
            a, b = at.array(getattr(eq, part)), other.array(getattr(tidy, part))
            agree(f"tidy {part}", a, b, 1e-9, np.abs(a).max(initial=0.0) + 1.0)
        _lines(s, at)


def _lines(s: Subject, at: Numbers) -> None:
    """Lines of motion hold where u' and lam are the solution."""
    eq = s.eq
    known = {**dict(zip((u.dot for u in eq.u), at.array(eq.udot), strict=True))}
    known |= dict(zip(eq.lam, at.array(eq.multipliers), strict=True))
    known |= {q.dot: x for q, x in zip(eq.q, at.rates, strict=True)}
    moving = at.at(known)
    for line in eq.readable.motion:
        terms = [float(sb.evaluate(c * x, moving.values)) for c, x in line.left]
        right = float(sb.evaluate(line.right, moving.values))
        agree("a readable line", sum(terms), right, 1e-7, sum(map(abs, terms)) + abs(right) + 1.0)


def derivatives(s: Subject) -> None:
    """Derivatives on the graph, of accelerations and of all matrices, against the complex step along a direction."""
    eq, at = s.eq, s.states[0]
    symbols = [*eq.q, *eq.u, *eq.z, *eq.r, *eq.p]
    direction = _along_the_norms(s, at, {x: s.draw.uniform(-1, 1) for x in symbols})
    moved = {x: complex(at.values[x], STEP * d) for x, d in direction.items()}
    for part in ("M", "f", "rates", "phi", "Jc", "c"):
        thing = sb.matrix([[e] for e in getattr(eq, part).entries])
        if not thing.rows:
            continue
        slope = at.array(sb.jacobian(thing, symbols)).reshape(thing.rows, len(symbols)) @ list(direction.values())
        stepped = at.at(moved).array(thing).imag / STEP
        agree(f"jacobian of {part}", slope, stepped, 1e-9, np.abs(stepped).max(initial=0.0) + 1.0)
    if not s.is_redundant:
        _of_accelerations(s, at, direction, moved)


def _along_the_norms(s: Subject, at: Numbers, direction: dict[Any, float]) -> dict[Any, float]:
    """A direction along which Euler parameters keep their norm: across it, derivatives depend on how equations are
    written."""
    for e in s.eq.variables.quaternions:
        across = sum(at.values[v.symbol] * direction[v.symbol] for v in e)
        direction |= {v.symbol: direction[v.symbol] - across * at.values[v.symbol] for v in e}
    return direction


def _of_accelerations(s: Subject, at: Numbers, direction: dict[Any, float], moved: dict[Any, complex]) -> None:
    eq = s.eq
    slopes = sb.derivation.forward_derivatives(eq, tuple(g for g in ("q", "u", "z", "r", "p") if getattr(eq, g))).udot
    total = np.zeros(len(eq.u))
    for group, matrix in slopes.items():
        total = total + at.array(matrix).reshape(len(eq.u), -1) @ [direction[x] for x in getattr(eq, group)]
    stepped = at.at(moved).array(eq.udot).imag / STEP
    agree(
        "derivatives of accelerations",
        total,
        stepped,
        1e-7,
        np.abs(stepped).max(initial=0.0) + np.abs(at.udot).max(initial=0.0) + 1.0,
    )
