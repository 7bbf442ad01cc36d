"""The loops over a tree of bodies as LLVM text, for one state or for several side by side."""

from __future__ import annotations

from dataclasses import dataclass

from ..loops.kernel_nodes import RecordType
from ..loops.records import fields_of
from ..loops.specialisation import Kernels
from ..loops.tree_kernels import TreeSlopes, in_rows, tree_derivatives
from ..loops.tree_vectors import SHARED
from ..programs.tree_shape import TreeShape
from .loop_text import SCALAR_LOOPS, LlvmKernel, Tables, constant_tables, simple_kernel
from .transpose_text import transpose_text


@dataclass(frozen=True)
class TreeText:
    """Definitions of the kernels, and how they are called.

    arrays    names of the arrays that `main` takes, in order
    results   name of the kernel that writes each result; it takes the columns and the result
    """

    definitions: str
    main: str
    arrays: tuple[str, ...]
    results: tuple[str, ...]

    @property
    def declarations(self) -> list[str]:
        main = f"declare void @{self.main}({', '.join(['ptr'] * len(self.arrays))})"
        return [main, *(f"declare void @{name}(ptr, ptr)" for name in self.results)]


def tree_text(shape: TreeShape, number: str, lanes: int) -> TreeText:
    """Kernels for numbers of one type; `lanes` degrees of freedom lie side by side in a vector, if numbers are not
    vectors themselves."""
    kernels, tables = Kernels(), Tables()
    fields = tuple((f.name, f.type) for f in fields_of(TreeSlopes).values())
    record = RecordType(TreeSlopes, fields)  # type: ignore[arg-type]
    known = {f"t.{name}": value for name, value in shape.known(lanes).items()}
    main = kernels.kernel(tree_derivatives, (record,), known)
    texts = []
    for (kernel, *_), form in kernels.forms.items():
        assert form is not None
        is_vector = kernel in SHARED and lanes > 1
        kind = f"<{lanes} x {number}>" if is_vector else number
        shared = dict.fromkeys(SHARED[kernel], number) if is_vector else {}
        text = LlvmKernel(form, form.name, kind, shared=shared, tables=tables, is_scalar=not is_vector).text("nounwind")
        texts.append(text.replace("define internal", "define") if form is main else text)
    results = tuple(f"in_rows.{g}" for g in range(len(shape.groups)))
    texts += [_result(name, shape, g, number, lanes, tables) for g, name in enumerate(results)]
    arrays = tuple(p.name.removeprefix("t.") for p in main.parameters)
    return TreeText(SCALAR_LOOPS + constant_tables(tables) + "".join(texts), main.name, arrays, results)


def _result(name: str, shape: TreeShape, group: int, number: str, lanes: int, tables: Tables) -> str:
    """A function that writes columns as a matrix."""
    first, count = shape.groups[group]
    length = shape.blocks(lanes) * lanes
    if lanes > 1 and min(shape.n, count) >= lanes:
        return transpose_text(name, lanes, length, first, count, shape.rows)
    known = {"n": shape.n, "length": length, "first": first, "count": count, "rows": shape.rows}
    kernel = LlvmKernel(simple_kernel(in_rows, known), name, number, tables=tables, is_scalar=True)
    return kernel.text("nounwind").replace("define internal", "define")
