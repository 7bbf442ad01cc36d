"""What the audit counts and finds, and what derive refuses: named parts, numbers, advice."""

import math

import pytest

import symbody as sb
from symbody import Model, ModelError, derive
from symbody.derivation.entry import checks
from symbody.derivation.equations import constraint_rank
from symbody.derivation.questions.audit import audit
from symbody.derivation.rank.configuration import Configuration
from symbody.derivation.rank.small_matrices import dependent_rows, pivoted_elimination, rank
from symbody.errors import DerivationError

from .mechanisms import ALL, BODY, chain, double_pendulum, four_bar, rolling_disc
from .states import numbers

# ------------------------------------------------------------------------------------------------ counting


@pytest.mark.parametrize("model", ALL, ids=lambda m: m.__name__)
def test_good_mechanisms_pass(model) -> None:
    found = audit(model())
    assert found.passed, str(found)
    eq = derive(model())
    assert found.rank == len(eq.lam)
    assert found.degrees_of_freedom == eq.degrees_of_freedom


def test_page() -> None:
    m = four_bar()
    m.parameter("c", 0.25, "N m s")
    m.input("tau")
    page = str(audit(m))
    for line in (
        "3 bodies: bar1, bar2, bar3",
        "4 joints: q1 (revolute), q2 (revolute), q3 (revolute), closure (revolute, closes a loop)",
        "3 coordinates: q1, q2, q3",
        "2 holonomic and 0 nonholonomic constraints: closure.x, closure.y",
        "rank of the constraints: 2",
        "degrees of freedom: 1",
        "1 parameter: c = 0.25 N m s",
        "1 input: tau",
        "note: constraint closure.z is always satisfied and is dropped",
    ):
        assert line in page


def test_audit_takes_equations_too() -> None:
    eq = derive(rolling_disc())
    assert audit(eq).degrees_of_freedom == 3


# ------------------------------------------------------------------------------------------- redundant and inconsistent


def platform(second: str, **shift: float) -> Model:
    """A body on a slider and a hinge, held a second time."""
    m = Model("platform")
    a, b = m.body("a", mass=1, **BODY), m.body("b", mass=1, **BODY)
    m.prismatic("rail", m.ground, a, axis="x")
    m.revolute("hinge", a, b, axis=(0.1, 0.2, 1))
    m.free("float", m.ground, c := m.body("c", mass=1, **BODY))
    m.joint("latch", a, c, second, at=(0, 0.2, 0))
    m.joint("pin", a, c, "spherical", at=(0, 0.2 + shift.get("by", 0.0), 0.5), on=(0, 0, 0.5))
    return m


def test_redundant_joint_is_named_with_rank_and_advice() -> None:
    """A fixed joint and a pin on top of it: three rows too many."""
    with pytest.raises(DerivationError) as refusal:
        derive(platform("fixed"))
    text = str(refusal.value)
    assert "'platform': 9 constraints have rank 6" in text
    assert "'pin.x' follows from 'latch.x'" in text
    assert "joints latch, pin" in text
    assert "Leave out 'pin', all of which the others hold." in text
    assert "derive(..., redundant=True)" in text
    found = audit(platform("fixed"))
    assert [f.kind for f in found.findings] == ["redundant"] * 3
    assert found.degrees_of_freedom == 2
    assert derive(platform("fixed"), check=False).lam


def test_only_what_is_redundant_is_found() -> None:
    """A revolute joint and a pin off its axis leave one motion doubly held; a pin on the axis two."""
    found = audit(platform("revolute"))
    assert {f.parts[0] for f in found.findings} == {"pin.x", "pin.y", "pin.z"}
    assert found.rank == 5


def test_constraint_that_depends_on_others() -> None:
    m = double_pendulum()
    q1, q2 = m.freeze().q
    m.constrain("tie", q1 - 2 * q2)
    m.constrain("again", 3 * q1 - 6 * q2 + sb.sin(q1 - 2 * q2))
    with pytest.raises(DerivationError, match=r"2 constraints have rank 1: 'again' follows from 'tie'. Drop 'again'"):
        derive(m)


def test_rate_of_a_holonomic_constraint() -> None:
    m = double_pendulum()
    q1, q2 = m.freeze().q
    m.constrain("tie", q1 - sb.sin(q2))
    m.constrain_speed("rate", q1.dot - sb.cos(q2) * q2.dot)
    with pytest.raises(
        DerivationError, match=r"'rate' is the rate of a holonomic constraint that is given already: drop it"
    ):
        derive(m)


def test_rheonomic_constraints_that_disagree() -> None:
    m = chain()
    q = m.freeze().q[0]
    m.constrain_speed("slow", q.dot - 1)
    m.constrain_speed("fast", 2 * q.dot - 3)
    with pytest.raises(DerivationError, match=r"'fast' prescribes speeds that contradict slow"):
        derive(m)


