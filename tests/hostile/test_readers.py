"""Damaged files: each reader reads them, or refuses them by an error of ours; none kills the process, takes memory without
bound or prints control characters. `python -m bench.fuzz --readers` does the same with many more."""

from __future__ import annotations

import os
import struct
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import io, sparse

import symbody as sb
from bench.fuzz.mutations import mutant
from bench.fuzz.reader_samples import READERS, Reader
from bench.fuzz.reader_trials import Trial, verdicts
from bench.fuzz.samples_of_elements import NODES, stiffness
from bench.limits import Limit
from symbody.array_files import read_array
from symbody.formats.fem.matrices.sparse_entries import market_matrix
from symbody.kits import vehicles as vh

from ..amount import FULL

MUTANTS = 40 if FULL else 6
SEED = 20


@pytest.mark.parametrize("name", READERS)
def test_samples_are_read(name: str) -> None:
    assert READERS[name].refusal() == ""


def test_mutants_are_read_or_refused() -> None:
    """All readers in turn, in processes of their own."""
    trials = [Trial(READERS[n], SEED, k) for k in range(MUTANTS) for n in READERS]
    found = list(verdicts(trials, 2, Limit(60.0, 250.0)))
    assert len(found) == len(trials)
    assert [(v.trial.reader.name, v.trial.number, v.ending, v.text) for v in found if v.is_finding] == []
    assert {v.ending for v in found} == {"ok", "refused"}


def _deaf(folder: Path) -> str:
    kind = (folder / "a.txt").read_text()
    if kind == "kill":
        os.kill(os.getpid(), 11)
    if kind == "wait":
        while True:
            pass
    if kind == "large":
        return str(len(bytearray(10**9)))
    if kind == "raw":
        raise ZeroDivisionError("of ours")
    return "\x1b[2J" if kind == "escape" else "fine"


