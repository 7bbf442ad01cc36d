"""Questions about the neighbourhood of a motion: eigenvalues, steady motions, periodic orbits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....derivation.equations.equations import Equations
from ....emit.run.callable import Array
from ....errors import StudyError, SymbodyError, shown
from ....stability.equilibria.steady import steady
from ....stability.linear.linear_system import LinearSystem
from ....stability.periodic.orbits.find_orbit import orbit
from ....stability.spectra.pencil_family import PencilFamily
from ....stability.variation.system_matrices import PARTS
from .answers import Answers, Schema, answers_in_schema, failed_answers, joined_answers, schema_of
from .questions import Layout, SweptMembers, known_names, one_by_one, sentence
from .varied import Varied

REFERENCE_MEMBERS = 9  # number of members that determine the structure of all pencils


@dataclass(frozen=True)
class SpectrumQuestion:
    """Eigenvalues of a linear system.

    reference   values by name of the members that determine the structure (eigenvalues that are zero for all
                parameters): always the same ones, so that answers do not depend on the batches
    """

    reference: Mapping[str, Array] = field(default_factory=dict)

    def prepared(self, varied: Varied, constants: Mapping[str, float]) -> SpectrumQuestion:
        some = np.unique(np.linspace(0, len(varied) - 1, REFERENCE_MEMBERS).astype(int))
        return SpectrumQuestion(varied.values(some) | {k: np.full(len(some), v) for k, v in constants.items()})

    def check(self, subject: Any, names: Sequence[str]) -> None:
        if not isinstance(subject, LinearSystem):
            raise StudyError(
                f"sweep: eigenvalues are those of a linear system, got {shown(subject)}; linearize(eq, ...) makes one"
            )
        known_names(subject.kinds, names, f"sweep of {subject.name!r}", ("parameter",))

    def content(self, subject: Any) -> Any:
        return [subject.name, {part: getattr(subject, part) for part in PARTS}, subject.defaults]

    def labels(self, subject: Any, names: Iterable[str]) -> Mapping[str, str]:
        return {}

    def layout(self, subject: Any) -> Layout:
        return {"eigenvalues": (("mode",), "1/s"), "growth": ((), "1/s"), "unstable": ((), "")}

    def coordinates(self, subject: Any) -> Mapping[str, tuple[Array, str]]:
        return {}

    def units(self, subject: Any, names: Iterable[str]) -> Mapping[str, str]:
        if subject.about is None:
            return {}
        table = subject.about.equations.variables.of("p")
        return {n: table[n].unit for n in names if n in table and table[n].unit}

    def answers(self, subject: Any, members: SweptMembers, schema: Schema | None) -> Answers:
        try:
            family = self._family(subject)
        except SymbodyError as reason:
            return failed_answers([sentence(reason)] * len(members))
        return one_by_one(lambda some: self._spectra(subject, family, some), members)

    def _family(self, lin: LinearSystem) -> PencilFamily:
        """The structure of all pencils, from those of the reference that exist."""
        count = len(next(iter(self.reference.values())))
        found, reasons = [], []
        for k in range(count):
            try:
                found.append(_pencils(lin, {n: v[k : k + 1] for n, v in self.reference.items()}))
            except SymbodyError as reason:
                reasons.append(reason)
        if not found:
            raise reasons[0]
        E, A = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return PencilFamily(f"sweep of {lin.name!r}", lin.x, E, A)

    def _spectra(self, lin: LinearSystem, family: PencilFamily, members: SweptMembers) -> Answers:
        try:
            core = family.core(*_pencils(lin, members.values))
            found = family.spectra(core)
        except np.linalg.LinAlgError as reason:
            raise StudyError(f"sweep of {lin.name!r}: {reason}") from None
        s = family.with_zeros(found.s)
        order = np.argsort(-s, axis=1, kind="stable")
        growth = s.real.max(axis=1, initial=-np.inf)
        values = {
            "eigenvalues": np.take_along_axis(s, order, axis=1),
            "growth": growth,
            "unstable": found.unstable.astype(np.int64),
        }
        return Answers(len(members), values)


def _pencils(lin: LinearSystem, values: Mapping[str, Array]) -> tuple[Array, Array]:
    """Operating points are found from the nominal one, not from that of a neighbour: a member does not depend on
    others."""
    count = len(next(iter(values.values())))
    near = np.tile([lin.numbers.nominal[s] for s in lin.numbers.unknowns], (count, 1)) if lin.numbers.unknowns else None
    made = lin.numbers.matrices_at(*lin.numbers.sets(dict(values), near))
    return made.E, made.A


@dataclass(frozen=True)
class EachQuestion:
    """A question that is answered member by member, by a function of equations and values that returns numbers by
    name."""

    how: Callable[..., dict[str, Any]]
    names: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def prepared(self, varied: Varied, constants: Mapping[str, float]) -> EachQuestion:
        return self

    def check(self, subject: Any, names: Sequence[str]) -> None:
        if not isinstance(subject, Equations):
            raise StudyError(
                f"sweep: this question applies to equations, got {shown(subject)}; derive(model) makes them"
            )

    def content(self, subject: Any) -> Any:
        return subject

    def labels(self, subject: Any, names: Iterable[str]) -> Mapping[str, str]:
        return {}

    def layout(self, subject: Any) -> Layout:
        return {n: ((), u) for n, u in self.units(subject, self.names).items()} | {
            "multipliers": (("multiplier",), ""),
            "period": ((), "s"),
        }

    def coordinates(self, subject: Any) -> Mapping[str, tuple[Array, str]]:
        return {}

    def units(self, subject: Any, names: Iterable[str]) -> Mapping[str, str]:
        table = subject.variables.of("q u z r p")
        return {n: table[n].unit for n in names if n in table and table[n].unit}

    def answers(self, subject: Any, members: SweptMembers, schema: Schema | None) -> Answers:
        found = [self._one(subject, values) for values in members.each()]
        first = next((a for a in found if a.values), None)
        if schema is None and first is not None:
            schema = schema_of(first, {})
        return joined_answers([a if schema is None else answers_in_schema(a, schema) for a in found])

    def _one(self, eq: Equations, values: dict[str, float]) -> Answers:
        try:
            made = self.how(eq, self.names, values, self.options)
            return Answers(1, {k: np.asarray(v)[None] for k, v in made.items()})
        except Exception as reason:
            return failed_answers([sentence(reason)])


def _steady_member(
    eq: Equations, names: Sequence[str], values: dict[str, float], options: Mapping[str, Any]
) -> dict[str, Any]:
    given = {**dict(options.get("values") or {}), **values}
    found = steady(eq, given, options={k: v for k, v in options.items() if k != "values"})
    if not found.is_steady:
        raise StudyError(str(found.outcome))
    here = found.state
    return {n: float(here[n]) for n in names or eq.variables.of("q u z").names}


def _orbit_member(
    eq: Equations, names: Sequence[str], values: dict[str, float], options: Mapping[str, Any]
) -> dict[str, Any]:
    rest = {k: v for k, v in options.items() if k not in ("start", "values")}
    found = orbit(eq, options["start"], {**dict(options.get("values") or {}), **values}, options=rest)
    if not found.is_periodic:
        raise StudyError(str(found.outcome))
    sides = {f"{n}_{s}": float(f(found[n])) for n in names for s, f in (("min", np.min), ("max", np.max))}
    growth = float(np.abs(found.multipliers).max(initial=0.0))
    return {"period": found.period, "largest_multiplier": growth, "multipliers": np.asarray(found.multipliers), **sides}


# ---------------------------------------------------------------------------------------------------------- to ask


def spectrum() -> SpectrumQuestion:
    """Eigenvalues of a linear system, `growth` (the largest real part) and `unstable` (how many are positive):
    `sb.sweep(lin, over, ask=spectrum())`.

    >>> k = sb.symbol("k")
    >>> lin = sb.linear_system([[-k]])
    >>> found = sb.sweep(lin, {"k": [1.0, 2.0]}, sb.study.spectrum())
    >>> found["growth"], found["unstable"]
    (array([-1., -2.]), array([0, 0]))

    See also: `sweep`, `LinearSystem.eigenvalues`.
    """
    return SpectrumQuestion()


def steady_values(*names: str, **options: Any) -> EachQuestion:
    """Values of a steady motion of each member; the whole state without names. Options are those of `steady`;
    conditions go in `values={...}`.

    >>> x, k = sb.symbol("x", "variable"), sb.symbol("k")
    >>> eq = sb.from_equations({x: 1 - k * x}, {k: 1.0})
    >>> sb.sweep(eq, {"k": [1.0, 2.0]}, sb.study.steady_values("x"))["x"]
    array([1. , 0.5])

    See also: `sweep`, `steady`.
    """
    return EachQuestion(_steady_member, names, options)


def orbit_values(start: Any, *names: str, **options: Any) -> EachQuestion:
    """Period, multipliers and the largest of them of a periodic orbit of each member, and extremes of some variables.
    Start and options are those of `orbit`.

    >>> x, v = sb.symbols("x v", "variable")
    >>> mu = sb.symbol("mu")
    >>> eq = sb.from_equations({x: v, v: mu * (1 - x**2) * v - x}, {mu: 1.0})
    >>> ask = sb.study.orbit_values({"x": 2.0}, period=6.6)
    >>> sb.sweep(eq, {"mu": [0.9, 1.0]}, ask)["period"]
    array([6.593234, 6.663287])

    See also: `sweep`, `orbit`.
    """
    return EachQuestion(_orbit_member, names, {"start": start, **options})
