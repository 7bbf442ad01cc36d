"""Loops on a GPU, ready to run: a kernel of the loop language for each member of a batch."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any, Final

from ..llvm.device_loops import DeviceArgument, DeviceModule
from ..llvm.device_text import THREADS
from ..loops.records import Struct, value_at
from .cuda_callable import NUMBERS_OF, kept_kernel, kept_ptx
from .cuda_driver import CudaKernel, card
from .device_arrays import ArrayView

ENTRY: Final = "kernel_motions"


class CudaLoop:
    """A module whose entry is `ENTRY`. Numbers and indices come from the records, arrays from the call."""

    def __init__(self, module: DeviceModule, arguments: list[DeviceArgument], records: dict[str, Struct]) -> None:
        self.arguments, self.real, self._records = arguments, module.real, records
        text = module.text()
        self.ptx = kept_ptx(text, lambda: text)
        self._kernels: dict[int, CudaKernel] = {}

    def kernel(self, ordinal: int) -> CudaKernel:
        if ordinal not in self._kernels:
            self._kernels[ordinal] = kept_kernel(card(ordinal), self.ptx, ENTRY, THREADS)
        return self._kernels[ordinal]

    def launch(
        self,
        members: int,
        arrays: Mapping[tuple[str, str], tuple[ArrayView, int]],
        numbers: Mapping[str, Any],
        stream: int,
    ) -> None:
        """arrays    by name and kind of the argument: the array, and the distance of its members' rows
        numbers   in place of those of the records, by name
        """
        values: list[Any] = [ctypes.c_int64(members)]
        for a in self.arguments:
            if a.is_array:
                view, distance = arrays[a.name, a.kind]
                values += [ctypes.c_uint64(view.address), ctypes.c_int64(distance)]
            else:
                given = numbers[a.name] if a.name in numbers else value_at(self._records, a.name)
                values.append((ctypes.c_int64 if a.kind == "index" else NUMBERS_OF[self.real])(given))
        ordinal = next(view.ordinal for view, _ in arrays.values())
        if members:
            self.kernel(ordinal).prepared(stream, -(-members // THREADS), values)()
