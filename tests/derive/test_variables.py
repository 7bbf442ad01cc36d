"""The table of variables and the named rows of equations: what later stages know of a mechanism."""

import math
from collections.abc import Callable

import pytest

import symbody as sb
from symbody import Equations, Model, ModelError, derive, sin, symbol
from symbody.derivation.equations.variable import KINDS
from symbody.derivation.equations.variable_table import _Facts
from symbody.derivation.forms.constrained import with_constraints
from symbody.derivation.forms.minimal import minimal
from symbody.derivation.forms.transform import diagonalized
from symbody.errors import StabilityError

from .mechanisms import BODY, chain, double_pendulum, four_bar, quasi, rolling_disc, turntable
from .states import close, moving_state, numbers

MODELS = (double_pendulum, chain, turntable, quasi, four_bar, rolling_disc)
CONSTRAINED = (four_bar, rolling_disc, turntable)
FORMS: tuple[Callable[[Equations], Equations], ...] = (lambda eq: eq, minimal, diagonalized)


def rolling_pendulum() -> Model:
    """Angles and lengths in disguise: a wheel that turns by x / 0.3, a bob placed by sine and cosine, a bump of the
    road in x."""
    m = Model("rolling pendulum")
    x, angle, gear = m.coordinates("x angle gear")
    length = m.parameter("length", 0.5, "m")
    m.parameter("drag")
    hub = m.ground.translate(x, 0.1 * sin(4 * x), 0)
    m.body("wheel", hub.rotate("y", x / 0.3), mass=2.0, **BODY)
    m.body("bob", hub.translate(length * sin(angle), 0, -length * sb.cos(angle)), mass=1.0, **BODY)
    m.body("pinion", hub.rotate("z", 3 * gear + 0.2), mass=1.0, **BODY)
    return m


@pytest.mark.parametrize("form", FORMS, ids=("whole", "minimal", "diagonalized"))
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_every_symbol_has_one_row_in_its_place(
    model: Callable[[], Model], form: Callable[[Equations], Equations]
) -> None:
    eq = form(derive(model()))
    table = eq.variables
    for group in ("q", "u", "z", "r", "p", "lam"):
        assert table.of(group).symbols == getattr(eq, group)
        assert [v.index for v in table.of(group)] == list(range(len(getattr(eq, group))))
    assert table.of("t").symbols == (eq.t,)
    assert table.of("u'").symbols == tuple(u.dot for u in eq.u)
    assert eq.state == (*eq.q, *eq.u, *eq.z)
    assert eq.variables.arguments == (eq.t, *eq.q, *eq.u, *eq.z, *eq.r, *eq.p)
    assert len(set(table.names)) == len(table)
    for v in table:
        assert table[v.name] is table[v.symbol] is v
        assert v.rate_of is None or v.rate_of.dot is v.symbol
        assert v.kind == KINDS[v.group]


def test_symbols_are_in_the_order_of_declaration() -> None:
    """Whatever the order in which they are used, and whatever their names."""
    m = Model("order")
    b, a = m.coordinates("b a")
    m.parameters("z2 z1")
    F, E = m.inputs("F E")
    slow, fast = m.variables("slow fast")
    v, w = m.speeds("v w")
    m.rate(a, v)
    m.rate(b, w)
    m.body("one", m.ground.translate(a, 0, 0), mass=symbol("z1"), **BODY)
    m.body("two", m.ground.translate(b, 0, 0), mass=symbol("z2"), **BODY)
    m.equation("second", fast.dot - E + F)
    m.equation("first", slow.dot + slow)
    eq = derive(m)
    assert (eq.q, eq.u, eq.r, eq.z) == ((b, a), (v, w), (F, E), (slow, fast))
    assert [p.name for p in eq.p] == ["z2", "z1"]
    assert [row.name for row in eq.rows.additional] == ["second", "first"]


def test_rates_that_are_speeds_stand_between_declared_speeds_where_their_coordinates_do() -> None:
    m = Model("mixed")
    x, a, y, b = m.coordinates("x a y b")
    m.speed("va", a.dot * 2)
    m.speed("vb", b.dot + y)
    m.body("one", m.ground.translate(x, a, 0).translate(y, b, 0), mass=1.0, **BODY)
    assert [u.name for u in m.freeze().u] == ["x_dot", "va", "y_dot", "vb"]


# ---------------------------------------------------------------------------------------------------- facts


def test_angles_and_units() -> None:
    table = derive(rolling_pendulum()).variables
    assert {v.name for v in table if v.is_angle} == {"angle", "gear"}
    units = {v.name: v.unit for v in table if v.unit}
    assert units == {
        "t": "s", "length": "m", "x": "m", "x_dot": "m/s", "x_ddot": "m/s^2",
        "angle": "rad", "angle_dot": "rad/s", "angle_ddot": "rad/s^2",
        "gear": "rad", "gear_dot": "rad/s", "gear_ddot": "rad/s^2",
    }  # fmt: skip


