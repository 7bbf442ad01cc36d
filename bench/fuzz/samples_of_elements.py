"""Samples of finite elements: four nodes with springs between them, in every format for matrices, nodes and reduced bodies."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy import io, sparse

import symbody as sb

NODES: Final = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
PAIRS: Final = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
DIRECTIONS: Final = ("UX", "UY", "UZ")


@cache
def stiffness() -> Any:
    K = np.zeros((12, 12))
    for i, j in PAIRS:
        way = (NODES[j] - NODES[i]) / np.linalg.norm(NODES[j] - NODES[i])
        b = np.kron(np.eye(4)[j] - np.eye(4)[i], way)
        K += 1000.0 * np.outer(b, b)
    return K


def _asked(body: Any) -> str:
    reduced = body.reduced(method="free", modes=2)
    return f"{body} {reduced} {reduced.frequencies}"


def _of_stiffness(file: str, write: Callable[[Path], object]) -> tuple[Callable[[Path], object], Callable[[Path], str]]:
    """The stiffness from a file, all else from arrays."""
    return (
        lambda folder: write(folder / file),
        lambda folder: _asked(sb.finite_elements(mass=np.eye(12), stiffness=folder / file, nodes=NODES)),
    )


def _of_both(file: str, write: Callable[[Path, Any], object]) -> tuple[Callable[[Path], object], Callable[[Path], str]]:
    """Formats that name the nodes of entries, in which both matrices are."""

    def written(folder: Path) -> None:
        write(folder / f"mass_{file}", np.eye(12))
        write(folder / f"stiffness_{file}", stiffness())

    return written, lambda folder: _asked(
        sb.finite_elements(mass=folder / f"mass_{file}", stiffness=folder / f"stiffness_{file}", nodes=NODES)
    )


def _of_nodes(file: str, write: Callable[[Path], object]) -> tuple[Callable[[Path], object], Callable[[Path], str]]:
    return (
        lambda folder: write(folder / file),
        lambda folder: _asked(sb.finite_elements(mass=np.eye(12), stiffness=stiffness(), nodes=folder / file)),
    )


# ---------------------------------------------------------------------------------------------------------- matrices


def _op4(path: Path) -> None:
    lines = [f"{12:8d}{12:8d}{2:8d}{2:8d}{'KAA':8s}1P,3E23.16"]
    for j, column in enumerate(stiffness().T):
        lines.append(f"{j + 1:8d}{1:8d}{12:8d}")
        lines += ["".join(f"{x:23.16E}" for x in column[k : k + 3]) for k in range(0, 12, 3)]
    path.write_text("\n".join([*lines, f"{13:8d}{1:8d}{1:8d}", f"{1.0:23.16E}"]) + "\n")


def _binary_op4(path: Path) -> None:
    def record(*parts: bytes) -> bytes:
        size = np.array([sum(map(len, parts))], "<i4").tobytes()
        return size + b"".join(parts) + size

    integers = lambda *x: np.array(x, "<i4").tobytes()  # noqa: E731
    columns = [record(integers(j + 1, 1, 24), x.astype("<f8").tobytes()) for j, x in enumerate(stiffness().T)]
    end = record(integers(13, 1, 1), np.ones(1).tobytes())
    path.write_bytes(record(integers(12, 12, 2, 2), b"KAA     ") + b"".join(columns) + end)


def _punched(path: Path, A: Any) -> None:
    name = path.name[0].upper() + "AA"
    out = [f"DMIG    {name:8s}{0:8d}{6:8d}{2:8d}{0:8d}"]
    for j in range(12):
        out.append(f"DMIG*   {name:16s}{j // 3 + 1:16d}{j % 3 + 1:16d}")
        out += [f"*       {i // 3 + 1:16d}{i % 3 + 1:16d}{A[i, j]:16.9E}" for i in range(j, 12)]
    path.write_text("\n".join(out) + "\n")


def _abaqus(path: Path, A: Any) -> None:
    rows = ((i, j) for j in range(12) for i in range(j, 12))
    path.write_text("".join(f"{i // 3 + 1},{i % 3 + 1}, {j // 3 + 1},{j % 3 + 1}, {A[i, j]:.16e}\n" for i, j in rows))


def _body(path: Path) -> None:
    np.savez(
        path, mass=np.eye(12), stiffness=stiffness(), nodes=NODES, faces=np.array([[0, 1, 2]]), set_tip=np.array([3])
    )


def _body_in_parts(path: Path) -> None:
    K = sparse.csc_array(stiffness())
    parts = {"stiffness_data": K.data, "stiffness_indices": K.indices, "stiffness_indptr": K.indptr}
    np.savez_compressed(path, mass=np.eye(12), nodes=NODES, **parts)


# ---------------------------------------------------------------------------------------------------------- nodes

ABAQUS_NODES: Final = (
    "*HEADING\n*NODE, NSET=all\n"
    + "".join(f"{k + 1}, {x}, {y}, {z}\n" for k, (x, y, z) in enumerate(NODES.tolist()))
    + "*NSET, NSET=root, GENERATE\n1, 3, 1\n*NSET, NSET=tip\n4\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n"
)
NASTRAN_NODES: Final = (
    "BEGIN BULK\n"
    + "".join(
        f"GRID*   {k + 1:16d}{'':16s}{x:16.9E}{y:16.9E}\n*       {z:16.9E}\n" for k, (x, y, z) in enumerate(NODES)
    )
    + "SET1,7,1,2,3,4\nCTETRA,1,1,1,2,3,4\nENDDATA\n"
)
ANSYS_NODES: Final = "\n".join([
    "/PREP7", "ET,1,285", f"NBLOCK,6,SOLID,{4:10d},{4:10d}", "(3i9,6e21.13e3)",
    *(f"{k + 1:9d}{0:9d}{0:9d}" + "".join(f"{v:21.13E}" for v in x) for k, x in enumerate(NODES)),
    "N,R5.3,LOC,       -1,", "CMBLOCK,ROOT    ,NODE,       2  ! nodes", "(8i10)", f"{1:10d}{-4:10d}",
    f"EBLOCK,19,SOLID,{1:10d},{1:10d}", "(19i9)", "".join(f"{x:9d}" for x in (1, 1, 1, 1, 0, 0, 0, 0, 4, 0, 1, 1, 2, 3, 4)),
    f"{-1:9d}", "FINISH",
]) + "\n"  # fmt: skip
MAPPING: Final = "\n".join(
    ["  Matrix Eqn      Node      DOF", *(f"{i + 1:10d}{i // 3 + 1:10d}       {DIRECTIONS[i % 3]}" for i in range(12))]
)


def _mapped(folder: Path) -> str:
    return _asked(sb.finite_elements(mass=np.eye(12), stiffness=stiffness(), nodes=NODES, dofs=folder / "rows.mapping"))


# ---------------------------------------------------------------------------------------------------------- reduced


def _reduced() -> Any:
    part = sb.finite_elements(mass=np.eye(12), stiffness=stiffness(), nodes=NODES, faces=[[0, 1, 2], [0, 1, 3]])
    return part.reduced(frame="mean", method="free", modes=2)


def _in_model(path: Path) -> str:
    """Of a reduced body, as a model takes it."""
    body = sb.formats.read_reduced(path)
    m = sb.Model("m")
    m.elastic_from("part", body)
    return f"{body} {list(body.points)} {body.frame} {body.kept}"


SAMPLES: Final = {
    "npz": _of_stiffness("k.npz", lambda p: sparse.save_npz(p, sparse.csc_array(stiffness()))),
    "npz_coo": _of_stiffness("k.npz", lambda p: sparse.save_npz(p, sparse.coo_array(stiffness()))),
    "npy": _of_stiffness("k.npy", lambda p: np.save(p, stiffness())),
    "mtx": _of_stiffness("k.mtx", lambda p: io.mmwrite(p, sparse.coo_matrix(stiffness()), symmetry="symmetric")),
    "hb": _of_stiffness("k.hb", lambda p: io.hb_write(p, sparse.csc_matrix(np.tril(stiffness())))),
    "op4": _of_stiffness("k.op4", _op4),
    "binary_op4": _of_stiffness("k.op4", _binary_op4),
    "pch": _of_both("a.pch", _punched),
    "abaqus": _of_both("a.mtx", _abaqus),
    "body": (lambda f: _body(f / "body.npz"), lambda f: _asked(sb.finite_elements(f / "body.npz"))),
    "body_in_parts": (lambda f: _body_in_parts(f / "body.npz"), lambda f: _asked(sb.finite_elements(f / "body.npz"))),
    "nodes_npy": _of_nodes("n.npy", lambda p: np.save(p, NODES)),
    "nodes_csv": _of_nodes("n.csv", lambda p: np.savetxt(p, NODES, delimiter=",")),
    "inp": _of_nodes("n.inp", lambda p: p.write_text(ABAQUS_NODES)),
    "bdf": _of_nodes("n.bdf", lambda p: p.write_text(NASTRAN_NODES)),
    "cdb": _of_nodes("n.cdb", lambda p: p.write_text(ANSYS_NODES)),
    "mapping": (lambda f: (f / "rows.mapping").write_text(MAPPING), _mapped),
    "reduced": (lambda f: _reduced().save(f / "body.npz"), lambda f: _in_model(f / "body.npz")),
    "sid": (lambda f: _reduced().save(f / "body.sid"), lambda f: _in_model(f / "body.sid")),
}  # fmt: skip
