"""An order of arguments that depends on what an expression is, not on when its parts were made.

The graph puts the arguments of sums and products in the order of their keys. Programs have inputs as they stand in
their groups: the same equations give the same code, byte for byte, whatever else happened in the process before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b

from ...algebra.graph.functions import ExternalFunction
from ...algebra.graph.graph import Node, Symbol
from ...algebra.graph.rules.rule_table import COMMUTATIVE


def canonical_arguments(nodes: Sequence[Node], place: Mapping[Symbol, tuple[int, int]]) -> dict[Node, tuple[Node, ...]]:
    """For each node (given in order of evaluation) its arguments: of commutative operations constants first, then
    inputs as they stand among the inputs, then the rest by a hash of their structure."""
    compared = _inside_commutative(nodes)
    key: dict[Node, bytes] = {}
    out: dict[Node, tuple[Node, ...]] = {}
    for n in nodes:
        args = n.args
        if len(args) == 2 and n.op in COMMUTATIVE and key[args[1]] < key[args[0]]:
            args = args[::-1]
        out[n] = args
        if n in compared:
            key[n] = _key(n, b"".join([key[a] for a in args]), place)
    return out


def _inside_commutative(nodes: Sequence[Node]) -> set[Node]:
    """Nodes that arguments of commutative operations consist of; their order of evaluation is given."""
    found: set[Node] = set()
    for n in reversed(nodes):
        if n in found or (len(n.args) == 2 and n.op in COMMUTATIVE):
            found.update(n.args)
    return found


def _key(n: Node, below: bytes, place: Mapping[Symbol, tuple[int, int]]) -> bytes:
    if n.op == "const":
        return b"0" + blake2b(repr(n.data).encode(), digest_size=8).digest()
    if isinstance(n, Symbol):
        group, at = place[n]
        return b"1" + group.to_bytes(4, "big") + at.to_bytes(4, "big")
    data = n.data.name if isinstance(n.data, ExternalFunction) else n.data
    return b"2" + blake2b(f"{n.op}|{data}|".encode() + below, digest_size=8).digest()
