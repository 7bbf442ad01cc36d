"""Equations as source text: to read, for LaTeX, SymPy, C and NumPy; files by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ...algebra.printing.printing import latex, sequence
from ...derivation.equations.additional_rates import is_explicit, variable_rates
from ...derivation.equations.equations import Equations
from ...derivation.equations.equations_summary import equation_parts, equations_summary
from ...derivation.equations.readable_equations import is_readable
from ...derivation.programs.forward_dynamics import has_many_pairs, ways_to_accelerations
from ...emit import Dynamics, ir, numpy_source
from ...errors import unknown
from ...escaping import in_one_line
from ..targets.c.c_printer import c_source
from .export import source_files

WRITTEN_OUT: Final = {"text": ("txt", "#"), "latex": ("tex", "%"), "sympy": ("py", "#")}  # and how comments begin there
TOO_LONG: Final = """Equations of large mechanisms in loops are not written out: M has a number for each pair of speeds.
C, NumPy, Fortran, Rust, MATLAB and JavaScript have them as loops over equal links: `symbody derive --as numpy` (or c),
`symbody export --to c`. The equations of a shorter chain of the same links can be read."""
MOST_CHARACTERS: Final = 100  # of the name of a file


def equation_programs(eq: Equations) -> dict[str, ir.Program]:
    """Mass matrix, right side, accelerations, rates of coordinates (and constraints, rates of additional variables) as
    programs of t, q, u, z, r, p. Of large mechanisms in loops (100 speeds and more) those with numbers for each pair of speeds
    are left out.

    >>> x = sb.symbol("x", "variable")
    >>> list(sb.write.equation_programs(sb.from_equations({x: -x})))
    ['additional_rates']

    See also: `write.equations_files`, `compile`.
    """
    f, parts, is_large = Dynamics(eq), dict[str, Any](), has_many_pairs(eq)
    if is_large:
        parts = {"accelerations": {"udot": ways_to_accelerations(eq)[0]}}
    elif eq.u or not eq.z:
        parts = {"mass_matrix": {"M": eq.M}, "right_side": {"f": eq.augmented.f0}, "accelerations": {"udot": eq.udot}}
    if eq.q:
        parts["coordinate_rates"] = {"qdot": eq.rates}
    if eq.lam:
        parts["constraints"] = {"phi": eq.phi} if is_large else {"phi": eq.phi, "Jc": eq.Jc}
    if eq.z and is_explicit(eq):
        parts["additional_rates"] = {"zdot": variable_rates(eq)}
    return {name: f.program(name, outputs) for name, outputs in parts.items()}


def equations_files(eq: Equations, style: str, programs: Mapping[str, ir.Program]) -> dict[str, str]:
    """Text of each file, by name; style is text, latex, sympy, c or numpy. SymPy and C are the sources of an export,
    without its driver and build files.

    >>> x = sb.symbol("x", "variable")
    >>> eq = sb.from_equations({x: -x})
    >>> list(sb.write.equations_files(eq, "latex", sb.write.equation_programs(eq)))
    ['equations.tex']

    See also: `write.equation_programs`, `write.c`.
    """
    if style not in _WRITERS:
        raise unknown(f"equations of {eq.name!r}", "style", style, _WRITERS)
    if style in WRITTEN_OUT and has_many_pairs(eq):
        name, sign = f"{_file_name(eq)}.{WRITTEN_OUT[style][0]}", WRITTEN_OUT[style][1]
        return {
            name: "\n".join(
                f"{sign} {line}" for line in [*str(equations_summary(eq)).split("\n"), "", *TOO_LONG.split("\n")]
            )
        }
    return _WRITERS[style](eq, programs)


def as_latex(eq: Equations) -> str:
    """The equations line by line where they are small, then the matrices as they are computed."""
    lines = f"% equations\n\\[ {eq.readable.latex()} \\]\n" if is_readable(eq) else ""
    return lines + "\n".join(
        f"% {in_one_line(name)}\n\\[ {latex(thing, None, eq.labels)} \\]" for name, thing in equation_parts(eq).items()
    )


def as_c(made: Mapping[str, ir.Program]) -> str:
    """One file: each header in the place of its include."""
    sources = (c_source(p) for p in made.values())
    return "\n".join(s.source.replace(f'#include "{s.name}.h"', s.header) for s in sources)


def as_python(made: Mapping[str, ir.Program]) -> str:
    return "\n\n".join(numpy_source(p) for p in made.values())


# --------------------------------------------------------------------------------------------------- one writer a style


def _text_files(eq: Equations, _: Mapping[str, ir.Program]) -> dict[str, str]:
    parts = equation_parts(eq)
    found = sequence(*parts.values(), labels=eq.labels)
    lines = [f"{name} = {value}" for name, value in found.definitions]
    lines += [f"{name} = {value}" for name, value in zip(parts, found.results, strict=True)]
    if is_readable(eq):
        lines = [
            *str(eq.readable).splitlines(),
            *(f"# {r}" for r in eq.readable.remarks),
            "# as it is computed:",
            *lines,
        ]
    return {f"{_file_name(eq)}.txt": "\n".join([f"# {in_one_line(_title(eq))}", *lines])}


def _latex_files(eq: Equations, _: Mapping[str, ir.Program]) -> dict[str, str]:
    return {f"{_file_name(eq)}.tex": f"% {in_one_line(_title(eq))}\n{as_latex(eq)}"}


def _sympy_files(eq: Equations, _: Mapping[str, ir.Program]) -> dict[str, str]:
    return source_files(eq, "sympy")


def _c_files(eq: Equations, _: Mapping[str, ir.Program]) -> dict[str, str]:
    return source_files(eq, "c")


def _numpy_files(eq: Equations, made: Mapping[str, ir.Program]) -> dict[str, str]:
    return {f"{_file_name(eq)}.py": as_python(made)}


_WRITERS: Final[dict[str, Callable[[Equations, Mapping[str, ir.Program]], dict[str, str]]]] = {
    "text": _text_files,
    "latex": _latex_files,
    "sympy": _sympy_files,
    "c": _c_files,
    "numpy": _numpy_files,
}


def _title(eq: Equations) -> str:
    motion = (
        f"M u' = f{' + Jc^T lam, Jc u + b = 0, phi = 0' if eq.lam else ''}, q' = N u + n" if eq.u or not eq.z else ""
    )
    form = ", ".join(filter(None, (motion, "h = 0" if eq.z else "")))
    return f"{eq.name}: {form}{f'; derived by {eq.route}' if eq.u else ''}"


def _file_name(eq: Equations) -> str:
    """ASCII letters, digits and underscores: a name that every file system takes, and that hides nothing and leads
    nowhere."""
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in eq.name)[:MOST_CHARACTERS]
