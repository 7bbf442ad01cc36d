"""What a first user does wrong, and what is said: which call, which part, which option, what was given, what to do."""

from __future__ import annotations

import ast
import inspect
import itertools
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import symbody as sb
from docs.book.reference import named_things
from symbody import Model, ModelError, SymbodyError, derive
from symbody.errors import ProgramError, SimulationError, ViewError, existing, in_number, with_article
from tests.wrong_values import WRONG, is_taken


def pendulum() -> Model:
    m = Model("pendulum")
    p = m.parameters(l=1.0, k=2.0)
    bob = m.body("bob", mass=1, com=(p.l, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.revolute("theta", m.ground, bob)
    m.gravity(0, -9.81, 0)
    return m


@pytest.fixture(scope="module")
def eq() -> sb.Equations:
    return derive(pendulum())


@pytest.fixture(scope="module")
def sim(eq: sb.Equations) -> sb.Trajectory:
    return sb.simulate(eq, 0.5, theta=0.1)


STAGES = (sb.derivation, sb.emit, sb.integrate, sb.stability, sb.study, sb.view)
OF_EQUATIONS = """all_assemblies angular_momentum assemble attractors basins body_forces branch centre_of_mass certify christoffel_symbols closed_loop composed constraint_power constraint_rank coriolis_matrix
    cuda_motions diagonalized energy first_order forward_derivatives generalized_force gram_schmidt identify in_own_symbols in_own_terms inverse_derivatives inverse_dynamics inverse_second_derivatives
    joint_forces linear_integrals linearize load_powers lyapunov mass_matrix_programs mass_matrix_sparsity minimal momentum orbit orbits partial_velocities
    power power_balance random_state reaction reactions second_derivatives shared_work simulate simulate_batch speed_index steady steady_motions stepper tangent_vectors undetermined violation""".split()


@pytest.mark.parametrize("call", OF_EQUATIONS)
def test_a_model_where_equations_are_meant(call: str) -> None:
    m = pendulum()
    for thing in (m, m.freeze()):
        with pytest.raises(
            ModelError, match=rf"{call}: .*not the model 'pendulum': eq = derive\(model\), then {call}\(eq, ...\)"
        ):
            public(call)(thing)
    with pytest.raises(ModelError, match=f"{call}: the first argument is the equations.* got 3"):
        public(call)(3)


def test_every_public_call_on_equations_is_listed() -> None:
    """Those whose first argument is annotated so; a new one joins the list."""
    found = {
        n for stage in (sb, *STAGES) for n in stage.__all__
        if inspect.isfunction(f := getattr(stage, n)) and (p := list(inspect.signature(f).parameters.values()))
        and str(p[0].annotation).split(" | ")[0] == "Equations"
    }  # fmt: skip
    assert sorted(found) == sorted(OF_EQUATIONS)


def public(name: str) -> Any:
    """A public function, which is in `sb` or in its stage."""
    return getattr(next(stage for stage in (sb, *STAGES) if name in stage.__all__), name)


MODELS: dict[str, tuple[Callable[[Any], object], str]] = {
    "np.sin of a symbol": (lambda m: np.sin(m.symbols["theta"]), "np.sin .* theta; use symbody.sin"),
    "np.arctan2": (lambda m: np.arctan2(1.0, m.symbols["theta"]), "use symbody.atan2"),
    "np.sqrt of a matrix": (lambda m: np.sqrt(sb.vector(m.symbols["l"], 1, 2)), "use symbody.sqrt"),
    "np.sin of a vector": (lambda m: np.sin(m.ground.x), "np.sin takes numbers"),
    "math.sin of a symbol": (lambda m: math.sin(m.symbols["theta"]), "theta is not a number; .*symbody.sin"),
    "gravity of two components": (lambda m: Model("m").gravity((0, -9.81)), r"three components .*m.gravity\(0, 0, -9.81\), .*got \(0, -9.81\)"),
    "a strength where a name is meant": (lambda m: m.central_gravity(4e14, m.ground.origin), "gravity: a name comes first .*got 4"),
    "an expression where a name is meant": (lambda m: m.constrain(m.symbols["theta"], "x"), "constraint: a name comes first .*got theta"),
    "tuple for a stiffness": (
        lambda m: m.spring("coil", m.ground.point(1, 0, 0), m.bodies["bob"].point(), stiffness=(1, 2)),
        r"spring 'coil', stiffness=: \(1, 2\) of type tuple",
    ),
    "text for a damping": (
        lambda m: m.revolute("elbow", m.bodies["bob"], m.body("arm", mass=1), damping="c"),
        r"joint 'elbow', damping=: the text 'c' is not an expression; .* m.parameter\('c'\)",
    ),
    "two stiffnesses of one coordinate": (
        lambda m: m.revolute("elbow", m.bodies["bob"], m.body("arm", mass=1), stiffness=(1, 2)),
        "joint 'elbow', stiffness=: 2 values for the 1 coordinate elbow",
    ),
    "parent and child swapped": (
        lambda m: m.revolute("elbow", m.body("arm", mass=1), m.bodies["bob"]),
        r"joint 'elbow': parent and child are swapped: the child bob is placed already, the parent arm is not; .*\('elbow', bob, arm, ...\)",
    ),
    "ground as child": (lambda m: m.revolute("pin", m.body("arm", mass=1), m.ground), "parent and child are swapped: the child ground"),
    "loads of a loop joint": (
        lambda m: m.revolute("pin", m.ground, m.bodies["bob"], at=(1, 0, 0), stiffness=3),
        "joint 'pin' closes a loop and has no coordinates for stiffness; use m.spring",
    ),
    "one stiffness for metres and radians": (
        lambda m: m.planar("slide", m.bodies["bob"], m.body("arm", mass=1), stiffness=100.0),
        r"joint 'slide', stiffness=: one value, 100.0, for lengths \(slide_x, slide_y\) and angles \(slide_a\); give one for each coordinate, "
        r"stiffness=\(..., ..., ...\), or some by name, stiffness={'slide_x': ...}",
    ),
    "unknown coordinate of a joint": (
        lambda m: m.planar("slide", m.bodies["bob"], m.body("arm", mass=1), damping={"slidex": 1}),
        "joint 'slide', damping=: there is no coordinate 'slidex'; .*Did you mean 'slide_x'",
    ),
    "spring of Euler parameters": (
        lambda m: m.spherical("ball", m.bodies["bob"], m.body("arm", mass=1), "euler parameters", stiffness=3),
        "joint 'ball': stiffness on ball_e0, one of four Euler parameters",
    ),
    "force at a point": (
        lambda m: m.force("push", m.bodies["bob"].point(1, 0, 0), m.ground.x),
        "force 'push': expected a body or a frame, got .*; the point at which something acts goes by keyword, at=",
    ),
    "multiplier in an additional equation": (
        lambda m: (
            m.constrain("hold", m.symbols["theta"] - 1), m.equation("e", m.variable("z") - m.multiplier("hold")), derive(m)
        ),
        "lam_hold stands in masses, constraints or additional equations; loads and outputs may contain multipliers",
    ),
    "file where a model is meant": (lambda m: derive(cast(Any, Path("model.yaml"))), "derive: takes a model, got .*model.yaml"),
    "singular mass matrix": (
        lambda m: (m.revolute("elbow", m.bodies["bob"], m.body("ghost")), derive(m)),
        r"elbow_dot changes .* derive\(model, check=False\) gives the equations as they are",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MODELS)
def test_mistakes_in_models(mistake: str) -> None:
    make, says = MODELS[mistake]
    with pytest.raises(SymbodyError, match=f"(?s){says}"):
        make(pendulum())


def test_numbers_of_numpy_leave_operators_to_expressions() -> None:
    """The function behind the operator is called, whichever side the number stands on."""
    x, two = sb.symbol("x"), np.float64(2)
    assert two * x is x * two is 2 * x
    assert two - x is 2 - x
    assert two / x is 2 / x
    assert two**x is 2**x
    for one, other in ((two < x, x > 2), (two >= x, x <= 2)):
        assert one is other
    assert (two == x) is False
    assert np.int64(2) * sb.vector(x, 1, 0) == 2 * sb.vector(x, 1, 0)
    assert np.eye(3) @ sb.vector(x, 1, 0) == sb.vector(x, 1, 0)
    ground = Model("m").ground
    assert two * ground.x == 2 * ground.x


RESULTS: dict[str, tuple[Callable[[Any, Any], object], type[Exception], str]] = {
    "start of a batch as an array": (
        lambda eq, sim: sb.simulate_batch(eq, 1, cast(Any, np.array([[0.1, 0.2]]))), SimulationError, "start must be a start as in simulate, .* q1=array",
    ),
    "compile of a model": (lambda eq, sim: sb.compile(cast(Any, pendulum())), ProgramError, "compile: takes a program, got .*Model pendulum"),
    "c_source of equations": (lambda eq, sim: sb.c_source(eq), ProgramError, r"c_source: takes a program.*compile\(eq\).udot.program is one"),
    "call with too few arguments": (
        lambda eq, sim: sb.compile(eq).udot(0.0), ProgramError,
        re.escape("udot(t, q[1], u[1], p[2]) takes 4 arguments, got 1; q = theta; u = theta_dot; p = l, k"),
    ),
    "plot of nothing": (lambda eq, sim: sb.plot([]), ViewError, "there is no plot of a list of nothing; there are plots of Trajectory"),
    "plot of a model": (lambda eq, sim: sb.plot([eq, sim]), ViewError, "there is no plot of a list of Equations, Trajectory"),
    "file in no folder": (
        lambda eq, sim: sb.write.save_trajectory(sim, "/nowhere/at/all/run.npz"), FileNotFoundError, "run.npz cannot be written: there is no folder /nowhere/at/all",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", RESULTS)
def test_mistakes_with_results(eq: sb.Equations, sim: sb.Trajectory, mistake: str) -> None:
    make, kind, says = RESULTS[mistake]
    with pytest.raises(kind, match=says):
        make(eq, sim)


def test_starts_of_a_batch_in_a_mapping(eq: sb.Equations) -> None:
    """Arrays have a number for each member, as by keyword."""
    times = np.linspace(0, 0.2, 3)
    one = sb.simulate_batch(eq, times, {"theta": np.array([0.1, 0.2]), "l": 2.0})
    other = sb.simulate_batch(eq, times, theta=[0.1, 0.2], l=2.0)
    assert np.array_equal(one["theta"], other["theta"])


def test_plots_of_lists_expressions_and_several_motions(eq: sb.Equations, sim: sb.Trajectory) -> None:
    theta = eq.q[0]
    assert [len(p.curves) for p in sb.plot(sim, ["theta", "theta_dot"], "theta").panels] == [2, 1]
    over = sb.plot(sim, "theta_dot", over=sb.sin(theta))
    assert over.panels[0].x_label == "sin(theta)"
    assert np.allclose(over.panels[0].curves[0].x, np.sin(sb.plot(sim, "theta").panels[0].curves[0].y))
    both = sb.plot([sim, sb.simulate(eq, 0.5, theta=0.2)], "theta")
    assert [(p.y_label, [c.label for c in p.curves]) for p in both.panels] == [
        ("theta [rad]", ["theta = 0.1", "theta = 0.2"])
    ]
    assert both.panels[0].curves[1].y[0] == 0.2
    assert len(sb.plot(sb.simulate_batch(eq, np.linspace(0, 1, 5), theta=[0.1, 0.2])).panels) == 2


def test_c_source_makes_its_folder(tmp_path: Path, eq: sb.Equations) -> None:
    header, source = sb.c_source(sb.compile(eq).udot.program).write(tmp_path / "new" / "folder")
    assert header.exists()
    assert source.exists()


FILE = "symbody: 1\nname: x\nparameters: {{k: 1, a: 45deg}}\nbodies:\n  arm: {{mass: 1, inertia: [1, 1, 1]}}\njoints:\n  j: {{{}}}\n"


@pytest.mark.parametrize(
    ("joint", "says"),
    [
        ("revolute: [ground, leg]", "there is no body or frame 'leg'; there are ground, arm$"),
        ("revolute: [ground, amr]", "there is no body or frame 'amr'. Did you mean 'arm'"),
        ("revolute: [arm, ground]", "parent and child are swapped"),
        ("planar: [ground, arm], stiffness: 3", r"`stiffness`: one value, 3, .* stiffness: \[..., ..., ...\], or some by name, stiffness: {j_x: ...}"),
        ("revolute: [ground, arm], rest: 60 deg", "the unit of an angle is written without a space, 60deg"),
        ("revolute: [ground, arm], rest: 60degrees", r"60degrees is neither a number nor a name; .* units are deg, rad"),
    ],
)  # fmt: skip
def test_mistakes_in_files(joint: str, says: str) -> None:
    with pytest.raises(sb.errors.ModelFileError) as refusal:
        sb.study.read_model_text(FILE.format(joint))
    assert re.search(says, str(refusal.value).splitlines()[0])


@pytest.mark.parametrize(
    ("text", "value"),
    [("60deg", math.pi / 3), ("60°", math.pi / 3), ("60*deg", math.pi / 3), ("1/60deg", 3 / math.pi), ("-1.5rad", -1.5), ("2^2deg", 2 ** (math.pi / 90))],
)  # fmt: skip
def test_angles_in_files_have_units(text: str, value: float) -> None:
    file = sb.study.read_model_text(FILE.format(f"revolute: [ground, arm], stiffness: k, rest: {text}"))
    assert dict(file.model.parts.default_values)[file.model.symbols["a"]] == pytest.approx(math.pi / 4)
    force = file.model.parts.loads["j.spring"].on_rates[file.model.symbols["j"]]
    assert sb.evaluate(force, {"k": 1.0, "j": 0.0}) == pytest.approx(value, rel=1e-15)


def test_names_of_units_may_be_taken() -> None:
    text = FILE.format("revolute: [ground, arm], stiffness: k, rest: 2*deg + 180deg").replace("k: 1,", "k: 1, deg: 5,")
    file = sb.study.read_model_text(text)
    force = file.model.parts.loads["j.spring"].on_rates[file.model.symbols["j"]]
    assert sb.evaluate(force, {"k": 1.0, "j": 0.0, "deg": 5.0}) == pytest.approx(10 + math.pi)


GIVEN: dict[str, dict[str, Any]] = {  # calls, with arguments that make sense
    "simulate": {"t": 0.01}, "simulate_batch": {"t": 0.01, "values": {"theta": [0.1, 0.2]}}, "assemble": {}, "steady": {}, "linearize": {"about": {"theta": -math.pi / 2}},
    "closed_loop": {"inputs": {}}, "certify": {}, "minimal": {}, "power": {"load": "gravity"}, "reaction": {"joint": "theta"}, "angular_momentum": {},
}  # fmt: skip


OPTIONS_OF_SIMULATE = {
    **dict.fromkeys("step first_step max_step max_growth alpha beta atol max_steps max_memory max_size sensitivity_order".split(), "number"),
    "invariants": "list",  # constants are
    "held": "text list",  # read with sensitivities only
}  # fmt: skip
RIGHT: dict[str, dict[str, str]] = {  # values that make sense there, by call and argument
    "simulate": OPTIONS_OF_SIMULATE | {"t": "number list"},
    "simulate_batch": OPTIONS_OF_SIMULATE | {"t": "number list", "threads": "number", "outputs": "list"},
    "linearize": {"outputs": "table"},
    "certify": {"seeds": "list", "tolerance": "number"},
    "minimal": {"at": "table"},  # nothing is chosen where nothing is constrained
}


def answer(function: Callable[..., Any], *args: Any, **named: Any) -> None:
    """Call it. A batch refuses member by member: where each was, it is as if the call had been."""
    outcomes = getattr(function(*args, **named), "outcomes", ())
    if outcomes and all(x.ending is sb.integrate.Ending.REFUSED and x.detail for x in outcomes):
        raise SimulationError(outcomes[0].detail)


@pytest.mark.parametrize("call", GIVEN)
def test_wrong_arguments_of_calls_on_equations_are_refused_in_words(eq: sb.Equations, call: str) -> None:
    """All but those that make sense by chance; none ends in an AttributeError, KeyError or TypeError from inside."""
    function = public(call)
    tried = [
        (p, what)
        for p in list(inspect.signature(function).parameters.values())[1:]
        for what in (WRONG if p.kind is not p.VAR_KEYWORD else ())
    ]
    taken = {
        f"{p.name}={what}"
        for p, what in tried
        if is_taken(lambda: answer(function, eq, **(GIVEN[call] | {p.name: WRONG[what]})), f"{call}({p.name}={what})")  # noqa: B023
    }
    defaults = {f"{p.name}={what}" for p, what in tried if p.default is WRONG[what]}
    right = {f"{name}={what}" for name, values in RIGHT.get(call, {}).items() for what in values.split()}
    assert taken == right | defaults


def test_wrong_arguments_of_frames_points_and_vectors_are_refused_in_words() -> None:
    m = pendulum()
    frame = m.bodies["bob"].frame
    tests = [
        (frame, "rotation_in common_ancestor angular_velocity angular_acceleration rotate_by_cosines rotate_by_euler_parameters"),
        (frame.point(1, 2, 3), "position in_frame velocity acceleration __add__ __sub__"),
        (frame.x, "dot cross outer components express dt partial __add__ __sub__ __mul__"),
        (frame.x.outer(frame.y), "dot components"),
    ]  # fmt: skip
    taken = {
        f"{type(thing).__name__}.{name}({what})"
        for thing, names in tests
        for name in names.split()
        for what, value in WRONG.items()
        if is_taken(lambda: getattr(thing, name)(value), f"{type(thing).__name__}.{name}({what})")  # noqa: B023
    }
    in_ground = (
        "Frame.angular_velocity Frame.angular_acceleration Point.position Point.velocity Point.acceleration Vector.dt"
    )
    assert taken == {f"{method}(nothing)" for method in in_ground.split()} | {"Vector.__mul__(number)"}


# ---------------------------------------------------------------------------------------------------- flags

MADE_BY_THE_PACKAGE = """Body Frame bodies.Joint bodies.Constraint bodies.ElasticBody derivation.Variable stability.Orbit study.Identification emit.Compiled emit.CudaFunction emit.Dynamics integrate.Stepper stability.Design
    stability.SteadyMotion view.Curve view.Panel view.Figure write.Artefact write.ExportOptions kits.robots.Configurations kits.robots.Identified""".split()
INSIDE = ("add_constraint", "with_criticality")  # for those who extend the package


def flags() -> dict[str, tuple[Callable[..., Any], inspect.Parameter]]:
    """Every argument of a public function, method or constructor that is True or False, by its annotation."""
    calls: dict[str, Callable[..., Any]] = {}
    for name, thing in named_things():
        if inspect.isfunction(thing):
            calls[name] = thing
        elif inspect.isclass(thing):
            methods = inspect.getmembers(thing, inspect.isfunction)
            calls |= {f"{name}.{n}": f for n, f in methods if not n.startswith("_")}
            if name.removeprefix("sb.") not in MADE_BY_THE_PACKAGE and "__init__" in dict(methods):
                calls[name] = thing
    pairs = [(name, call, p) for name, call in calls.items() for p in inspect.signature(call).parameters.values()]
    return {
        f"{name}({p.name}=)": (call, p)
        for name, call, p in pairs
        if "bool" in re.split(r"\W+", str(p.annotation)) and not name.endswith(INSIDE)
    }


def refuses_as_flag(call: Callable[..., Any], flag: str, value: Any) -> bool:
    """Arguments are looked at before Python finds that others are missing."""
    try:
        call(**{flag: value})
    except (SymbodyError, TypeError) as reason:
        return re.search(rf"{flag}= is .*True or False", str(reason)) is not None
    return False


def test_flags_are_true_or_false() -> None:
    """Everything has a truth value in Python: "no", nan and an object would all mean True."""
    found = flags()
    assert len(found) > 60
    taken = []
    for where, (call, p) in found.items():
        is_flag_alone = p.annotation in ("bool", "bool | None")
        wrong = ("no", float("nan"), object(), np.ones(2)) if is_flag_alone else (float("nan"), object())
        taken += [where for value in wrong if not refuses_as_flag(call, p.name, value)]
    assert taken == []


def test_truth_values_of_numpy_are_flags() -> None:
    m = Model("m")
    flags: dict[str, Any] = {"a": np.False_, "b": 0}
    for name, flag in flags.items():
        m.body(name, mass=1, inertia=(9, 1, 1), physical=flag)
    assert list(m.bodies) == ["a", "b"]


NUMBERED = re.compile(r"\s*(, which )?\s*(is|are|has|have|does|do|was|were)\b")


def counted_by_hand(source: str) -> list[str]:
    """Names of any number with a verb of one: `{listed(names)} are` is wrong of one name."""
    found = []
    for text in (n.values for n in ast.walk(ast.parse(source)) if isinstance(n, ast.JoinedStr)):
        for names, after in itertools.pairwise(text):
            is_listed = isinstance(names, ast.FormattedValue) and ast.unparse(names.value).startswith("listed(")
            follows = str(after.value) if isinstance(after, ast.Constant) else ""
            if is_listed and NUMBERED.match(follows):
                found.append(ast.unparse(names) + follows)
    return found


def test_verbs_agree_with_the_number_of_names() -> None:
    """Words that depend on how many names there are come from `in_number`."""
    assert counted_by_hand('f"{listed(lost)} are nowhere"')
    assert counted_by_hand('f"x: {listed(z)}, which has none"')
    package = Path(sb.__file__).parent
    assert [x for f in package.rglob("*.py") for x in counted_by_hand(f.read_text(encoding="utf-8"))] == []


def test_one_name_and_several() -> None:
    assert in_number(["crank"], "body {} hangs", "bodies {} hang") == "body crank hangs"
    assert in_number(["crank", "{}"], "body {} hangs", "bodies {} hang") == "bodies crank, {} hang"
    assert (with_article("input"), with_article("speed")) == ("an input", "a speed")
    assert [existing(n) for n in ([], ["a"], ["a", "b"])] == ["there are none", "there is only a", "there are a, b"]
    m = pendulum()
    m.body("crank", mass=1)
    with pytest.raises(ModelError, match="body crank is not connected"):
        m.freeze()
    m.body("rod", mass=1)
    with pytest.raises(ModelError, match="bodies crank, rod are not connected"):
        m.freeze()
