"""Values and options by keyword: every public call that takes both keeps one rule."""

import importlib
import inspect
import math
from dataclasses import dataclass

import pytest

import symbody as sb
from examples import slider_crank
from symbody.derivation.equations.keywords import KeywordCall, values_by_name
from symbody.options import OptionSet

STAGES = ("algebra", "bodies", "derivation", "emit", "formats", "integrate", "stability", "study", "view", "write")
FREE_OF_MODELS = {  # public calls with **keywords that no model's names can reach
    "Parts.quantities",  # names of a load's quantities
    "plot",
    "Trajectory.plot",  # options of figures
    "LinearSystem.plot",  # hands parameters on to calls that keep the rule; `title` and `kind` are refused where one has that name
    "Trajectory.scene",  # hands everything on to `scene`, which keeps the rule
    "Model.parameters",  # declares names, and takes no options
    "Figure.noted",  # words on a figure
    "export",  # options of target languages
    *("at_end", "at_times", "extremes", "orbit_values", "steady_values"),  # hand on to calls that keep the rule
    *("sobol_indices", "morris_indices", "Objective.many", "Objective.searched"),  # options of `sweep` and optimizers
    *("FiniteElements.with_sets", "ReducedBody.with_", "interpolated_body"),  # names of sets of nodes, fields
}


class Named:
    """A model of which only the names are known."""

    name = "model"

    def __init__(self, **kinds):
        self.kinds = kinds


def public_functions():
    """Every public function and method, with its qualified name: everyday ones, and those in the modules of the
    stages."""
    stages = [importlib.import_module(f"symbody.{s}") for s in STAGES]
    for name, thing in {n: getattr(stage, n) for stage in (sb, *stages) for n in stage.__all__}.items():
        if inspect.isclass(thing):
            for member in vars(thing).values():
                found = getattr(member, "__func__", member)
                if inspect.isfunction(found) and (not found.__name__.startswith("_") or found.__name__ == "__call__"):
                    yield f"{name}.{found.__name__}", found
        elif inspect.isfunction(thing):
            yield name, thing


def takes_keywords(function):
    return any(p.kind is p.VAR_KEYWORD for p in inspect.signature(function).parameters.values())


CALLS = dict(sorted((n, f) for n, f in public_functions() if takes_keywords(f) and hasattr(f, "keyword_call")))
OPTIONS = [(name, option) for name, f in CALLS.items() for option in f.keyword_call.options]


