"""Sweeps: members, answers, where they are computed, and what is on disk."""

from __future__ import annotations

import json
import os
import pickle
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import symbody as sb
from symbody.study.sweeps.questions.identity import fingerprint
from symbody.study.sweeps.questions.varied import SAMPLES, member_generator, unit_points, varied_values
from symbody.study.sweeps.stored.batches import batches
from symbody.study.sweeps.workers.sweep_run import batch_size

OVER: dict[str, Any] = {"a": [1.0, 2.0, 3.0], "b": (0.0, 1.0), "c": stats.norm(5, 2)}


def mixed(a: float, b: float, c: float, rng: np.random.Generator) -> dict[str, Any]:
    """Numbers, arrays, integers, random numbers, and a failure now and then."""
    if b > 0.9:
        raise ValueError(f"b is {b > 0.9}")
    return {"sum": a + b + c, "parts": [a, b, c], "whole": int(10 * b), "wave": a + 1j * b, "noise": rng.normal()}


@pytest.fixture(scope="module")
def reference() -> sb.study.SweepResult:
    return sb.sweep(mixed, OVER, sample="sobol", repeat=32, seed=3)


@pytest.fixture(scope="module")
def pendulum() -> sb.Equations:
    return sb.derive(sb.read_model("double_pendulum").mechanism)


def same(one: sb.study.SweepResult, other: sb.study.SweepResult) -> None:
    """To the last bit, failures too."""
    assert dict(one.dims) == dict(other.dims)
    assert set(one.names) == set(other.names)
    for name in one.names:
        np.testing.assert_array_equal(one[name], other[name])
    assert one.failed == other.failed
    assert [one.outcome(k) for k in one.failed] == [other.outcome(k) for k in other.failed]


# ---------------------------------------------------------------------------------------------------- members


@pytest.mark.parametrize("sample", ["random", "sobol"])
def test_points_belong_to_their_numbers(sample: str) -> None:
    """More points are those that were there, and others; seeds differ."""
    few, many = (unit_points(sample, n, 5, 7) for n in (16, 64))
    np.testing.assert_array_equal(few, many[:16])
    assert not np.isin(unit_points(sample, 16, 5, 8), few).any()
    assert ((many > 0) & (many < 1)).all()


@pytest.mark.parametrize("sample", SAMPLES[1:4])
def test_points_fill_intervals_and_distributions(sample: str) -> None:
    """Means and deviations of the distributions; points that are spread evenly are nearer to them than the square root
    of their number."""
    members = varied_values({"b": (2.0, 4.0), "c": stats.norm(5, 2)}, sample, 1024, 1)
    b, c = members.points["b"], members.points["c"]
    loose = 4 / np.sqrt(1024) if sample == "random" else 0.02
    assert abs(b.mean() - 3) < loose
    assert abs(c.mean() - 5) < 2 * loose
    assert abs(c.std() - 2) < 3 * loose
    if sample == "latin hypercube":  # one point in each of the equal parts of every interval
        assert sorted(np.floor((b - 2) / 2 * 1024).astype(int)) == list(range(1024))


def test_levels_are_combined_with_everything() -> None:
    members = varied_values({"a": [1, 2], "b": (0, 1), "d": [5, 6, 7]}, "random", 4, 0)
    assert members.dims == {"a": 2, "d": 3, "sample": 4}
    values = members.values(np.arange(len(members)))
    grid = {(a, d, b) for a in (1, 2) for d in (5, 6, 7) for b in members.points["b"]}
    assert set(zip(values["a"], values["d"], values["b"], strict=True)) == grid
    ends = varied_values({"b": (0, 1), "c": stats.norm()}, "grid", 5, 0)
    assert ends.dims == {"b": 5, "c": 5}
    np.testing.assert_allclose(stats.norm().cdf(ends.levels["c"]), [0.1, 0.3, 0.5, 0.7, 0.9])


def test_noise_belongs_to_the_member() -> None:
    draws = {member_generator(3, k).random() for k in range(200)} | {
        member_generator(4, k).random() for k in range(200)
    }
    assert len(draws) == 400
    assert member_generator(3, 17).random() == member_generator(3, 17).random()


