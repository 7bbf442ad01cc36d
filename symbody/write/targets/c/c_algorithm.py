"""Algorithms of an artefact as C functions: the kernel, with its arguments in place and functions called by their
names."""

from __future__ import annotations

from ....emit import ir
from ...artefacts.algorithms import ROUNDING
from ...artefacts.artefact import Algorithm, Artefact
from .c_arguments import CArgument, checks, signature
from .c_kernels import CKernel
from .c_style import CStyle


class CAlgorithm(CKernel):
    """int name(t, x, r, p, more..., results...): 0, or what is wrong."""

    def __init__(self, made: Artefact, algorithm: Algorithm, style: CStyle) -> None:
        super().__init__(
            ir.inlined_form(algorithm.kernel),
            f"{made.identifier}_{algorithm.name}",
            style=style,
        )
        self.made, self.algorithm = made, algorithm

    @property
    def given(self) -> list[CArgument]:
        a, real = self.algorithm, self.real
        name, size = a.state
        n_r, record = len(self.made.inputs), self.style.records["p"]
        state = CArgument(name, f"{'' if a.changes else 'const '}{real} {name}[{size}]", True, size)
        out = [
            CArgument("t", f"{real} t", is_read=True),
            state,
            CArgument("r", f"const {real} r[{n_r}]" if n_r else f"const {real} *r", True, n_r),
            CArgument("p", f"const {record.type} *p", True, len(self.made.parameters), record),
        ]
        out += [CArgument(k, f"const {real} {_array(k, n)}", True, n) for k, n in a.more.items()]
        return out + [CArgument(k, f"{real} {k}[{n}]", size=n) for k, n in a.results.items()]

    def prototype(self) -> str:
        return signature(f"int {self.function}", [a.declaration for a in self.given])

    def definition(self) -> str:
        """The function, with its arrays and constants as local names."""
        lines = self.body()
        a, prefix = self.algorithm, self.made.identifier
        local = [f"    {self.real} {name}[{n}];" for name, n in a.scratch.items()]
        local += [f"    const int {name} = {value};" for name, value in a.constants.items()]
        if any(p.name == ROUNDING for p in self.form.parameters):
            value = 2.0**-23 if self.style.number.ending else 2.0**-52
            local.append(f"    const {self.real} {ROUNDING} = {self.style.number.literal(value)};")
        local += [f"    const int *const {name} = {prefix}_{table};" for name, table in a.tables.items()]
        local += self.declared()
        local += ["    int status;"] if a.calls else []
        unused = [f"    (void){name};" for name in self._unused()]
        body = [*local, *unused, *checks(self.given, self.style), *lines, "    return 0;"]
        if body[-2].strip().startswith("return "):
            del body[-1]
        return "\n".join([self.comment(), self.prototype(), "{", *body, "}"]) + "\n"

    def _unused(self) -> list[str]:
        return [] if self.algorithm.calls else ["t", "r", "p"]

    def run(self, s: ir.ProgramCall) -> None:
        called = f"{self.made.identifier}_{self.algorithm.calls[s.function.name]}"
        first, *more = [self.expression(e) for e in s.inputs]
        given = ["t", first, "r", "p", *more, *(self.expression(e) for e in s.outputs)]
        self.line(f"status = {called}({', '.join(given)});")
        self.line("if (status != 0) {")
        self.line("    return status;")
        self.line("}")


def _array(name: str, size: int) -> str:
    return f"{name}[{size}]" if size else f"*{name}"
