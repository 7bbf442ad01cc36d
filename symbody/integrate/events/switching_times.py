"""Switching times of a motion: the data that kernels receive about the functions of time in its equations
(`kernels/next_switching.py`).

Conditions that are linear in time and samples have theirs in closed form, with lines that depend on parameters. Others are
searched for along the time of the motion, at `LOOKS` places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...algebra.graph.graph import ONE, ZERO, Expr, as_expr
from ...derivation.equations.equations import Equations
from ...emit.run.callable import Array, Compiled
from ...emit.run.loop_callee import program_callee
from ...errors import in_number
from ...simulation_options import SimulationOptions
from ..forms.forms import Form
from ..inputs.features import jumps_at_knots, sampled_runs, table_knots
from ..inputs.time_functions import TimeLine, time_functions
from ..kernels.march_records import TINY
from ..kernels.next_switching import LINE, SwitchingTimes
from ..kernels.probes import WIDEST

LOOKS: Final = 4096  # places along a motion, at which functions of time are looked at
SHARE: Final = 0.01  # of the time of a motion, for a step if the switching times of a function of time are unknown
BISECTIONS: Final = 60
JUMPS: Final = (ZERO, ONE)  # whether a step may begin exactly at a knot, whether something jumps there


@dataclass(frozen=True, eq=False)
class Switching:
    """Switching times, for kernels: knots of sources one after another, and a line for each (`SwitchingTimes`).

    written    the lines as expressions, where they depend on parameters, and their program
    sample_at  the state behind samples that are due
    unknown    names of functions of time of which nothing is known
    """

    knots: Array = field(default_factory=lambda: np.zeros(1))
    first: NDArray[np.int64] = field(default_factory=lambda: np.zeros(2, dtype=np.int64))
    lines: Array = field(default_factory=lambda: np.zeros(LINE))
    written: tuple[Expr, ...] = ()
    lines_at: Compiled | None = None
    sample_at: Compiled | None = None
    is_told: bool = False
    unknown: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return len(self.first) - 1 if self.first[-1] else 0

    @property
    def shape(self) -> tuple[Any, ...]:
        return len(self.knots), len(self.first), self.is_told, bool(self.unknown), self.sample_at is not None

    def record(self, p: Array, r: Array | None = None) -> SwitchingTimes:
        """For kernels; its lines are those of the parameters that `p` holds when a motion begins, and of the inputs `r`
        where they are not among them."""
        given = {"p": p} if r is None else {"p": p, "r": r}
        made = SwitchingTimes(
            count=self.count, rounding=TINY, is_told=int(self.is_told), first=self.first.copy(), knots=self.knots.copy(), lines=self.lines.copy(),
            lines_at=None if self.lines_at is None else program_callee(self.lines_at, given),
            sample=None if self.sample_at is None else program_callee(self.sample_at, given),
        )  # fmt: skip
        return made if self.count else made.know("count")


NONE: Final = Switching()


def switching_times(form: Form, p: Array, begin: float, end: float, rtol: float) -> Switching:
    """Switching times of a motion with these parameters, between two times."""
    found = time_functions(form.equations)
    if found.are_none and form.equations.sampling is None:
        return NONE
    closed = closed_switching_times(form, rtol)
    if not found.searched:
        return closed
    return with_searched_times(closed, *searched_functions(form), [(p,)], begin, end, rtol)


def step_switching_times(form: Form, has_events: bool) -> Switching:
    """Those of steps of one length, whose time and parameters are passed with each step."""
    found = closed_switching_times(form, SimulationOptions().rtol)
    return replace(found, is_told=True) if has_events and found.count else found


def closed_switching_times(form: Form, rtol: float) -> Switching:
    """Those of conditions linear in time and of samples, whatever the time and the parameters are."""
    if time_functions(form.equations).are_none and form.equations.sampling is None:
        return NONE
    return form.cached("switching times", rtol, lambda: _known_switching_times(form, rtol))


def _known_switching_times(form: Form, rtol: float) -> Switching:
    made = replace(written_switching_times(form.equations, rtol), sample_at=sample_program(form))
    return with_lines(made, lambda lines: form.kept("switching_lines", lambda: lines, of=f"switching {rtol!r}"))


def with_lines(made: Switching, program: Callable[[dict[str, Any]], Compiled]) -> Switching:
    """The same with its lines as numbers, or as a program where they depend on parameters."""
    if any(e.op != "const" for e in made.written):
        return replace(made, lines=np.zeros(len(made.written)), lines_at=program({"lines": list(made.written)}))
    return replace(made, lines=np.array([float(e.data) for e in made.written] or [0.0] * LINE), written=())


def sample_program(form: Form) -> Compiled | None:
    """The state of a form, and its variations, behind samples that are due; None if nothing is sampled."""
    sampling = form.equations.sampling
    if sampling is None:
        return None

    def after() -> dict[str, Any]:
        values: dict[Any, Expr] = dict(sampling.after)
        if varied := form.variations:
            values |= varied.map_at_time(sampling.after)
        return {"x": [values.get(s, s) for s in form.y]}

    return form.cached("samples", (), lambda: form.kept("sampled_state", after))


def exported_switching_times(eq: Equations) -> Switching:
    """Those of a model on its way out, for the tolerance that motions have by default."""
    made = replace(eq, sampling=None) if eq.sampling else eq  # sampled laws leave as events
    return eq.cached("exported switching times", (), lambda: written_switching_times(made, SimulationOptions().rtol))


def written_switching_times(eq: Equations, rtol: float) -> Switching:
    """Those of conditions linear in time, of samples and of the clocks of sampled laws, with lines as expressions."""
    found = time_functions(eq)
    sources = [(np.zeros(1), line, JUMPS) for line in found.conditions]
    for table, line in found.tables:
        is_exact = ONE if line.is_time else ZERO
        sources.append((table_knots(table, rtol), line, (is_exact, as_expr(int(jumps_at_knots(table))))))
    sources += (
        [(np.zeros(1), TimeLine(ONE, -(eq.t + clock)), JUMPS) for clock in eq.sampling.clocks] if eq.sampling else []
    )
    sources = [s for s in sources if len(s[0])]
    if not sources:
        return replace(NONE, unknown=found.unknown)
    lines = [e for _, line, flags in sources for e in (line.a, line.b, _size(line.b), *flags)]
    first = np.cumsum([0, *(len(knots) for knots, _, _ in sources)]).astype(np.int64)
    knots = np.concatenate([knots for knots, _, _ in sources])
    return Switching(knots, first, written=tuple(lines), unknown=found.unknown)


def _size(b: Expr) -> Expr:
    """Of the terms of a sum: what rounds it."""
    size, left = ZERO, [b]
    while left:
        e = left.pop()
        if e.op in ("add", "sub", "neg"):
            left += e.args
        else:
            size = size + abs(e)
    return size


def with_times(switching: Switching, times: Array, jumps: bool, size: float = 0.0) -> Switching:
    """The same with one source more: times, at which something jumps or something narrow begins or ends.

    size   of a time whose rounding is as much as these are uncertain
    """
    if not len(times):
        return switching
    line = [1.0, 0.0, size, float(not jumps), float(jumps)]
    if not switching.count:
        return replace(switching, knots=times, first=np.array([0, len(times)]), lines=np.array(line))
    return replace(
        switching, knots=np.append(switching.knots, times), first=np.append(switching.first, switching.first[-1] + len(times)),
        lines=np.append(switching.lines, line),
    )  # fmt: skip


# -------------------------------------------------------------------------------------------------------- nothing is known


def longest_step(switching: Switching, o: SimulationOptions, span: float) -> float:
    """The longest step over a time: a fraction of it if the switching times of a function of time are unknown."""
    return min(o.max_step, SHARE * abs(span)) if switching.unknown and o.step is None else o.max_step


def unseen_note(switching: Switching, o: SimulationOptions, span: float) -> str:
    """The note on accuracy if the switching times of a function of time are unknown."""
    if not switching.unknown:
        return ""
    gap, closer = (
        (WIDEST * longest_step(switching, o, span), "max_step=") if o.step is None else (o.step, "a shorter step=")
    )
    return (
        f"{in_number(switching.unknown, '{} is a function', '{} are functions')} of Python, looked at every {gap:z.2g} at least: what lasts "
        f"less may be missed; {closer} looks closer, samples or an expression in t leave nothing out"
    )


def unknown_note(eq: Equations) -> str:
    """The note on steps of one length if the switching times of a function of time are unknown."""
    unknown = time_functions(eq).unknown
    if not unknown:
        return ""
    return f"{in_number(unknown, '{} is a function', '{} are functions')} of Python, looked at in the stages of a step alone"


def undivided_note(eq: Equations, what: str, is_for_any_time: bool = False) -> str:
    """What steps that are not divided at switching times lose.

    what              the steps, as named in the note
    is_for_any_time   whether steps are divided at the switching times that are known in closed form, not at others
    """
    found = time_functions(eq)
    if not (found.borders or ((found.conditions or found.tables) and not is_for_any_time)):
        return ""
    which = (
        "where a condition that is not linear in time changes"
        if is_for_any_time
        else "where functions of time jump or bend"
    )
    return f"{what} are not divided {which}: there the order is one, and what lasts less than a step may be missed"


# ------------------------------------------------------------------------------------------------------------- searched


def searched_functions(form: Form) -> tuple[Compiled, int]:
    """A program of the functions that are looked at along time, the first of which, so many, are borders."""
    found = time_functions(form.equations)
    return form.cached(
        "functions of time", (), lambda: form.kept("functions_of_time", lambda: {"g": list(found.searched)})
    ), len(found.borders)


def with_searched_times(
    switching: Switching, program: Compiled, many: int, rows: Iterable[tuple[Array, ...]], begin: float, end: float, rtol: float
) -> Switching:  # fmt: skip
    """The same with those that are found along a time: zeros of borders, beginnings and ends of what is narrow.

    program   of a time, a state on which nothing depends, and the constants, with `many` borders before the others
    rows      constants of one motion, or of several, whose times are put together
    """
    t, y = np.linspace(min(begin, end), max(begin, end), LOOKS + 1), np.zeros(len(program.program.inputs[1]))
    zeros, ends, size = list[Array](), list[Array](), 0.0
    for constants in rows:
        g = program.batch(t, y, *constants)
        for k in range(many):
            found_ones, its = _zeros(program, t, g[:, k], constants, k)
            zeros, size = [*zeros, found_ones], max(size, its)
        ends += [sampled_runs(t, g[:, k], rtol) for k in range(many, g.shape[1])]
    for times, how_large, jumps in ((zeros, size, True), (ends, 0.0, False)):
        if times:
            switching = with_times(switching, np.unique(np.concatenate(times)), jumps, how_large)
    return switching


def _zeros(program: Compiled, t: Array, g: Array, constants: tuple[Array, ...], k: int) -> tuple[Array, float]:
    """Times at which function k of a program changes its sign, by bisection of all brackets at once; and the size of a time
    whose rounding is theirs, max |g| / |g'|."""
    sign = np.sign(g)
    at = np.flatnonzero((sign[:-1] != sign[1:]) & np.isfinite(g[:-1]) & np.isfinite(g[1:]))
    if not len(at):
        return np.zeros(0), 0.0
    low, high, below, y = t[at], t[at + 1], sign[at], np.zeros(len(program.program.inputs[1]))
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        is_low = np.sign(program.batch(middle, y, *constants)[:, k]) == below
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    size = np.abs(g[np.isfinite(g)]).max() * (t[1] - t[0]) / np.abs(np.diff(g)[at]).min()
    return np.asarray(high), float(size)
