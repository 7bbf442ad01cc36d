"""The Simulink target: a level-2 C S-function around the C library, with a driver that checks it on a stand-in for
Simulink's header.

Continuous states are x, the input port r; output ports are the state and the outputs of the model; events are zero
crossings, and states are projected onto the constraints after steps. MATLAB is not needed to check it, and is not what
it is checked with.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from ....errors import ProgramError, listed
from ....escaping import in_block_comment
from ...artefacts.artefact import Artefact
from ...artefacts.describe import description_lines
from ...printers.readme import readme
from ...printers.templates import template, template_parts
from ..c.c_library import CLibrary, CVariant
from .simulink_check import SimulinkDriver, output_size

FUNCTIONS: Final = ("rhs", "outputs", "events", "event_handling", "correct_positions", "correct_speeds")
STAND_IN: Final = ("simstruc.h", "simulink.c")


def simulink_files(made: Artefact) -> dict[str, str]:
    """Text of each file, by name."""
    if made.has("event_handling"):
        raise ProgramError(
            f"export of {made.title!r} to Simulink: an S-function has zero crossings, but no guards and "
            "resets of events; export an FMU, which Simulink imports"
        )
    name, library = made.identifier, CLibrary(made, CVariant())
    source = library.source()  # first: helpers are known once functions are written
    return {
        f"{name}.h": library.header(),
        f"{name}.c": source,
        f"{name}_sfun.c": _SFunction(made, library).text(),
        f"{name}_sfun_check.c": SimulinkDriver(made, library).text(),
        **{f"stand_in/{f}": _stand_in(f) for f in STAND_IN},
        "Makefile": template(__package__, "Makefile").filled(name=name),
        "README.md": _readme(made),
    }


def _stand_in(name: str) -> str:
    return (files(__package__) / "stand_in" / name).read_text(encoding="utf-8")


# ---------------------------------------------------------------------------------------------------- the S-function


class _SFunction:
    """Text of the S-function."""

    def __init__(self, made: Artefact, library: CLibrary) -> None:
        self.made, self.library, self.n = made, library, made.identifier
        self.n_x, self.n_r = len(made.state), len(made.inputs)
        self.n_y, self.n_g = output_size(made, "outputs"), output_size(made, "events")
        self.parts = template_parts(__package__, "sfun.c")

    def text(self) -> str:
        made, widths = self.made, [n for n in (self.n_x, self.n_y) if n]
        lines = [f"{made.title}: a level-2 S-function; mex {self.n}_sfun.c {self.n}.c", "", *description_lines(made)]
        fields = self.library.fields if made.parameters else ()
        port = (
            self.parts["input_port"].filled(n_r=self.n_r, feeds_through=int(self._feeds_through())) if self.n_r else ""
        )
        start = self.parts["start"].filled(name=self.n, upper=self.n.upper(), n_r=max(1, self.n_r)) if self.n_x else ""
        return self.parts["file"].filled(
            about=[f" * {in_block_comment(line)}".rstrip() for line in lines], name=self.n, upper=self.n.upper(),
            fields=[f"p->{f} = given[{k}];" for k, f in enumerate(fields)] or ["(void)given;"],
            inputs=["return ssGetInputPortRealSignal(S, 0);"] if self.n_r else ["UNUSED_ARG(S);", "return 0;"],
            input_ports=1 if self.n_r else 0, input_port=port, output_ports=len(widths),
            output_widths=[f"ssSetOutputPortWidth(S, {k}, {n});" for k, n in enumerate(widths)], n_g=self.n_g, start=start,
            outputs=self._outputs(), methods="\n\n".join(self._methods()),
        ) + "\n"  # fmt: skip

    def _feeds_through(self) -> bool:
        """Whether outputs or zero crossings read the inputs."""
        programs = [f.program for f in self.made.functions if f.name in ("outputs", "events")]
        return any(i.op == "input" and i.data[0] == 2 for p in programs for i in p.code)

    def _outputs(self) -> list[str]:
        """The state, then the outputs of the model; a model without states has only the latter."""
        lines = [f"{self.n}_parameters p;", "UNUSED_ARG(tid);"] if self.n_y else ["UNUSED_ARG(tid);"]
        lines += [self.parts["states"].filled(upper=self.n.upper())] if self.n_x else []
        if self.n_y:
            x, port = ("ssGetContStates(S)", 1) if self.n_x else ("0", 0)
            given = f"ssGetT(S), {x}, inputs(S), &p, ssGetOutputPortRealSignal(S, {port})"
            lines += ["parameters(S, &p);", f"refuse(S, {self.n}_outputs({given}));"]
        return lines

    def _methods(self) -> list[str]:
        """Derivatives, zero crossings and projection, as far as they exist in the model."""
        return [
            self.parts["method"].filled(name=self.n, macro=macro, method=method, function=function, result=result)
            for has, macro, method, function, result in (
                (self.n_x, "DERIVATIVES", "Derivatives", "rhs", ", ssGetdX(S)"),
                (self.n_g, "ZERO_CROSSINGS", "ZeroCrossings", "events", ", ssGetNonsampledZCs(S)"),
                (self.made.has("project"), "PROJECTION", "Projection", "project", ""),
            )
            if has
        ]


def _readme(made: Artefact) -> str:
    ports = [f"the input port has {len(made.inputs)} signals"] if made.inputs else ["there is no input port"]
    ports += ["output port 1 is the state"] if made.state else []
    if made.has("outputs"):
        port = "port 2" if made.state else "the output port"
        ports.append(f"{port} has the {output_size(made, 'outputs')} outputs of the model")
    supplied = f"You supply {listed(f'`{f.name}`' for f in made.hooks)}: `make check HOOKS=my_functions.c`."
    return readme(
        made, template(__package__, "README.md"), f"{made.identifier}_", name=made.identifier, ports=", ".join(ports).capitalize(),
        supplied=supplied if made.hooks else "",
    )  # fmt: skip
