"""Functions on a GPU: the text for it, and values on an emulated card."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import mpmath
import numpy as np
import pytest

import symbody as sb
from examples import spherical_chain, stanford_arm, triple_pendulum
from symbody.emit.llvm import jit
from symbody.emit.llvm.device_text import COLUMNS, PACKED, ROWS, VALUE, function_kernel
from symbody.emit.lowering.register_order import values_alive, with_fewer_alive
from symbody.emit.lowering.straight_line import straight_line_program
from symbody.emit.run import cuda_driver
from symbody.emit.run import dynamics as compiled_dynamics
from symbody.emit.run.cuda_callable import TILES, ArrayLayout, is_wide, prefetches, ptx_source
from symbody.emit.run.device_arrays import view_of

from .emulated_card import EmulatedLibrary, emulate, forget

TOLERANCE = {"double": 1e-12, "float": 2e-4}
DTYPE = {"double": np.float64, "float": np.float32}


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedLibrary]:
    yield emulate(monkeypatch)
    monkeypatch.undo()
    forget()


def dynamics(real: str | None = None) -> sb.emit.Dynamics:
    eq = sb.derive(triple_pendulum.model(), check=False)
    return sb.compile(eq) if real is None else sb.compile(eq, target="cuda", real=real)


def on_card(groups: list[Any], real: str) -> list[Any]:
    return [sb.emit.device_array(g, real) if np.ndim(g) == 2 else g for g in groups]


def close(got: Any, exact: Any, real: str) -> bool:
    got, exact = np.asarray(got, dtype=float), np.asarray(exact, dtype=float)
    return bool(np.all(np.abs(got - exact) <= TOLERANCE[real] * (1 + np.abs(exact).max())))


# ---------------------------------------------------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("name", "real"), [("udot", "float"), ("energies", "double"), ("inverse", "double"), ("jacobian", "float")]
)
def test_values(name: str, real: str, library: EmulatedLibrary) -> None:
    """What this computer computes; 300 states are more than two blocks hold, so that threads take several."""
    exact, f = getattr(dynamics(), name), getattr(dynamics(real), name)
    draw = np.random.default_rng(5)
    made = {"t": 0.3, "p": draw.uniform(0.8, 1.2, len(dynamics().p))}
    groups = [made[g.name] if g.name in made else draw.uniform(-2, 2, (300, len(g))) for g in f.program.inputs]
    got, expected = f(*on_card(groups, real)), exact.batch(*groups)
    for a, b in zip(*((x,) if not isinstance(x, tuple) else x for x in (got, expected)), strict=True):
        assert a.shape == b.shape
        assert a.dtype == DTYPE[real]
        assert close(a.numpy(), b, real)


x, y = sb.symbols("x y")
LARGE = sb.Matrix(5, 5, tuple(x + 9 * i if i == j else y * (i + 2 * j) for i in range(5) for j in range(5)))
EXPRESSIONS = {
    "choices": sb.where(x < y, sb.maximum(x, 2 * y), sb.sign(x) + abs(y)), "functions": sb.exp(x) + sb.log(2 + y * y) * sb.atan2(x, y),
    "powers": (1 + x * x) ** sb.fraction(1, 3) + sb.sqrt(1 + y * y), "late angle": sb.sin(sb.exp(3 * x)) * sb.cos(y) + sb.tan(x),
    "pivots": sb.solve(LARGE, sb.vector(1, x, y, 2, 3))[2], "constant": x - x + 2,
}  # fmt: skip


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_every_operation(name: str, library: EmulatedLibrary) -> None:
    p = sb.program("f", {"a": [x, y]}, {"z": EXPRESSIONS[name], "s": [x, EXPRESSIONS[name]]})
    rows = np.random.default_rng(2).uniform(-3, 3, (140, 2))
    for got, exact in zip(
        sb.compile(p, target="cuda")(sb.emit.device_array(rows)), sb.compile(p).batch(rows), strict=True
    ):
        assert close(got.numpy(), exact, "double")


@pytest.mark.parametrize("real", ["double", "float"])
def test_large_angles(real: str, library: EmulatedLibrary) -> None:
    """Sums of angles are right to the last digits that the inputs have, however large these are; other states are left
    alone."""
    p = sb.program("f", {"a": [x, y]}, {"z": [sb.sin(x - y + 1), sb.cos(x), sb.sin(x * y)]})
    rows = np.random.default_rng(2).uniform(-3, 3, (140, 2)).astype(DTYPE[real]).astype(float)
    rows[::7] = (rows[::7] * 1e9).astype(DTYPE[real])
    got = sb.compile(p, target="cuda", real=real)(sb.emit.device_array(rows, real)).numpy()
    with mpmath.workdps(40):
        for row, (first, second, third) in zip(rows, got, strict=True):
            u, v = map(mpmath.mpf, row)
            allowed = {"double": 2e-15, "float": 1e-6}[real]
            assert abs(first - mpmath.sin(u - v + 1)) < allowed
            assert abs(second - mpmath.cos(u)) < allowed
            if abs(u) < 4:  # a product of large numbers has lost its digits
                assert abs(third - mpmath.sin(u * v)) < 4 * allowed


# ---------------------------------------------------------------------------------------------------------- arrays


class Foreign:
    """An array of another package, by the array interface alone; columns of states where `by_columns`; the first
    numbers of each row where `width` is given."""

    def __init__(self, numbers: Any, by_columns: bool = False, width: int = 0) -> None:
        self.held = sb.emit.device_array(np.asarray(numbers).T if by_columns else numbers)
        described = dict(self.held.__cuda_array_interface__)
        if by_columns:
            described |= {"shape": self.held.shape[::-1], "strides": (8, 8 * len(numbers))}
        if width:
            described |= {"shape": (len(numbers), width), "strides": (8 * numbers.shape[1], 8)}
        self.__cuda_array_interface__ = described


def test_rows_columns_and_one_row_for_all(library: EmulatedLibrary) -> None:
    p = sb.program(
        "f",
        {"a": [x, y], "b": [sb.symbol("z"), sb.symbol("w")]},
        {"s": [x + 2 * y, x * sb.symbol("z") + sb.symbol("w")]},
    )
    f, rows, row = sb.compile(p, target="cuda"), np.arange(20.0).reshape(10, 2), np.array([3.0, 5.0])
    exact = sb.compile(p).batch(rows, row)
    for a in (sb.emit.device_array(rows), Foreign(rows), Foreign(rows, by_columns=True)):
        for b in (row, sb.emit.device_array(row), sb.emit.device_array(np.tile(row, (10, 1)))):
            assert np.array_equal(f(a, b).numpy(), exact)
    out = sb.emit.device_array(np.zeros((10, 2)))
    assert f(sb.emit.device_array(rows), row, out=out) is out
    assert np.array_equal(out.numpy(), exact)


def test_prepared_calls_read_what_is_there(library: EmulatedLibrary) -> None:
    f = sb.compile(sb.program("f", {"a": [x, y]}, {"s": x * y}), target="cuda")
    a = sb.emit.device_array([[2.0, 3.0]])
    call = f.prepared(a)
    call()
    assert call.results.numpy() == [6.0]
    f(sb.emit.device_array([[5.0, 7.0]]), out=call.results)
    assert call.results.numpy() == [35.0]
    call()
    assert call.results.numpy() == [6.0]


class Capsules:
    """An array of another package, by DLPack alone."""

    def __init__(self, held: sb.emit.DeviceArray) -> None:
        self.__dlpack_device__ = held.__dlpack_device__
        self.__dlpack__ = held.__dlpack__


def test_capsules_keep_their_memory_until_they_are_released(library: EmulatedLibrary) -> None:
    a = sb.emit.device_array(np.arange(6.0).reshape(2, 3), "float")
    assert a.__dlpack_device__() == (2, 0)
    view = view_of(Capsules(a), 1)
    assert view is not None
    assert (view.shape, view.strides, view.dtype) == ((2, 3), (3, 1), np.float32)
    assert view.address == a.view.address
    held = len(library.memory)
    del a
    assert len(library.memory) == held  # by the capsule
    del view
    b = sb.emit.device_array(np.zeros(3))
    held = len(library.memory)
    del b
    assert len(library.memory) == held - 1


def test_streams(library: EmulatedLibrary) -> None:
    f = sb.compile(sb.program("f", {"a": [x, y]}, {"s": x * y}), target="cuda")
    a = sb.emit.device_array([[2.0, 3.0]])
    f(a)
    f(a, stream=77)
    f(a, stream=type("Stream", (), {"cuda_stream": 78})())
    f(a, stream=type("Stream", (), {"ptr": 79})())
    assert [s for _, s in library.launches] == [1, 77, 78, 79]
    with pytest.raises(sb.errors.ProgramError, match="stream must be a number"):
        f(a, stream="fast")


REFUSED = {
    "a is in host memory; batches take arrays": lambda f: f(np.zeros((4, 2)), 1.0),
    "a has shape \\(3,\\), expected \\(2,\\)": lambda f: f(np.zeros(3), 1.0),
    "a has shape \\(4, 3\\), expected": lambda f: f(sb.emit.device_array(np.zeros((4, 3))), 1.0),
    "a is of type float32, and this function computes in float64": lambda f: f(
        sb.emit.device_array(np.zeros((4, 2)), "float"), 1.0
    ),
    "takes 2 arguments, got 1": lambda f: f(np.zeros(2)),
    "different numbers of states: \\[4, 5\\]": lambda f: f(
        sb.emit.device_array(np.zeros((4, 2))), sb.emit.device_array(np.zeros(5))
    ),
    "out for s has shape \\(3,\\)": lambda f: f(
        sb.emit.device_array(np.zeros((4, 2))), 1.0, out=sb.emit.device_array(np.zeros(3))
    ),
    "a must be numbers, got 'no'": lambda f: f("no", 1.0),
}


@pytest.mark.parametrize("says", REFUSED)
def test_misfits_are_refused(says: str, library: EmulatedLibrary) -> None:
    p = sb.program("f", {"a": [x, y], "k": sb.symbol("k")}, {"s": x * y + sb.symbol("k")})
    with pytest.raises(sb.errors.ProgramError, match=says):
        REFUSED[says](sb.compile(p, target="cuda"))


def without_parameters() -> sb.Equations:
    m = sb.Model("plain")
    m.gravity(0, -10, 0)
    a = m.coordinate("a")
    m.body("rod", m.ground.rotate("z", a), mass=2, com=(1, 0, 0), inertia=(0, 0, 1))
    return sb.derive(m)


@pytest.mark.parametrize("name", ["udot", "energies", "jacobian"])
def test_models_without_parameters(name: str, library: EmulatedLibrary) -> None:
    """Parameters that are none may be left out, or be given: as this computer's functions have it."""
    eq, draw = without_parameters(), np.random.default_rng(2)
    options_of_targets: list[dict[str, Any]] = [{}, {"target": "cuda"}]
    exact, f = (getattr(sb.compile(eq, **options), name) for options in options_of_targets)
    groups = [0.0 if g.name == "t" else draw.uniform(-2, 2, (50, len(g))) for g in f.program.inputs]
    for empty in ([], [[]], [np.zeros(0)], [np.zeros((50, 0))]):
        got, expected = f(*on_card(groups, "double"), *empty), exact.batch(*groups)
        for a, b in zip(*((x,) if not isinstance(x, tuple) else x for x in (got, expected)), strict=True):
            assert close(a.numpy(), b, "double")