def test_the_fuzzer_sees_what_it_is_to_see(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that does everything wrong: each is named, and others go on."""
    kinds = {"kill": "killed", "wait": "slow", "large": "large", "raw": "raw", "escape": "unfit text", "good": "ok"}
    for kind in kinds:
        reader = Reader(kind, lambda folder, kind=kind: (folder / "a.txt").write_text(kind), _deaf)
        monkeypatch.setitem(READERS, kind, reader)
        monkeypatch.setattr("bench.fuzz.reader_trials.mutant", lambda sample, seed: dict(sample))
    found = verdicts([Trial(READERS[k], 1, 1) for k in kinds], 2, Limit(3.0, 250.0))
    assert {v.trial.reader.name: v.ending for v in found} == kinds


def test_a_seed_is_a_mutant() -> None:
    sample = READERS["mtx"].sample
    assert mutant(sample, "1") == mutant(sample, "1")
    assert len({mutant(sample, str(k))["k.mtx"] for k in range(50)}) > 40


# ---------------------------------------------------------------------------------------------------- finite elements


def refused(**files: object) -> str:
    given = {"mass": np.eye(12), "stiffness": stiffness(), "nodes": NODES, **files}
    with pytest.raises(sb.ModelError) as caught:
        sb.finite_elements(**given)
    return str(caught.value)


def saved(path: Path, **changed: object) -> Path:
    K = sparse.csc_array(stiffness())
    parts = {"format": b"csc", "shape": (12, 12), "data": K.data, "indices": K.indices, "indptr": K.indptr, **changed}
    np.savez(path, **parts)
    return path


CORRUPT: dict[str, dict[str, Any]] = {
    "indices beyond": {"indices": np.full(54, 10**8, np.int32)},
    "negative indices": {"indices": np.full(54, -1, np.int32)},
    "pointers beyond": {"indptr": np.arange(13, dtype=np.int32) * 10**6},
    "falling pointers": {"indptr": np.array([0, 54, *[0] * 10, 54], np.int32)},
    "pointers of another length": {"indptr": np.arange(5, dtype=np.int32)},
    "shape": {"shape": (10**12, 10**12)},
    "indices that are no integers": {"indices": np.zeros(54)},
    "format": {"format": b"xyz"},
    "entries that are texts": {"data": np.full(54, "1.0")},
}


@pytest.mark.parametrize("case", CORRUPT)
def test_indices_are_checked_before_they_are_used(case: str, tmp_path: Path) -> None:
    """SciPy would write to memory that is not its own."""
    sound = sb.finite_elements(mass=np.eye(12), stiffness=saved(tmp_path / "k.npz"), nodes=NODES)
    assert np.array_equal(sound.stiffness.toarray(), stiffness())
    assert "k.npz" in refused(stiffness=saved(tmp_path / "k.npz", **CORRUPT[case]))
    entries = sparse.coo_array(stiffness())
    np.savez(
        tmp_path / "coo.npz", format=b"coo", shape=(12, 12), data=entries.data, row=entries.row, col=entries.col + 7
    )
    assert "there are columns 0 to 11" in refused(stiffness=tmp_path / "coo.npz")
    csr = sparse.csr_array(np.arange(6.0).reshape(2, 3))
    sparse.save_npz(tmp_path / "csr.npz", csr)
    assert "not square but 2 by 3" in refused(stiffness=tmp_path / "csr.npz")


def test_parts_in_one_file_are_checked_too(tmp_path: Path) -> None:
    K = sparse.csc_array(stiffness())
    parts = {"stiffness_data": K.data, "stiffness_indices": K.indices + 10**8, "stiffness_indptr": K.indptr}
    np.savez(tmp_path / "body.npz", mass=np.eye(12), nodes=NODES, **parts)
    with pytest.raises(sb.ModelError, match="row 1000000"):
        sb.finite_elements(tmp_path / "body.npz")


@pytest.mark.parametrize(
    "text",
    ["12 12 1\n1 1 1.7444444\x0044446E-1\n", "12 12 1\n1 1 1E", "2000000000 2000000000 1\n1 1 1\n", "12 12 9\n1 1 1\n", "12 12 1\n13 1 1\n", "12 12 1\n1.5 1 1\n", "12\n", ""],
)  # fmt: skip
def test_matrix_market_that_is_not(text: str, tmp_path: Path) -> None:
    (tmp_path / "k.mtx").write_bytes(b"%%MatrixMarket matrix coordinate real symmetric\n" + text.encode())
    assert "k.mtx" in refused(stiffness=tmp_path / "k.mtx")


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
@pytest.mark.parametrize("dense", [True, False])
def test_matrix_market_is_read_as_scipy_does(symmetry: str, dense: bool, tmp_path: Path) -> None:
    A = np.random.default_rng(0).normal(size=(5, 5)) * (np.random.default_rng(1).random((5, 5)) < 0.6)
    A = A + A.T if symmetry == "symmetric" else A
    io.mmwrite(tmp_path / "a.mtx", A if dense else sparse.coo_matrix(A), comment="two\nlines", precision=17, symmetry=symmetry)  # fmt: skip
    ours, theirs = market_matrix((tmp_path / "a.mtx").read_text()), io.mmread(tmp_path / "a.mtx")
    assert np.array_equal(sparse.csc_array(ours).toarray(), sparse.csc_array(theirs).toarray())


def test_numbers_that_no_body_has() -> None:
    """Nodes in one place, a stiffness near the largest number, no modes at all: each in words."""
    one_place = sb.finite_elements(mass=np.eye(12), stiffness=np.zeros((12, 12)), nodes=np.ones((4, 3)))
    with pytest.raises(sb.ModelError, match="nodes coincide, or lie on a line"):
        one_place.reduced(method="free", modes=1)
    stiff = sb.finite_elements(mass=np.eye(12), stiffness=1e298 * stiffness(), nodes=NODES)
    with pytest.raises(sb.ModelError):
        stiff.reduced(method="free", modes=1)
    with pytest.raises(sb.ModelError, match="no shape is left; use modes=1"):
        sb.finite_elements(mass=np.eye(12), stiffness=stiffness(), nodes=NODES).reduced(method="free", modes=0)
    assert "complex" in refused(mass=np.eye(12) + 0j)


def test_sets_that_go_on_and_on(tmp_path: Path) -> None:
    text = "*NODE\n1, 0, 0, 0\n*NSET, NSET=all, GENERATE\n1, 99999999999, 1\n"
    (tmp_path / "n.inp").write_text(text)
    assert "more than the file has" in refused(nodes=tmp_path / "n.inp")
    archive = READERS["cdb"].sample["n.cdb"].decode().replace(f"{-4:10d}", f"{-999999999:10d}")
    (tmp_path / "n.cdb").write_text(archive)
    assert "more than the file has" in refused(nodes=tmp_path / "n.cdb")


def test_reduced_bodies_have_the_shapes_of_their_coordinates(tmp_path: Path) -> None:
    body = sb.finite_elements(mass=np.eye(12), stiffness=stiffness(), nodes=NODES).reduced(method="free", modes=2)
    body.save(tmp_path / "b.npz")
    with np.load(tmp_path / "b.npz") as f:
        parts = {k: f[k] for k in f.files}
    wrong = {
        "first": np.zeros((4, 3)), "second": np.zeros((3, 3, 3)), "stiffness": np.full((2, 2), 1e200), "mass": np.array(-1.0),
        "skin_faces": np.array([[0, 1, 99]]), "frame": np.array("a\x1b[2Jb"), "damping": np.zeros((2, 2), np.float16),
    }  # fmt: skip
    for name, value in wrong.items():
        np.savez(tmp_path / "wrong.npz", **{**parts, name: value})
        with pytest.raises(sb.ModelError):
            sb.formats.read_reduced(tmp_path / "wrong.npz")
    text = READERS["sid"].sample["body.sid"].decode()
    (tmp_path / "a.sid").write_text(text.replace("m0( 1, 1)", "m0( 0, 1)", 1))
    with pytest.raises(sb.ModelError, match="counted from 1"):
        sb.formats.read_reduced(tmp_path / "a.sid")
    (tmp_path / "a.sid").write_text(text.replace("nelastq = 2", "nelastq = 200000"))
    with pytest.raises(sb.ModelError, match="up to 2000 elastic coordinates"):
        sb.formats.read_reduced(tmp_path / "a.sid")


# ---------------------------------------------------------------------------------------------------- arrays


@pytest.mark.parametrize(
    "array",
    [np.zeros((3, 4)), np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.array(2.5), np.array([b"ab", b"c"]), np.array(["x"]), np.zeros((0, 3)), np.arange(3, dtype=">i4")],
)  # fmt: skip
def test_arrays_are_read_as_numpy_does(array: np.ndarray, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", array)
    found = read_array(tmp_path / "a.npy", "a")
    assert found.dtype == array.dtype
    assert np.array_equal(found, array)


@pytest.mark.parametrize("header", ["{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }", "{'descr': '<f8'", "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", "(" * 3000])  # fmt: skip
def test_headers_of_arrays_are_not_evaluated(header: str, tmp_path: Path) -> None:
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(8)
    (tmp_path / "k.npy").write_bytes(data)
    assert "k.npy" in refused(stiffness=tmp_path / "k.npy")


def test_bombs_are_refused_before_they_unpack(tmp_path: Path) -> None:
    """A few hundred kilobytes that would be hundreds of megabytes."""
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as file:
        for name in ("data", "indices", "indptr", "shape", "format", "mass", "first", "point_names"):
            head = "{'descr': '<f8', 'fortran_order': False, 'shape': (10000000,), }\n"
            with file.open(f"{name}.npy", "w") as stream:
                stream.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
                for _ in range(80):
                    stream.write(bytes(10**6))
    tracemalloc.start()
    assert "times its size" in refused(stiffness=tmp_path / "bomb.npz")
    with pytest.raises(sb.ModelError, match="times its size"):
        sb.formats.read_reduced(tmp_path / "bomb.npz")
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()


# ---------------------------------------------------------------------------------------------------- any file


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_and_devices_are_not_read(tmp_path: Path) -> None:
    """They need have no end."""
    for name in ("a.npz", "a.crg", "a.tir", "a.npy", "a.inp", "a.urdf", "a.stl"):
        os.mkfifo(tmp_path / name)
    eq = sb.from_equations({sb.symbol("x"): -sb.symbol("x")})
    readers = {
        "a.npz": lambda p: sb.write.load_trajectory(p, eq), "a.crg": vh.read_crg, "a.tir": vh.read_tir, "a.urdf": sb.read_urdf, "a.stl": sb.read_solids,
        "a.npy": lambda p: sb.finite_elements(mass=p, stiffness=stiffness(), nodes=NODES), "a.inp": lambda p: sb.finite_elements(mass=np.eye(12), stiffness=stiffness(), nodes=p),
    }  # fmt: skip
    for name, read in readers.items():
        with pytest.raises(sb.SymbodyError, match="not a plain file"):
            read(tmp_path / name)
    with pytest.raises(sb.ModelError, match="not a plain file"):
        vh.read_tir("/dev/zero")


def test_control_characters_stop_at_the_reader(tmp_path: Path) -> None:
    """They would move the cursor and change the colours of a terminal."""
    escape = "\x1b[2J"
    tir = READERS["tir"].sample["sample.tir"].decode()
    with pytest.raises(sb.ModelError, match="0x1b"):
        vh.read_tir(tir.replace("PCX1", f"PCX1{escape}"))
    (tmp_path / "n.inp").write_text(READERS["inp"].sample["n.inp"].decode().replace("NSET=tip", f"NSET=tip{escape}"))
    assert "0x1b" in refused(nodes=tmp_path / "n.inp")
    arrays: dict[str, Any] = {"nodes": NODES, f"set_{escape}": np.array([1])}
    np.savez(tmp_path / "body.npz", mass=np.eye(12), stiffness=stiffness(), **arrays)
    with pytest.raises(sb.ModelError, match=r"U\+001B"):
        sb.finite_elements(tmp_path / "body.npz")
    (tmp_path / "a.crg").write_text(
        READERS["crg"].sample["sample.crg"].decode().replace("END_U     = 3.5", "END_U     = 2.0")
    )
    with pytest.raises(sb.ModelError, match="two cross sections at least, this one has 1"):
        vh.read_crg(tmp_path / "a.crg")
    (tmp_path / "a.crg").write_text(READERS["crg"].sample["sample.crg"].decode().replace("long section 1", escape))
    with pytest.raises(sb.ModelError, match="0x1b"):
        vh.read_crg(tmp_path / "a.crg")
