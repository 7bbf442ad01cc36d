"""The MATLAB and Octave target: one m-file for each function, a check, and a mex gateway to the C library."""

from __future__ import annotations

from collections.abc import Iterable

from ....algebra.graph.functions import ExternalFunction
from ....algebra.printing.target_names import is_matlab_reserved
from ....emit import ir
from ....escaping import in_one_line
from ...artefacts.algorithms import ROUNDING
from ...artefacts.artefact import Algorithm, Artefact
from ...artefacts.describe import description_lines
from ...printers.readme import readme
from ...printers.templates import template
from ..c.c_library import CLibrary, CVariant
from .matlab_check import matlab_check
from .matlab_kernels import MatlabKernel
from .matlab_ode_file import ode_files
from .matlab_printer import MatlabNames, MatlabText, matlab_array, matlab_literal
from .mex_gateway import mex_gateway


def matlab_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    name = made.identifier
    names = MatlabNames(is_matlab_reserved)
    fields = tuple(names.new(v.name) for v in made.parameters)
    library = CLibrary(made, CVariant())
    files = {f"{name}_parameters.m": _parameters(made, fields), f"{name}_start.m": _start(made)}
    for f in made.functions:
        about = [
            f"{f.about}; {f.program.cost}",
            *(f"{k}: {', '.join(map(in_one_line, v))}" for k, v in f.names.items()),
        ]
        files[f"{name}_{f.name}.m"] = _text(MatlabText(f.program, name, fields).definition(about))
    for a in made.algorithms:
        files[f"{name}_{a.name}.m"] = _text(_MatlabAlgorithm(made, a).definition())
    files |= ode_files(made)
    files |= {f"{name}_{f.name}.m": _lookup(f, f"{name}_{f.name}") for f in made.externals if f.table is not None}
    source = library.source()
    files |= {f"{name}.h": library.header(), f"{name}.c": source, f"{name}_mex.c": mex_gateway(made, library)}
    files |= {f"{name}_check.m": matlab_check(made), "Makefile": template(__package__, "Makefile").filled(name=name)}
    return {**files, "README.md": _readme(made)}


def _text(lines: list[str]) -> str:
    return "\n".join([*lines, ""])


def _parameters(made: Artefact, fields: tuple[str, ...]) -> str:
    about = (f"{made.title}: parameters as in the model, or numbers in their order", "", *description_lines(made))
    return template(__package__, "parameters.m").filled(
        name=made.identifier,
        about=[f"% {in_one_line(line)}".rstrip() for line in about],
        defaults=[f"p.{f} = {matlab_literal(v)};" for f, v in zip(fields, made.defaults, strict=True)],
        count=len(fields),
        given=[f"p.{f} = values({k + 1});" for k, f in enumerate(fields)],
    )


def _start(made: Artefact) -> str:
    t, x, r = made.start
    return template(__package__, "start.m").filled(
        name=made.identifier, t=matlab_literal(t), x=_array("x", x), r=_array("r", r)
    )


def _array(name: str, values: Iterable[float]) -> list[str]:
    return matlab_array(name, [matlab_literal(v) for v in values])


def _lookup(f: ExternalFunction, name: str) -> str:
    """A piecewise polynomial: constant before the first and after the last time; as a rate zero there."""
    assert f.table is not None
    columns = [c for column in zip(*f.table.coefficients, strict=True) for c in column]
    zero = ["if x < times(1) || x > times(end)", "    y = 0;", "end"]
    return template(__package__, "lookup.m").filled(
        name=name, times=_array("times", f.table.times), coefficients=_array("coefficients", columns), pieces=len(f.table.times) - 1,
        terms=len(f.table.coefficients[0]), outside=zero if f.table.is_rate else [],
    )  # fmt: skip


class _MatlabAlgorithm(MatlabKernel):
    """A kernel around functions of the folder; all its arrays are its own."""

    def __init__(self, made: Artefact, algorithm: Algorithm) -> None:
        super().__init__(ir.inlined_form(algorithm.kernel))
        self.made, self.algorithm = made, algorithm

    def definition(self) -> list[str]:
        a, name = self.algorithm, f"{self.made.identifier}_{self.algorithm.name}"
        state, _ = a.state
        results = [state] if a.changes else list(a.results)
        returns = a.changes
        out = [*results, *(["status"] if returns else [])]
        head = f"function [{', '.join(out)}] = {name}({', '.join(['t', state, 'r', 'p', *a.more])})"
        lines = [head, f"% {in_one_line(a.about)}"]
        lines += [f"    {k} = zeros({n}, 1);" for k, n in (*a.results.items(), *a.scratch.items())]
        lines += [f"    {k} = {v};" for k, v in a.constants.items()]
        if any(p.name == ROUNDING for p in self.form.parameters):
            lines.append(f"    {ROUNDING} = eps;")
        for k, table in a.tables.items():
            lines += ["    " + s for s in matlab_array(k, [str(v) for v in self.made.tables[table]])]
        return [*lines, *self.body(), "end"]

    def returned(self, value: str | None) -> None:
        if value is not None:
            self.line(f"status = {value};")
        self.line("return;")

    def run(self, s: ir.ProgramCall) -> None:
        called = self.algorithm.calls[s.function.name]
        f = self.made.function(called).program
        sizes = [len(g) for g in (f.inputs[1], *f.inputs[4:])]
        first, *more = [self.part(e, n) for e, n in zip(s.inputs, sizes, strict=True)]
        outputs = [self.part(e, len(o.values)) for e, o in zip(s.outputs, f.outputs, strict=True)]
        self.line(
            f"[{', '.join(outputs)}] = {self.made.identifier}_{called}({', '.join(['t', first, 'r', 'p', *more])});"
        )

    def part(self, e: ir.Expression, size: int) -> str:
        """So many numbers of an array, from its beginning or from further on."""
        if isinstance(e, ir.ArrayTail):
            start = self.expression(e.start)
            return f"{self.expression(e.array)}({start} + (1:{size}))"
        return f"{self.expression(e)}(1:{size})"


def _readme(made: Artefact) -> str:
    n = made.identifier
    names = ", ".join(f"`{f.name}.m`" for f in made.externals if f.table is None)
    ode = "x', Jacobian, pattern, events and start by flags, as an ODE file of MATLAB 5: `f(t, x, flag, p)`"
    return readme(
        made, template(__package__, "README.md"), f"{n}_", name=n, supplied=f"m-files call {names}, which you supply." if names else "",
        ode_file=f"| `{n}_ode.m` | {ode} |" if ode_files(made) else "",
    )  # fmt: skip
