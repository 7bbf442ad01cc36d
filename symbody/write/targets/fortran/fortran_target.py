"""The Fortran 2008 target: one module, a driver, build files, README."""

from __future__ import annotations

from functools import cached_property
from textwrap import wrap

from ....algebra.graph.functions import ExternalFunction
from ....algebra.printing.target_names import is_fortran_reserved
from ....emit.loops.checked import basic_types, checked
from ....emit.loops.form import Run
from ....emit.loops.kernels import on_pieces
from ....emit.loops.language import Kernel
from ....escaping import as_fortran_string, in_one_line
from ...artefacts.algorithms import ROUNDING
from ...artefacts.artefact import Algorithm, Artefact
from ...artefacts.describe import described
from ...artefacts.readme import LanguageWords, readme
from .fortran_driver import FortranDriver
from .fortran_kernels import FortranKernel, simple_fortran
from .fortran_printer import CaselessNames, FortranUnit, constant_array, finite_checks, folded, literal


def fortran_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    name, module = made.identifier, FortranModule(made)
    files = {
        f"{name}_options.f90": fortran_options(made),
        f"{name}.f90": module.text(),
        f"{name}_driver.f90": FortranDriver(made).text(),
        "Makefile": _makefile(made),
    }
    if module.written:
        files[f"{name}_functions.c"] = module.functions_in_c()
    return {**files, "README.md": readme(made, _words(made))}


