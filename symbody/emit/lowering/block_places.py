"""Blocks of a program in scratch memory: which values a factorisation, a solve or loops over a tree start from, and
where these lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..loops.program_kernels import has_pivots
from ..programs.program import Instruction, Output, Program, right_side_count
from .right_sides import ZERO, Layout, right_side_layout

SIDE_BY_SIDE: Final = 4  # vector registers of right sides; every machine has registers for two rows of them
MIN_SIDE_BY_SIDE: Final = 3  # right sides solved side by side; two take as long one after the other
BLOCKS: Final = ("factor", "solve", "tree", "sweeps")


def is_put_late(program: Program, block: Instruction, v: int) -> bool:
    """Whether a value is stored into a block just before the kernel runs. Computed values are stored at once; zeros may
    be there from the start."""
    is_there = starts_as_zeros(program, block) and program.code[v] == ZERO
    return program.code[v].op in ("const", "true", "input", "item") and not is_there


def starts_as_zeros(program: Program, block: Instruction) -> bool:
    """Blocks of many right sides are zeroed first: they are mostly zeros, and denormal numbers left in padding would be
    slow to compute with."""
    return block.op == "solve" and right_side_count(program.code, block) >= MIN_SIDE_BY_SIDE


def block_feeds(program: Program, layouts: dict[int, Layout]) -> dict[int, list[tuple[int, int]]]:
    """For each computed value, the blocks and the places in them that it is put into as soon as it is known.

    (Gathering the entries of a large matrix all at once would make one piece as large as the matrix.)
    """
    feeds: dict[int, list[tuple[int, int]]] = {}
    for k, i in enumerate(program.code):
        if i.op in BLOCKS:
            for v, at in block_entries(program, k, layouts):
                if program.code[v].op not in ("const", "true", "input", "item"):
                    feeds.setdefault(v, []).append((k, at))
    return feeds


def right_side_layouts(program: Program, lanes: int, register: int) -> dict[int, Layout]:
    """Of each solve: right sides lie side by side, but where a kernel pivots in one lane of several at a time."""
    widths = [w for w in (1, 2, 4, 8, 16, 32) if w * lanes <= SIDE_BY_SIDE * register]
    out = {}
    for k, i in enumerate(program.code):
        if i.op == "solve":
            shape, count = program.code[i.args[0]].data, right_side_count(program.code, i)
            out[k] = right_side_layout(
                shape.n, count, [1] if lanes > 1 and has_pivots(shape) else widths, MIN_SIDE_BY_SIDE
            )
    return out


def block_entries(program: Program, k: int, layouts: dict[int, Layout]) -> list[tuple[int, int]]:
    """Value and place of each number that a factorisation or a solve starts from."""
    i = program.code[k]
    if i.op == "solve":
        return list(zip(i.args[1:], layouts[k].places(), strict=True))
    if i.op in ("tree", "sweeps"):
        return [(v, at) for at, v in enumerate(i.args)]
    shape, n = i.data, i.data.n
    entries = [(v, row * n + col) for (row, col), v in zip(shape.places(), i.args, strict=True)]
    if has_pivots(shape) and shape.is_symmetric:  # elimination with pivoting wants both triangles
        entries += [(v, col * n + row) for (row, col), v in zip(shape.places(), i.args, strict=True) if row != col]
    return entries


def tree_group(code: Sequence[Instruction], out: Output) -> int | None:
    """Which result of a tree an output is, whole and in order; None if it is not part of a tree."""
    items = [code[v] for v in out.values]
    blocks = {i.args[0] for i in items if i.op == "item"}
    if len(blocks) != 1 or any(i.op != "item" for i in items) or code[next(iter(blocks))].op != "tree":
        return None
    shape = code[next(iter(blocks))].data
    wanted = [i.data for i in items]
    return next(g for g in range(len(shape.groups)) if list(shape.items(g)) == wanted)
