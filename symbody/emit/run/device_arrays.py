"""Arrays in the memory of a GPU: those of CuPy, PyTorch and JAX as they are, and our own for those who have none of
them.

Arrays come and go by DLPack (which also lets streams wait for each other) and by `__cuda_array_interface__`; nothing is
copied.
"""

from __future__ import annotations

import ctypes
import sys
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...argument_kinds import answered
from ...errors import ProgramError, shown
from .cuda_driver import LEGACY_STREAM, Card, CudaDriver, card, cuda

CUDA_DEVICE: Final = 2  # of DLPack
_CAPSULE: Final = b"dltensor"
_KINDS: Final = {"f": 2, "i": 0, "u": 1}  # DLPack's codes of NumPy's kinds


class _DlDevice(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int32), ("ordinal", ctypes.c_int32))


class _DlType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _DlTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p), ("device", _DlDevice), ("dimensions", ctypes.c_int32), ("type", _DlType),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64),
    )  # fmt: skip


class _DlManaged(ctypes.Structure):
    _fields_ = (("tensor", _DlTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


_Api = ctypes.PYFUNCTYPE
_pointer_of = _Api(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_new_capsule = _Api(ctypes.py_object, *[ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p])(
    ("PyCapsule_New", ctypes.pythonapi)
)


@dataclass(frozen=True)
class ArrayView:
    """An array as kernels see it: address, shape, distances in numbers, type, card; `keep` holds its memory."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]
    ordinal: int
    keep: Any = None


def view_of(array: Any, stream: int) -> ArrayView | None:
    """An array on a card, ready for work on `stream`; None if it is something else."""
    if isinstance(array, ArrayView):
        return array
    if isinstance(array, DeviceArray):
        return array.ready_for(stream)
    if not is_on_card(array):
        return None
    if hasattr(array, "__dlpack__"):
        return _from_dlpack(array.__dlpack__(stream=stream))
    return _from_interface(array, array.__cuda_array_interface__)


def is_on_card(array: Any) -> bool:
    if hasattr(array, "__dlpack_device__"):
        return bool(array.__dlpack_device__()[0] == CUDA_DEVICE)
    return hasattr(array, "__cuda_array_interface__")


def _from_dlpack(capsule: Any) -> ArrayView:
    tensor = ctypes.cast(_pointer_of(capsule, _CAPSULE), ctypes.POINTER(_DlTensor)).contents
    n = tensor.dimensions
    shape = tuple(tensor.shape[:n])
    strides = tuple(tensor.strides[:n]) if tensor.strides else packed_strides(shape)
    kind = {code: k for k, code in _KINDS.items()}.get(tensor.type.code, "V")
    dtype = np.dtype(f"{kind}{tensor.type.bits // 8}")
    return ArrayView((tensor.data or 0) + tensor.offset, shape, strides, dtype, tensor.device.ordinal, capsule)


def _from_interface(array: Any, described: dict[str, Any]) -> ArrayView:
    dtype, shape = np.dtype(described["typestr"]), tuple(described["shape"])
    strides = described.get("strides")
    distances = packed_strides(shape) if strides is None else tuple(s // dtype.itemsize for s in strides)
    address = int(described["data"][0])
    return ArrayView(address, shape, distances, dtype, _ordinal_of(address), array)


def _ordinal_of(address: int) -> int:
    if not address:
        return 0
    return cuda().number("cuPointerGetAttribute", 9, ctypes.c_uint64(address))  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL


def packed_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Distances of an array whose rows lie one after the other."""
    out, size = [], 1
    for n in reversed(shape):
        out.append(size)
        size *= n
    return tuple(reversed(out))


# ---------------------------------------------------------------------------------------------------------- our own


class DeviceArray:
    """An array in the memory of a card. `numpy()` copies it to this computer's memory; CuPy, PyTorch and JAX take it as
    it is:

    torch.from_dlpack(x), cupy.from_dlpack(x), jax.numpy.from_dlpack(x)

    >>> try:
    ...     shape = sb.emit.device_array(np.zeros((2, 3))).shape
    ... except sb.errors.CompileError:  # without a card of NVIDIA
    ...     shape = (2, 3)
    >>> shape
    (2, 3)

    See also: `emit.device_array`, `emit.CudaFunction`.
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any, ordinal: int = 0, stream: int = LEGACY_STREAM) -> None:
        self.shape, self.dtype, self._stream = shape, np.dtype(dtype), stream
        size = max(prod(shape) * self.dtype.itemsize, 1)
        card(ordinal).enter()
        place = ctypes.c_uint64()
        cuda()("cuMemAllocAsync", ctypes.byref(place), ctypes.c_size_t(size), ctypes.c_void_p(stream))
        self.view = ArrayView(place.value, shape, packed_strides(shape), self.dtype, ordinal)
        weakref.finalize(self, _free, cuda(), card(ordinal), place.value, stream).atexit = False

    def __len__(self) -> int:
        return self.shape[0]

    def ready_for(self, stream: int) -> ArrayView:
        """The array as kernels see it, for work on `stream`, which waits until the work on this array is done."""
        if stream != self._stream:
            wait_for(self._stream, stream)
        return self.view

    def __repr__(self) -> str:
        return f"<DeviceArray {self.dtype} {list(self.shape)} on card {self.view.ordinal}>"

    def part(self, k: int) -> ArrayView:
        """The column array[:, k] as kernels see it."""
        v = self.view
        address = v.address + k * v.strides[1] * v.dtype.itemsize
        return ArrayView(address, v.shape[:1] + v.shape[2:], v.strides[:1] + v.strides[2:], v.dtype, v.ordinal, self)

    def numpy(self) -> NDArray[Any]:
        """A copy in this computer's memory, when all work on it is done.

        >>> try:
        ...     x = sb.emit.device_array(np.eye(2))
        ...     back, column, ready = x.numpy(), x.part(1).shape, x.ready_for(0).shape
        ... except sb.errors.CompileError:  # without a card of NVIDIA
        ...     back = np.eye(2)
        >>> back
        array([[1., 0.],
               [0., 1.]])

        See also: `emit.device_array`.
        """
        out, driver = np.empty(self.shape, self.dtype), cuda()
        card(self.view.ordinal).enter()
        size, stream = ctypes.c_size_t(out.nbytes), ctypes.c_void_p(self._stream)
        driver(
            "cuMemcpyDtoHAsync_v2", ctypes.c_void_p(out.ctypes.data), ctypes.c_uint64(self.view.address), size, stream
        )
        driver("cuStreamSynchronize", stream)
        return out

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape, "typestr": self.dtype.str, "data": (self.view.address, False), "version": 3, "strides": None,
            "stream": self._stream,
        }  # fmt: skip

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA_DEVICE, self.view.ordinal

    def __dlpack__(self, *, stream: int | None = None, **_: Any) -> Any:
        """A capsule. The consumer's stream waits until the work on this array is done."""
        if stream not in (None, -1):
            self.ready_for(stream or LEGACY_STREAM)
        return _capsule_of(self)


@answered
def device_array(numbers: Any, real: str = "double", card: int = 0) -> DeviceArray:
    """Numbers copied to the memory of a card, in single or double precision.

    >>> try:
    ...     x = sb.emit.device_array(np.zeros(3)).numpy()
    ... except sb.errors.CompileError:  # without a card of NVIDIA
    ...     x = np.zeros(3)
    >>> x
    array([0., 0., 0.])

    See also: `compile`, `integrate.cuda_motions`, `emit.DeviceArray`.
    """
    source = np.ascontiguousarray(numbers, dtype=real_dtype(real))
    out = DeviceArray(source.shape, source.dtype, card)
    copy_to(out, source)
    return out


def copy_to(array: DeviceArray, numbers: Any, at: int = 0) -> None:
    """Copy numbers to the memory of an array, from its entry `at` on."""
    source = np.ascontiguousarray(numbers, dtype=array.dtype)
    place = ctypes.c_uint64(array.view.address + at * array.dtype.itemsize)
    card(array.view.ordinal).enter()
    cuda()("cuMemcpyHtoD_v2", place, ctypes.c_void_p(source.ctypes.data), ctypes.c_size_t(source.nbytes))


def real_dtype(real: str) -> np.dtype[Any]:
    return np.dtype(np.float32 if real == "float" else np.float64)


def wait_for(stream: int, later: int) -> None:
    """Let stream `later` wait for what is on `stream` now."""
    driver = cuda()
    event = driver.handle("cuEventCreate", 2)  # without a time
    driver("cuEventRecord", event, ctypes.c_void_p(stream))
    driver("cuStreamWaitEvent", ctypes.c_void_p(later), event, 0)
    driver("cuEventDestroy_v2", event)


def _free(driver: CudaDriver, card: Card, address: int, stream: int) -> None:
    card.enter()
    driver("cuMemFreeAsync", ctypes.c_uint64(address), ctypes.c_void_p(stream))


class _Exported:
    """DLPack's description of an array. It holds itself, by a count of its own, until the consumer calls the
    deleter."""

    def __init__(self, array: DeviceArray) -> None:
        view, n = array.view, len(array.shape)
        self.array = array
        self.shape, self.strides = (ctypes.c_int64 * n)(*view.shape), (ctypes.c_int64 * n)(*view.strides)
        device = _DlDevice(CUDA_DEVICE, view.ordinal)
        kind = _DlType(_KINDS[view.dtype.kind], view.dtype.itemsize * 8, 1)
        tensor = _DlTensor(view.address, device, n, kind, self.shape, self.strides, 0)
        self.managed = _DlManaged(tensor, id(self), ctypes.cast(_release, ctypes.c_void_p))
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))


def _release_array(managed: int) -> None:
    ctypes.pythonapi.Py_DecRef(ctypes.cast(_DlManaged.from_address(managed).context, ctypes.py_object))


_release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_release_array)  # consumers may call it without Python's lock


