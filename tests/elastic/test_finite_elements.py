"""Bodies from finite elements: moments and frequencies against the full matrices, frames that do not matter, files, and
what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import io, linalg, sparse
from scipy.interpolate import CubicSpline

import symbody as sb

from .bricks import DENSITY, Block


@pytest.fixture(scope="module")
def block():
    return Block()


@pytest.fixture(scope="module")
def part(block):
    made = sb.finite_elements(mass=block.mass, stiffness=block.stiffness, nodes=block.nodes)
    made = made.with_sets(root=made.near(x=0), tip=made.near(x=1.0))
    return replace(made, prestressed=block.prestressed)


@pytest.fixture(scope="module")
def arm(part):
    return part.reduced(interfaces={"root": "rbe2", "tip": "rbe3"}, modes=3, modal_damping=0.01)


def test_moments_of_a_block(arm, block):
    """Mass, mass centre and second moments in closed form; those of modes are X_kᵀ M_s X_l of the matrix of one
    component."""
    a, b, c = block.edges
    m = DENSITY * a * b * c
    assert arm.mass == pytest.approx(m, rel=1e-12)
    assert arm.second[0, 0] == pytest.approx(m * np.diag([a**2 / 3, b**2 / 12, c**2 / 12]), rel=1e-12, abs=1e-13)
    X = np.concatenate([arm.skin.nodes[None], arm.skin.shifts])
    Ms = block.scalar_mass
    expected = np.stack([[x.T @ (Ms @ y) for y in X] for x in X])
    assert arm.second == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
    assert arm.first == pytest.approx(np.stack([x.T @ (Ms @ np.ones(len(x))) for x in X]), abs=1e-9)
    assert arm.modal_mass == pytest.approx(np.eye(arm.count), abs=1e-14)


def test_frequencies_are_those_of_the_matrices(part):
    """Free modes to 1e-8; Craig and Bampton's and the attachment shapes' first five, of the clamped body, to 0.1 %."""
    M, K = part.mass.toarray(), part.stiffness.toarray()
    whole = np.sqrt(linalg.eigh(K, M, eigvals_only=True, subset_by_index=(6, 13))) / (2 * np.pi)
    assert part.reduced(method="free", modes=8).frequencies == pytest.approx(whole, rel=1e-8)
    free = np.flatnonzero(~np.isin(part.node_of, part.sets["root"]))
    held = np.sqrt(linalg.eigh(K[np.ix_(free, free)], M[np.ix_(free, free)], eigvals_only=True, subset_by_index=(0, 4)))
    for method, modes in (("craig-bampton", 14), ("free", 18)):
        made = part.reduced(interfaces={"root": "rbe2", "tip": "rbe3"}, method=method, modes=modes)
        assert made.frequencies[:5] == pytest.approx(held / (2 * np.pi), rel=1e-3)


def test_interfaces(arm, part):
    """A rigid interface moves its nodes as a frame; a soft one is the mean of its nodes, which move apart."""
    both = part.reduced(interfaces={"root": "rbe2", "tip": "rbe2"}, modes=2, frame="mean")
    for name in ("root", "tip"):
        nodes, p = part.sets[name], both.points[name]
        r = both.skin.nodes[nodes] - p.place
        rigid = p.shifts[:, None] + np.cross(p.angles[:, None], r)
        assert both.skin.shifts[:, nodes] == pytest.approx(rigid, abs=1e-9)
    tip = part.sets["tip"]
    assert arm.points["tip"].shifts == pytest.approx(arm.skin.shifts[:, tip].mean(axis=1), abs=1e-9)
    assert np.abs(arm.points["root"].shifts).max() < 1e-9


def test_mean_axes_and_chord(part):
    """Deformation without momentum; a chord on which the second interface stays."""
    mean = part.reduced(interfaces={"root": "rbe2", "tip": "rbe2"}, modes=2, frame="mean")
    G = mean.second[0, 1:]
    assert np.abs(mean.first).max() < 1e-9
    assert np.abs(G - G.transpose(0, 2, 1)).max() < 1e-9
    chord = part.reduced(interfaces={"root": "rbe2", "tip": "rbe2"}, modes=2, frame=("root", "tip"))
    assert np.abs(chord.points["tip"].shifts[:, 1:]).max() < 1e-9
    assert np.abs(chord.points["root"].shifts).max() < 1e-9


@pytest.mark.parametrize("method", ["craig-bampton", "free"])
def test_frames_do_not_matter(part, method):
    """A body on two springs has the same modes in each frame: tangent, chord or mean axes."""
    found = []
    for frame in ("root", ("root", "tip"), "mean"):
        made = part.reduced(interfaces={"root": "rbe2", "tip": "rbe3"}, method=method, modes=2, frame=frame)
        m = sb.Model("held")
        body = m.elastic_from("body", made)
        m.free("motion", m.ground, body)
        for n, place in (("root", (0, 0, 0)), ("tip", (1, 0, 0))):
            at = m.ground.point(*(np.array(place) - (part.centre if frame == "mean" else 0)))
            m.force(n, body.at(n), -1e6 * (body.at(n).origin.position() - at.position()))
        eq = sb.derive(m)
        values = sb.linearize(eq, dict.fromkeys(eq.q, 0.0), moving=True).eigenvalues()
        found.append(np.sort(np.abs(values.imag)))
    for other in found[1:]:
        assert other == pytest.approx(found[0], rel=1e-7, abs=1e-2)


def test_routes_and_laws(arm):
    """In a mechanism, all routes and laws hold; the damping ratio is the one asked for."""
    m = sb.Model("crane")
    body = m.elastic_from("arm", arm)
    hub = m.body("hub", mass=1.0, inertia=(0.1, 0.2, 0.3))
    m.revolute("slew", m.ground, hub, axis="y")
    m.revolute("hinge", hub, body, axis="z", at=(0.1, 0, 0))
    m.body("load", body.at("tip"), mass=2.0, inertia=(0.01, 0.01, 0.01))
    m.gravity(0, -9.81, 0)
    eq = sb.derive(m)
    assert sb.certify(eq)
    assert np.diag(arm.damping) == pytest.approx(2 * 0.01 * np.sqrt(np.diag(arm.stiffness)))
    corner = body.displacement(1.0, 0.03, 0.02)
    assert sb.evaluate([corner], dict.fromkeys(body.coordinates, 1e-3))[0] == pytest.approx(
        1e-3 * arm.skin.shifts[:, part_node(arm, (1.0, 0.03, 0.02))].sum(axis=0), abs=1e-12
    )


def part_node(body, place):
    return int(np.abs(body.skin.nodes - place).sum(axis=1).argmin())


def test_participation_and_frequency(part):
    """Modes by frequency, and those that a motion of an interface drives."""
    all_of_them = part.reduced(interfaces={"root": "rbe2"}, up_to=2000.0)
    kept = all_of_them.report["participations"]
    assert all_of_them.report["held frequencies"].max() <= 2000.0
    some = part.reduced(interfaces={"root": "rbe2"}, up_to=2000.0, participation=0.1)
    assert some.count == (kept >= 0.1).sum() < all_of_them.count


def test_stiffening_by_unit_loads(part):
    """A rotating block: flap and lag of a beam with its frequencies, lag² = flap² - Ω²; the same by matrices that are
    given."""
    made = part.reduced(interfaces={"root": "rbe2"}, modes=4, stiffening=True)
    W = 150.0
    m = sb.Model("rotor")
    m.elastic_from("blade", made, m.ground.rotate("y", W * m.time))
    eq = sb.derive(m)
    found = np.sort(np.abs(sb.linearize(eq, sb.steady(eq)).eigenvalues().imag))[::2]
    lag0, flap0 = 2 * np.pi * made.frequencies[:2]
    assert found[0] == pytest.approx(
        np.sqrt(lag0**2 + 0.193 * W**2), rel=2e-3
    )  # Southwell's coefficients: 1.193 of flap
    assert found[1] == pytest.approx(np.sqrt(flap0**2 + 1.193 * W**2), rel=2e-3)
    none = part.reduced(
        interfaces={"root": "rbe2"}, modes=4, stiffening={"w_yy": sparse.csc_array(part.stiffness.shape)}
    )
    assert np.abs(none.stiffening.second).max() == 0.0


@pytest.mark.parametrize("kind", ["rbe2", "rbe3"])
def test_stiffening_by_unit_torques(kind, tmp_path):
    """A torque T about z at the end of a strip, w' its slope and φ its twist: the forces of a torque that keeps its
    direction, T ∫ (w_k' φ_l' + φ_k' w_l') dx - T φ_k w_l' at the end, on mode l for mode k (Ziegler 1968)."""
    skfem = pytest.importorskip("skfem", reason="needs the package scikit-fem")
    lines = np.linspace(0, 1, 9), np.linspace(-0.03, 0.03, 3), np.linspace(-0.005, 0.005, 2)
    basis = skfem.Basis(skfem.MeshHex.init_tensor(*lines), skfem.ElementHex2())
    strip = sb.finite_elements(basis, young=2.1e11, poisson=0.0, density=7850.0)
    strip = strip.with_sets(root=strip.near(x=0), tip=strip.near(x=1))
    made = strip.reduced(interfaces={"root": "rbe2", "tip": kind}, modes=1, stiffening=True)
    m = sb.Model("strip")
    T = m.parameter("T", 1.0)
    body = m.elastic_from("strip", made, m.ground)
    m.torque("torque", body.at("tip"), m.ground.vector(0, 0, T))
    eq = sb.derive(m)
    rest = dict.fromkeys((*eq.q, *eq.u), 0.0)
    slopes = sb.jacobian(sb.jacobian(eq.f, [T]), eq.q)
    found = np.array(sb.evaluate(list(slopes.entries), rest), dtype=float).reshape(made.count, made.count)
    w, twist = _slopes_along(made.skin)
    ends = -made.points["tip"].angles[:, 1], made.points["tip"].angles[:, 0]
    along = np.einsum("kx,lx->lk", w, twist) / w.shape[1]
    expected = along + along.T - np.outer(ends[0], ends[1])
    size = np.abs(expected).max()
    assert size > 1.0
    assert found == pytest.approx(expected, abs=0.01 * size)
    read = sb.formats.read_reduced(made.save(tmp_path / "strip.sid"))
    assert read.points["tip"].turned == pytest.approx(made.points["tip"].turned, rel=1e-12)