# ------------------------------------------------------------------------------------------------------- without a card


def test_without_a_driver_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_driver, "LIBRARIES", ("no_such_library.so",))
    forget()
    for thing in (sb.program("f", {"a": [x]}, {"s": x}), sb.derive(triple_pendulum.model(), check=False)):
        with pytest.raises(sb.errors.CompileError, match="needs an NVIDIA GPU and its driver"):
            sb.compile(thing, target="cuda")
    forget()


def test_refusals_of_the_driver_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_driver, "open_library", type("L", (EmulatedLibrary,), {"cuInit": lambda *_: 100}))
    forget()
    with pytest.raises(sb.errors.CompileError, match="refused cuInit: something the card does not like"):
        cuda_driver.cuda()
    forget()


def test_choices_are_checked() -> None:
    p = sb.program("f", {"a": [x]}, {"s": x})
    with pytest.raises(sb.errors.ProgramError, match=r"no target 'cudo'.*Did you mean 'cuda'"):
        sb.compile(p, target="cudo")
    with pytest.raises(sb.errors.ProgramError, match="real='float' is for target='cuda'"):
        sb.compile(p, real="float")
    with pytest.raises(sb.errors.ProgramError, match="real is double, float"):
        ptx_source(p, "half")


# ---------------------------------------------------------------------------------------------------------- PTX


