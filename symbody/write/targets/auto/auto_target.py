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
from ....emit import ir
from ....errors import ProgramError, listed, unknown
from ...artefacts.artefact import Artefact, Numbers
from ...printers.readme import readme
from ...printers.templates import template, template_parts
from ..fortran.fortran_driver import AGREEMENT, FortranDriver
from ..fortran.fortran_printer import folded_text, literal
from ..fortran.fortran_target import FortranModule, fortran_options, with_short_identifier

FUNCTIONS: Final = ("rhs", "rhs_x", "rhs_r", "rhs_p")
CONSTRAINED: Final = ("rhs", "correct_positions", "correct_speeds", "attracted")  # the group
RESERVED: Final = range(10, 16)  # of PAR: objective, period, angle of a torus, time, conditions of optimality


def auto_functions(eq: Equations) -> tuple[str, ...]:
    return CONSTRAINED if eq.lam or eq.rows.positions else FUNCTIONS


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


def _reads_time(program: ir.Program) -> bool:
    return any(i.op == "input" and i.data[0] == 0 for i in program.code)


def auto_files(made: Artefact, vary: str | None) -> dict[str, str]:
    """Text of each file, by name. vary: the parameter or input of the first run."""
    made = with_short_identifier(made)
    name, module = made.identifier, FortranModule(made)
    equations = "\n".join([fortran_options(made, checks=False), module.text(), _procedures(made, module)])
    files = {
        f"{name}.f90": equations,
        f"c.{name}": _constants_file(made, vary),
        f"{name}_driver.f90": _AutoDriver(made).text(),
        "Makefile": _makefile(name, bool(module.written)),
    }
    if module.written:
        files[f"{name}_functions.c"] = module.functions_in_c()
    return {**files, "README.md": _readme(made)}


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
    n_p, field, indices = len(made.parameters), _field(made), parameter_indices(made)
    _, x, r = made.start
    parameters = [f"p%{f} = PAR({k})" for f, k in zip(module.fields, indices, strict=False)]
    start = [f"U({k + 1}) = {literal(v)}" for k, v in enumerate(x)]
    text = template(__package__, "procedures.f90").filled(
        name=made.identifier, field=field, n_r=len(made.inputs), columns=_columns(made), by_parameters=_by_parameters(made),
        parameters=[*parameters, *(f"r({i + 1}) = PAR({k})" for i, k in enumerate(indices[n_p:]))],
        start=[*start, *(f"PAR({k}) = {literal(v)}" for k, v in zip(indices, (*made.defaults, *r), strict=True))],
    )  # fmt: skip
    return folded_text(text)


def _columns(made: Artefact) -> list[str]:
    """Declarations of derivatives by parameters and by inputs."""
    sizes = {"p": len(made.parameters), "r": len(made.inputs)}
    return [f"real(wp) :: by_{g}({len(made.state)}, {k})" for g, k in sizes.items() if made.has(f"{_field(made)}_{g}")]


def _by_parameters(made: Artefact) -> list[str]:
    field, indices, n_p = _field(made), parameter_indices(made), len(made.parameters)
    lines = []
    for group, columns in (("p", indices[:n_p]), ("r", indices[n_p:])):
        if made.has(f"{field}_{group}"):
            lines.append(f"call {made.identifier}_{field}_{group}(0.0_wp, U, r, p, by_{group}, status)")
            lines += [f"DFDP(:, {k}) = by_{group}(:, {j + 1})" for j, k in enumerate(columns)]
    return lines


# ---------------------------------------------------------------------------------------------------- constants