@pytest.mark.parametrize("shape", [(7,), (3, 4), (5, 1, 6), (2, 3, 4, 5)])
@pytest.mark.parametrize("most", [1, 2, 5, 11, 1000])
def test_batches_are_runs_of_members(shape: tuple[int, ...], most: int) -> None:
    """Every member is in one batch, batches have neighbours only, and chunks fit the array."""
    made = batches(shape, most)
    seen = [m for k in range(len(made)) for m in made.members(k)]
    assert sorted(seen) == list(range(int(np.prod(shape))))
    everything = np.arange(int(np.prod(shape))).reshape(shape)
    for k in range(len(made)):
        cut = tuple(slice(p * c, p * c + c) for p, c in zip(made.place(k), made.chunk, strict=True))
        assert everything[cut].reshape(-1).tolist() == list(made.members(k))
        assert len(made.members(k)) <= most


def test_batches_take_about_a_second() -> None:
    assert batch_size(10**6, 2, 1e-3, {}) == 1000
    assert batch_size(10**6, 1000, 1e-6, {}) == 1000  # no worker waits for the others
    assert batch_size(100, 4, 5.0, {}) == 1
    assert batch_size(10**6, 10**5, 1e-6, {}) == 10


# ---------------------------------------------------------------------------------------------------- answers


def test_function(reference: sb.study.SweepResult) -> None:
    assert reference.shape == (3, 32)
    for member in (0, 40, 95):
        a, b, c = reference.values(member).values()
        rng = member_generator(3, member)
        i, j = divmod(member, 32)
        if b > 0.9:
            assert member in reference.failed
            assert np.isnan(reference["sum"][i, j])
            assert reference.outcome(member) == "ValueError: b is True"
        else:
            expected = mixed(a, b, c, rng)
            assert reference["sum"][i, j] == expected["sum"]
            assert reference["parts"][i, j].tolist() == expected["parts"]
            assert (reference["whole"][i, j], reference["wave"][i, j]) == (expected["whole"], expected["wave"])
            assert reference["noise"][i, j] == expected["noise"]
    assert len(reference.failed) == (reference["b"] > 0.9).sum() * 3


def test_motions_are_those_of_simulate(pendulum: sb.Equations) -> None:
    times = np.linspace(0, 0.5, 6)
    over = {"q1": [0.1, 0.7], "l": [1.0, 2.0]}
    along = sb.sweep(pendulum, over, sb.study.at_times(times, "q1", "q2_dot", start={"q2": 0.3}))
    ends = sb.sweep(pendulum, over, sb.study.at_end(0.5, "q1"), values={"q2": 0.3})
    sides = sb.sweep(pendulum, over, sb.study.extremes(times, "q1", start={"q2": 0.3}))
    sim = sb.simulate(pendulum, times, q1=0.7, q2=0.3, l=2.0)
    np.testing.assert_array_equal(along["q1"][1, 1], sim["q1"])
    np.testing.assert_array_equal(along["q2_dot"][1, 1], sim["q2_dot"])
    assert ends["q1"][1, 1] == pytest.approx(sim["q1"][-1], abs=1e-7)
    assert (sides["q1_min"][1, 1], sides["q1_max"][1, 1]) == (sim["q1"].min(), sim["q1"].max())
    assert along["q1_start"].tolist() == [0.1, 0.7]


def test_starts_are_assembled_for_each_member() -> None:
    """With another length of the rod the start is on the constraints again; the motion is that of `assemble` and
    `simulate`."""
    eq = sb.derive(sb.read_model("slider_crank").mechanism)
    start = {"alpha": 0.5, "alpha_dot": 3.0}
    found = sb.sweep(eq, {"l": [1.0, 1.2]}, sb.study.at_end(0.2, "x", start=start, assemble=True))
    for k, length in enumerate((1.0, 1.2)):
        sim = sb.simulate(eq, 0.2, sb.assemble(eq, {"l": length}, start=start))
        assert found["x"][k] == pytest.approx(sim["x"][-1], rel=1e-6)


