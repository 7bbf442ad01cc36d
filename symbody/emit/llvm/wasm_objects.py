"""Program -> machine code for browsers: an object file of WebAssembly, which a linker joins with others."""

from __future__ import annotations

from dataclasses import dataclass

from ..programs.program import Program, require_program
from .jit import wasm_code
from .program_text import entry_name, llvm_text


@dataclass(frozen=True)
class WasmObject:
    """Machine code of a program as an object file of WebAssembly; made by `wasm_object`.

    content   bytes of the file
    entry     name of the function `void (double **in, double **out, double *work)`
    table     name of the table of external functions, whose address follows those of the inputs; empty if the
              program calls none
    work      size of the scratch memory, in numbers

    >>> x = sb.symbol("x")
    >>> code = sb.emit.wasm_object(sb.program("f", {"x": x}, {"y": x + 1}))
    >>> code.entry, code.table, code.work, code.exports, len(code.content) > 100
    ('program.f', '', 0, ('program.f',), True)

    See also: `emit.wasm_object`, `write.wasm`.
    """

    content: bytes
    entry: str
    table: str
    work: int

    @property
    def exports(self) -> tuple[str, ...]:
        """Names that the linker has to keep."""
        return (self.entry, self.table) if self.table else (self.entry,)


def wasm_object(program: Program) -> WasmObject:
    """Machine code of a program for WebAssembly. Mathematical and external functions are left to the linker.

    >>> x = sb.symbol("x")
    >>> sb.emit.wasm_object(sb.program("f", {"x": x}, {"y": sb.sin(x)})).content[:4]
    b'\\x00asm'

    See also: `write.wasm`, `emit.WasmObject`, `emit.ptx_source`.
    """
    text, entry = llvm_text(require_program("wasm_object", program), 1, 1), entry_name(program)
    table = f"{entry}.externals" if program.externals else ""
    content = wasm_code(text.kernels, text.pieces + _external_table(program, table), (entry, table))
    return WasmObject(content, entry, table, text.work)


def _external_table(program: Program, name: str) -> str:
    """The table of functions that a program calls by their addresses."""
    if not name:
        return ""
    declared = [f"declare double @{f.name}({', '.join(['double'] * f.arity)})" for f in program.externals]
    pointers = ", ".join(f"ptr @{f.name}" for f in program.externals)
    return "\n".join([*declared, f"@{name} = constant [{len(program.externals)} x ptr] [{pointers}]", ""])
