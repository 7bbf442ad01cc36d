"""Expressions across process borders: `pickle` of anything that holds them.

A graph may be a million nodes deep and is shared by many objects, so it is not pickled node by node: an object
that holds expressions is pickled with one flat table of all its nodes, oldest first, and refers to them by number. When
it is read back, nodes are looked up in the graph of the other process like all that are created there, so equal
expressions are one object again. Caches are not pickled; they are computed again when needed.
"""

from __future__ import annotations

import copyreg
import io
import pickle
from collections.abc import Callable, Iterable
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

from .graph import Block, Condition, Expr, Node, constant, intern, make2, symbol
from .node_table import gc_paused

CACHE_ATTRIBUTE: Final = "_caches"  # attribute in which a CacheOwner holds its caches
Row = tuple[str, tuple[int, ...], Any]  # operation, numbers of the arguments, data


class Portable:
    """An object that holds expressions and can be pickled with them."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return reduce_with_nodes(self)

    def __setstate__(self, state: Any) -> None:
        of_dict, of_slots = state if isinstance(state, tuple) else (state, None)
        for name, value in ((of_dict or {}) | (of_slots or {})).items():
            object.__setattr__(self, name, value)

    def _before(self, is_packed: Callable[[Any], bool]) -> tuple[Any, ...]:
        """Objects to be pickled first, so that a long chain of objects does not cause deep recursion.

        is_packed   whether the pickling of an object has begun
        """
        return ()


def reduce_with_nodes(thing: Any) -> tuple[Any, tuple[Any, ...]]:
    """The callable and arguments by which `pickle` restores an object (`__reduce__`)."""
    if isinstance(thing, Node):
        roots, body = [thing], b""
    else:
        stream = io.BytesIO()
        packer = _Packer(stream)
        packer.dump(thing)
        roots, body = list(packer.roots), stream.getvalue()
    nodes = _oldest_first(roots)
    number = {n: k for k, n in enumerate(nodes)}
    return _restore_with_nodes, ([_row(n, number) for n in nodes], [number[n] for n in roots], body)


def _oldest_first(roots: Iterable[Node]) -> list[Node]:
    """All nodes that the roots depend on, arguments before what uses them."""
    stack = list(roots)
    seen = set(stack)
    while stack:
        new = [a for a in stack.pop().args if a not in seen]
        seen.update(new)
        stack += new
    return sorted(seen, key=lambda n: n.serial)


def _row(n: Node, number: dict[Node, int]) -> Row:
    data = (n.stem, n.kind, n.order) if n.op == "symbol" else n.data  # type: ignore[attr-defined]
    return n.op, tuple(number[a] for a in n.args), data


def _restore_with_nodes(rows: list[Row], roots: list[int], body: bytes) -> Any:
    nodes: list[Node] = []
    with gc_paused():
        for op, args, data in rows:
            nodes.append(_node(op, tuple(nodes[k] for k in args), data))
    if not body:
        return nodes[roots[0]]
    return _Unpacker(io.BytesIO(body), [nodes[k] for k in roots]).load()


def _node(op: str, args: tuple[Any, ...], data: Any) -> Node:
    """A node that is in normal form already."""
    if op == "symbol":
        return symbol(*data)
    if op == "const":
        return constant(data)
    return make2(op, *args) if op == "mul" else intern(op, args, data)


class _Packer(pickle.Pickler):
    """A pickler that replaces nodes by their numbers among `roots`, so that nested objects use the same table."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=5)
        self.roots: dict[Node, int] = {}
        self._met: dict[int, Any] = {}  # objects by id

    def persistent_id(self, thing: Any) -> int | None:
        return self.roots.setdefault(thing, len(self.roots)) if isinstance(thing, Node) else None

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, MappingProxyType):
            return _read_only, (dict(thing),)
        if not isinstance(thing, Portable):
            return NotImplemented
        self._met[id(thing)] = thing
        state = thing.__getstate__()
        if isinstance(state, dict):
            state = {k: v for k, v in state.items() if not _is_cache(type(thing), k)}
        return _bare, (type(thing), thing._before(self._is_met)), state

    def _is_met(self, thing: Any) -> bool:
        return id(thing) in self._met


def _read_only(table: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(table)


def _bare(kind: Any, _: tuple[Any, ...]) -> Any:
    """An object without its attributes, which `pickle` sets; the others were made before it."""
    return kind.__new__(kind)


def _is_cache(kind: type, name: str) -> bool:
    return name == CACHE_ATTRIBUTE or isinstance(getattr(kind, name, None), cached_property)


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, roots: list[Node]) -> None:
        super().__init__(file)
        self.roots = roots

    def persistent_load(self, number: Any) -> Node:
        return self.roots[number]


for _kind in (Expr, Condition, Block):
    copyreg.pickle(_kind, reduce_with_nodes)
