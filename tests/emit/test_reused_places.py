"""Places of a schedule that are used again: the same results over less memory."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

import symbody as sb
from symbody.algebra.graph.sweeps import Columns
from symbody.derivation.programs.link_sweeps import swept_accelerations
from symbody.emit.lowering.lower import sweep_shape
from symbody.emit.lowering.reused_places import with_reused_places
from symbody.emit.programs.sweep_shape import SweepShape

ARGUMENTS = 4


def fragment(inputs: list[int], outputs: list[int], weight: int) -> Any:
    """Of groups of these sizes: each output is a sum of all inputs with weights of its own."""
    groups = [[sb.symbol(f"x{g}_{k}") for k in range(n)] for g, n in enumerate(inputs)]
    total = sum((k + 1) * x for k, x in enumerate(x for g in groups for x in g))
    made = [[sb.algebra.as_expr(weight + 10 * o + k) + total for k in range(n)] for o, n in enumerate(outputs)]
    named = {f"y{o}": out for o, out in enumerate(made)}
    return sb.program("fragment", {f"x{g}": group for g, group in enumerate(groups)}, named)


def results(shape: SweepShape, arguments: list[float]) -> list[float]:
    """Step after step, over a memory that begins with the arguments."""
    memory = [*arguments, *[0.0] * (shape.size - len(arguments))]
    functions = [sb.emit.numpy_function(f) for f in shape.fragments]
    for kind, places in shape.steps():
        program, f = shape.fragments[kind], functions[kind]
        n = len(program.inputs)
        given = [memory[at : at + len(g)] for g, at in zip(program.inputs, places, strict=False)]
        found = f(*given)
        for out, at, adds in zip(found, places[n:], shape.adds[kind], strict=True):
            for k, x in enumerate(out):
                memory[at + k] = (memory[at + k] if adds else 0.0) + float(x)
    return [memory[at] for at in shape.results]


def random_shape(seed: int) -> SweepShape:
    """Groups at any places, which overlap, are read before they are written, written twice, or never read."""
    random = Random(seed)
    sizes = [([random.randint(1, 3) for _ in range(2)], [random.randint(1, 3) for _ in range(2)]) for _ in range(3)]
    programs = tuple(fragment(*pair, weight) for weight, pair in enumerate(sizes))
    adds = tuple((random.random() < 0.3, random.random() < 0.3) for _ in sizes)
    kinds, places, size = [], [], 60
    for _ in range(25):
        kind = random.randrange(len(sizes))
        kinds.append(kind)
        places += [random.randrange(size - n) for n in sizes[kind][0]]
        first = random.randrange(ARGUMENTS, size - 6)
        places += [first, first + sizes[kind][1][0]]
    return SweepShape(programs, adds, tuple(kinds), tuple(places), size, tuple(random.sample(range(size), 5)))


@pytest.mark.parametrize("seed", range(20))
def test_results_are_the_same(seed: int) -> None:
    shape = random_shape(seed)
    less = with_reused_places(shape, ARGUMENTS)
    arguments = [1.0, 2.0, 3.0, 4.0]
    assert results(less, arguments) == results(shape, arguments)
    assert less.size <= shape.size
    assert [less.results[k] for k, at in enumerate(shape.results) if at < ARGUMENTS] == [
        at for at in shape.results if at < ARGUMENTS
    ]


def test_a_chain_needs_two_buffers() -> None:
    """Of a sweep along a chain, each step of which reads what the one before has written."""
    step, n = fragment([3], [3], 1), 50
    places = [at for k in range(n) for at in (ARGUMENTS - 3 if k == 0 else 3 * k + 1, 3 * k + 4)]
    shape = SweepShape((step,), ((False,),), (0,) * n, tuple(places), 3 * n + 4, (3 * n + 1,))
    assert with_reused_places(shape, ARGUMENTS).size == ARGUMENTS + 3 * 3  # two in turn, and the result


def test_repeated_steps_remain() -> None:
    """Their first run is not their last."""
    shape = replace(random_shape(0), columns=Columns(20, (4,), (5,)))
    assert with_reused_places(shape, ARGUMENTS) is shape


def test_memory_of_links() -> None:
    """Velocities and accelerations of links are read by the next link alone."""
    m = sb.Model("chain")
    link = sb.Model("link")
    rod = link.body("rod", mass=1, com=(0.5, 0, 0), inertia=(0.05, 0.1, 0.1))
    link.revolute("a", link.ground, rod)
    link.frame("tip", rod.frame.translate(1, 0, 0))
    m.gravity(0, -9.81, 0)
    m.repeat("link", m.ground, link, 60, end="tip")
    found = swept_accelerations(sb.derive(m))
    assert found is not None
    node = found[0].args[0]
    whole = sweep_shape(node.data)
    assert with_reused_places(whole, len(node.args)).size < 0.9 * whole.size
