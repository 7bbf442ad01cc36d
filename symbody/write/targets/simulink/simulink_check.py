"""The check of an S-function: what Simulink would call, on the stand-in for its header, and a motion."""

from __future__ import annotations

from typing import Final

from ...artefacts.artefact import Artefact
from ...artefacts.reference_steps import STAGES, TABLE
from ...printers.templates import template_parts
from ..c.c_driver import CDriver, CStep
from ..c.c_library import CLibrary, CVariant

CALLS: Final = {"rhs": ("derivatives", "xdot"), "outputs": ("outputs", "y"), "events": ("zero_crossings", "g"), "project": ("projection", "x")}  # fmt: skip
"""Functions of the library: the call of the stand-in behind which each stands, and where its result is."""


class SimulinkDriver(CDriver):
    """Sizes, the start, derivatives, outputs, zero crossings, projection; and a motion."""

    def __init__(self, made: Artefact, library: CLibrary) -> None:
        super().__init__(made, library, CVariant())
        self.parts |= template_parts(__package__, "check.c")

    def text(self) -> str:
        made, n_x = self.made, len(self.made.state)
        numbers = {"at": self.point.x, "held": self.point.r, "start": made.start[1]}
        return self.part(
            "file", difference=self.part("difference"), verdict=self.part("verdict"), state=f"state[{self.n}], " if n_x else "",
            n_y=max(1, output_size(made, "outputs")), n_g=max(1, output_size(made, "events")), first_port="state" if n_x else "y",
            numbers=[line for k, values in numbers.items() for line in self.array(k, values)], n_x=n_x, input_ports=1 if made.inputs else 0,
            inputs=len(made.inputs), allowed=self.agreement, t=self.literal(self.point.t),
            checks=[self._method(name) for name in CALLS if name in self.values],
            stages=self.part("stages", fixed_step=CStep("rates({0}, {1}, {2})").text()) if made.reference else "",
            motion=self._motion() if made.reference else "", wrong="check_block()" + (" + check_motion()" if made.reference else ""),
        ) + "\n"  # fmt: skip

    def _method(self, name: str) -> str:
        (called, result), wanted = CALLS[name], self.values[name].outputs[0]
        return self.part(
            "method", wanted=self.array("wanted", wanted), called=called, result=result, size=len(wanted), allowed=self.agreement
        )  # fmt: skip

    def _motion(self) -> str:
        ref = self.made.reference
        assert ref is not None
        return self.part(
            "motion", count_of_stages=STAGES, table=self.array("table", TABLE),
            project="stand_in_projection(block());" if self.made.has("project") else "", numbers=self.reference_numbers(),
            held=[f"r[{k}] = {self.literal(v)};" for k, v in enumerate(self.made.start[2])], points=len(ref.times), steps=float(ref.steps),
            count=ref.steps, allowed=ref.tolerance,
        )  # fmt: skip


def output_size(made: Artefact, name: str) -> int:
    """How many numbers a function gives, 0 if there is none."""
    return len(made.function(name).program.outputs[0].values) if made.has(name) else 0
