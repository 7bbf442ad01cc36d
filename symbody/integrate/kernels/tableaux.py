"""Coefficients of explicit Runge-Kutta methods with step control and dense output.

    k_i = f(t + c_i h, y + h Σ_j a_ij k_j),   y⁺ = y + h Σ b_i k_i,   k_s = f(t + h, y⁺)

After the step the polynomial y(t + θ h) = r_0 + θ (r_1 + (1 - θ) (r_2 + θ (r_3 + (1 - θ) (r_4 + ...)))) is known from

    r_0 = y,   r_1 = y⁺ - y,   r_2 = h k_0 - r_1,   r_3 = r_1 - h k_s - r_2,   r_{4+m} = h Σ d_mi k_i

with further stages where it needs them (Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, II.4 to
II.6, II.10).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from ...errors import SimulationError, finite_number, unknown
from .stages import fixed_step

Row = Mapping[int, float | Fraction] | Sequence[float | Fraction]
AGREEMENT: Final = 1e-12  # largest error of sums of coefficients that are printed with 16 digits


@dataclass(frozen=True, eq=False, repr=False)
class Tableau:
    """An explicit Runge-Kutta method, given by its coefficients. Use it with `simulate(eq, t, method=tableau)`.

    name     for people
    order    of the step
    a        rows of a_ij: of stages 1 .. s - 1, of y⁺ (that is b), then of the stages that only dense output needs; each with
             entries for j = 0, 1, ..., or {j: a_ij} with those that are not zero
    c        of the same stages
    errors   weights of the stages, f(t + h, y⁺) last, in one or two estimates of the local error: b less the weights of
             another method; without, the method takes fixed steps
    dense    rows d_m; without, states between steps are those of cubic Hermite polynomials
    control  order of the error estimate plus one, used by the step control; by default `order`
    stages   s; by default the rows of a
    reach    |λ| h up to which a step that is bounded by stability is taken (Hairer and Wanner, IV.2): for methods that "auto"
             may choose

    Bogacki and Shampine (1989), order 3 with an estimate of order 2:

    >>> from fractions import Fraction as F
    >>> b = [F(2, 9), F(1, 3), F(4, 9)]
    >>> estimate = [F(2, 9) - F(7, 24), F(1, 3) - F(1, 4), F(4, 9) - F(1, 3), F(-1, 8)]
    >>> bs3 = sb.integrate.Tableau("Bogacki-Shampine 3(2)", 3, a=[[F(1, 2)], [0, F(3, 4)], b], c=[F(1, 2), F(3, 4), 1], errors=[estimate])
    >>> bs3.width, bs3.pieces, bs3.rows[0], bs3.table(bs3.a)[:4]
    (4, 4, {0: Fraction(1, 2)}, (0.5, 0.0, 0.0, 0.0))
    >>> bs3.A[4:8], bs3.C, len(bs3.E), bs3.D, bs3.butcher[:4]
    ((0.5, 0.0, 0.0, 0.0), (0.0, 0.5, 0.75, 1.0), 4, (0.0,), (0.0, 0.0, 0.0, 0.0))
    >>> x, v = sb.symbols("x v", "variable")
    >>> sim = sb.simulate(sb.from_equations({x: v, v: -x}), 1.0, x=1.0, method=bs3)
    >>> sim.final["x"], sim.choices["method"]
    (0.540302, 'method Bogacki-Shampine 3(2)')

    See also: `simulate`, `simulate_batch`, `stepper`.
    """

    name: str
    order: int
    a: Sequence[Row]
    c: Sequence[float | Fraction]
    errors: Sequence[Row] = ()
    dense: Sequence[Row] = ()
    control: int = 0
    stages: int = 0
    reach: float = 0.0

    def __post_init__(self) -> None:
        known = {"control": self.control or self.order, "stages": self.stages or len(self.a)}
        for name, value in known.items():
            object.__setattr__(self, name, value)
        if wrong := next(_faults(self), ""):
            raise SimulationError(f"Tableau {self.name!r}: {wrong}")

    @classmethod
    def named(cls, name: str) -> Tableau:
        """The method of a short name: "rk4", "dp5" or "dp8".

        >>> sb.integrate.Tableau.named("rk4").butcher[-5:]
        (1.0, 0.166667, 0.333333, 0.333333, 0.166667)

        See also: `Tableau.step`.
        """
        if name not in TABLEAUX:
            raise unknown("Tableau", "method", name, TABLEAUX, SimulationError)
        return TABLEAUX[name]

    def step(
        self, rates: Callable[[Any, list[Any]], Sequence[Any]], t: Any, y: Sequence[Any], h: Any
    ) -> tuple[Any, ...]:
        """y after one step h from time t, of whatever can be added and multiplied: numbers, expressions, arrays.

        rates   rates(t, y): y' as a sequence, one for each entry of y

        >>> x, h = sb.symbols("x h")
        >>> rk4 = sb.integrate.Tableau.named("rk4")
        >>> rk4.step(lambda t, y: [-y[0]], 0.0, [1.0], 0.1)  # e^-0.1 = 0.904837
        (0.904838,)
        >>> (end,) = rk4.step(lambda t, y: [-y[0]], 0.0, [x], h)
        >>> sb.evaluate(end, {x: 1.0, h: 0.1})
        0.904838

        See also: `stepper`, `simulate`.
        """
        n, now = len(y), list(y)

        def rhs(given: tuple[Any, list[Any]], out: tuple[list[Any]]) -> None:
            out[0][:] = rates(given[0], list(given[1]))
            if len(out[0]) != n:
                raise SimulationError(f"step of {self.name!r}: rates of {n} entries gave {len(out[0])}")

        memory: list[Any] = [0.0] * n
        k: list[Any] = [0.0] * (n * self.stages)
        fixed_step(n, self.stages, t, h, list(self.butcher), now, memory, k, list(memory), rhs)
        return tuple(now)

    def __repr__(self) -> str:
        return f"<Tableau {self.name}>"

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Tableau) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        return self.name, self.order, self.control, self.stages, self.reach, self.A, self.C, self.E, self.D

    @cached_property
    def rows(self) -> tuple[dict[int, float | Fraction], ...]:
        """Rows of a by their columns, without zeros."""
        return tuple(map(_entries, self.a))

    @property
    def width(self) -> int:
        """Stages in all, with that at the end of the step and those of dense output."""
        return len(self.a) + 1

    @property
    def pieces(self) -> int:
        """Coefficients r of the dense output."""
        return 4 + len(self.dense)

    def table(self, rows: Sequence[Row]) -> tuple[float, ...]:
        """Rows one after another, zeros included."""
        return tuple(float(row.get(j, 0)) for row in map(_entries, rows) for j in range(self.width))

    @cached_property
    def A(self) -> tuple[float, ...]:  # noqa: N802  (notation)
        """Rows of a, with that of stage 0 in front."""
        return self.table([{}, *self.a])

    @cached_property
    def E(self) -> tuple[float, ...]:  # noqa: N802  (notation)
        """Weights of the error estimates."""
        return self.table(self.errors) or (0.0,)

    @cached_property
    def D(self) -> tuple[float, ...]:  # noqa: N802  (notation)
        """Rows of the dense output."""
        return self.table(self.dense) or (0.0,)

    @property
    def butcher(self) -> tuple[float, ...]:
        """The step without dense output, as books print it: rows c_i, a_i0, a_i1, ..., and in the last one 1, b_0, b_1, ..."""
        rows = zip((0, *self.c), ({}, *self.rows), strict=True)
        found = [(c, *(a.get(j, 0) for j in range(self.stages))) for c, a in rows]
        return tuple(float(x) for row in found[: self.stages + 1] for x in row)

    @cached_property
    def C(self) -> tuple[float, ...]:  # noqa: N802  (notation)
        """c, with 0 of stage 0 in front."""
        return (0.0, *map(float, self.c))


def _entries(row: Row) -> dict[int, float | Fraction]:
    """A row by its columns, without zeros."""
    pairs = row.items() if isinstance(row, Mapping) else enumerate(row)
    return {j: x for j, x in pairs if finite_number(x, "Tableau: a coefficient", SimulationError)}


def _faults(t: Tableau) -> Iterator[str]:
    """What no method of this order can have: columns that are not known yet, sums that do not agree."""
    a, errors = t.rows, [_entries(row) for row in t.errors]
    if len(t.c) != len(a) or not 0 < t.stages <= len(a):
        yield f"{len(a)} rows of a, {len(t.c)} numbers in c, {t.stages} stages: a has the rows of stages 1 .. s - 1 and of y⁺, c as many"
        return
    if len(errors) > 2:
        yield f"{len(errors)} estimates of the error: step control takes one, or two"
    for i, row in enumerate(a):
        if any(j > i for j in row):
            yield f"row {i} of a uses stage {max(row)}, which comes later; an explicit method has entries for j <= {i}"
        if abs(float(sum(row.values()) - t.c[i])) > AGREEMENT:
            yield f"row {i} of a has the sum {float(sum(row.values())):z.9g}, but c = {float(t.c[i]):z.9g}"
    weights, times = a[t.stages - 1], (0, *t.c)
    for k in range(1, t.order + 1):
        found = float(sum(w * times[j] ** (k - 1) for j, w in weights.items()))
        if abs(found - 1 / k) > AGREEMENT:
            yield f"Σ b c^{k - 1} = {found:z.9g}, but 1/{k} for a method of order {t.order}"
    for row in errors:
        if abs(float(sum(row.values()))) > AGREEMENT:
            yield f"weights of an error estimate have the sum {float(sum(row.values())):z.9g}, not 0: they are differences of two methods"


DORMAND_PRINCE_5: Final = Tableau(
    name="Dormand-Prince 5(4)",
    order=5,
    control=5,
    stages=6,
    reach=3.25,
    a=(
        {0: Fraction(1, 5)},
        {0: Fraction(3, 40), 1: Fraction(9, 40)},
        {0: Fraction(44, 45), 1: Fraction(-56, 15), 2: Fraction(32, 9)},
        {0: Fraction(19372, 6561), 1: Fraction(-25360, 2187), 2: Fraction(64448, 6561), 3: Fraction(-212, 729)},
        {
            0: Fraction(9017, 3168),
            1: Fraction(-355, 33),
            2: Fraction(46732, 5247),
            3: Fraction(49, 176),
            4: Fraction(-5103, 18656),
        },
        {
            0: Fraction(35, 384),
            2: Fraction(500, 1113),
            3: Fraction(125, 192),
            4: Fraction(-2187, 6784),
            5: Fraction(11, 84),
        },
    ),
    c=(Fraction(1, 5), Fraction(3, 10), Fraction(4, 5), Fraction(8, 9), Fraction(1), Fraction(1)),
    errors=(
        {
            0: Fraction(-71, 57600),
            2: Fraction(71, 16695),
            3: Fraction(-71, 1920),
            4: Fraction(17253, 339200),
            5: Fraction(-22, 525),
            6: Fraction(1, 40),
        },
    ),
    dense=(
        {
            0: Fraction(-12715105075, 11282082432),
            2: Fraction(87487479700, 32700410799),
            3: Fraction(-10690763975, 1880347072),
            4: Fraction(701980252875, 199316789632),
            5: Fraction(-1453857185, 822651844),
            6: Fraction(69997945, 29380423),
        },
    ),
)

DORMAND_PRINCE_8: Final = Tableau(
    name="Dormand-Prince 8(5,3)",
    order=8,
    control=8,
    stages=12,
    reach=6.1,
    a=(
        {0: 0.05260015195876773},
        {0: 0.0197250569845379, 1: 0.0591751709536137},
        {0: 0.02958758547680685, 2: 0.08876275643042054},
        {0: 0.2413651341592667, 2: -0.8845494793282861, 3: 0.924834003261792},
        {0: 0.037037037037037035, 3: 0.17082860872947386, 4: 0.12546768756682242},
        {0: 0.037109375, 3: 0.17025221101954405, 4: 0.06021653898045596, 5: -0.017578125},
        {
            0: 0.03709200011850479,
            3: 0.17038392571223998,
            4: 0.10726203044637328,
            5: -0.015319437748624402,
            6: 0.008273789163814023,
        },
        {
            0: 0.6241109587160757,
            3: -3.3608926294469414,
            4: -0.868219346841726,
            5: 27.59209969944671,
            6: 20.154067550477894,
            7: -43.48988418106996,
        },
        {
            0: 0.47766253643826434,
            3: -2.4881146199716677,
            4: -0.590290826836843,
            5: 21.230051448181193,
            6: 15.279233632882423,
            7: -33.28821096898486,
            8: -0.020331201708508627,
        },
        {
            0: -0.9371424300859873,
            3: 5.186372428844064,
            4: 1.0914373489967295,
            5: -8.149787010746927,
            6: -18.52006565999696,
            7: 22.739487099350505,
            8: 2.4936055526796523,
            9: -3.0467644718982196,
        },
        {
            0: 2.273310147516538,
            3: -10.53449546673725,
            4: -2.0008720582248625,
            5: -17.9589318631188,
            6: 27.94888452941996,
            7: -2.8589982771350235,
            8: -8.87285693353063,
            9: 12.360567175794303,
            10: 0.6433927460157636,
        },
        {
            0: 0.054293734116568765,
            5: 4.450312892752409,
            6: 1.8915178993145003,
            7: -5.801203960010585,
            8: 0.3111643669578199,
            9: -0.1521609496625161,
            10: 0.20136540080403034,
            11: 0.04471061572777259,
        },
        {
            0: 0.056167502283047954,
            6: 0.25350021021662483,
            7: -0.2462390374708025,
            8: -0.12419142326381637,
            9: 0.15329179827876568,
            10: 0.00820105229563469,
            11: 0.007567897660545699,
            12: -0.008298,
        },
        {
            0: 0.03183464816350214,
            5: 0.028300909672366776,
            6: 0.053541988307438566,
            7: -0.05492374857139099,
            10: -0.00010834732869724932,
            11: 0.0003825710908356584,
            12: -0.00034046500868740456,
            13: 0.1413124436746325,
        },
        {
            0: -0.42889630158379194,
            5: -4.697621415361164,
            6: 7.683421196062599,
            7: 4.06898981839711,
            8: 0.3567271874552811,
            12: -0.0013990241651590145,
            13: 2.9475147891527724,
            14: -9.15095847217987,
        },
    ),
    c=(
        0.05260015195876773,
        0.0789002279381516,
        0.1183503419072274,
        0.2816496580927726,
        0.3333333333333333,
        0.25,
        0.3076923076923077,
        0.6512820512820513,
        0.6,
        0.8571428571428571,
        1,
        1,
        0.1,
        0.2,
        0.7777777777777778,
    ),
    errors=(
        {
            0: 0.01312004499419488,
            5: -1.2251564463762044,
            6: -0.4957589496572502,
            7: 1.6643771824549864,
            8: -0.35032884874997366,
            9: 0.3341791187130175,
            10: 0.08192320648511571,
            11: -0.022355307863886294,
        },
        {
            0: -0.18980075407240762,
            5: 4.450312892752409,
            6: 1.8915178993145003,
            7: -5.801203960010585,
            8: -0.4226823213237919,
            9: -0.1521609496625161,
            10: 0.20136540080403034,
            11: 0.02265179219836082,
        },
    ),
    dense=(
        {
            0: -8.428938276109013,
            5: 0.5667149535193777,
            6: -3.0689499459498917,
            7: 2.38466765651207,
            8: 2.117034582445028,
            9: -0.871391583777973,
            10: 2.2404374302607883,
            11: 0.6315787787694688,
            12: -0.08899033645133331,
            13: 18.148505520854727,
            14: -9.194632392478356,
            15: -4.436036387594894,
        },
        {
            0: 10.427508642579134,
            5: 242.28349177525817,
            6: 165.20045171727028,
            7: -374.5467547226902,
            8: -22.113666853125306,
            9: 7.733432668472264,
            10: -30.674084731089398,
            11: -9.332130526430229,
            12: 15.697238121770845,
            13: -31.139403219565178,
            14: -9.35292435884448,
            15: 35.81684148639408,
        },
        {
            0: 19.985053242002433,
            5: -387.0373087493518,
            6: -189.17813819516758,
            7: 527.8081592054236,
            8: -11.57390253995963,
            9: 6.8812326946963,
            10: -1.0006050966910838,
            11: 0.7777137798053443,
            12: -2.778205752353508,
            13: -60.19669523126412,
            14: 84.32040550667716,
            15: 11.99229113618279,
        },
        {
            0: -25.69393346270375,
            5: -154.18974869023643,
            6: -231.5293791760455,
            7: 357.6391179106141,
            8: 93.40532418362432,
            9: -37.45832313645163,
            10: 104.0996495089623,
            11: 29.8402934266605,
            12: -43.53345659001114,
            13: 96.32455395918828,
            14: -39.17726167561544,
            15: -149.72683625798564,
        },
    ),
)

CLASSICAL_4: Final = Tableau(
    name="classical Runge-Kutta 4",
    order=4,
    control=4,
    stages=4,
    reach=2.78,
    a=(
        {0: Fraction(1, 2)},
        {1: Fraction(1, 2)},
        {2: Fraction(1)},
        {0: Fraction(1, 6), 1: Fraction(1, 3), 2: Fraction(1, 3), 3: Fraction(1, 6)},
    ),
    c=(Fraction(1, 2), Fraction(1, 2), Fraction(1), Fraction(1)),
    errors=(),
    dense=(),
)

MIDPOINT: Final = Tableau(
    name="explicit midpoint",
    order=2,
    a=({0: Fraction(1, 2)}, {1: Fraction(1)}),
    c=(Fraction(1, 2), Fraction(1)),
)

TABLEAUX: Final = {"dp5": DORMAND_PRINCE_5, "dp8": DORMAND_PRINCE_8, "rk4": CLASSICAL_4}
"""Methods that have a short name."""


def tableau_of(method: str | Tableau) -> Tableau | None:
    """The coefficients of an explicit method; None for others."""
    return TABLEAUX.get(method) if isinstance(method, str) else method if isinstance(method, Tableau) else None
