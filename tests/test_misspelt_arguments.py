"""Calls that do not fit their signature are answered in words, by every public function, constructor and method that takes
options: a misspelt argument with the nearest one, a missing one with the call."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import symbody as sb
from symbody.argument_kinds import answered
from tests.test_public_names import PACKAGES

PLACED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
HOT = {  # made or called by the million inside; their arguments go by place
    "Action", "Body", "Condition", "Constraint", "Cost", "Dyad", "Expr", "Factors", "Frame", "Joint", "Load", "Matrix", "Mechanism", "Moments", "Point",
    "Pose", "Program", "Segment", "Shape", "Slip", "Symbol", "SystemVector", "TyreForces", "Vector",
}  # fmt: skip


def public() -> Iterator[tuple[str, Any]]:
    seen = set()
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in module.__all__:
            thing = getattr(module, name)
            if id(thing) not in seen:
                seen.add(id(thing))
                yield name, thing


def options(function: Callable[..., Any]) -> list[str]:
    """Arguments that may be left out; none where any keyword is taken, as the name of a parameter or coordinate."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return []
    return [p.name for p in parameters if p.kind in PLACED and (p.default is not p.empty or p.kind is p.KEYWORD_ONLY)]


def calls() -> Iterator[tuple[str, Callable[..., Any], str]]:
    for name, thing in public():
        if inspect.isfunction(thing) and options(thing):
            yield name, thing, options(thing)[-1]
        elif inspect.isclass(thing) and not issubclass(thing, BaseException) and name not in HOT:
            for method, member in inspect.getmembers(thing, inspect.isfunction):
                if not method.startswith("_") and member.__module__.startswith("symbody") and options(member):
                    yield f"{name}.{method}", member, options(member)[-1]


CALLS = list(calls())


@pytest.mark.parametrize(("call", "option"), [(c, o) for _, c, o in CALLS], ids=[n for n, _, _ in CALLS])
def test_a_misspelt_argument_is_answered_with_the_nearest(call: Callable[..., Any], option: str) -> None:
    wrong = f"{option}x" if len(option) < 3 else option[:-1]
    owner = (object(),) if next(iter(inspect.signature(call).parameters)) == "self" else ()
    if wrong in inspect.signature(call).parameters:
        wrong += "y"
    with pytest.raises(sb.SymbodyError, match=r"Did you mean '\w+'\?"):
        call(*owner, **{wrong: 1})


def test_there_are_many() -> None:
    assert len(CALLS) > 250


MISTAKES: dict[str, Callable[[Any], Any]] = {
    r"body 'b': there is no argument 'intertia'; .* Did you mean 'inertia'\?": lambda m: m.body("b", mass=1, intertia=(1, 1, 1)),
    r"particle 'b': mass is missing; the call is particle\(name, mass=, ...\)": lambda m: m.particle("b"),
    r"Ball: there is no argument 'raduis'; .* Did you mean 'radius'\?": lambda m: sb.Ball(m.ground, raduis=1),  # type: ignore[call-arg]
    r"bar: takes at most 3 positional arguments \(length, axis, at\), got 5": lambda m: sb.bar(1, "x", 0, 0, 0),  # type: ignore[call-arg]
    r"body 'b': name= is given twice, by position and by name": lambda m: m.body("b", name="b"),
    r"Contact 'c': gap is missing": lambda m: sb.Contact("c"),  # type: ignore[call-arg]
    r"simulate: equations, t are missing": lambda m: sb.simulate(),  # type: ignore[call-arg]
}  # fmt: skip


@pytest.mark.parametrize("words", MISTAKES)
def test_mistakes_are_answered_without_names_of_inner_classes(words: str) -> None:
    with pytest.raises(sb.errors.CallError, match=words) as reason:
        MISTAKES[words](sb.Model("m"))
    assert isinstance(reason.value, TypeError)


def test_other_errors_pass() -> None:
    """A TypeError from inside a call that fits stays what it is."""

    @answered
    def doubled(value: Any, *, times: int = 2) -> Any:
        return value + times

    assert doubled(1, times=3) == 4
    with pytest.raises(TypeError, match="unsupported operand"):
        doubled(None)
    assert answered(doubled) is doubled