def with_placeholders(function, model):
    """Positional arguments up to the last that is required."""
    parameters = list(inspect.signature(function).parameters.values())
    required = [
        p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    return (model, *(object() for _ in required[1:]))


def test_every_public_call_with_keywords_keeps_the_rule():
    ways = {n for n, f in public_functions() if takes_keywords(f)}
    joints = {n for n in ways if n.startswith("Model.") and n != "Model.parameters"}
    assert ways - FREE_OF_MODELS - joints == set(CALLS)
    assert {
        "simulate",
        "simulate_batch",
        "simulate_modes",
        "assemble",
        "all_assemblies",
        "steady",
        "linearize",
        "scene",
    } <= set(CALLS)
    assert {"Equations.values", "Dynamics.parameters", "LinearSystem.eigenvalues", "to_scipy"} <= set(CALLS)


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_a_name_that_is_an_option_too_is_refused(name, option):
    f = CALLS[name]
    model = Named(**{option: "coordinate"})
    with pytest.raises(sb.SymbodyError) as caught:
        f(*with_placeholders(f, model), **{option: 0.5})
    said = str(caught.value)
    assert "is a coordinate of the model and an option of" in said
    assert f"values={{'{option}': 0.5}}" in said
    assert f"options={{'{option}': 0.5}}" in said


@pytest.mark.parametrize("name", CALLS)
def test_values_and_options_have_a_place(name):
    parameters = inspect.signature(CALLS[name]).parameters
    assert "values" in parameters
    assert ("options" in parameters) == bool(CALLS[name].keyword_call.options)


@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_keyword_is_refused_with_what_is_near(name):
    f = CALLS[name]
    with pytest.raises(
        sb.SymbodyError, match=r"'crankk' is neither a name of the model nor an option.*Did you mean 'crank'"
    ):
        f(*with_placeholders(f, Named(crank="coordinate")), crankk=1)
    for option in f.keyword_call.options:
        with pytest.raises(sb.SymbodyError, match=f"Did you mean '{option}'"):
            f(*with_placeholders(f, Named()), **{f"{option}_": 1})


# ---------------------------------------------------------------------------------------------------- the rule itself


@values_by_name(sb.ModelError)
def asked(model, t, start=None, *, values=None, alpha=1.0, options=None, **named):
    return t, start, values, alpha, options, named


@dataclass(frozen=True)
class Shared:
    """Shared:

    alpha   first
    gamma   second
    """

    alpha: float = 1.0
    gamma: float = 3.0


@values_by_name(sb.ModelError, options=OptionSet(Shared, ("alpha",)), checked_as=asked)
def asked_likewise(model, t, /, values=None, *, beta=2.0, options, **named):
    """Asked."""
    return t, values, beta, options


ALPHA = Named(alpha="coordinate", q="coordinate", t="time")
Q = Named(q="coordinate", c="parameter", t="time")


def test_values_from_all_places_and_options_from_both():
    q = sb.symbol("q", "coordinate")
    assert asked(Q, 1, {"q": 2}, c=3, alpha=4) == (1, {"q": 2}, {"c": 3}, 4, None, {})
    assert asked(Q, 1, values={q: 5}, c=3, options={"alpha": 4}) == (1, None, {"q": 5, "c": 3}, 4, None, {})
    assert asked(ALPHA, 1, values={"alpha": 5}, options={"alpha": 4}) == (1, None, {"alpha": 5}, 4, None, {})
    assert asked(model=Q, t=1, options={"start": 7}) == (1, 7, {}, 1.0, None, {})


def test_shared_options_arrive_as_an_instance():
    assert asked_likewise(Q, 1, {"q": 2}, alpha=3, c=4) == (1, {"q": 2, "c": 4}, 2.0, Shared(alpha=3))
    assert asked_likewise(Q, 1, options={"beta": 5, "alpha": 4}) == (1, {}, 5, Shared(alpha=4))
    assert list(inspect.signature(asked_likewise).parameters) == "model t values beta alpha options named".split()
    assert asked_likewise.__doc__ == "Asked.\n\nShared:\n\nalpha   first"
    with pytest.raises(sb.ModelError, match="gamma= is an option of other calls; asked_likewise takes alpha"):
        asked_likewise(Q, 1, gamma=3)
    with pytest.raises(sb.ModelError, match="neither a name"):
        asked_likewise(Q, 1, start=3)


def test_parameters_that_arguments_bring_are_names_too():
    V, alpha = sb.symbol("V"), sb.symbol("alpha")
    assert asked(Q, 1, {"q": 2 * V}, V=3.0)[2] == {"V": 3.0}
    with pytest.raises(sb.ModelError, match="alpha is a parameter of the model and an option of asked"):
        asked(Q, 1, {"q": 2 * alpha}, alpha=3.0)


@pytest.mark.parametrize(
    ("args", "keywords", "says"),
    [
        ((Q, 1), {"t": 2}, r"t is a time of the model and an argument of asked; write values=\{'t': 2\} for the time$"),
        (
            (Q, 1),
            {"values": 0.5},
            "values= must be a mapping from names or symbols to numbers, got 0.5; options go by keyword: start=, alpha=$",
        ),
        ((Named(values="speed"), 1), {"values": 0.5, "alpha": 1}, r"the speed goes in as values=\{'values': 0.5\}"),
        ((Q, 1), {"values": {"q": 1}, "q": 2}, "q is given twice, in values= and by name"),
        ((Q, 1), {"values": {"q": 1, sb.symbol("q", "coordinate"): 2}}, "q is given twice, as a symbol and by name"),
        ((Q, 1), {"options": {"alhpa": 1}}, "there is no option 'alhpa'.*Did you mean 'alpha'"),
        ((Q, 1), {"options": {"alpha": 1}, "alpha": 2}, "option alpha is given twice"),
        ((Q, 1, {}), {"options": {"start": 1}}, "option start is given twice"),
        ((Q, 1), {"options": 3}, "options= must be a mapping from names of options, got 3"),
    ],
)
def test_what_is_refused(args, keywords, says):
    with pytest.raises(sb.ModelError, match=says):
        asked(*args, **keywords)


def test_required_arguments_may_be_given_by_keyword():
    """t is the time of every model and the end of a simulation: by keyword it is the argument, which has to be
    given."""
    assert asked(Q, t=3)[0] == 3


def test_parameters_of_a_model_may_have_any_name():
    p = sb.Model("names").parameters(names=2.0, values=3.0)
    assert [str(p.names), str(p.values)] == ["names", "values"]


def test_signature_is_the_functions_own():
    assert list(inspect.signature(sb.simulate).parameters)[:4] == ["equations", "t", "start", "values"]
    assert isinstance(vars(sb.simulate)["keyword_call"], KeywordCall)


# ---------------------------------------------------------------------------------------------------- on a mechanism


def oscillator():
    """A mass on a spring whose names are options: alpha of `simulate`, start of most, points of a root locus, otherwise
    of `values`."""
    m = sb.Model("oscillator")
    start, points = m.parameter("start", 4.0), m.parameter("points", 0.0)
    block = m.particle("block", mass=1.0)
    m.prismatic("alpha", m.ground, block, axis="x", stiffness=start, damping=points)
    return sb.derive(m)


def test_alpha_of_the_slider_crank():
    """Baumgarte's α and the crank's angle: neither is taken for the other without a word."""
    eq = sb.derive(slider_crank.model())
    with pytest.raises(sb.errors.SimulationError, match=r"^simulate 'slider crank': alpha is a coordinate of the model and an option of simulate; write values=\{'alpha': 0.5\} for the coordinate or options=\{'alpha': 0.5\} for the option$"):  # fmt: skip
        sb.simulate(eq, 1, alpha=0.5)
    start = sb.assemble(eq, alpha=0.3, start=slider_crank.START)
    sim = sb.simulate(eq, 0.01, start, form="baumgarte", options={"alpha": 7.0})
    assert sim["alpha"][0] == pytest.approx(0.3)
    other = sb.simulate(eq, 0.01, values=start.values, form="baumgarte", options={"alpha": 7.0, "rtol": 1e-8})
    assert other.final == sim.final


def test_a_model_full_of_options_can_be_asked_everything():
    """x = cos 2t from start=4, by every way in; options by name where the names are taken."""
    eq = oscillator()
    values = {"alpha": 1.0, "start": 9.0}
    sim = sb.simulate(eq, 1.0, values=values, options={"alpha": 3.0})
    assert sim.final["alpha"] == pytest.approx(math.cos(3.0), abs=1e-7)
    assert sb.simulate_batch(eq, (0.0, 0.5, 1.0), values={"alpha": [1.0, 2.0]}, options={"start": {"start": 9.0}})["alpha"][:, -1] == pytest.approx(
        [math.cos(3.0), 2 * math.cos(3.0)], abs=1e-7
    )  # fmt: skip
    assert sb.assemble(eq, values)["start"] == 9.0
    lin = sb.linearize(eq, sb.steady(eq, {"start": 9.0}))
    assert lin.eigenvalues(start=16.0).imag == pytest.approx([-4.0, 4.0])
    assert len(lin.root_locus({"points": (0.0, 1.0)}, options={"points": 21}).values) >= 21
    assert eq.values(values, otherwise=7.0)[eq.u[0]] == 7.0
    for call in (
        lambda: sb.simulate(eq, 1, start={"alpha": 1.0}),
        lambda: sb.simulate_batch(eq, 1, alpha=[1.0, 2.0]),  # type: ignore[arg-type]
        lambda: sb.simulate_modes(sb.Contacts(eq, sb.Contact("contact", eq.q[0])), 1, alpha=1.0),
        lambda: sb.assemble(eq, start={"alpha": 1.0}),
        lambda: sb.steady(eq, start={"alpha": 1.0}),
        lambda: lin.root_locus(start=(0.0, 1.0), points=20),
    ):
        with pytest.raises(sb.SymbodyError, match="of the model and an option of"):
            call()


def test_one_start_for_all():
    """A state, a steady motion, the end of a trajectory and a mapping are starts of simulations, assemblies and steady
    motions."""
    eq = sb.derive(slider_crank.model())
    state = sb.assemble(eq, alpha=0.3, start=slider_crank.START)
    sim = sb.simulate(eq, 0.1, state)
    rest = sb.steady(eq, start=state)
    for start, q in ((sim, sim.q[-1]), (sim.state, sim.q[-1]), (sim.final, sim.q[-1]), (rest, rest.state.q)):
        assert sb.assemble(eq, start=start).q == pytest.approx(q, abs=1e-8)
        assert sb.simulate(eq, 0.2, start).q[0] == pytest.approx(q, abs=1e-12)
    assert sb.simulate(eq, 0.2, sim).t[0] == pytest.approx(0.1)
    with pytest.raises(sb.errors.AssemblyError, match="start must be a State, a steady motion, a trajectory"):
        sb.simulate(eq, 1, 3.0)  # type: ignore[arg-type]
