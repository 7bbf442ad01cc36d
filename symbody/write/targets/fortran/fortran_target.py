"""The Fortran 2008 target: one module, a driver, build files, README."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from textwrap import wrap
from typing import Final

from ....algebra.graph.functions import ExternalFunction
from ....algebra.printing.target_names import is_fortran_reserved
from ....emit import ir
from ....escaping import as_fortran_string, in_one_line
from ...artefacts.algorithms import ROUNDING
from ...artefacts.artefact import Algorithm, Artefact
from ...artefacts.describe import description_lines
from ...printers.readme import readme
from ...printers.templates import template, template_parts
from .fortran_driver import FortranDriver
from .fortran_kernels import FortranKernel, simple_fortran
from .fortran_printer import (
    CaselessNames,
    FortranUnit,
    constant_array,
    finite_checks,
    folded_lines,
    folded_text,
    literal,
)

MOST_CHARACTERS: Final = 63  # of a name


def fortran_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    made = with_short_identifier(made)
    name, module = made.identifier, FortranModule(made)
    files = {
        f"{name}_options.f90": fortran_options(made),
        f"{name}.f90": module.text(),
        f"{name}_driver.f90": FortranDriver(made).text(),
        "Makefile": template(__package__, "Makefile").filled(name=name, objects=f"{name}_functions.o" if module.written else ""),
    }  # fmt: skip
    if module.written:
        files[f"{name}_functions.c"] = module.functions_in_c()
    return {**files, "README.md": _readme(made, bool(module.written))}


def with_short_identifier(made: Artefact) -> Artefact:
    """With an identifier that leaves room for the longest ending of a name."""
    most = MOST_CHARACTERS - len("_variational_jacobian_values_pattern")
    if len(made.identifier) <= most:
        return made
    short = made.identifier[:most].rstrip("_")
    programs = [replace(f.program, name=short + f.program.name.removeprefix(made.identifier)) for f in made.functions]
    functions = tuple(replace(f, program=p) for f, p in zip(made.functions, programs, strict=True))
    return replace(made, identifier=short, functions=functions)


class FortranModule:
    """Text of the module."""

    def __init__(self, made: Artefact) -> None:
        self.made, self.name = made, made.identifier
        self.parts = template_parts(__package__, "procedures.f90")
        names = CaselessNames(is_fortran_reserved)
        self.fields = tuple(names.new(v.name) for v in made.parameters)
        self.units = [FortranUnit(f.program, self.name, self.fields, self.external) for f in made.functions]

    def external(self, name: str) -> str:
        return self._externals[name]

    @cached_property
    def _externals(self) -> dict[str, str]:
        """Names of external functions, cut where they are too long."""
        names = CaselessNames(is_fortran_reserved)
        wishes = {f.name: f"{self.name}_{f.name}" for f in self.made.externals}
        return {
            k: names.take(w) if len(w) <= MOST_CHARACTERS - len("_coefficients") else names.new(w)
            for k, w in wishes.items()
        }

    @property
    def written(self) -> list[ExternalFunction]:
        """Functions with C text, which is compiled beside the module."""
        return [f for f in self.made.externals if f.c is not None]

    @cached_property
    def tables(self) -> list[ExternalFunction]:
        return [f for f in self.made.externals if f.table is not None]

    def text(self) -> str:
        definitions = [unit.definition() for unit in self.units]
        kernels: list[ir.Kernel] = list(dict.fromkeys(k for u in self.units for k in u.text.kernels))  # type: ignore[misc]
        kernels += [ir.on_pieces] if self.tables else []
        helpers = [*map(self._lookup, self.tables), *self._helpers()]
        helpers += ["\n".join(simple_fortran(k, f"{self.name}_{k.__name__}")) for k in kernels]
        definitions += [self._algorithm(a) for a in self.made.algorithms]
        made, public = self.made, ["default_parameters", "initial_state", *self.made.names]
        text = template(__package__, "module.f90").filled(
            about=self._about(), name=self.name, n_x=len(made.state), n_r=len(made.inputs), n_p=len(made.parameters),
            fields=[f"real(wp) :: {f} = {literal(v)}" for f, v in zip(self.fields, made.defaults, strict=True)] or ["real(wp) :: unused = 0"],
            public=[f"public :: {self.name}_{k}" for k in public], constants=[*self._patterns(), *self._texts(), *self._numbers()],
            interfaces=self._interfaces(), helpers="\n\n".join(helpers), start=self._start(), definitions="\n\n".join("\n".join(d) for d in definitions),
        )  # fmt: skip
        return folded_text(text)

    # ------------------------------------------------------------------------------------------------ head

    def _about(self) -> list[str]:
        about = [f"{self.made.title}: Fortran 2008", "", *description_lines(self.made)]
        return [x for line in about for x in _comment(f"! {in_one_line(line)}".rstrip())]

    def _patterns(self) -> list[str]:
        """Patterns of compressed rows: where each row starts, the end, then columns."""
        out = []
        for key, values in self.made.tables.items():
            out += constant_array("integer", f"{self.name}_{key}", [str(v) for v in values] or ["0"], 0, ", public")
        return out

    def _texts(self) -> list[str]:
        """Names and units of the state."""
        out = []
        for key, values in (
            ("state_names", [v.name for v in self.made.state]),
            ("state_units", [v.unit for v in self.made.state]),
        ):
            values = [in_one_line(v).encode("ascii", "backslashreplace").decode() for v in values]
            size = max([1, *map(len, values)])
            out += constant_array(
                f"character({size})",
                f"{self.name}_{key}",
                [as_fortran_string(v.ljust(size)) for v in values],
                1,
                ", public",
            )
        return out

    def _numbers(self) -> list[str]:
        """Numbers of lookup tables."""
        out = []
        for f in self.tables:
            assert f.table is not None
            flat = [c for row in f.table.coefficients for c in row]
            for key, values in (("times", f.table.times), ("coefficients", flat)):
                out += constant_array("real(wp)", f"{self.external(f.name)}_{key}", [literal(v) for v in values], 0)
        return out

    def _interfaces(self) -> str:
        """Functions that are written in C, or that the user of the module supplies in C or in Fortran by bind(c)."""
        texts = []
        for f in (f for f in self.made.externals if f.table is None):
            bound = as_fortran_string(f"{self.external(f.name)}_c" if f.c is not None else f.name)
            names = ", ".join(f"a{k + 1}" for k in range(f.arity))
            texts.append(self.parts["interface"].filled(name=self.external(f.name), arguments=names, bound=bound))
        return self.parts["interfaces"].filled(functions=texts) if texts else ""

    # ------------------------------------------------------------------------------------------------ procedures

    def _helpers(self) -> list[str]:
        used = {op for unit in self.units for op in unit.text.needs}
        values = {
            "min": ("smaller", "a, b", "merge(a, b, a <= b)"),
            "max": ("larger", "a, b", "merge(a, b, a >= b)"),
            "sign": ("sign_of", "a", "merge(1.0_wp, merge(-1.0_wp, a, a < 0.0_wp), a > 0.0_wp)"),
        }
        return [
            self.parts["function"].filled(name=f"{self.name}_{wish}", arguments=arguments, value=f"value = {value}")
            for op, (wish, arguments, value) in values.items()
            if op in used
        ]

    def _lookup(self, f: ExternalFunction) -> str:
        """A piecewise polynomial: constant before the first and after the last time; as a rate zero there."""
        assert f.table is not None
        name, n, terms = self.external(f.name), len(f.table.times), len(f.table.coefficients[0])
        lines = [f"value = {self.name}_on_pieces({n}, {terms}, {name}_times, {name}_coefficients, x)"]
        if f.table.is_rate:
            lines += [f"if (x < {name}_times(0) .or. x > {name}_times({n - 1})) value = 0.0_wp"]
        return self.parts["function"].filled(name=name, arguments="x", value=lines)

    def _start(self) -> list[str]:
        t, x, r = self.made.start
        lines = [f"t = {literal(t)}", *(f"x({k + 1}) = {literal(v)}" for k, v in enumerate(x))]
        return [*lines, *(f"r({k + 1}) = {literal(v)}" for k, v in enumerate(r))]

    def _algorithm(self, a: Algorithm) -> list[str]:
        printer = _FortranAlgorithm(self.made, a)
        name = f"{self.name}_{a.name}"
        state, size = a.state
        arguments = ["t", state, "r", "p", *a.more, *a.results, "status"]
        body = printer.body()
        declared = [
            "real(wp), intent(in) :: t", f"real(wp), intent({'inout' if a.changes else 'in'}) :: {state}(0:{size - 1})",
            f"real(wp), intent(in) :: r({len(self.made.inputs)})", f"type({self.name}_parameters), intent(in) :: p",
            *(f"real(wp), intent(in) :: {k}(0:{n - 1})" for k, n in a.more.items()),
            *(f"real(wp), intent(out) :: {k}(0:{n - 1})" for k, n in a.results.items()), "integer, intent(out) :: status",
            *(f"real(wp) :: {k}(0:{n - 1})" for k, n in a.scratch.items()), *(f"integer, parameter :: {k} = {v}" for k, v in a.constants.items()),
        ]  # fmt: skip
        if any(p.name == ROUNDING for p in printer.form.parameters):
            declared.append(f"real(wp), parameter :: {ROUNDING} = epsilon(1.0_wp)")
        head = folded_lines(f"pure subroutine {name}({', '.join(arguments)})")
        checks = finite_checks([("t", 1), (state, size), ("r", len(self.made.inputs)), *a.more.items()], self.name)
        lines = [x for line in [*("    " + d for d in declared), *printer.locals()] for x in folded_lines(line)]
        return [*head, *lines, *checks, *(x for line in body for x in folded_lines(line)), f"end subroutine {name}"]

    def functions_in_c(self) -> str:
        """C text of external functions, each behind a name that the module binds to."""
        parts, texts = template_parts(__package__, "functions.c"), []
        for f in self.written:
            assert f.c is not None
            declared, given = (", ".join(f"{t}a{k}" for k in range(f.arity)) for t in ("double ", ""))
            name = f"{self.external(f.name)}_c"
            texts.append(
                parts["function"].filled(text=f.c.strip(), name=name, declared=declared, function=f.name, given=given)
            )
        return parts["file"].filled(name=self.name, functions="\n\n".join(texts)) + "\n"


def _comment(line: str) -> list[str]:
    return ["! " + part for part in wrap(line[1:], 118, replace_whitespace=False, drop_whitespace=False)] or ["!"]


class _FortranAlgorithm(FortranKernel):
    """A kernel around subroutines of the module."""

    def __init__(self, made: Artefact, algorithm: Algorithm) -> None:
        super().__init__(ir.inlined_form(algorithm.kernel))
        self.made, self.algorithm = made, algorithm

    def name(self, name: str) -> str:
        table = self.algorithm.tables.get(name)
        return super().name(name) if table is None else f"{self.made.identifier}_{table}"

    def returned(self, value: str | None) -> None:
        if value is not None:
            self.line(f"status = {value}")
        self.line("return")

    def run(self, s: ir.ProgramCall) -> None:
        called = f"{self.made.identifier}_{self.algorithm.calls[s.function.name]}"
        first, *more = [self.expression(e) for e in s.inputs]
        given = ["t", first, "r", "p", *more, *(self.expression(e) for e in s.outputs), "status"]
        self.line(f"call {called}({', '.join(given)})")
        self.line("if (status /= 0) return")


def fortran_options(made: Artefact, checks: bool = True) -> str:
    """Text of the module that says whether subroutines look at their arguments."""
    return template(__package__, "options.f90").filled(name=made.identifier, checks=str(checks).lower())


def _readme(made: Artefact, has_c: bool) -> str:
    n, first = made.identifier, made.functions[0]
    names = ", ".join(f"`{f.name}`" for f in made.hooks)
    supplied = (
        f"You supply {names}, as C functions or Fortran functions with bind(c): `make check HOOKS=my_functions.f90`."
    )
    return readme(
        made, template(__package__, "README.md"), f"{n}_", name=n, function=first.name, results=", ".join(o.name for o in first.program.outputs),
        supplied=supplied if names else "", functions_file=f"| `{n}_functions.c` | external functions that came as C text |" if has_c else "",
    )  # fmt: skip
