"""Keys of nodes: numbers that depend on the content of a node, not on when or in which process it was created.

A key is a class and a hash. The class of a symbol is its kind, that of any other node the highest class among its
arguments, so that sorting by keys puts numbers first, then parameters, then what depends on coordinates, then speeds.
The hash is made of numbers only: Python hashes these alike in every process. That of a product is the sum of those of
its factors, whatever their grouping, so that the key finds the product (`make2`).
"""

from __future__ import annotations

from fractions import Fraction
from hashlib import blake2b
from typing import Any, Final

HASH_BITS: Final = 56
HASH: Final = (1 << HASH_BITS) - 1
CLASS_OF_KIND: Final = {  # odd: only numbers have class 0, so that they come before functions of numbers
    "parameter": 1, "material": 1, "input": 3, "variable": 3, "time": 3, "coordinate": 5, "speed": 7, "acceleration": 9, "multiplier": 11,
}  # fmt: skip
NOT_A_NUMBER: Final = 1 << HASH_BITS
CLASS_MASK: Final = 0xFF << HASH_BITS  # positive: of negative numbers, Python makes a complement first


def text_number(text: str) -> int:
    """A number for a text, the same in every process."""
    return int.from_bytes(blake2b(text.encode(), digest_size=7).digest(), "big")


class _OperationNumbers(dict[str, int]):
    def __missing__(self, op: str) -> int:
        return self.setdefault(op, text_number(op))


operation_number = _OperationNumbers()


def key_top(key: int) -> int:
    """The class in the key of a node whose highest argument has this key."""
    return key & CLASS_MASK | NOT_A_NUMBER


def node_key(op: str, args: tuple[Any, ...], data: Any) -> int:
    """The key of any node but symbols and constants; data that is no number counts by its text."""
    if len(args) == 2 and data is None:
        return pair_key(op, *args)
    keys = [a.key for a in args]
    what = () if data is None else (data if isinstance(data, int) else text_number(str(data)),)
    return key_top(max(keys, default=0)) | hash((operation_number[op], *what, *keys)) & HASH


def key_class(n: Any) -> int:
    """The class of a node: 0 for numbers, 1 for what depends on parameters alone, 3 inputs and time, 5 coordinates, 7
    speeds, 9, 11."""
    return n.key >> HASH_BITS


def pair_key(op: str, a: Any, b: Any) -> int:
    """The key of a node of two arguments."""
    one, other = a.key, b.key
    if op == "mul":
        low = one + other
    elif op == "pow" and b.op == "const" and isinstance(b.data, int):
        low = one * b.data
    else:
        low = hash((operation_number[op], one, other))
    return key_top(one if one > other else other) | low & HASH


def symbol_keys(kind: str, name: str, order: int) -> tuple[int, int]:
    """The class of a symbol as part of keys, and its key."""
    top = CLASS_OF_KIND[kind] << HASH_BITS
    return top, top | text_number(f"{kind} {name} {order}")


def constant_key(value: int | float | Fraction) -> int:
    """Python's own hashes of -1 and -2 are equal."""
    return text_number(value.hex() if isinstance(value, float) else f"{value.numerator:x}/{value.denominator:x}")
