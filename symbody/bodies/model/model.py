"""`Model`: the builder of mechanisms. Here it is named, put together from parts and frozen; its methods are inherited, in
the order of the data flow:

symbol_methods.py -> structure.py (bodies) -> joint_methods.py -> elastic_methods.py -> friction_methods.py ->
path_methods.py -> equation_methods.py -> load_methods.py -> constraint_methods.py -> model.py

Tables of parts, and checks of what is given, are those of its builder `m.parts` (parts.py).

Every method that adds a part takes its name first, then the parts that it joins or acts on (parent before child), then
quantities.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...algebra.graph.names import check_name
from ...algebra.graph.walk import free_symbols, scalars
from ...argument_kinds import answered_class
from ...errors import ExpressionError, ModelError, listed, shown
from ...escaping import checked_name
from ...later import OldMembers
from ...summary import Summarized, Summary
from ..frames.system_vectors import SystemVector
from ..frames.vectors import Vector
from ..mechanism.declarations import as_expression
from ..mechanism.mechanism import Mechanism
from ..mechanism.summaries import rows_of_parts, rows_of_symbols, rows_of_written
from .all_or_nothing import all_or_nothing_class
from .constraint_methods import ConstraintMethods
from .freeze import mechanism_of
from .repeated_parts import Repeated, repeat
from .structure import Part
from .substructure import Attached, attach

OF_THE_BUILDER: Final = (
    "add_body", "add_constraint", "add_frame", "add_given_motions", "add_joint", "add_load", "balances", "checked",
    "checked_vector", "constraints", "declare", "default_values", "driven", "equations", "frame_of", "has_fields",
    "has_gravity", "joint_coordinates", "kinematics", "kinetic_energies", "labels", "loads", "moved_frame", "order_bodies",
    "outputs", "own_frame", "owner", "point_of", "refuse_twice", "units",
)  # fmt: skip


@answered_class
@all_or_nothing_class
class Model(OldMembers, Summarized, ConstraintMethods, renamed={name: f"parts.{name}" for name in OF_THE_BUILDER}):
    """The description of a mechanism: create it with `m = Model("pendulum")`, then add parameters, bodies, joints and
    loads. `derive(m)` takes a snapshot of it.

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
        p = self.parts
        parts = rows_of_parts(p.bodies.values(), p.joints.values(), p.load_names, p.constraints.values())
        q, u, r, z, constants = map(p.symbols_of_kind, ("coordinate", "speed", "input", "variable", "parameter"))
        symbols = rows_of_symbols(q, u, r, z, constants, p.default_values)
        parts += rows_of_written(p.kinetic_energies, p.balances)
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
        try:
            scalars(value)
        except ExpressionError as reason:
            raise ModelError(f"output {name!r}: {reason}") from None
        self.parts.add_expression("outputs", name, value)

    def valid_while(self, name: str, expression: Any) -> None:
        """Declare that the model is valid while an expression of coordinates, speeds, variables and parameters is
        positive. `simulate` ends a motion that leaves this region with `Ending.NOT_VALID` and the name, and refuses to
        start outside it.

        >>> m = sb.Model("pendulum on a short rope")
        >>> joint = m.revolute("a", m.ground, m.body("bob", mass=1, com=(0, -1, 0)))
        >>> m.gravity(0, -9.81, 0)
        >>> m.valid_while("below the horizontal", sb.cos(joint.q))
        >>> print(sb.simulate(sb.derive(m), 2.0, a=1.0, a_dot=5.0).outcome)
        the motion left the region in which the model is valid at t = 0.129323: 'below the horizontal' (cos(a) > 0) does not hold

        See also: `Event`, `simulate`, `integrate.Ending`.
        """
        where = f"valid_while {checked_name(name, 'valid_while')!r}"
        made = self.parts.checked(where, as_expression(expression, where))
        if strange := [s.name for s in free_symbols(made) if s.kind in ("acceleration", "multiplier", "input")]:
            raise ModelError(f"{where}: {listed(strange)} cannot be in it; it is a condition on the state")
        self.parts.add_expression("validity", name, made)

    def label(self, name: str, expression: Any) -> Any:
        """Name a subexpression. Printed equations and generated code use the name. Returns the expression: `w =
        m.label("w", q1.dot + q2.dot)`.

        The components of a vector are called name_1, name_2, name_3, and continue with name_4 if the vector has terms
        in several frames. Symbols and constants keep their own names; the first of two labels for one expression is
        used.

        >>> m = sb.Model("m")
        >>> a, b = m.coordinates("a b")
        >>> m.label("w", a.dot + b.dot)
        a_dot + b_dot
        >>> r = m.label("r", m.ground.vector(sb.cos(a), sb.sin(a), b))
        >>> dict(m.parts.labels)
        {'w': a_dot + b_dot, 'r_1': cos(a), 'r_2': sin(a)}

        See also: `sequence`, `Model.output`, `Model.unlabel`.
        """
        if isinstance(expression, (Vector, SystemVector)):
            entries = [e for c in expression.component_matrices for e in c.entries]
            for k, e in enumerate(entries, start=1):
                if e.args:
                    self.label(f"{name}_{k}", e)
            return expression
        where = f"label {checked_name(name, 'label')!r}"
        made = self.parts.checked(where, as_expression(expression, where))
        self.parts.add_expression("labels", check_name(name, "label"), made)
        return made

    def unlabel(self, name: str) -> None:
        """Remove a label, or all labels of a vector's components by the vector's name. The expression is unchanged, and
        the name can be used again.

        >>> m = sb.Model("m")
        >>> a, b = m.coordinates("a b")
        >>> w, r = m.label("w", a.dot + b.dot), m.label("r", m.ground.vector(sb.cos(a), sb.sin(a), b))
        >>> m.unlabel("w")
        >>> m.unlabel("r")
        >>> dict(m.parts.labels)
        {}

        See also: `Model.label`.
        """
        self.parts.remove_label(checked_name(name, "label"))

    def note(self, *texts: str) -> None:
        """Remarks for readers of the mechanism: `mechanism.notes`.

        >>> m = sb.Model("cart")
        >>> rail = m.prismatic("x", m.ground, m.body("cart", mass=2))
        >>> m.note("masses were weighed")
        >>> m.freeze().notes
        ('masses were weighed',)

        See also: `bodies.Mechanism`.
        """
        self.parts.add_note(*texts)

    def attach(
        self, name: str, parent: Part, sub: Model, *, share: Any = (), values: Mapping[str, Any] | None = None
    ) -> Attached:
        """Attach a copy of another model to a frame or body of this one, which replaces the ground of the copy.

        name     prefix of all names of the copy: name_q1, name_thigh
        share    symbols of `sub` that are not copied: names that both models have, or {name in sub: symbol or
                 expression here}
        values   of the copy's parameters, by their names in `sub`: numbers, or expressions of this model that replace
                 them

        The gravity of `sub` is omitted (the gravity of this model acts on all bodies), and its references to the ground
        apply to the frame it is attached to.

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
            raise ModelError(f"{where}: values= must be a mapping from names of parameters, got {shown(values)}")
        return attach(self, name, self.parts.frame_of(where, parent), sub, share, values or {})

    def repeat(
        self,
        name: str,
        parent: Any,
        sub: Model,
        count: int,
        *,
        end: str | None = None,
        share: Any = (),
        values: Mapping[str, Any] | None = None,
    ) -> Repeated:
        """Attach many copies of another model: chains, tracks, trees, rows. Names of copy k begin with name_k_.

        parent   the frame or body that carries all copies; a list with one for each; or a function of the copies made
                 so far that returns the one for the next: `lambda done: done[(len(done) - 1) // 2].frame("tip")`
        count    number of copies
        end      name of the frame of `sub` to which the next copy is attached: a chain that begins at `parent`
        share    symbols that all copies have in common, as in `attach`
        values   of the copies' parameters: one value for all, or a sequence with one for each

        Equal copies are derived and compiled once: a chain of 10 000 links takes seconds.

        >>> link = sb.Model("link")
        >>> rod = link.body("rod", mass=0.1, com=(0.05, 0, 0), inertia=(1e-5, 1e-4, 1e-4))
        >>> hinge, tip = link.revolute("a", link.ground, rod), link.frame("tip", rod.frame.translate(0.1, 0, 0))
        >>> m = sb.Model("chain")
        >>> m.gravity(0, -9.81, 0)
        >>> links = m.repeat("link", m.ground, link, 3, end="tip")
        >>> sb.derive(m).q, links[2].body("rod")
        ((link_0_a, link_1_a, link_2_a), <Body link_2_rod, mass 0.1>)

        See also: `Model.attach`, `derive`.
        """
        where = f"repeat {checked_name(name, 'repeat')!r}"
        if not isinstance(sub, Model):
            raise ModelError(f"{where}: expected a Model, got {shown(sub)}")
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise ModelError(f"{where}: count is a whole number from 1 on, got {shown(count)}")
        if values is not None and not isinstance(values, Mapping):
            raise ModelError(f"{where}: values= must be a mapping from names of parameters, got {shown(values)}")
        return repeat(self, name, parent, sub, count, end, share, values or {})

    def freeze(self) -> Mechanism:
        """The finished description as a `Mechanism`; an incomplete description is refused.

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
        return mechanism_of(self.parts)
