"""Records and outcomes of the loop around steps (`march.py`): a motion in progress, and what a method is to it."""

from __future__ import annotations

from typing import Final

from ...emit.loops.kernel_language import Function, Indices, Kernel, Known, Mutable, Numbers
from ...emit.loops.records import Struct
from .next_switching import SwitchingTimes

# How `march` ends, and why an attempt at a step is refused.
DONE: Final = 0
FULL: Final = 1
AT_EVENT: Final = 2
TOO_SMALL: Final = 3  # status of an attempt: the error is above the tolerance
NOT_FINITE: Final = 4
UNSETTLED: Final = 5
TOO_MANY: Final = 6
NOT_CONVERGED: Final = 7
UNBOUNDED: Final = 8
DOUBTS: Final = 9  # the step counts suggest that a method of the other kind, explicit or implicit, is faster
CHATTERING: Final = 10  # events accumulate at a point in time
JUMPED: Final = 11  # velocity discontinuity: a change above JUMP_SIZE in a negligible time
AT_SWITCH: Final = 12  # behind a jump of a function of time: event functions may have jumped with it
GOES_ON: Final = -1

TINY: Final = 2.3e-16  # unit roundoff, rounded up


class Counts(Struct):
    """Work done so far."""

    steps: Mutable[int]
    rejected: Mutable[int]
    evaluations: Mutable[int]
    corrections: Mutable[int]  # iterations of `settle`
    jacobians: Mutable[int]
    factorizations: Mutable[int]
    limit: Mutable[int]  # of steps, after which Python looks around
    most_corrections: Mutable[int]  # in one call of `settle`


class Results(Struct):
    """Memory for the ends of steps and their polynomials, where `is_stored`, and for states at requested times."""

    is_stored: int
    capacity: int  # steps that can be stored
    stored: Mutable[int]
    row_times: Numbers
    rows: Numbers
    polynomials: Numbers
    requested: int
    reached: Mutable[int]  # requested times that are behind
    times: Numbers
    at_times: Numbers


class Watched(Struct):
    """Event functions.

    watch   gives their values and after them their rates; absent if there are none
    values, earlier, later, inner   memory for those
    side    where each function is, by its sign (0: not known yet)
    least   what of each is rounding
    sense   direction in which it counts
    """

    count: int
    event: Mutable[int]  # which one occurred
    values: Numbers
    earlier: Numbers
    later: Numbers
    inner: Numbers
    side: Numbers
    least: Numbers
    sense: Indices
    watch: Function | None


class Growth(Struct):
    """Whether the motion grows without bound.

    count, per_size   variables that are looked at, and one over the size of each at the start
    level             the size at which the time is taken next, `last` and `before` are when the sizes before it were
                      passed
    passed            how many were
    """

    count: int
    passed: Mutable[int]
    level: Mutable[float]
    last: Mutable[float]
    before: Mutable[float]
    per_size: Numbers


class Leaps(Struct):
    """Whether speeds jump, as they do where a motion leaves its branch in a singular position.

    first, count     the speeds among the variables; count is 0 where they are not looked at
    longest, part    the longest step so far, and the part of it within which a change of `JUMP_SIZE` of their size is a jump
    at, speeds       since when they are compared, and what they were
    """

    first: int
    count: int
    part: Mutable[float]
    longest: Mutable[float]
    at: Mutable[float]
    speeds: Numbers


class Probes(Struct):
    """Whether steps see functions of time of which nothing is known (`probes.py`).

    count          nodes in a step; 0 if none are needed
    change, fine   memory: the mean of the rates, by a coarse rule less a fine one, and rates at a node
    """

    count: int
    change: Numbers
    fine: Numbers


class Steps(Struct):
    """A motion in progress, as every method sees it.

    y, y_end   the state, and that at the end of the step in progress
    r          polynomial of the step (`dense.py`)
    w, note    scratch memory
    settle     brings a state back to the constraints; absent if there are none
    """

    n: int
    is_adaptive: int
    is_new: Mutable[int]  # whether the state was changed from outside
    t: Mutable[float]  # time reached
    h: Mutable[float]  # next step, with sign; 0 lets the method choose
    error: Mutable[float]  # of the last attempt, in units of the tolerances
    t_end: float
    rtol: float
    max_step: float
    max_growth: float  # factor between steps
    atol: Numbers
    y: Numbers
    y_end: Numbers
    r: Numbers
    w: Numbers
    note: Numbers
    counts: Counts
    results: Results
    watched: Watched
    growth: Growth
    leaps: Leaps
    switching: SwitchingTimes
    probes: Probes
    rhs: Function
    settle: Function | None


class Method(Struct):
    """How steps are taken, by kernels of (method, steps, ...).

    first_step()              choose steps.h
    attempt(h, is_again)      y_end after a step h, on the constraints: DONE, or why it is refused; is_again where one
                              was refused before
    shorter(h, status)        the step to try after one that was refused
    next_step(h, is_again)    the step after this one
    polynomial(h, is_short)   steps.r; is_short where `short_step` came last
    short_step(h, length)     y_end after a part of a step h whose polynomial is known
    advance(h)                the step is made: remember what the next one needs
    renew()                   the state was changed from outside
    resume()                  the state is the same, and rates have jumped with time
    is_singular(h, theta, length)   whether the end of a shorter step is noise, as in singular positions
    cut(h, theta)             end the step at θ, by its polynomial

    doubts     set if another kind of method might do better: an implicit one if this is explicit, and the other
               way round
    patience   number of successive steps that must indicate it; 0 if the method may not change
    """

    doubts: Mutable[int]
    patience: Mutable[int]
    pieces: Known[int]  # of the polynomial
    is_always_dense: Known[int]  # whether the next step needs the polynomial of this one
    first_step: Known[Kernel]
    attempt: Known[Kernel]
    shorter: Known[Kernel]
    next_step: Known[Kernel]
    polynomial: Known[Kernel]
    short_step: Known[Kernel]
    advance: Known[Kernel]
    renew: Known[Kernel]
    resume: Known[Kernel]
    is_singular: Known[Kernel]
    cut: Known[Kernel]


# ------------------------------------------------------------------------------------- kernels of methods without a choice


def no_first_step(m: Method, s: Steps) -> None:
    """Steps have a length that was given."""


def never_singular(m: Method, s: Steps, h: float, theta: float, length: float) -> int:
    """Singular positions are not looked for."""
    return 0


def no_cut(m: Method, s: Steps, h: float, theta: float) -> None:
    """Steps are not cut by their polynomials."""


def same_step(m: Method, s: Steps, h: float, status: int) -> float:
    """Steps keep their length."""
    return h
