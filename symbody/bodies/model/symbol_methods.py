"""`Model`, the root of its chain: its builder, and the methods that declare symbols and say how rates follow from speeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...algebra.graph.graph import Symbol
from ...algebra.graph.portable import Portable
from ...errors import ModelError
from ...units import Written
from ..frames.frames import Frame
from ..mechanism.declarations import SymbolTuple, as_expression, names_of
from ..mechanism.mechanism import Body, Joint
from .parts import Parts


class SymbolMethods(Portable):
    """Methods of a model that declare coordinates, speeds, parameters, inputs and additional variables, and its tables
    of parts by name."""

    def __init__(self, name: str) -> None:
        self._parts = Parts(name)
        self.time, self.ground = self.parts.time, self.parts.ground

    @property
    def parts(self) -> Parts:
        """The builder of the model: tables of its parts, checks, and methods that add finished parts. Use it in file
        readers, kits, and your own joints and loads.

        >>> m = sb.Model("cart")
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=2), stiffness=3)
        >>> list(m.parts.loads)
        ['x.spring']

        See also: `bodies.Parts`, `Model.freeze`.
        """
        return self._parts

    @property
    def name(self) -> str:
        """Name of the model, and of the mechanism that it becomes."""
        return self.parts.name

    @name.setter
    def name(self, name: str) -> None:
        self.parts.name = name

    @property
    def symbols(self) -> Mapping[str, Symbol]:
        """All symbols declared, by name, in the order of declaration; time `t` is the first.

        >>> m = sb.Model("cart")
        >>> x, k = m.coordinate("x"), m.parameter("k")
        >>> dict(m.symbols)
        {'t': t, 'x': x, 'k': k}
        >>> m.symbols["x"] is x, m.symbols_of_kind("parameter")
        (True, (k,))

        See also: `Model.coordinate`, `Model.joints`.
        """
        return self.parts.symbols

    def symbols_of_kind(self, kind: str) -> tuple[Symbol, ...]:
        """The symbols of one kind: "coordinate", "speed", "parameter", "input" or "variable"."""
        return self.parts.symbols_of_kind(kind)

    @property
    def frames(self) -> Mapping[str, Frame]:
        """Named frames, including the ground.

        >>> m = sb.Model("arm")
        >>> arm, x = m.body("arm", mass=1, com=(1, 0, 0)), m.coordinate("x")
        >>> hinge = m.revolute("a", m.ground, arm)
        >>> slide = m.frame("slide", m.ground.translate(x, 0, 0))
        >>> m.frames["slide"] is slide, m.bodies["arm"] is arm, m.joints["a"] is hinge
        (True, True, True)

        See also: `Model.frame`, `Model.body`, `Model.revolute`, `bodies.Parts`.
        """
        return self.parts.frames

    @property
    def bodies(self) -> Mapping[str, Body]:
        """Bodies by name, in the order of their creation."""
        return self.parts.bodies

    @property
    def joints(self) -> Mapping[str, Joint]:
        """Joints by name, including those that close loops."""
        return self.parts.joints

    # ------------------------------------------------------------------------------------------------ symbols

    def coordinate(self, name: str, unit: str = "") -> Symbol:
        """A generalised coordinate; its rate is `q.dot`. It is displayed in the unit, such as "deg" or "mm".

        >>> m = sb.Model("bead")
        >>> x = m.coordinate("x")
        >>> bead = m.particle("bead", m.ground.point(x, x**2, 0), mass=1)
        >>> x.dot, sb.derive(m).M
        (x_dot, vector(4*x**2 + 1))

        See also: `Model.coordinates`, `Model.speeds`.
        """
        return self.parts.declare(name, "coordinate", unit=unit)

    def coordinates(self, names: str | Iterable[str]) -> tuple[Symbol, ...]:
        """Several coordinates: `x, y = m.coordinates("x y")`.

        >>> m = sb.Model("m")
        >>> x, y = m.coordinates("x y")
        >>> x.dot
        x_dot

        See also: `Model.coordinate`, `Model.speeds`, `Model.parameters`.
        """
        return tuple(self.coordinate(n) for n in names_of(names, "coordinates"))

    def parameter(self, name: str, value: Written | None = None, unit: str = "") -> Symbol:
        """A constant parameter with a default value, which is in the given unit.

        >>> m = sb.Model("rod")
        >>> l, d = m.parameter("l", 0.5, unit="m"), m.parameter("d", "20 mm")
        >>> l**2, m.parts.default_values[l], m.parts.default_values[d]  # inside, numbers are in SI
        (l**2, 0.5, 0.02)

        See also: `Model.parameters`, `Model.input`.
        """
        return self.parts.declare(name, "parameter", value, unit)

    def parameters(self, names: str | Iterable[str] = "", /, *values: float, **named: float | None) -> Any:
        """Several parameters: `a, b = m.parameters("a b", 1.0, 2.0)`, or `p = m.parameters(a=1.0, b=2.0)` and then
        `p.a`.

        A value of None declares a parameter without a default.

        >>> m = sb.Model("m")
        >>> p = m.parameters(l=1.0, g=9.81)
        >>> a, b = m.parameters("a b", 1.0, 2.0)
        >>> p.l * p.g, dict(m.parts.default_values)
        (g*l, {l: 1.0, g: 9.81, a: 1.0, b: 2.0})

        See also: `Model.parameter`, `Model.coordinates`, `Model.inputs`.
        """
        listed_names = names_of(names, "parameters")
        if values and len(values) != len(listed_names):
            raise ModelError(f"parameters {names!r}: {len(listed_names)} names but {len(values)} values")
        made = {n: self.parameter(n, values[k] if values else None) for k, n in enumerate(listed_names)}
        made |= {n: self.parameter(n, v) for n, v in named.items()}
        return SymbolTuple(made) if named else tuple(made.values())

    def input(self, name: str, unit: str = "") -> Symbol:
        """An input: an exogenous function of time, such as a control torque. It is displayed in the unit.

        >>> m = sb.Model("cart")
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=2), actuation=m.input("F"))
        >>> eq = sb.derive(m)
        >>> eq.r, eq.f
        ((F,), vector(F))

        See also: `Model.inputs`, `simulate`, `closed_loop`.
        """
        return self.parts.declare(name, "input", unit=unit)

    def inputs(self, names: str | Iterable[str]) -> tuple[Symbol, ...]:
        """Several inputs: `F, M = m.inputs("F M")`; their laws are given to `simulate`.

        >>> m = sb.Model("crane")
        >>> F, M = m.inputs("F M")
        >>> F.kind, M.name
        ('input', 'M')

        See also: `Model.input`.
        """
        return tuple(self.input(n) for n in names_of(names, "inputs"))

    def variable(self, name: str, unit: str = "") -> Symbol:
        """An additional variable, which needs an additional equation; its rate is `z.dot`. It is displayed in the unit.

        >>> m = sb.Model("circuit")
        >>> i = m.variable("i")
        >>> ohm = m.equation("circuit", 0.1 * i.dot + 2 * i - 5)
        >>> sb.steady(sb.derive(m), start={"i": 1.0})["i"]
        2.5

        See also: `Model.equation`, `Model.input`.
        """
        return self.parts.declare(name, "variable", unit=unit)

    def variables(self, names: str | Iterable[str]) -> tuple[Symbol, ...]:
        """Several additional variables, each of which needs an additional equation.

        >>> m = sb.Model("circuit")
        >>> i, U = m.variables("i U")
        >>> names = m.equation("coil", 0.1 * i.dot - U), m.equation("capacitor", U.dot + i)
        >>> m.parts.equations["coil"]
        0.1*i_dot - U

        See also: `Model.variable`, `Model.equation`.
        """
        return tuple(self.variable(n) for n in names_of(names, "variables"))

    # ------------------------------------------------------------------------------------------------ speeds

    def show_in(self, unit: str, *symbols: Symbol | str) -> None:
        """Show coordinates, speeds, inputs, variables or parameters in a unit: in tables, figures, reports and files.

        Numbers in Python stay in SI; those in model files and on the command line are in the unit shown.

        >>> m = sb.Model("arm")
        >>> hinge = m.revolute("a", m.ground, m.body("arm", mass=1, com=(1, 0, 0)))
        >>> m.show_in("deg", "a")
        >>> row = sb.derive(m).variables["a_dot"]
        >>> row.shown_in, row.unit
        ('deg/s', 'rad/s')

        See also: `Model.parameter`, `plot`, `derivation.Variable`.
        """
        self.parts.show_in(unit, *symbols)

    def speed(self, name: str, equals: Any = None, unit: str = "") -> Symbol:
        """A generalised speed. `equals` defines it, linear in rates: `m.speed("u1", q1.dot * cos(q2))`.

        The rates of all other coordinates remain speeds.

        >>> m = sb.Model("cart")
        >>> x = m.coordinate("x")
        >>> cart = m.particle("cart", m.ground.point(x, 0, 0), mass=3)
        >>> u = m.speed("u", 2 * x.dot)
        >>> eq = sb.derive(m)
        >>> eq.rates, eq.M
        (vector(u/2), vector(3/4))

        See also: `Model.speeds`, `Model.rate`, `Model.kinematic_equation`.
        """
        u = self.parts.declare(name, "speed", unit=unit)
        if equals is not None:
            self.parts.add_kinematics(equations=[as_expression(equals, f"speed {name!r}") - u])
        return u

    def speeds(self, names: str | Iterable[str]) -> tuple[Symbol, ...]:
        """Several speeds, which `rate` or `kinematic_equation` relates to rates.

        >>> m = sb.Model("body")
        >>> a, b = m.coordinates("a b")
        >>> u, v = m.speeds("u v")
        >>> m.rate(a, u + v)
        >>> m.kinematic_equation(b.dot - u + v)
        >>> dict(m.parts.kinematics.rates), m.parts.kinematics.equations
        ({a: u + v}, (b_dot - u + v,))

        See also: `Model.speed`, `Model.rate`, `Model.kinematic_equation`.
        """
        return tuple(self.speed(n) for n in names_of(names, "speeds"))

    def rate(self, q: Symbol, equals: Any) -> None:
        """Define the rate of a coordinate in terms of speeds, or of an additional variable: `m.rate(z, f)` is the
        additional equation z' = f.

        >>> m = sb.Model("circuit")
        >>> i = m.variable("i")
        >>> m.rate(i, 5 - 2 * i)
        >>> sb.derive(m).h
        vector(2*i + i_dot - 5)

        See also: `Model.speed`, `Model.equation`.
        """
        rate = as_expression(equals, f"rate of {getattr(q, 'name', q)!r}")
        if isinstance(q, Symbol) and q.kind == "variable" and self.symbols.get(q.name) is q:
            self.parts.add_equation(q.name, q.dot - rate)
        else:
            self.parts.add_kinematics(rates=[(q, rate)])

    def kinematic_equation(self, expression: Any) -> None:
        """An equation `expression = 0`, linear in rates and speeds."""
        self.parts.add_kinematics(equations=[as_expression(expression, "kinematic equation")])

    def unit_norm(self, *coordinates: Symbol) -> None:
        """Declare coordinates whose squares sum to one, a sum that their rates preserve, as with Euler parameters.

        >>> m = sb.Model("top")
        >>> joint = m.spherical("r", m.ground, m.body("top", mass=1, inertia=(1, 1, 2)), "euler parameters")
        >>> m.parts.kinematics.norms  # `spherical` has said m.unit_norm(r_e0, r_e1, r_e2, r_e3)
        ((r_e0, r_e1, r_e2, r_e3),)
        >>> s, c = m.coordinates("s c")
        >>> w = m.speed("w")
        >>> m.rate(s, c * w)
        >>> m.rate(c, -s * w)
        >>> m.unit_norm(s, c)

        See also: `Model.spherical`, `derivation.EquationRows`.
        """
        self.parts.add_kinematics(norms=[coordinates])

    def small(self, *symbols: Symbol) -> None:
        """Declare coordinates that stay small, so that equations may be linearised in them while they are derived.

        >>> m = sb.Model("pendulum")
        >>> joint = m.revolute("a", m.ground, m.body("bob", mass=1, com=(0, -1, 0)))
        >>> m.gravity(0, -9.81, 0)
        >>> m.small(joint.q)
        >>> sb.derive(m, small=True).f
        vector(-9.81*a)

        See also: `derive`, `algebra.linearized`.
        """
        self.parts.add_kinematics(small=symbols)
