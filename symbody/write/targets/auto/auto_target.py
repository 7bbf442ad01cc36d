"""The target AUTO-07p: an equations file with DFDU and DFDP, the constants file of a first run, a driver that checks it
without AUTO.

    u' = F(u, par)

u is the state, par the parameters and then the inputs, at indices that AUTO does not use itself. With constraints F
draws states onto them (`attracted`), since the Jacobian of the plain rates is singular at every equilibrium: it has
zeros that belong to no motion.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ....derivation.equations.equations import Equations
from ....emit.programs.program import Program
from ....errors import ProgramError, listed, unknown
from ...artefacts.artefact import Artefact, Numbers
from ...artefacts.readme import LanguageWords, readme
from ..fortran.fortran_driver import AGREEMENT, FortranDriver
from ..fortran.fortran_printer import constant_array, folded, literal
from ..fortran.fortran_target import FortranModule, fortran_options

FUNCTIONS: Final = ("rhs", "rhs_x", "rhs_r", "rhs_p")
CONSTRAINED: Final = ("rhs", "correct_positions", "correct_speeds", "attracted")  # the group
RESERVED: Final = range(10, 16)  # of PAR: objective, period, angle of a torus, time, conditions of optimality


def auto_functions(eq: Equations) -> tuple[str, ...]:
    return CONSTRAINED if eq.lam or eq.position_rows else FUNCTIONS


def check_autonomous(made: Artefact) -> None:
    """Refuses what AUTO cannot continue: equations that depend on time."""
    if _reads_time(made.function("rhs").program):
        raise ProgramError(
            f"export of {made.title!r} to AUTO: the equations depend on time; add an oscillator, c' = c - w s "
            "- c (c^2 + s^2) and s' = s + w c - s (c^2 + s^2), and write c for cos(w t)"
        )


def _field(made: Artefact) -> str:
    """The vector field that AUTO gets; its derivatives have the same name with `_x`, `_r`, `_p`."""
    return "attracted" if made.has("attracted") else "rhs"


def _reads_time(program: Program) -> bool:
    return any(i.op == "input" and i.data[0] == 0 for i in program.code)


def auto_files(made: Artefact, vary: str | None) -> dict[str, str]:
    """Text of each file, by name. vary: the parameter or input of the first run."""
    name, module = made.identifier, FortranModule(made)
    equations = "\n".join([fortran_options(made, checks=False), module.text(), _procedures(made, module)])
    files = {
        f"{name}.f90": equations,
        f"c.{name}": _constants_file(made, vary),
        f"{name}_driver.f90": _AutoDriver(made).text(),
        "Makefile": _makefile(made),
    }
    if module.written:
        files[f"{name}_functions.c"] = module.functions_in_c()
    return {**files, "README.md": readme(made, _words(made))}


def parameter_indices(made: Artefact) -> list[int]:
    """Index in PAR of each parameter, then of each input."""
    found = _free_indices()
    return [next(found) for _ in (*made.parameters, *made.inputs)]


def _free_indices() -> Iterator[int]:
    yield from range(1, RESERVED.start)
    at = RESERVED.stop
    while True:
        yield at
        at += 1


# ---------------------------------------------------------------------------------------------------- FUNC and STPNT


def _procedures(made: Artefact, module: FortranModule) -> str:
    lines = [*_func(made, module), "", *_stpnt(made)]
    out = [x for line in lines for x in folded(line)]
    for name in ("BCND", "ICND", "FOPT", "PVLS"):
        out += ["", f"subroutine {name}", f"end subroutine {name}"]
    return "\n".join([*out, ""])


def _func(made: Artefact, module: FortranModule) -> list[str]:
    n, n_p, field = made.identifier, len(made.parameters), _field(made)
    indices = parameter_indices(made)
    lines = [
        "! F(u, par); with IJAC = 1 its derivatives by u, with IJAC = 2 those by the parameters too.",
        "subroutine FUNC(NDIM, U, ICP, PAR, IJAC, F, DFDU, DFDP)", f"    use {n}", "    implicit none",
        "    integer, intent(in) :: NDIM, ICP(*), IJAC", "    real(wp), intent(in) :: U(NDIM), PAR(*)", "    real(wp), intent(out) :: F(NDIM)",
        "    real(wp), intent(inout) :: DFDU(NDIM, NDIM), DFDP(NDIM, *)", f"    type({n}_parameters) :: p",
        f"    real(wp) :: r({len(made.inputs)})", *_by_parameters(made), "    integer :: status",
        *(f"    p%{f} = PAR({k})" for f, k in zip(module.fields, indices, strict=False)),
        *(f"    r({i + 1}) = PAR({k})" for i, k in enumerate(indices[n_p:])),
        f"    call {n}_{field}(0.0_wp, U, r, p, F, status)", "    if (IJAC == 0) return",
        f"    call {n}_{field}_x(0.0_wp, U, r, p, DFDU, status)", "    if (IJAC == 1) return",
    ]  # fmt: skip
    for group, at in (("p", 0), ("r", n_p)):
        if made.has(f"{field}_{group}"):
            lines.append(f"    call {n}_{field}_{group}(0.0_wp, U, r, p, by_{group}, status)")
            size = n_p if group == "p" else len(made.inputs)
            lines += [f"    DFDP(:, {indices[at + j]}) = by_{group}(:, {j + 1})" for j in range(size)]
    return [*lines, "end subroutine FUNC"]


def _by_parameters(made: Artefact) -> list[str]:
    sizes = {"p": len(made.parameters), "r": len(made.inputs)}
    return [
        f"    real(wp) :: by_{g}({len(made.state)}, {k})" for g, k in sizes.items() if made.has(f"{_field(made)}_{g}")
    ]


def _stpnt(made: Artefact) -> list[str]:
    _, x, r = made.start
    values = (*made.defaults, *r)
    return [
        "! Where the first run begins.", "subroutine STPNT(NDIM, U, PAR, T)", "    use, intrinsic :: iso_fortran_env, only: wp => real64",
        "    implicit none", "    integer, intent(in) :: NDIM", "    real(wp), intent(inout) :: U(NDIM), PAR(*)", "    real(wp), intent(in) :: T",
        *(f"    U({k + 1}) = {literal(v)}" for k, v in enumerate(x)),
        *(f"    PAR({k}) = {literal(v)}" for k, v in zip(parameter_indices(made), values, strict=True)), "end subroutine STPNT",
    ]  # fmt: skip


# ---------------------------------------------------------------------------------------------------- constants


def _constants_file(made: Artefact, vary: str | None) -> str:
    """A run along equilibria from the start, with exact derivatives; the other constants are those of AUTO's own
    demonstrations."""
    names = [v.name for v in (*made.parameters, *made.inputs)]
    if not names:
        raise ProgramError(f"export of {made.title!r} to AUTO: there is no parameter and no input that could be varied")
    chosen = names[0] if vary is None else vary
    if chosen not in names:
        raise unknown(f"export of {made.title!r} to AUTO", "parameter or input", chosen, names, ProgramError)
    indices = dict(zip(names, parameter_indices(made), strict=True))
    unames = ", ".join(f"{k + 1}: '{v.name}'" for k, v in enumerate(made.state))
    parnames = ", ".join(f"{k}: '{name}'" for name, k in {**indices, "PERIOD": 11}.items())
    return "\n".join(
        [
            f"unames = {{{unames}}}", f"parnames = {{{parnames}}}",
            f"NDIM = {len(made.state)}, IPS = 1, IRS = 0, ILP = 1", f"ICP = [{indices[chosen]}]",
            "NTST = 50, NCOL = 4, IAD = 3, ISP = 2, ISW = 1, IPLT = 0, NBC = 0, NINT = 0",
            "NMX = 200, NPR = 50, MXBF = 0, IID = 2, ITMX = 9, ITNW = 7, NWTN = 3, JAC = 1",
            "EPSL = 1e-9, EPSU = 1e-9, EPSS = 1e-7", "DS = 0.01, DSMIN = 1e-6, DSMAX = 0.1, IADS = 1",
            f"NPAR = {max(*indices.values(), 36)}, THL = {{11: 0.0}}, THU = {{}}", "",
        ]
    )  # fmt: skip


# ---------------------------------------------------------------------------------------------------- driver


class _AutoDriver(FortranDriver):
    """Functions of the module, and what AUTO calls around them."""

    def checks(self) -> dict[str, list[str]]:
        return {**super().checks(), "func": self._func(), "stpnt": self._stpnt()}

    def _func(self) -> list[str]:
        n, made, indices, field = self.n, self.made, parameter_indices(self.made), _field(self.made)
        wanted = {k: self.check.values[f].outputs[0] for k, f in (("f", field), ("dfdu", f"{field}_x"))}
        by = [self.check.values[f].outputs[0] for f in (f"{field}_p", f"{field}_r") if made.has(f)]
        size = max([1, *indices])
        lines = ["subroutine check_func", *self.constants("u", self.check.x)]
        for k, values in (*wanted.items(), ("dfdp", _side_by_side(by, n))):
            lines += self.constants(f"wanted_{k}", values)
        columns = ", ".join(map(str, indices))
        return [
            *lines, f"    real(wp) :: par({size}), f({n}), dfdu({n}, {n}), dfdp({n}, {size}), worst", f"    integer :: icp({size})", "    par = 0", "    icp = 1",
            *(f"    par({k}) = {literal(v)}" for k, v in zip(indices, (*made.defaults, *self.check.r), strict=True)),
            f"    call FUNC({n}, u, icp, par, 2, f, dfdu, dfdp)",
            f"    worst = max(difference(f, wanted_f), difference(reshape(transpose(dfdu), [{n * n}]), wanted_dfdu), &",
            f"        difference(reshape(transpose(dfdp(:, [{columns}])), [{n * len(indices)}]), wanted_dfdp))",
            f'    call verdict("FUNC", 0, worst, {literal(AGREEMENT)})', "end subroutine check_func",
        ]  # fmt: skip

    def _stpnt(self) -> list[str]:
        n, made, indices = self.n, self.made, parameter_indices(self.made)
        _, x, r = made.start
        wanted = constant_array("real(wp)", "wanted", [literal(v) for v in (*x, *made.defaults, *r)])
        columns = ", ".join(map(str, indices))
        return [
            "subroutine check_stpnt", *wanted, f"    real(wp) :: par({max([1, *indices])}), u({n})", "    par = 0",
            f"    call STPNT({n}, u, par, 0.0_wp)", f'    call verdict("STPNT", 0, difference([u, par([{columns}])], wanted), {literal(AGREEMENT)})',
            "end subroutine check_stpnt",
        ]  # fmt: skip


def _side_by_side(matrices: list[Numbers], rows: int) -> Numbers:
    """Matrices that lie row after row, one beside the other."""
    widths = [len(m) // rows for m in matrices]
    return tuple(v for i in range(rows) for m, w in zip(matrices, widths, strict=True) for v in m[i * w : (i + 1) * w])


# ---------------------------------------------------------------------------------------------------- words


def _makefile(made: Artefact) -> str:
    name = made.identifier
    has_c = any(f.c is not None for f in made.externals)
    joined = f"\tld -r $@ {name}_functions.o -o {name}_all.o && mv {name}_all.o $@\n" if has_c else ""
    return f"""\
