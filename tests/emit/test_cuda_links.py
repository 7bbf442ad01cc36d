"""Loops over equal links on a GPU: the text for it, and values on an emulated card beside those of this computer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import symbody as sb
from examples import four_bars
from symbody.derivation.programs.link_sweeps import swept_accelerations
from symbody.derivation.routes import repeated_equations
from symbody.emit.run.cuda_callable import ptx_source

from ..linked_trees import chain_of_rods, random_tree, take_loops
from .emulated_card import EmulatedLibrary, emulate, forget

TOLERANCE = {"double": 1e-11, "float": 1e-3}


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedLibrary]:
    take_loops(monkeypatch)
    monkeypatch.setattr(repeated_equations, "MIN_TREES", 1)
    monkeypatch.setattr(repeated_equations, "MIN_COPIES", 0)
    yield emulate(monkeypatch)
    monkeypatch.undo()
    forget()


def beside_this_computer(f: Any, rows: list[Any], real: str = "double") -> None:
    """Rows of states as rows, and as columns, on the card."""
    exact = sb.compile(f.program).batch(*rows)
    assert any(i.op == "sweeps" for i in f.program.code)
    got = f(*(sb.emit.device_array(x, real) if np.ndim(x) == 2 else x for x in rows))
    for a, b in zip(
        got if isinstance(got, tuple) else [got], exact if isinstance(exact, tuple) else [exact], strict=True
    ):
        np.testing.assert_allclose(a.numpy(), b, rtol=0, atol=TOLERANCE[real] * np.abs(b).max())


@pytest.mark.parametrize(("seed", "real"), [(3, "double"), (5, "double"), (6, "float")])
def test_trees(seed: int, real: str, library: EmulatedLibrary) -> None:
    """Accelerations, and products with their Jacobian from both sides."""
    eq, draw = sb.derive(random_tree(seed, 6)), np.random.default_rng(seed)
    f = sb.compile(eq, target="cuda", real=real)
    for program in (f.udot, f.jacobian_product(["u"]), f.adjoint_product(["u"])):
        rows = [draw.uniform(-0.8, 0.8, (5, len(g))) if len(g) != len(f.p) else f.p for g in program.program.inputs[1:]]
        beside_this_computer(program, [0.3, *rows], real)


def test_columns_of_jacobians_and_closed_chains(library: EmulatedLibrary) -> None:
    """Steps that are repeated for each column; accelerations with constraints."""
    udot, draw = sb.compile(sb.derive(four_bars.model(2))).udot.program, np.random.default_rng(2)
    tree = sb.derive(random_tree(3, 4))
    loops = swept_accelerations(tree)
    assert loops is not None
    x = [*tree.q, *tree.u]
    groups: dict[str, Any] = {"t": tree.t, "x": x, "r": tree.r, "p": tree.p}
    J = sb.program("J", groups, {"J": sb.jacobian(loops, x)})
    assert any(i.op == "sweeps" and i.data.columns for i in J.code)
    for program in (udot, J):
        rows = [draw.uniform(0.2, 0.9, (3, len(g))) for g in program.inputs[1:]]
        beside_this_computer(sb.compile(program, target="cuda"), [0.1, *rows])


def test_motions(library: EmulatedLibrary) -> None:
    """A chain moves on the card as on this computer."""
    eq, y = chain_of_rods(6), np.random.default_rng(1).uniform(-0.5, 0.5, (2, 12))
    end = sb.integrate.cuda_motions(eq, 0.01)(sb.emit.device_array(y), 10)
    for row, found in zip(y, end.y.numpy(), strict=True):
        start = dict(zip([s.name for s in eq.state], row, strict=True))
        sim = sb.simulate(eq, 0.1, start, method="rk4", step=0.01)
        np.testing.assert_allclose(found, sim.y[-1], rtol=0, atol=1e-11)


def test_ptx_has_a_function_for_each_type_of_link() -> None:
    """Of 120 links as of 60; tables grow, and the memory of a thread."""
    texts = [ptx_source(sb.compile(chain_of_rods(n)).udot.program, cache=False) for n in (60, 120)]
    functions, local = zip(
        *((len(re.findall(r"^\.func", t, re.MULTILINE)), int(re.findall(r"depot\d+\[(\d+)\]", t)[-1])) for t in texts),
        strict=True,
    )
    assert functions[0] == functions[1] <= 15
    assert local[1] < 2.1 * local[0]
    assert len(texts[1]) < 2 * len(texts[0])


def test_more_links_than_a_thread_has_memory_for() -> None:
    program = sb.compile(chain_of_rods(1500)).udot.program
    with pytest.raises(
        sb.errors.CompileError, match=r"work on 551 kB for each state.*512 kB; try real='float', or compile"
    ):
        ptx_source(program)