def _with_negative_mass(part):
    """Every diagonal entry and the whole are positive, and one motion has negative kinetic energy."""
    values, vectors = np.linalg.eigh(part.mass.toarray())
    return replace(part, mass=sparse.csc_array(part.mass - 1.5 * values[0] * np.outer(vectors[:, 0], vectors[:, 0])))


def _slopes_along(skin):
    """w' and φ' of sections at even places, of each mode, by what is fitted to the displacements along z."""
    places = np.unique(np.round(skin.nodes[:, 0], 9))
    fitted = np.zeros((len(skin.shifts), len(places), 2))
    for j, x in enumerate(places):
        at = np.flatnonzero(np.abs(skin.nodes[:, 0] - x) < 1e-9)
        rows = np.stack([np.ones(len(at)), skin.nodes[at, 1]], axis=1)
        fitted[:, j] = np.linalg.lstsq(rows, skin.shifts[:, at, 2].T, rcond=None)[0].T
    even = (np.arange(2000) + 0.5) / 2000
    return [CubicSpline(places, fitted[..., c], axis=1)(even, 1) for c in range(2)]


# ---------------------------------------------------------------------------------------------------------- files


def _op4(name, A, digits=16):
    n = A.shape[0]
    lines = [f"{n:8d}{n:8d}{2:8d}{2:8d}{name:8s}1P,3E23.16"]
    for j in range(n):
        column = A.toarray()[:, j]
        rows = np.flatnonzero(column)
        values = column[rows[0] : rows[-1] + 1]
        lines.append(f"{j + 1:8d}{rows[0] + 1:8d}{len(values):8d}")
        lines += ["".join(f"{x:23.16E}" for x in values[k : k + 3]) for k in range(0, len(values), 3)]
    return "\n".join([*lines, f"{n + 1:8d}{1:8d}{1:8d}", f"{1.0:23.16E}"]) + "\n"