class FortranModule:
    """Text of the module."""

    def __init__(self, made: Artefact) -> None:
        self.made, self.name = made, made.identifier
        names = CaselessNames(is_fortran_reserved)
        self.fields = tuple(names.new(v.name) for v in made.parameters)
        self.units = [FortranUnit(f.program, self.name, self.fields, self.external) for f in made.functions]

    def external(self, name: str) -> str:
        return f"{self.name}_{name}"

    @property
    def written(self) -> list[ExternalFunction]:
        """Functions with C text, which is compiled beside the module."""
        return [f for f in self.made.externals if f.c is not None]

    @cached_property
    def tables(self) -> list[ExternalFunction]:
        return [f for f in self.made.externals if f.table is not None]

    def text(self) -> str:
        definitions = [unit.definition() for unit in self.units]
        kernels: list[Kernel] = list(dict.fromkeys(k for u in self.units for k in u.text.kernels))  # type: ignore[misc]
        kernels += [on_pieces] if self.tables else []
        procedures = [
            *(self._function(f) for f in self.tables),
            *self._helpers(),
            *(simple_fortran(k, f"{self.name}_{k.__name__}") for k in kernels),
        ]
        procedures += [
            self._defaults(),
            self._start(),
            *definitions,
            *(self._algorithm(a) for a in self.made.algorithms),
        ]
        body = "\n\n".join("\n".join(p) for p in procedures)
        return "\n".join([*self._head(), "", "contains", "", body, "", f"end module {self.name}", ""])

    # ------------------------------------------------------------------------------------------------ head

    def _head(self) -> list[str]:
        lines = [
            f"! {in_one_line(line)}".rstrip()
            for line in (f"{self.made.title}: Fortran 2008", "", *described(self.made))
        ]
        lines += [
            "!",
            (
                "! Every subroutine gives a status: 0, or 3 where an argument is not finite, 4 where a "
                "projection does not end."
            ),
        ]
        lines += [
            f"! They do not look at their arguments where {self.name}_options.f90 says so.",
            f"module {self.name}",
        ]
        lines += [
            f"    use {self.name}_options, only: {self.name}_checks",
            "    use, intrinsic :: iso_fortran_env, only: real64",
            "    use, intrinsic :: iso_c_binding, only: c_double",
        ]
        lines += [
            (
                "    use, intrinsic :: ieee_arithmetic, only: ieee_is_finite, ieee_value, ieee_quiet_nan, "
                "ieee_positive_inf, ieee_negative_inf"
            )
        ]
        out = [x for line in lines for x in (_comment(line) if line.startswith("!") else folded(line))]
        out += ["    implicit none", "    private", "    public :: wp", "    integer, parameter :: wp = real64"]
        n = self.made
        out += [
            f"    integer, parameter, public :: {self.name}_{k} = {v}"
            for k, v in (("nx", len(n.state)), ("nr", len(n.inputs)), ("np", len(n.parameters)))
        ]
        out += ["", f"    type, public :: {self.name}_parameters"]
        out += [f"        real(wp) :: {f} = {literal(v)}" for f, v in zip(self.fields, n.defaults, strict=True)] or [
            "        real(wp) :: unused = 0"
        ]
        out += [f"    end type {self.name}_parameters", ""]
        public = [
            f"{self.name}_{k}"
            for k in (
                "default_parameters",
                "initial_state",
                *(f.name for f in n.functions),
                *(a.name for a in n.algorithms),
            )
        ]
        out += [f"    public :: {k}" for k in public]
        for key, values in n.tables.items():
            out += constant_array("integer", f"{self.name}_{key}", [str(v) for v in values] or ["0"], 0, ", public")
        return [*out, *self._texts(), *self._numbers(), *self._interfaces()]

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

    def _interfaces(self) -> list[str]:
        """Functions that are written in C, or that whoever uses the module supplies in C or in Fortran by bind(c)."""
        others = [f for f in self.made.externals if f.table is None]
        if not others:
            return []
        out = ["", "    interface"]
        for f in others:
            names = ", ".join(f"a{k + 1}" for k in range(f.arity))
            bound = f"{self.external(f.name)}_c" if f.c is not None else f.name
            out += [
                (
                    f"        pure function {self.external(f.name)}({names}) bind(c, "
                    f"name={as_fortran_string(bound)}) result(value)"
                )
            ]
            out += [
                "            import :: c_double",
                f"            real(c_double), value, intent(in) :: {names}",
                "            real(c_double) :: value",
            ]
            out += [f"        end function {self.external(f.name)}"]
        return [*out, "    end interface"]

    # ------------------------------------------------------------------------------------------------ procedures

    def _helpers(self) -> list[list[str]]:
        used = {i.op for f in self.made.functions for i in f.program.code}
        texts = {
            "min": ("smaller", "a, b", "merge(a, b, a <= b)"),
            "max": ("larger", "a, b", "merge(a, b, a >= b)"),
            "sign": ("sign_of", "a", "merge(1.0_wp, merge(-1.0_wp, a, a < 0.0_wp), a > 0.0_wp)"),
        }
        out = []
        for op, (wish, arguments, value) in texts.items():
            if op in used:
                name = f"{self.name}_{wish}"
                declared = ["    real(wp), intent(in) :: " + arguments, "    real(wp) :: value"]
                out.append(
                    [
                        f"pure function {name}({arguments}) result(value)",
                        *declared,
                        f"    value = {value}",
                        f"end function {name}",
                    ]
                )
        return out

    def _function(self, f: ExternalFunction) -> list[str]:
        assert f.table is not None
        name, n, terms = self.external(f.name), len(f.table.times), len(f.table.coefficients[0])
        lines = [f"    value = {self.name}_on_pieces({n}, {terms}, {name}_times, {name}_coefficients, x)"]
        if f.table.is_rate:
            lines += [f"    if (x < {name}_times(0) .or. x > {name}_times({n - 1})) value = 0.0_wp"]
        declared = ["    real(wp), intent(in) :: x", "    real(wp) :: value"]
        return [
            f"pure function {name}(x) result(value)",
            *declared,
            *(x for line in lines for x in folded(line)),
            f"end function {name}",
        ]

    def _defaults(self) -> list[str]:
        name = f"{self.name}_default_parameters"
        kind = f"type({self.name}_parameters)"
        return [
            f"pure subroutine {name}(p)",
            f"    {kind}, intent(out) :: p",
            f"    p = {self.name}_parameters()",
            f"end subroutine {name}",
        ]

    def _start(self) -> list[str]:
        t, x, r = self.made.start
        name = f"{self.name}_initial_state"
        lines = [
            f"pure subroutine {name}(t, x, r)",
            f"    real(wp), intent(out) :: t, x({len(x)}), r({len(r)})",
            f"    t = {literal(t)}",
        ]
        lines += [f"    x({k + 1}) = {literal(v)}" for k, v in enumerate(x)]
        return [*lines, *(f"    r({k + 1}) = {literal(v)}" for k, v in enumerate(r)), f"end subroutine {name}"]

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
        head = folded(f"pure subroutine {name}({', '.join(arguments)})")
        checks = finite_checks([("t", 1), (state, size), ("r", len(self.made.inputs)), *a.more.items()], self.name)
        lines = [x for line in [*("    " + d for d in declared), *printer.locals()] for x in folded(line)]
        return [*head, *lines, *checks, *(x for line in body for x in folded(line)), f"end subroutine {name}"]

    def functions_in_c(self) -> str:
        """C text of external functions, each behind a name that the module binds to."""
        parts = [f"/* Functions of {self.name}.f90 that are written in C. */\n#include <math.h>\n"]
        for f in self.written:
            assert f.c is not None
            name = f"{self.external(f.name)}_c"
            arguments, given = (", ".join(f"{t}a{k}" for k in range(f.arity)) for t in ("double ", ""))
            parts += [
                f.c.strip() + "\n",
                f"double {name}({arguments});\n",
                f"double {name}({arguments})\n{{\n    return {f.name}({given});\n}}\n",
            ]
        return "\n".join(parts)


