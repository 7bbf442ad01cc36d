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
        PreparedLoop(self, arrays, numbers, stream)(members)

    def values(
        self, arrays: Mapping[tuple[str, str], tuple[ArrayView, int]], numbers: Mapping[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Arguments after the number of members, and those of them that are numbers by name."""
        values: list[Any] = []
        by_name: dict[str, Any] = {}
        for a in self.arguments:
            if a.is_array:
                view, distance = arrays[a.name, a.kind]
                values += [ctypes.c_uint64(view.address), ctypes.c_int64(distance)]
            else:
                given = numbers[a.name] if a.name in numbers else value_at(self._records, a.name)
                values.append((ctypes.c_int64 if a.kind == "index" else NUMBERS_OF[self.real])(given))
                by_name[a.name] = values[-1]
        return values, by_name


class PreparedLoop:
    """Launches of a loop on arrays that stay where they are: `call(members, t=0.1)`, with other values of numbers."""

    def __init__(
        self,
        loop: CudaLoop,
        arrays: Mapping[tuple[str, str], tuple[ArrayView, int]],
        numbers: Mapping[str, Any],
        stream: int,
    ) -> None:
        values, self._numbers = loop.values(arrays, numbers)
        self._members = ctypes.c_int64(0)
        ordinal = next(view.ordinal for view, _ in arrays.values())
        self._launch = loop.kernel(ordinal).prepared(stream, 0, [self._members, *values])

    def __call__(self, members: int, **numbers: Any) -> None:
        for name, value in numbers.items():
            if name in self._numbers:
                self._numbers[name].value = value
        if members:
            self._members.value = members
            self._launch(-(-members // THREADS))
