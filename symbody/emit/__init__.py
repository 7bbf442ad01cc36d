"""Straight-line programs from the expression graph, and callables and source text from these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..later import offer

if TYPE_CHECKING:
    from . import ir
    from .llvm.wasm_objects import WasmObject, wasm_object
    from .lowering.lower import program
    from .lowering.unshared_programs import MassMatrixPrograms, mass_matrix_programs, unshared
    from .programs.program import Cost, Program
    from .run.callable import Compiled
    from .run.cuda_callable import CudaFunction, ptx_source
    from .run.device_arrays import DeviceArray, device_array
    from .run.dynamics import Dynamics, compile
    from .run.nonlinear_functions import NonlinearFunctions
    from .text.numpy_text import numpy_function, numpy_source

__all__ = [  # noqa: RUF022  (in order of flow)
    "program", "Cost", "Program", "unshared", "MassMatrixPrograms", "mass_matrix_programs", "Compiled", "CudaFunction", "ptx_source", "WasmObject", "wasm_object", "DeviceArray", "device_array", "Dynamics", "compile", "NonlinearFunctions", "numpy_function", "numpy_source", "ir",
]  # fmt: skip

offer(__name__)
