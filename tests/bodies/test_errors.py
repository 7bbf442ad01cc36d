"""Each mistake is refused with the part, the value and what to try."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import symbody as sb
from symbody import Model, ModelError, derive
from symbody.errors import DerivationError

SOLID: dict[str, Any] = {"mass": 1.0, "com": (0.1, 0.2, 0.0), "inertia": (0.3, 0.4, 0.5)}


class Arm(NamedTuple):
    """A model with two links, to make mistakes with."""

    m: Model
    upper: sb.Body
    lower: sb.Body
    shoulder: Any
    elbow: Any

    @property
    def x(self) -> sb.Vector:
        return self.m.ground.x


def arm() -> Arm:
    m = Model("arm")
    upper, lower = m.body("upper", **SOLID), m.body("lower", **SOLID)
    shoulder = m.revolute("shoulder", m.ground, upper)
    elbow = m.revolute("elbow", upper, lower, at=(1, 0, 0))
    return Arm(m, upper, lower, shoulder.coordinates[0], elbow.coordinates[0])


def stranger() -> sb.Body:
    return Model("other").body("stranger", **SOLID)


Mistake = tuple[Callable[[Any], object], type[Exception], tuple[str, ...]]

MISTAKES: dict[str, Mistake] = {
    # unknown names
    "joint": (lambda a: a.m.freeze().joint("sholder"), ModelError, ("'arm'", "'sholder'", "shoulder, elbow", "Did you mean 'shoulder'?")),
    "body": (lambda a: a.m.freeze().body("uper"), ModelError, ("'arm'", "'uper'", "Did you mean 'upper'?")),
    "route": (lambda a: derive(a.m, route="lagrang"), ModelError, ("'lagrang'", "kane", "Did you mean 'lagrange'?")),
    "option": (
        lambda a: a.m.revolute("wrist", a.lower, a.m.body("hand", **SOLID), dampin=1),
        ModelError, ("joint 'wrist'", "'dampin'", "Did you mean 'damping'?"),
    ),
    "kind of joint": (
        lambda a: a.m.joint("wrist", a.lower, a.m.body("hand", **SOLID), "revolut"),
        ModelError, ("joint 'wrist'", "'revolut'", "revolute, prismatic"),
    ),
    "axis": (
        lambda a: a.m.revolute("wrist", a.lower, a.m.body("hand", **SOLID), axis="u"),
        ModelError, ("wrist", "'u'", "use 'x', 'y', 'z'"),
    ),
    "gear": (lambda a: a.m.gear("gear", "shoulder", "elbo", 2), ModelError, ("gear 'gear'", "'elbo'", "Did you mean 'elbow'?")),
    # a coordinate used twice
    "coordinate for two joints": (
        lambda a: a.m.revolute("wrist", a.lower, a.m.body("hand", **SOLID), coordinates=[a.elbow]),
        ModelError, ("joint 'wrist'", "coordinate elbow", "joint 'elbow'", "a gear or a constraint"),
    ),
    "name of a rate": (
        lambda a: a.m.parameter("elbow_dot"),
        ModelError, ("'arm'", "parameter 'elbow_dot'", "coordinate 'elbow'", "elbow.dot in Python", "another name"),
    ),
    "coordinate whose rate is taken": (
        lambda a: (a.m.input("s_ddot"), a.m.coordinate("s")),
        ModelError, ("'arm'", "input 's_ddot'", "coordinate 's'", "another name"),
    ),
    "name declared twice": (lambda a: a.m.parameter("elbow"), ModelError, ("'arm'", "'elbow'", "it is a coordinate of joint 'elbow' already")),
    # undeclared symbols
    "parameter in a force": (
        lambda a: a.m.force("push", a.upper, sb.symbol("F") * a.x),
        ModelError, ("load 'push'", "parameter 'F'", "m.parameter('F')"),
    ),
    "input in a torque": (
        lambda a: a.m.torque("motor", a.upper, sb.symbol("tau", "input") * a.x),
        ModelError, ("load 'motor'", "input 'tau'", "m.input('tau')"),
    ),
    "symbol of another kind": (
        lambda a: a.m.torque("motor", a.upper, sb.symbol("elbow") * a.x),
        ModelError, ("load 'motor'", "parameter 'elbow'", "not the coordinate 'elbow'", "m.symbols['elbow']"),
    ),
    "symbol in a spring": (
        lambda a: (a.m.spring("coil", a.m.ground.point(1, 1, 1), a.lower.point(), stiffness=sb.symbol("k")), derive(a.m)),
        ModelError, ("spring 'coil', stiffness=", "parameter 'k'", "m.parameter('k')"),
    ),
    "symbol in a mass": (
        lambda a: (a.m.revolute("wrist", a.lower, a.m.body("hand", mass=sb.symbol("mh"), inertia=(1, 1, 1))), derive(a.m)),
        ModelError, ("body 'hand'", "parameter 'mh'", "m.parameter('mh')"),
    ),
    "symbol in a potential": (
        lambda a: a.m.potential("well", sb.symbol("k") * a.elbow**2),
        ModelError, ("potential 'well'", "parameter 'k'", "m.parameter('k')"),
    ),
    "multiplier in an equation": (
        lambda a: a.m.equation("friction", a.m.variable("F") - 0.3 * sb.symbol("normal", "multiplier")),
        ModelError, ("equation 'friction'", "multiplier 'normal'", "once the equations are derived", "outputs may contain them"),
    ),
    # vectors
    "point plus point": (lambda a: a.upper.point() + a.lower.point(), ModelError, ("expected a vector", "lower.point(0, 0, 0)")),
    "dot of a number": (lambda a: a.x.dot(3), ModelError, ("dot", "expected a vector", "got 3")),
    "components in a body": (lambda a: a.x.components(a.upper), ModelError, ("expected a frame", "upper", ".frame")),
    "frames that are not connected": (
        lambda a: a.m.body("hand", **SOLID).point().position(a.m.ground),
        ModelError, ("hand", "not connected", "place its body by a joint"),
    ),
    "Euler parameters of another norm": (
        lambda a: a.m.ground.rotate_by_euler_parameters((1, 1, 0, 0), name="tilt"),
        ModelError, ("frame tilt", "1.41421", "0.7071067811865"),
    ),
    "Euler parameters that are zero": (
        lambda a: a.m.ground.rotate_by_euler_parameters((0, 0, 0, 0), name="tilt"),
        ModelError, ("frame tilt", "zero", "(1, 0, 0, 0)"),
    ),
    # masses that no body has
    "triangle inequality": (
        lambda a: a.m.body("plate", mass=1, inertia=(1, 1, 3)),
        ModelError, ("body 'plate'", "1, 1, 3", "physical=False"),
    ),
    "negative inertia": (
        lambda a: a.m.body("plate", mass=1, inertia=sb.inertia(1, 1, 1, xy=1.5)),
        ModelError, ("body 'plate'", "-0.5", "physical=False"),
    ),
    "inertia about a far point": (
        lambda a: a.m.body("plate", mass=1, com=(1, 0, 0), inertia=(0.1, 0.5, 0.5), about=(0, 0, 0)),
        ModelError, ("body 'plate'", "-0.5", "physical=False"),
    ),
    "tensor that is not symmetric": (
        lambda a: a.m.body("plate", mass=1, inertia=[[1, 0.2, 0], [0.1, 1, 0], [0, 0, 1]]),
        ModelError, ("body 'plate'", "0.1 and 0.2", "inertia(xx, yy, zz, xy, xz, yz)"),
    ),
    "negative mass": (lambda a: a.m.body("balloon", mass=-2), ModelError, ("body 'balloon'", "-2", "positive")),
    # loads on what is not there
    "load on a body of another model": (
        lambda a: a.m.force("push", stranger(), a.x),
        ModelError, ("force 'push'", "'stranger'", "upper, lower", "m.body('stranger', ...)"),
    ),
    "reaction on a body of another model": (
        lambda a: a.m.torque("motor", a.upper, a.x, reacting=stranger()),
        ModelError, ("torque 'motor'", "'stranger'", "upper, lower"),
    ),
    "load in a frame of another model": (
        lambda a: a.m.force("push", a.upper, Model("other").ground.x),
        ModelError, ("load 'push'", "another model", "'arm'"),
    ),
    "load on a frame of another model": (
        lambda a: a.m.force("push", Model("other").ground, a.x),
        ModelError, ("force 'push'", "another model", "'arm'"),
    ),
    "spring to a point of another model": (
        lambda a: a.m.spring("coil", a.upper.point(), Model("other").ground.point(), stiffness=1),
        ModelError, ("spring 'coil'", "another model", "'arm'"),
    ),
    "wheel of another model": (lambda a: a.m.rolling("wheel", stranger(), 1), ModelError, ("wheel 'wheel'", "'stranger'", "upper, lower")),
    "load by a number": (lambda a: a.m.force("push", a.upper, 3.0), ModelError, ("load 'push'", "3.0", "frame.vector(x, y, z)")),
    # joints and frames
    "loop joint without a constraint": (
        lambda a: a.m.free("again", a.m.ground, a.lower),
        ModelError, ("joint 'again'", "free", "adds no constraint", "leave it out"),
    ),
    "coordinates of a loop joint": (
        lambda a: a.m.revolute("closure", a.m.ground, a.lower, coordinates="angle"),
        ModelError, ("joint 'closure'", "closes a loop", "no coordinates"),
    ),
    "orientation that is none": (
        lambda a: a.m.fixed("mount", a.lower, a.m.body("hand", **SOLID), orientation=("q", 1.0)),
        ModelError, ("joint 'mount'", "orientation=", '("z", angle)', "'q'"),
    ),
    "second orientation of a frame": (
        lambda a: (a.m.frame("tool", a.lower.frame.rotate("x", 1)), a.m.frame("tool", a.lower.frame.rotate("y", 1))),
        ModelError, ("frame 'tool'", "oriented already", "one orientation"),
    ),
    "body that is not connected": (
        lambda a: (a.m.body("hand", **SOLID), a.m.freeze()),
        ModelError, ("'arm'", "hand", "place each by a joint"),
    ),
    "matrix that is no rotation": (
        lambda a: a.m.ground.rotate_by_cosines([[1, 0, 0], [0, 1, 0], [0, 0.1, 1]], name="tilt"),
        ModelError, ("tilt", "0.1", "not orthogonal"),
    ),
    "two bodies of one name": (lambda a: a.m.body("upper", **SOLID), ModelError, ("'arm'", "'upper'")),
    # constraints
    "nonlinear in the speeds": (
        lambda a: a.m.constrain_speed("fast", a.shoulder.dot**2 - 1),
        ModelError, ("constraint 'fast'", "shoulder_dot", "linear", "m.equation"),
    ),
    "holonomic passed as nonholonomic": (
        lambda a: a.m.constrain_speed("tie", a.shoulder - a.elbow),
        ModelError, ("constraint 'tie'", "shoulder - elbow", "use constrain "),
    ),
    "nonholonomic passed as holonomic": (
        lambda a: a.m.constrain("tie", a.shoulder.dot - 2 * a.elbow.dot),
        ModelError, ("constraint 'tie'", "shoulder_dot, elbow_dot", "use constrain_speed"),
    ),
    "constraint without coordinates": (
        lambda a: a.m.constrain("nothing", a.m.parameter("p") - 1),
        ModelError, ("constraint 'nothing'", "p - 1", "no coordinate"),
    ),
    "constraint given twice": (
        lambda a: (a.m.constrain("one", a.shoulder - 2 * a.elbow), a.m.constrain("two", a.shoulder - 2 * a.elbow)),
        ModelError, ("constraint 'two'", "'one'", "shoulder - 2*elbow", "drop one"),
    ),
    "constraint that cannot hold": (
        lambda a: (a.m.coincide("reach", a.m.ground.point(0, 0, 1), a.lower.point(1, 0, 0), axes="z"), derive(a.m)),
        ModelError, ("'reach.z'", "-1 = 0"),
    ),
    "redundant constraints": (
        lambda a: (a.m.constrain("one", a.shoulder - 2 * a.elbow), a.m.constrain("two", 2 * a.shoulder - 4 * a.elbow), derive(a.m)),
        DerivationError, ("'arm'", "2 constraints have rank 1", "'two' follows from 'one'", "Drop 'two'"),
    ),
    "rate of a constraint": (
        lambda a: (
            a.m.constrain("one", a.shoulder - 2 * a.elbow),
            a.m.constrain_speed("rate", a.shoulder.dot - 2 * a.elbow.dot),
            derive(a.m),
        ),
        DerivationError, ("'arm'", "rank 1", "'rate' is the rate of a holonomic constraint", "drop it"),
    ),
    "inconsistent constraints": (
        lambda a: (a.m.constrain("one", a.shoulder - a.elbow), a.m.constrain("two", a.shoulder - a.elbow - 1), derive(a.m)),
        DerivationError, ("'arm'", "no configuration", "one", "0.5", "two"),
    ),
    "loop that cannot be assembled": (
        lambda a: (
            a.m.coincide("reach", a.m.ground.point(5, 0, 0), a.lower.point(1, 0, 0), axes="xy"),
            derive(a.m),
        ),
        DerivationError, ("'arm'", "reach.x = -3", "check lengths", "joint 'reach'"),
    ),
    "body without mass where it is needed": (
        lambda a: (a.m.revolute("wrist", a.lower, a.m.body("ghost")), derive(a.m)),
        DerivationError, ("'arm'", "wrist_dot", "ghost", "Give"),
    ),
    # the rest of a description
    "variable without an equation": (
        lambda a: (a.m.variable("z"), a.m.freeze()),
        ModelError, ("'arm'", "variables: z", "equations: none"),
    ),
    "value that is no number": (lambda a: a.m.parameter("g", float("nan")), ModelError, ("'g'", "nan", "finite")),
    "speed in no kinematic equation": (lambda a: (a.m.speeds("idle"), a.m.freeze()), ModelError, ("'arm'", "idle", "kinematic equation")),
    "gravity twice": (lambda a: (a.m.gravity(0, -9.81, 0), a.m.gravity(0, 0, -1)), ModelError, ("'arm'", "gravity", "twice")),
    "two gravities of one name": (
        lambda a: (a.m.central_gravity("gravity", 1.0), a.m.gravity(0, 0, -1)),
        ModelError, ("'arm'", "'gravity'"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_named_and_advised(mistake: str) -> None:
    make, kind, says = MISTAKES[mistake]
    with pytest.raises(kind) as refusal:
        make(arm())
    text = str(refusal.value)
    for part in says:
        assert part in text, f"{part!r} is not in: {text}"


def test_the_arm_without_mistakes() -> None:
    assert derive(arm().m).degrees_of_freedom == 2


def test_a_body_says_that_its_frame_has_it():
    body = sb.Model("m").body("bob", mass=1)
    with pytest.raises(
        AttributeError, match=r"body 'bob' has no 'angular_velocity': its frame has, body\.frame\.angular_velocity"
    ):
        _ = body.angular_velocity
    with pytest.raises(AttributeError, match=r"body 'bob' has no 'colour'$"):
        _ = body.colour
