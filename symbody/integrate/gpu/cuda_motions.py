"""Many motions at once on a GPU, each in a thread of its own from beginning to end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ...algebra.graph.graph import Symbol
from ...derivation.equations.equation_arguments import of_equations_or
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import values_by_name
from ...derivation.equations.sampling import refuse_samples
from ...emit.llvm.device_loops import DeviceModule
from ...emit.run.cuda_callable import checked_real
from ...emit.run.cuda_driver import cuda
from ...errors import SimulationError, listed, unknown
from ...options import OptionSet
from ...simulation_options import SimulationOptions
from ..contact.impacts import Contact
from ..events.events import Event
from ..forms.form_kinds import FORMS
from ..forms.forms import Form
from ..inputs.inputs import with_inputs
from ..inputs.meanings import quantity_expressions
from ..kernels.tableaux import TABLEAUX
from ..modes.modes import Contacts
from ..run import typed_calls
from ..run.form_and_method import AUTO, choice, form_of
from ..start.state import Amount
from ..time_stepping.time_stepping import METHOD, check_law
from .contact_motions import ContactMotions, ContactQuestion
from .cuda_batch import CudaMotions, FixedMotions
from .cuda_march import MarchedMotions, MarchQuestion
from .device_form import DeviceForm, DeviceFunctions
from .fixed_steps import FIXED_METHODS

DEFAULT_RTOL: Final = {"double": 1e-8, "float": 1e-4}
DEFAULT_MAX_STEPS: Final = 10**6  # a kernel cannot be interrupted
HONOURED: Final = ("form", "metric", "alpha", "beta", "max_step", "max_growth", "max_size")


@values_by_name(
    SimulationError, options=OptionSet(SimulationOptions, ("method", "rtol", "atol", "max_steps", *HONOURED)), checked_as=typed_calls.cuda_motions
)  # fmt: skip
@of_equations_or(Contacts)
def cuda_motions(
    equations: Equations | Contacts,
    step: float | None = None,
    *,
    method: str = AUTO,
    real: str = "double",
    rtol: float | None = None,
    atol: float | None = None,
    max_steps: int = DEFAULT_MAX_STEPS,
    events: Sequence[Event | Contact] = (),
    record: int = 0,
    vary: Iterable[Any] = (),
    values: Mapping[Any, float] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    outputs: Sequence[Any] = (),
    options: SimulationOptions,
    **named: Amount,
) -> CudaMotions:
    """Motions of many members at once on an NVIDIA GPU: `cuda_motions(eq, 1e-3)(y, steps=1000)`, `cuda_motions(eq,
    rtol=1e-6)(y, times)`.

    equations  or `Contacts`: time stepping of contacts and frictions with a fixed step (`ContactMotions`), the steps of
              `simulate_modes(method="moreau")`
    step      a fixed step: `FixedMotions`, whose states stay in registers; without it, or with events,
              `MarchedMotions`, the loop of `simulate`
    method    with a fixed step rk4, midpoint, or semi-implicit (speeds first, then positions with the new speeds); with
              step control dp5, dp8
    real      "double", or "float" (single)
    rtol, atol  tolerances of the local error; by default 1e-8 in double, 1e-4 in single precision, and atol as rtol
    max_steps  of each member
    events    `Event`, whose resets are expressions, and `Contact`; the first `record` of each member are stored
    vary      parameters that differ between members, by name or symbol; the others become numbers of the machine code
    values    of parameters that do not vary, where they are not those of the model; also as keywords
    inputs    laws of inputs as expressions, as in `simulate`; inputs without a law are given with the call, by member
    outputs   names or expressions that are stored instead of the state
    options   any option by name, or `SimulationOptions`

    >>> x, v = sb.symbols("x v", "variable")
    >>> eq = sb.from_equations({x: v, v: -x})
    >>> try:
    ...     y = sb.integrate.cuda_motions(eq, 1e-2)(np.array([[1.0, 0.0]]), steps=100).y.numpy()
    ... except sb.errors.CompileError:  # without a card of NVIDIA
    ...     y = sb.simulate(eq, [0.0, 0.5, 1.0], x=1.0).y[-1:]
    >>> y.round(4)
    array([[ 0.5403, -0.8415]])

    See also: `simulate_batch`, `emit.device_array`, `integrate.CudaMotions`.
    """
    if isinstance(equations, Equations):
        refuse_samples(equations, "cuda_motions", SimulationError)
    cuda()
    if isinstance(equations, Contacts):
        question = ContactQuestion(step, tuple(events), record)
        return _contact_motions(
            equations, question, method, real, tuple(vary), values or {}, inputs or {}, outputs, options
        )
    eq, numbers = with_inputs(equations, inputs or {})
    where = f"cuda_motions of {eq.name!r}"
    wanted = quantity_expressions(eq, outputs, where, SimulationError) if outputs else ()
    bake = _baked_numbers(eq, tuple(vary), {**(values or {}), **numbers})
    device = DeviceForm(device_ready_form(eq, options), bake, checked_real(real))
    if step is not None and not events:
        return FixedMotions(device, step, _method(where, method, "rk4", FIXED_METHODS), wanted)
    chosen = _method(where, method, "dp5" if step is None else "rk4", TABLEAUX)
    if step is None and chosen == "rk4":
        raise SimulationError(f"{where}: method='rk4' has no error control: give it a fixed step")
    tolerance = rtol if rtol is not None else DEFAULT_RTOL[real]
    march = replace(
        options,
        method=chosen,
        step=step,
        rtol=tolerance,
        atol=tolerance if atol is None else atol,
        max_steps=max_steps,
    )
    return MarchedMotions(device, MarchQuestion(march, tuple(events), record), wanted)


def _contact_motions(
    given: Contacts,
    asked: ContactQuestion,
    method: str,
    real: str,
    vary: tuple[Any, ...],
    values: Mapping[Any, float],
    inputs: Mapping[Any, Any],
    outputs: Sequence[Any],
    options: SimulationOptions,
) -> ContactMotions:
    contacts, numbers = given.with_inputs(inputs)
    eq = contacts.base
    where = f"cuda_motions of {eq.name!r}"
    _method(f"{where}, which has contacts", method, METHOD, (METHOD,))
    check_law(contacts.impacts, where)
    if asked.step is None or options.given:
        raise SimulationError(
            f"{where}: contacts take a fixed step, cuda_motions(contacts, 1e-3), and no {listed((f'{k}=' for k in options.given), 7) or 'rtol='}"
        )
    wanted = quantity_expressions(eq, outputs, where, SimulationError) if outputs else ()
    bake = _baked_numbers(eq, vary, {**values, **numbers})
    device = DeviceFunctions(
        eq, eq.state, eq.variables.constants, bake, DeviceModule(checked_real(real), is_compact=True)
    )
    return ContactMotions(device, contacts.table, asked, wanted)


def _method(where: str, method: str, otherwise: str, known: Iterable[str]) -> str:
    if method != AUTO and method not in known:
        raise unknown(where, "method", method, known, SimulationError)
    return otherwise if method == AUTO else method


def device_ready_form(eq: Equations, asked: SimulationOptions) -> Form:
    """A form whose rates and corrections are expressions, without equations to be solved by iteration."""
    options = choice(eq, asked)
    able = [
        k for k, f in FORMS.items() if f.has_rates and not f.is_algebraic and not f.is_discrete and k != "orthogonal"
    ]
    if options.form not in able:
        raise SimulationError(
            f"cuda_motions of {eq.name!r}: form={options.form!r} is not for GPUs; there are {listed(able)}"
        )
    if options.project_stages:
        raise SimulationError(
            f"cuda_motions of {eq.name!r}: project_stages= is not for GPUs; ends of steps are projected"
        )
    return form_of(eq, options)


def _baked_numbers(eq: Equations, vary: tuple[Any, ...], values: Mapping[Any, float]) -> dict[Symbol, float]:
    """Numbers of the parameters that do not vary, and of inputs that have one."""
    where, table = f"cuda_motions of {eq.name!r}", eq.variables.of("p")
    varied = set(table.resolved(dict.fromkeys(vary, 0.0), where, SimulationError))
    given = eq.variables.of("p r").resolved(dict(values), where, SimulationError)
    numbers = {**table.defaults, **given}
    fixed = table.only(s for s in eq.p if s not in varied)
    fixed.require(numbers, where, SimulationError, "give them as values={...}, or vary them")
    return {s: float(x) for s, x in numbers.items() if s not in varied}