def _punch(name, A, part):
    out = [f"DMIG    {name:8s}{0:8d}{6:8d}{2:8d}{0:8d}"]
    low = sparse.tril(A).tocsc()
    for j in range(A.shape[0]):
        rows = low.indices[low.indptr[j] : low.indptr[j + 1]]
        out.append(f"DMIG*   {name:16s}{part.node_of[j] + 1:16d}{part.direction[j] + 1:16d}")
        values = low.data[low.indptr[j] : low.indptr[j + 1]]
        out += [
            f"*       {part.node_of[i] + 1:16d}{part.direction[i] + 1:16d}{x:16.9E}"
            for i, x in zip(rows, values, strict=True)
        ]
    return "\n".join(out) + "\n"


def _abaqus(A, part):
    low = sparse.tril(A).tocoo()
    p, d = part.node_of + 1, part.direction + 1
    return (
        "\n".join(f"{p[i]},{d[i]}, {p[j]},{d[j]}, {x:.16e}" for i, j, x in zip(*low.coords, low.data, strict=True))
        + "\n"
    )


@pytest.fixture(scope="module")
def small():
    b = Block(n=(2, 1, 1))
    return sb.finite_elements(mass=b.mass, stiffness=b.stiffness, nodes=b.nodes)


def test_files(small, tmp_path):
    """The same body from SciPy's, Matrix Market's, Abaqus's and Nastran's files, and from one archive."""
    M, K, nodes = small.mass, small.stiffness, small.nodes
    n = len(nodes)
    inp = "*HEADING\n*NODE, NSET=all\n" + "".join(
        f"{k + 1}, {x:.17g}, {y:.17g}, {z:.17g}\n" for k, (x, y, z) in enumerate(nodes)
    )
    (tmp_path / "b.inp").write_text(
        inp + f"*NSET, NSET=root, GENERATE\n1, 4, 1\n*NSET, NSET=tip\n{n - 3}, {n - 2}, {n - 1}, {n}\n"
    )
    grids = "".join(
        f"GRID*   {k + 1:16d}{'':16s}{x:16.9E}{y:16.9E}\n*       {z:16.9E}\n" for k, (x, y, z) in enumerate(nodes)
    )
    (tmp_path / "b.bdf").write_text(f"BEGIN BULK\n{grids}SET1,7,1,2,3,4\nENDDATA\n")
    named = {"mass": M, "stiffness": K}
    for k, A in named.items():
        sparse.save_npz(tmp_path / f"{k}.npz", sparse.csc_matrix(A))
        io.mmwrite(tmp_path / f"{k}.mtx", sparse.coo_matrix(A), precision=17, symmetry="symmetric")
        (tmp_path / f"{k}_abaqus.mtx").write_text(_abaqus(A, small))
        (tmp_path / f"{k}.op4").write_text(_op4(f"{k[0].upper()}AA", A))
        (tmp_path / f"{k}.pch").write_text(_punch(f"{k[0].upper()}AAX", A, small))
    np.savez(tmp_path / "b.npz", nodes=nodes, mass=M.toarray(), stiffness=K.toarray(), set_root=np.arange(4))
    made = {e: {k: tmp_path / f"{k}{e}" for k in named} for e in (".npz", ".mtx", "_abaqus.mtx", ".op4", ".pch")}
    bodies = [
        sb.finite_elements(nodes=tmp_path / ("b.bdf" if e == ".pch" else "b.inp"), **files) for e, files in made.items()
    ]
    for body in (*bodies, sb.finite_elements(tmp_path / "b.npz")):
        assert body.nodes == pytest.approx(nodes, abs=1e-9)
        for A, B in ((body.mass, M), (body.stiffness, K)):
            assert abs(A - B).max() <= 1e-8 * abs(B).max()
        assert body.sets["set 7" if "set 7" in body.sets else "root"].tolist() == [0, 1, 2, 3]


