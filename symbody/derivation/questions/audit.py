"""`audit`: what a mechanism consists of, how many degrees of freedom it has, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ...algebra.graph.graph import Symbol
from ...algebra.graph.portable import Portable
from ...bodies.mechanism.mechanism import Mechanism
from ...bodies.mechanism.summaries import rows_of_parts
from ...bodies.model.model import Model
from ...errors import in_groups, listed, without_numbers
from ...progress import begin_stage, working
from ...summary import Summarized, Summary, counted, summary_rows
from ...units import unit_factor
from ..entry.checks import Finding, constraints_of, findings
from ..entry.derive import derive
from ..equations.constraint_rank import branches_in_words, constraint_rank
from ..equations.equations import Equations
from ..equations.readable_equations import is_readable
from .model_notes import model_notes

MAX_SYMBOLS: Final = 40  # largest number of symbols in a row of the page
MOST_NAMES: Final = 12  # of joints that are listed one by one
MOST_ALIKE: Final = 3  # lines that differ by numbers only


@dataclass(frozen=True, repr=False)
class Audit(Summarized, Portable):
    """Result of `audit`: counts, degrees of freedom and findings, printed as a page.

    rank                 of the constraints, at a regular configuration that satisfies them; None if no such
                         configuration was found
    degrees_of_freedom   number of speeds minus rank
    findings             errors and warnings, each a sentence that names the parts
    remarks              of small mechanisms: coordinates and parameters that do not appear in the equations, equations
                         that decouple
    mechanism            the audited mechanism
    notes                possible oversights: no gravity, point masses, inputs without effect, springs without a rest
                         length, angles beyond a full turn

    >>> m = sb.Model("double")
    >>> a, b = (m.body(n, mass=1.0, com=(0, -1, 0)) for n in "ab")
    >>> joints = m.revolute("q1", m.ground, a), m.revolute("q2", a, b, at=(0, -1, 0))
    >>> found = sb.audit(m)
    >>> found.degrees_of_freedom, found.rank
    (2, 0)

    See also: `audit`, `derive`.
    """

    mechanism: Mechanism
    rank: int | None
    findings: tuple[Finding, ...]
    remarks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def degrees_of_freedom(self) -> int | None:
        """Number of speeds minus the rank of the velocity constraints; None if the rank is unknown."""
        return None if self.rank is None else len(self.mechanism.u) - self.rank

    @property
    def passed(self) -> bool:
        """Whether there are no errors among the findings.

        >>> m = sb.Model("cart")
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=2))
        >>> sb.audit(m).passed
        True

        See also: `audit`.
        """
        return not any(f.is_error for f in self.findings)

    def _summary(self) -> Summary:
        m = self.mechanism
        dof = "no configuration found"
        if self.degrees_of_freedom is not None:
            dof = counted(self.degrees_of_freedom, "degree of freedom", "degrees of freedom")
        found = [(f"{'ERROR' if f.is_error else 'warning'}", f.text) for f in self.findings]
        parts = rows_of_parts(m.bodies, m.joints, (), constraints_of(m))
        rank = summary_rows(rank_of_the_constraints="" if self.rank is None else str(self.rank))
        return Summary(f"Audit of {m.name}, {'passed' if self.passed else 'FAILED'}: {dof}", (*found, *parts, *rank))

    def __str__(self) -> str:
        m = self.mechanism
        holonomic, nonholonomic = len(m.holonomic), len(m.nonholonomic)
        dof = "unknown (no configuration found)" if self.degrees_of_freedom is None else str(self.degrees_of_freedom)
        mechanics = [
            f"  {counted(len(m.bodies), 'body', 'bodies')}: {in_groups(b.name for b in m.bodies)}",
            f"  {counted(len(m.joints), 'joint')}: {_joints(m)}",
            f"  {counted(len(m.q), 'coordinate')}: {in_groups(m.q)}",
            f"  {counted(len(m.u), 'speed')}: {in_groups(u.name for u in m.u)}",
            (
                f"  {holonomic} holonomic and {nonholonomic} nonholonomic constraints: "
                f"{in_groups(c.name for c in constraints_of(m))}"
            ),
            f"  rank of the constraints: {'-' if self.rank is None else self.rank}",
            f"  degrees of freedom: {dof}",
        ]
        lines = [
            f"mechanism {m.name!r}",
            *(mechanics if m.q or m.bodies or not m.z else ()),
            *_symbols("parameter", m.p, m),
            *_symbols("input", m.r, m),
            *_symbols("additional variable", m.z, m),
            *_without_repetition(f"  note: {n}" for n in (*m.notes, *self.notes)),
            *_without_repetition(f"  {r}" for r in self.remarks),
            *_without_repetition(f"  {'ERROR' if f.is_error else 'warning'}: {f.text}" for f in self.findings),
        ]
        return "\n".join(lines)


def _joints(m: Mechanism) -> str:
    """Names with kinds; many joints by kind."""
    kinds = [f"{j.kind}{', closes a loop' if j.closes_loop else ''}" for j in m.joints]
    if len(kinds) <= MOST_NAMES:
        return listed(f"{j.name} ({kind})" for j, kind in zip(m.joints, kinds, strict=True))
    by_kind: dict[str, list[str]] = {}
    for j, kind in zip(m.joints, kinds, strict=True):
        by_kind.setdefault(kind, []).append(j.name)
    return "; ".join(f"{len(names)} {kind}: {in_groups(names)}" for kind, names in by_kind.items())


def _without_repetition(lines: Iterable[str]) -> list[str]:
    """Lines; of those that differ by numbers only the first ones, and how many more there are."""
    alike: dict[str, list[str]] = {}
    for line in lines:
        alike.setdefault(without_numbers(line), []).append(line)
    out: list[str] = []
    for group in alike.values():
        out += group[:MOST_ALIKE]
        if len(group) > MOST_ALIKE:
            out.append(f"    and {len(group) - MOST_ALIKE} more like these")
    return out


def _symbols(what: str, symbols: Iterable[Symbol], mechanism: Mechanism) -> list[str]:
    texts = []
    for s in symbols:
        value, unit = mechanism.values.get(s), mechanism.units.get(s, "")
        number = "" if value is None else f" = {value / unit_factor(unit):g}"
        texts.append(f"{s.name}{number}{f' {unit}' if unit else ''}")
    return [f"  {counted(len(texts), what)}: {_values(texts)}"] if texts else []


def _values(texts: list[str]) -> str:
    """Names and values; of many those with the same value are in groups."""
    if len(texts) <= MAX_SYMBOLS:
        return listed(texts, MAX_SYMBOLS)
    by_value: dict[str, list[str]] = {}
    for text in texts:
        name, _, value = text.partition(" ")
        by_value.setdefault(value, []).append(name)
    groups = list(by_value.items())
    left = sum(len(names) for _, names in groups[MAX_SYMBOLS:])
    shown = "; ".join(f"{in_groups(names)} {value}".strip() for value, names in groups[:MAX_SYMBOLS])
    return shown + (f" and {left} more" if left else "")


def audit(thing: Model | Mechanism | Equations) -> Audit:
    """Count the parts of a mechanism, find its degrees of freedom, and look for faults that leave its equations without
    a unique solution.

    It finds undeclared symbols, redundant or contradictory constraints, massless motions, and velocity constraints that
    can be integrated. It raises no error; `derive` refuses models with errors. The notes list possible oversights:
    gravity, the inertia of a body, the rest length of a spring.

    >>> m = sb.Model("pendulum")
    >>> bob = m.body("bob", mass=1.0, com=(0, -1, 0))
    >>> joint = m.revolute("theta", m.ground, bob)
    >>> found = sb.audit(m)
    >>> found.degrees_of_freedom, found.findings
    (1, ())
    >>> found.notes[0]
    'there is no gravity; m.gravity(0, 0, -9.81) would add it'

    See also: `derivation.Audit`, `derive`, `Model`.
    """
    eq = thing.whole if isinstance(thing, Equations) else derive(thing, route="recursive", check=False)
    with working(f"audit {eq.name}"):
        begin_stage("faults")
        found = findings(eq)
        broken = any(f.kind == "undeclared" for f in found)
        rank = None if broken else _rank(eq)
        begin_stage("remarks")
        remarks = eq.readable.remarks if is_readable(eq) and not broken else ()
        notes = () if broken else (*_branch_notes(eq), *model_notes(eq))
        return Audit(eq.mechanism, rank, found, remarks, notes)


def _branch_notes(eq: Equations) -> tuple[str, ...]:
    found = constraint_rank(eq)
    words = "" if found is None else branches_in_words(found, len(eq.u))
    return (words,) if words else ()


def _rank(eq: Equations) -> int | None:
    """Of the constraints, 0 if there are none; None if no regular configuration was found."""
    found = constraint_rank(eq)
    return found.rank if found is not None else None if eq.lam else 0
