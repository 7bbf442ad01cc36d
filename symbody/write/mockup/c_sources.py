"""The C sources of an FMU: the library of the model, a file that says what the model is, and the files that do the
rest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from ...emit import ir
from ...errors import ProgramError
from ...escaping import as_c_string, in_block_comment
from ...integrate.kernels.march import march
from ...integrate.kernels.march_records import AT_EVENT, AT_SWITCH, DONE, NOT_FINITE, TINY, TOO_MANY, UNSETTLED
from ...integrate.kernels.next_switching import LINE, next_switching_time
from ...integrate.kernels.standalone_march import standalone_constants, standalone_records
from ...integrate.kernels.tableaux import DORMAND_PRINCE_8, Tableau
from ...simulation_options import SimulationOptions
from ..artefacts.artefact import ExportedFunction
from ..targets.c.c_structures import c_structures
from ..targets.c.c_style import DOUBLE
from .description import EXCHANGE, STEPS, MockUp

COMMON: Final = ("fmu_instance.h", "fmu_events.h", "fmu_steps.h")
OF_VERSION: Final = {2: ("fmi2_types.h", "fmi2_functions.h"), 3: ("fmi3_types.h", "fmi3_functions.h")}
INCLUDED: Final = "fmi_functions.h"  # by the functions of either version
DRIFT: Final = 1e-11  # violation of constraints after which model exchange requests event mode, to project the state
METHOD: Final[Tableau] = DORMAND_PRINCE_8


def c_sources(it: MockUp, version: int, token: str) -> dict[str, str]:
    """Text of each file in `sources`, by name."""
    if it.made.hooks:
        names = ", ".join(f.name for f in it.made.hooks)
        raise ProgramError(
            f"FMU of {it.made.title!r}: external functions without C text cannot be written: {names}; give them c="
        )
    found = it.library_files | {unit_name(it): _unit(it, version, token)}
    return found | _march(it) | {f: own_text(f) for f in (*COMMON, INCLUDED, *OF_VERSION[version])}


def _march(it: MockUp) -> dict[str, str]:
    """The loop of `simulate`, printed: its structures, and its functions."""
    known = standalone_constants(settles=it.projects, watches=bool(it.events), switches=it.switching.count > 0)
    printed = c_structures(march, standalone_records(METHOD), {**known, "s.growth.count": 0, "s.results.requested": 0})
    head = f"/* {{}} of the loop of `simulate`, {METHOD.name}: printed from its text. */\n\n"
    return {
        "fmu_march_types.h": head.format("Structures") + printed.structures,
        "fmu_march.h": head.format("Functions")
        + f"{printed.functions}\n#define MARCH {printed.entry}\n{_next_switch(printed.functions)}",
    }


def _next_switch(functions: str) -> str:
    """The name of the printed search for the next switching time, if there is one."""
    found = re.search(rf"\b({next_switching_time.__name__}\w*)\(", functions)
    return f"#define NEXT_SWITCH {found[1]}\n" if found else ""


def unit_name(it: MockUp) -> str:
    return f"{it.identifier}_fmu.c"


def compiled_files(it: MockUp) -> tuple[str, ...]:
    """The files to compile; the others are included."""
    return f"{it.made.identifier}.c", unit_name(it)


def own_text(name: str) -> str:
    return (files(__package__) / "sources" / name).read_text(encoding="utf-8")


def _unit(it: MockUp, version: int, token: str) -> str:
    first, second = OF_VERSION[version]
    parts = [
        f"/* {in_block_comment(it.made.title)} as an FMU: model {it.made.hash}, symbody {it.made.version} */\n",
        f'#include "{it.made.identifier}.h"\n', *_sizes(it, token), "", *_functions(it), "", *_tables(it), "",
        *(f'#include "{name}"' for name in (first, *COMMON, second)), "",
    ]  # fmt: skip
    return "\n".join(parts)


def _sizes(it: MockUp, token: str) -> list[str]:
    made = it.made
    numbers = {
        "NX": len(made.state), "NR": len(made.inputs), "NP": len(made.parameters), "NY": len(it.output_names), "NG": len(it.events),
        "NL": len(it.multipliers), "N_POSITIONS": len(it.residuals.get("phi", ())), "N_RESIDUALS": sum(map(len, it.residuals.values())),
        "HAS_EXCHANGE": int(EXCHANGE in it.kinds), "HAS_STEPS": int(STEPS in it.kinds), "HAS_PROJECTION": int(it.projects),
        "HAS_ALONG": int(it.has_derivatives), "HAS_ADJOINT": int(it.has_adjoints), "TABLEAU_WIDTH": METHOD.width, "PIECES": METHOD.pieces,
        "NW": it.switching.count, "LINE": LINE, "MARCH_AT_SWITCH": AT_SWITCH, "MARCH_DONE": DONE, "MARCH_GOES_ON": TOO_MANY, "MARCH_AT_EVENT": AT_EVENT, "MARCH_NOT_FINITE": NOT_FINITE, "MARCH_UNSETTLED": UNSETTLED,
    }  # fmt: skip
    return [
        f"#define MODEL_TOKEN {as_c_string(token)}", *(f"#define {k} {v}" for k, v in numbers.items()),
        f"#define ROUNDING {DOUBLE.literal(TINY)}", f"#define TOLERANCE {DOUBLE.literal(it.tolerance)}", f"#define DRIFT {DOUBLE.literal(DRIFT)}", f"#define MAX_GROWTH {DOUBLE.literal(SimulationOptions().max_growth)}",
        f"typedef {made.identifier}_parameters model_parameters;",
    ]  # fmt: skip


# ----------------------------------------------------------------------------------------------- functions of the model


def _functions(it: MockUp) -> list[str]:
    """Functions of the library under names that every model has; what it does not have gives nothing."""
    made = it.made
    name = made.identifier
    fixed = {"default_parameters": "p", "initial_state": "t, x, r"}
    out = [f"#define model_{f}({given}) {name}_{f}({given})" for f, given in fixed.items()]
    if it.projects:
        out.append(f"#define model_project(t, x, r, p) {name}_project(t, x, r, p)")
        out += [
            f"#define model_{f}(t, x, r, p, to, off) {name}_{f}(t, x, r, p, to, off)"
            for f in ("correct_positions", "correct_speeds")
        ]
    for f, results in (
        ("rhs", "xdot"),
        ("outputs", "y"),
        ("events", "g"),
        ("event_rates", "rate"),
        ("event_handling", "holds, after"),
        ("switching_lines", "lines"),
    ):
        value = f"{name}_{f}(t, x, r, p, {results})" if made.has(f) else _absent(f)
        out.append(f"#define model_{f}(t, x, r, p, {results}) {value}")
    if it.has_derivatives:
        for f in ("rhs", "outputs", "events"):
            out.append(_along(it, f))
    if it.is_dae:
        out += _semi_explicit(it)
    if it.has_adjoints:
        for f in ("rhs", "outputs", "events"):
            out.append(_adjoint(it, f))
    return out


def _absent(function: str) -> str:
    if function == "event_rates":
        return "(memset(rate, 0, sizeof(rate[0]) * LENGTH(NG)), 0)"
    if function == "event_handling":
        return "(all_hold(holds), (void)(after), 0)"
    return "0"


def _along(it: MockUp, function: str) -> str:
    all_of_them = "dx, dr, dp, dt"
    start = f"#define model_{function}_along(t, x, r, p, {all_of_them}, out)"
    if not it.made.has(function):
        return f"{start} 0"
    found: ExportedFunction = it.made.function(f"{function}_along")
    return f"{start} {it.made.identifier}_{function}_along({', '.join(['t', 'x', 'r', 'p', *found.directions, 'out'])})"


def _semi_explicit(it: MockUp) -> list[str]:
    name = it.made.identifier
    given = "t, x, r, p, lam"
    results = ["xdot", "phi", "psi", "acc"]
    present = [r for r in results if r == "xdot" or it.residuals[r]]
    out = [f"#define model_multipliers(t, x, r, p, lam) {name}_multipliers(t, x, r, p, lam)"]
    out.append(
        f"#define model_semi_explicit({given}, {', '.join(results)}) {name}_semi_explicit({given}, "
        f"{', '.join(present)})"
    )
    if it.has_derivatives:
        directions = it.made.function("semi_explicit_along").directions[1:]
        every = f"{given}, dx, dr, dp, dt, dlam, {', '.join(results)}"
        out.append(
            f"#define model_semi_explicit_along({every}) {name}_semi_explicit_along({given}, "
            f"{', '.join((*directions, *present))})"
        )
    return out


def _adjoint(it: MockUp, function: str) -> str:
    start = f"#define model_{function}_adjoint(t, x, r, p, weights, x_adjoint, r_adjoint, p_adjoint)"
    if not it.made.has(function):
        return f"{start} 0"
    results = ", ".join(o.name for o in it.made.function(f"{function}_adjoint").program.outputs)
    return f"{start} {it.made.identifier}_{function}_adjoint(t, x, r, p, weights, {results})"


# ---------------------------------------------------------------------------------------------------- tables


def _tables(it: MockUp) -> list[str]:
    symbols = [v.symbol for v in it.made.inputs]
    base = [_base(it, k) for k in range(len(symbols))]
    events = list(it.events.values())
    integers = {
        "RATE_OF": base,
        "ORDER_OF": [s.order if of >= 0 else 0 for s, of in zip(symbols, base, strict=True)],
        "IS_TUNABLE": [int(v.name not in it.fixed) for v in it.made.parameters],
        "DIRECTION": [0 if e is None else e.sense for e in events],
        "IS_TERMINAL": [int(e is not None and e.terminal) for e in events],
        "RESETS": [int(e is not None and e.reset is not None) for e in events],
    }
    knots = list[str]()
    if it.switching.count:
        integers["FIRST_KNOT"] = it.switching.first.tolist()
        knots = _array("double", "KNOTS", [DOUBLE.literal(x) for x in it.switching.knots.tolist()])
    return [*(line for k, v in integers.items() for line in _array("int", k, [str(x) for x in v] or ["0"])), *knots]


def _base(it: MockUp, k: int) -> int:
    """Which input this one is a derivative of; -1: of none."""
    rows = it.made.inputs
    symbol = rows[k].symbol
    rate_of = {v.symbol: v.rate_of for v in it.eq.variables.of("r r' r''") if v.rate_of is not None}
    while symbol in rate_of:
        symbol = rate_of[symbol]
    if symbol == rows[k].symbol:
        return -1
    return next((j for j, v in enumerate(rows) if v.symbol == symbol), -1)


def _array(kind: str, name: str, entries: Sequence[str]) -> list[str]:
    return [f"static const {kind} {name}[{len(entries)}] = {{", *ir.comma_lines(list(entries), "    "), "};"]
