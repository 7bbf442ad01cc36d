"""The manifest of the layered standard fmi-ls-dae (a draft of 2026): multipliers as algebraic variables, constraints as
residuals.

M u' = f + Jcᵀ lam is semi-explicit: derivatives of the state follow from the multipliers that the importer sets, which
it finds from the residuals, of index 3 (positions), 2 (speeds) or 1 (accelerations). An importer that knows nothing of
it never sets a multiplier, and gets derivatives that keep the constraints.
"""

from __future__ import annotations

from typing import Final

from .description import MockUp, Unknown
from .xml_elements import HEAD, element, numbers

MANIFEST: Final = "extra/org.fmi-standard.fmi-ls-dae/fmi-ls-manifest.xml"
VERSION: Final = "0.0.1"


def dae_manifest(it: MockUp) -> str:
    attributes = {
        "xmlns:fmi-ls": "http://fmi-standard.org/fmi-ls-manifest",
        "fmi-ls:fmi-ls-name": "org.fmi-standard.fmi-ls-dae",
        "fmi-ls:fmi-ls-version": VERSION,
        "fmi-ls:fmi-ls-description": "Layered standard for DAE support in FMI",
    }
    first = it.first["lam"]
    algebraic = [element("AlgebraicVariable", {"valueReference": first + k}) for k, _ in enumerate(it.multipliers)]
    structure = [
        *(_entry("Output", u) for u in it.outputs),
        *(_entry("ContinuousStateDerivative", u) for u in _with_multipliers(it)),
    ]
    structure += [_entry("InitialUnknown", u) for u in it.initial_unknowns] + [
        _entry("EventIndicator", u) for u in it.indicators
    ]
    structure += [
        element("Residual", {}, [_entry("Formulation", u, f' index="{index}"') for index, u in rows])
        for rows in it.formulations
    ]
    children = [element("AlgebraicVariables", {}, algebraic), element("ModelStructure", {}, structure)]
    return HEAD + element("fmiLayeredStandardManifest", attributes, children) + "\n"


def _with_multipliers(it: MockUp) -> list[Unknown]:
    """Derivatives of the state that depend on multipliers as well: those of speeds."""
    first, n = it.first["lam"], len(it.multipliers)
    more = tuple(range(first, first + n))
    speeds = range(len(it.eq.q), len(it.eq.q) + len(it.eq.u))
    return [
        Unknown(u.reference, (*u.on, *more), (*u.kinds, *("dependent",) * n)) if k in speeds else u
        for k, u in enumerate(it.derivatives)
    ]


def _entry(name: str, u: Unknown, more: str = "") -> str:
    return (
        f'<{name}{more} valueReference="{u.reference}" dependencies="{numbers(u.on)}" '
        f'dependenciesKind="{" ".join(u.kinds)}"/>'
    )
