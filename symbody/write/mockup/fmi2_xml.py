"""modelDescription.xml of FMI 2.0: variables in the order of value references, so that an index is a reference plus
one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .c_sources import compiled_files
from .description import EXCHANGE, STEPS, MockUp, MockUpVariable, Unknown
from .xml_elements import HEAD, element, numbers
from .xml_units import unit_definitions


def fmi2_description(it: MockUp, token: str) -> dict[str, str]:
    """Files with descriptions, by name."""
    listed = it.variables[: it.first["g"]]  # event functions are counted, not listed
    attributes = {
        "fmiVersion": "2.0", "modelName": it.made.title, "guid": token, "description": f"model {it.made.hash}",
        "generationTool": f"symbody {it.made.version}", "variableNamingConvention": it.naming, "numberOfEventIndicators": len(it.events),
    }  # fmt: skip
    start = it.made.start[0]
    experiment = {"startTime": start, "stopTime": start + it.until, "tolerance": it.tolerance}
    log = [element("Category", {"name": f"logStatus{s}"}) for s in ("Discard", "Error")]
    children = [
        *_interfaces(it), *unit_definitions(listed), element("LogCategories", {}, log), element("DefaultExperiment", experiment),
        element("ModelVariables", {}, [_variable(v) for v in listed]), element("ModelStructure", {}, _structure(it)),
    ]  # fmt: skip
    return {"modelDescription.xml": HEAD + element("fmiModelDescription", attributes, children) + "\n"}


def _interfaces(it: MockUp) -> list[str]:
    sources = [element("SourceFiles", {}, [element("File", {"name": n}) for n in compiled_files(it)])]
    common: dict[str, Any] = {
        "modelIdentifier": it.identifier,
        "canGetAndSetFMUstate": True,
        "canSerializeFMUstate": True,
    }
    derivatives = {"providesDirectionalDerivative": it.has_derivatives}
    exchange: dict[str, Any] = {"completedIntegratorStepNotNeeded": not (it.projects or it.events)}
    steps: dict[str, Any] = {
        "canHandleVariableCommunicationStepSize": True,
        "canInterpolateInputs": bool(it.made.inputs),
        "maxOutputDerivativeOrder": int(it.has_derivatives),
    }
    found = {EXCHANGE: ("ModelExchange", exchange), STEPS: ("CoSimulation", steps)}
    return [
        element(name, common | own | derivatives, sources) for kind, (name, own) in found.items() if kind in it.kinds
    ]


def _variable(v: MockUpVariable) -> str:
    outer = {
        "name": v.name, "valueReference": v.reference, "description": v.description, "causality": v.causality, "variability": v.variability,
        "initial": v.initial,
    }  # fmt: skip
    real: dict[str, Any] = {"unit": v.unit, "displayUnit": v.display_unit, "start": v.start}
    if v.derivative_of is not None:
        real["derivative"] = v.derivative_of + 1
    if v.jumps:
        real["reinit"] = True
    return element("ScalarVariable", outer, [element("Real", real)])


def _structure(it: MockUp) -> list[str]:
    groups = {"Outputs": it.outputs, "Derivatives": it.derivatives, "InitialUnknowns": it.initial_unknowns}
    return [element(name, {}, [_unknown(u) for u in found]) for name, found in groups.items() if found]


def _unknown(u: Unknown) -> str:
    return (
        f'<Unknown index="{u.reference + 1}" dependencies="{numbers(_indices(u.on))}" '
        f'dependenciesKind="{" ".join(u.kinds)}"/>'
    )


def _indices(references: Sequence[int]) -> list[int]:
    return [r + 1 for r in references]
