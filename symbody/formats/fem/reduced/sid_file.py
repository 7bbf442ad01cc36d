"""Standard input data of deforming bodies (SID, Wallrapp 1994), read and written: nested blocks `new ... end` with `m0(
i, j)` and `m1( i, k, j)`, k being the coordinate.

Everything in them is linear in the moments of the fields; with H_l = Σ h_k G_kl, h = (1, q):

    mdCM = Σ h_k g_k     J = tr(S) 1 - S     Ct_l = g_l     Cr_l = ax H_l     Me = tr G_kl     Gr_l = 2 (tr(H_l) 1 -
                         H_lᵀ)     Ge_lk = 2 ax G_kl
    Oe_l: coefficients of w·H_l w - w·w tr H_l for w1w1, w2w2, w3w3, w1w2, w2w3, w1w3

Orders one of Ct, Cr and Oe have the geometric stiffness g_kl and G_0,kl beside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ....errors import ModelError
from ....given_files import reading
from ..bodies.finite_body import Array
from .reduced_body import PointData, ReducedBody, Stiffening

ENTRY: Final = re.compile(r"\s*(m[01])\s*\(([^)]*)\)\s*=\s*(\S+)")
PAIRS: Final = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))
SIX: Final = np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])  # places of the entries of J in a column
MOST_COORDINATES: Final = 2000  # tables of moments have nine numbers for each pair
CONTRADICTION: Final = 1e-6  # of the largest moment: what digits in files leave
ENDS: Final = (
    "refmod",
    "frame",
    "origin",
    "phi",
    "psi",
    "AP",
    "sigma",
    "mdCM",
    "J",
    "Ct",
    "Cr",
    "Me",
    "Gr",
    "Ge",
    "Oe",
    "ksigma",
    "Ke",
    "De",
    "K0",
)


@dataclass(eq=False)
class Taylor:
    """A matrix m0 + Σ q_k m1_k; m1 is (rows, k, columns)."""

    m0: Array
    m1: Array | None = None


@dataclass(eq=False)
class _SidBlock:
    """Settings, entries and blocks inside."""

    settings: dict[str, str] = field(default_factory=dict)
    entries: list[tuple[str, tuple[int, ...], float]] = field(default_factory=list)
    inner: list[tuple[str, _SidBlock]] = field(default_factory=list)

    def first(self, name: str) -> _SidBlock | None:
        return next((b for n, b in self.inner if n == name), None)


# ---------------------------------------------------------------------------------------------------------- reading


def sid_body(where: str, text: str) -> ReducedBody:
    """The body that a file describes."""
    with reading(f"{where}: cannot be read as standard input data"):
        return _body(where, _tree(where, text))


def _tree(where: str, text: str) -> _SidBlock:
    """The block `modal`: a name on a line of its own begins a block, `end name` ends it."""
    root = _SidBlock()
    stack = [("", root)]
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.split("#")[0].strip()
        if not line:
            continue
        words = line.replace("=", " = ").split()
        if words[0] == "end":
            if len(stack) == 1:
                raise ModelError(f"{where}: line {number}: `{line}` closes no block")
            stack.pop()
        elif found := ENTRY.match(line):
            value = float(found.group(3).upper().replace("D", "E"))
            stack[-1][1].entries.append((found.group(1), tuple(int(x) for x in found.group(2).split(",")), value))
        elif words[0] in ("part", "new") or (len(words) == 1 and words[0] in ENDS):
            name = words[1] if words[0] == "new" and len(words) > 1 else words[0]
            block = _SidBlock({"name": words[-1]})
            stack[-1][1].inner.append((name, block))
            stack.append((name, block))
        elif "=" in line:
            key, _, value_text = line.partition("=")
            stack[-1][1].settings[" ".join(key.split())] = value_text.strip()
    here: _SidBlock | None = root
    for name in ("part", "modal"):
        here = here.first(name) or here if here is not None else None
    if here is None or here.first("refmod") is None:
        raise ModelError(
            f"{where}: there is no block `refmod` in it; standard input data begin with `part`, `new modal`, `refmod`"
        )
    return here


def _taylor(block: _SidBlock | None, rows: int, columns: int, n: int) -> Taylor:
    """A matrix with what `structure` leaves out: 0 zero, 1 diagonal, 2 symmetric, 3 full, 4 unit."""
    out = Taylor(np.zeros((rows, columns)), np.zeros((rows, n, columns)))
    if block is None:
        return Taylor(out.m0)
    structure = int(block.settings.get("structure", "3"))
    if structure == 4:
        out.m0[:] = np.eye(rows, columns)
    order = 0
    for kind, at, value in block.entries:
        if min(at) < 1:
            raise ValueError(f"an entry {kind}{at}: rows, columns and coordinates are counted from 1")
        if kind == "m0":
            i, j = at if len(at) == 2 else (at[0], 1)
            out.m0[i - 1, j - 1] = value
            if structure == 2:
                out.m0[j - 1, i - 1] = value
        else:
            order, (i, k, j) = 1, at if len(at) == 3 else (*at, 1)
            assert out.m1 is not None
            out.m1[i - 1, k - 1, j - 1] = value
            if structure == 2:
                out.m1[j - 1, k - 1, i - 1] = value
    return out if order or int(block.settings.get("order", "0")) else Taylor(out.m0)


def _inertia(block: _SidBlock | None, n: int) -> Taylor:
    """J as a matrix, or as a column of its entries xx, yy, zz, xy, xz, yz."""
    if block is None or block.settings.get("nrow") != "6":
        return _taylor(block, 3, 3, n)
    column = _taylor(block, 6, 1, n)
    m1 = None if column.m1 is None else column.m1[SIX, :, 0].transpose(0, 2, 1)
    return Taylor(column.m0[SIX, 0], m1)


def _body(where: str, modal: _SidBlock) -> ReducedBody:
    ref = modal.first("refmod")
    assert ref is not None
    n = int(ref.settings["nelastq"])
    if not 0 <= n <= MOST_COORDINATES:
        raise ValueError(f"nelastq = {n}; a body has up to {MOST_COORDINATES} elastic coordinates here")
    kept = tuple(
        ref.settings.get(f"ielastq ( {k})", ref.settings.get(f"ielastq ({k})", f"mode {k}")) for k in range(1, n + 1)
    )
    get = {name: _taylor(modal.first(name), r, c, n) for name, r, c in (("mdCM", 3, 1), ("Ct", n, 3), ("Cr", n, 3), ("Me", n, n), ("Gr", 3, 3 * n), ("Ge", n, 3 * n), ("Oe", n, 6), ("Ke", n, n), ("De", n, n))}  # fmt: skip
    get["J"] = _inertia(modal.first("J"), n)
    mass = float(ref.settings["mass"].upper().replace("D", "E"))
    first = np.concatenate([get["mdCM"].m0.T, get["Ct"].m0])
    second, note = _moments(get, n)
    stiff = _geometric(get, second, n)
    frame = modal.first("frame")
    points = {}
    for name, block in frame.inner if frame is not None else ():
        if name == "node":
            points[block.settings["name"]] = _point(where, block, n)
    report = {"note": note} if note else {}
    return ReducedBody(
        mass, first, second, get["Ke"].m0, get["De"].m0, points, kept, "as in the file", stiff, report=report
    )


def _moments(get: Mapping[str, Taylor], n: int) -> tuple[Array, str]:
    """G_kl of J, Cr, Gr and Me; of Oe and Ge where Gr has no first order. Programs integrate these in different ways: Cr
    belongs to the mass matrix with Ct and Me, and decides where Gr contradicts it."""
    G = np.zeros((n + 1, n + 1, 3, 3))
    J = get["J"].m0
    G[0, 0] = np.trace(J) / 2 * np.eye(3) - J
    for l in range(n):
        G[0, 1 + l] = _of_gr(get["Gr"].m0[:, 3 * l : 3 * l + 3])
        if not get["Gr"].m0.any():
            G[0, 1 + l] = _of_parts(get["Cr"].m0[l], get["Oe"].m0[l])
    off = _follow(G[0, 1:], get["Cr"].m0)
    G[1:, 0] = G[0, 1:].transpose(0, 2, 1)
    gr1, oe1 = get["Gr"].m1, get["Oe"].m1
    for k in range(n):
        for l in range(n):
            if gr1 is not None:
                G[1 + k, 1 + l] = _of_gr(gr1[:, k, 3 * l : 3 * l + 3])
            else:
                ge = get["Ge"].m0[l, 3 * k : 3 * k + 3] / 2
                G[1 + k, 1 + l] = _of_parts(ge, np.zeros(6) if oe1 is None else oe1[l, k])
            G[1 + k, 1 + l] += (get["Me"].m0[k, l] - np.trace(G[1 + k, 1 + l])) / 3 * np.eye(3)
    modal = G[1:, 1:]
    G[1:, 1:] = (modal + modal.transpose(1, 0, 3, 2)) / 2  # G_lk = G_klᵀ
    notes = [f"Cr and Gr contradict each other by {off:z.2g} of their size; Cr is used"] if off > CONTRADICTION else []
    if gr1 is None and n:
        notes.append("second moments between modes are those that Me, Ge and Oe give")
    return G, "; ".join(notes)


def _follow(moments: Array, axial_parts: Array) -> float:
    """Skew parts of the moments become those that are given; how far they were from that, of the largest."""
    size = max(float(np.abs(moments).max(initial=0.0)), 1e-300)
    off = 0.0
    for G, c in zip(moments, axial_parts, strict=True):
        lacking = _skew(c - axial(G)) / 2
        off = max(off, float(np.abs(lacking).max()) / size)
        G += lacking
    return off


def _of_gr(block: Array) -> Array:
    """G of 2 (tr(G) 1 - Gᵀ)."""
    return np.asarray(np.trace(block) / 4 * np.eye(3) - block.T / 2)


def _of_parts(axial: Array, centrifugal: Array) -> Array:
    """G of ax G, and of the coefficients of w·G w - w·w tr G."""
    return _skew(axial) / 2 + _symmetric_part(centrifugal)


def _symmetric_part(c: Array) -> Array:
    """sym G of w·G w - w·w tr G."""
    Q = np.zeros((3, 3))
    for (a, b), x in zip(PAIRS, c, strict=True):
        Q[a, b] = Q[b, a] = x if a == b else x / 2
    return np.asarray(Q - np.trace(Q) / 2 * np.eye(3))


def _skew(c: Array) -> Array:
    """T with ax(T)_i = ε_ijk T_jk = 2 c_i: [[0, c3, -c2], ...]."""
    return np.array([[0.0, c[2], -c[1]], [-c[2], 0.0, c[0]], [c[1], -c[0], 0.0]])


def _geometric(get: Mapping[str, Taylor], G: Array, n: int) -> Stiffening | None:
    """What orders one of Ct, Cr and Oe have beside the moments."""
    if get["Ct"].m1 is None and get["Cr"].m1 is None:
        return None
    ct, cr, oe = (
        np.zeros((n, n, c)) if (x := get[name].m1) is None else x for name, c in (("Ct", 3), ("Cr", 3), ("Oe", 6))
    )
    first, second = ct.transpose(1, 0, 2), np.zeros((n, n, 3, 3))
    for k in range(n):
        for l in range(n):
            second[k, l] = _of_parts(cr[l, k] - axial(G[1 + k, 1 + l]), oe[l, k] - coefficients(G[1 + k, 1 + l]))
    size = max(float(np.abs(G[1:, 1:]).max(initial=0.0)), 1e-300)
    if np.abs(first).max(initial=0.0) == 0.0 and np.abs(second).max(initial=0.0) < 1e-12 * size:
        return None
    return Stiffening((first + first.transpose(1, 0, 2)) / 2, (second + second.transpose(1, 0, 2, 3)) / 2)


def _point(where: str, block: _SidBlock, n: int) -> PointData:
    origin, phi, psi = (_taylor(block.first(name), 3, c, n) for name, c in (("origin", 1), ("phi", n), ("psi", n)))
    turn = block.first("AP")
    rest = _taylor(turn, 3, 3, n).m0 if turn is not None and turn.entries else np.eye(3)
    if np.abs(rest @ rest.T - np.eye(3)).max() > 1e-6:
        raise ModelError(
            f"{where}: node {block.settings['name']}: AP is not a rotation in the undeformed state: {rest.tolist()}"
        )
    second, turned = (None if x.m1 is None else x.m1.transpose(1, 2, 0) for x in (phi, psi))
    return PointData(origin.m0[:, 0], phi.m0.T, psi.m0.T, second, rest, turned)


# ---------------------------------------------------------------------------------------------------------- writing


def axial(T: Array) -> Array:
    return np.array([T[1, 2] - T[2, 1], T[2, 0] - T[0, 2], T[0, 1] - T[1, 0]])


def coefficients(G: Array) -> Array:
    """Of w·G w - w·w tr G, for w1w1, w2w2, w3w3, w1w2, w2w3, w1w3."""
    Q = (G + G.T) / 2 - np.trace(G) * np.eye(3)
    return np.array([Q[a, b] * (1 if a == b else 2) for a, b in PAIRS])


def sid_text(body: ReducedBody) -> str:
    return "\n".join(_lines(body)) + "\n"


def _lines(body: ReducedBody) -> Iterator[str]:
    n = body.count
    yield "part"
    yield "new modal"
    yield "refmod"
    yield f"  mass    = {body.mass:z.16E}"
    yield f"  nelastq = {n}"
    for k, words in enumerate(body.kept or [f"mode {j}" for j in range(1, n + 1)], start=1):
        yield f"  ielastq ( {k}) = {words}"
    yield "end refmod"
    yield "frame"
    for name, p in body.points.items():
        yield f"new node = {name}"
        yield "  rframe = body ref"
        yield from _matrix("origin", Taylor(p.place[:, None], p.shifts.T[:, :, None]))
        for name, first, second in (("phi", p.shifts, p.second), ("psi", p.angles, p.turned)):
            yield from _matrix(name, Taylor(first.T, None if second is None else second.transpose(2, 0, 1)))
        turns = np.stack([_skew(-a) @ p.rest for a in p.angles], axis=1) if n else np.zeros((3, 0, 3))
        yield from _matrix("AP", Taylor(p.rest, turns))
        yield "end node"
    yield "end frame"
    for name, matrix in _standard(body).items():
        yield from _matrix(name, matrix)
    yield "end modal"
    yield "end part"


def _standard(body: ReducedBody) -> dict[str, Taylor]:
    n, G, g = body.count, body.second, body.first
    modes = range(1, n + 1)
    J = [np.trace(S) * np.eye(3) - S for S in (G[0, 0], *(G[0, k] + G[k, 0] for k in modes))]
    extra = body.stiffening
    geometric = np.zeros((n, n, 3, 3)) if extra is None else extra.second
    Cr1 = np.array([[axial(G[k, l]) + axial(geometric[k - 1, l - 1]) for k in modes] for l in modes]).reshape(n, n, 3)
    Oe1 = np.array(
        [[coefficients(G[k, l]) + coefficients(geometric[k - 1, l - 1]) for k in modes] for l in modes]
    ).reshape(n, n, 6)
    Gr = [
        np.concatenate([2 * (np.trace(G[k, l]) * np.eye(3) - G[k, l].T) for l in modes] or [np.zeros((3, 0))], axis=1)
        for k in range(n + 1)
    ]
    return {
        "mdCM": Taylor(g[0][:, None], g[1:].T[:, :, None]),
        "J": Taylor(J[0], np.stack(J[1:], axis=1) if n else None),
        "Ct": Taylor(g[1:], None if extra is None else extra.first.transpose(1, 0, 2)),
        "Cr": Taylor(np.array([axial(G[0, l]) for l in modes]).reshape(n, 3), Cr1),
        "Me": Taylor(body.modal_mass),
        "Gr": Taylor(Gr[0], np.stack(Gr[1:], axis=1) if n else None),
        "Ge": Taylor(np.array([np.concatenate([2 * axial(G[k, l]) for k in modes]) for l in modes]).reshape(n, 3 * n)),
        "Oe": Taylor(np.array([coefficients(G[0, l]) for l in modes]).reshape(n, 6), Oe1),
        "ksigma": Taylor(np.zeros((n, 1))),
        "Ke": Taylor(body.stiffness),
        "De": Taylor(body.damping),
    }


def _matrix(name: str, t: Taylor) -> Iterator[str]:
    rows, columns = t.m0.shape
    n = 0 if t.m1 is None else t.m1.shape[1]
    settings: dict[str, Any] = {
        "order": int(t.m1 is not None),
        "nrow": rows,
        "ncol": columns,
        "nq": n,
        "nqn": 0,
        "structure": 3,
    }
    yield name
    yield from (f"  {k:9} = {v}" for k, v in settings.items())
    for (i, j), x in np.ndenumerate(t.m0):
        if x:
            yield f"  m0( {i + 1}, {j + 1}) = {x:z.16E}"
    if t.m1 is not None:
        for (i, k, j), x in np.ndenumerate(t.m1):
            if x:
                yield f"  m1( {i + 1}, {k + 1}, {j + 1}) = {x:z.16E}"
    yield f"end {name}"
