"""Columns as rows, as LLVM text: squares of one vector's length are turned over in registers."""

from __future__ import annotations

from collections.abc import Sequence


def transpose_text(name: str, lanes: int, length: int, first: int, count: int, rows: Sequence[int]) -> str:
    """A function of (columns, out): out[rows[i], k] = columns[first + k, i], with columns `length` numbers apart and at
    least `lanes` of both kinds.

    Squares at the ends overlap those before them.
    """
    n, vector = len(rows), f"<{lanes} x double>"
    table = f"@{name}.rows"
    loads, values = [], []
    for j in range(lanes):
        loads += [
            f"  %from{j} = getelementptr double, ptr %column, i64 {j * length}",
            f"  %in{j} = load {vector}, ptr %from{j}, align 8",
        ]
        values.append(f"%in{j}")
    turns, values = transposed_square(values, lanes)
    stores = []
    for j in range(lanes):
        stores += [
            f"  %place{j} = getelementptr i64, ptr %place, i64 {j}",
            f"  %row{j} = load i64, ptr %place{j}, align 8",
            f"  %start{j} = mul nsw i64 %row{j}, {count}",
            f"  %at{j} = add nsw i64 %start{j}, %k",
            f"  %to{j} = getelementptr double, ptr %out, i64 %at{j}",
            f"  store {vector} {values[j]}, ptr %to{j}, align 8",
        ]
    entries = ", ".join(f"i64 {r}" for r in rows)
    return "\n".join(
        [
            f"{table} = private constant [{n} x i64] [{entries}]",
            f"define void @{name}(ptr noalias %columns, ptr noalias %out) nounwind {{",
            "  br label %rows",
            "rows:",
            "  %i.next = phi i64 [ 0, %0 ], [ %i.after, %row.done ]",
            *_kept_inside("i", n - lanes),
            f"  %place = getelementptr i64, ptr {table}, i64 %i",
            "  br label %columns.",
            "columns.:",
            "  %k.next = phi i64 [ 0, %rows ], [ %k.after, %columns. ]",
            *_kept_inside("k", count - lanes),
            f"  %number = add nsw i64 %k, {first}",
            f"  %distance = mul nsw i64 %number, {length}",
            "  %offset = add nsw i64 %distance, %i",
            "  %column = getelementptr double, ptr %columns, i64 %offset",
            *loads,
            *turns,
            *stores,
            f"  %k.after = add nsw i64 %k.next, {lanes}",
            f"  %k.more = icmp slt i64 %k.after, {count}",
            "  br i1 %k.more, label %columns., label %row.done",
            "row.done:",
            f"  %i.after = add nsw i64 %i.next, {lanes}",
            f"  %i.more = icmp slt i64 %i.after, {n}",
            "  br i1 %i.more, label %rows, label %done",
            "done:",
            "  ret void",
            "}\n",
        ]
    )


def _kept_inside(name: str, last: int) -> list[str]:
    """min(next, last)"""
    return [
        f"  %{name}.inside = icmp slt i64 %{name}.next, {last}",
        f"  %{name} = select i1 %{name}.inside, i64 %{name}.next, i64 {last}",
    ]


def transposed_square(
    values: list[str], lanes: int, mark: str = "turned", real: str = "double"
) -> tuple[list[str], list[str]]:
    """A square turned over by exchanging halves, quarters, ... of pairs of vectors."""
    lines, vector, step = [], f"<{lanes} x {real}>", 1
    while step < lanes:
        new = list(values)
        for i in (i for i in range(lanes) if not i & step):
            pair = f"{vector} {values[i]}, {vector} {values[i + step]}"
            low = [lanes + x - step if x & step else x for x in range(lanes)]
            high = [lanes + x if x & step else x + step for x in range(lanes)]
            for j, mask in ((i, low), (i + step, high)):
                new[j] = f"%{mark}{step}.{j}"
                order = ", ".join(f"i32 {m}" for m in mask)
                lines.append(f"  {new[j]} = shufflevector {pair}, <{lanes} x i32> <{order}>")
        values, step = new, 2 * step
    return lines, values
