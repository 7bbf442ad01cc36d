"""Schedules of fragments on a GPU: tables in global memory, which all threads read at the same time, and a memory of numbers for
each thread.

A fragment is a function that is not inlined, so that the text is as long as the types of links are many.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..programs.sweep_shape import SweepShape
from .llvm_numbers import BYTES
from .scalar_text import ScalarText
from .ssa_text import SsaText
from .sweep_text import schedule_text


def device_schedules(schedules: Mapping[str, SweepShape], real: str) -> tuple[list[str], list[SsaText]]:
    """Functions of schedules, by name, and the bodies of their fragments."""
    texts, bodies = [], []
    for name, shape in schedules.items():
        for kind in range(len(shape.fragments)):
            text, body = _fragment(shape, kind, f"{name}.{kind}", real)
            texts.append(text)
            bodies.append(body)
        texts.append(schedule_text(shape, name, real))
    return texts, bodies


def _fragment(shape: SweepShape, kind: int, name: str, real: str) -> tuple[str, SsaText]:
    """A function of the memory and of the row of places of a step."""
    t, program = ScalarText(real), shape.fragments[kind]
    groups: dict[int, str] = {}  # pointers
    aligned = f"align {BYTES[real]}"

    def place(group: int, at: int) -> str:
        return t.new(f"getelementptr inbounds {real}, ptr {groups[group]}, i64 {at}")

    def read(group: int, at: int) -> str:
        return t.new(f"load {real}, ptr {place(group, at)}, {aligned}")

    def write(o: int, at: int, value: str) -> None:
        to = place(len(program.inputs) + o, at)
        if shape.adds[kind][o]:
            value = t.new(f"fadd {real} {t.new(f'load {real}, ptr {to}, {aligned}')}, {value}")
        t.lines.append(f"  store {real} {value}, ptr {to}, {aligned}")

    for group in range(shape.width(kind)):
        at = t.new(f"load i32, ptr {t.new(f'getelementptr inbounds i32, ptr %row, i64 {group}')}, align 4")
        groups[group] = t.new(f"getelementptr inbounds {real}, ptr %w, i64 {t.new(f'sext i32 {at} to i64')}")
    body = SsaText(program, t, read, write)
    body.emit()
    lines = "\n".join([*body.head, *t.lines])
    return f"define internal void @{name}(ptr %w, ptr %row) noinline nounwind {{\n{lines}\n  ret void\n}}\n", body
