"""`LinearSystem`: E x' = A x + B r + B1 r' + B2 r'',  y = C x + D r + D1 r' + D2 r'', with names; entries are numbers
or expressions in the parameters.

Its fields are in named_matrices.py, its numbers, `lin.numbers`, in matrix_numbers.py; here are changed systems, and answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from ...algebra.graph.graph import Symbol, as_expr
from ...algebra.graph.matrix import Matrix, as_matrix, identity, zeros
from ...algebra.graph.walk import free_symbols, substitute_all
from ...argument_kinds import answered, answered_class
from ...derivation.equations.keywords import values_by_name
from ...errors import StabilityError, listed, shown
from ...later import OldMembers, later
from ..design import feedback
from ..spectra import response
from ..spectra.explicit_form import symbolic_state_space
from ..spectra.pencil import Complex
from ..spectra.root_locus import RootLocus, root_locus
from ..spectra.spectrum import Spectrum, eigenvalues, modes
from ..spectra.stability_chart import StabilityChart, stability_chart
from ..variation.system_matrices import OF_INPUTS, PARTS, RECOVERY, SystemMatrices
from . import state_choice as states
from .loop_response import response_in_loops
from .matrix_numbers import MatrixNumbers
from .named_matrices import NamedMatrices
from .second_order import SecondOrder, second_order
from .system_latex import system_latex

Values = Mapping[Any, Any] | None
ByName = Mapping[str, Any] | None
RENAMED: Final = {
    "all_values": "numbers.all_values", "derivatives_at": "numbers.derivatives_at", "input": "numbers.input", "matrices_at": "numbers.matrices_at", "nominal": "numbers.nominal",
    "operating_point": "numbers.operating_point", "parameter": "numbers.parameter", "parts": "numbers.parts", "points_at": "numbers.points_at", "recovered": "numbers.recovered",
    "sets": "numbers.sets", "state": "numbers.state", "values": "numbers.values", "variation_numbers": "numbers.variation_numbers", "eigenvalue_sensitivities": "stability.eigenvalue_sensitivities(lin, ...)",
    "infinite_eigenvalues": "stability.infinite_eigenvalues(lin, ...)", "response_sensitivities": "stability.response_sensitivities(lin, ...)",
    "cleaned": "stability.exact_entries(lin)", "sweep": "matrices", "operating_points": "stability.operating_points(lin, ...)", "unknowns": "numbers.unknowns",
    "cyclic": "stability.cyclic_states(lin)", "reorder": "with_states", "design": "stability.design_parameters(lin, ...)", "program": "stability.matrix_program(lin, ...)",
    "impulse_response": "stability.impulse_response(lin, ...)", "bode": "frequency_response", "poles": "eigenvalues",
}  # fmt: skip


@answered_class
@dataclass(frozen=True, eq=False, repr=False)
class LinearSystem(
    OldMembers,
    NamedMatrices,
    renamed=RENAMED,
):
    """A linear system; returned by `linearize`, or created from matrices by `linear_system`.

    x, r, y        names of states, inputs and outputs
    E ... D2       matrices of E x' = A x + B r + B1 r' + B2 r'', y = C x + D r + D1 r' + D2 r''; entries are
                   expressions in `parameters`, and in symbols of the operating point if that is known only numerically
                   (`about`). A is not that of x' = A x, which is `state_space(symbolic=True).A`, or
                   `state_space(...).A` in numbers
    variables, T   names of all coordinates, speeds and additional variables, and how they follow from the states: T x,
                   and from inputs that constraints contain: T x + Tr r + Tr1 r'
    defaults       default parameter values; pass other values to the methods that compute numbers:
                   `lin.eigenvalues(V=20)`
    about          the motion about which the system is linearised
    full           the equations before the dependent variables were eliminated

    >>> k, c = sb.symbols("k c")
    >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
    >>> lin.parameters, lin(k=4.0, c=1.0).A
    ((k, c), matrix([[0, 1], [-4, -1]]))
    >>> lin.eigenvalues(k=4.0, c=0.4)
    array([-0.2-1.989975j, -0.2+1.989975j])
    >>> abs(lin.frequency_response("F", "x", [0.0, 1.0], k=4.0, c=0.1).values)
    array([0.25    , 0.028182])

    See also: `linearize`, `linear_system`, `plot`, `stability.to_scipy`.
    """

    # ------------------------------------------------------------------------------------------------ in numbers

    @cached_property
    def numbers(self) -> MatrixNumbers:
        """The matrices in numbers: at rows of parameters, with derivatives and operating points.

        >>> m = sb.Model("governor")
        >>> W = m.parameter("W", 5.0)
        >>> joint = m.revolute("a", m.ground.rotate("y", W * m.time), m.body("arm", mass=1.0, com=(0, -1, 0)))
        >>> m.gravity(0, -10.0, 0)
        >>> eq = sb.derive(m)
        >>> lin = sb.linearize(eq, sb.steady(eq, start={"a": 1.0}))
        >>> lin.numbers.unknowns, lin.kinds["W"], np.cos(sb.stability.operating_points(lin, W=[4.0, 5.0])["a"])  # g / (l W²)
        ((a,), 'parameter', array([0.625, 0.4  ]))
        >>> lin.numbers.operating_point(lin.numbers.values({"W": 5.0}))
        {a: 1.159279}

        See also: `stability.MatrixNumbers`, `steady`.
        """
        return MatrixNumbers(self)

    @values_by_name(StabilityError)
    def matrices(self, values: Mapping[Any, Any] | None = None, **named: Any) -> SystemMatrices:
        """The matrices as arrays; with one more dimension in front for many parameter sets: values are numbers, or arrays
        of one length.

        >>> k = sb.symbol("k")
        >>> lin = sb.linear_system([[0, 1], [-k, 0]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> lin.matrices(k=4.0).A
        array([[ 0.,  1.],
               [-4.,  0.]])
        >>> lin.matrices(k=[1.0, 4.0]).A[:, 1, 0]
        array([-1., -4.])

        See also: `LinearSystem.numbers`.
        """
        return self.numbers.matrices(values or {})

    # ------------------------------------------------------------------------------------------------ with other values

    @values_by_name(StabilityError, label="linear system")
    def __call__(self, values: Mapping[Any, Any] | None = None, **named: Any) -> LinearSystem:
        """The same system with numbers or expressions for some parameters: `lin(V=20)`, `lin(b=R * sb.tan(sigma) -
        trail)`.

        Where the operating point is known in numbers only, all parameters become numbers.
        """
        values = values or {}
        table: dict[Symbol, Any] = {self.numbers.parameter(k): as_expr(v) for k, v in values.items()}
        self.numbers.check({s: float(e) for s, e in table.items() if e.value is not None})
        if not self.numbers.unknowns:
            kept = {s: x for s, x in self.defaults.items() if s not in table}
            numbers = kept | {s: float(e.value) for s, e in table.items() if e.value is not None}
            changed = self._substituted(table)
            return replace(changed, defaults=numbers)
        if free := [k for k, v in values.items() if free_symbols(as_expr(v))]:
            raise StabilityError(
                f"linear system {self.name!r}: {listed(free)} cannot be expressions, since the operating point is known in numbers only; "
                "put them into the model"
            )
        given = self.numbers.values(values)
        table = {**given, **self.numbers.operating_point(given)}
        changed = self._substituted(table)
        return replace(changed, about=None)

    def _substituted(self, table: Mapping[Symbol, Any]) -> LinearSystem:
        """All matrices with values for symbols."""
        changed: dict[str, Any] = dict(zip((*PARTS, *RECOVERY), substitute_all(self._all(), table), strict=True))
        return replace(self, full=self.full and self.full.mapped(lambda m: substitute_all(m, table)), **changed)

    # ---------------------------------------------------------------------------------------- the same system, otherwise

    def without(self, *names: str | Symbol) -> LinearSystem:
        """The system without some states on which no other state depends. Outputs that depend on them are dropped
        too.

        >>> x, v = sb.symbols("x v")
        >>> lin = sb.linear_system([[0, 1, 0], [0, 0, 1], [0, -4, -1]], x=["x", "v", "w"])
        >>> lin.without("x").A, lin.with_outputs("v").C
        (matrix([[0, 1], [-4, -1]]), matrix([[0, 1, 0]]))
        >>> lin.replace_state("x", "s", x + v).A  # s = x + v: s' = v + w
        matrix([[0, 1, 1], [0, 0, 1], [0, -4, -1]])
        >>> lin.map(lambda matrix: 2 * matrix).A
        matrix([[0, 2, 0], [0, 0, 2], [0, -8, -2]])

        See also: `LinearSystem.with_states`, `stability.cyclic_states`, `tidy`.
        """
        return states.without(self, names)

    def replace_state(self, old: str | Symbol, name: str, expression: Any) -> LinearSystem:
        """The same system with one state replaced by a combination of states: `lin.replace_state("y_dot", "y1_dot",
        y.dot - V * psi)`."""
        return states.replace_state(self, old, name, expression)

    def with_states(self, *names: str | Symbol) -> LinearSystem:
        """The system in these states alone, in this order, their equations with them; the others must be ones on which none
        of these depends.

        >>> lin = sb.linear_system([[0, 1, 0], [0, 0, 1], [0, -4, -1]], x=["x", "v", "w"])
        >>> lin.with_states("w", "v").A
        matrix([[-1, -4], [1, 0]])

        See also: `LinearSystem.without`, `LinearSystem.replace_state`.
        """
        return states.with_states(self, names)

    def with_outputs(self, *names: str | Symbol) -> LinearSystem:
        """The same system with other outputs: those it has, states, or dependent coordinates and speeds, by name."""
        return states.with_outputs(self, names)

    def map(self, change: Any) -> LinearSystem:
        """The system with a function applied to every matrix; the function must preserve shapes."""
        if not callable(change):
            raise StabilityError(
                f"map of {self.name!r}: takes a function of matrices, such as `tidy`, got {shown(change)}"
            )
        changed = {p: change(getattr(self, p)) for p in PARTS}
        for p, new in changed.items():
            old = getattr(self, p)
            if not isinstance(new, Matrix) or (new.rows, new.cols) != (old.rows, old.cols):
                raise StabilityError(
                    f"map of {self.name!r}: for {p}, {old.rows} by {old.cols}, the function returned {shown(new)}, "
                    "which is not a matrix of that shape"
                )
        return replace(self, **changed)

    def latex(self) -> str:
        r"""E x' = A x + B r, y = C x + D r in LaTeX; with r' and r'' if they appear.

        >>> lin = sb.linear_system([[-2]], B=[[1]], x=["x"], r=["F"])
        >>> lin.latex()[:17], lin.latex().count("bmatrix")
        ('\\begin{bmatrix} 1', 22)

        See also: `latex`.
        """
        return system_latex(self)

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    # ------------------------------------------------------------------------------------------------ answers
    #
    # All take parameters by name or symbol in `values`, or as keywords, and options by name in `options`.

    @values_by_name(StabilityError)
    def eigenvalues(
        self, values: Values = None, *, method: str = "coordinates", count: int | None = None, near: complex = 0.0,
        options: ByName = None, **named: float,
    ) -> Complex:  # fmt: skip
        """Finite eigenvalues (poles), by real part; `method`: "coordinates", "qz" on all variables, or "qr" onto the
        constraints' tangent.

        count, near   only that many, the nearest to a number: of thousands of states these are found from a Krylov
                      space, in seconds, with sparse matrices where the system is a large tree in loops

        >>> c = sb.symbol("c")
        >>> lin = sb.linear_system([[0, 1], [-4, -c]])
        >>> lin.eigenvalues(c=0.4), lin.eigenvalues(c=5.0, count=1)
        (array([-0.2-1.989975j, -0.2+1.989975j]), array([-1.+0.j]))

        See also: `LinearSystem.modes`, `LinearSystem.root_locus`.
        """
        return eigenvalues(self, values or {}, method, count, near)

    @values_by_name(StabilityError)
    def modes(
        self,
        values: Values = None,
        *,
        count: int | None = None,
        near: complex = 0.0,
        options: ByName = None,
        **named: float,
    ) -> Spectrum:
        """Modes with shapes in all coordinates, frequencies, damping ratios and participation, and the number of
        infinite eigenvalues.

        count, near   only that many, those with eigenvalues nearest to a number, as in `eigenvalues`; infinite ones are
                      not counted then

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> print(lin.modes(k=4.0, c=0.4))
             real part    imag. part   freq. [Hz]  damping  mostly
                  -0.2      -1.98997      0.31671   0.1000  x
                  -0.2       1.98997      0.31671   0.1000  x

        See also: `LinearSystem.eigenvalues`, `plot`.
        """
        return modes(self, values or {}, count, near)

    @values_by_name(StabilityError)
    def root_locus(
        self, values: Values = None, *, points: int = 400, options: ByName = None, **named: Any
    ) -> RootLocus:
        """Eigenvalues over one parameter, followed as branches, with critical values: `lin.root_locus(V=(1, 40))`.

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> locus = lin.root_locus(k=4.0, c=(0, 6), points=20)
        >>> [(p.kind, round(p.value, 6)) for p in locus.critical]
        [('meeting', 4.0)]

        See also: `stability.RootLocus`, `LinearSystem.stability_chart`.
        """
        return root_locus(self, values or {}, points)

    @values_by_name(StabilityError)
    def stability_chart(
        self, values: Values = None, *, points: tuple[int, int] = (80, 80), options: ByName = None, **named: Any
    ) -> StabilityChart:
        """Growth rate over two parameters: `lin.stability_chart(V=(1, 10), b=(0.02, 0.08))`.

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]])
        >>> chart = lin.stability_chart(k=(-1, 1), c=(-1, 1), points=(5, 5))
        >>> chart.growth.shape
        (5, 5)

        See also: `LinearSystem.root_locus`, `plot`.
        """
        return stability_chart(self, values or {}, points)

    @values_by_name(StabilityError)
    def frequency_response(
        self, r: str | Symbol, y: str | Symbol, /, hertz: Any = None, *, values: Values = None, options: ByName = None, **named: float
    ) -> response.FrequencyResponse:  # fmt: skip
        """G(iω) from an input to an output (or any variable), over frequencies in Hz (chosen from the spectrum if not
        given).

        `plot` draws a Bode or Nyquist diagram.

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> answer = lin.frequency_response("F", "x", [0.0, 1.0], k=4.0, c=0.4)
        >>> abs(answer.values)
        array([0.25    , 0.028116])

        See also: `LinearSystem.step_response`, `plot`.
        """
        return response_in_loops(self, r, y, hertz, values or {}) or response.frequency_response(
            self, r, y, hertz, values or {}
        )

    @values_by_name(StabilityError)
    def step_response(
        self, r: str | Symbol, y: str | Symbol, /, times: Any = None, *, values: Values = None, options: ByName = None, **named: float
    ) -> response.TimeResponse:  # fmt: skip
        """Response of an output to a unit step of an input.

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> answer = lin.step_response("F", "x", k=4.0, c=0.4)
        >>> round(float(answer.values[-1]), 2)
        0.25

        See also: `LinearSystem.frequency_response`, `stability.impulse_response`.
        """
        return response.time_response(self, r, y, times, values or {}, "step")

    def plot(self, *pair: str, **options: Any) -> Any:
        """A figure: eigenvalues; `lin.plot(V=(1, 40))` over a parameter, or over two; `lin.plot("tau", "phi", V=20)` a
        frequency response; see `symbody.plot`.

        >>> k = sb.symbol("k")
        >>> lin = sb.linear_system([[0, 1], [-k, -0.4]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> lin.plot("F", "x", k=4.0)
        <Figure 'response to F': 2 panels, 2 curves>

        See also: `plot`.
        """
        return later("view.figures.plots", "plot")(self, *pair, **options)

    @values_by_name(StabilityError)
    def zeros(self, r: str | Symbol, y: str | Symbol, /, values: Values = None, **named: float) -> Complex:
        """Transmission zeros between an input and an output.

        >>> lin = sb.linear_system([[0, 1], [-4, -1]], B=[[0], [1]], C=[[3, 1]], x=["x", "v"], r=["F"], y=["y"])
        >>> lin.zeros("F", "y")  # of s + 3
        array([-3.+0.j])
        >>> lin.state_space().A
        array([[ 0.,  1.],
               [-4., -1.]])

        See also: `LinearSystem.eigenvalues`, `stability.to_control`.
        """
        return response.zeros(self, r, y, values or {})

    @values_by_name(StabilityError)
    def state_space(
        self, values: Values = None, *, symbolic: bool = False, options: ByName = None, **named: float
    ) -> response.StateSpace:
        """x' = A x + B r, y = C x + D r in numbers, with algebraic variables eliminated; with symbolic=True in expressions.

        The A of `lin.A` is that of E x' = A x + B r, with the mass matrix in E; the A of textbooks and of SymPy's
        `linearize(A_and_B=True)` is E⁻¹ A, `lin.state_space(symbolic=True).A`.

        Rates of inputs are absorbed into the states, x minus a multiple of r, and into D. If y contains a rate of an
        input, the highest rate replaces that input, and the input becomes a state.

        >>> m = sb.Model("pendulum")
        >>> l, g, mass = m.parameters("l g m")
        >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=mass, com=(0, -l, 0)), actuation=m.input("tau"))
        >>> m.gravity(0, -g, 0)
        >>> lin = sb.linearize(sb.derive(m), {})
        >>> lin.E, lin.A
        (matrix([[1, 0], [0, m*l**2]]), matrix([[0, 1], [-m*g*l, 0]]))
        >>> found = lin.state_space(symbolic=True)
        >>> found.A, found.B
        (matrix([[0, 1], [-g/l, 0]]), vector(0, 1/(m*l**2)))

        See also: `stability.StateSpace`, `linearize`, `stability.to_scipy`.
        """
        return symbolic_state_space(self) if symbolic else response.explicit(self, values or {})

    def second_order(self, *coordinates: str | Symbol) -> SecondOrder:
        """M q'' + (D + G) q' + (K + N) q = B r, split into symmetric and skew parts; for a subset of coordinates if the
        others are decoupled.

        >>> m = sb.Model("two carts")
        >>> a, b = m.body("a", mass=1), m.body("b", mass=2)
        >>> rails = m.prismatic("x", m.ground, a, stiffness=3, damping=0.1), m.prismatic("y", a, b, stiffness=4)
        >>> found = sb.linearize(sb.derive(m), {}).second_order()
        >>> found.M, found.K
        (matrix([[3, 2], [2, 2]]), matrix([[3, 0], [0, 4]]))

        See also: `linearize`, `stability.SecondOrder`.
        """
        return second_order(self, coordinates)

    @values_by_name(StabilityError)
    def lqr(
        self, Q: Any, R: Any = 1.0, /, *, inputs: Iterable[str | Symbol] | None = None, values: Values = None, options: ByName = None,
        **named: float,
    ) -> feedback.Feedback:  # fmt: skip
        """The feedback r = r0 - K (x - x0) that minimises ∫ xᵀ Q x + rᵀ R r dt; pass it as `inputs=`.

        Q, R     weights of states and inputs: one number, numbers by name (zero for others), one for each, or a matrix
        inputs   inputs to use; all by default

        A quantity that no input changes to first order (wᵀ A = 0, wᵀ B = 0: the energy in a steady turn) causes an
        uncontrollable mode s = 0. This mode is left unchanged and listed in `conserved`; the others are controlled
        about the motion with the present value of that quantity.

        >>> lin = sb.linear_system([[0, 1], [0, 0]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> lin.lqr(1.0, 1.0).K
        array([[1.      , 1.732051]])
        >>> beside = sb.linear_system([[1, 1], [0, 0]], B=[[1], [0]], x=["x", "c"], r=["F"])
        >>> list(beside.lqr(1.0).conserved)
        ['+1 c']

        See also: `LinearSystem.place`, `closed_loop`.
        """
        return feedback.lqr(self, Q, R, inputs, values or {})

    @values_by_name(StabilityError)
    def place(
        self, poles: Sequence[complex], /, *, inputs: Iterable[str | Symbol] | None = None, values: Values = None, options: ByName = None,
        **named: float,
    ) -> feedback.Feedback:  # fmt: skip
        """The feedback r = r0 - K (x - x0) that gives the closed loop these eigenvalues; pass it as `inputs=`.

        >>> k, c = sb.symbols("k c")
        >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
        >>> lin.place([-1, -2], k=4.0, c=0.4).K
        array([[-2. ,  2.6]])

        See also: `LinearSystem.lqr`.
        """
        return feedback.place(self, poles, inputs, values or {})


@answered
def linear_system(
    A: Any, B: Any = None, C: Any = None, D: Any = None, E: Any = None, *,
    B1: Any = None, B2: Any = None, D1: Any = None, D2: Any = None,
    x: Sequence[str] | None = None, r: Sequence[str] | None = None, y: Sequence[str] | None = None, name: str = "system",
    defaults: Mapping[Symbol, float] | None = None,
) -> LinearSystem:  # fmt: skip
    """A linear system from matrices of numbers or expressions: E x' = A x + B r + B1 r' + B2 r'', y = C x + D r + D1 r'
    + D2 r''.

    By default E is the identity, y = x, and all other matrices are zero.

    >>> k, c = sb.symbols("k c")
    >>> lin = sb.linear_system([[0, 1], [-k, -c]], B=[[0], [1]], x=["x", "v"], r=["F"])
    >>> lin.eigenvalues(k=4.0, c=0.4)
    array([-0.2-1.989975j, -0.2+1.989975j])

    See also: `linearize`, `LinearSystem`.
    """
    A = as_matrix(A)
    n = A.rows
    C = identity(n) if C is None else as_matrix(C)
    given = {p: as_matrix(m) for p, m in zip(OF_INPUTS, (B, B1, B2, D, D1, D2), strict=True) if m is not None}
    columns = next((m.cols for m in given.values()), len(r or ()))
    B, B1, B2 = (given.get(p, zeros(n, columns)) for p in OF_INPUTS[:3])
    D, D1, D2 = (given.get(p, zeros(C.rows, columns)) for p in OF_INPUTS[3:])
    E = identity(n) if E is None else as_matrix(E)
    names = tuple(x or (f"x{k + 1}" for k in range(n)))
    outputs = tuple(y or (names if C == identity(n) else (f"y{k + 1}" for k in range(C.rows))))
    inputs = tuple(r or (f"r{k + 1}" for k in range(columns)))
    return LinearSystem(
        name, names, inputs, outputs, E, A, B, C, D, names, identity(n), defaults or {}, B1=B1, B2=B2, D1=D1, D2=D2
    )