def _comment(line: str) -> list[str]:
    return ["! " + part for part in wrap(line[1:], 118, replace_whitespace=False, drop_whitespace=False)] or ["!"]


class _FortranAlgorithm(FortranKernel):
    """A kernel around subroutines of the module."""

    def __init__(self, made: Artefact, algorithm: Algorithm) -> None:
        super().__init__(checked(algorithm.kernel, basic_types(algorithm.kernel)))
        self.made, self.algorithm = made, algorithm

    def name(self, name: str) -> str:
        table = self.algorithm.tables.get(name)
        return super().name(name) if table is None else f"{self.made.identifier}_{table}"

    def returned(self, value: str | None) -> None:
        if value is not None:
            self.line(f"status = {value}")
        self.line("return")

    def run(self, s: Run) -> None:
        called = f"{self.made.identifier}_{self.algorithm.calls[s.function.name]}"
        first, *more = [self.expression(e) for e in s.inputs]
        given = ["t", first, "r", "p", *more, *(self.expression(e) for e in s.outputs), "status"]
        self.line(f"call {called}({', '.join(given)})")
        self.line("if (status /= 0) return")


def fortran_options(made: Artefact, checks: bool = True) -> str:
    """Text of the module that says whether subroutines look at their arguments."""
    n = made.identifier
    return f"""\
! Options of {n}.f90, which the compiler folds in.
module {n}_options
    implicit none
    logical, parameter :: {n}_checks = .{str(checks).lower()}. ! whether subroutines look at their arguments
end module {n}_options
"""


def _makefile(made: Artefact) -> str:
    name = made.identifier
    c = f"{name}_functions.o" if any(f.c is not None for f in made.externals) else ""
    return f"""\
# make check builds the module and its driver, and runs it. HOOKS=my_functions.f90 adds functions that you supply.
FC = gfortran
FFLAGS ?= -O2 -std=f2008 -Wall -Wextra -Wno-unused-dummy-argument -Wno-compare-reals
HOOKS ?=

check: {name}_driver
	./{name}_driver

{name}_driver: {name}_options.f90 {name}.f90 {name}_driver.f90 {c} $(HOOKS)
	$(FC) $(FFLAGS) {name}_options.f90 {name}.f90 $(HOOKS) {name}_driver.f90 {c} -o $@

%.o: %.c
	$(CC) -O2 -c $< -o $@

clean:
	rm -f *.o *.mod {name}_driver

.PHONY: check clean
"""


def _words(made: Artefact) -> LanguageWords:
    n = made.identifier
    first = made.functions[0]
    results = ", ".join(o.name for o in first.program.outputs)
    example = f"""\
use {n}
real(wp) :: t, x({n}_nx), r({n}_nr), xdot({n}_nx)
type({n}_parameters) :: p          ! the parameters of the model
integer :: status
call {n}_initial_state(t, x, r)
call {n}_{first.name}(t, x, r, p, {results}, status)"""
    more = [
        (
            "Every subroutine is pure, allocates nothing and has no state. Matrices have rows and columns as in "
            "mathematics."
        )
    ]
    if made.hooks:
        names = ", ".join(f"`{f.name}`" for f in made.hooks)
        more.append(
            f"You supply {names}, as C functions or Fortran functions with bind(c): `make check "
            "HOOKS=my_functions.f90`."
        )
    files = {
        f"{n}.f90": "the module",
        f"{n}_options.f90": "whether arguments are looked at",
        f"{n}_driver.f90": "checks it",
        "Makefile": "build file",
    }
    if any(f.c is not None for f in made.externals):
        files[f"{n}_functions.c"] = "external functions that came as C text"
    return LanguageWords("a Fortran 2008 module", "make check", example, "fortran", f"{n}_", files, tuple(more))
