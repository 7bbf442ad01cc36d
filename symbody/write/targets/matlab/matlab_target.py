"""The MATLAB and Octave target: one m-file for each function, a check, and a mex gateway to the C library."""

from __future__ import annotations

from ....algebra.graph.functions import ExternalFunction
from ....algebra.printing.target_names import is_matlab_reserved
from ....emit.loops.checked import basic_types, checked
from ....emit.loops.form import Expression, Rest, Run
from ....escaping import in_one_line
from ...artefacts.algorithms import ROUNDING
from ...artefacts.artefact import Algorithm, Artefact
from ...artefacts.describe import described
from ...artefacts.readme import LanguageWords, readme
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
    files |= {
        f"{name}_{f.name}.m": _text(_lookup(f, f"{name}_{f.name}")) for f in made.externals if f.table is not None
    }
    source = library.source()
    files |= {f"{name}.h": library.header(), f"{name}.c": source, f"{name}_mex.c": mex_gateway(made, library)}
    files |= {f"{name}_check.m": matlab_check(made), "Makefile": _makefile(made)}
    return {**files, "README.md": readme(made, _words(made))}


def _text(lines: list[str]) -> str:
    return "\n".join([*lines, ""])


def _parameters(made: Artefact, fields: tuple[str, ...]) -> str:
    name = f"{made.identifier}_parameters"
    about = [
        f"% {in_one_line(line)}".rstrip()
        for line in (f"{made.title}: parameters as in the model, or numbers in their order", "", *described(made))
    ]
    values = [f"    p.{f} = {matlab_literal(v)};" for f, v in zip(fields, made.defaults, strict=True)]
    given = [
        "    if nargin > 0",
        f"        if numel(values) ~= {len(fields)}",
        f"            error('{name}: expected {len(fields)} numbers');",
        "        end",
    ]
    given += [*(f"        p.{f} = values({k + 1});" for k, f in enumerate(fields)), "    end"]
    return _text([f"function p = {name}(values)", *about, "    p = struct();", *values, *given, "end"])


def _start(made: Artefact) -> str:
    t, x, r = made.start
    lines = [
        f"function [t, x, r] = {made.identifier}_start()",
        "% Where motions begin.",
        f"    t = {matlab_literal(t)};",
    ]
    for key, values in (("x", x), ("r", r)):
        lines += ["    " + line for line in matlab_array(key, [matlab_literal(v) for v in values])]
    return _text([*lines, "end"])


def _lookup(f: ExternalFunction, name: str) -> list[str]:
    """A piecewise polynomial: constant before the first and after the last time; as a rate zero there."""
    assert f.table is not None
    flat = [c for row in zip(*f.table.coefficients, strict=True) for c in row]
    n, terms = len(f.table.times) - 1, len(f.table.coefficients[0])
    lines = [
        f"function y = {name}(x)",
        *("    " + s for s in matlab_array("times", [matlab_literal(v) for v in f.table.times])),
    ]
    lines += ["    " + s for s in matlab_array("coefficients", [matlab_literal(v) for v in flat])]
    lines += [f"    y = ppval(mkpp(times, reshape(coefficients, {n}, {terms})), min(max(x, times(1)), times(end)));"]
    if f.table.is_rate:
        lines += ["    if x < times(1) || x > times(end)", "        y = 0;", "    end"]
    return [*lines, "end"]


class _MatlabAlgorithm(MatlabKernel):
    """A kernel around functions of the folder; all its arrays are its own."""

    def __init__(self, made: Artefact, algorithm: Algorithm) -> None:
        super().__init__(checked(algorithm.kernel, basic_types(algorithm.kernel)))
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

    def run(self, s: Run) -> None:
        called = self.algorithm.calls[s.function.name]
        f = self.made.function(called).program
        sizes = [len(g) for g in (f.inputs[1], *f.inputs[4:])]
        first, *more = [self.part(e, n) for e, n in zip(s.inputs, sizes, strict=True)]
        outputs = [self.part(e, len(o.values)) for e, o in zip(s.outputs, f.outputs, strict=True)]
        self.line(
            f"[{', '.join(outputs)}] = {self.made.identifier}_{called}({', '.join(['t', first, 'r', 'p', *more])});"
        )

    def part(self, e: Expression, size: int) -> str:
        """So many numbers of an array, from its beginning or from further on."""
        if isinstance(e, Rest):
            start = self.expression(e.start)
            return f"{self.expression(e.array)}({start} + (1:{size}))"
        return f"{self.expression(e)}(1:{size})"


def _makefile(made: Artefact) -> str:
    name = made.identifier
    return f"""\
# make check builds the mex function and checks everything by Octave. In MATLAB: mex {name}_mex.c {name}.c, then {name}_check.
OCTAVE ?= octave
MKOCTFILE ?= mkoctfile
HOOKS ?=

check: {name}_mex.mex
	$(OCTAVE) --no-gui --quiet --eval "if {name}_check(), exit(1), end"

{name}_mex.mex: {name}_mex.c {name}.c {name}.h
	$(MKOCTFILE) --mex {name}_mex.c {name}.c $(HOOKS) -o $@

clean:
	rm -f *.o {name}_mex.mex

.PHONY: check clean
"""


def _words(made: Artefact) -> LanguageWords:
    n = made.identifier
    example = f"""\
p = {n}_parameters();
[t, x, r] = {n}_start();
[ts, xs] = ode45(@(t, x) {n}_rhs(t, x, r, p), [t, t + 1], x);
[ts, xs] = ode45(@(t, x) {n}_mex('rhs', t, x, r, p), [t, t + 1], x);   % the same by compiled C"""
    more = [f"Every function has an m-file; `{n}_mex('name', ...)` calls its compiled form with the same arguments."]
    if made.hooks or any(f.c is not None for f in made.externals):
        names = ", ".join(f"`{f.name}.m`" for f in made.externals if f.table is None)
        more.append(f"m-files call {names}, which you supply.")
    files = {
        f"{n}_*.m": "functions; `help` says what each gives",
        **{
            f"{n}_ode.m": "x', Jacobian, pattern, events and start by flags, as an ODE file of MATLAB 5: `f(t, x, flag, p)`"
            for _ in ode_files(made)
        },
        f"{n}.c, {n}.h, {n}_mex.c": f"the C library and its gateway: `mex {n}_mex.c {n}.c`",
        f"{n}_check.m": "compares everything, and integrates by Runge-Kutta steps and by ode45",
    }
    return LanguageWords(
        "MATLAB and Octave functions and a mex function",
        "make check",
        example,
        "matlab",
        f"{n}_",
        files,
        tuple(more),
    )
