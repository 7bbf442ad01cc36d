"""modelDescription.xml and buildDescription.xml of FMI 3.0."""

from __future__ import annotations

from typing import Any

from .c_sources import compiled_files
from .dae_manifest import MANIFEST, dae_manifest
from .description import EXCHANGE, STEPS, MockUp, MockUpVariable, Unknown
from .xml_elements import HEAD, element, numbers
from .xml_units import unit_definitions


def fmi3_description(it: MockUp, token: str) -> dict[str, str]:
    """Files with descriptions, by name."""
    found = {"modelDescription.xml": _model(it, token), "sources/buildDescription.xml": _build(it)}
    return found | ({MANIFEST: dae_manifest(it)} if it.is_dae else {})


def _model(it: MockUp, token: str) -> str:
    attributes = {
        "fmiVersion": "3.0", "modelName": it.made.title, "instantiationToken": token, "description": f"model {it.made.hash}",
        "generationTool": f"symbody {it.made.version}", "variableNamingConvention": it.naming,
    }  # fmt: skip
    start = it.made.start[0]
    experiment = {"startTime": start, "stopTime": start + it.until, "tolerance": it.tolerance}
    log = [element("Category", {"name": f"logStatus{s}"}) for s in ("Discard", "Error")]
    children = [
        *_interfaces(it), *unit_definitions(it.variables), element("LogCategories", {}, log), element("DefaultExperiment", experiment),
        element("ModelVariables", {}, [_variable(v) for v in it.variables]), element("ModelStructure", {}, _structure(it)),
    ]  # fmt: skip
    return HEAD + element("fmiModelDescription", attributes, children) + "\n"


def _interfaces(it: MockUp) -> list[str]:
    common: dict[str, Any] = {
        "modelIdentifier": it.identifier, "canGetAndSetFMUState": True, "canSerializeFMUState": True, "providesDirectionalDerivatives": it.has_derivatives,
        "providesAdjointDerivatives": it.has_adjoints,
    }  # fmt: skip
    exchange: dict[str, Any] = {"needsCompletedIntegratorStep": bool(it.projects or it.events)}
    steps: dict[str, Any] = {
        "canHandleVariableCommunicationStepSize": True,
        "maxOutputDerivativeOrder": int(it.has_derivatives),
        "hasEventMode": True,
    }
    found = {EXCHANGE: ("ModelExchange", exchange), STEPS: ("CoSimulation", steps)}
    return [element(name, common | own) for kind, (name, own) in found.items() if kind in it.kinds]


def _variable(v: MockUpVariable) -> str:
    attributes: dict[str, Any] = {
        "name": v.name, "valueReference": v.reference, "description": v.description, "causality": v.causality, "variability": v.variability,
        "initial": v.initial, "unit": v.unit, "displayUnit": v.display_unit, "start": v.start, "derivative": v.derivative_of,
    }  # fmt: skip
    if v.jumps:
        attributes["reinit"] = True
    return element("Float64", attributes)


def _structure(it: MockUp) -> list[str]:
    groups = {
        "Output": it.outputs, "ContinuousStateDerivative": it.derivatives, "InitialUnknown": it.initial_unknowns, "EventIndicator": it.indicators,
    }  # fmt: skip
    return [_unknown(name, u) for name, found in groups.items() for u in found]


def _unknown(name: str, u: Unknown) -> str:
    return (
        f'<{name} valueReference="{u.reference}" dependencies="{numbers(u.on)}" '
        f'dependenciesKind="{" ".join(u.kinds)}"/>'
    )


def _build(it: MockUp) -> str:
    files = [element("SourceFile", {"name": n}) for n in compiled_files(it)]
    sources = element("SourceFileSet", {"language": "C99"}, files)
    made = element("BuildConfiguration", {"modelIdentifier": it.identifier}, [sources])
    return HEAD + element("fmiBuildDescription", {"fmiVersion": "3.0"}, [made]) + "\n"
