"""Options that several functions share: written once, shown by `help`, and refused where they are unknown. What type
checkers find in them is in typed_calls.py."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
import pytest

import symbody as sb
from symbody.bodies.file.keys import joint
from symbody.bodies.joints.joint_options import JointLoads, JointOptions, JointPlacement
from symbody.bodies.joints.joints import KINDS
from symbody.integrate import SimulationOptions
from symbody.integrate.run.time_span import time_span
from symbody.options import OptionSet, meanings, takes_options, with_text

ROOT = Path(__file__).parents[1]


class Sizes(TypedDict, total=False):
    """Of a box:

    width, height   in metres
    colour          a name, or
                    three numbers
    """

    width: float
    height: float
    colour: Any


class Shop:
    @takes_options("box")
    def box(self, name: str, depth: float = 1.0, **options: Unpack[Sizes]) -> dict[str, Any]:
        """A box.

        >>> an example
        """
        return {"name": name, "depth": depth, **options}


def test_meanings_are_the_rows_of_the_tables() -> None:
    assert meanings(Sizes.__doc__ or "") == {
        "width": "in metres",
        "height": "in metres",
        "colour": "a name, or three numbers",
    }


def test_a_function_that_takes_options_shows_them() -> None:
    assert str(inspect.signature(Shop.box)).startswith(
        "(self, name: 'str', depth: 'float' = 1.0, *, width: 'float' = None, height: 'float' = None"
    )
    text = inspect.getdoc(Shop.box) or ""
    assert text.startswith("A box.\n\nOf a box:\n\nwidth, height   in metres\n")
    assert text.endswith("three numbers\n\n>>> an example")
    assert with_text("One line.", "More.") == "One line.\n\nMore."
    assert Shop().box("b", 2.0, width=3.0) == {"name": "b", "depth": 2.0, "width": 3.0}


def test_an_unknown_option_is_refused_with_the_near_one() -> None:
    with pytest.raises(sb.ModelError, match=r"box 'b': there is no option 'widht'; .* Did you mean 'width'\?"):
        Shop().box("b", widht=3.0)  # type: ignore[call-arg]


# ---------------------------------------------------------------------------------------------------------------- joints


@pytest.mark.parametrize("kind", [*KINDS, "joint"])
def test_help_says_what_each_option_of_a_joint_means(kind: str) -> None:
    method = getattr(sb.Model, kind)
    said = meanings(inspect.getdoc(method) or "")
    shared = JointPlacement if kind == "fixed" else JointOptions
    assert shared.__annotations__.keys() <= said.keys()
    assert list(shared.__annotations__) == [
        p for p in inspect.signature(method).parameters if p in JointOptions.__annotations__
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_keyword_of_a_joint_is_refused_with_the_near_one(kind: str) -> None:
    m = sb.Model("m")
    near = "orientation" if kind == "fixed" else "damping"
    given: dict[str, Any] = {near[:-2] + near[-1]: 1, **({"pitch": 1} if kind == "screw" else {})}
    with pytest.raises(sb.ModelError, match=rf"joint 'j': there is no option '\w+'; .*Did you mean '{near}'\?"):
        getattr(m, kind)("j", m.ground, m.body("b", mass=1), **given)


def test_model_files_have_the_options_of_joints() -> None:
    """Names for the rates are given there under `speeds`."""
    for kind, keys in joint.shapes["joint"].kinds.items():  # type: ignore[attr-defined]
        if kind in KINDS:
            assert JointOptions.__annotations__.keys() - keys.keys() == {"speeds"}
            assert all(keys[load].doc for load in JointLoads.__annotations__)


# --------------------------------------------------------------------------------------------------------------- motions

MOTIONS = ("simulate", "simulate_modes", "simulate_batch", "stepper", "cuda_motions")
TYPED = ROOT / "symbody" / "integrate" / "run" / "typed_calls.py"
HEADER = '''"""Signatures of the calls for motions with every option of `SimulationOptions` written out, for type checkers: no
annotation says "these options by name, and numbers by any other name". Written by `python -m pytest tests/test_options.py
-k signatures --update`; do not edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...derivation.equations.equations import Equations
    from ...simulation_options import SimulationOptions
    from ..contact.impacts import Contact
    from ..events.events import Event
    from ..kernels.tableaux import Tableau
    from ..modes.modes import Contacts, Modes
    from ..start.state import Amount, Start