def test_directions_of_coordinates() -> None:
    """Translations across an axis are named after the axes of the parent, and the table says so."""
    for axis, names in {"x": "yz", "y": "zx", "z": "xy"}.items():
        m = sb.Model("m")
        body = m.body("b", mass=1, inertia=(1, 1, 1))
        m.planar("j", m.ground, body, axis=axis)
        rows = [derive(m).variables[f"j_{n}"] for n in names]
        assert [r.direction for r in rows] == [f"along {n} of ground" for n in names]
        place = body.frame.origin.position().components(m.ground)
        assert [place["xyz".index(n)] for n in names] == [r.symbol for r in rows]
        assert derive(m).variables["j_a"].direction.startswith(f"about {axis}")


def test_joints_tell_angles_from_lengths() -> None:
    """Turning joints of a chain; of a screw, whose coordinate moves it along too; of planar and cylindrical ones one of
    theirs."""
    table = derive(chain()).variables
    turning = {v.name for v in table.of("q") if v.is_angle}
    lengths = set(table.of("q").names) - turning
    assert {"revolute", "screw"} <= turning
    assert len(turning) == 2 + 3 + 1 + 1 + 1 + 1
    assert "prismatic" in lengths
    assert table["screw"].description == "angle of screw joint 'screw'"


def test_euler_parameters_begin_at_the_identity() -> None:
    eq = derive(quasi())
    table = eq.variables
    assert [[v.name for v in e] for e in table.quaternions] == [["ball_e0", "ball_e1", "ball_e2", "ball_e3"]]
    assert {v.name for v in table if v.default == 1.0} == {"ball_e0"}
    assert {table[f"ball_w{k}"].unit for k in "xyz"} == {"rad/s"}
    assert table["ball_wx_dot"].unit == "rad/s^2"
    assert table["ball_e1_dot"].group == "q'"
    assert table["ball_e1_dot"].rate_of is table["ball_e1"].symbol
    (norm,) = eq.rows.norms
    assert norm.name == "norm of ball_e0, ball_e1, ball_e2, ball_e3"
    assert sb.evaluate(norm.expression, dict.fromkeys(eq.mechanism.norms[0], 0.5)) == 0


def test_parameters_have_the_values_of_the_model() -> None:
    table = derive(rolling_pendulum()).variables
    assert table["length"].default == table["length"].neutral == 0.5
    assert table["drag"].default is None
    assert table["drag"].neutral == 1.0
    assert table["x"].default == 0.0
    assert table["x_ddot"].default is None
    assert table.of("p").defaults == {symbol("length"): 0.5}


# ---------------------------------------------------------------------------------------------------- names


def test_names_that_do_not_exist_are_answered_with_those_near() -> None:
    table = derive(rolling_pendulum()).variables
    with pytest.raises(
        StabilityError, match=r"here: there is no coordinate or speed 'angel'.*x, angle.*mean 'angle'\?"
    ):
        table.of("q u").symbol("angel", "here", StabilityError)
    with pytest.raises(ModelError, match=r"variables of 'rolling pendulum': there is no symbol 'y'"):
        table["y"]
    with pytest.raises(ModelError, match=r"there is no group 'w'; there are t, q, u"):
        table.of("q w")
    assert "angle" not in table.of("u p")


@pytest.mark.parametrize("value", ["half", None, [1.0, 2.0], math.nan, math.inf])
def test_what_is_no_number_is_refused(value: object) -> None:
    table = derive(rolling_pendulum()).variables
    with pytest.raises(ModelError, match=r"start: angle "):
        table.numbers({"angle": value}, "start")


def test_numbers_by_name_and_by_symbol() -> None:
    eq = derive(rolling_pendulum())
    x, angle, _ = eq.q
    given = {x: 1, "angle": "0.5", "length": 2.0}
    assert eq.variables.numbers(given, "here") == {x: 1.0, angle: 0.5, symbol("length"): 2.0}


def test_missing_values_are_named_with_their_units() -> None:
    m = Model("slider")
    m.parameter("mass", unit="kg")
    m.prismatic("x", m.ground, m.body("a", mass=symbol("mass"), **BODY))
    table = derive(m).variables.of("p")
    with pytest.raises(ModelError, match=r"here: no value for mass \[kg\]; give it"):
        table.require({}, "here", ModelError, "give it")
    table.require({symbol("mass"): 1.0}, "here", ModelError, "give it")


def test_further_symbols() -> None:
    table = derive(rolling_pendulum()).variables.of("p")
    V = symbol("V")
    more = table.having([V, V], "p")
    assert more["V"].index == 2
    assert more.symbols == (*table.symbols, V)
    assert "V" not in table


def test_a_table_to_read() -> None:
    lines = str(derive(rolling_pendulum()).variables).splitlines()
    assert lines[0] == "Variables of 'rolling pendulum'"
    assert [line.split() for line in lines if line.split()[0] in ("angle", "length", "drag", "rates:")] == [
        ["angle", "coordinate", "rad", "0"],
        ["length", "parameter", "m", "0.5"],
        ["drag", "parameter"],
        ["rates:", "x_ddot,", "angle_ddot,", "gear_ddot"],
    ]


