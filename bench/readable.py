"""Equations of textbook systems in tidy form, compared with SymPy's simplification of the same entries.

ops and sympy_ops are the operations of all entries of M and f, as SymPy counts them. ms is the CPU time of `eq.readable`,
the least of three; sympy_s is the CPU time of `simplify` and `trigsimp` together for all entries, of which the shorter
result is counted. If SymPy exceeds its time limit or fails, its columns are empty.

Rows `solved`, `reduced`, `drag`, `loop`, `linear` and `frequencies` are other forms of textbooks. SymPy computes them
from the same entries with the function made for them: LUsolve, cancel, simplify, solve. ms contains everything from the
equations to that form.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sympy
from sympy.core.cache import clear_cache

import symbody as sb
from symbody.algebra.normal_forms.tidy import tidied_entries

from .readable_forms import FORMS
from .readable_systems import SYSTEMS
from .timing import Row

SECONDS = 60  # for SymPy, for a system


class _OverTimeError(Exception):
    pass


def _stop(*_: Any) -> None:
    raise _OverTimeError


def rows() -> Iterator[Row]:
    for name, model in SYSTEMS.items():
        taken = []
        for _ in range(3):
            equations = sb.derive(model(), "kane", check=False)
            start = time.process_time()
            _ = equations.readable
            taken.append(time.process_time() - start)
        seconds = min(taken)
        entries = list(dict.fromkeys([*equations.M.entries, *equations.f.entries]))
        ops = _operations(tidied_entries(entries).entries)
        yield _row(name, ops, seconds, _by_sympy(entries, _shorter))
    for name, form in FORMS.items():
        asked = [form() for _ in range(3)]
        taken = []
        for a in asked:
            start = time.process_time()
            found = a.ours()
            taken.append(time.process_time() - start)
        yield _row(name, _operations(found), min(taken), _by_sympy(asked[0].given, asked[0].by_sympy))


def _row(name: str, ops: int, seconds: float, by_sympy: dict[str, Any]) -> Row:
    ratio = round(by_sympy["sympy_s"] / seconds, 1) if by_sympy["sympy_s"] else None
    return {"case": name, "ops": ops, **by_sympy, "ms": round(1000 * seconds, 2), "peer": "SymPy", "ratio": ratio}


def _operations(entries: Sequence[sb.Expr]) -> int:
    return int(sum(sympy.count_ops(sb.to_sympy(e, expand=True)) for e in entries))


def _shorter(entries: list[Any]) -> list[Any]:
    return [min(sympy.simplify(e), sympy.trigsimp(e), key=sympy.count_ops) for e in entries]


def _by_sympy(entries: Sequence[sb.Expr], short_forms: Callable[[list[Any]], list[Any]]) -> dict[str, Any]:
    clear_cache()
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(SECONDS)
    start = time.process_time()
    try:
        short = short_forms([sb.to_sympy(e, expand=True) for e in entries])
    except (_OverTimeError, RecursionError):  # the latter is what simplify ends with on nested Piecewise
        return {"sympy_ops": None, "sympy_s": None}
    finally:
        signal.alarm(0)
    return {"sympy_ops": int(sum(map(sympy.count_ops, short))), "sympy_s": round(time.process_time() - start, 3)}