def test_units(small):
    """Millimetres and tonnes are converted to metres and kilograms."""
    other = sb.finite_elements(
        mass=small.mass / 1e3, stiffness=small.stiffness / 1e3, nodes=small.nodes * 1e3, units=("mm", "t", "s")
    )
    assert other.reduced(method="free", modes=2).frequencies == pytest.approx(
        small.reduced(method="free", modes=2).frequencies
    )
    assert other.rigid_inertia == pytest.approx(small.rigid_inertia, abs=1e-12)


@pytest.mark.parametrize("ending", ["sid", "npz"])
def test_reduced_bodies_in_files(part, tmp_path, ending):
    """Standard input data and archives give back the same numbers, geometric stiffness among them."""
    made = part.reduced(interfaces={"root": "rbe2", "tip": "rbe3"}, modes=1, stiffening=True, rayleigh=(0.1, 1e-5))
    back = sb.formats.read_reduced(made.save(tmp_path / f"arm.{ending}"))
    for name in ("mass", "first", "second", "stiffness", "damping"):
        assert getattr(back, name) == pytest.approx(getattr(made, name), rel=1e-14, abs=1e-14)
    assert back.stiffening.second == pytest.approx(made.stiffening.second, rel=1e-9, abs=1e-9)
    assert back.stiffening.first == pytest.approx(made.stiffening.first, rel=1e-12, abs=1e-12)
    for name, p in made.points.items():
        for one, other in (
            (p.place, back.points[name].place),
            (p.angles, back.points[name].angles),
            (p.second, back.points[name].second),
        ):
            assert other == pytest.approx(one, rel=1e-14, abs=1e-14)


