"""Exercises with random values, and their answers.

A model, ranges for its parameters and initial values, and questions become a sheet for students and a key: the same seed gives the
same sheet, and every answer is computed from the rounded values that the sheet shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor, log10
from random import Random
from typing import Any, Final

import numpy as np

import symbody as sb

from ...argument_kinds import answered
from ...errors import listed
from .sheet import Heading, Numbered, Sentence, Sheet, SheetBlock, SheetTable

DIGITS: Final = 2  # significant digits of a value on a sheet
STIFFEST: Final = 1e-6  # eigenvalues with a smaller part of the largest that oscillates count as not oscillating


@dataclass(frozen=True)
class ExerciseAnswer:
    """A question and its answer.

    question   a sentence
    value      the answer [SI], a tuple of one or more numbers
    unit       of the answer, empty if it has none
    text       the answer as text, with its unit

    >>> from symbody.kits import teaching
    >>> m = sb.Model("oscillator")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=m.parameter("m", 2.0)), stiffness=m.parameter("k", 8.0))
    >>> answer = teaching.exercise(sb.derive(m), {"x": (0.1, 0.5)}, ["energy"], seed=4).answers[0]
    >>> answer.question, answer.unit, answer.value == (4 * 0.19**2,), answer.text
    ('What is the energy at t = 0?', 'J', True, '0.1444 J')

    See also: `kits.teaching.exercise`, `kits.teaching.Exercise`.
    """

    question: str
    value: tuple[float, ...]
    unit: str
    text: str


@dataclass(frozen=True, repr=False)
class Exercise:
    """An exercise; made by `kits.teaching.exercise`.

    title     of the sheet
    values    numbers drawn for parameters and initial values [SI], by name
    answers   questions and answers, in order
    sheet     questions alone, to hand out
    key       questions with their answers

    >>> from symbody.kits import teaching
    >>> m = sb.Model("oscillator")
    >>> joint = m.prismatic("x", m.ground, m.body("cart", mass=m.parameter("m", 2.0)), stiffness=m.parameter("k", 8.0))
    >>> made = teaching.exercise(sb.derive(m), {"k": (5, 20), "x": (0.1, 0.5)}, ["natural frequencies"], seed=1)
    >>> made
    <Exercise 'oscillator', 1 question; .sheet, .key>
    >>> made.sheet.title, made.key.title, sorted(made.values), made.title
    ('oscillator', 'oscillator: answers', ['k', 'm', 'x'], 'oscillator')

    See also: `kits.teaching.exercise`, `kits.teaching.Sheet`.
    """

    title: str
    values: Mapping[str, float]
    answers: tuple[ExerciseAnswer, ...]
    sheet: Sheet
    key: Sheet

    def __repr__(self) -> str:
        count = len(self.answers)
        return f"<Exercise {self.title!r}, {count} question{'s' * (count != 1)}; .sheet, .key>"


@answered
def exercise(
    eq: sb.Equations,
    ranges: Mapping[str, Any],
    questions: Sequence[str] | Mapping[str, Any],
    *,
    seed: int = 0,
    title: str = "",
    text: str = "",
) -> Exercise:
    """An exercise sheet with random values, and its key.

    ranges      (lowest, highest) for parameters, and for coordinates, speeds and inputs at t = 0; with a unit as ("20 cm", "50 cm").
                A single value is kept. If constraints relate coordinates, name those that determine the others
    questions   "natural frequencies", "accelerations", "energy", "kinetic energy", "potential energy", "reaction in JOINT",
                "NAME after SECONDS s"; or a mapping from a question to an expression of the model
    seed        the same number, the same sheet
    title       instead of the name of the model
    text        a description that stands before the values

    >>> from symbody.kits import teaching
    >>> m = sb.Model("pendulum")
    >>> mass, l, g = m.parameters("m l g", 1.0, 0.5, 9.81)
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=mass, com=(0, -l, 0)))
    >>> m.gravity(0, -g, 0)
    >>> ranges = {"m": (1, 3), "l": ("20 cm", "90 cm"), "theta": (0.1, 0.5)}
    >>> made = teaching.exercise(sb.derive(m), ranges, ["natural frequencies", "reaction in theta"], seed=7)
    >>> frequency = made.answers[0].value[0]
    >>> round(frequency**2 * made.values["l"], 9)
    9.81
    >>> made.sheet.markdown() == teaching.exercise(sb.derive(m), ranges, ["natural frequencies", "reaction in theta"], seed=7).sheet.markdown()
    True

    See also: `kits.teaching.compare`, `kits.teaching.derivation`, `kits.teaching.Exercise`.
    """
    where = f"exercise {title or eq.name!r}"
    values = _random_values(eq, ranges, Random(seed), where)
    solver = _AnswersAt(eq, values, where)
    asked = questions.items() if isinstance(questions, Mapping) else [(q, q) for q in questions]
    answers = tuple(solver.answer(question, what) for question, what in asked)
    values = {**values, **solver.assembly}
    name = title or eq.name
    head: list[SheetBlock] = [Sentence(text)] if text else []
    head += [Heading("Given"), _table(eq, values)]
    questions_block: list[SheetBlock] = [Heading("Find"), Numbered(tuple(a.question for a in answers))]
    solved: list[SheetBlock] = [Heading("Answers"), Numbered(tuple(f"{a.question} {a.text}" for a in answers))]
    return Exercise(
        name,
        values,
        answers,
        Sheet(name, (*head, *questions_block)),
        Sheet(f"{name}: answers", (*head, *solved, Sentence(f"Seed {seed}.", is_remark=True))),
    )


def _random_values(eq: sb.Equations, ranges: Mapping[str, Any], draw: Random, where: str) -> dict[str, float]:
    """A value for every parameter, and for what else is named; drawn in the unit in which it is shown, to two digits."""
    table = eq.variables.of("q u r p")
    out = {v.name: v.default for v in table.of("p") if v.default is not None}
    for name, given in ranges.items():
        row = table.row(name, where)
        ends = [
            table.numbers({name: e}, where)[row.symbol]
            for e in (given if isinstance(given, (tuple, list)) else (given,))
        ]
        if not 1 <= len(ends) <= 2 or ends[0] > ends[-1]:
            raise sb.ModelError(f"{where}: the range of {name!r} must be (lowest, highest), got {given!r}")
        shown = draw.uniform(ends[0], ends[-1]) / row.factor
        out[row.name] = ends[0] if len(ends) == 1 else _to_digits(shown) * row.factor
    if missing := [v.with_unit for v in table.of("p") if v.name not in out]:
        raise sb.ModelError(f"{where}: no value for {listed(missing)}; give a range for each")
    table.numbers(out, where)
    return out


def _to_digits(x: float) -> float:
    return round(x, DIGITS - 1 - floor(log10(abs(x)))) if x else 0.0


def _table(eq: sb.Equations, values: Mapping[str, float]) -> SheetTable:
    rows = []
    for v in eq.variables.of("p q u r"):
        if v.name in values:
            rows.append(
                (v.symbol, f"{values[v.name] / v.factor:z.6g}", v.shown_in, "" if v.group == "p" else "at t = 0")
            )
    return SheetTable(("symbol", "value", "unit", ""), tuple(rows))


class _AnswersAt:
    """Answers at the values of an exercise."""

    def __init__(self, eq: sb.Equations, values: Mapping[str, float], where: str) -> None:
        self.eq, self.values, self.where = eq, dict(values), where
        self.parameters = {v.name: values[v.name] for v in eq.variables.of("p")}
        self.start: dict[str, Any] = {n: x for n, x in values.items() if n not in self.parameters}

    def answer(self, question: str, what: Any) -> ExerciseAnswer:
        if not isinstance(what, str):
            return self._of_expressions(question, [("", what, self._unit(what))])
        for pattern, ask in _QUESTIONS.items():
            if found := re.fullmatch(pattern, what.strip()):
                made: ExerciseAnswer = ask(self, *found.groups())
                return made if question == what else ExerciseAnswer(question, made.value, made.unit, made.text)
        raise sb.ModelError(
            f"{self.where}: there is no question {what!r}; there are natural frequencies, accelerations, energy, kinetic energy, "
            "potential energy, reaction in JOINT, NAME after SECONDS s; or pass {question: expression}"
        )

    @property
    def state(self) -> dict[Any, float]:
        """All numbers at t = 0, on the constraints."""
        return self.eq.values({**self.values, **self.assembly}, otherwise=0.0)

    @cached_property
    def assembly(self) -> dict[str, float]:
        """Coordinates and speeds at t = 0 if constraints determine some of them from the others."""
        if not (self.eq.whole.lam or self.eq.rows.positions):
            return {}
        state: dict[str, Any] = {n: x for n, x in self.start.items() if n in self.eq.variables.of("q u").names}
        found = sb.assemble(self.eq, values=self.parameters, **state)
        return {n: float(found[n]) for n in self.eq.variables.of("q u").names}

    def _unit(self, e: Any) -> str:
        return self.eq.variables[e].unit if isinstance(e, sb.Symbol) and e in self.eq.variables else ""

    def _of_expressions(self, question: str, parts: Sequence[tuple[str, Any, str]]) -> ExerciseAnswer:
        own = sb.derivation.in_own_terms(self.eq, [e for _, e, _ in parts], solved=True)
        numbers = [float(x) for x in sb.evaluate(own, self.state)]
        texts = [
            f"{n} = {_with_unit(x, u)}" if n else _with_unit(x, u) for (n, _, u), x in zip(parts, numbers, strict=True)
        ]
        units = {u for _, _, u in parts}
        return ExerciseAnswer(question, tuple(numbers), units.pop() if len(units) == 1 else "", ", ".join(texts))

    def accelerations(self) -> ExerciseAnswer:
        parts = [(u.dot.name, u.dot, self._unit(u.dot)) for u in self.eq.u]
        word = "acceleration" if len(parts) == 1 else "accelerations"
        verb = "is" if len(parts) == 1 else "are"
        return self._of_expressions(f"What {verb} the {word} {', '.join(n for n, _, _ in parts)} at t = 0?", parts)

    def energy(self, kind: str | None) -> ExerciseAnswer:
        energies: dict[str | None, Callable[[Any], Any]] = {
            "kinetic ": sb.kinetic_energy,
            "potential ": sb.potential_energy,
        }
        made = energies.get(kind, sb.energy)(self.eq)
        return self._of_expressions(f"What is the {kind or ''}energy at t = 0?", [("", made, "J")])

    def reaction(self, joint: str) -> ExerciseAnswer:
        found = sb.reaction(self.eq, joint, "ground", solved=True)
        size = sb.sqrt(sum((x * x for x in found.force.entries), start=sb.algebra.as_expr(0)))
        return self._of_expressions(f"How large is the force in the joint {joint} at t = 0?", [("", size, "N")])

    def frequencies(self) -> ExerciseAnswer:
        steady = sb.steady(self.eq, start=self._near(), values=self.parameters)
        if not steady.outcome:
            raise sb.ModelError(f"{self.where}: no equilibrium was found near the start: {steady.outcome}")
        found = sb.linearize(self.eq, steady, values=self.parameters).eigenvalues(self.parameters)
        largest = max(np.abs(found), default=0.0)
        omega = sorted(float(abs(s)) for s in found if s.imag > STIFFEST * largest)
        if not omega:
            raise sb.ModelError(
                f"{self.where}: nothing oscillates about {steady}; omit the question about natural frequencies"
            )
        text = ", ".join(f"{w:z.4g} rad/s ({w / (2 * np.pi):z.4g} Hz)" for w in omega)
        word = "is the natural frequency" if len(omega) == 1 else "are the natural frequencies"
        return ExerciseAnswer(f"What {word} about the equilibrium?", tuple(omega), "rad/s", text)

    def _near(self) -> dict[str, float]:
        return {n: x for n, x in self.start.items() if n in {q.name for q in self.eq.q}}

    def later(self, name: str, seconds: str) -> ExerciseAnswer:
        row = self.eq.variables.of("q u q'").row(name, self.where)
        sim = sb.simulate(self.eq, float(seconds), values=self.parameters, rtol=1e-10, **self.start)
        if not sim.outcome:
            raise sb.ModelError(f"{self.where}: the motion does not reach {seconds} s: {sim.outcome}")
        value = float(sim[row.name][-1])
        return ExerciseAnswer(
            f"What is {row.name} after {float(seconds):g} s?",
            (value,),
            row.unit,
            _with_unit(value / row.factor, row.shown_in),
        )


def _with_unit(x: float, unit: str) -> str:
    return f"{x:z.4g} {unit}".strip()


_QUESTIONS: Final[Mapping[str, Callable[..., ExerciseAnswer]]] = {
    "natural frequenc(?:y|ies)": _AnswersAt.frequencies,
    "accelerations?": _AnswersAt.accelerations,
    "(kinetic |potential )?energy": _AnswersAt.energy,
    "reaction in (.+)": _AnswersAt.reaction,
    r"(\S+) after ([0-9.]+) ?s": _AnswersAt.later,
}