def _constants_file(made: Artefact, vary: str | None) -> str:
    """A run along equilibria from the start, with exact derivatives; the other constants are those of AUTO's own
    demonstrations."""
    names = [v.name for v in (*made.parameters, *made.inputs)]
    if not names:
        raise ProgramError(f"export of {made.title!r} to AUTO: there is neither a parameter nor an input to vary")
    chosen = names[0] if vary is None else vary
    if chosen not in names:
        raise unknown(f"export of {made.title!r} to AUTO", "parameter or input", chosen, names, ProgramError)
    indices = dict(zip(names, parameter_indices(made), strict=True))
    return template(__package__, "constants.txt").filled(
        states=", ".join(f"{k + 1}: '{v.name}'" for k, v in enumerate(made.state)),
        parameters=", ".join(f"{k}: '{name}'" for name, k in {**indices, "PERIOD": 11}.items()),
        n=len(made.state),
        varied=indices[chosen],
        count=max(*indices.values(), 36),
    )


# ---------------------------------------------------------------------------------------------------- driver


class _AutoDriver(FortranDriver):
    """Functions of the module, and what AUTO calls around them."""

    def checks(self) -> dict[str, str]:
        return {**super().checks(), "func": self._func(), "stpnt": self._stpnt()}

    def _func(self) -> str:
        n, made, indices, field = self.n, self.made, parameter_indices(self.made), _field(self.made)
        wanted = {k: self.check.values[f].outputs[0] for k, f in (("f", field), ("dfdu", f"{field}_x"))}
        by = [self.check.values[f].outputs[0] for f in (f"{field}_p", f"{field}_r") if made.has(f)]
        numbers = self.constants("u", self.check.x)
        for k, values in (*wanted.items(), ("dfdp", _side_by_side(by, n))):
            numbers += self.constants(f"wanted_{k}", values)
        par = zip(indices, (*made.defaults, *self.check.r), strict=True)
        return template_parts(__package__, "driver.f90")["func"].filled(
            numbers=numbers, n=n, square=n * n, size=max([1, *indices]), columns=", ".join(map(str, indices)), entries=n * len(indices),
            parameters=[f"par({k}) = {literal(v)}" for k, v in par], allowed=literal(AGREEMENT),
        )  # fmt: skip

    def _stpnt(self) -> str:
        made, indices = self.made, parameter_indices(self.made)
        _, x, r = made.start
        return template_parts(__package__, "driver.f90")["stpnt"].filled(
            wanted=self.constants("wanted", (*x, *made.defaults, *r)), n=self.n, size=max([1, *indices]), columns=", ".join(map(str, indices)),
            allowed=literal(AGREEMENT),
        )  # fmt: skip


def _side_by_side(matrices: list[Numbers], rows: int) -> Numbers:
    """Matrices that lie row after row, one beside the other."""
    widths = [len(m) // rows for m in matrices]
    return tuple(v for i in range(rows) for m, w in zip(matrices, widths, strict=True) for v in m[i * w : (i + 1) * w])


# ---------------------------------------------------------------------------------------------------- other files

_ATTRACTED: Final = (
    "The state is attracted to the constraints: on them the motions are those of the mechanism; the "
    "Jacobian has an eigenvalue -rate twice for each constraint, beside those of the mechanism."
)


def _makefile(name: str, has_c: bool) -> str:
    joined = f"ld -r $@ {name}_functions.o -o {name}_all.o && mv {name}_all.o $@"
    return template(__package__, "Makefile").filled(
        name=name, objects=f" {name}_functions.o" if has_c else "", joined=joined if has_c else ""
    )


def _readme(made: Artefact) -> str:
    names = [v.name for v in (*made.parameters, *made.inputs)]
    places = listed(f"`PAR({k})` = `{name}`" for name, k in zip(names, parameter_indices(made), strict=True))
    supplied = f"You supply {listed(f'`{f.name}`' for f in made.hooks)}: `make check HOOKS=my_functions.f90`."
    return readme(
        made, template(__package__, "README.md"), f"{made.identifier}_", name=made.identifier, places=places,
        first_reserved=RESERVED.start, last_reserved=RESERVED.stop - 1, attracted=_ATTRACTED if _field(made) == "attracted" else "",
        supplied=supplied if made.hooks else "",
    )  # fmt: skip
