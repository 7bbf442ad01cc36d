"""Many simulations of the same equations at once, on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...algebra.graph.walk import scalars
from ...argument_kinds import answered_class
from ...derivation.equations.equation_arguments import of_equations
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import by_name, values_by_name
from ...emit.run.callable import Array
from ...errors import AssemblyError, SimulationError, in_number, listed, shown
from ...interruption import note_interruption, raise_interruption
from ...options import OptionSet
from ...simulation_options import SimulationOptions
from ...summary import Introduced
from ..contact.impacts import Contact
from ..events.events import Event
from ..inputs.inputs import with_inputs
from ..inputs.meanings import Quantity, plain, quantity_expressions
from ..result.outcome import Ending, Outcome
from ..result.trajectory import Trajectory
from ..run import typed_calls
from ..run.simulate import simulate
from ..start.state import Start
from .batch_motions import BatchMotions, BatchQuestion, batch_motions
from .member_inputs import MemberSamples, told_apart
from .memory import refuse_too_many_numbers
from .motions_alone import MotionsAlone, unbegun_motion


@answered_class
class Batch(Introduced, Sequence[Trajectory]):
    """The trajectories of a batch. `batch["q1"]` has one row for each member if all have the same times.

    >>> x, v = sb.symbols("x v", "variable")
    >>> batch = sb.simulate_batch(sb.from_equations({x: v, v: -x}), [0.0, 0.5, 1.0], x=[1.0, 2.0])
    >>> len(batch), batch[1].final["x"]
    (2, 1.0806)

    See also: `simulate_batch`, `Trajectory`.
    """

    def __init__(self, members: Sequence[Trajectory], motions: BatchMotions | None = None) -> None:
        """members: all of them, or where `motions` are given, in arrays, none: each is built on first access."""
        self._members, self._motions = tuple(members), motions

    @cached_property
    def members(self) -> tuple[Trajectory, ...]:
        """The trajectories, in order; each is built from the arrays of the batch on first access.

        >>> x = sb.symbol("x", "variable")
        >>> batch = sb.simulate_batch(sb.from_equations({x: x**2}), [0.0, 0.5, 1.0], x=[0.5, 4.0])  # x0 / (1 - x0 t)
        >>> batch.members[0].final, batch.failed, batch.outcomes[1].ending.name
        ({'x': 1.0}, [1], 'UNBOUNDED')

        See also: `simulate_batch`, `Trajectory`.
        """
        return self._members if self._motions is None else tuple(map(self._motions.member, range(len(self))))

    def __len__(self) -> int:
        return len(self._members) if self._motions is None else self._motions.count

    def __iter__(self) -> Iterator[Trajectory]:
        return iter(self.members)

    def __getitem__(self, what: Any) -> Any:
        if isinstance(what, slice):
            return Batch(self.members[what])
        if isinstance(what, (int, np.integer)):
            return self.members[what] if self._motions is None else self._motions.member(range(len(self))[what])
        if self._motions is not None:
            return self._motions.values(what)
        return self._stacked([m[what] for m in self.members])

    def _stacked(self, rows: list[Array]) -> Array:
        if not rows:
            return np.zeros((0, 0))
        length = max(len(m) for m in self.members)
        if any(len(m) != length for m in self.members if m.outcome):
            raise SimulationError(
                "the members of this batch have different times; simulate with t=times, or evaluate members one by one"
            )
        return stacked(rows, length)

    @property
    def outcomes(self) -> list[Outcome]:
        """How each member ended, in order."""
        if self._motions is not None:
            return [self._motions.outcome(k) for k in range(len(self))]
        return [m.outcome for m in self.members]

    @property
    def failed(self) -> list[int]:
        """Numbers of the members whose outcome is false."""
        if self._motions is not None:
            return self._motions.failed()
        return [k for k, m in enumerate(self.members) if not m.outcome]

    def __repr__(self) -> str:
        bad = self.failed
        text = f"<Batch of {len(self)} trajectories"
        return (
            f"{text}; {len(bad)} failed: {listed((f'{k}: {self[k].outcome}' for k in bad), 3)}>" if bad else f"{text}>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class BatchOutputs(Introduced):
    """Only the outputs of many motions: `found["x"]` has one row for each member and one column for each time in `t`.

    outputs    arrays by requested name or expression
    outcomes   how each member ended

    >>> x, v = sb.symbols("x v", "variable")
    >>> eq = sb.from_equations({x: v, v: -x})
    >>> found = sb.simulate_batch(eq, [0.0, 0.5, 1.0], x=[1.0, 2.0], outputs=["x"])
    >>> found["x"].shape, all(found.outcomes)
    ((2, 3), True)

    See also: `simulate_batch`, `integrate.Batch`.
    """

    t: Array
    outputs: Mapping[Any, Array]
    outcomes: list[Outcome]

    def __len__(self) -> int:
        return len(self.outcomes)

    def __getitem__(self, what: Quantity) -> Array:
        if (key := plain(what)) not in self.outputs:
            raise SimulationError(
                f"only {in_number(map(shown, self.outputs), '{} was', '{} were')} kept of these motions, not {shown(what)}; name it in outputs="
            )
        return self.outputs[key]

    @property
    def failed(self) -> list[int]:
        """Numbers of the members whose outcome is false; their outputs are NaN after their end.

        >>> x = sb.symbol("x", "variable")
        >>> found = sb.simulate_batch(sb.from_equations({x: x**2}), [0.0, 0.1, 1.0], x=[0.5, 4.0], outputs=["x"])
        >>> found.failed, found["x"]
        ([1], array([[0.5     , 0.526316, 1.      ],
               [4.      , 6.666667,      nan]]))

        See also: `integrate.Batch`.
        """
        return [k for k, outcome in enumerate(self.outcomes) if not outcome]

    def __repr__(self) -> str:
        bad = self.failed
        text = f"<BatchOutputs of {len(self)} motions at {len(self.t)} times: {listed(map(shown, self.outputs))}"
        return (
            f"{text}; {len(bad)} failed: {listed((f'{k}: {self.outcomes[k]}' for k in bad), 3)}>" if bad else f"{text}>"
        )


def stacked(rows: Sequence[Array], length: int) -> Array:
    """Rows of one length; a member that failed has no numbers after its end."""
    out = np.full((len(rows), length, *rows[0].shape[1:]), np.nan)
    for k, row in enumerate(rows):
        out[k, : len(row)] = row
    return out


@values_by_name(SimulationError, options=OptionSet(SimulationOptions), checked_as=typed_calls.simulate_batch)
@of_equations
def simulate_batch(
    equations: Equations,
    t: Any,
    start: Start | Sequence[Start] | None = None,
    *,
    values: Mapping[Any, Any] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    events: Sequence[Event | Contact] = (),
    outputs: Sequence[Any] = (),
    threads: int | None = None,
    options: SimulationOptions,
    **named: Any,
) -> Any:
    """Simulate many initial states or parameter sets: `simulate_batch(eq, times, q1=np.linspace(0, 1, 100), m1=[...])`.

    start     a start as in `simulate` for all (in a mapping, arrays have a number for each member), or a sequence with
              one for each member
    values    values that replace those of `start`, by name or symbol, or as keywords: arrays with one number for each
              member, or one number for all
    inputs    as in `simulate` for all members; or by member, an array of numbers, or samples (times, values) with a row
              of values for each. Parameters of expressions (gains of feedback) are given by member as all others are
    events    as in `simulate`
    outputs   names or expressions to store instead of the motions: the result is `BatchOutputs`; without times, at the
              end
    threads   number of threads; by default the number of cores
    options   any option by name, or `SimulationOptions`

    If times are given, members are integrated in one compiled loop with explicit methods, and trajectories are built on
    access. Stiff members, and all members if every step is kept, run one by one. A member that fails or cannot start
    does not affect the others; its outcome states the reason.

    >>> x, v = sb.symbols("x v", "variable")
    >>> k = sb.symbol("k")
    >>> eq = sb.from_equations({x: v, v: -k * x}, {k: 4.0})
    >>> batch = sb.simulate_batch(eq, [0.0, 0.5, 1.0], x=1.0, k=[1.0, 4.0])
    >>> batch["x"]
    array([[ 1.      ,  0.877583,  0.540302],
           [ 1.      ,  0.540302, -0.416147]])

    See also: `simulate`, `sweep`, `stepper`, `integrate.Batch`.
    """
    raise_interruption()
    laws, numbers, samples = told_apart(equations, inputs or {})
    eq, constants = with_inputs(equations, laws)
    start, per_member = _told_apart(start)
    per_member = {k: v for k, v in per_member.items() if k not in (values or {})}
    given = {**per_member, **(values or {}), **numbers}
    arrays = {k: np.asarray(v, dtype=np.float64) for k, v in given.items()}
    starts = start if isinstance(start, Sequence) else None
    count = _count(starts, arrays, samples)
    many = {k: np.broadcast_to(v, (count,)) for k, v in arrays.items()}
    quiet = options if options.progress else replace(options, progress=False)

    def member(k: int) -> Trajectory:
        own = {name: float(v[k]) for name, v in many.items() if name not in per_member}
        first: Any = start if starts is None else starts[k]
        if per_member:
            first = {**first, **{name: float(many[name][k]) for name in per_member}}
        its = {name: s.of_member(k) for name, s in samples.items()}
        try:
            return simulate(eq, t, first, values={**constants, **own}, inputs=its, events=events, options=quiet)
        except (SimulationError, AssemblyError) as reason:
            return unbegun_motion(eq, Ending.REFUSED, str(reason))

    if count == 0:
        return Batch(())
    if np.ndim(t) == 1:
        kept = (
            sum(len(scalars(x)) for x in quantity_expressions(eq, tuple(outputs), "outputs", SimulationError))
            if outputs
            else 0
        )
        refuse_too_many_numbers(f"simulate_batch of {eq.name!r}", count, len(t), kept or len(eq.state))
    columns = {**{k: np.broadcast_to(np.float64(v), (count,)) for k, v in constants.items()}, **many}
    asked = BatchQuestion(eq, t, start, starts, columns, count, samples, quiet, tuple(events), tuple(outputs), threads)
    alone = MotionsAlone(eq, member, threads)
    motions = batch_motions(asked, alone)
    found = () if motions is not None else alone.motions(range(count))
    if alone.stop.is_asked:
        note_interruption()
    if motions is not None:
        return _kept_outputs(motions, outputs) if outputs else Batch((), motions)
    return _outputs_of(Batch(found), outputs) if outputs else Batch(found)


def _kept_outputs(motions: BatchMotions, outputs: Sequence[Any]) -> BatchOutputs:
    kept = {plain(x): motions.values(x) for x in outputs}
    return BatchOutputs(motions.times, kept, [motions.outcome(k) for k in range(motions.count)])


def _outputs_of(batch: Batch, outputs: Sequence[Any]) -> BatchOutputs:
    """Of motions that were run one by one: at the requested times, or at the end."""
    same = {m.t.tobytes() for m in batch if m.outcome}
    is_at_times = len(same) == 1 and not any(m.is_dense for m in batch)
    t = max((m.t for m in batch), key=len)
    rows = {plain(x): [m[x] if is_at_times else m[x][-1:] for m in batch] for x in outputs}
    length = len(t) if is_at_times else 1
    return BatchOutputs(t if is_at_times else t[-1:], {k: stacked(r, length) for k, r in rows.items()}, batch.outcomes)


def _told_apart(start: Any) -> tuple[Any, dict[Any, Any]]:
    """A start for all members, and what a mapping gives for each of them."""
    if isinstance(start, Mapping):
        many = by_name({k: v for k, v in start.items() if np.ndim(v)}, "simulate_batch", SimulationError)
        return {k: v for k, v in start.items() if not np.ndim(v)}, many
    if isinstance(start, (np.ndarray, str)):
        raise SimulationError(
            f"simulate_batch: start must be a start as in simulate, or a sequence of them, got {shown(start)}; "
            "numbers for each member go by name: q1=array"
        )
    return start, {}


def _count(starts: Sequence[Any] | None, values: Mapping[Any, Array], samples: Mapping[str, MemberSamples]) -> int:
    sizes = {str(name): len(v) for name, v in values.items() if v.ndim == 1}
    sizes |= {f"samples of {name}": len(s.values) for name, s in samples.items()}
    if wrong := [name for name, v in values.items() if v.ndim > 1]:
        raise SimulationError(f"simulate_batch: {listed(wrong)} must be a number or one number for each member")
    if starts is not None:
        sizes["start"] = len(starts)
    if len(set(sizes.values())) > 1:
        raise SimulationError(
            f"simulate_batch: different numbers of members: {listed(f'{k}: {n}' for k, n in sizes.items())}"
        )
    return next(iter(sizes.values()), 1)
