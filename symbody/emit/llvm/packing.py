"""The loop over many states, as LLVM text: rows of arrays are packed side by side, the program runs, results are
unpacked.

Rows are turned over in registers, a square of `lanes` rows and columns at a time; what is left of the columns is loaded
and stored under a mask. The states after the last whole pack go through kernels (`loops/program_kernels.py`) number by number.
"""

from __future__ import annotations

from typing import Final

from ..loops.program_kernels import pack, unpack
from ..programs.program import Program
from .llvm_numbers import BYTES, SUFFIX, real_of
from .loop_text import LlvmKernel, simple_kernel
from .transpose_text import transposed_square

_SHARED: Final = """define void @NAME.share(ptr %table, ptr %work) nounwind {
  %strides = getelementptr i64, ptr %table, i64 STRIDES
  %out = getelementptr i64, ptr %table, i64 OUT
  %next = getelementptr i64, ptr %table, i64 NEXT
  %size.p = getelementptr i64, ptr %next, i64 1
  %size = load i64, ptr %size.p
  %count.p = getelementptr i64, ptr %next, i64 2
  %count = load i64, ptr %count.p
  br label %ask
ask:
  %first = atomicrmw add ptr %next, i64 %size seq_cst
  %more = icmp slt i64 %first, %count
  br i1 %more, label %take, label %done
take:
  %end = add nsw i64 %first, %size
  %is_last = icmp sgt i64 %end, %count
  %stop = select i1 %is_last, i64 %count, i64 %end
  call void @NAME.batch(ptr %table, ptr %strides, ptr %out, ptr %work, i64 %first, i64 %stop)
  br label %ask
done:
  ret void
}
"""


def _share_text(name: str, ins: int, outs: int) -> str:
    text = _SHARED.replace("NAME", name).replace("STRIDES", str(ins + 1)).replace("OUT", str(2 * ins + 1))
    return text.replace("NEXT", str(2 * ins + 1 + outs))