def test_scikit_fem_makes_the_same_matrices(block):
    """Eight-node bricks of scikit-fem, against ours by hand."""
    skfem = pytest.importorskip("skfem", reason="scikit-fem is not installed")
    edges = [np.unique(np.round(block.nodes[:, k], 12)) for k in range(3)]
    mesh = skfem.MeshHex.init_tensor(*edges)
    body = sb.finite_elements(
        skfem.Basis(mesh, skfem.ElementVector(skfem.ElementHex1())), young=2.1e11, poisson=0.3, density=DENSITY
    )
    order = [int(np.abs(body.nodes - p).sum(axis=1).argmin()) for p in block.nodes]
    rows = (3 * np.array(order)[:, None] + np.arange(3)).ravel()
    for A, B in ((body.mass, block.mass), (body.stiffness, block.stiffness)):
        assert abs(A[rows][:, rows] - B).max() <= 1e-12 * abs(B).max()
    u = np.random.default_rng(1).normal(size=(len(block.nodes), 3))
    moved = np.zeros_like(u)
    moved[order] = u
    theirs, ours = body.prestressed(moved.ravel()), block.prestressed(u.ravel())
    assert abs(theirs[rows][:, rows] - ours).max() <= 1e-12 * abs(ours).max()


# ---------------------------------------------------------------------------------------------------------- refused


def _with(A, i, j, value):
    B = A.tolil()
    B[i, j] = value
    return B.tocsc()


