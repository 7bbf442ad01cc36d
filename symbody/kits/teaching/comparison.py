"""Is a student's equation of motion right, and if not, which term is wrong?

The right equations determine accelerations, rates of additional variables and multipliers w at every state. A row is
right, whatever its order, factor, sign, combination or form, exactly where it holds for these at every state that keeps
the constraints: that is tested at random states and random values of the parameters, to the rounding of the row's own
terms. A set of rows is complete where its rank, constraint forces eliminated
and the model's constraints added, is the number of speeds and additional variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, Final

import numpy as np

import symbody as sb

from ...argument_kinds import answered, checked_flags_of_class
from ...display import DisplayPart, LabelledRows, Title
from ...errors import SymbodyError
from ...summary import Tabular, counted
from .equation_terms import RightRow, right_rows, unknowns_of
from .student_rows import StudentAnswer, StudentRow, student_answer
from .wrong_terms import diagnosis, values_at

STATES: Final = 8  # at which a row must hold
FITTED: Final = 24  # at which a wrong row is read
MARGIN: Final = 1e4  # a value this many times its rounding bound is not rounding noise
RANK: Final = 1e-8  # relative singular value below which rows are dependent

State = dict[sb.Symbol, float]


@checked_flags_of_class(sb.ModelError)
@dataclass(frozen=True, repr=False)
class RowVerdict:
    """The verdict on one equation of an answer.

    text       the equation as typed
    is_right   whether it holds at every motion
    stands_for the right equation that it was read as, "a combination of equations" or "a condition on the state"
    remarks    the errors, term by term
    credit     share of its terms that are right, 0 to 1
    state      a state at which it fails, with values of the parameters; empty if it is right
    residual   left side - right side there

    >>> from symbody.kits import teaching
    >>> m = sb.Model("oscillator")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=m.parameter("m", 2.0)), stiffness=m.parameter("k", 8.0))
    >>> row = teaching.compare(sb.derive(m), "m*x'' = k*x").rows[0]
    >>> row.is_right, row.stands_for, row.remarks, row.credit
    (False, 'the equation of x', ('the spring term k*x has the wrong sign',), 0.5)
    >>> abs(row.residual + 2 * row.state["k"] * row.state["x"]) < 1e-9
    True

    See also: `kits.teaching.compare`, `kits.teaching.Comparison`.
    """

    text: str
    is_right: bool
    stands_for: str
    remarks: tuple[str, ...]
    credit: float
    state: Mapping[str, float]
    residual: float

    def __repr__(self) -> str:
        return f"<RowVerdict {'right' if self.is_right else 'wrong'}: {self.text}>"

    def __str__(self) -> str:
        if self.is_right:
            return f"right   {self.text}"
        lines = [f"wrong   {self.text}", *(f"        {r}" for r in self.remarks)]
        if self.state and np.isfinite(self.residual):
            where = ", ".join(f"{n} = {v:z.4g}" for n, v in self.state.items())
            lines.append(f"        at {where}: left - right is {self.residual:z.4g} and should be 0")
        return "\n".join(lines)


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """An answer compared with the right equations; made by `kits.teaching.compare`.

    rows          the verdict on each equation
    missing       how many independent equations are missing
    remarks       what concerns the answer as a whole
    definitions   the student's own names with their definitions
    needed        number of equations that determine the motion, in addition to the model's constraints

    >>> from symbody.kits import teaching
    >>> m = sb.Model("oscillator")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=m.parameter("m", 2.0)), stiffness=m.parameter("k", 8.0))
    >>> eq = sb.derive(m)
    >>> print(teaching.compare(eq, "v = x'; v' = -k/m x"))
    Answer: right
    right   v' = -k/m x
    >>> found = teaching.compare(eq, "m*x'' = k*x")
    >>> found.is_right, found.credit, found.findings
    (False, 0.5, ('the spring term k*x has the wrong sign',))

    See also: `kits.teaching.compare`, `kits.teaching.RowVerdict`.
    """

    rows: tuple[RowVerdict, ...]
    missing: int
    remarks: tuple[str, ...]
    definitions: Mapping[str, sb.Expr]
    needed: int

    @cached_property
    def is_right(self) -> bool:
        """Whether every equation is right and none is missing."""
        return all(r.is_right for r in self.rows) and not self.missing

    @cached_property
    def credit(self) -> float:
        """Points between 0 and 1: of each equation that is needed, the share of its terms that are right.

        A missing equation counts 0. Wrong equations beyond the number needed count as well.
        """
        if self.is_right:
            return 1.0
        independent = max(0, self.needed - self.missing)
        wrong = sorted((r.credit for r in self.rows if not r.is_right), reverse=True)
        right = min(independent, sum(r.is_right for r in self.rows))
        return min(1.0, (right + sum(wrong)) / max(self.needed, right + len(wrong), 1))

    @property
    def findings(self) -> tuple[str, ...]:
        """Sentences on all errors found, without the states."""
        return (*(remark for row in self.rows for remark in row.remarks), *self.remarks)

    @property
    def _head(self) -> str:
        return "Answer: " + ("right" if self.is_right else f"not right, {self.credit:.0%} of the terms")

    def __str__(self) -> str:
        return "\n".join([self._head, *map(str, self.rows), *self.remarks])

    def _display(self) -> Iterable[DisplayPart]:
        rows = []
        for row in self.rows:
            rows.append(("right" if row.is_right else "wrong", row.text))
            rows += [("", line.strip()) for line in str(row).split("\n")[1:]]
        return Title(self._head), LabelledRows([*rows, *(("", remark) for remark in self.remarks)])


@answered
def compare(
    eq: sb.Equations,
    answer: Any,
    *,
    names: Mapping[str, Any] | None = None,
    values: Mapping[str, float] | None = None,
    forces: Sequence[str] = (),
    seed: int = 0,
) -> Comparison:
    r"""Whether equations of motion derived by hand are right, and which terms are wrong.

    Any order, factor (also a function of the state), sign, combination of rows and trigonometric form is right, as are equations
    solved for accelerations, of first order, or with constraint forces.

    eq       the right equations
    answer   text in LaTeX or as typed, one equation a line; expressions, pairs (left, right), or a list of these
    names    names of the student's own: {"phi": "theta"}, {"x2": "l*sin(theta)"}, {"g": 9.81}
    values   parameters for which the answer has numbers: {"m": 2.0}; coordinates near which it has to hold, where a mechanism can be
             assembled in several ways
    forces   names of constraint forces in the answer that the model does not have: a tension, a normal force

    >>> from symbody.kits import teaching
    >>> m = sb.Model("pendulum")
    >>> mass, l, g = m.parameters("m l g", 1.0, 0.5, 9.81)
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=mass, com=(0, -l, 0)))
    >>> m.gravity(0, -g, 0)
    >>> eq = sb.derive(m)
    >>> teaching.compare(eq, r"\ddot\theta = -\frac{g}{l}\sin\theta").is_right
    True
    >>> found = teaching.compare(eq, "m*l^2*theta'' - m*g*l*sin(theta) = 0")
    >>> found.is_right, found.findings[0]
    (False, 'the gravity term m*g*l*sin(theta) has the wrong sign')
    >>> found.rows[0].stands_for, found.credit, found.missing
    ('the equation of theta', 0.5, 0)

    See also: `derive`, `certify`, `kits.teaching.Comparison`.
    """
    given = student_answer(eq, answer, names or {}, tuple(forces))
    held = {s.name: v for s, v in eq.variables.numbers(values or {}, f"comparison with {eq.name!r}").items()}
    return _Comparing(eq, given, held, seed).comparison()


class _Comparing:
    """One comparison: the rows as linear forms in the unknowns, and the states at which they are examined."""

    def __init__(self, eq: sb.Equations, given: StudentAnswer, held: Mapping[str, float], seed: int) -> None:
        self.eq, self.given, self.held, self.seed = eq, given, held, seed
        self.unknowns = unknowns_of(eq)
        columns = (*self.unknowns, *given.forces)
        expressions = [r.row for r in given.rows]
        slopes = sb.jacobian(expressions, columns) if columns else sb.zeros(len(expressions), 0)
        for k, row in enumerate(given.rows):
            if {*columns} & {*sb.free_symbols(list(slopes.row(k)))}:
                raise sb.ModelError(
                    f"comparison with {eq.name!r}: {row.text} is not linear in accelerations and constraint forces; "
                    "multiply out denominators and squares"
                )
        none = dict.fromkeys(columns, 0)
        self.coefficients = [list(slopes.row(k)) for k in range(len(expressions))]
        self.rests = [sb.substitute(e, none) for e in expressions]

    @cached_property
    def right(self) -> list[RightRow]:
        return right_rows(self.eq)

    @cached_property
    def solution(self) -> dict[Any, Any]:
        used = {*sb.free_symbols([r.row for r in self.given.rows])}
        table = dict(zip((u.dot for u in self.eq.u), self.eq.udot.entries, strict=True))
        if self.eq.z:
            rates = dict(zip((z.dot for z in self.eq.z), self._additional_rates, strict=True))
            table = {s: sb.substitute(e, rates) for s, e in table.items()} | rates
        if used & {*self.eq.lam}:
            table |= dict(zip(self.eq.lam, self.eq.multipliers.entries, strict=True))
        return table

    @property
    def _additional_rates(self) -> Sequence[sb.Expr]:
        try:
            return sb.first_order(self.eq).rates.entries[-len(self.eq.z) :]
        except SymbodyError as reason:
            raise sb.ModelError(f"comparison with {self.eq.name!r}: {reason}") from None

    @cached_property
    def states(self) -> list[State]:
        return random_states(self.eq, self.held, STATES, self.seed)

    def comparison(self) -> Comparison:
        joined = [k for k, row in enumerate(self.given.rows) if {*sb.free_symbols(row.row)} & {*self.given.forces}]
        verdicts = {k: self._verdict(k) for k in range(len(self.given.rows)) if k not in joined}
        if joined:
            verdicts |= self._verdict_on_rows_with_forces(joined)
        rows = tuple(verdicts[k] for k in sorted(verdicts))
        missing, needed = self._missing([k for k, v in verdicts.items() if v.stands_for != STATE_CONDITION])
        remarks = self._remarks(rows, missing)
        return Comparison(rows, missing, tuple(remarks), self.given.definitions, needed)

    # ---------------------------------------------------------------------------------------------- one row

    def _residuals(
        self, rows: Sequence[sb.Expr], solution: Mapping[Any, Any]
    ) -> tuple[np.ndarray, np.ndarray, list[State]]:
        """Values of rows at the right accelerations, their rounding bounds, and the states that have them."""
        at_solution = [sb.substitute(row, solution) for row in rows]
        values, bounds, states = [], [], []
        for state in self.states:
            try:
                found = sb.evaluate(at_solution, state)
            except sb.errors.EvaluationError:
                continue
            if np.all(np.isfinite(found)):
                values.append(found)
                bounds.append(sb.algebra.rounding(at_solution, state))
                states.append(state)
        if not values:
            raise sb.ModelError(
                f"comparison with {self.eq.name!r}: the answer has no value at random states; look for a division by zero "
                "or the root of a negative number"
            )
        shape = (len(values), len(rows))
        return np.array(values, dtype=float).reshape(shape), np.array(bounds, dtype=float).reshape(shape), states

    def _verdict(self, k: int) -> RowVerdict:
        row = self.given.rows[k]
        values, bounds, states = self._residuals([row.row], self.solution)
        size = bounds[:, 0] * (
            MARGIN if not self.eq.whole.lam else 1e3 * MARGIN
        )  # states are on constraints to rounding
        wrong = np.abs(values[:, 0]) > size + np.finfo(float).tiny
        has_unknowns = any(c.value != 0 for c in self.coefficients[k])
        if not wrong.any():
            word = MOTION if has_unknowns else STATE_CONDITION
            trivial = not has_unknowns and row.row.value == 0
            remarks = ("it holds for every motion: 0 = 0",) if trivial else ()
            return RowVerdict(row.text, True, word, remarks, 1.0, {}, 0.0)
        at = int(np.argmax(np.abs(values[:, 0]) / np.maximum(size, 1e-300)))
        shown = self._shown_state(row, states[at])
        if not has_unknowns:
            remarks = ("it contains no acceleration and does not hold along the motion",)
            return RowVerdict(row.text, False, STATE_CONDITION, remarks, 0.0, shown, float(values[at, 0]))
        found = diagnosis(
            self.eq, self.coefficients[k][: len(self.unknowns)], self.rests[k], self.right, self.unknowns, self._fitted
        )
        name = COMBINATION if found.row is None else self.right[found.row].name
        credit = found.right / found.total
        return RowVerdict(row.text, False, name, found.remarks, credit, shown, float(values[at, 0]))

    @cached_property
    def _fitted(self) -> list[State]:
        return random_states(self.eq, self.held, FITTED, self.seed + 1000)

    def _shown_state(self, row: StudentRow, state: State) -> dict[str, float]:
        """Coordinates, speeds, inputs and parameters in the row or the right equations, at which the row fails."""
        used = {*sb.free_symbols([row.row, self.eq.M, self.eq.f, self.eq.Jc, self.eq.h])}
        kept = [v.symbol for v in self.eq.variables.of("t q u z r p") if v.symbol in used]
        return {s.name: float(state[s]) for s in kept if s in state}

    def _verdict_on_rows_with_forces(self, joined: Sequence[int]) -> dict[int, RowVerdict]:
        """Rows with forces of the student's own are right together where some values of the forces satisfy all of them."""
        rows, n = [self.given.rows[k].row for k in joined], len(self.unknowns)
        forces = [f for f in self.given.forces if any(f in sb.free_symbols(r) for r in rows)]
        places = [n + self.given.forces.index(f) for f in forces]
        none = dict.fromkeys(forces, 0)
        values, bounds, states = self._residuals([sb.substitute(r, none) for r in rows], self.solution)
        worst, at = 0.0, 0
        for s, state in enumerate(states):
            A = np.array(sb.evaluate([[self.coefficients[k][p] for p in places] for k in joined], state), dtype=float)
            sizes = np.maximum(np.abs(A).max(axis=1), 1e-300)
            found = np.linalg.lstsq(A / sizes[:, None], values[s] / sizes, rcond=None)[0]
            left = np.abs(values[s] - A @ found)
            scale = bounds[s] + np.finfo(float).eps * (np.abs(A) @ np.abs(found))
            ratio = float((left / np.maximum(scale, 1e-300)).max())
            if ratio > worst:
                worst, at = ratio, s
        if worst <= 1e3 * MARGIN:
            return {k: RowVerdict(self.given.rows[k].text, True, MOTION, (), 1.0, {}, 0.0) for k in joined}
        return self._reading_without_forces(joined, forces, states[at])

    def _reading_without_forces(
        self, joined: Sequence[int], forces: Sequence[sb.Symbol], state: State
    ) -> dict[int, RowVerdict]:
        """Verdicts on rows whose forces were eliminated from one another: the remarks belong to the rows together."""
        rows = [self.given.rows[k].row for k in joined]
        for force in forces:
            pivot = next((r for r in rows if force in sb.free_symbols(r)), None)
            if pivot is None:
                continue
            slope = sb.derivative(pivot, force)
            value = -sb.substitute(pivot, {force: 0}) / slope
            rows = [sb.substitute(r, {force: value}) for r in rows if r is not pivot]
        remarks, credit = list[str](), []
        for row in rows:
            part = _Comparing(self.eq, StudentAnswer((StudentRow("", row),), (), {}), self.held, self.seed)
            verdict = part.comparison().rows[0]
            remarks += verdict.remarks
            credit.append(verdict.credit)
        names = ", ".join(f.name.removeprefix("force_") for f in forces)
        said = tuple(f"{r}, with {names} eliminated" for r in dict.fromkeys(remarks)) or (
            f"no value of {names} satisfies these equations together",
        )
        share = float(np.mean(credit)) if credit else 0.0
        return {
            k: RowVerdict(self.given.rows[k].text, False, COMBINATION, said if k == joined[0] else (), share,
                          self._shown_state(self.given.rows[k], state) if k == joined[0] else {}, float("nan"))
            for k in joined
        }  # fmt: skip

    # ---------------------------------------------------------------------------------------------- all rows

    def _missing(self, rows: Sequence[int]) -> tuple[int, int]:
        """How many equations of motion are missing, and how many are needed beside the model's constraints."""
        eq, n = self.eq, len(self.eq.u) + len(self.eq.z)
        rank = [_rank_without_forces(self._numbers(rows, state), n) for state in self.states[:3]]
        bound = max((r[1] for r in rank), default=0)
        return n - max((r[0] for r in rank), default=0), max(1, n - bound) if eq.lam else n

    def _numbers(self, rows: Sequence[int], state: State) -> tuple[np.ndarray, np.ndarray]:
        n, columns = len(self.eq.u), len(self.unknowns) + len(self.given.forces)
        A = values_at([c for k in rows for c in self.coefficients[k]], [state])
        J = np.array(sb.evaluate([list(self.eq.Jc.row(i)) for i in range(len(self.eq.lam))], state), dtype=float)
        J = np.hstack([J.reshape(-1, n), np.zeros((len(self.eq.lam), len(self.eq.z)))])
        return A.reshape(-1, columns) if A.size else np.zeros((0, columns)), J

    def _remarks(self, rows: Sequence[RowVerdict], missing: int) -> list[str]:
        remarks = []
        if missing:
            given = counted(missing, "equation is", "equations are")
            remarks.append(
                f"{given} missing, or follows from the others"
                if missing == 1
                else f"{given} missing, or follow from the others"
            )
            remarks += [
                f"the model has no {name!r}: the equation that contains it was read as its definition"
                for name in self.given.definitions
            ]
        if not all(r.is_right for r in rows):
            if turned := self._right_if_turned():
                remarks.append(turned)
            if absent := self._absent_parameters():
                remarks.append(
                    f"{', '.join(absent)} {'does' if len(absent) == 1 else 'do'} not appear; where the answer has numbers for "
                    f"{'it' if len(absent) == 1 else 'them'}, pass values={{{', '.join(f'{a!r}: ...' for a in absent)}}}"
                )
        return remarks

    def _absent_parameters(self) -> list[str]:
        mine = {*sb.free_symbols([r.row for r in self.given.rows])}
        ours = {*sb.free_symbols([self.eq.M, self.eq.f, self.eq.h])}
        return [p.name for p in self.eq.p if p in ours - mine and p.name not in self.held]

    def _right_if_turned(self) -> str:
        """Whether the answer is right for a coordinate that is measured from elsewhere or the other way round."""
        for q in self.eq.q:
            if q.dot not in self.eq.u:
                continue
            back = {q: -q, q.dot: -q.dot, q.dot.dot: -q.dot.dot}
            ways: dict[str, dict[Any, Any]] = {f"in the opposite sense (-{q.name})": back}
            if self.eq.variables[q].is_angle:
                ways[f"from the opposite direction ({q.name} + pi)"] = {q: q + sb.pi}
                ways[f"from the perpendicular (pi/2 - {q.name})"] = {**back, q: sb.pi / 2 - q}
                ways[f"from the perpendicular ({q.name} + pi/2)"] = {q: q + sb.pi / 2}
            for words, change in ways.items():
                if self._holds([sb.substitute(r.row, change) for r in self.given.rows]):
                    return f"it would be right with {q.name} measured {words}"
        return ""

    def _holds(self, rows: Sequence[sb.Expr]) -> bool:
        if self.given.forces:
            return False
        try:
            values, bounds, _ = self._residuals(rows, self.solution)
        except SymbodyError:
            return False
        return bool((np.abs(values) <= 1e3 * MARGIN * bounds).all())


