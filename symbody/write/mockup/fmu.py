"""`sb.write.fmu(eq, "name.fmu")`: a model as a functional mock-up unit, by the standard FMI 2.0 or 3.0."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ...derivation.equations.energies import kinetic_energy, potential_energy
from ...derivation.equations.equation_arguments import of_equations
from ...derivation.equations.equations import Equations
from ...errors import ProgramError, shown, unknown
from ...integrate.events.events import Event
from ...integrate.events.valid_region import with_own_events
from ...integrate.inputs.inputs import closed_loop
from ...integrate.start.state import Start
from ...whole_files import write_bytes
from ..artefacts.make_artefact import ExportOptions, artefact, identifier_of
from .archive import archive
from .build import binaries
from .c_sources import c_sources, compiled_files
from .description import KINDS, MockUp
from .documentation_page import documentation
from .fmi2_xml import fmi2_description
from .fmi3_xml import fmi3_description

FUNCTIONS: Final = (
    "rhs",
    "correct_positions",
    "correct_speeds",
    "outputs",
    "events",
    "event_handling",
    "event_rates",
    "switching_lines",
)
SEMI_EXPLICIT: Final = ("multipliers", "semi_explicit")
ALONG: Final = ("rhs_along", "outputs_along", "events_along")
ADJOINTS: Final = ("rhs_adjoint", "outputs_adjoint", "events_adjoint")
DESCRIPTIONS: Final = {2: fmi2_description, 3: fmi3_description}
MOST_CHARACTERS_OF_NAME: Final = 40  # characters of an identifier, so that a word can be added


@dataclass(frozen=True)
class MockUpOptions:
    """What an FMU is to have; see `fmu`. adjoints: with functions for adjoint derivatives, which FMI 3.0 has."""

    kinds: tuple[str, ...] = KINDS
    start: Start | None = None
    name: str | None = None
    events: Mapping[str, Any] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    fixed: frozenset[str] = frozenset()
    tolerance: float = 1e-8
    until: float = 1.0
    derivatives: bool = True
    adjoints: bool = False
    dae: bool = False


@of_equations
def fmu(
    equations: Equations,
    path: str | Path,
    *,
    version: int = 2,
    kind: str | Sequence[str] = KINDS,
    start: Start | None = None,
    name: str | None = None,
    events: Mapping[str, Any] | Iterable[Event] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    also: Iterable[str] = (),
    fixed: Iterable[str] = (),
    tolerance: float = 1e-8,
    until: float = 1.0,
    derivatives: bool = True,
    dae: bool = False,
    platforms: Sequence[str] | None = None,
) -> Path:
    """A functional mock-up unit with sources, a binary and documentation in one file; validated by FMPy in the tests.
    Returns its path.

    version     2 or 3: FMI 2.0 or 3.0
    kind        "model exchange", "co-simulation", or both
    start       initial state, or values by name
    name        the model identifier; by default the name of the model
    events      a list of `Event`s; or expressions, events, or names of variables and outputs, by name
    inputs      laws as in `simulate`; an input without a law is an input of the FMU, and so are its rates if the
                equations contain them
    also        "energies", "multipliers": outputs in addition to those of the model
    fixed       names of parameters that cannot change during a run; others are tunable
    tolerance   of co-simulation, if the importer requests none
    until       seconds of the default experiment
    derivatives whether directional derivatives (with version 3 adjoint ones too) are written; without, large models are
    smaller
    dae         with multipliers as algebraic variables and constraints as residuals, by the layered standard
                fmi-ls-dae, a draft; version 3
    platforms   of binaries: linux64, win64, darwin64, and with version 3 linux-arm64, darwin-arm64; by default this
                one. Others than this one need the package ziglang. () writes sources only

    >>> x = sb.symbol("x", "variable")
    >>> sb.write.fmu(sb.from_equations({x: -x}, name="decay"), "decay.fmu", platforms=()).name
    'decay.fmu'

    See also: `write.c`, `write.modelica`.
    """
    if version not in DESCRIPTIONS:
        raise ProgramError(f"FMU of {equations.name!r}: version is 2 or 3, got {shown(version)}")
    if dae and version != 3:
        raise ProgramError(f"FMU of {equations.name!r}: dae=True is a layered standard of FMI 3.0; write version=3")
    kinds = (kind,) if isinstance(kind, str) else tuple(kind)
    options = MockUpOptions(
        kinds,
        start,
        name,
        _by_name(events),
        tuple(also),
        frozenset(fixed),
        tolerance,
        until,
        derivatives,
        version == 3,
        dae,
    )
    it = mock_up(closed_loop(equations, inputs) if inputs else equations, options)
    return write_bytes(path, archive(fmu_files(it, version, platforms)))


def fmu_files(it: MockUp, version: int, platforms: Sequence[str] | None) -> dict[str, bytes]:
    """Everything in the file, by path."""
    token = token_of(it, version)
    sources = c_sources(it, version, token)
    found = {f"sources/{k}": v for k, v in sources.items()}
    found |= DESCRIPTIONS[version](it, token)
    found["documentation/index.html"] = documentation(it)
    made = binaries(sources, compiled_files(it), it.identifier, version, platforms, f"FMU of {it.made.title!r}")
    return {k: v.encode() for k, v in found.items()} | made


def token_of(it: MockUp, version: int) -> str:
    """The identity of what the FMU computes, in the form of a GUID."""
    told = (
        it.made.hash,
        it.identifier,
        version,
        it.kinds,
        [v.name for v in it.variables],
        sorted(it.fixed),
        it.tolerance,
        it.is_dae,
        [_event_sense(e) for e in it.events.values()],
    )
    digest = hashlib.sha256(repr(told).encode()).hexdigest()
    return f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"


def _event_sense(event: Event | None) -> Any:
    return None if event is None else (event.direction, event.terminal)


def mock_up(eq: Equations, options: MockUpOptions) -> MockUp:
    """Equations in the terms of FMI."""
    where = f"FMU of {eq.name!r}"
    identifier = identifier_of(options.name or eq.name)[:MOST_CHARACTERS_OF_NAME].rstrip("_")
    derivatives = (*ALONG, *(ADJOINTS if options.adjoints else ())) if options.derivatives else ()
    if options.dae:
        derivatives = (*SEMI_EXPLICIT, *(("semi_explicit_along", *ALONG) if options.derivatives else ()))
    more = _more_outputs(eq, options.also, where)
    made = artefact(
        eq,
        ExportOptions(
            (*FUNCTIONS, *derivatives), options.start, f"{identifier} model", options.events, None, more, checks=False
        ),
    )
    if not made.has("rhs"):
        raise ProgramError(f"{where}: {' '.join(made.notes) or 'there is no state'}")
    if options.dae and not made.has("semi_explicit"):
        raise ProgramError(
            f"{where}: dae=True is for constraints, with a mass matrix that is not singular without them"
        )
    known = {n: e if isinstance(e, Event) else None for n, e in with_own_events(eq, options.events).items()}
    return MockUp(
        made, eq, identifier, options.kinds, known, options.fixed, options.tolerance, options.until, options.dae
    )


def _by_name(events: Mapping[str, Any] | Iterable[Event] | None) -> Mapping[str, Any]:
    if events is None or isinstance(events, Mapping):
        return events or {}
    return {e.name: e for e in events}


def _more_outputs(eq: Equations, also: Iterable[str], where: str) -> dict[str, Any]:
    made = {
        "energies": lambda: {"kinetic_energy": kinetic_energy(eq), "potential_energy": potential_energy(eq)},
        "multipliers": lambda: dict(
            zip((s.name for s in eq.lam), eq.multipliers.entries if eq.lam else (), strict=True)
        ),
    }
    out: dict[str, Any] = {}
    for name in also:
        if name not in made:
            raise unknown(where, "further output", name, made, ProgramError)
        out |= made[name]()
    return out