def test_members_that_cannot_begin_have_failed(pendulum: sb.Equations) -> None:
    found = sb.sweep(pendulum, {"m": [1.0, -1.0]}, sb.study.at_end(0.1, "q1"), values={"q1": 0.2})
    assert found.failed == [1]
    assert "m" in found.outcome(1)
    assert np.isfinite(found["q1"][0])


def test_eigenvalues_do_not_depend_on_batches() -> None:
    lin = sb.study.Study(sb.study.find_model("bicycle")).linear
    over: dict[str, Any] = {"V": np.linspace(1, 10, 12), "b": [0.03, 0.06]}
    whole = sb.sweep(lin, over, sb.study.spectrum())
    same(whole, sb.sweep(lin, over, sb.study.spectrum(), batch=5))
    for i, j in ((0, 0), (7, 1), (11, 0)):
        expected = lin.eigenvalues(V=over["V"][i], b=over["b"][j])
        np.testing.assert_allclose(np.sort_complex(whole["eigenvalues"][i, j]), np.sort_complex(expected), atol=1e-9)
        assert whole["growth"][i, j] == pytest.approx(expected.real.max(), abs=1e-9)
    assert set(np.unique(whole["unstable"])) >= {0, 2}


def test_steady_motions_and_orbits() -> None:
    x, v, mu, a = sb.symbols("x v mu a")
    eq = sb.from_equations({x: v, v: mu * (1 - x**2) * v - x + a}, {mu: 1, a: 0}, name="van der Pol")
    rest = sb.sweep(eq, {"a": [0.0, 0.5]}, sb.study.steady_values())
    assert rest["x"] == pytest.approx([0.0, 0.5])
    found = sb.sweep(eq, {"mu": [0.5, 1.0]}, sb.study.orbit_values({"x": 2.0}, "x", period=6.5))
    assert found["period"][1] == pytest.approx(6.66328686, abs=1e-5)  # the known period at mu = 1
    assert found["x_max"][1] == pytest.approx(2.00862, abs=1e-4)
    assert (found["largest_multiplier"] < 1).all()


def test_one_answer_unlike_the_others_has_failed() -> None:
    found = sb.sweep(lambda n: np.zeros(2 + (n > 5)), {"n": list(range(8))}, batch=3)
    assert found.failed == [6, 7]
    assert "shape (3,)" in found.outcome(6)


# ---------------------------------------------------------------------------------------------------- where


@pytest.mark.parametrize("batch", [1, 7, None])
def test_division_does_not_matter(reference: sb.study.SweepResult, batch: int | None) -> None:
    same(sb.sweep(mixed, OVER, sample="sobol", repeat=32, seed=3, batch=batch, workers=2), reference)


def test_processes_that_die(tmp_path: Path) -> None:
    """One dies once, which nobody sees in the answers; one member ends every process that computes it, which is its
    outcome."""

    def deadly(a: float, b: float) -> float:
        if (a, b) == (1, 2) and not (tmp_path / "died").exists():
            (tmp_path / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if (a, b) == (1, 5):
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.03)  # so that the first members, by which the size of batches is chosen, are not all
        return 10 * a + b

    deadly.__module__ = "__main__"  # as in a script: it travels by value
    over = {"a": [0, 1], "b": [0, 1, 2, 3, 4, 5]}
    found = sb.sweep(deadly, over, on="processes", workers=1, batch=2, to=tmp_path / "study.zarr")
    assert (tmp_path / "died").exists()
    assert found.failed == [11]
    assert found.outcome(11) == "the process that computed it was ended by SIGKILL"
    assert found["value"].reshape(-1)[:11].tolist() == [0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14]
    assert np.isnan(found["value"][1, 5])


