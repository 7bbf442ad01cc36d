"""Files as other programs write them, by writers of the formats' descriptions that share nothing with the readers: OUTPUT4
of Nastran in text and binary, archives and matrices of Ansys, standard input data with columns of inertia."""

from __future__ import annotations

import struct
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from scipy import io, sparse

import symbody as sb
from symbody.formats.fem.matrices.op4_file import op4_matrices

from .bricks import Block

PRECISION = {1: "f", 2: "d", 3: "f", 4: "d"}


def _runs(column):
    """First rows and values of the runs of entries that are not zero."""
    rows = np.flatnonzero(column)
    return [(int(r[0]), column[r]) for r in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1) if len(r)]


def _parts(values, kind):
    return np.ravel(np.stack([values.real, values.imag], axis=-1)) if kind > 2 else values


def binary(name, A, kind, order="<", strings=None, long=False):
    """One matrix of OUTPUT4 as records of Fortran; strings: None dense, "one" or "two" integers before each."""
    integer, real = ("q", "d") if long else ("i", PRECISION[kind])
    word = 8 if long else 4
    pack = lambda form, *x: struct.pack(f"{order}{form}", *x)  # noqa: E731
    record = lambda b: pack("i", len(b)) + b + pack("i", len(b))  # noqa: E731
    n, m = A.shape
    out = record(
        pack(f"4{integer}", m, -n if strings == "two" else n, 2, kind) + name.ljust(16 if long else 8).encode()
    )
    for j in range(m):
        if not A[:, j].any():
            continue
        if strings is None:
            rows = np.flatnonzero(A[:, j])
            values = _parts(A[rows[0] : rows[-1] + 1, j], kind)
            data = pack(f"{len(values)}{real}", *values)
            out += record(pack(f"3{integer}", j + 1, rows[0] + 1, len(data) // word) + data)
            continue
        data = b""
        for first, values in _runs(A[:, j]):
            inner = pack(f"{values.size * (2 if kind > 2 else 1)}{real}", *_parts(values, kind))
            length = len(inner) // word + 1
            head = (length, first + 1) if strings == "two" else (length * 65536 + first + 1,)
            data += pack(f"{len(head)}{integer}", *head) + inner
        out += record(pack(f"3{integer}", j + 1, 0, len(data) // word) + data)
    return out + record(pack(f"3{integer}", m + 1, 1, 1) + pack(real, 1.0))


def text(name, A, kind, strings):
    """The same in text: lengths of strings count words of four bytes, as in binary files."""
    n, m = A.shape
    lines = [f"{m:8d}{-n if strings == 'two' else n:8d}{2:8d}{kind:8d}{name:8s}1P,3E23.16"]
    each = 1 if PRECISION[kind] == "f" else 2
    for j in range(m):
        body, words = [], 0
        for first, values in _runs(A[:, j]):
            reals = _parts(values, kind)
            length = each * len(reals) + 1
            body.append(f"{length:8d}{first + 1:8d}" if strings == "two" else f"{length * 65536 + first + 1:12d}")
            body += ["".join(f"{x:23.16E}" for x in reals[k : k + 3]) for k in range(0, len(reals), 3)]
            words += length - 1 + (2 if strings == "two" else 1)
        if body:
            lines += [f"{j + 1:8d}{0:8d}{words:8d}", *body]
    return "\r\n".join([*lines, f"{m + 1:8d}{1:8d}{1:8d}", f"{1.0:23.16E}"]).encode() + b"\r\n"


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_output4(kind):
    """Two matrices in one file, one of them with an empty column, in every layout."""
    draw = np.random.default_rng(kind)
    A = np.where(draw.random((7, 5)) < 0.5, draw.normal(size=(7, 5)), 0.0) + (
        1j * draw.normal(size=(7, 5)) if kind > 2 else 0.0
    )
    A[:, 3] = 0.0
    A[2:4, 0] = 0.0
    B = np.where(draw.random((4, 4)) < 0.6, 1.0, 0.0) * np.arange(1.0, 5)
    if PRECISION[kind] == "f":
        A = A.astype(np.complex64 if kind > 2 else np.float32).astype(A.dtype)
    both = [
        *(binary("KAA", A, kind, o, s) + binary("MAA", B, 2, o, s) for o in "<>" for s in (None, "one", "two")),
        *(text("KAA", A, kind, s) + text("MAA", B, 2, s) for s in ("one", "two")),
    ]
    if PRECISION[kind] == "d":
        both += [
            binary("KAA", A, kind, "<", s, long=True) + binary("MAA", B, 2, "<", s, long=True) for s in (None, "one")
        ]
    for raw in both:
        found = op4_matrices(raw)
        assert list(found) == ["KAA", "MAA"]
        assert np.array_equal(found["KAA"].toarray(), A)
        assert np.array_equal(found["MAA"].toarray(), B)


@pytest.fixture(scope="module")
def small():
    b = Block(n=(2, 1, 1))
    return sb.finite_elements(mass=b.mass, stiffness=b.stiffness, nodes=b.nodes)


def test_a_body_from_binary_output4(small, tmp_path):
    for name, A in (("mass", small.mass), ("stiffness", small.stiffness)):
        (tmp_path / f"{name}.op4").write_bytes(binary(f"{name[0]}gg".upper(), A.toarray(), 2, strings="one"))
    made = sb.finite_elements(mass=tmp_path / "mass.op4", stiffness=tmp_path / "stiffness.op4", nodes=small.nodes)
    assert abs(made.stiffness - small.stiffness).max() <= 1e-15 * abs(small.stiffness).max()
    (tmp_path / "mass.op4").write_bytes(binary("MGG", small.mass.toarray() + 0j, 4))
    with pytest.raises(sb.ModelError, match="the matrix MGG is complex"):
        sb.finite_elements(mass=tmp_path / "mass.op4", stiffness=tmp_path / "stiffness.op4", nodes=small.nodes)


# ---------------------------------------------------------------------------------------------------------- Ansys


def archive(nodes, labels):
    """CDWRITE's archive: a block of nodes whose trailing zeros are left out, and a component of them."""
    lines = ["/PREP7", f"NBLOCK,6,SOLID,{labels[-1]:10d},{len(nodes):10d}", "(3i9,6e21.13e3)"]
    for k, x in zip(labels, nodes, strict=True):
        last = max((i for i in range(3) if x[i]), default=-1)
        fields = "".join(f"{v:21.13E}".replace("E-", "E-0").replace("E+", "E+0")[-21:] for v in x[: last + 1])
        lines.append(f"{k:9d}{0:9d}{0:9d}{fields}")
    lines += [
        "N,R5.3,LOC,       -1,",
        "CMBLOCK,ROOT    ,NODE,       2  ! nodes",
        "(8i10)",
        f"{labels[0]:10d}{-labels[3]:10d}",
    ]
    return "\n".join([*lines, "FINISH"]) + "\n"


@pytest.fixture
def ansys(small, tmp_path):
    """Rows in an order of their own, as Ansys's solvers leave them; labels that are no row of numbers from one."""
    n = len(small.nodes)
    labels = np.concatenate([np.arange(11, 15), 20 + 3 * np.arange(n - 4)])
    order = np.random.default_rng(1).permutation(n)
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    (tmp_path / "b.cdb").write_text(archive(small.nodes, labels))
    return labels, order, rows


def _is(made, small):
    assert made.nodes == pytest.approx(small.nodes, abs=1e-12)
    assert made.sets["ROOT"].tolist() == [0, 1, 2, 3]
    want = small.reduced(method="free", modes=3).frequencies
    assert made.reduced(method="free", modes=3).frequencies == pytest.approx(want, rel=1e-9)


def test_ansys_in_text(small, ansys, tmp_path):
    """Matrix Market with the vector of nodes, and Harwell-Boeing with HBMAT's mapping."""
    labels, order, rows = ansys
    for name, A in (("mass", small.mass), ("stiffness", small.stiffness)):
        B = A.tocsc()[rows][:, rows]
        io.mmwrite(tmp_path / f"{name}.txt", sparse.coo_matrix(B), precision=17, symmetry="symmetric")
        (tmp_path / f"{name}.txt.mtx").rename(tmp_path / f"{name}.txt")
        io.hb_write(tmp_path / f"{name}.hb", sparse.csc_matrix(sparse.tril(B)))
    io.mmwrite(tmp_path / "order.mtx", labels[order][:, None])
    eq = [
        f"{3 * i + a + 1:10d}{labels[k]:10d}       {'UX UY UZ'.split()[a]}"
        for i, k in enumerate(order)
        for a in range(3)
    ]
    (tmp_path / "b.mapping").write_text("\n".join(["  Matrix Eqn      Node      DOF", *eq]) + "\n")
    for end, dofs in ((".txt", "order.mtx"), (".hb", "b.mapping")):
        made = sb.finite_elements(
            mass=tmp_path / f"mass{end}", stiffness=tmp_path / f"stiffness{end}", nodes=tmp_path / "b.cdb", dofs=tmp_path / dofs
        )  # fmt: skip
        _is(made, small)


def test_ansys_full_files(small, ansys, tmp_path, monkeypatch):
    """A .full file by its reader, for which an object with the reader's answers stands in: upper triangles sorted by
    nodes, and the degrees of freedom that are supported, which are refused."""
    labels, _, _ = ansys
    freedoms = np.array([(k, a) for k in labels for a in range(3)], dtype=np.int32)
    held = []
    full = SimpleNamespace(
        load_km=lambda sort: (freedoms, sparse.csc_matrix(sparse.triu(small.stiffness)), sparse.csc_matrix(sparse.triu(small.mass))),
        const=held,
    )  # fmt: skip
    reader = ModuleType("ansys.mapdl.reader")
    vars(reader)["read_binary"] = lambda path: full
    for name, module in (
        ("ansys", ModuleType("ansys")),
        ("ansys.mapdl", ModuleType("ansys.mapdl")),
        (reader.__name__, reader),
    ):
        monkeypatch.setitem(sys.modules, name, module)
    (tmp_path / "b.full").write_bytes(b"\x00")
    _is(sb.finite_elements(tmp_path / "b.full", nodes=tmp_path / "b.cdb"), small)
    held.append((14, 2))
    with pytest.raises(sb.ModelError, match=r"1 supported degrees of freedom \(node 14 first\)"):
        sb.finite_elements(tmp_path / "b.full", nodes=tmp_path / "b.cdb")


# ---------------------------------------------------------------------------------------------------------- SID


def in_columns(sid):
    """J as a column of six, as other programs write it: xx, yy, zz, xy, xz, yz; D exponents; a first line of words."""
    place = {(1, 1): 1, (2, 2): 2, (3, 3): 3, (1, 2): 4, (1, 3): 5, (2, 3): 6}
    out, inside = ["    2   3    :No. nodes, No. modes:Frame: tangent"], False
    for line in sid.splitlines():
        inside = (inside or line == "J") and line != "end J"
        if inside and "nrow" in line:
            line = "  nrow      = 6"
        elif inside and "ncol" in line:
            line = "  ncol      = 1"
        elif inside and line.lstrip().startswith("m"):
            head, _, value = line.partition("=")
            kind, numbers = head.strip()[:2], [int(x) for x in head.strip()[3:-1].split(",")]
            i, j = numbers[0], numbers[-1]
            if (i, j) not in place:
                continue
            middle = f", {numbers[1]}" if kind == "m1" else ""
            line = f"  {kind}( {place[i, j]}{middle}, 1) ={value}"
        out.append(line.replace("E+", "D+").replace("E-", "D-") if "m" in line[:4] else line)
    return "\n".join(out) + "\n"


def test_inertia_in_columns(small, tmp_path):
    part = small.with_sets(root=small.near(x=0), tip=small.near(x=1.0))
    made = part.reduced(interfaces={"root": "rbe2", "tip": "rbe2"}, modes=1)
    sid = made.save(tmp_path / "a.SID_FEM").read_text()
    (tmp_path / "b.SID_FEM").write_text(in_columns(sid))
    back = sb.formats.read_reduced(tmp_path / "b.SID_FEM")
    for name in ("mass", "first", "second", "stiffness", "damping"):
        assert getattr(back, name) == pytest.approx(getattr(made, name), rel=1e-12, abs=1e-12)
    assert not back.report


def test_data_that_contradict_each_other(small, tmp_path):
    """Cr beside Gr integrated in another way is said; a momentum that no body with this mass can have is refused."""
    part = small.with_sets(root=small.near(x=0))
    made = part.reduced(interfaces={"root": "rbe2"}, modes=2)
    sid = made.save(tmp_path / "a.SID_FEM").read_text().splitlines()
    at = {name: sid.index(name) for name in ("Ct", "Cr", "Gr", "Ge")}
    lumped = [_times(x, 1.1) if at["Gr"] < k < at["Ge"] else x for k, x in enumerate(sid)]
    (tmp_path / "lumped.SID_FEM").write_text("\n".join(lumped))
    back = sb.formats.read_reduced(tmp_path / "lumped.SID_FEM")
    assert "Cr and Gr contradict each other" in back.report["note"]
    axial = back.second[0] - back.second[0].transpose(0, 2, 1)
    assert axial == pytest.approx(made.second[0] - made.second[0].transpose(0, 2, 1), abs=1e-9)
    wrong = [_times(x, 3.0) if at["Ct"] < k < at["Cr"] else x for k, x in enumerate(sid)]
    (tmp_path / "wrong.SID_FEM").write_text("\n".join(wrong))
    with pytest.raises(sb.ModelError, match="its moments belong to no body"):
        sb.Model("m").elastic_from("arm", sb.formats.read_reduced(tmp_path / "wrong.SID_FEM"))


def _times(line, factor):
    head, equals, value = line.partition("=")
    return f"{head}={factor * float(value):.16E}" if equals and head.strip().startswith("m0") else line