MOTION: Final = "an equation of motion"
COMBINATION: Final = "a combination of equations"
STATE_CONDITION: Final = "a condition on the state"


def _rank_without_forces(numbers: tuple[np.ndarray, np.ndarray], n: int) -> tuple[int, int]:
    """Rank of rows in the accelerations alone, constraint forces eliminated and constraints added; rank of the constraints."""
    A, J = numbers
    A = A / np.maximum(np.abs(A).max(axis=1, keepdims=True), 1e-300) if A.size else A
    motion, forces = A[:, :n], A[:, n:]
    if forces.size and np.abs(forces).max(initial=0.0) > 0:
        u, s, _ = np.linalg.svd(forces, full_matrices=True)
        rank = int((s > RANK * s.max(initial=1e-300)).sum())
        motion = u[:, rank:].T @ motion
    J = J / np.maximum(np.abs(J).max(axis=1, keepdims=True), 1e-300) if J.size else J
    return _rank(np.vstack([motion, J])), _rank(J)


def _rank(A: np.ndarray) -> int:
    s = np.linalg.svd(A, compute_uv=False) if A.size else np.zeros(0)
    return int((s > RANK * s.max(initial=1e-300)).sum())


def random_states(eq: sb.Equations, held: Mapping[str, float], count: int, seed: int) -> list[State]:
    """States that keep the constraints, at random values of the parameters that are not held.

    Values are drawn around those of the model, nearer where a body or a loop cannot exist with them.
    """
    draw, out = Random(seed), []
    for k in range(count):
        for spread in (0.5, 0.15, 0.03, 0.0):
            state = _state(eq, held, draw, spread, seed * 1009 + k)
            if state is not None:
                out.append(state)
                break
    if not out:
        raise sb.ModelError(f"comparison with {eq.name!r}: no state was found that keeps the constraints")
    return out


def _state(eq: sb.Equations, held: Mapping[str, float], draw: Random, spread: float, seed: int) -> State | None:
    given: dict[str, float] = {}
    near = {q.name for q in eq.q} if not eq.phi.rows else set()  # constraints move the coordinates already
    held = {n: v + draw.uniform(-0.3, 0.3) if n in near else v for n, v in held.items()}
    for v in eq.variables.of("p"):
        size = v.default if v.default else (1.0 if v.default is None else 0.0)
        given[v.name] = size * (1 + draw.uniform(-spread, spread)) if size else draw.uniform(-spread, spread)
    try:
        found = sb.derivation.random_state(eq, seed, {**given, **held})
    except SymbodyError:
        return None
    return dict(found)
