"""Inputs that differ by member: numbers, and samples with a row of values for each member."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...algebra.graph.graph import symbol
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array
from ...emit.run.loop_callee import LoopCallee
from ...errors import SimulationError
from ..forms.forms import Form
from ..forms.projection_work import ProjectionWork
from ..inputs.features import curve_knots
from ..inputs.inputs import RATES
from ..inputs.splines import Samples, cubic_spline, samples_of
from . import members


@dataclass(frozen=True, eq=False)
class MemberSamples:
    """Samples of an input at times that all members share: values[k] are those of member k, between which there is a
    spline or straight lines, or each of which is held."""

    times: Array
    values: Array
    kind: str

    def of_member(self, k: int) -> tuple[Array, Array, str]:
        """As `simulate` takes them."""
        return self.times, self.values[k], self.kind

    def at(self, times: Array, order: int) -> Array:
        """Values or rates at times, a row for each member."""
        t = np.clip(times, self.times[0], self.times[-1])
        if self.kind == "cubic":
            found: Array = cubic_spline(self.times, self.values)(t, order)
            return found
        if self.kind == "held":
            return np.asarray(self.values[:, np.searchsorted(self.times, t, "right") - 1])
        return np.array([np.interp(t, self.times, v) for v in self.values])

    def knots(self, tolerance: float) -> Array:
        """Times at which steps end, those of all members."""
        found = [curve_knots(self.pieces, rows, False, tolerance) for rows in self.coefficients()]
        return np.unique(np.concatenate(found))

    @property
    def pieces(self) -> Array:
        """Where pieces begin, and where the last one ends."""
        return Samples(self.times, self.values[0], self.kind, "").knots

    def coefficients(self) -> Array:
        """coefficients[k, piece, power] for member k, that of the highest power first."""
        if self.kind == "held":
            return np.ascontiguousarray(self.values[:, :, None])
        if self.kind == "cubic":
            return np.ascontiguousarray(cubic_spline(self.times, self.values).c.transpose(2, 1, 0))
        slopes = np.diff(self.values, axis=1) / np.diff(self.times)
        return np.ascontiguousarray(np.stack([slopes, self.values[:, :-1]], axis=2))


def told_apart(
    eq: Equations, inputs: Mapping[Any, Any]
) -> tuple[dict[Any, Any], dict[str, Array], dict[str, MemberSamples]]:
    """Laws for all members, numbers by member, and samples by member, of inputs by name."""
    laws, numbers, samples = dict[Any, Any](), dict[str, Array](), dict[str, MemberSamples]()
    for key, law in inputs.items():
        name = getattr(key, "name", key)
        if isinstance(law, (tuple, list)) and len(law) in (2, 3) and np.ndim(law[0]) == 1 and np.ndim(law[1]) == 2:
            samples[name] = _samples(eq, name, law)
        elif isinstance(law, np.ndarray) and law.ndim == 1:
            numbers[name] = law.astype(np.float64)
        else:
            laws[key] = law
    eq.variables.of("r").resolved(dict.fromkeys([*numbers, *samples], 0.0), f"inputs of {eq.name!r}", SimulationError)
    return laws, numbers, samples


def _samples(eq: Equations, name: str, law: Any) -> MemberSamples:
    where, values = f"input {name!r} of {eq.name!r}", np.asarray(law[1], dtype=np.float64)
    first = samples_of((law[0], values[0] if len(values) else np.zeros(len(law[0])), *law[2:]), where, SimulationError)
    needed = max(s.order for s in eq.r if s.stem == name)
    first.require(needed, name, SimulationError)
    if not np.all(np.isfinite(values)):
        raise SimulationError(f"{where}: all samples must be finite numbers")
    return MemberSamples(first.times, values, first.kind)


# ---------------------------------------------------------------------------------------------------------- for kernels


@dataclass(frozen=True, eq=False)
class MemberInputs:
    """Polynomials of all inputs by member, with those of their rates that the equations contain: `coefficients` has a
    row for each member.

    places   of the entries among a form's parameters; `orders`, `terms` and `first` as in `members.SampledInputs`
    """

    times: Array
    coefficients: Array
    places: NDArray[np.int64]
    orders: NDArray[np.int64]
    terms: NDArray[np.int64]
    first: NDArray[np.int64]

    @classmethod
    def of(cls, form: Form, samples: Mapping[str, MemberSamples]) -> MemberInputs | None:
        """None where no input is sampled by member, or where they have different times: then `simulate` takes them."""
        if len({s.pieces.tobytes() for s in samples.values()}) != 1:
            return None
        tables, places, orders, terms = list[Array](), list[int](), list[int](), list[int]()
        for name, given in samples.items():
            c = given.coefficients()
            for order in range(len(RATES)):
                s = symbol(name, "input", order)
                if s in form.equations.r:
                    tables.append(c.reshape(len(c), -1))
                    places.append(form.parameters.index(s))
                    orders.append(order)
                    terms.append(c.shape[2])
                if order + 1 < len(RATES) and c.shape[2]:
                    c = c[:, :, :-1] * np.arange(c.shape[2] - 1, 0, -1)
        first = np.cumsum([0, *(t.shape[1] for t in tables[:-1])])
        indices = (np.array(x, dtype=np.int64) for x in (places, orders, terms, first))
        times = next(iter(samples.values())).pieces
        return cls(np.ascontiguousarray(times), np.ascontiguousarray(np.hstack(tables)), *indices)


class InputFeed:
    """Inputs of the member that a worker is at: set before every function that reads them."""

    def __init__(self, inputs: MemberInputs, p: Array) -> None:
        self.memory = np.zeros(inputs.coefficients.shape[1])
        record = members.SampledInputs(
            count=len(inputs.places), knots=len(inputs.times), times=inputs.times, terms=inputs.terms, first=inputs.first, orders=inputs.orders,
            places=inputs.places, coefficients=self.memory, p=p,
        )  # fmt: skip
        self.set = LoopCallee(members.set_inputs, {}, g=record)

    def before(self, inner: Any) -> Any:
        """A function of (t, y), with the inputs of its time."""
        return None if inner is None else LoopCallee(members.after_inputs, {}, ("out",), inputs=self.set, inner=inner)

    def before_settling(self, inner: Any) -> Any:
        if inner is None:
            return None
        return LoopCallee(members.settled_after_inputs, {}, ("out", "note"), inputs=self.set, inner=inner)

    def before_along(self, inner: Any) -> Any:
        if inner is None:
            return None
        return LoopCallee(members.along_after_inputs, {}, ("out",), inputs=self.set, inner=inner)


class FedForm:
    """A form whose functions see the inputs of the member at work."""

    def __init__(self, form: Form, feed: InputFeed) -> None:
        self._form, self._feed = form, feed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._form, name)

    def rhs(self, p: Array) -> Any:
        return self._feed.before(self._form.rhs(p))

    def settle(self, p: Array, work: ProjectionWork | None = None) -> Any:
        return self._feed.before_settling(self._form.settle(p, work))

    def onto(self, p: Array, work: ProjectionWork | None = None) -> Any:
        return self._feed.before_settling(self._form.onto(p, work))

    def along(self, p: Array) -> Any:
        return self._feed.before_along(self._form.along(p))