def panda_like() -> sb.emit.Program:
    """Forward dynamics of an arm with numbers for its parameters: all of it in registers."""
    eq = sb.derive(stanford_arm.model(), check=False)
    values = {s.name: 1.0 + 0.1 * k for k, s in enumerate(eq.p)}
    return sb.compile(eq, bake=values).udot.program


@pytest.mark.parametrize("real", ["double", "float"])
def test_ptx_of_an_arm_is_all_registers(real: str) -> None:
    """One kernel, no local memory, no divisions, and about as many operations as the program has."""
    p = panda_like()
    text = ptx_source(p, real, cache=False)
    kernel = text[text.index(".visible .entry kernel_udot") :].split("\n}\n")[0]
    assert ".local" not in text
    assert "div." not in text
    assert re.search(r"\.maxntid 128", text)
    assert not re.search(r"(add|mul|fma)\.rn\." + ("f64" if real == "float" else "f32"), kernel)
    done = len(re.findall(r"\b(?:add|sub|mul|fma)\.rn\.f", kernel))
    sines = sum(i.op in ("sincos", "sin", "cos") for i in p.code)
    assert 0.45 * p.cost.total < done < 1.1 * p.cost.total + 25 * sines


def test_ptx_reads_the_next_state_first_where_registers_allow() -> None:
    p = panda_like()
    rows = ArrayLayout(tuple(ROWS for _ in p.inputs))
    assert prefetches(p, "float", rows)
    text = function_kernel(p, "float", rows.inputs, ROWS, True)
    kernel = text[text.index("define ptx_kernel") :]
    assert max(m.start() for m in re.finditer(r"%next\.\d+\.\d+ = load", kernel)) < kernel.index("fmul")
    many = [sb.symbol(f"a{k}") for k in range(200)]
    wide = sb.program("wide", {"a": many}, {"s": [sum(many, x - x) * a for a in many]})
    assert values_alive(wide) > 150
    assert not prefetches(wide, "double", ArrayLayout((ROWS,)))


