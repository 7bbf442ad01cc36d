"""External functions of a program, as machine code calls them."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np

from ...algebra.graph.functions import ExternalFunction
from ...errors import ProgramError
from ..loops.records import address_of


class ExternalAddresses:
    """Addresses of the external functions. An exception in a Python one makes the value nan and is raised after the
    call, in its own thread."""

    def __init__(self, functions: tuple[ExternalFunction, ...]) -> None:
        self._pending = threading.local()
        self._kept: list[Any] = []
        self.table = np.array([self._address(f) for f in functions] or [0], dtype=np.intp)
        self.address = address_of(self.table)

    def _address(self, function: ExternalFunction) -> int:
        if function.address is not None:
            return function.address
        if function.python is None:
            raise ProgramError(
                f"external function {function.name!r} can only be compiled with python=... or address=..."
            )
        python, pending = function.python, self._pending

        def guarded(*args: float) -> float:
            try:
                return float(python(*args))
            except BaseException as reason:
                if getattr(pending, "reason", None) is None:  # of several, the first
                    pending.reason = reason
                return float("nan")

        made = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * function.arity)(guarded)
        self._kept.append(made)
        return ctypes.cast(made, ctypes.c_void_p).value or 0

    def raise_pending(self) -> None:
        reason, self._pending.reason = getattr(self._pending, "reason", None), None
        if reason is not None:
            raise reason