def _capsule_of(array: DeviceArray) -> Any:
    """The consumer of a capsule calls its deleter; an unused capsule keeps its array alive."""
    return _new_capsule(ctypes.addressof(_Exported(array).managed), _CAPSULE, None)


# -------------------------------------------------------------------------------------------------------- of the caller


def stream_of(stream: Any, arrays: Iterable[Any]) -> int:
    """A stream by its number, or as CuPy or PyTorch have it; without one, theirs at this moment where arrays are
    theirs."""
    if stream is None:
        return next((found for a in arrays if (found := _current_stream(a)) is not None), LEGACY_STREAM)
    number = getattr(stream, "cuda_stream", getattr(stream, "ptr", stream))
    if not isinstance(number, int):
        raise ProgramError(f"stream must be a number, or a stream of CuPy or PyTorch; got {shown(stream)}")
    return number or LEGACY_STREAM


def _package_of(array: Any) -> Any:
    return sys.modules.get(type(array).__module__.partition(".")[0])


def _current_stream(array: Any) -> int | None:
    if isinstance(array, DeviceArray) or not hasattr(array, "__dlpack__"):
        return None
    their = getattr(_package_of(array), "cuda", None)
    current = getattr(their, "current_stream", None) or getattr(their, "get_current_stream", None)
    if current is None:
        return None
    stream = current()
    return int(getattr(stream, "cuda_stream", getattr(stream, "ptr", 0))) or LEGACY_STREAM


def converter(arrays: Iterable[Any]) -> Callable[[DeviceArray], Any]:
    """How results become arrays of the kind that was given."""
    for a in arrays:
        if isinstance(a, DeviceArray) or not is_on_card(a):
            continue
        space = a.__array_namespace__() if hasattr(a, "__array_namespace__") else _package_of(a)
        if found := getattr(space, "from_dlpack", None):
            made: Callable[[DeviceArray], Any] = found
            return made
    return lambda x: x
