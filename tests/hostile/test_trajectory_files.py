"""Files of trajectories that are damaged or mean harm: each is read as it was written, or refused in one kind of error,
within bounds."""

import contextlib
import io
import json
import tracemalloc
import zipfile
from random import Random

import numpy as np
import pytest

import symbody as sb


@pytest.fixture(scope="module")
def eq():
    m = sb.Model("pendulum")
    bob = m.body("bob", mass=m.parameter("m", 1.0), com=(0, -1, 0), inertia=(1, 1, 1))
    m.revolute("q", m.ground, bob)
    m.gravity(0, -9.81, 0)
    return sb.derive(m)


@pytest.fixture(scope="module")
def saved(eq, tmp_path_factory):
    events = [sb.Event("zero", sb.symbol("q", "coordinate"))]
    sim = sb.simulate(eq, 1, q=1, events=events, sensitivities=["m"])
    return sb.write.save_trajectory(sim, tmp_path_factory.mktemp("good") / "run.npz")


def members(path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as file:
        return {n: file.read(n) for n in file.namelist()}


def array(values, kind=np.float64) -> bytes:
    out = io.BytesIO()
    np.save(out, np.asarray(values, dtype=kind))
    return out.getvalue()


def changed_header(path, change) -> bytes:
    header = json.loads(np.load(io.BytesIO(members(path)["header.npy"])).tobytes())
    change(header)
    return array(np.frombuffer(json.dumps(header).encode(), np.uint8), np.uint8)


def written(path, parts: dict[str, bytes]):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return path


def refused(path, eq) -> str:
    with pytest.raises(sb.errors.SimulationError) as caught:
        sb.write.load_trajectory(path, eq)
    return str(caught.value)


def test_the_good_file_is_read(saved, eq):
    sim = sb.write.load_trajectory(saved, eq)
    assert sim.outcome
    assert len(sim.events) > 0


def test_every_array_is_needed_and_has_its_shape(saved, eq, tmp_path):
    """Each array in turn: missing, longer by one, of another type, with another dimension."""
    parts = members(saved)
    for name in parts:
        values = np.load(io.BytesIO(parts[name]))
        wrong = [array(values, np.int64 if values.dtype == np.uint8 else np.float32), array(values[None], values.dtype)]
        if "variations" not in name:  # a run without sensitivities has none
            wrong.append(None)
        if "ends" not in name and "after" not in name and name != "header.npy":  # whose lengths say how many there are
            wrong.append(array(np.concatenate([values, values[-1:] if len(values) else [0.0]]), values.dtype))
        for content in wrong:
            kept = {n: c for n, c in {**parts, name: content}.items() if c is not None}
            assert str(tmp_path) in refused(written(tmp_path / "bad.npz", kept), eq)


KEYS = ("symbody trajectory", "model", "outcome", "segments")
SEGMENT_KEYS = (
    "mode",
    "times",
    "columns",
    "parameters",
    "inputs",
    "outcome",
    "statistics",
    "choices",
    "events",
    "sensitivities",
    "starts",
)


@pytest.mark.parametrize("key", [*KEYS, *SEGMENT_KEYS])
@pytest.mark.parametrize("value", ["missing", None, 3, "text", [], {}, [[1]], -1, 1e300])
def test_every_key_is_needed_and_has_its_type(saved, eq, tmp_path, key, value):
    def change(header):
        place = header if key in KEYS and key != "outcome" else header["segments"][0]
        if value == "missing":
            del place[key]
        else:
            place[key] = value

    parts = members(saved) | {"header.npy": changed_header(saved, change)}
    path = written(tmp_path / "bad.npz", parts)
    try:
        sb.write.load_trajectory(path, eq)
    except sb.errors.SimulationError:
        pass
    else:
        assert (key, value) == ("inputs", []) or key in (
            "model",
            "mode",
            "choices",
            "sensitivities",
            "starts",
            "events",
            "statistics",
            "segments",
        )  # harmless ones


def test_deep_headers(saved, eq, tmp_path):
    deep = array(np.frombuffer(b"[" * 200_000 + b"]" * 200_000, np.uint8), np.uint8)
    refused(written(tmp_path / "deep.npz", members(saved) | {"header.npy": deep}), eq)


def test_shapes_that_are_declared_only(saved, eq, tmp_path):
    """1e13 numbers in the header of an array, or of the file: nothing is asked of memory."""
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": "<f8", "fortran_order": False, "shape": (10**13,)})
    huge = out.getvalue() + bytes(800)
    refused(written(tmp_path / "a.npz", members(saved) | {"t.npy": huge}), eq)

    def change(header):
        header["segments"][0]["times"] = 10**13

    refused(written(tmp_path / "b.npz", members(saved) | {"header.npy": changed_header(saved, change)}), eq)


def test_bombs(saved, eq, tmp_path):
    """Zeros that unpack to a thousand times the file, in an array that is wanted and in one that is not."""
    n = 16_000_000  # 128 MB
    zeros = array(np.zeros(n))

    def change(header):
        header["segments"][0]["times"] = n

    names = [k for k in members(saved) if k.startswith("column") or k == "t.npy"]
    bomb = members(saved) | {"header.npy": changed_header(saved, change)} | dict.fromkeys(names, zeros)
    path = written(tmp_path / "bomb.npz", bomb)
    other = written(tmp_path / "other.npz", members(saved) | {"more.npy": zeros})
    del zeros, bomb
    tracemalloc.start()
    assert "times its size" in refused(path, eq)
    assert len(sb.write.load_trajectory(other, eq)) == len(np.load(saved)["t"])
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()


def test_pickles_are_not_opened(saved, eq, tmp_path):
    out = io.BytesIO()
    np.save(out, np.array([print], dtype=object), allow_pickle=True)
    refused(written(tmp_path / "a.npz", members(saved) | {"t.npy": out.getvalue()}), eq)


def test_damaged_files(saved, eq, tmp_path):
    """Bytes flipped and cut at random: refused, or read where the damage is in what nobody reads."""
    good, r, path = saved.read_bytes(), Random(1), tmp_path / "damaged.npz"
    whole, kept = sb.write.load_trajectory(saved, eq), []
    for _ in range(150):
        data = bytearray(good)
        for _ in range(r.choice((1, 1, 3, 20))):
            data[r.randrange(len(data))] = r.randrange(256)
        path.write_bytes(bytes(data[: r.choice((len(data), len(data), r.randrange(len(data)))) or 1]))
        with contextlib.suppress(sb.errors.SimulationError):
            kept.append(sb.write.load_trajectory(path, eq))
    assert len(kept) < 75
    assert all(np.array_equal(read.y, whole.y) and np.array_equal(read.t, whole.t) for read in kept)
