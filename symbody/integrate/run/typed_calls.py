"""Signatures of the calls for motions with every option of `SimulationOptions` written out, for type checkers: no
annotation says "these options by name, and numbers by any other name". Written by `python -m pytest tests/test_options.py
-k signatures --update`; do not edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...derivation.equations.equations import Equations
    from ...simulation_options import SimulationOptions
    from ..contact.impacts import Contact
    from ..events.events import Event
    from ..kernels.tableaux import Tableau
    from ..modes.modes import Contacts, Modes
    from ..start.state import Amount, Start


def simulate(
    equations: Equations,
    t: Any,
    start: Start | None = ...,
    *,
    values: Mapping[Any, float] | None = ...,
    inputs: Mapping[Any, Any] | None = ...,
    events: Sequence[Event | Contact] = ...,
    method: str | Tableau = ...,
    rtol: float = ...,
    atol: Any = ...,
    step: float | None = ...,
    order: int | None = ...,
    first_step: float | None = ...,
    max_step: float = ...,
    max_growth: float = ...,
    form: str = ...,
    metric: str = ...,
    alpha: float = ...,
    beta: float = ...,
    independent: Sequence[Any] = ...,
    project: bool = ...,
    project_stages: bool = ...,
    constraint_tolerance: float = ...,
    invariants: Sequence[Any] = ...,
    sensitivities: Sequence[Any] = ...,
    sensitivity_order: int = ...,
    held: Sequence[Any] | str = ...,
    max_steps: int = ...,
    max_memory: float = ...,
    max_size: float = ...,
    progress: bool | None = ...,
    options: Mapping[str, Any] | SimulationOptions | None = ...,
    **named: Amount,
) -> None: ...


def simulate_modes(
    modes: Modes | Contacts,
    t: Any,
    start: Start | None = ...,
    *,
    values: Mapping[Any, float] | None = ...,
    inputs: Mapping[Any, Any] | None = ...,
    events: Sequence[Event] = ...,
    mode: str | None = ...,
    method: str | Tableau = ...,
    rtol: float = ...,
    atol: Any = ...,
    step: float | None = ...,
    order: int | None = ...,
    first_step: float | None = ...,
    max_step: float = ...,
    max_growth: float = ...,
    form: str = ...,
    metric: str = ...,
    alpha: float = ...,
    beta: float = ...,
    independent: Sequence[Any] = ...,
    project: bool = ...,
    project_stages: bool = ...,
    constraint_tolerance: float = ...,
    invariants: Sequence[Any] = ...,
    sensitivities: Sequence[Any] = ...,
    sensitivity_order: int = ...,
    held: Sequence[Any] | str = ...,
    max_steps: int = ...,
    max_memory: float = ...,
    max_size: float = ...,
    progress: bool | None = ...,
    options: Mapping[str, Any] | SimulationOptions | None = ...,
    **named: Amount,
) -> None: ...


def simulate_batch(
    equations: Equations,
    t: Any,
    start: Start | Sequence[Start] | None = ...,
    *,
    values: Mapping[Any, Any] | None = ...,
    inputs: Mapping[Any, Any] | None = ...,
    events: Sequence[Event | Contact] = ...,
    outputs: Sequence[Any] = ...,
    threads: int | None = ...,
    method: str | Tableau = ...,
    rtol: float = ...,
    atol: Any = ...,
    step: float | None = ...,
    order: int | None = ...,
    first_step: float | None = ...,
    max_step: float = ...,
    max_growth: float = ...,
    form: str = ...,
    metric: str = ...,
    alpha: float = ...,
    beta: float = ...,
    independent: Sequence[Any] = ...,
    project: bool = ...,
    project_stages: bool = ...,
    constraint_tolerance: float = ...,
    invariants: Sequence[Any] = ...,
    sensitivities: Sequence[Any] = ...,
    sensitivity_order: int = ...,
    held: Sequence[Any] | str = ...,
    max_steps: int = ...,
    max_memory: float = ...,
    max_size: float = ...,
    progress: bool | None = ...,
    options: Mapping[str, Any] | SimulationOptions | None = ...,
    **named: Any,
) -> None: ...


def stepper(
    equations: Equations | Contacts,
    dt: float,
    start: Start | None = ...,
    *,
    values: Mapping[Any, float] | None = ...,
    method: str | Tableau = ...,
    substeps: int = ...,
    inputs: str = ...,
    smoothing: float = ...,
    events: Sequence[Event | Contact] = ...,
    form: str = ...,
    metric: str = ...,
    alpha: float = ...,
    beta: float = ...,
    independent: Sequence[Any] = ...,
    project: bool = ...,
    constraint_tolerance: float = ...,
    invariants: Sequence[Any] = ...,
    options: Mapping[str, Any] | SimulationOptions | None = ...,
    **named: Amount,
) -> None: ...


def cuda_motions(
    equations: Equations | Contacts,
    step: float | None = ...,
    *,
    method: str = ...,
    real: str = ...,
    rtol: float | None = ...,
    atol: float | None = ...,
    max_steps: int = ...,
    events: Sequence[Event | Contact] = ...,
    record: int = ...,
    vary: Iterable[Any] = ...,
    values: Mapping[Any, float] | None = ...,
    inputs: Mapping[Any, Any] | None = ...,
    outputs: Sequence[Any] = ...,
    max_step: float = ...,
    max_growth: float = ...,
    form: str = ...,
    metric: str = ...,
    alpha: float = ...,
    beta: float = ...,
    max_size: float = ...,
    options: Mapping[str, Any] | SimulationOptions | None = ...,
    **named: Amount,
) -> None: ...
