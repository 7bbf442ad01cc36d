"""Compiled functions as a user meets them: shapes, batches, threads, errors, the cache on disk."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import stat
import threading

import numpy as np
import pytest

import symbody as sb
import symbody.emit.llvm.jit as jit
from symbody.algebra.calculus.evaluate import evaluate
from symbody.algebra.graph.functions import ExternalFunction, cos, exp, sin
from symbody.algebra.graph.graph import symbol, symbols
from symbody.algebra.graph.linear import solve
from symbody.algebra.graph.matrix import matrix
from symbody.emit.cache import disk_cache as cache
from symbody.emit.lowering.lower import program
from symbody.emit.run.callable import compile_program as compile
from symbody.emit.run.workers import share_out
from symbody.errors import ProgramError

t, x, y, z = symbols("t x y z")
A = matrix([[3 + x, y * x, z], [y * x, 4 + sin(x), x], [z, x, 5 + cos(x)]])


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path / "code"))
    return tmp_path / "code"


@pytest.fixture
def f():
    return compile(program("f", {"t": t, "q": [x, y, z]}, {"s": solve(A, [x, y, t]), "A": A, "e": exp(x)}))


def reference(thing, row, at=0.5):
    return np.array(evaluate(thing, {t: at, x: row[0], y: row[1], z: row[2]}))


def test_outputs_have_their_shapes(f):
    s, a, e = f(0.5, [0.1, 0.2, 0.3])
    assert [s.shape, a.shape] == [(3,), (3, 3)]
    assert isinstance(e, float)
    np.testing.assert_allclose(a, reference(A, (0.1, 0.2, 0.3)), rtol=1e-14)


def test_results_are_the_callers_own(f):
    first = f(0.5, np.array([0.1, 0.2, 0.3]))[1]
    kept = first.copy()
    f(0.7, np.array([1.1, 2.2, 3.3]))
    np.testing.assert_array_equal(first, kept)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 1000, 1003])
def test_batch_is_the_same_as_one_by_one(f, n):
    rows = np.random.default_rng(n).random((n, 3))
    s, a, e = f.batch(0.5, rows)
    assert [s.shape, a.shape, e.shape] == [(n, 3), (n, 3, 3), (n,)]
    for k in {0, n // 2, n - 1}:
        one = f(0.5, rows[k])
        np.testing.assert_allclose(s[k], one[0], rtol=1e-14)
        np.testing.assert_allclose(a[k], one[1], rtol=1e-14)


def test_batch_broadcasts_and_takes_time_by_row(f):
    rows, times = np.random.default_rng(0).random((20, 3)), np.linspace(0, 1, 20)
    s = f.batch(times, rows)[0]
    np.testing.assert_allclose(s[7], reference(solve(A, [x, y, t]), rows[7], times[7]), rtol=1e-13)
    assert f.batch(0.5, rows[0])[0].shape == (1, 3)
    assert f.batch(0.5, np.empty((0, 3)))[0].shape == (0, 3)


def test_one_bad_state_does_not_spoil_the_others(f):
    rows = np.random.default_rng(0).random((20, 3))
    rows[3] = np.nan
    s = f.batch(0.5, rows)[0]
    assert np.isnan(s[3]).any()
    assert np.isfinite(np.delete(s, 3, axis=0)).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, [1, 2]), r"q has shape \(2,\), expected \(3,\)"),
        ((0.5, np.ones((4, 3))), r"q has shape \(4, 3\).*f.batch takes many"),
        ((0.5, 3.0), r"q has shape \(\), expected \(3,\)"),
        (("now", [1, 2, 3]), "t must be numbers.*'now'"),
        (([1, 2], [1, 2, 3]), r"t has shape \(2,\), expected \(\)"),
    ],
)
def test_wrong_arguments_are_named(f, arguments, message):
    with pytest.raises(ProgramError, match=message):
        f(*arguments)


def test_wrong_number_of_arguments(f):
    """The signature is shown, with sizes and names."""
    for wrong in ((), (0.5,), (0.5, [1, 2, 3], [4]), (0.5, [1, 2, 3], [4], 5)):
        with pytest.raises(ProgramError, match=rf"f\(t, q\[3\]\) takes 2 arguments, got {len(wrong)}; q = x, y, z"):
            f(*wrong)
    with pytest.raises(ProgramError, match=r"f.batch\(t, q\[3\]\) takes 2 arguments, got 1; q = x, y, z"):
        f.batch(0.5)
    with pytest.raises(ProgramError, match="different numbers of states"):
        f.batch(np.ones(3), np.ones((4, 3)))


def test_parameters_that_are_not_there_may_be_given_or_left_out():
    """f.udot(t, q, u, f.p) works for every model; numbers for parameters that a model does not have are refused."""
    m = sb.Model("cart")
    x, F = m.coordinate("x"), m.input("F")
    m.particle("cart", m.ground.point(x, 0, 0), mass=2)
    m.generalized_force("push", x, F)
    f = sb.compile(sb.derive(m))
    assert f.p.shape == (0,)
    assert f.udot(0.0, [0.1], [0.2], [3.0], f.p) == f.udot(0.0, [0.1], [0.2], [3.0]) == 1.5
    assert f.inverse(0.0, [0.1], [0.2], [1.5], f.p) == f.inverse(0.0, [0.1], [0.2], [1.5]) == 3.0
    rows = np.ones((4, 1))
    assert np.array_equal(f.udot.batch(0.0, rows, rows, rows, np.ones((4, 0))), f.udot.batch(0.0, rows, rows, rows))
    with pytest.raises(
        ProgramError, match=r"udot\(t, q\[1\], u\[1\], r\[1\]\) takes 4 arguments, got 5; q = x; u = x_dot; r = F"
    ):
        f.udot(0.0, [0.1], [0.2], [3.0], [1.0])


def test_groups_may_have_any_name():
    g = compile(program("f", {"lambda": x, "self__": [y], "import": [z]}, {"out": x + y * z}))
    assert g(1.0, [2.0], [3.0]) == 7.0


def test_many_threads_at_once(f):
    rows = np.random.default_rng(0).random((50, 3))
    expected = [f(0.5, r)[0] for r in rows]
    wrong = []

    def work(offset):
        for k in range(2000):
            j = (k + offset) % 50
            if not np.array_equal(f(0.5, rows[j])[0], expected[j]):
                wrong.append(j)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for th in threads:
        th.start()
    for th in threads:
        th.join()
    assert not wrong


def test_external_python_function_and_its_exception():
    def half(a):
        if a > 1:
            raise OverflowError("too much")
        return a / 2

    g = compile(program("g", {"x": x}, {"y": ExternalFunction("half", 1, python=half)(x) + 1}))
    assert g(1.0) == 1.5
    with pytest.raises(OverflowError, match="too much"):
        g(2.0)
    assert g(1.0) == 1.5
    with pytest.raises(OverflowError):
        g.batch(np.array([0.5, 2.0]))
    with pytest.raises(ProgramError, match=r"python=... or address"):
        compile(program("g", {"x": x}, {"y": ExternalFunction("other", 1)(x)}))


def test_pickled_functions_compute_the_same(f):
    again = pickle.loads(pickle.dumps(f))
    np.testing.assert_array_equal(again(0.5, [1, 2, 3])[1], f(0.5, [1, 2, 3])[1])


# ------------------------------------------------------------------------------------------------------- the cache


def small(name="small"):
    return program(name, {"x": x}, {"y": sin(x) + x})


def test_second_time_nothing_is_compiled(own_cache, monkeypatch):
    expected = compile(small())(0.3)
    assert len(list(own_cache.iterdir())) == 1
    monkeypatch.setattr(jit, "machine_code", lambda *a: pytest.fail("compiled again"))
    assert compile(small())(0.3) == expected


def test_files_are_private(own_cache):
    compile(small())
    assert stat.S_IMODE(own_cache.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(p.stat().st_mode) == 0o600 for p in own_cache.iterdir())


def test_a_directory_that_others_may_write_is_not_used(own_cache):
    own_cache.mkdir(mode=0o777)
    os.chmod(own_cache, 0o777)
    with pytest.warns(UserWarning, match="other users may write"):
        assert compile(small())(0.0) == 0.0
    assert not list(own_cache.iterdir())


@pytest.mark.parametrize("damage", [lambda b: b[:100], lambda b: b[:-1] + b"x", lambda b: b""])
def test_damaged_files_are_made_anew(own_cache, damage):
    expected = compile(small())(0.3)
    (kept,) = own_cache.iterdir()
    kept.write_bytes(damage(kept.read_bytes()))
    assert compile(small())(0.3) == expected
    assert cache.load(kept.stem) is not None


def test_no_disk_no_harm(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SYMBODY_CACHE", str(tmp_path / "file" / "below"))
    with pytest.warns(UserWarning, match="not cached"):
        assert compile(small())(0.0) == 0.0


def _compile_in_other_process(folder, queue):
    os.environ["SYMBODY_CACHE"] = folder
    queue.put(compile(program("shared", {"x": x}, {"y": sin(x) + x * x}))(0.3))


def test_two_processes_at_once(own_cache):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    others = [context.Process(target=_compile_in_other_process, args=(str(own_cache), queue)) for _ in range(2)]
    for p in others:
        p.start()
    results = {queue.get(timeout=60) for _ in others}
    for p in others:
        p.join()
    assert len(results) == 1
    assert len(list(own_cache.iterdir())) == 1


@pytest.mark.parametrize("n", [3, 8, 300, 5003])
@pytest.mark.parametrize("threads", [1, 3])
def test_batches_write_where_they_are_told_to(f, n, threads):
    rows = np.random.default_rng(n).random((n, 3))
    out = (np.full((n, 3), np.nan), np.full((n, 3, 3), np.nan), np.full(n, np.nan))
    got = f.batch(0.5, rows, out=out, threads=threads)
    assert all(a is b for a, b in zip(got, out, strict=True))
    for a, b in zip(got, f.batch(0.5, rows, threads=1), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 16, 19])
def test_rows_of_any_length_are_packed_and_unpacked(size):
    """Squares of lanes, and what is left of them."""
    xs = [symbol(f"x{k}") for k in range(size)]
    f = compile(program("shifted", {"x": xs}, {"y": [e + k for k, e in enumerate(xs)], "z": [xs[0]]}))
    rows = np.random.default_rng(size).random((37, size))
    y, z = f.batch(rows)
    np.testing.assert_array_equal(y, rows + np.arange(size))
    np.testing.assert_array_equal(z[:, 0], rows[:, 0])


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty((4, 3)), r"out takes 3 arrays \(s, A, e\), got 1"),
        (
            (np.empty((4, 3)), np.empty((4, 9)), np.empty(4)),
            r"out for A must be .* shape \(4, 3, 3\); got shape \(4, 9\)",
        ),
        ((np.empty((4, 3), np.float32), np.empty((4, 3, 3)), np.empty(4)), "of float32"),
        ((np.empty((3, 4)).T, np.empty((4, 3, 3)), np.empty(4)), "in rows"),
    ],
)
def test_arrays_that_cannot_take_results_are_refused(f, out, message):
    with pytest.raises(ProgramError, match=message):
        f.batch(0.5, np.zeros((4, 3)), out=out)


def test_work_is_divided_without_loss_and_errors_come_back():
    done = np.zeros(1000, dtype=int)

    def part(first, stop):
        done[first:stop] += 1
        if first >= 500:
            raise ValueError("no further")

    with pytest.raises(ValueError, match="no further"):
        share_out(part, 1000, 3, 7)
    assert np.all(done <= 1)
    done[:] = 0
    share_out(lambda a, b: share_out(lambda c, d: done.__setitem__(slice(a + c, a + d), 1), b - a, 3, 5), 1000, 3, 50)
    assert np.all(done == 1)  # also where those who work ask for work to be done


def test_derivatives_are_made_once() -> None:
    """The same function again, however the symbols are given; also after pickling."""
    m = sb.Model("arm")
    l = m.parameter("l", 1.0)
    m.revolute("q", m.ground, m.body("b", mass=1, com=(l, 0, 0)), actuation=m.input("F"))
    f = sb.compile(sb.derive(m))
    made = f.derivatives()
    assert f.derivatives() is made
    assert f.derivatives(["q", "u", "r"]) is made
    assert f.derivatives(s for s in ("q", "u", "r")) is made
    assert f.derivatives(("q",)) is not made
    assert f.rhs_derivatives() is f.rhs_derivatives(("x",)) is not f.rhs_derivatives(("x", "p"))
    assert f.inverse_derivatives() is f.inverse_derivatives()
    again = pickle.loads(pickle.dumps(f))
    assert again.derivatives() is again.derivatives()
    with pytest.raises(sb.SymbodyError, match="there is no symbol '3'"):
        f.derivatives([3])


def test_parameters_that_there_are_not_may_be_left_out() -> None:
    x = sb.symbol("x")
    f = sb.compile(sb.emit.program("f", {"x": [x], "p": []}, {"y": [2 * x]}))
    assert f([3.0]).tolist() == f([3.0], []).tolist() == [6.0]
    with pytest.raises(sb.errors.ProgramError, match=r"f\(x\[1\], p\[0\]\) takes 2 arguments"):
        f()
