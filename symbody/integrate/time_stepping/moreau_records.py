"""Memory of a Moreau-Jean step and of its derivatives."""

from __future__ import annotations

from ...emit.loops.kernel_language import Function, Indices, Mutable, Numbers
from ...emit.loops.records import Struct
from ..complementarity.contact_arrays import ContactArrays
from ..complementarity.semismooth_newton import ContactBranch


class MoreauStep(Struct):
    """A step of length h.

    y                   the state of n numbers: coordinates, speeds, variables
    rates, variables    programs of q' and z'; `point` the one of the midpoint
    owner, first, count of each cone: its contact (the number of contacts: surfaces always together), first row,
                        number of rows
    row, at, cone       active rows and cones; where contacts stand among them (-1: open)
    before              impulses of the step before, by rows; `viscous` those of damping
    mu, static          coefficients of each cone while it slips, and up to which it sticks
    held                whether a cone stuck at the end of the step before: then the static coefficient is its limit
    remembers           whether `held` and `before` of the step before count
    turns               places of Euler parameters, four for each rotation
    problem, branches   the contact problem of the step, and memory of its solver
    """

    n: int
    n_q: int
    n_u: int
    contacts: int
    cones: int
    rows: int
    rotations: int
    remembers: int
    h: Mutable[float]
    y: Numbers
    rates: Function | None
    variables: Function | None
    point: Function
    qdot: Numbers
    zdot: Numbers
    gap: Numbers
    speed: Numbers
    restitution: Numbers
    slip: Numbers
    G: Numbers
    X: Numbers
    udot: Numbers
    back: Numbers
    mu: Numbers
    static: Numbers
    damping: Numbers
    normal: Numbers
    share: Numbers
    free: Numbers
    before: Numbers
    viscous: Numbers
    owner: Indices
    first: Indices
    count: Indices
    turns: Indices
    row: Indices
    at: Indices
    cone: Indices
    held: Indices
    problem: ContactArrays
    branches: ContactBranch


class StepVariations(Struct):
    """Derivatives along some columns: of the n numbers of the state in S, column after column, with those of the `width`
    numbers θ in T, row after row.

    constant, growing   changes of the `seeds` parameters with each column: constant + (t - begin) growing
    rates, point        programs of the derivatives of q', and of everything at the midpoint
    impulses            x by rows of the mechanism; `part` 1 where a row takes part, `static` 1 where the static
                        coefficient is a cone's
    """

    columns: int
    seeds: int
    width: int
    y: Numbers
    S: Numbers
    T: Numbers
    constant: Numbers
    growing: Numbers
    rates: Function | None
    point: Function | None
    qdot: Numbers
    U: Numbers
    V: Numbers
    limit: Numbers
    zdot: Numbers
    impulses: Numbers
    part: Numbers
    static: Numbers
    right: Numbers
    dx: Numbers
    memory: Numbers