# make check compiles the equations file and checks it, without AUTO. HOOKS=my_functions.f90 adds functions that you supply.
# make run runs AUTO, which AUTO_DIR names: with the constants file c.NAME from the solutions s.FROM, as AUTO has these names, into b.AS, s.AS, d.AS.
FC = gfortran
FFLAGS ?= -O2
HOOKS ?=
NAME = {name}
FROM =
AS = $(NAME)

check: {name}_driver
	./{name}_driver

{name}_driver: {name}.o {name}_driver.f90 $(HOOKS)
	$(FC) $(FFLAGS) $(HOOKS) {name}_driver.f90 {name}.o -o $@

run: {name}.exe
	cp $(if $(FROM),s.$(FROM),/dev/null) fort.3
	OMP_NUM_THREADS=1 ./{name}.exe < c.$(NAME)
	mv fort.7 b.$(AS) && mv fort.8 s.$(AS) && mv fort.9 d.$(AS)

{name}.exe: {name}.o $(HOOKS)
	$(FC) $(FFLAGS) -fopenmp {name}.o $(HOOKS) $(AUTO_DIR)/lib/*.o -o $@

{name}.o: {name}.f90{f" {name}_functions.o" if has_c else ""}
	$(FC) $(FFLAGS) -c {name}.f90 -o $@
{joined}
%.o: %.c
	$(CC) -O2 -c $< -o $@

clean:
	rm -f *.o *.mod {name}_driver {name}.exe fort.*

.PHONY: check run clean
"""


def _words(made: Artefact) -> LanguageWords:
    n = made.identifier
    names = [v.name for v in (*made.parameters, *made.inputs)]
    places = listed(f"`PAR({k})` = `{name}`" for name, k in zip(names, parameter_indices(made), strict=True))
    example = f"""\
AUTO_DIR=/path/to/auto make run                                # c.{n} gives b.{n}, s.{n}, d.{n}
AUTO_DIR=/path/to/auto make run NAME=orbits FROM={n}       # goes on from s.{n} with a file c.orbits of yours
python -c "import auto; r = auto.run('{n}')"                   # the first by AUTO's Python"""
    more = [
        (
            f"Parameters and inputs: {places}. Time does not appear. Indices {RESERVED.start} to "
            f"{RESERVED.stop - 1} are left to AUTO."
        ),
        "The constants file is a run along equilibria from the start; JAC = 1: AUTO takes the derivatives of FUNC.",
    ]
    if _field(made) == "attracted":
        more.append(
            "The state is drawn onto the constraints: on them the motions are those of the mechanism; the "
            "Jacobian has an eigenvalue -rate twice for each constraint, beside those of the mechanism."
        )
    if made.hooks:
        more.append(f"You supply {listed(f'`{f.name}`' for f in made.hooks)}: `make check HOOKS=my_functions.f90`.")
    files = {
        f"{n}.f90": "the equations file: FUNC with DFDU and DFDP, STPNT",
        f"c.{n}": "constants of a first run",
        f"{n}_driver.f90": "checks the equations file, without AUTO",
        "Makefile": "build file",
    }
    return LanguageWords("an equations file of AUTO-07p", "make check", example, "sh", f"{n}_", files, tuple(more))
