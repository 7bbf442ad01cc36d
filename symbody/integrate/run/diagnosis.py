"""Diagnosis of a simulation that failed: the variable, the constraints, the matrices at its last state."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...algebra.calculus.evaluate import evaluate
from ...algebra.graph.graph import Symbol
from ...derivation.equations.energies import load_powers
from ...derivation.equations.own_terms import in_own_terms
from ...derivation.equations.rotation_axes import axes_of_rotation
from ...derivation.rank.row_space import sizes_of_rows
from ...emit.run.callable import Array
from ...errors import EvaluationError, in_number, listed
from ..forms.forms import Form
from ..forms.independent_speeds import why_not
from ..kernels.march import GROWTH_LEVELS
from ..kernels.march_records import Growth
from ..result.outcome import Ending, Outcome
from ..start.constraint_rows import rows_of
from ..start.sparse_constraints import dependences
from .singular_configurations import singular_near, state_in

NO_RATES: Final = (
    Ending.NOT_FINITE,
    Ending.OFF_CONSTRAINTS,
    Ending.STEP_TOO_SMALL,
    Ending.NOT_CONVERGED,
    Ending.JUMPED,
)  # endings where rates have no value
SINGULARITY_ADVICE: Final = "form='projection' with an explicit method passes such positions at speed; or start from a state beyond it, on the intended branch"
GIMBAL_LOCK: Final = 1e-3  # smallest singular value of the three axes of a rotation below which two of them coincide
NEARLY_DEPENDENT: Final = 1e-5  # fraction of the largest singular value below which constraints are dependent


def diagnosed_outcome(form: Form, ending: Ending, t: float, y: Array, p: Array, is_explicit: bool = True) -> Outcome:
    """The outcome with its reason, as far as the last state shows it."""
    if ending in (Ending.REACHED, Ending.STOPPED, Ending.INTERRUPTED):
        return Outcome(ending, t)
    if ending is Ending.TOO_MUCH_MEMORY:
        return Outcome(
            ending,
            t,
            "give the times at which states are wanted, as in t=np.linspace(0, 10, 1001), or a larger max_memory=",
        )
    if ending in NO_RATES and _has_outlived_its_choice(form, t, y, p):
        return Outcome(Ending.SINGULAR, t, why_not(form.equations))
    if found := gimbal_lock(form, t, y, p):
        return Outcome(Ending.LOCKED, t, found)
    if found := _dependent_constraints(form, ending, t, y, p):
        return Outcome(ending if ending is Ending.JUMPED else Ending.SINGULAR, t, found)
    return Outcome(ending, t, _rates(form, ending, t, y, p, is_explicit))


def _has_outlived_its_choice(form: Form, t: float, y: Array, p: Array) -> bool:
    """Whether independent speeds came near to where they do not determine the others."""
    return form.choice is not None and bool(100 * form.state.measured_choice(t, y[: form.state.n], p) > p[-1])


def unbounded_outcome(form: Form, growth: Growth, t: float, y: Array, p: Array) -> Outcome:
    """The outcome of a motion that grew exponentially: what grew, how fast, and the load that fed it most."""
    sizes = np.abs(y[: growth.count]) * np.asarray(growth.per_size)
    k = int(np.argmax(sizes))
    said = (
        f"{form.y[k].name} = {y[k]:z.3g} is {sizes[k]:z.0e} times its size at the start, and grew {GROWTH_LEVELS:g}-fold since t = {growth.last:z.6g}, as "
        f"before that since t = {growth.before:z.6g}"
    )
    powers = _load_powers(form, t, y, p)
    name = max(powers, key=lambda n: powers[n], default="")
    fed = f"; load {name!r} feeds it most, with a power of {powers[name]:z.3g}" if name and powers[name] > 0 else ""
    return Outcome(
        Ending.UNBOUNDED, t, f"{said}{fed}: look for a wrong sign, in feedback too, or let it go on with max_size=inf"
    )


def _load_powers(form: Form, t: float, y: Array, p: Array) -> dict[str, float]:
    eq = form.equations
    powers = eq.cached("load powers", (), lambda: load_powers(eq))
    values = (
        dict(zip(form.y, y.tolist(), strict=True)) | dict(zip(form.parameters, p.tolist(), strict=True)) | {eq.t: t}
    )
    return dict(zip(powers, evaluate(in_own_terms(eq, list(powers.values()), solved=True), values), strict=True))


def gimbal_lock(form: Form, t: float, y: Array, p: Array) -> str:
    """The joint or body whose three angles are at a position where the first and the third axis coincide; empty if
    there is none.

    The columns ∂ω/∂q̇ᵢ are the unit axes about which the angles rotate. In gimbal lock they lie in one plane, whatever
    the inertia that they move.
    """
    eq = form.equations
    values = dict(zip(eq.state, map(float, y), strict=False)) | dict(
        zip(eq.variables.constants, map(float, p), strict=False)
    )
    for joint, angles in eq.variables.rotations_by_angles.items():
        try:
            axes = np.array(evaluate(axes_of_rotation(eq, angles), values | {eq.t: t}), dtype=np.float64)
        except (EvaluationError, OverflowError):
            return ""
        if np.isfinite(axes).all() and np.linalg.svd(axes.reshape(3, 3), compute_uv=False)[-1] <= GIMBAL_LOCK:
            middle = angles[1]
            other = (
                "sequence='euler parameters' has no such position, another sequence has it elsewhere"
                if "joint" in joint
                else "rotate_by_euler_parameters has no such position, turns about other axes have it elsewhere"
            )
            return (
                f"{joint} is at {middle.name} = {y[middle.index]:z.6g}, where the first and the third of its axes coincide (gimbal lock): its angles do not "
                f"determine a rotation there; {other}"
            )
    return ""


def _dependent_constraints(form: Form, ending: Ending, t: float, y: Array, p: Array) -> str:
    if not form.equations.lam:
        return ""
    try:
        state = state_in(form, t, y, p)
    except ValueError:
        return ""
    rows = rows_of(form.equations)
    if rows.sparse is not None:
        found, V = dependences(rows.sparse.speed(*state.arguments)[0])
        smallest, vector = float(found[0]), V[:, 0]
    else:
        Jc, _ = rows.speed(*state.arguments)
        U, s, _ = np.linalg.svd(Jc / sizes_of_rows(Jc)[:, None])
        smallest, vector = s[-1] / s[0], U[:, -1]
    if smallest > NEARLY_DEPENDENT:
        near = singular_near(state) if ending in NO_RATES else ()
        return (
            f"{in_number(near, 'constraints of {} become', '{} become')} linearly dependent just there: a singular position. {SINGULARITY_ADVICE}"
            if near
            else ""
        )
    involved = [row.owner for row, weight in zip(rows.speeds, np.abs(vector), strict=True) if weight > 0.05]
    return (
        f"{in_number(dict.fromkeys(involved), 'constraints of {} become', '{} become')} linearly dependent there (smallest singular value of the constraints {smallest:z.1e} of the largest): "
        f"the configuration is singular. {SINGULARITY_ADVICE}"
    )


def _rates(form: Form, ending: Ending, t: float, y: Array, p: Array, is_explicit: bool) -> str:
    if not form.rates:
        return ""
    rates = form.rhs_program(t, y, p)
    if wrong := [f"{_rate_of(s)} = {r}" for s, r in zip(form.y, rates, strict=True) if not np.isfinite(r)]:
        return f"{listed(wrong)} already at this time"
    k = int(np.argmax(np.abs(rates) / (1.0 + np.abs(y))))
    largest = f"{_rate_of(form.y[k])} = {rates[k]:z.3g} is the largest rate just before"
    if ending is Ending.STEP_TOO_SMALL:
        stiff = ", or a stiff part: method='radau' may help" if is_explicit else ""
        return f"{largest}; a jump of a function (an event at it may help) or a pole{stiff}"
    return largest


def _rate_of(s: Symbol) -> str:
    return f"the rate of {s.name}"
