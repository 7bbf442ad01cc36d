"""All checks by name, in the order in which they are made."""

from __future__ import annotations

from collections.abc import Callable

from . import checks_of_code as of_code
from . import checks_of_equations as of_equations
from . import checks_of_linear_systems as of_linear_systems
from . import checks_of_motions as of_motions
from .subject import Subject

CHECKS: dict[str, Callable[[Subject], None]] = {
    f.__name__: f
    for f in (
        of_equations.routes,
        of_equations.certificate,
        of_equations.freedoms,
        of_equations.reduced,
        of_equations.readable,
        of_equations.derivatives,
        of_code.code,
        of_code.model_file,
        of_code.pickles,
        of_motions.solves,
        of_motions.power,
        of_motions.forms,
        of_motions.requested_times,
        of_motions.sensitivities,
        of_code.trajectory_file,
        of_linear_systems.linearization,
    )
}
