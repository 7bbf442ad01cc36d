"""`Model`: the builder of mechanisms. Here it is named, put together from parts and frozen; its methods are inherited, in
the order of the data flow:

declarations.py (symbols) -> parts.py (tables and the builder interface) -> structure.py (bodies) -> joint_methods.py ->
elastic_methods.py -> friction_methods.py -> path_methods.py -> equation_methods.py -> load_methods.py ->
constraint_methods.py -> model.py

Every method that adds a part takes its name first, then the parts that it joins or acts on (parent before child), then
quantities.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...algebra.graph.graph import Expr
from ...algebra.graph.names import check_name
from ...algebra.graph.walk import scalars
from ...errors import ExpressionError, ModelError, in_number, listed, shown
from ...escaping import checked_name
from ...summary import Summarized, Summary
from ..loads import loads as make
from ..mechanism.declarations import as_expression
from ..mechanism.existence import first_refusal, requirements
from ..mechanism.mechanism import Constraint, Mechanism
from ..mechanism.summaries import rows_of_parts, rows_of_symbols, rows_of_written
from .constraint_methods import ConstraintMethods
from .structure import Part
from .substructure import Attached, attach

ROUNDING: Final = 1e-14  # of lengths and cosines in constraints that hold by themselves


class Model(Summarized, ConstraintMethods):
    """A mechanism being described: `m = Model("pendulum")`, then parameters, bodies, joints, loads; `derive(m)` freezes
    it.

    >>> m = sb.Model("pendulum")
    >>> p = m.parameters(l=1.0, m=0.5, g=9.81)
    >>> bob = m.body("bob", mass=p.m, com=(0, -p.l, 0))
    >>> joint = m.revolute("theta", m.ground, bob, damping=0.1)
    >>> m.gravity(0, -p.g, 0)
    >>> m.output("height", bob.point(0, -p.l, 0).in_ground[1])
    >>> eq = sb.derive(m)
    >>> eq.M, eq.f
    (vector(m*l**2), vector(-m*g*l*sin(theta) - 0.1*theta_dot))

    See also: `derive`, `bodies.Mechanism`, `read_model`, `audit`.
    """

    def _summary(self) -> Summary:
        loads = [*(["gravity"] if self.has_gravity else []), *self._loads, *(g.name for g in self._fields)]
        parts = rows_of_parts(self._bodies.values(), self._joints.values(), loads, self._constraints.values())
        q, u, r, z, p = map(self.symbols_of_kind, ("coordinate", "speed", "input", "variable", "parameter"))
        symbols = rows_of_symbols(q, u, r, z, p, self._values)
        parts += rows_of_written(self._kinetic, self._balances)
        steps = "audit(model) checks it, derive(model) gives its equations" if parts else "add bodies and joints"
        return Summary(f"{type(self).__name__} {self.name}", (*parts, *symbols, *self._more_rows(), ("next", steps)))

    def _more_rows(self) -> tuple[tuple[str, str], ...]:
        """Further rows of the summary of a subclass."""
        return ()

    def output(self, name: str, value: Any) -> None:
        """A quantity of interest: an expression, or a list or matrix of them.

        >>> m = sb.Model("arm")
        >>> arm = m.body("arm", mass=1, com=(1, 0, 0))
        >>> hinge = m.revolute("a", m.ground, arm)
        >>> m.output("height", arm.point(2, 0, 0).in_ground[1])
        >>> sb.derive(m).outputs
        {'height': 2*sin(a)}

        See also: `Model.label`, `Trajectory`, `LinearSystem`.
        """
        self.refuse_twice("outputs", name, self._outputs)
        try:
            scalars(value)
        except ExpressionError as reason:
            raise ModelError(f"output {name!r}: {reason}") from None
        self._outputs[name] = value

    def label(self, name: str, expression: Any) -> Expr:
        """Give a subexpression a name, which printed equations and generated code then use. Returns it: `w =
        m.label("w", q1.dot + q2.dot)`.

        Symbols and constants keep their own names; of two labels for one expression the first is used.

        >>> m = sb.Model("m")
        >>> a, b = m.coordinates("a b")
        >>> m.label("w", a.dot + b.dot)
        a_dot + b_dot

        See also: `sequence`, `Model.output`.
        """
        self.refuse_twice("labels", name, self._labels)
        where = f"label {checked_name(name, 'label')!r}"
        self._labels[check_name(name, "label")] = made = self.checked(where, as_expression(expression, where))
        return made

    def attach(
        self, name: str, parent: Part, sub: Model, *, share: Any = (), values: Mapping[str, Any] | None = None
    ) -> Attached:
        """Hang a copy of another model on a frame or body of this one; what was its ground is then that frame.

        name     goes before all names of the copy: name_q1, name_thigh
        share    symbols of `sub` that are not copied: names that both models have, or {name in sub: symbol or
                 expression here}
        values   of the copy's parameters, by their names in `sub`: numbers, or expressions of this model that replace
                 them

        Its gravity is left out (that of this model acts on all bodies), and what it says of its ground holds for the
        frame it hangs on.

        >>> leg = sb.Model("leg")
        >>> hip = leg.revolute("a", leg.ground, leg.body("thigh", mass=1, com=(0, -1, 0)))
        >>> m = sb.Model("walker")
        >>> legs = [m.attach(side, m.ground, leg) for side in ("left", "right")]
        >>> sb.derive(m).q
        (left_a, right_a)

        See also: `Model`, `read_model`.
        """
        where = f"attach {checked_name(name, 'attach')!r}"
        if not isinstance(sub, Model):
            raise ModelError(f"{where}: expected a Model, got {shown(sub)}")
        if values is not None and not isinstance(values, Mapping):
            raise ModelError(f"{where}: values= is a mapping from names of parameters, got {shown(values)}")
        return attach(self, name, self.frame_of(where, parent), sub, share, values or {})

    def freeze(self) -> Mechanism:
        """The finished description. Refuses one that is incomplete.

        >>> m = sb.Model("cart")
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=2))
        >>> m.freeze()
        <Mechanism cart
          bodies: 1 (cart)
          joints: 1 (x prismatic)
          coordinates q: 1 (x)
          speeds u: 1 (x_dot)>

        See also: `bodies.Mechanism`, `derive`.
        """
        bodies = tuple(self._bodies.values())
        if lost := [b.name for b in bodies if not b.frame.root.is_ground]:
            raise ModelError(
                f"model {self.name!r}: {in_number(lost, 'body {} hangs', 'bodies {} hang')} on nothing; place each by a joint, or leave "
                "it free with m.free"
            )
        if len(z := self.symbols_of_kind("variable")) != len(self._equations):
            raise ModelError(
                f"model {self.name!r}: each additional variable needs one additional equation; variables: "
                f"{listed(z)}; equations: {listed(self._equations)}"
            )
        if wrong := first_refusal(requirements(bodies), self._values):
            raise ModelError(f"model {self.name!r}: {wrong}")
        u, rates = self._speeds_and_rates()
        if strange := [s.name for s in self._balances if s not in u]:
            raise ModelError(
                f"model {self.name!r}: balances of {in_number(strange, '{}, which is no speed', '{}, which are no speeds')} of it; its speeds "
                f"are {listed(s.name for s in u)}"
            )
        loads = list(self._loads.values())
        if self._gravity is not None:
            loads.insert(0, make.uniform_gravity(bodies, self._gravity))
        loads += [field.load(bodies) for field in self._fields]
        kept, notes = self._constraints_that_say_something()
        return Mechanism(
            name=self.name,
            ground=self.ground,
            q=self.symbols_of_kind("coordinate"),
            u=tuple(u),
            rates=rates,
            p=self.symbols_of_kind("parameter"),
            r=self.symbols_of_kind("input"),
            z=z,
            bodies=bodies,
            joints=tuple(self._joints.values()),
            loads=tuple(loads),
            constraints=kept,
            equations=dict(self._equations),
            outputs=dict(self._outputs),
            labels=dict(self._labels),
            norms=tuple(self._norms),
            gravity=self._gravity,
            values=dict(self._values),
            units=dict(self._units),
            small=tuple(self._small),
            notes=(*notes, *self._notes),
            kinetic=dict(self._kinetic),
            balances=dict(self._balances),
        )

    def _constraints_that_say_something(self) -> tuple[tuple[Constraint, ...], tuple[str, ...]]:
        """Constraints of loop joints that are zero, or rounding of zero, whatever the coordinates (as out of the plane
        of a plane linkage) are left out and noted."""
        kept, notes = [], []
        for c in self._constraints.values():
            if c.expression.value is None:
                kept.append(c)
            elif c.joint is not None and abs(float(c.expression.value)) <= ROUNDING:
                notes.append(f"constraint {c.name} holds by itself and is left out")
            else:
                raise ModelError(f"constraint {c.name!r} cannot hold: it says {shown(c.expression)} = 0")
        silent = {j.name for j in self._joints.values() if j.closes_loop} - {c.joint for c in kept}
        if idle := sorted(silent & {c.joint for c in self._constraints.values() if c.joint is not None}):
            raise ModelError(
                f"joint {idle[0]!r} closes a loop but adds no constraint: all it asks for holds by itself; leave it out"
            )
        return tuple(kept), tuple(notes)