def test_dask(reference: sb.study.SweepResult, tmp_path: Path) -> None:
    """A cluster inside this process; those of other processes are in `python -m bench sweep`."""
    distributed = pytest.importorskip("distributed", reason="needs the package distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster, set_as_default=False) as client:
        same(sb.sweep(mixed, OVER, sample="sobol", repeat=32, seed=3, on=client, batch=9), reference)
        disk = sb.sweep(mixed, OVER, sample="sobol", repeat=32, seed=3, on=cluster, batch=9, to=tmp_path / "study.zarr")
        same(disk, reference)


def test_what_travels_is_of_one_version() -> None:
    from symbody.study.sweeps.questions.questions import FunctionValues
    from symbody.study.sweeps.workers.job import Job, packed_job, unpacked_job

    job = Job(mixed, FunctionValues(), varied_values(OVER, "random", 2, 0), {})
    body = packed_job(job)
    assert unpacked_job(body).varied.names == ("a", "b", "c")
    with pytest.raises(sb.errors.StudyError, match=r"the study comes from version 9\.9"):
        unpacked_job(pickle.dumps(("9.9", job)))


# ---------------------------------------------------------------------------------------------------- on disk


def test_others_read_the_folder(reference: sb.study.SweepResult, tmp_path: Path) -> None:
    """xarray opens it lazily, with names, units and coordinates; its numbers are those in memory."""
    xarray, zarr = (pytest.importorskip(p, reason=f"needs the package {p}") for p in ("xarray", "zarr"))
    path = tmp_path / "study.zarr"
    found = sb.sweep(mixed, OVER, sample="sobol", repeat=32, seed=3, to=path, batch=10, units={"b": "m"})
    same(found, reference)
    data = xarray.open_zarr(path, chunks=None)
    assert not data["sum"].variable._in_memory
    assert data["parts"].dims == ("a", "sample", "parts_0")
    assert (data["a"].values.tolist(), data["b"].attrs["units"]) == ([1, 2, 3], "m")
    for name in ("sum", "parts", "wave", "noise"):
        np.testing.assert_array_equal(data[name].values, reference[name])
    assert data["whole"].values[reference.status == 1].tolist() == reference["whole"][reference.status == 1].tolist()
    assert (data["status"].values == reference.status).all()
    assert set(data["message"].values[reference.status == 2]) == {b"ValueError: b is True"}
    assert float(data["sum"].sel(a=2).isel(sample=0)) == reference["sum"][1, 0]
    np.testing.assert_array_equal(zarr.open_group(path, mode="r")["sum"][:], reference["sum"])
    np.testing.assert_array_equal(reference.to_xarray()["sum"], data["sum"])


def test_units_of_the_model(tmp_path: Path) -> None:
    m = sb.Model("slider")
    x = m.coordinate("x")
    k = m.parameter("k", 4.0, unit="N/m")
    m.body("block", m.ground.translate(x, 0, 0), mass=1.0)
    m.generalized_force("spring", x, -k * x)
    eq = sb.derive(m)
    found = sb.sweep(
        eq, {"k": [1.0, 4.0]}, sb.study.at_times([0.0, 0.5, 1.0]), values={"x": 1.0}, to=tmp_path / "s.zarr"
    )
    assert found.coordinates["k"][2] == "N/m"
    assert found["x"] == pytest.approx(np.cos(np.sqrt([[1.0], [4.0]]) * [0.0, 0.5, 1.0]), abs=1e-6)
    assert found["t"].tolist() == [0.0, 0.5, 1.0]


def test_another_study_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "study.zarr"
    sb.sweep(mixed, OVER, sample="sobol", repeat=4, to=path)
    before = (path / "status" / "0.0").stat().st_mtime_ns
    changes: list[tuple[dict[str, Any], str]] = [
        ({"repeat": 8}, "what is varied"),
        ({"what": lambda a, b, c: a}, "the model or function"),
    ]
    for change, said in changes:
        options: dict[str, Any] = {"what": mixed, "over": OVER, "sample": "sobol", "repeat": 4, "to": path, **change}
        with pytest.raises(sb.errors.StudyError, match=said):
            sb.sweep(**options)
    sb.sweep(mixed, OVER, sample="sobol", repeat=4, to=path)
    assert (path / "status" / "0.0").stat().st_mtime_ns == before
    (tmp_path / "other.zarr").mkdir()
    with pytest.raises(sb.errors.StudyError, match="is not a study of symbody"):
        sb.sweep(mixed, OVER, sample="sobol", repeat=4, to=tmp_path / "other.zarr")


def test_fingerprints_are_of_content() -> None:
    """The same in another process, for equations made in another order; different where a number in a function is."""
    assert fingerprint(lambda a: a + 1) == fingerprint(lambda a: a + 1)
    assert fingerprint(lambda a: a + 1) != fingerprint(lambda a: a + 2)
    eq = sb.derive(sb.read_model("double_pendulum").mechanism)
    assert fingerprint(eq) == fingerprint(pickle.loads(pickle.dumps(eq)))
    assert fingerprint(sb.study.at_end(1.0, "q1", rtol=1e-6)) != fingerprint(sb.study.at_end(1.0, "q1", rtol=1e-7))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"over": {}}, "over must be a mapping"),
        ({"over": {"a": "1"}}, "a is varied over a list"),
        ({"over": {"a": (2, 1)}}, "the interval of a goes from 2 to 1"),
        ({"over": {"a": [1, np.nan]}}, "finite numbers"),
        ({"over": {**OVER, "d": [1]}}, "no argument 'd'"),
        ({"over": {"a": [1]}}, "needs b, c"),
        ({"sample": "sobl"}, "Did you mean 'sobol'"),
        ({"repeat": 1, "sample": "grid"}, "would have one value"),
        ({"repeat": 0}, "repeat must be a whole number"),
        ({"on": "dusk"}, "no place 'dusk'"),
        ({"workers": 0}, "workers must be a whole number"),
        ({"ask": 3}, "ask must be a question"),
        ({"values": {"a": 1}}, "a is varied and has a value"),
        ({"on": "cuda"}, "is for motions"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_what_is_wrong_is_said(change: dict[str, Any], said: str) -> None:
    options = {"what": mixed, "over": OVER, "sample": "random", "repeat": 2, **change}
    with pytest.raises(sb.errors.StudyError, match=said):
        sb.sweep(**options)


def test_wrong_names_are_refused_before_anything_runs(pendulum: sb.Equations) -> None:
    with pytest.raises(sb.errors.StudyError, match="there is no quantity 'q7'"):
        sb.sweep(pendulum, {"l": [1.0]}, sb.study.at_end(1.0, "q7"))
    with pytest.raises(sb.errors.StudyError, match="'mass'"):
        sb.sweep(pendulum, {"mass": [1.0]}, sb.study.at_end(1.0, "q1"))
    with pytest.raises(sb.errors.StudyError, match="ask= must state the quantities"):
        sb.sweep(pendulum, {"l": [1.0]})


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The members of the command are those of `symbody eig --set` and `symbody simulate --set`."""
    from symbody.command_line.cli import main

    path = tmp_path / "study.zarr"
    call = [
        "sweep",
        "double_pendulum",
        "--ask",
        "end",
        "-t",
        "0.3",
        "--vary",
        "l=0.5,1",
        "--vary",
        "q1=uniform(0.1, 0.4)",
        "--json",
    ]
    call += ["--sample", "random", "--repeat", "3", "-o", str(path)]
    assert main(call) == 0
    assert json.loads(capsys.readouterr().out)["members"] == 6
    found = sb.study.load_sweep(path)
    v = found.values(4)
    assert 0.1 <= v["q1_start"] <= 0.5
    assert (
        main(
            [
                "simulate",
                "double_pendulum",
                "-t",
                "0.3",
                "--set",
                f"l={v['l']}",
                "--set",
                f"q1={v['q1_start']!r}",
                "--json",
            ]
        )
        == 0
    )
    assert found["q1"].reshape(-1)[4] == pytest.approx(json.loads(capsys.readouterr().out)["final"]["q1"], abs=1e-9)
    assert main(call) == 3
    assert "--resume continues it" in capsys.readouterr().out
    assert main([*call, "--resume"]) == 0
