"""Equations -> compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...algebra.calculus.derivatives import directional_derivative, gradient
from ...algebra.graph.graph import Symbol, symbol
from ...algebra.graph.matrix import Matrix, sum_of_products
from ...algebra.graph.node_table import gc_paused
from ...algebra.graph.portable import Portable
from ...algebra.graph.walk import substitute_all
from ...argument_kinds import answered_class, checked_flags
from ...derivation.equations.additional_rates import variable_rates
from ...derivation.equations.energies import kinetic_energy, potential_energy
from ...derivation.equations.equations import Equations
from ...derivation.equations.keywords import values_by_name
from ...derivation.equations.own_terms import in_own_terms
from ...derivation.programs.constraint_sweeps import constraint_sweeps
from ...derivation.programs.dynamics_derivatives import (
    Wrt,
    accelerations,
    forward_derivatives,
    inverse_derivatives,
    symbols_to_vary,
)
from ...derivation.programs.forward_dynamics import is_made_fast, ways_to_accelerations
from ...derivation.programs.inverse_dynamics import InverseDynamics, shortest_inverse_dynamics
from ...derivation.programs.second_derivatives import (
    inverse_second_derivatives,
    second_derivative_product,
    second_derivatives,
)
from ...derivation.programs.state_rates import state_rate_derivatives, state_rates
from ...errors import ProgramError, unknown
from ...progress import working
from ...summary import Introduced
from ..lowering.lower import operations, program
from ..lowering.register_fit import REGISTERS, fitting_program
from ..lowering.tree_program import tree_program
from ..programs.program import Program, require_program
from .callable import Array, Compiled, compile_program
from .cuda_callable import CudaFunction, checked_real
from .cuda_driver import cuda

TARGETS: Final = ("cpu", "cuda")
LOOPS_FROM: Final = 20  # degrees of freedom: with fewer, straight-line derivatives run faster and compile as fast


@answered_class
class Dynamics(Introduced, Portable):
    """Compiled equations of motion: `f = compile(equations)`, then `f.udot(t, q, u, p)`.

    Functions take t, q, u, then z and r where the equations have additional variables and inputs, then p; `f.rhs` and
    `f.rhs_derivatives(...)` take the whole state x = (q, u, z) in one array: t, x, then r and p; `f.inverse` and
    `f.inverse_derivatives(...)` take the accelerations a after u: t, q, u, a, then z, r, p. r has the inputs, then
    those of their rates that the equations contain. Where no parameters are left, p is empty and may be left out. Each
    function is compiled when it is first used, and has `.batch` for many states at once. `f.p` holds the default values
    of the parameters; `f.parameters(m1=2.0)` changes some. `real` is the precision on a GPU, or None: machine code of
    this computer.

    >>> x, v, k = sb.symbols("x v k")
    >>> f = sb.compile(sb.from_equations({x: v, v: -k * x}, {k: 4.0}))
    >>> f.rhs(0.0, [1.0, 0.0], f.p)
    array([ 0., -4.])
    >>> f.parameters(k=9.0)
    array([9.])

    See also: `compile`, `Equations`, `simulate`.
    """

    def __init__(
        self, equations: Equations, bake: Mapping[Any, float] | None = None, cache: bool = True, real: str | None = None
    ) -> None:
        self.equations = equations
        parameters = equations.variables.of("p")
        self._bake = parameters.resolved(bake or {}, f"bake for {equations.name!r}", ProgramError)
        self._cache, self._real = cache, real
        self._parameters = parameters.only(s for s in equations.p if s not in self._bake)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Parameters that are left as arguments, in order."""
        return self._parameters.names

    def __repr__(self) -> str:
        groups = ", ".join(self._groups)
        return (
            f"<Dynamics of {self.equations.name}: f.udot, f.M, ... are functions of ({groups}), compiled when "
            "first used>"
        )

    @cached_property
    def _groups(self) -> dict[str, Any]:
        eq = self.equations
        groups: dict[str, Any] = {"t": eq.t, "q": list(eq.q), "u": list(eq.u)}
        optional = {"z": list(eq.z), "r": list(eq.r), "p": list(self._parameters.symbols)}
        return groups | {k: v for k, v in optional.items() if v}

    @cached_property
    def _whole_state(self) -> dict[str, Any]:
        """t, x, then r and p where there are any."""
        rest = {k: g for k, g in self._groups.items() if k in ("r", "p")}
        return {"t": self.equations.t, "x": list(self.equations.state), **rest}

    @cached_property
    def _with_accelerations(self) -> dict[str, Any]:
        first = {k: self._groups[k] for k in ("t", "q", "u")}
        return {**first, "a": list(accelerations(self.equations)), **self._groups}

    # ------------------------------------------------------------------------------------------------ parameters

    @cached_property
    def p(self) -> Array:
        """Default values of the parameters."""
        return self.parameters()

    @values_by_name(ProgramError)
    def parameters(self, values: Mapping[Any, float] | None = None, **named: float) -> Array:
        """Values of the parameters, in order: defaults, replaced by the values given here by name or symbol."""
        left, where = self._parameters, f"parameters of {self.equations.name!r}"
        numbers = left.defaults | left.numbers(values or {}, where, ProgramError)
        left.require(numbers, where, ProgramError, "give them as parameters(name=...)")
        return np.array([numbers[s] for s in left.symbols], dtype=np.float64)

    # ------------------------------------------------------------------------------------------------ functions

    def program(self, name: str, outputs: Mapping[str, Any]) -> Program:
        """A program of the equations' own inputs."""
        return self._program(name, self._groups, outputs)

    def _program(
        self,
        name: str,
        groups: Mapping[str, Any],
        outputs: Mapping[str, Any],
        factored: bool = True,
        matrices: Iterable[str] = (),
    ) -> Program:
        labels = self.equations.labels
        with self._working():
            return program(name, groups, outputs, bake=self._bake, labels=labels, factored=factored, matrices=matrices)

    def function(self, name: str, outputs: Mapping[str, Any]) -> Compiled:
        """Anything else, compiled as a function of the same arguments."""
        with self._working():
            return self._compiled(self.program(name, outputs))

    def _working(self) -> AbstractContextManager[None]:
        return working(f"compile {self.equations.name}")

    def _compiled(self, program: Program) -> Any:
        empty = () if self._parameters.symbols else ("p",)
        return target_code(program, self._real, self._cache, empty)

    def _shortest(self, name: str, groups: Mapping[str, Any], output: str, ways: Sequence[Matrix]) -> Program:
        """The program of the way with fewest operations; on a GPU, of one whose values fit into a thread's registers."""

        def made(way: Matrix, factored: bool = True) -> Program:
            return self._program(name, groups, {output: way}, factored)

        if self._real is None:
            return made(min(ways, key=operations))
        return fitting_program(ways, made, REGISTERS[self._real])

    @cached_property
    def udot(self) -> Compiled:
        """Accelerations u': forward dynamics. Of a tree by composite (CRBA) or by articulated bodies (ABA), whichever
        takes fewer operations; with constraints by the elimination that `equations.augmented.factors.elimination` names.

        >>> m = sb.Model("pendulum")
        >>> l = m.parameter("l", 2.0)
        >>> joint = m.revolute("a", m.ground, m.body("bob", mass=1, com=(0, -l, 0)), actuation=m.input("tau"))
        >>> m.gravity(0, -10.0, 0)
        >>> m.output("height", -l * sb.cos(joint.q))
        >>> f = sb.compile(sb.derive(m))
        >>> t, q, u, r = 0.0, [np.pi / 2], [0.5], [0.0]
        >>> f.udot(t, q, u, r, f.p), f.qdot(t, q, u, r, f.p), f.M(t, q, u, r, f.p), f.f(t, q, u, r, f.p)
        (array([-5.]), array([0.5]), array([[4.]]), array([-20.]))
        >>> f.inverse(t, q, u, [0.0], f.p), f.energies(t, [0.0], u, r, f.p), f.parameter_names
        (array([20.]), (0.5, -20.0), ('l',))
        >>> f.outputs(t, [0.0], u, r, f.p)
        -2.0

        See also: `compile`, `Equations.udot`.
        """
        eq = self.equations
        with gc_paused(), self._working():
            ways = ways_to_accelerations(eq)
            if self._bake:
                ways = substitute_all(ways, self._bake)
            return self._compiled(self._shortest("udot", self._groups, "a", ways))

    @cached_property
    def qdot(self) -> Compiled:
        """Rates q' = N u + n."""
        return self.function("qdot", {"v": self.equations.rates})

    @cached_property
    def zdot(self) -> Compiled:
        """Rates z' of additional variables, where they follow from the additional equations without iteration."""
        return self.function("zdot", {"w": variable_rates(self.equations)})

    @cached_property
    def rhs(self) -> Compiled:
        """x' = (q', u', z') of the state x = (q, u, z) in one array, `f.rhs(t, x, p)`; before p stand inputs r where
        there are any."""
        with gc_paused(), self._working():
            ways = [state_rates(self.equations, udot) for udot in ways_to_accelerations(self.equations)]
            if self._bake:
                ways = substitute_all(ways, self._bake)
            return self._compiled(self._shortest("rhs", self._whole_state, "dx", ways))

    def rhs_derivatives(self, wrt: Iterable[Wrt] = ("x",)) -> Compiled:
        """Derivatives of x': ∂x'/∂s as the output dx_s for each s of `wrt`; a function of the arguments of `rhs`.

        wrt   "x", "r", "p", "t", and single symbols by name: ("x", "mu")
        """
        return self._kept_code("rhs_derivatives", wrt, self._rhs_derivatives)

    def _rhs_derivatives(self, wrt: Iterable[Wrt]) -> Compiled:
        eq = self.equations
        with gc_paused():
            groups = self._unbaked(symbols_to_vary(eq, wrt, {"x": eq.state}))
            found = {f"dx_{k}": state_rate_derivatives(eq, x) for k, x in groups.items()}
            return self._derivative_code("rhs_derivatives", self._whole_state, found)

    @cached_property
    def M(self) -> Compiled:  # noqa: N802  (notation)
        """Mass matrix."""
        with self._working():
            return self._compiled(self._program("mass_matrix", self._groups, {"M": self.equations.M}, matrices=("M",)))

    @cached_property
    def f(self) -> Compiled:
        """Right side of M u' = f + Jcᵀ lam; without multipliers where loads contain them: M u' = f0 + (Jc + W)ᵀ lam."""
        return self.function("right_side", {"f": self.equations.augmented.f0})

    @cached_property
    def lam(self) -> Compiled:
        """Multipliers; NaN for those that redundant constraints do not determine."""
        eq = self.equations
        if (loops := constraint_sweeps(eq)) is not None:
            return self.function("multipliers", {"lam": loops.accelerations(is_guarded=True)[1]})
        (lam,) = in_own_terms(eq, [Matrix(len(eq.lam), 1, eq.lam)], solved=True) if eq.border else [eq.multipliers]
        return self.function("multipliers", {"lam": lam})

    @cached_property
    def constraints(self) -> Compiled:
        """phi, and Jc u + b: violation of the constraints at the level of positions and of speeds.

        >>> m = sb.Model("bead")
        >>> x, y = m.coordinates("x y")
        >>> bead = m.particle("bead", m.ground.point(x, y, 0), mass=2.0)
        >>> name = m.constrain("floor", y)
        >>> m.gravity(0, -9.81, 0)
        >>> i = m.variable("i")
        >>> name = m.equation("circuit", i.dot + 2 * i)
        >>> f = sb.compile(sb.derive(m))
        >>> f.constraints(0.0, [1.0, 0.5], [0.0, 0.25], [3.0]), f.lam(0.0, [1.0, 0.0], [0.0, 0.0], [3.0])
        ((array([0.5]), array([0.25])), array([19.62]))
        >>> f.zdot(0.0, [1.0, 0.0], [0.0, 0.0], [3.0])
        array([-6.])

        See also: `Equations.multipliers`, `integrate.violation`.
        """
        eq = self.equations
        speeds = [sum((eq.Jc[i, j] * u for j, u in enumerate(eq.u)), eq.b[i]) for i in range(len(eq.lam))]
        return self.function("constraints", {"phi": eq.phi, "psi": speeds})

    @cached_property
    def inverse(self) -> Compiled:
        """Inverse dynamics: the inputs for a motion with accelerations a = u', `f.inverse(t, q, u, a, p)`; before p
        stand z, and those inputs r that act by their rates, where there are any.

        Where there are constraints, their multipliers too; where not every degree of freedom has an input, what is left
        of the balances that no input can reach (see `inverse_dynamics`).
        """
        with gc_paused():
            found = shortest_inverse_dynamics(self.equations)
            outputs = {
                "tau": list(found.inputs.values()),
                "lam": list(found.multipliers.values()),
                "conditions": list(found.conditions.entries),
            }
            given = [s for s in self.equations.r if s not in found.inputs]
            groups = {k: given if k == "r" else g for k, g in self._with_accelerations.items() if k != "r" or given}
            made = self._program("inverse", groups, {k: v for k, v in outputs.items() if v})
        return self._compiled(made)

    # ------------------------------------------------------------------------------------------------ derivatives

    @cached_property
    def jacobian(self) -> Compiled:
        """Derivatives of u' with respect to q and to u: a_q, a_u."""
        return self._derivatives("jacobian", ("q", "u"))

    def derivatives(self, wrt: Iterable[Wrt] | None = None) -> Compiled:
        """Derivatives of forward dynamics: ∂u'/∂x as the output a_x for each x of `wrt`, and ∂lam/∂x as lam_x where
        there are constraints. They are matrices for groups of symbols, vectors for single ones and for time.

        wrt   "q", "u", "z", "r" (by default those that the equations have), "p", "t", and single symbols by name: ("q",
              "u", "m1")

        All right sides share one factorisation (see `forward_derivatives`).

        >>> m = sb.Model("cart")
        >>> k = m.parameter("k", 3.0)
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=1), stiffness=k, damping=2)
        >>> f = sb.compile(sb.derive(m))
        >>> f.derivatives(["q", "u", "k"])(0.0, [0.5], [0.0], f.p), f.jacobian(0.0, [0.5], [0.0], f.p)
        ((array([[-3.]]), array([[-2.]]), array([-0.5])), (array([[-3.]]), array([[-2.]])))
        >>> f.rhs_derivatives()(0.0, [0.5, 0.0], f.p)
        array([[ 0.,  1.],
               [-3., -2.]])
        >>> f.inverse_derivatives(["q", "a"])(0.0, [0.5], [0.0], [0.0], f.p)
        (array([[3.]]), array([[1.]]))
        >>> own = f.function("spring", {"force": k * m.symbols["x"]})
        >>> own(0.0, [0.5], [0.0], f.p), f.program("spring", {"force": k * m.symbols["x"]}).cost.total
        (1.5, 1)

        See also: `derivation.forward_derivatives`, `derivation.inverse_derivatives`.
        """
        chosen = [k for k in "quzr" if getattr(self.equations, k)] if wrt is None else wrt
        return self._kept_code(
            "derivatives", chosen, lambda wrt: self._derivatives("derivatives", wrt, with_multipliers=True)
        )

    def inverse_derivatives(self, wrt: Iterable[Wrt] = ("q", "u", "a")) -> Compiled:
        """Derivatives of M u' - f at given accelerations, ∂(M u' - f)/∂x as tau_x: a function of t, q, u, a, then z, r,
        p."""
        return self._kept_code("inverse_derivatives", wrt, self._inverse_derivatives)

    def _inverse_derivatives(self, wrt: Iterable[Wrt]) -> Compiled:
        eq = self.equations
        with gc_paused():
            found = inverse_derivatives(eq, self._unbaked(symbols_to_vary(eq, wrt, {"a": accelerations(eq)})))
            outputs = {f"tau_{k}": J for k, J in found.items()}
            return self._derivative_code("inverse_derivatives", self._with_accelerations, outputs)

    def second_derivatives(self, wrt: Iterable[Wrt] = ("q", "u")) -> Compiled:
        """Second derivatives of forward dynamics, ∂²u'/∂a∂b as a_xx of shape (speeds, symbols, symbols), where the symbols
        are all of `wrt` in order; also of constrained equations. `f.inverse_second_derivatives` are those of M u' - f, and
        `f.hessian_product` has the Hessian of w · u' times a vector.

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)))
        >>> m.gravity(0, -10.0, 0)
        >>> f = sb.compile(sb.derive(m))
        >>> f.second_derivatives(["q"])(0.0, [np.pi / 2], [0.0])
        array([[[10.]]])
        >>> f.inverse_second_derivatives(["q"])(0.0, [np.pi / 2], [0.0], [0.0])
        array([[[-10.]]])
        >>> f.hessian_product(["q"])(0.0, [np.pi / 2], [0.0], [2.0], [3.0])  # w = 2, v = 3
        array([60.])

        See also: `derivation.second_derivatives`, `Dynamics.derivatives`.
        """
        return self._kept_code("second_derivatives", wrt, self._second_derivatives)

    def _second_derivatives(self, wrt: Iterable[Wrt]) -> Compiled:
        with gc_paused():
            found = second_derivatives(self.equations, self._unbaked(symbols_to_vary(self.equations, wrt)))
            return self._compiled(self._stacked("second_derivatives", self._groups, "a_xx", found))

    def inverse_second_derivatives(self, wrt: Iterable[Wrt] = ("q", "u", "a")) -> Compiled:
        """Second derivatives of M u' - f at given accelerations, as tau_xx: a function of t, q, u, a, then z, r, p."""
        return self._kept_code("inverse_second_derivatives", wrt, self._inverse_second_derivatives)

    def _inverse_second_derivatives(self, wrt: Iterable[Wrt]) -> Compiled:
        eq = self.equations
        with gc_paused():
            groups = self._unbaked(symbols_to_vary(eq, wrt, {"a": accelerations(eq)}))
            found = inverse_second_derivatives(eq, groups)
            made = self._stacked("inverse_second_derivatives", self._with_accelerations, "tau_xx", found)
            return self._compiled(made)

    def _stacked(self, name: str, groups: Mapping[str, Any], output: str, matrices: Sequence[Matrix]) -> Program:
        """A program whose output has one matrix for each speed."""
        n = matrices[0].rows
        made = self._program(name, groups, {output: [e for m in matrices for e in m.entries]})
        places = tuple((k // n**2, k // n % n, k % n) for (k,) in made.outputs[0].nonzeros)
        shaped = replace(made.outputs[0], shape=(len(matrices), n, n), nonzeros=places)
        return replace(made, outputs=(shaped,))

    def hessian_product(self, wrt: Iterable[Wrt] = ("q", "u")) -> Compiled:
        """∂²(w · u')/∂x² v, without the Hessian: a function of t, q, u, the weights w of the speeds, the vector v, then z,
        r, p."""
        return self._kept_code("hessian_product", wrt, self._hessian_product)

    def _hessian_product(self, wrt: Iterable[Wrt]) -> Compiled:
        eq = self.equations
        with gc_paused():
            symbols = self._varied(wrt)
            w, v = _one_for_each("weight", eq.u), _one_for_each("change", symbols)
            product = second_derivative_product(eq, symbols, w, v)
            return self._product("hessian_product", {"w": w, "v": v}, {"Hv": list(product.entries)})

    def jacobian_product(self, wrt: Iterable[Wrt] = ("q", "u")) -> Compiled:
        """∂u'/∂x v without the Jacobian, x being all symbols of `wrt` in order: a function of t, q, u, the vector v, then z,
        r, p. For large mechanisms in loops it takes a few times as long as u' itself, where the Jacobian is full.

        `f.adjoint_product` is the transposed product wᵀ ∂u'/∂x, of weights w of the speeds: the gradient of w · u'.

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=1.0, com=(0, -1, 0)), damping=2.0)
        >>> m.gravity(0, -10.0, 0)
        >>> f = sb.compile(sb.derive(m))
        >>> f.jacobian_product()(0.0, [0.0], [0.0], [1.0, 0.5])  # -10 cos(theta) v1 - 2 v2
        array([-11.])
        >>> f.adjoint_product()(0.0, [0.0], [0.0], [1.0])
        array([-10.,  -2.])

        See also: `Dynamics.hessian_product`, `Dynamics.derivatives`, `algebra.directional_derivative`.
        """
        return self._kept_code("jacobian_product", wrt, self._jacobian_product)

    def _jacobian_product(self, wrt: Iterable[Wrt]) -> Compiled:
        with gc_paused():
            symbols = self._varied(wrt)
            v = _one_for_each("change", symbols)
            product = directional_derivative(self._accelerations, dict(zip(symbols, v, strict=True)))
            return self._product("jacobian_product", {"v": v}, {"Jv": list(product.entries)})

    def adjoint_product(self, wrt: Iterable[Wrt] = ("q", "u")) -> Compiled:
        """wᵀ ∂u'/∂x, the transpose of `jacobian_product`: a function of t, q, u, the weights w of the speeds, then z, r, p."""
        return self._kept_code("adjoint_product", wrt, self._adjoint_product)

    def _adjoint_product(self, wrt: Iterable[Wrt]) -> Compiled:
        with gc_paused():
            w = _one_for_each("weight", self.equations.u)
            total = sum_of_products(w, self._accelerations.entries)
            return self._product("adjoint_product", {"w": w}, {"wJ": list(gradient(total, self._varied(wrt)).entries)})

    @property
    def _accelerations(self) -> Matrix:
        """In loops where there are any."""
        return ways_to_accelerations(self.equations)[0] if is_made_fast(self.equations) else self.equations.udot

    def _varied(self, wrt: Iterable[Wrt]) -> list[Symbol]:
        groups = self._unbaked(symbols_to_vary(self.equations, wrt))
        return list(dict.fromkeys(s for group in groups.values() for s in group))

    def _product(self, name: str, vector: Mapping[str, Sequence[Symbol]], outputs: Mapping[str, Any]) -> Compiled:
        first = {k: self._groups[k] for k in ("t", "q", "u")}
        return self._compiled(self._program(name, {**first, **vector, **self._groups}, outputs))

    @cached_property
    def _codes(self) -> dict[tuple[str, tuple[Wrt, ...]], Compiled]:
        """Derivatives that were made already, by method and symbols."""
        return {}

    def _kept_code(self, name: str, wrt: Any, make: Callable[[Any], Compiled]) -> Compiled:
        """Derivatives with respect to some symbols, made once."""
        if not isinstance(wrt, Iterable) or isinstance(wrt, str):
            return make(wrt)
        symbols = tuple(wrt)
        if not all(isinstance(s, (str, Symbol)) for s in symbols):
            return make(symbols)
        if (name, symbols) not in self._codes:
            self._codes[name, symbols] = make(symbols)
        return self._codes[name, symbols]

    def _unbaked(self, wrt: Mapping[str, Sequence[Symbol]]) -> dict[str, Sequence[Symbol]]:
        """All parameters are those that are left as arguments."""
        return {k: [s for s in x if s not in self._bake] if k == "p" else x for k, x in wrt.items()}

    def _derivatives(self, name: str, wrt: Iterable[Wrt], with_multipliers: bool = False) -> Compiled:
        with gc_paused():
            eq = self.equations
            groups = self._unbaked(symbols_to_vary(eq, wrt))
            in_loops = self._in_loops(name, groups)
            if in_loops is not None:
                return self._compiled(in_loops)
            found = forward_derivatives(eq, groups)
            outputs = {f"a_{k}": J for k, J in found.udot.items()}
            if with_multipliers and eq.lam:
                outputs |= {f"lam_{k}": J for k, J in found.multipliers.items()}
            return self._derivative_code(name, self._groups, outputs)

    def _derivative_code(self, name: str, groups: Mapping[str, Any], outputs: Mapping[str, Matrix]) -> Compiled:
        """A column for each symbol: with respect to a group always a matrix, to a single symbol a vector."""
        return self._compiled(self._program(name, groups, outputs, matrices=filter(_is_by_group, outputs)))

    def _in_loops(self, name: str, groups: Mapping[str, Sequence[Symbol]]) -> Program | None:
        """Derivatives by loops over a tree with many degrees of freedom; None if there are few, or if it is not such a
        tree."""
        eq = self.equations
        if self._real is not None or len(eq.u) < LOOPS_FROM:
            return None
        matrices = [key for k in groups if _is_by_group(key := f"a_{k}")]
        return tree_program(name, self._groups, eq, groups, matrices, bake=self._bake, labels=eq.labels)

    @cached_property
    def energies(self) -> Compiled:
        """Kinetic energy T and potential energy V."""
        eq = self.equations
        return self.function("energies", {"T": kinetic_energy(eq), "V": potential_energy(eq)})

    @cached_property
    def outputs(self) -> Compiled:
        """The model's outputs, in order; accelerations and multipliers in them have their values."""
        eq = self.equations
        seen = in_own_terms(eq, list(eq.outputs.values()), solved=True)
        return self.function("outputs", dict(zip(eq.outputs, seen, strict=True)))


def target_code(
    program: Program, real: str | None, cache: bool, empty: tuple[str, ...] = (), is_quick: bool = False
) -> Any:
    """A function to call: on a GPU in this precision, or on this computer where it is None."""
    return (
        compile_program(program, cache=cache, empty=empty, is_quick=is_quick)
        if real is None
        else CudaFunction(program, real, cache, empty)
    )


def _one_for_each(what: str, symbols: Iterable[Symbol]) -> list[Symbol]:
    """A symbol named after each of some others."""
    return [symbol(f"{what}_of_{s.name}", "variable") for s in symbols]


def _is_by_group(derivative: str) -> bool:
    """Of a_q, lam_r, dx_x, ...: rather than with respect to time or to a symbol by its name."""
    return derivative.partition("_")[2] in set("quzrpxa")


@checked_flags(ProgramError)
def compile(
    thing: Program | Equations,
    *,
    bake: Mapping[Any, float] | None = None,
    cache: bool = True,
    target: str = "cpu",
    real: str = "double",
    quick: bool = False,
) -> Any:
    """Machine code, made by LLVM in this process: no compiler is needed. A Program gives one function, Equations give
    `Dynamics`.

    bake     numbers for parameters of equations, folded into the code
    cache    keep the machine code on disk, and take it from there when the same is compiled again
    target   "cpu", or "cuda": an NVIDIA GPU, by its driver alone; functions then take many states in arrays of CuPy,
             PyTorch or JAX
    real     precision on a GPU: "double", or "float" (single)
    quick    of a Program: code in a third of the time that runs at half the speed, with the same numbers; better code is
             made after 50 000 states in batches, and code for one state when it is first called

    >>> m = sb.Model("pendulum")
    >>> p = m.parameters(l=1.0, m=0.5, g=9.81)
    >>> bob = m.body("bob", mass=p.m, com=(0, -p.l, 0))
    >>> joint = m.revolute("theta", m.ground, bob)
    >>> m.gravity(0, -p.g, 0)
    >>> f = sb.compile(sb.derive(m))
    >>> f.udot(0.0, [0.3], [0.0], f.p)
    array([-2.899053])
    >>> f.udot.batch(0.0, np.array([[0.1], [0.2], [0.3]]), np.zeros((3, 1)), f.p)
    array([[-0.979366],
           [-1.948946],
           [-2.899053]])

    See also: `program`, `emit.Dynamics`, `emit.Compiled`, `evaluate`.
    """
    if target not in TARGETS:
        raise unknown("compile", "target", target, TARGETS, ProgramError)
    if target == "cpu" and checked_real(real) != "double":
        raise ProgramError(
            "real='float' is for target='cuda'; on the CPU a batch runs in single precision by "
            "compile(eq).udot.batch(t, q, u, p, real='float')"
        )
    if target == "cuda":
        cuda()
    precision = None if target == "cpu" else checked_real(real)
    if quick and (precision is not None or not isinstance(thing, Program)):
        raise ProgramError("compile: quick=True is for a Program on the CPU")
    if isinstance(thing, Equations):
        with gc_paused(), working(f"compile {thing.name}"):
            return Dynamics(thing, bake, cache, precision)
    other: Any = thing
    if isinstance(other, InverseDynamics):
        raise ProgramError(
            "compile: an inverse dynamics is compiled with its equations: compile(eq).inverse(t, q, u, a, p), with accelerations a"
        )
    require_program("compile", thing)
    if bake:
        raise ProgramError("numbers are baked into a program when it is made: program(..., bake={...})")
    return target_code(thing, precision, cache, is_quick=quick)