# ---------------------------------------------------------------------------------------------------- rows


@pytest.mark.parametrize("model", CONSTRAINED, ids=lambda m: m.__name__)
@pytest.mark.parametrize("seed", [1, 2])
def test_rows_vanish_at_states_that_keep_the_constraints(model: Callable[[], Model], seed: int) -> None:
    """phi = 0, eᵀe = 1, Jc u + b = 0; each of them is off where the state is."""
    eq = derive(model())
    s = moving_state(eq, seed)
    rows = (*eq.rows.positions, *eq.rows.speeds)
    assert close(numbers([r.expression for r in rows], s) + 1, 1.0, 1e-9)
    off = {k: v + 0.1 * (i + 1) if k in (*eq.q, *eq.u) else v for i, (k, v) in enumerate(s.items())}
    assert all(abs(x) > 1e-6 for x in numbers([r.expression for r in rows], off))


@pytest.mark.parametrize("model", CONSTRAINED, ids=lambda m: m.__name__)
def test_rows_keep_names_and_multipliers(model: Callable[[], Model]) -> None:
    eq = derive(model())
    assert tuple(r.multiplier for r in eq.rows.speeds) == eq.lam
    assert [f"lam_{r.name}".replace(".", "_") for r in eq.rows.speeds] == [s.name for s in eq.lam]
    k = len(eq.phi.entries)
    assert tuple(r.multiplier for r in eq.rows.holonomic) == eq.lam[:k]
    assert tuple(r.expression for r in eq.rows.holonomic) == eq.phi.entries
    assert [r.kind for r in eq.rows.speeds] == ["holonomic"] * k + ["nonholonomic"] * (len(eq.lam) - k)
    assert [r.name for r in eq.rows.holonomic] == [r.name for r in eq.rows.speeds[:k]]


def test_rows_of_minimal_equations_have_no_multipliers() -> None:
    eq = derive(four_bar())
    small = minimal(eq)
    assert small.rows.speeds == ()
    assert [r.name for r in small.rows.holonomic] == [r.name for r in eq.rows.holonomic]
    assert {r.multiplier for r in small.rows.holonomic} == {None}


def test_added_constraints_stand_after_the_holonomic_ones() -> None:
    eq = derive(rolling_disc())
    more = with_constraints(eq, {"stop": eq.q[0] - 1})
    k = len(eq.phi.entries)
    names = [r.name for r in eq.rows.speeds]
    assert [r.name for r in more.rows.speeds] == [*names[:k], "stop", *names[k:]]
    assert more.variables["lam_stop"].index == k
    assert more.rows.holonomic[k].expression is more.phi[k]
    assert more.variables["lam_stop"].description == "of constraint 'stop'"


def test_rows_say_which_joint_and_what_they_measure() -> None:
    m = Model("loop")
    a, b = m.body("a", mass=1.0, **BODY), m.body("b", mass=1.0, **BODY)
    m.free("free", m.ground, a)
    m.revolute("hinge", a, b)
    m.fixed("weld", m.ground, b)
    rows = {r.name: r for r in derive(m, check=False).rows.holonomic}
    assert {r.joint for r in rows.values()} == {"weld"}
    assert rows["weld.x"].measures == "length"
    assert rows["weld.tilt1"].measures == "turn"
    assert rows["weld.x"].owner == "joint 'weld'"


@pytest.mark.parametrize("axis", ["y", "[0, 1, 0]"])
def test_planar_joints_of_files_have_the_same_names(axis: str) -> None:
    text = f"symbody: 1\nbodies: {{b: {{mass: 1, inertia: [1, 1, 1]}}}}\njoints: {{j: {{planar: [ground, b], axis: {axis}}}}}\n"
    assert derive(sb.study.read_model_text(text).model).variables.of("q").names == ("j_z", "j_x", "j_a")


def test_rows_are_made_when_they_are_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    """A motion of 200 links looks at none of their 600 rows."""
    made = list[str]()
    whole_row = _Facts.row
    monkeypatch.setattr(_Facts, "row", lambda *a: made.append(a[1].name) or whole_row(*a))
    link = Model("link")
    rod = link.body("rod", mass=0.1, com=(0.05, 0, 0), inertia=(1e-5, 1e-4, 1e-4))
    link.revolute("a", link.ground, rod)
    link.frame("tip", rod.frame.translate(0.1, 0, 0))
    m = Model("chain")
    m.repeat("link", m.ground, link, 200, end="tip")
    eq = derive(m)
    sb.simulate(eq, 1e-3, link_3_a=0.1, progress=False)
    assert set(made) <= {"link_3_a"}
    assert eq.variables["link_7_a"].description == "angle of revolute joint 'link_7_a'"
    assert len(eq.variables.rows) == len(eq.variables) == 601