def batch_text(program: Program, name: str, lanes: int, real: str = "double") -> str:
    """The loop over states: `void name.batch(in, strides, out, work, first, stop)`.

    Each time round it packs `lanes` rows of every input side by side into scratch memory, calls the program, and
    unpacks. An input that is the same for all states (of stride 0) is packed once.

    `name.share(table, work)` takes parts of the states from a common count until there are none left: threads that
    share a batch meet nowhere else. In its table are pointers to the inputs and to external functions, strides,
    pointers to the outputs, the count, the states of a part, and all states.
    """
    sizes_in, sizes_out = [len(g) for g in program.inputs], [len(o.values) for o in program.outputs]
    ins, outs = len(sizes_in) + 1, len(sizes_out)
    head = [f"  %pin = alloca [{ins} x ptr]", f"  %pout = alloca [{max(outs, 1)} x ptr]"]
    whole, rest, whole_out, rest_out, at = [], [], [], [], 0
    for g, size in enumerate(sizes_in):
        head += _pointer(f"%src{g}", "%in", g) + _pointer_into_work(f"%buf{g}", real, at * lanes, "%pin", g)
        head += [f"  %st{g}.p = getelementptr i64, ptr %strides, i64 {g}", f"  %st{g} = load i64, ptr %st{g}.p"]
        arguments = f"i64 %stop, i64 %st{g}, ptr %src{g}, ptr %buf{g}"
        head += [
            f"  %still{g} = icmp eq i64 %st{g}, 0",
            f"  %once{g} = select i1 %still{g}, i64 {size}, i64 0",
            f"  %each{g} = select i1 %still{g}, i64 0, i64 {size}",
            f"  call void @pack_{lanes}(i64 %once{g}, i64 %first, {arguments})",
        ]
        rest.append(f"  call void @pack_{lanes}(i64 %each{g}, i64 %s, {arguments})")
        if size and lanes > 1:
            whole += [
                f"  br i1 %still{g}, label %packed{g}, label %pack{g}",
                f"pack{g}:",
                f"  %row{g} = mul nsw i64 %s, {size}",
                f"  %from{g} = getelementptr {real}, ptr %src{g}, i64 %row{g}",
                f"  call void @{_side_by_side(lanes, size)}(ptr %from{g}, ptr %buf{g})",
                f"  br label %packed{g}",
                f"packed{g}:",
            ]
        at += size
    head += _pointer("%ext", "%in", ins - 1)
    head += [f"  %pin.e = getelementptr ptr, ptr %pin, i64 {ins - 1}", "  store ptr %ext, ptr %pin.e"]
    for o, size in enumerate(sizes_out):
        head += _pointer(f"%dst{o}", "%out", o) + _pointer_into_work(f"%res{o}", real, at * lanes, "%pout", o)
        rest_out.append(f"  call void @unpack_{lanes}(i64 {size}, i64 %s, i64 %stop, ptr %res{o}, ptr %dst{o})")
        if size and lanes > 1:
            whole_out += [
                f"  %row.o{o} = mul nsw i64 %s, {size}",
                f"  %to{o} = getelementptr {real}, ptr %dst{o}, i64 %row.o{o}",
                f"  call void @{_in_rows(lanes, size)}(ptr %res{o}, ptr %to{o})",
            ]
        at += size
    run = f"  call void @{name}(ptr %pin, ptr %pout, ptr %rest)"
    lines = [
        *_declarations(program, lanes),
        f"define void @{name}.batch(ptr %in, ptr %strides, ptr %out, ptr %work, i64 %first, i64 %stop) nounwind {{",
        *head,
        f"  %rest = getelementptr {real}, ptr %work, i64 {at * lanes}",
        "  br label %head",
        "head:",
        "  %s = phi i64 [ %first, %0 ], [ %next, %again ]",
        f"  %next = add nsw i64 %s, {lanes}",
        "  %more = icmp slt i64 %s, %stop",
        "  br i1 %more, label %body, label %done",
        "body:",
        "  %fits = icmp sle i64 %next, %stop",
        f"  br i1 {'%fits' if lanes > 1 else 'false'}, label %whole, label %part",
        "whole:",
        *whole,
        run,
        *whole_out,
        "  br label %again",
        "part:",
        *rest,
        run,
        *rest_out,
        "  br label %again",
        "again:",
        "  br label %head",
        "done:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines) + "\n" + _share_text(name, len(sizes_in), outs)


def batch_kernels(program: Program, lanes: int, real: str = "double") -> list[str]:
    """What the loop calls, to be optimised: a text for each, which other programs have too. States after the last whole
    pack are few: vectors and unrolled loops for them would take LLVM ten times as long as all the rest of a short
    program."""
    effort = "optsize " if lanes > 1 else ""
    generic = [
        LlvmKernel(simple_kernel(k, {"lanes": lanes}), f"{k.__name__}_{lanes}", real)
        .text(f"noinline {effort}nounwind")
        .replace("define internal", "define")
        for k in (pack, unpack)
    ]
    if lanes == 1:
        return generic
    masked = _MASKED.format(vector=f"<{lanes} x {real}>", lanes=lanes, suffix=SUFFIX[real])
    sizes = _sizes(program)
    packed = [_turning(_side_by_side(lanes, n), real, lanes, n, is_packing=True) for n in sizes[0]]
    unpacked = [_turning(_in_rows(lanes, n), real, lanes, n, is_packing=False) for n in sizes[1]]
    return [*generic, *(masked + text for text in (*packed, *unpacked))]


def batch_scratch(program: Program) -> int:
    """Numbers of scratch memory for packed inputs and outputs, in units of lanes."""
    return sum(len(g) for g in program.inputs) + sum(len(o.values) for o in program.outputs)


def _sizes(program: Program) -> tuple[list[int], list[int]]:
    """Of rows that are packed, and of rows that are unpacked."""
    ins, outs = {len(g) for g in program.inputs}, {len(o.values) for o in program.outputs}
    return sorted(ins - {0}), sorted(outs - {0})


def _side_by_side(lanes: int, size: int) -> str:
    return f"side_by_side_{lanes}_{size}"


def _in_rows(lanes: int, size: int) -> str:
    return f"in_rows_{lanes}_{size}"


def _declarations(program: Program, lanes: int) -> list[str]:
    out = [
        f"declare void @pack_{lanes}(i64, i64, i64, i64, ptr, ptr)",
        f"declare void @unpack_{lanes}(i64, i64, i64, ptr, ptr)",
    ]
    if lanes > 1:
        for sizes, name in zip(_sizes(program), (_side_by_side, _in_rows), strict=True):
            out += [f"declare void @{name(lanes, n)}(ptr, ptr)" for n in sizes]
    return out


# ---------------------------------------------------------------------------------------------------------- squares

_MASKED: Final = """declare {vector} @llvm.masked.load.v{lanes}{suffix}.p0(ptr, i32, <{lanes} x i1>, {vector})
declare void @llvm.masked.store.v{lanes}{suffix}.p0({vector}, ptr, i32, <{lanes} x i1>)
"""


def _turning(name: str, real: str, lanes: int, size: int, is_packing: bool) -> str:
    """A function of (source, target): rows of `size` numbers turned into columns of `lanes` numbers, or back."""
    whole, left = divmod(size, lanes)
    square = _square if is_packing else _square_back
    lines = [
        f"define void @{name}(ptr noalias %source, ptr noalias %target) nounwind {{",
        "  br label %start",
        "start:",
    ]
    if whole:
        lines += [
            "  br label %squares",
            "squares:",
            "  %j = phi i64 [ 0, %start ], [ %j.next, %squares ]",
            *square("whole", "%j", real, lanes, size, lanes),
            f"  %j.next = add nsw i64 %j, {lanes}",
            f"  %more = icmp slt i64 %j.next, {whole * lanes}",
            "  br i1 %more, label %squares, label %last",
            "last:",
        ]
    if left:
        lines += square("part", str(whole * lanes), real, lanes, size, left)
    return "\n".join([*lines, "  ret void", "}\n"])


def _square(mark: str, first: str, real: str, lanes: int, size: int, width: int) -> list[str]:
    """`width` columns from `first` on, each to its place; those of a whole square without a mask."""
    vector, lines, values = f"<{lanes} x {real}>", list[str](), list[str]()
    for r in range(lanes):
        lines += [
            f"  %{mark}.at{r} = add nsw i64 {first}, {r * size}",
            f"  %{mark}.from{r} = getelementptr {real}, ptr %source, i64 %{mark}.at{r}",
            f"  %{mark}.in{r} = {_load(vector, f'%{mark}.from{r}', lanes, width)}",
        ]
        values.append(f"%{mark}.in{r}")
    turns, values = transposed_square(values, lanes, mark, real)
    lines += [*turns, f"  %{mark}.base = mul nsw i64 {first}, {lanes}"]
    for c in range(width):
        lines += [
            f"  %{mark}.place{c} = add nsw i64 %{mark}.base, {c * lanes}",
            f"  %{mark}.to{c} = getelementptr {real}, ptr %target, i64 %{mark}.place{c}",
            f"  store {vector} {values[c]}, ptr %{mark}.to{c}, align {BYTES[real]}",
        ]
    return lines


def _square_back(mark: str, first: str, real: str, lanes: int, size: int, width: int) -> list[str]:
    """The reverse."""
    vector, lines, values = f"<{lanes} x {real}>", list[str](), list[str]()
    lines.append(f"  %{mark}.base = mul nsw i64 {first}, {lanes}")
    for c in range(lanes):
        if c >= width:
            values.append("poison")
            continue
        lines += [
            f"  %{mark}.place{c} = add nsw i64 %{mark}.base, {c * lanes}",
            f"  %{mark}.from{c} = getelementptr {real}, ptr %source, i64 %{mark}.place{c}",
            f"  %{mark}.in{c} = load {vector}, ptr %{mark}.from{c}, align {BYTES[real]}",
        ]
        values.append(f"%{mark}.in{c}")
    turns, values = transposed_square(values, lanes, mark, real)
    lines += turns
    for r in range(lanes):
        lines += [
            f"  %{mark}.at{r} = add nsw i64 {first}, {r * size}",
            f"  %{mark}.to{r} = getelementptr {real}, ptr %target, i64 %{mark}.at{r}",
            _store(vector, values[r], f"%{mark}.to{r}", lanes, width),
        ]
    return lines


def _mask(lanes: int, width: int) -> str:
    return f"<{lanes} x i1> <{', '.join(f'i1 {str(k < width).lower()}' for k in range(lanes))}>"


def _load(vector: str, place: str, lanes: int, width: int) -> str:
    real = real_of(vector)
    if width == lanes:
        return f"load {vector}, ptr {place}, align {BYTES[real]}"
    function = f"@llvm.masked.load.v{lanes}{SUFFIX[real]}.p0"
    return f"call {vector} {function}(ptr {place}, i32 {BYTES[real]}, {_mask(lanes, width)}, {vector} zeroinitializer)"


def _store(vector: str, value: str, place: str, lanes: int, width: int) -> str:
    real = real_of(vector)
    if width == lanes:
        return f"  store {vector} {value}, ptr {place}, align {BYTES[real]}"
    function = f"@llvm.masked.store.v{lanes}{SUFFIX[real]}.p0"
    return f"  call void {function}({vector} {value}, ptr {place}, i32 {BYTES[real]}, {_mask(lanes, width)})"


def _pointer(name: str, table: str, at: int) -> list[str]:
    return [f"  {name}.p = getelementptr ptr, ptr {table}, i64 {at}", f"  {name} = load ptr, ptr {name}.p"]


def _pointer_into_work(name: str, real: str, offset: int, table: str, at: int) -> list[str]:
    return [
        f"  {name} = getelementptr {real}, ptr %work, i64 {offset}",
        f"  {name}.q = getelementptr ptr, ptr {table}, i64 {at}",
        f"  store ptr {name}, ptr {name}.q",
    ]