def refused(part, block):
    M, K, X = block.mass, block.stiffness, block.nodes
    far = {"nodes": "tip", "kind": "rbe2"}
    return {
        "not symmetric: entries 0, 40 and 40, 0": lambda: sb.finite_elements(mass=M, stiffness=_with(K, 0, 40, 1e9), nodes=X),
        "not positive: entry 3, 3 (node 2": lambda: sb.finite_elements(mass=_with(M, 3, 3, -1.0), stiffness=K, nodes=X),
        "resists a motion of the whole along z": lambda: sb.finite_elements(mass=M, stiffness=_with(K, 2, 2, 9e12), nodes=X),
        "nodes are not where the matrices have them": lambda: sb.finite_elements(mass=M, stiffness=K, nodes=X[::-1] * [1, 2, 3]),
        "neither three nor six for each node": lambda: sb.finite_elements(mass=M, stiffness=K, nodes=X[:-1]),
        "there is no node set 'tipp'": lambda: part.reduced(interfaces={"tipp": "rbe2"}, modes=1),
        "no node has x = 2 within": lambda: part.near(x=2),
        "3 nodes on a line": lambda: part.reduced(interfaces={"edge": {"nodes": part.near(x=0, y=0.03)}}, modes=1),
        "in 'tip' and in 'end'; two rigid": lambda: part.reduced(interfaces={"tip": "rbe2", "end": far}, modes=1),
        "conditions at its interfaces depend": lambda: part.reduced(interfaces={"tip": "rbe3", "end": {**far, "kind": "rbe3"}}, modes=1),
        "lengths, masses and times do not seem": lambda: sb.finite_elements(mass=M, stiffness=K, nodes=X * 1e3, dofs=None).reduced(method="free", modes=1),
        "give modes=, a number of modes, or up_to=": lambda: part.reduced(interfaces={"tip": "rbe2"}),
        "no mode has a participation of 0.99": lambda: part.reduced(interfaces={"tip": "rbe2"}, modes=3, participation=0.99),
        "there is no method 'modal'": lambda: part.reduced(method="modal", modes=1),
        "there is no interface 'hub'": lambda: part.reduced(interfaces={"tip": "rbe2"}, modes=1, frame="hub"),
        "needs the stresses of the elements": lambda: replace(part, prestressed=None).reduced(method="free", modes=1, stiffening=True),
        "its mass matrix is not positive definite: 1 negative": lambda: _with_negative_mass(part).reduced(method="free", modes=1),
        "negative eigenvalues beside": lambda: replace(part, stiffness=part.stiffness - 3e7 * part.mass).reduced(method="free", modes=1),
        "motions without stiffness beside": lambda: _loose(block).reduced(method="free", modes=1),
        "is made of a reduced body": lambda: sb.Model("m").elastic_from("a", part),
        "known at its nodes, and none is at": lambda: sb.Model("m").elastic_from("a", part.reduced(method="free", modes=1)).at(0.01, 0, 0),
    }  # fmt: skip


def _loose(block):
    """Two blocks that nothing ties together."""
    return sb.finite_elements(
        mass=sparse.block_diag([block.mass] * 2),
        stiffness=sparse.block_diag([block.stiffness] * 2),
        nodes=np.concatenate([block.nodes, block.nodes + np.array([0, 1, 0])]),
    )


CASES = list(refused(None, Block(n=(1, 1, 1))))


@pytest.mark.parametrize("says", CASES)
def test_refused(part, block, says):
    with pytest.raises(sb.SymbodyError) as caught:
        refused(part, block)[says]()
    assert says in str(caught.value)


MODEL = """
symbody: 1
name: crane
parameters: {g: 9.81}
bodies:
  arm: {elastic: {HOW, modal_damping: 0.01}}
  load: {mass: 2, inertia: [0.01, 0.01, 0.01]}
joints:
  hinge: {revolute: [ground, arm], axis: z}
  wrist: {revolute: [arm_tip, load], axis: z}
gravity: [0, -g, 0]
outputs:
  tip: arm_tip.origin.position().dot(ground.y)
"""


