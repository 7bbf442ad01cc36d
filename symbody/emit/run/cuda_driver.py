"""The NVIDIA driver's own library, by ctypes: memory, streams, modules and launches. No toolkit takes part.

Cards are used through their primary contexts, which are those of CuPy, PyTorch and JAX too.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from ...errors import CompileError

LIBRARIES: Final = ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so.1", "libcuda.so")
LEGACY_STREAM: Final = 1  # the default stream, which waits for all others and they for it
REGISTERS, LOCAL_BYTES = 4, 3  # attributes of functions
PROCESSORS, MAJOR, MINOR, CLOCK = 16, 75, 76, 13  # attributes of cards
_RELEASE_THRESHOLD: Final = 4  # attribute of a pool of memory
_PTX: Final = 1  # kind of input of the linker
_NO_MEMORY: Final = 2  # CUDA_ERROR_OUT_OF_MEMORY


class CardMemoryError(CompileError):
    """The memory of a card is full."""


class CudaDriver:
    """The library, with a check after every call."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self("cuInit", 0)

    def __call__(self, function: str, *arguments: Any) -> None:
        code = getattr(self._library, function)(*arguments)
        if code:
            kind = CardMemoryError if code == _NO_MEMORY else CompileError
            raise kind(f"the NVIDIA driver refused {function}: {self._sentence(code)}")

    def _sentence(self, code: int) -> str:
        text = ctypes.c_char_p()
        self._library.cuGetErrorString(code, ctypes.byref(text))
        return f"{(text.value or b'unknown error').decode()} ({code})"

    def number(self, function: str, *arguments: Any) -> int:
        out = ctypes.c_int()
        self(function, ctypes.byref(out), *arguments)
        return out.value

    def handle(self, function: str, *arguments: Any) -> ctypes.c_void_p:
        out = ctypes.c_void_p()
        self(function, ctypes.byref(out), *arguments)
        return out


def open_library() -> Any:
    """libcuda; a CompileError in one sentence if there is none."""
    for name in LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise CompileError(f"target 'cuda' needs an NVIDIA GPU and its driver ({LIBRARIES[0]}), which was not found")


@cache
def cuda() -> CudaDriver:
    """The driver of this computer."""
    return CudaDriver(open_library())


class Card:
    """A GPU, by its number."""

    def __init__(self, ordinal: int) -> None:
        self._driver = driver = cuda()
        self.ordinal, self._device = ordinal, driver.number("cuDeviceGet", ordinal)
        self._context = driver.handle("cuDevicePrimaryCtxRetain", self._device)
        self.enter()
        pool = driver.handle("cuDeviceGetDefaultMemPool", self._device)
        everything = ctypes.c_uint64(2**64 - 1)  # memory that is given back stays with the process
        driver("cuMemPoolSetAttribute", pool, _RELEASE_THRESHOLD, ctypes.byref(everything))

    def enter(self) -> None:
        """Make this card the one that calls of this thread go to."""
        self._driver("cuCtxSetCurrent", self._context)

    def attribute(self, which: int) -> int:
        return self._driver.number("cuDeviceGetAttribute", which, self._device)

    @property
    def architecture(self) -> str:
        return f"sm_{self.attribute(MAJOR)}{self.attribute(MINOR)}"

    @property
    def name(self) -> str:
        text = ctypes.create_string_buffer(256)
        self._driver("cuDeviceGetName", text, 256, self._device)
        return text.value.decode()


@cache
def card(ordinal: int) -> Card:
    return Card(ordinal)


def machine_code_for(card: Card, ptx: str) -> bytes:
    """Machine code of a card from PTX, by the driver."""
    driver, text = cuda(), ptx.encode() + b"\0"
    card.enter()
    state, code, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    driver("cuLinkCreate_v2", 0, None, None, ctypes.byref(state))
    try:
        driver("cuLinkAddData_v2", state, _PTX, text, ctypes.c_size_t(len(text)), b"symbody", 0, None, None)
        driver("cuLinkComplete", state, ctypes.byref(code), ctypes.byref(size))
        return ctypes.string_at(code, size.value)
    finally:
        driver("cuLinkDestroy", state)


class CudaKernel:
    """A kernel on a card, ready to be launched; its module stays as long as this object does."""

    def __init__(self, card: Card, code: bytes, name: str, threads: int) -> None:
        driver = cuda()
        card.enter()
        self._card, self.threads = card, threads
        self._module = driver.handle("cuModuleLoadData", code)
        self._function = driver.handle("cuModuleGetFunction", self._module, name.encode())
        self.registers = driver.number("cuFuncGetAttribute", REGISTERS, self._function)
        self.local_bytes = driver.number("cuFuncGetAttribute", LOCAL_BYTES, self._function)
        blocks = driver.number(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor", self._function, threads, ctypes.c_size_t(0)
        )
        self.resident = blocks * card.attribute(PROCESSORS)  # blocks that run at the same time

    def prepared(self, stream: int, blocks: int, arguments: Sequence[Any]) -> Callable[..., None]:
        """A launch with these arguments (ctypes numbers, whose values may change), to be made again and again, also with
        another number of blocks."""
        table = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
        shape = (1, 1, self.threads, 1, 1)
        driver, queue = cuda(), ctypes.c_void_p(stream)

        def launch(blocks: int = blocks) -> None:
            self._card.enter()
            driver("cuLaunchKernel", self._function, blocks, *shape, 0, queue, table, None)

        launch.arguments = arguments  # type: ignore[attr-defined]  # the table holds their addresses
        return launch

    def __del__(self) -> None:
        if module := getattr(self, "_module", None):
            try:
                self._card.enter()
                cuda()("cuModuleUnload", module)
            except (CompileError, TypeError):  # the process ends, and the driver is gone before this object
                return
