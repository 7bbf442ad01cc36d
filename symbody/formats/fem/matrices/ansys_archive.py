"""Archives of Ansys, as CDWRITE leaves them: nodes, components of nodes, and the solids and shells between them.

Blocks begin with a command and a line of Fortran's widths, `(3i9,6e21.13e3)`; types of elements are numbers of Ansys's
library (ET, or a block of them). Bricks with corners that coincide are wedges, pyramids and tetrahedra.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Final

from ..bodies.outer_faces import HEXA, QUADRANGLE, SHELLS, SOLIDS, TETRA, ElementKind, Rows

LIBRARY: Final = {
    **dict.fromkeys((5, 45, 46, 64, 65, 73, 95, 185, 186, 190, 191, 226), HEXA),
    **dict.fromkeys((72, 92, 98, 187, 227, 285), TETRA),
    **dict.fromkeys((28, 41, 43, 63, 91, 93, 99, 143, 181, 281), QUADRANGLE),
}
MOST_FIELDS: Final = 1000  # of a line
TYPE, COUNT, NODES = 1, 8, 11  # fields of an element: its type, how many nodes it has, the first of them

Archive = tuple[dict[int, list[float]], dict[str, list[int]], Rows]


def archive_of(text: str) -> Archive:
    """Places of nodes by their labels, components by name, and elements; other elements (beams, contacts) and blocks
    that are not in the layout of solids are left out."""
    table: dict[int, list[float]] = {}
    sets: dict[str, list[int]] = {}
    kinds: dict[int, ElementKind] = {}
    elements: Rows = {}
    lines = iter(text.splitlines())
    most = len(text)  # labels, each of which takes a byte at least
    for line in lines:
        command, *words = (x.strip().upper() for x in line.split("!")[0].split(","))
        if command == "NBLOCK":
            table |= _node_block(lines)
        elif command == "CMBLOCK" and words[1].startswith("NODE"):
            sets[line.split(",")[1].strip()] = _component(lines, int(words[2]), most)
        elif command == "ET" and len(words) > 1:
            kinds |= _kind(words[0], words[1])
        elif command == "ETBLOCK":
            for fields in _rows(lines, _widths(lines)):
                kinds |= _kind(fields[0], fields[1])
        elif command == "EBLOCK" and "SOLID" in words:
            for nodes, kind in _element_block(lines, kinds):
                elements.setdefault((kind, len(nodes)), []).append(nodes)
    return table, sets, elements


def _kind(number: str, name: str) -> dict[int, ElementKind]:
    """186 and SOLID186 are the same."""
    found = re.search(r"\d+$", name)
    kind = LIBRARY.get(int(found[0])) if found else None
    return {int(number): kind} if kind and number.isdigit() else {}


# ---------------------------------------------------------------------------------------------------------- blocks


def _next(lines: Iterator[str]) -> str:
    found = next(lines, None)
    if found is None:
        raise ValueError("it ends within a block")
    return found


def _widths(lines: Iterator[str]) -> list[int]:
    """Nine, nine, nine and six times 21 of (3i9,6e21.13e3)."""
    layout = _next(lines)
    groups = re.findall(r"(\d+)[aeig](\d+)", layout.lower())
    if not groups:
        raise ValueError(f"expected widths of fields, found {layout.strip()!r}")
    if sum(int(count) for count, _ in groups) > MOST_FIELDS:
        raise ValueError(f"{layout.strip()[:60]!r} announces more than {MOST_FIELDS} fields in a line")
    return [int(width) for count, width in groups for _ in range(int(count))]


def _fields(line: str, widths: list[int]) -> list[str]:
    """Without those that are left out at the end."""
    ends = [0, *accumulate(widths)]
    found = [line[a:b].strip() for a, b in pairwise(ends)]
    while found and not found[-1]:
        found.pop()
    return found


def _rows(lines: Iterator[str], widths: list[int]) -> Iterator[list[str]]:
    """Fields of the lines of a block, which ends with -1 or with a command."""
    for line in lines:
        fields = _fields(line, widths)
        if not fields or not fields[0].isdigit():
            return
        yield fields


def _node_block(lines: Iterator[str]) -> dict[int, list[float]]:
    """Three numbers, of which the first is the label, and three coordinates; zeros at the end may be left out."""
    found = {}
    for fields in _rows(lines, _widths(lines)):
        places = (x.upper().replace("D", "E") for x in (*fields[3:6], "", "", "")[:3])
        found[int(fields[0])] = [float(x) if x else 0.0 for x in places]
    return found


def _component(lines: Iterator[str], count: int, most: int) -> list[int]:
    """-k goes on up to k."""
    widths = _widths(lines)
    numbers: list[int] = []
    while len(numbers) < count:
        numbers += map(int, _fields(_next(lines), widths))
    found: list[int] = []
    for k in numbers[:count]:
        if k < 0 and -k - found[-1] > most:
            raise ValueError(f"a component has the nodes {found[-1]} to {-k}, more than the file has")
        found.extend(range(found[-1] + 1, -k + 1) if k < 0 else [k])
    return found


def _element_block(lines: Iterator[str], kinds: dict[int, ElementKind]) -> Iterator[tuple[list[int], ElementKind]]:
    """Nodes of elements whose kind is known; those with many go on in the next line."""
    widths = _widths(lines)
    for fields in _rows(lines, widths):
        count, nodes = int(fields[COUNT]), fields[NODES:]
        while len(nodes) < count:
            nodes += _fields(_next(lines), widths)
        if (kind := kinds.get(int(fields[TYPE]))) is not None:
            yield _complete([int(x) for x in nodes[:count]], kind)


def _complete(nodes: list[int], kind: ElementKind) -> tuple[list[int], ElementKind]:
    """All nodes, or the corners where one between them is left out (0)."""
    if len(nodes) < kind.corners:
        kind = (SHELLS if kind.is_shell else SOLIDS).get(len(nodes), kind)
    return (nodes if len(nodes) == kind.sizes[1] and all(nodes) else nodes[: kind.corners]), kind