def test_model_files(small, tmp_path):
    """A model file names a body: reduced already, or to be reduced; both are what Python makes."""
    part = small.with_sets(root=small.near(x=0), tip=small.near(x=1.0))
    made = part.reduced(interfaces={"root": "rbe2", "tip": "rbe2"}, modes=2)
    made.save(tmp_path / "arm.sid")
    sets = {f"set_{k}": v for k, v in part.sets.items()}
    np.savez(
        tmp_path / "part.npz", nodes=part.nodes, mass=part.mass.toarray(), stiffness=part.stiffness.toarray(), **sets
    )
    found = []
    for how in ("reduced: arm.sid", "matrices: part.npz, interfaces: {root: rbe2, tip: rbe2}, modes: 2"):
        (tmp_path / "crane.yaml").write_text(MODEL.replace("HOW", how))
        eq = sb.derive(sb.read_model(tmp_path / "crane.yaml").model)
        M, f = sb.evaluate([eq.M, eq.f], {"g": 9.81, **{s.name: 0.1 for s in (*eq.q, *eq.u)}})
        found.append(np.concatenate([np.ravel(M), np.ravel(f)]))
    assert found[0] == pytest.approx(found[1], rel=1e-6, abs=1e-6 * np.abs(found[0]).max())
    m = sb.Model("crane")
    arm = m.elastic_from("arm", made, modal_damping=0.01)
    m.revolute("hinge", m.ground, arm, axis="z")
    m.revolute("wrist", arm.at("tip"), m.body("load", mass=2, inertia=(0.01, 0.01, 0.01)), axis="z")
    m.gravity(0, -9.81, 0)
    eq = sb.derive(m)
    M, f = sb.evaluate([eq.M, eq.f], {s.name: 0.1 for s in (*eq.q, *eq.u)})
    assert np.concatenate([np.ravel(M), np.ravel(f)]) == pytest.approx(
        found[0], rel=1e-9, abs=1e-9 * np.abs(found[0]).max()
    )
    (tmp_path / "crane.yaml").write_text(MODEL.replace("HOW", "reduced: arm.sid, modes: 2"))
    with pytest.raises(sb.errors.ModelFileError, match="has been reduced already"):
        sb.read_model(tmp_path / "crane.yaml")


def test_drawn_deformed(part):
    """A cage of edges follows the nodes of the mesh, along a run and in a mode of the mechanism."""
    made = part.reduced(interfaces={"root": "rbe2", "tip": "rbe3"}, modes=1)
    m = sb.Model("arm")
    body = m.elastic_from("arm", made)
    m.revolute("hinge", m.ground, body, axis="z", stiffness=1e4)
    eq = sb.derive(m)
    straight, bent = (sb.scene(eq, arm_q1=x) for x in (0.0, 0.01))
    rods = [s for s in bent.spans if s.name == "arm"]
    nodes = np.unique(made.skin.edges)
    assert len(rods) == len(made.skin.edges)
    assert {0, len(part.nodes) - 1} & set(nodes.tolist())
    before, after = ({t.name: np.ravel(t.position) for t in s.frames} for s in (straight, bent))
    frame = {
        int(k): end.frame
        for s, pair in zip(rods, made.skin.edges, strict=True)
        for k, end in zip(pair, (s.start, s.end), strict=True)
    }
    moved = np.array([after[frame[int(k)]] - before[frame[int(k)]] for k in nodes])
    assert moved == pytest.approx(0.01 * made.skin.shifts[0, nodes], abs=1e-9)
    mode = sb.linearize(eq, dict.fromkeys(eq.q, 0.0), moving=True).modes()[0]
    shown = sb.scene(eq, mode=mode)
    assert len(shown.t) > 1
    (tip,) = [t for t in shown.frames if t.name == frame[int(nodes[-1])]]
    assert np.ptp(tip.position, axis=1).max() > 0
    whole = sb.Model("whole")
    part_of = whole.attach("a", whole.ground, m)
    assert part_of.bodies["arm"].at(1.0, 0.03, 0.02).origin.in_ground is not None
