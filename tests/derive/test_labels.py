"""Labels belong to the model that gave them: they reach everything written from its equations, and nothing else."""

import gc

import pytest

import symbody as sb
from symbody import Model, ModelError, SymbodyError, derive, sequence
from symbody.algebra.graph.node_table import live_nodes
from symbody.algebra.sympy_border.source import sympy_source
from symbody.emit.run.dynamics import Dynamics
from symbody.write.entry.printed_equations import as_c, as_latex, as_python, equation_programs
from symbody.write.files.model_file import model_text


def slider(label: str | None, own_speed: bool = False) -> Model:
    """A block and a rod on a progressive spring, whose stretch is the same node in every model made here."""
    m = Model("slider")
    k, c, l, mass = m.parameters("k c l mass", 100.0, 0.3, 0.2, 1.0)
    block, rod = m.body("block", mass=mass), m.body("rod", mass=mass, shape=sb.bar(l, axis="y"))
    x, a = m.prismatic("x", m.ground, block, axis="x").q, m.revolute("a", block, rod).q
    if own_speed:
        m.speed("v", 2 * x.dot)
        m.speed("w", a.dot)
    stretch = x + c * sb.sin(x.dot)
    if label is not None:
        assert m.label(label, stretch) is stretch
    m.generalized_force("spring", x, -k * stretch - k * stretch**3)
    return m


def written(eq: sb.Equations) -> dict[str, str]:
    """Everything that shows intermediates by name."""
    made = equation_programs(eq)
    parts = {"M": eq.M, "f": eq.f, "udot": eq.udot}
    return {
        "C": as_c(made),
        "NumPy": as_python(made),
        "LaTeX": as_latex(eq),
        "text": str(sequence(*parts.values(), labels=eq.labels)),
        "SymPy": sympy_source(parts, labels=eq.labels),
        "model file": model_text(eq.mechanism),
    }


def test_models_do_not_see_the_labels_of_others() -> None:
    """Three live models share the node; each text has the label of its own model only."""
    mine, other, without = (derive(slider(label)) for label in ("my_stretch", "their_stretch", None))
    assert mine.labels["my_stretch"] is other.labels["their_stretch"]
    texts = [written(eq) for eq in (mine, other, without)]
    for kind in ("C", "NumPy", "text", "SymPy", "model file"):
        assert ["my_stretch" in t[kind] for t in texts] == [True, False, False], kind
        assert ["their_stretch" in t[kind] for t in texts] == [False, True, False], kind
    assert written(derive(slider(None))) == texts[2]


def test_labels_follow_speeds_and_numbers() -> None:
    """The labelled expression in terms of own speeds, of transformed speeds, and with numbers put in."""
    eq = derive(slider("stretch", own_speed=True))
    assert str(sequence(eq.f, labels=eq.labels)).startswith("stretch = x + c*sin(v/2)\n")
    diagonal = sb.derivation.diagonalized(eq)
    assert "stretch" in Dynamics(diagonal).program("f", {"f": diagonal.f}).labels.values()
    baked = Dynamics(eq, bake={"c": 0.5})
    assert "stretch" in baked.program("f", {"f": eq.f}).labels.values()


def test_labels_follow_the_elimination_of_speeds() -> None:
    m = slider("stretch")
    x, a = sb.symbol("x", "coordinate"), sb.symbol("a", "coordinate")
    m.constrain("geared", x - a)
    eq = sb.minimal(derive(m), ["a_dot"])
    assert "stretch" in Dynamics(eq).program("f", {"f": eq.f}).labels.values()


def test_labels_of_attached_models_have_their_prefix() -> None:
    host = Model("host")
    for side in ("left", "right"):
        host.attach(side, host.ground, slider("stretch"))
    eq = derive(host)
    assert list(eq.labels) == ["left_stretch", "right_stretch"]
    text = as_c(equation_programs(eq))
    assert "left_stretch" in text
    assert "right_stretch" in text


def test_labels_die_with_their_equations() -> None:
    gc.collect()
    before = live_nodes()
    eq = derive(slider("stretch"))
    program = Dynamics(eq).program("f", {"f": eq.f})
    del eq
    gc.collect()
    assert list(program.labels.values()) == ["stretch"]
    del program
    gc.collect()
    assert live_nodes() <= before


def test_labels_that_cannot_be() -> None:
    m = slider("stretch")
    with pytest.raises(ModelError, match="there are two labels 'stretch'"):
        m.label("stretch", 2 * sb.symbol("x", "coordinate"))
    with pytest.raises(ModelError, match="label 'w': the parameter 'unheard' is not declared"):
        m.label("w", sb.symbol("unheard") * 2)
    with pytest.raises(SymbodyError, match="is not a usable name"):
        m.label("a;b", 2 * sb.symbol("x", "coordinate"))


def test_labels_survive_a_model_file() -> None:
    """Written and read again, they name the same expressions, in the same order, also those that stand nowhere else."""
    m = sb.Model("file")
    q, w = m.coordinates("q w")
    k = m.parameter("k", 2.0)
    m.particle("b", m.ground.point(q, w, 0), mass=1)
    stretch = m.label("stretch", q + k * sb.sin(w))
    m.label("arm", 2 * stretch)
    m.label("alone", q * q * k)
    m.label("k2", stretch + q.dot)
    m.potential("spring", k * stretch**2 / 2)
    text = sb.write.model_text(m)
    again = sb.study.read_model_text(text)
    assert dict(again.mechanism.labels) == dict(m.parts.labels)
    assert list(sb.derive(again.model).labels) == list(sb.derive(m).labels)
    assert sb.write.model_text(again.model) == text