'''


def motion(name: str) -> Any:
    return getattr(sb.integrate, name)


def written_out(name: str) -> str:
    """The signature of a call as the text of a function without a body."""
    parts, has_star = [], False
    for p in inspect.signature(motion(name)).parameters.values():
        if p.kind is p.KEYWORD_ONLY and not has_star:
            parts.append("*")
            has_star = True
        default = "" if p.default is p.empty else " = ..."
        parts.append(f"{'**' * (p.kind is p.VAR_KEYWORD)}{p.name}: {p.annotation}{default}")
    return f"def {name}(\n" + "".join(f"    {p},\n" for p in parts) + ") -> None: ...\n"


def test_signatures_for_type_checkers_are_those_of_the_calls(update: bool) -> None:
    text = "\n\n".join([HEADER, *(written_out(name) for name in MOTIONS)])
    if update:
        TYPED.write_text(text, encoding="utf-8")
    assert TYPED.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("name", MOTIONS)
def test_help_says_what_each_option_of_a_motion_means(name: str) -> None:
    said = meanings(inspect.getdoc(motion(name)) or "")
    taken = motion(name).keyword_call.shared.parameters
    assert taken
    assert {p.name for p in taken} <= said.keys()
    assert {p.name for p in taken} <= inspect.signature(motion(name)).parameters.keys()


def test_simulate_modes_and_batches_take_every_option() -> None:
    everything = list(SimulationOptions.__annotations__)
    assert everything == list(OptionSet(SimulationOptions).default.__dict__)
    for name in MOTIONS[:3]:
        assert [p.name for p in motion(name).keyword_call.shared.parameters] == everything
        assert motion(name).keyword_call.shared.parameters[1].default == 1e-8


def oscillator() -> sb.Equations:
    x, v = sb.symbols("x v", "variable")
    return sb.from_equations({x: v, v: -x})


@pytest.mark.parametrize(
    ("call", "given", "says"),
    [
        ("simulate", {"rtoll": 1e-9}, "Did you mean 'rtol'"),
        ("stepper", {"rtol": 1e-9}, "rtol= is an option of other calls; stepper takes method, form, metric"),
        ("stepper", {"options": {"max_steps": 3}}, "max_steps= is an option of other calls; stepper takes"),
        ("stepper", {"options": SimulationOptions(rtol=1e-9)}, "rtol= is an option of other calls; stepper takes"),
        ("simulate", {"options": SimulationOptions(rtol=1e-9), "rtol": 1e-8}, "option rtol is given twice"),
        ("simulate_batch", {"rtol": 2.0}, "rtol = 2.0 is not between 1e-14"),
        ("cuda_motions", {"sensitivities": ["x"]}, "sensitivities= is an option of other calls; cuda_motions takes"),
    ],
)
def test_options_that_a_call_does_not_take_are_refused_by_name(call: str, given: dict[str, Any], says: str) -> None:
    with pytest.raises(sb.errors.SimulationError, match=says):
        motion(call)(oscillator(), 0.1, **given)


def test_options_as_a_type_are_those_by_keyword() -> None:
    eq, coarse = oscillator(), SimulationOptions(method="dp5", rtol=1e-4)
    alone = sb.simulate(eq, 3.0, x=1.0, method="dp5", rtol=1e-4)
    for sim in (
        sb.simulate(eq, 3.0, x=1.0, options=coarse),
        sb.simulate(eq, 3.0, x=1.0, options={"method": "dp5", "rtol": 1e-4}),
        sb.simulate_batch(eq, 3.0, x=[1.0], options=coarse)[0],
    ):
        assert sim.y.tobytes() == alone.y.tobytes()
    assert coarse.given == {"method": "dp5", "rtol": 1e-4}
    assert SimulationOptions(rtol=1e-8).given == {}


@pytest.mark.parametrize(
    "t", [float("nan"), "soon", (0.0, 0.0), [0.0, 1.0, 0.5], np.zeros((2, 2)), (1.0, np.inf), [1.0], {}]
)
def test_every_call_reads_t_alike(t: Any) -> None:
    """Refused by one, refused by all, in the same words."""
    eq = oscillator()
    x = eq.state[0]
    modes = sb.Modes({"one": eq}, [sb.Switch("s", x - 5, "one", "one")], initial="one")
    with pytest.raises(sb.errors.SimulationError) as first:
        sb.simulate(eq, t)
    with pytest.raises(sb.errors.SimulationError) as second:
        sb.simulate_modes(modes, t)
    said = str(first.value).partition(": ")[2]
    assert str(second.value).partition(": ")[2] == said
    assert sb.simulate_batch(eq, t, x=[1.0, 2.0]).outcomes[0].detail.partition(": ")[2] == said
    with pytest.raises(sb.errors.SimulationError) as fourth:
        time_span(t, "cuda")
    assert str(fourth.value).partition(": ")[2] == said