def test_inconsistent_constraints_name_the_least_residual() -> None:
    """A pin at a place that the latch keeps open by 0.3."""
    with pytest.raises(DerivationError, match=r"no configuration was found .*(pin|latch)\.y = -?0\.1.*joint 'latch'"):
        derive(platform("fixed", by=0.3))


def test_linkage_that_cannot_close() -> None:
    m = Model("too short")
    parent, at = m.ground, (0, 0, 0)
    for k in (1, 2):
        bar = m.body(f"bar{k}", mass=1, **BODY)
        m.revolute(f"q{k}", parent, bar, at=at)
        parent, at = bar, (1, 0, 0)
    m.coincide("reach", m.ground.point(3, 0, 0), parent.point(1, 0, 0), axes="xy")
    with pytest.raises(DerivationError, match=r"least residuals: reach\.x = -1"):
        derive(m)
    assert audit(m).degrees_of_freedom is None


def test_special_configurations_are_no_redundancy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parallelogram is singular where it is flat, and only there: others are looked at before anything is said."""
    m = Model("parallelogram")
    parent, at = m.ground, (0, 0, 0)
    for k, length in enumerate((1.0, 2.0, 1.0)):
        bar = m.body(f"bar{k}", mass=1, **BODY)
        m.revolute(f"q{k}", parent, bar, at=at)
        parent, at = bar, (length, 0, 0)
    m.revolute("closure", m.ground, parent, at=(2, 0, 0), on=at)
    assert audit(m).degrees_of_freedom == 1
    eq, search = derive(m), vars(constraint_rank)["configuration"]
    flat = Configuration(search(eq).values | dict(zip(eq.q, (0.0, 0.0, math.pi), strict=True)), [0.0, 0.0])
    assert len(dependent_rows(numbers(eq.Jc, flat.values).tolist())) == 1
    monkeypatch.setattr(constraint_rank, "configuration", lambda *_: flat)
    eq = derive(m)
    checks.check(eq)
    assert eq.degrees_of_freedom == 1


def test_lengths_without_values_are_found() -> None:
    """Symbolic lengths are drawn, and moved where what was drawn does not close."""
    m = Model("symbolic")
    a, b, d = m.parameters("a b d")
    parent, at = m.ground, (0, 0, 0)
    for k, length in enumerate((a, b)):
        bar = m.body(f"bar{k}", mass=1, **BODY)
        m.revolute(f"q{k}", parent, bar, at=at)
        parent, at = bar, (length, 0, 0)
    m.coincide("constraint1", m.ground.point(8 * d, 0, 0), parent.point(b, 0, 0), axes="xy")
    assert audit(m).degrees_of_freedom == 0


# ------------------------------------------------------------------------------------------------ mass


def test_massless_body_where_mass_is_needed() -> None:
    m = Model("light")
    a, b = m.body("a", mass=1, **BODY), m.body("ghost")
    m.revolute("q1", m.ground, a)
    m.revolute("q2", a, b, at=(1, 0, 0))
    with pytest.raises(
        DerivationError, match=r"singular: q2_dot changes without moving any mass; massless bodies: ghost\. Give"
    ):
        derive(m)


def test_particle_that_spins() -> None:
    """A spherical joint lets a thin bar turn about itself."""
    m = Model("bar")
    bar = m.body("bar", mass=1, com=(0, -1, 0), inertia=(0.1, 0, 0.1))
    m.spherical("ball", m.ground, bar, sequence="xzy")
    with pytest.raises(DerivationError, match=r"mass matrix is singular: .*ball_3_dot changes"):
        derive(m)


def test_coordinates_that_do_the_same() -> None:
    m = Model("twice")
    a, b = m.coordinates("a b")
    m.body("body", m.ground.rotate("z", a).rotate("z", b), mass=1, **BODY)
    with pytest.raises(DerivationError, match=r"a_dot, b_dot change without moving any mass"):
        derive(m)


def test_massless_body_between_others_is_legal() -> None:
    m = Model("cross")
    a, cross = m.body("a", mass=1, **BODY), m.body("cross")
    m.revolute("q1", m.ground, cross, axis="x")
    m.revolute("q2", cross, a, axis="y")
    assert audit(m).passed


def test_massless_coordinate_under_a_constraint_is_legal() -> None:
    """The copy of an angle, tied to it."""
    m = Model("copy")
    a, copy = m.coordinates("a copy")
    m.body("body", m.ground.rotate("z", a), mass=1, **BODY)
    m.constrain("constraint1", a - copy)
    assert audit(m).passed


# ----------------------------------------------------------------------------------------------- integrable, undeclared


def disc_on_line(speed: bool) -> Model:
    m = Model("disc")
    x, y, heading, spin = m.coordinates("x y heading spin")
    m.body("disc", m.ground.translate(x, y, 0).rotate("z", heading).rotate("y", spin), mass=1, **BODY)
    if speed:
        m.constrain_speed("roll", x.dot - 0.3 * spin.dot)
        m.constrain_speed(
            "factor", (x**2 + 1) * (y.dot * sb.cos(heading) - y * sb.sin(heading) * heading.dot) + sb.sin(m.time)
        )
    m.constrain_speed("edge", x.dot * sb.sin(heading) - y.dot * sb.cos(heading))
    return m


def test_velocity_constraints_that_can_be_integrated_are_noted() -> None:
    """Exact, exact up to a factor... and the knife edge, which is neither."""
    found = {f.parts[0]: f for f in audit(disc_on_line(True)).findings}
    assert "roll" in found
    assert "edge" not in found
    assert not found["roll"].is_error
    assert "m.constrain(...)" in found["roll"].text
    assert audit(disc_on_line(False)).findings == ()


def test_integrating_factor() -> None:
    m = Model("factor")
    x, y = m.coordinates("x y")
    z = m.coordinate("z")
    m.particle("p", m.ground.point(x, y, z), mass=1)
    m.constrain_speed("surface", x * y * (x.dot + z * y.dot + y * z.dot))
    assert [f.parts for f in audit(m).findings] == [("surface",)]


@pytest.mark.parametrize(
    ("plant", "where"),
    [
        (lambda m: m.body("c", m.ground.rotate("x", sb.symbol("stray", "coordinate")), mass=1, **BODY), "frame"),
        (lambda m: m.body("c", m.ground.rotate("x", m.coordinate("q")), mass=sb.symbol("stray"), **BODY), "body 'c'"),
        (lambda m: m.output("y", sb.symbol("stray") + 1), "output 'y'"),
    ],
)
def test_undeclared_symbols_are_named_with_their_place(plant, where: str) -> None:
    m = double_pendulum()
    plant(m)
    with pytest.raises(
        ModelError, match=rf"{where}.*'stray' is not declared in model 'double pendulum'; declare it with m\."
    ):
        derive(m)
    assert audit(m).findings[0].kind == "undeclared"


@pytest.mark.parametrize(
    ("plant", "where"),
    [
        (lambda m: m.body("c", m.ground, mass=sb.symbol("stray")), "body 'c'"),
        (lambda m: m.body("c", m.ground.translate(sb.symbol("stray"), 0, 0), mass=1), "frame"),
        (lambda m: m.central_gravity("sun", sb.symbol("stray")), "gravity 'sun', strength="),
        (lambda m: m.gravity(0, 0, sb.symbol("stray")), "load 'gravity'"),
    ],
)
def test_undeclared_symbols_that_enter_no_equation(plant, where: str) -> None:
    """A model without coordinates has no equations in which they would show."""
    m = Model("monument")
    m.body("stone", m.ground.translate(1, 0, 0), mass=1)
    with pytest.raises(ModelError, match=f"{where}.*'stray' is not declared in model 'monument'"):
        derive((plant(m), m)[1])


# ------------------------------------------------------------------------------------------------ numbers


def test_dependent_rows_and_rank() -> None:
    rows = [[1.0, 2.0, 0.0], [0.0, 1.0, 1.0], [2.0, 5.0, 1.0], [0.0, 0.0, 0.0]]
    found = {d.row: d.weights for d in dependent_rows(rows)}
    assert set(found) == {2, 3}
    assert found[2] == pytest.approx({0: -2.0, 1: -1.0, 2: 1.0})
    assert rank(rows) == 2


def test_null_space() -> None:
    found = pivoted_elimination([[1.0, 2.0, 3.0], [2.0, 4.0, 7.0]], 3)
    (z,) = found.null_space
    assert [sum(a * b for a, b in zip(r, z, strict=True)) for r in ([1, 2, 3], [2, 4, 7])] == pytest.approx([0, 0])
    assert 1 not in pivoted_elimination([[1.0, 2.0, 3.0]], 3, forbidden=(1, 2)).columns


@pytest.mark.parametrize("hinges", [2, 3])
def test_rows_that_follow_beside_free_motion(hinges):
    """A leaf on coaxial hinges that carries a body on a universal joint: five of the rows of the hinges are
    independent, however many they are."""
    m = sb.Model("leaf")
    leaf, hung = (m.body(n, mass=1.0, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5)) for n in ("leaf", "hung"))
    m.free("leaf", m.ground, leaf)
    for k in range(hinges):
        m.revolute(f"hinge{k}", m.ground, leaf, at=(0, 0, 0.3 + k), on=(0, 0, 0.3 + k))
    m.universal("cross", leaf, hung, at=(0.3, 0, 0.3), axes=("x", "y"))
    assert sb.derive(m, check=False).degrees_of_freedom == 3
    assert sb.audit(m).degrees_of_freedom == 3
