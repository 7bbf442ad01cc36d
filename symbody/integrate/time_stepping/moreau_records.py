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
    G, X, A             of all rows: the speeds by u, changes of u due to unit impulses, and G X; `drive`: G times the
                        accelerations without contacts and, where is_constrained is 1, times what takes back violations
    row, at, cone       active rows and cones; where contacts stand among them (-1: open)
    before              impulses of the step before, by rows; `viscous` those of damping
    mu, static          coefficients of each cone while it slips, and up to which it sticks
    held                whether a cone stuck at the end of the step before: then the static coefficient is its limit
    remembers           whether `held` and `before` of the step before count
    turns               places of Euler parameters, four for each rotation
    softened            program of what smooths contacts, where they are: in `push`, speeds added to those of their rows
    energy              κ of each row on the central path
    problem, branches   the contact problem of the step, and memory of its solver
    """

    n: int
    n_q: int
    n_u: int
    contacts: int
    cones: int
    rows: int
    rotations: int
    is_constrained: int
    remembers: int
    h: Mutable[float]
    y: Numbers
    rates: Function | None
    variables: Function | None
    point: Function
    softened: Function | None
    push: Numbers
    energy: Numbers
    qdot: Numbers
    zdot: Numbers
    gap: Numbers
    speed: Numbers
    restitution: Numbers
    slip: Numbers
    G: Numbers
    A: Numbers
    drive: Numbers
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


class SparseEntries(Struct):
    """Entries of a matrix that are not zero: `value` at (row, column)."""

    count: int
    row: Indices
    column: Indices
    value: Numbers


class StepVariations(Struct):
    """Derivatives of a step along some columns, in S, column after column of the n numbers of the state.

    J                   of this step alone with respect to the `width` numbers θ, the state and the `seeds`, column after column
    unit                the number in θ that a column varies alone, or -1; `is_first` 1: S is still that of the start
    constant, growing   changes of the seeds with each column: constant + (t - begin) growing
    length, clock       places of h and of the time at the beginning in θ, or -1; `by_step` the column that varies the length
                        of the whole step, or -1, with `length_change` and `clock_change` of this part of it
    rates               program of ∂q'/∂θ, in `qdot`
    point               program at the midpoint: ∂/∂θ of the balance F of momenta and constraints, of the speeds V of the
                        rows and of limits of friction with u⁺ and impulses held, of z', and E, the columns of [M Hᵀ; Jc 0]⁻¹
                        (its first n_u rows, `sides` of them)
    impulses            x by rows of the mechanism; `part` 1 where a row takes part, `static` 1 where the static
                        coefficient is a cone's; `active` where a row stands among the active ones, or -1
    Z, W, limits_to     of each active row, n_u numbers: X B⁻¹; changes of speed with V; of each cone, with its limit
    border              1 for each contact, then each friction, at whose state another branch begins
    D                   ∂(u⁺ - u)/∂θ at the midpoint, column after column
    """

    columns: int
    seeds: int
    width: int
    sides: int
    y: Numbers
    S: Numbers
    J: Numbers
    unit: Indices
    is_first: Mutable[int]
    constant: Numbers
    growing: Numbers
    length: int
    clock: int
    by_step: int
    length_change: Mutable[float]
    clock_change: Mutable[float]
    rates: Function | None
    point: Function | None
    qdot: SparseEntries
    F: SparseEntries
    V: SparseEntries
    limit: SparseEntries
    zdot: SparseEntries
    E: Numbers
    impulses: Numbers
    part: Numbers
    static: Numbers
    active: Indices
    after: Numbers
    Z: Numbers
    W: Numbers
    limits_to: Numbers
    D: Numbers
    border: Numbers
    memory: Numbers
