"""Equations of textbook systems in tidy form, beside SymPy's simplification of the same entries.

ops and sympy_ops count operations of all entries of M and f as SymPy counts them; ms is the time of `eq.readable`,
sympy_s that of the shorter of `simplify` and `trigsimp` for each entry: CPU times, ours the least of three. Where SymPy
takes longer than its limit, its columns are empty.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from typing import Any

import sympy
from sympy.core.cache import clear_cache

import symbody as sb
from symbody.algebra.normal_forms.tidy import tidied_entries

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
        ops = sum(sympy.count_ops(sb.to_sympy(e, expand=True)) for e in tidied_entries(entries).entries)
        yield {"case": name, "ops": int(ops), **_by_sympy(entries), "ms": round(1000 * seconds, 2)}


def _by_sympy(entries: list[sb.Expr]) -> dict[str, Any]:
    clear_cache()
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(SECONDS)
    start = time.process_time()
    try:
        given = [sb.to_sympy(e, expand=True) for e in entries]
        short = [min(sympy.simplify(e), sympy.trigsimp(e), key=sympy.count_ops) for e in given]
    except _OverTimeError:
        return {"sympy_ops": None, "sympy_s": None}
    finally:
        signal.alarm(0)
    return {"sympy_ops": int(sum(map(sympy.count_ops, short))), "sympy_s": round(time.process_time() - start, 3)}