@pytest.fixture(scope="module")
def wide_program() -> sb.emit.Program:
    """Rows of 19 (odd), 12 (four threads would meet), 18 (two would), one of which is not read, and two results."""
    a, b, c = ([sb.symbol(f"{g}{k}") for k in range(n)] for g, n in (("a", 19), ("b", 12), ("c", 18)))
    products = [sb.sin(a[k]) * b[k % 12] + c[(5 * k) % 17] / (2 + a[0] ** 2) for k in range(18)]
    total = sum(products, a[18] * b[11])
    groups: dict[str, Any] = {"t": sb.symbol("t"), "a": a, "b": b, "c": c}
    return sb.program("wide", groups, {"x": [total * x + groups["t"] for x in products], "s": total})


@pytest.mark.parametrize("n", [1, 127, 128, 300])
def test_wide_rows_go_through_shared_memory(n: int, wide_program: Any, library: EmulatedLibrary) -> None:
    """Whole tiles and the rest of one; 300 states are more than two blocks hold."""
    f, draw = sb.compile(wide_program, target="cuda", real="float"), np.random.default_rng(n)
    rows = [draw.uniform(-2, 2, (n, k)) for k in (19, 12, 18)]
    for t in (0.25, draw.uniform(size=n)):
        got = f(*on_card([t if np.ndim(t) == 0 else sb.emit.device_array(t, "float"), *rows], "float"))
        exact = sb.compile(wide_program).batch(t, *rows)
        assert all(close(x.numpy(), y, "float") for x, y in zip(got, exact, strict=True))
    assert all(k.waits for k in library.handles if hasattr(k, "waits"))


def test_rows_with_gaps_need_no_tile(wide_program: Any, library: EmulatedLibrary) -> None:
    draw, f, exact = np.random.default_rng(3), sb.compile(wide_program, target="cuda"), sb.compile(wide_program)
    rows = [draw.uniform(-2, 2, (9, k)) for k in (19, 12, 18)]
    with_gaps = Foreign(np.hstack([rows[0], rows[0]]), width=19)
    got = f(0.5, with_gaps, *map(sb.emit.device_array, rows[1:]))
    assert close(got[0].numpy(), exact.batch(0.5, *rows)[0], "double")
    out = [Foreign(np.zeros((9, 18)), by_columns=True), sb.emit.device_array(np.zeros(9))]
    in_columns = [Foreign(x, by_columns=True) for x in rows]
    with pytest.raises(sb.errors.ProgramError, match="all arrays lie in rows, or all in columns"):
        f(0.5, *in_columns, out=out)


