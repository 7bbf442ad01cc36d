"""The WebAssembly target: machine code for browsers by our LLVM, linked by the wheel `ziglang`, behind a module with
the functions of the JavaScript target.

Everything that is a program is machine code; loops around programs (`project`, variational systems) are the text of the
JavaScript target. The machine code has one entry for each program, `void (in, out, work)`: addresses of the inputs and
of a table of external functions, of the outputs, and of scratch memory. The module copies numbers there and back.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from ....emit import WasmObject, ir, wasm_object
from ....errors import CompileError
from ....escaping import in_one_line
from ....whole_files import write_bytes
from ...artefacts.artefact import Artefact
from ...artefacts.compilers import has_zig
from ...printers.templates import template
from ..javascript.javascript_printer import argument_checks
from ..javascript.javascript_target import JavaScriptModule, files_beside

STACK_BYTES: Final = 65536  # stack of the linked module


def wasm_files(made: Artefact) -> dict[str, str | bytes]:
    """Content of each file, by name."""
    if not has_zig():
        raise CompileError(
            f"export of {made.title!r}: WebAssembly is linked by the package ziglang: pip install "
            "'symbody[wasm]'. sb.write.javascript needs no package"
        )
    name, module = made.identifier, WasmModule(made)
    binary = _linked_module(made, list(module.code.values()))
    return {f"{name}.wasm": binary, f"{name}.js": module.text(), **files_beside(made, module)}


class WasmModule(JavaScriptModule):
    """The module around the machine code."""

    language = "WebAssembly"

    def __init__(self, made: Artefact) -> None:
        super().__init__(made)
        self.machine_code = f"| `{made.identifier}.wasm` | the machine code |"
        self.code = {f.name: wasm_object(f.program) for f in made.functions}

    def definitions(self) -> list[list[str]]:
        made = self.made
        externals = "".join(f", {f.name}" for f in made.externals)
        loader = template(__package__, "loader.js").filled(name=made.identifier, externals=externals)
        return [[loader.rstrip("\n")], *(self._wrapper(f.name, f.about, f.program) for f in made.functions)]

    def kernels(self) -> list[ir.Kernel]:
        return []

    def _wrapper(self, name: str, about: str, program: ir.Program) -> list[str]:
        text = next(t for t in self.texts if t.name == name)
        sizes = [len(g) for g in program.inputs]
        outputs = [len(o.values) for o in program.outputs]
        results = [f"{r} = new Float64Array({n})" for r, n in zip(text.results, outputs, strict=True)]
        given = [
            f"[{', '.join(f'p.{f}' for f in self.fields)}]" if a == "p" else "[t]" if a == "t" else a
            for a in text.arguments
        ]
        code = self.code[name]
        place = f'placed("{code.entry}", [{", ".join(map(str, sizes))}], [{", ".join(map(str, outputs))}], {code.work})'
        returned = text.results[0] if len(text.results) == 1 else f"[{', '.join(text.results)}]"
        return [
            f"const {name}_code = {place};",
            f"// {in_one_line(f'{about}; {program.cost}')}",
            f"function {name}({', '.join([*text.arguments, *results])}) {{",
            *argument_checks(name, list(zip(text.arguments, sizes, strict=True))),
            f"    {name}_code([{', '.join(given)}], [{', '.join(text.results)}]);",
            f"    return {returned};",
            "}",
        ]  # fmt: skip


def _linked_module(made: Artefact, code: list[WasmObject]) -> bytes:
    """One module of WebAssembly from an object for each program."""
    where = f"export of {made.title!r}"
    with tempfile.TemporaryDirectory(prefix="symbody-wasm-") as folder:
        offered = ["__heap_base"]
        for k, one in enumerate(code):
            write_bytes(Path(folder) / f"{k}.o", one.content)
            offered += one.exports
        command = [
            sys.executable,
            "-m",
            "ziglang",
            "wasm-ld",
            "--no-entry",
            "--allow-undefined",
            "--strip-all",
            "-z",
            f"stack-size={STACK_BYTES}",
        ]
        objects = [f"{k}.o" for k in range(len(code))]
        done = subprocess.run(
            [*command, *(f"--export={n}" for n in offered), *objects, "-o", "out.wasm"], cwd=folder, capture_output=True, text=True, check=False
        )  # fmt: skip
        if done.returncode != 0:
            raise CompileError(
                f"{where}: ziglang cannot link the WebAssembly: {' / '.join(done.stderr.strip().splitlines()[:5])}"
            )
        return (Path(folder) / "out.wasm").read_bytes()