def test_ptx_of_tiles(wide_program: Any) -> None:
    """Numbers are loaded as often as they lie there, in the order of memory; threads wait twice a tile."""
    layout = ArrayLayout((VALUE, PACKED, PACKED, PACKED))
    assert is_wide(wide_program, layout)
    text = ptx_source(wide_program, "float", layout, TILES, cache=False)
    assert len(re.findall(r"bar\.sync|barrier\.sync", text)) == 2
    kernel = text[text.index(".visible .entry") :]
    assert len(re.findall(r"ld\.global", kernel)) == 19 + 12 + 18 + 3
    assert len(re.findall(r"st\.global", kernel)) == 18 + 1 + 2
    with pytest.raises(sb.errors.ProgramError, match="do not fit into shared memory"):
        ptx_source(wide_program, "float", ArrayLayout((VALUE, COLUMNS, COLUMNS, COLUMNS), COLUMNS), TILES)
    with pytest.raises(sb.errors.ProgramError, match="reading is early, late"):
        ptx_source(wide_program, "float", layout, "soon")


def test_order_with_fewer_values_alive() -> None:
    """A long sum on the left of each product: computed first, it leaves one value waiting; the other way each waits for
    it."""
    many = [sb.symbol(f"a{k}") for k in range(40)]
    e: sb.Expr = many[0]
    for k in range(1, 38, 2):
        e = (many[k] * many[k + 1] + many[k]) / e
    p = sb.program("f", {"a": many}, {"z": e})
    q = with_fewer_alive(p)
    assert values_alive(q) <= values_alive(p)
    assert values_alive(q) <= 5
    assert sorted(i.op for i in q.code) == sorted(i.op for i in p.code)
    row = np.random.default_rng(1).uniform(1, 2, 40)
    assert sb.compile(q)(row) == sb.compile(p)(row)


def test_ptx_of_layouts() -> None:
    p = sb.program("f", {"a": [x, y]}, {"s": x * y})
    by = {layout: ptx_source(p, "double", ArrayLayout((layout,)), cache=False) for layout in (ROWS, COLUMNS, VALUE)}
    assert len({*by.values()}) == 3
    assert [len(re.findall(r"ld\.global", by[k])) for k in (ROWS, COLUMNS, VALUE)] == [4, 4, 0]


def test_pivoting_goes_to_local_memory() -> None:
    p = sb.program("f", {"a": [x, y]}, {"z": EXPRESSIONS["pivots"]})
    assert ".local" in ptx_source(p, cache=False)


def test_ptx_is_kept_on_disk(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path))
    p = sb.program("f", {"a": [x, y]}, {"s": x * y})
    text = ptx_source(p)
    monkeypatch.setattr(jit, "ptx", lambda text: pytest.fail("made again"))
    assert ptx_source(p) == text
    monkeypatch.undo()


def test_functions_of_this_computer_are_refused() -> None:
    f = sb.algebra.ExternalFunction("f", 1, python=lambda v: v)
    with pytest.raises(sb.errors.CompileError, match="f is a function of this computer"):
        ptx_source(sb.program("g", {"a": [x]}, {"s": f(x)}))


def test_what_the_page_shows_runs(library: EmulatedLibrary) -> None:
    page = (Path(__file__).parents[2] / "docs" / "gpu.md").read_text(encoding="utf-8")
    space: dict[str, Any] = {}
    for block in re.findall(r"^```py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        exec(block, space)
    assert space["end"].samples.shape == (300, 6, 6)
    assert {e.name for e in space["end"].endings()} == {"REACHED"}


def test_an_order_from_the_end_has_fewer_values_alive() -> None:
    """Forward dynamics of a chain of bodies: many sums wait for the last of their terms. The numbers are the same."""
    eq = sb.derive(spherical_chain.model(4))
    p = straight_line_program(sb.compile(eq).udot.program)
    ordered = with_fewer_alive(p)
    assert values_alive(ordered) < 0.8 * values_alive(p)
    assert all(a < k for k, i in enumerate(ordered.code) for a in i.args)
    state = [np.linspace(0.1, 0.9, len(g)) if not g.is_scalar else 0.5 for g in p.inputs]
    np.testing.assert_allclose(sb.compile(ordered)(*state), sb.compile(p)(*state), rtol=1e-12)


def test_on_a_gpu_the_way_whose_values_fit_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where those of the shortest way do not; on this computer the shortest stays."""
    monkeypatch.setattr(compiled_dynamics, "target_code", lambda program, *_: program)
    monkeypatch.setattr(compiled_dynamics, "REGISTERS", {"float": 10_000, "double": 1})
    eq = sb.derive(spherical_chain.model(3))
    reals: tuple[Any, ...] = (None, "float", "double")
    here, roomy, tight = (cast(Any, compiled_dynamics.Dynamics(eq, None, False, real).udot) for real in reals)
    alive = [values_alive(with_fewer_alive(straight_line_program(p))) for p in (here, roomy, tight)]
    assert here.code == roomy.code
    assert alive[2] <= alive[1]
