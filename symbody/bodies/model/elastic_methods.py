"""Methods of `Model` for bodies that deform, and for loads along them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...algebra.graph.graph import ZERO, Expr, Symbol, as_expr
from ...algebra.graph.matrix import Matrix, zeros
from ...algebra.graph.walk import free_symbols, substitute
from ...argument_kinds import checked_flags
from ...errors import ModelError, listed, shown
from ...escaping import checked_name, identifier
from ...summary import counted
from ..elastic import elastic as fields
from ..elastic.beam import (
    SUFFIX,
    Section,
    Stiffness,
    beam_modes,
    coordinate_names,
    refuse_family,
    section_inertias,
    shapes_of,
    supports,
)
from ..elastic.beam_fields import BeamFields, BeamShapes
from ..elastic.beam_strain import refuse_order, third_order_energy
from ..elastic.elastic_body import ElasticBody, internal_loads, modal_mass, turned_frame
from ..elastic.elastic_checks import refuse_modes
from ..elastic.elastic_numbers import ElasticNumbers, Shapes
from ..elastic.internal_damping import modal_damping, rayleigh_damping
from ..elastic.mean_axes import on_mean_axes
from ..frames.frames import Frame, three
from ..frames.vectors import Vector
from ..mass.material_integrals import Region
from ..mass.moments import Moments
from ..mechanism.declarations import as_expression, names_of
from ..mechanism.mechanism import Action, Load
from .joint_methods import JointMethods

STIFFENED = (
    "elastic to second order: places of its points are exact to second order in the elastic coordinates (foreshortening by deflection, and with rho_I the "
    "turns of sections), strains are linear; dropped are third-order terms, and bending coupled with torsion by strain"
)
THIRD_ORDER = (
    "elastic to third order: foreshortening of the whole is exact to fourth order in its deflection, forces of bending and turns of sections to third; dropped are terms of fifth order, how "
    "foreshortening of fourth order is spread along it, and with rho_I third-order terms of the inertia of sections"
)
PLAIN = (
    "elastic to first order: foreshortening is dropped, and with it the stiffness that rotation and axial loads give"
)
REDUCED = (
    "elastic to first order: places are linear in its elastic coordinates, frames turn by their angles; "
    "stiffness that rotation, acceleration and forces give is dropped"
)
REDUCED_STIFFENED = (
    "elastic to first order, with the geometric stiffness of accelerations, rotation and forces at its interfaces (Wallrapp); dropped are second-order terms that have no mode in common "
    "with the place at rest, and geometric stiffness of torques"
)

QUADRATURE_ERROR = 1e-9  # of an integral: beyond this a note says it
LINES = 12  # straight pieces that a beam is drawn of


class ElasticMethods(JointMethods):
    """Methods of a model that add elastic bodies."""

    def elastic(
        self,
        name: str,
        frame: Frame | None = None,
        *,
        modes: Any = None,
        over: Any = None,
        density: Any = None,
        rest: Any = None,
        second: Any = None,
        turns: Any = None,
        stiffness: Any = None,
        elasticity: Any = None,
        damping: Any = None,
        rayleigh: Any = None,
        modal_damping: Any = None,
        coordinates: Any = None,
        moments: Any = None,
        points: Any = None,
        axes: str = "given",
        quadrature: int = 20,
    ) -> ElasticBody:
        """An elastic body with your own mode shapes, on a frame or to be placed by a joint:

            s = s_0(x) + Σ q_k s_k(x) + ½ Σ q_i q_j s_ij(x)

        modes        shape functions s_k: three components each, in material coordinates, such as x = material("x")
        over         the line, plane or solid: {x: (0, L)}, with limits for each material coordinate; density is per
                     length, area or volume
        rest         the undeformed position s_0; by default the material coordinates
        second       second-order fields: {(i, j): s_ij}, modes numbered from 0
        turns        rotation angles about x, y, z of each mode, for frames at its points; by default those of the
                     continuum
        stiffness    K of the energy ½ q · K q; or elasticity=(E, nu) of an isotropic solid
        damping      D of -D q'; or rayleigh=(alpha, beta): D = alpha M + beta K; or modal_damping=, one ratio or one
                     for each mode
        coordinates  names of q_k
        moments      instead of modes, over and density: {"mass": m, "first": g_k, "second": G_kl}, k and l from 0 (at
                     rest) to the number of modes
        points       names of points: {"tip": (x, y, z)}; for a body given by moments {"tip": (place at rest, shifts,
                     angles)}, both mode by mode
        axes         "mean" removes from each mode the rigid motion with its linear and angular momentum, so that the
                     deformation has neither (Tisserand axes)
        quadrature   number of Gauss points for integrands that are not polynomials; the notes of the equations report
                     if they are too few

        Integrals of polynomials are exact and keep their symbols.

        >>> m = sb.Model("rod that stretches")
        >>> x, (L, mu, EA) = sb.bodies.material("x"), m.parameters("L mu EA")
        >>> rod = m.elastic("rod", m.ground, modes=[(x / L, 0, 0)], over={x: (0, L)}, density=mu, stiffness=[[EA / L]])
        >>> eq = sb.derive(m)
        >>> eq.M, eq.f  # a third of its mass moves with the end
        (vector(mu*L**3*(1/L)**2/3), vector(-EA/L*rod_q1))

        See also: `Model.beam`, `Model.elastic_from`, `bodies.material`.
        """
        self.parts.refuse_twice("bodies", name, self.parts.bodies)
        where = f"elastic body {checked_name(name, 'elastic body')!r}"
        whole_number(where, "quadrature", quadrature)
        on_mean = isinstance(axes, str) and axes == "mean"
        if not (isinstance(axes, str) and axes in ("given", "mean")) or (on_mean and moments is not None):
            raise ModelError(
                f"{where}: axes= is 'given', or 'mean' for a body with modes= as shape functions; got {shown(axes)}"
            )
        count = len(moments["first"]) - 1 if isinstance(moments, dict) and "first" in moments else None
        given = fields.given_modes(where, modes) if moments is None else []
        q = self._elastic_coordinates(where, name, coordinates, len(given) if count is None else count)
        on = self._elastic_frame(where, name, frame)
        shapes: Shapes | None = None
        K = zeros(len(q), len(q))
        if moments is not None:
            table = fields.table_of(where, moments, q)
        else:
            region, place = fields.region_and_rest(where, over, rest, quadrature)
            made = fields.fields_of(where, place, given, second, q)
            rho = as_expression(density, f"{where}, density=")
            table = fields.moments_of(where, made, region, rho)
            if on_mean:
                made, turns = on_mean_axes(made, table, turns, q)
                table = fields.moments_of(where, made, region, rho)
            shapes = fields.field_shapes(where, name, region, made, rest is None, turns, q)
            if elasticity is not None:
                K = fields.solid_stiffness(where, given, region, elasticity)
            self._note_quadrature(where, region)
        if stiffness is not None:
            K = fields.given_matrix(where, "stiffness", stiffness, len(q))
        refuse_modes(where, table, q, K)
        D = self._damping(where, damping, rayleigh, modal_damping, table, q, K)
        body = ElasticBody(name, on, table.mass_properties, None, True, table, q, K, D, shapes)
        return self._add_elastic(where, body, points)

    def elastic_from(
        self,
        name: str,
        reduced: ElasticNumbers,
        frame: Frame | None = None,
        *,
        damping: Any = None,
        rayleigh: Any = None,
        modal_damping: Any = None,
        coordinates: Any = None,
    ) -> ElasticBody:
        """An elastic body from reduced data: from finite elements by `FiniteElements.reduced`, from a file by
        `read_reduced`, or as a function of a parameter by `interpolated_body`; on a frame or to be placed by a joint.

        damping, rayleigh, modal_damping   as in `elastic`; they replace the damping of the data
        coordinates                        names of its coordinates, name_q1, ... by default

        `arm.at("tip")` is the frame of an interface or point; `arm.at(x, y, z)` that of the node there.

        >>> nodes = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> K = np.zeros((12, 12))  # four nodes, and a spring between any two
        >>> for i, j in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]:
        ...     way = (nodes[j] - nodes[i]) / np.linalg.norm(nodes[j] - nodes[i])
        ...     b = np.kron(np.eye(4)[j] - np.eye(4)[i], way)
        ...     K += 1000.0 * np.outer(b, b)
        >>> part = sb.finite_elements(mass=np.eye(12), stiffness=K, nodes=nodes)
        >>> m = sb.Model("satellite")
        >>> body = m.elastic_from("part", part.reduced(frame="mean", method="free", modes=2))
        >>> joint = m.free("part", m.ground, body)
        >>> len(sb.derive(m).q)
        8

        See also: `finite_elements`, `formats.read_reduced`, `Model.elastic`.
        """
        self.parts.refuse_twice("bodies", name, self.parts.bodies)
        where = f"elastic body {checked_name(name, 'elastic body')!r}"
        if not hasattr(reduced, "table") or not hasattr(reduced, "stiffening"):
            raise ModelError(
                f"{where}: is made of a reduced body, from `finite_elements(...).reduced(...)` or "
                f"`sb.formats.read_reduced(file)`; got {shown(reduced)}"
            )
        q = self._elastic_coordinates(where, name, coordinates, reduced.count)
        table, K = reduced.table(q), reduced.matrix("stiffness")
        for sample in reduced.checked:
            refuse_modes(where, sample.table(q), q, sample.matrix("stiffness"))
        said = damping is not None or rayleigh is not None or modal_damping is not None
        D = self._damping(where, damping, rayleigh, modal_damping, table, q, K) if said else reduced.matrix("damping")
        on = self._elastic_frame(where, name, frame)
        body = ElasticBody(
            name, on, table.mass_properties, None, True, table, q, K, D, reduced.shapes(q), reduced=reduced
        )
        self.parts.add_note(f"{where} is {REDUCED if reduced.stiffening is None else REDUCED_STIFFENED}")
        return self._add_elastic(where, replace(body, points=reduced.frames(on, q)), None)

    @checked_flags(ModelError)
    def beam(
        self,
        name: str,
        frame: Frame | None = None,
        *,
        length: Any,
        rho_A: Any,
        EI: Any = None,
        EA: Any = None,
        GJ: Any = None,
        GA: Any = None,
        rho_I: Any = None,
        modes: Any = None,
        elements: int | None = None,
        ends: Any = ("clamped", "free"),
        bending: str | None = None,
        stiffening: bool = True,
        order: int = 2,
        shapes: str = "polynomials",
        tension: Any = None,
        rayleigh: Any = None,
        modal_damping: Any = None,
    ) -> ElasticBody:
        """A straight elastic beam along x of its frame, with bending, extension and torsion. Its integrals are exact,
        and all quantities may be symbols.

        length, rho_A   its length, and mass per length
        EI, bending     bending stiffness: one for the deflections named in bending= ("y" by default, "z", "yz"), or
                        two, for y and z
        EA, GJ          axial and torsional stiffness: enable extension and torsion
        GA              shear stiffness: cross-sections rotate independently (Timoshenko); needs rho_I
        rho_I           of sections, per length: ∫ y² dm and ∫ z² dm, or one number for both; needed by torsion and
                        shear
        modes           number of shapes for each kind of deformation, or by kind: {"y": 4, "z": 2, "x": 1, "twist": 1};
                        with "shortening": 1 foreshortening uses one shape and a linear one, instead of all shapes,
                        which needs fewer operations
        shapes          orthogonal "polynomials", for all end conditions; or "sines", the modes of a beam with pinned
                        ends, whose coordinates are slopes at the ends
        elements        instead: cubic finite elements (linear in stretch and torsion), whose coordinates are
                        deflections and slopes of nodes
        ends            how the body frame is attached: ("clamped", "free") tangent at its beginning, ("pinned",
                        "pinned") along the chord, ("free", "free") mean axes; other pairs of clamped, pinned and free
        stiffening      False drops second-order kinematic terms and therefore stiffening by rotation and axial loads
        order           3: bending strain and section rotations to third order, for deflections of a tenth of the length
                        with few coordinates; 2: linear strains
        tension         prestress: the axial force in the undeformed beam
        rayleigh, modal_damping    (alpha, beta) of D = alpha M + beta K, or damping ratios

        Quantities along it may be polynomials in a material coordinate: x = material("x"), rho_A = mu * (1 - x / L).
        `arm.at(x)` is the frame of a section, for joints, bodies and loads there.

        >>> m = sb.Model("cantilever")
        >>> p = m.parameters(L=1.0, EI=1.0, mu=1.0)
        >>> blade = m.beam("blade", m.ground, length=p.L, EI=p.EI, rho_A=p.mu, modes=3)
        >>> float(min(abs(sb.linearize(sb.derive(m), {}).eigenvalues())))  # 3.51602 with more modes
        3.517076

        See also: `Model.line_load`, `bodies.ElasticBody`, `Model.elastic`.
        """
        self.parts.refuse_twice("bodies", name, self.parts.bodies)
        where = f"beam {checked_name(name, 'beam')!r}"
        L = self.parts.checked(where, as_expression(length, f"{where}, length="))
        if L.value is not None and L.value <= 0:
            raise ModelError(f"{where}: its length must be positive, got {L}")
        section, kinds = _section(where, rho_A, EI, EA, GJ, GA, rho_I, tension, bending)
        held = supports(where, ends)
        counts = _counts(where, kinds, modes, elements)
        shortening = _shortening(where, modes, bool(stiffening) and bool(section.EI))
        shears = GA is not None
        refuse_family(where, shapes, held, elements, shears)
        along = {k: shapes_of(k, held, counts[k], elements, shears, shapes) for k in kinds}
        names = coordinate_names(identifier(name), kinds, along)
        q = tuple(self.coordinate(n) for n in names)
        made = BeamFields(
            L, beam_modes(kinds, along, L, q), held.origin, section.rho_I is not None, bool(stiffening), shears, order, shortening
        )  # fmt: skip
        refuse_order(where, order, made, section, elements)
        table = made.moments(section_inertias(where, section, L, made.n))
        K = Stiffness(where, made, section).matrix()
        for e in (table.m, *K.entries):
            self.parts.checked(where, e)
        D = self._damping(where, None, rayleigh, modal_damping, table, q, K)
        on = self._elastic_frame(where, name, frame)
        outline = tuple((as_expr(k) / LINES * L, ZERO, ZERO) for k in range(LINES + 1))
        body = ElasticBody(name, on, table.mass_properties, None, True, table, q, K, D, BeamShapes(made, name), outline)
        self.parts.add_note(
            f"{where} is {THIRD_ORDER if order == 3 else STIFFENED if stiffening and section.EI else PLAIN}"
        )
        if shortening is not None:
            self.parts.add_note(
                f"{where}: foreshortening is placed at its ends as it is, and between them by a straight line and "
                f"{counted(shortening, 'shape')}, as modes= says; the rest of it is dropped"
            )
        more = third_order_energy(where, made, section) if order == 3 else ZERO
        return self._add_elastic(where, body, None, more)

    @checked_flags(ModelError)
    def line_load(self, name: str, on: ElasticBody, per_length: Any, *, follows: bool = False, points: int = 8) -> Load:
        """A distributed force along a beam: wind, pressure, a carried weight. Gravity acts on beams without this call.

        per_length   a vector, with constant direction in the frames in which it is given: m.ground.vector(0, 0, -w); or
                     three components along the axes of the beam's frame. They may contain a material coordinate x =
                     material("x"), from 0 to its length
        follows      True: components along the axes of each section, which rotate with it (pressure)
        points       number of Gauss points on each element, for a force that varies along the beam or follows it

        >>> m = sb.Model("shelf")
        >>> L, EI, w = m.parameters("L EI w", 1.0, 50.0, 8.0)
        >>> shelf = m.beam("shelf", m.ground, length=L, EI=EI, rho_A=1.0, modes=2, stiffening=False)
        >>> books = m.line_load("books", shelf, m.ground.vector(0, -w, 0))
        >>> m.output("sag", shelf.displacement(L)[1])
        >>> sb.steady(sb.derive(m)).outputs["sag"]  # -w L⁴ / (8 EI), nearly
        -0.02

        See also: `Model.beam`, `Model.force`.
        """
        where = f"line load {checked_name(name, 'load')!r}"
        shapes = on.shapes if isinstance(on, ElasticBody) else None
        if not isinstance(on, ElasticBody) or not isinstance(shapes, BeamShapes):
            raise ModelError(f"{where}: acts on a beam made by m.beam, got {shown(on)}; m.force acts at points")
        self.parts.frame_of(where, on)
        whole_number(where, "points", points)
        if follows and isinstance(per_length, Vector):
            raise ModelError(
                f"{where}: a load that follows has three components along the axes of the sections, got a vector"
            )
        given = per_length if isinstance(per_length, Vector) else on.frame.vector(*three(per_length, where).entries)
        inside = {s for c in given.terms.values() for s in free_symbols(c) if s.kind == "material"}
        if len(inside) > 1:
            raise ModelError(
                f"{where}: contains the material coordinates {listed(s.name for s in inside)}; a beam has one"
            )
        L = shapes.fields.length
        if not inside and not follows:
            at = Frame(on.frame, offset=shapes.centroid, name=f"{on.frame.name}.{identifier(name)}")
            return self.parts.add_load(Load(name, "force", (Action(at, force=L * given, at=at.origin),)))
        actions = []
        for place, weight in shapes.gauss_places(points):
            at = on.at(place)
            here = given.map(partial(substitute, table=dict.fromkeys(inside, place)))
            pushed = Vector({at: here.terms[on.frame]}) if follows and here.terms else here
            actions.append(Action(at, force=(L * weight) * pushed, at=at.origin))
        return self.parts.add_load(Load(name, "force", tuple(actions)))

    # ------------------------------------------------------------------------------------------------ how it is done

    def _elastic_frame(self, where: str, name: str, frame: Any) -> Frame:
        """The frame that was given, or a new one that a joint places."""
        if frame is None:
            return Frame(None, name=identifier(name))
        if not isinstance(frame, Frame):
            raise ModelError(f"{where}: the second argument is its frame, got {shown(frame)}; quantities go by keyword")
        return self.parts.own_frame(where, frame)

    def _elastic_coordinates(self, where: str, name: str, given: Any, n: int) -> tuple[Symbol, ...]:
        names = (
            [f"{identifier(name)}_q{k}" for k in range(1, n + 1)]
            if given is None
            else names_of(given, f"{where}, coordinates=")
        )
        if len(names) != n:
            raise ModelError(f"{where}: coordinates= names {len(names)} coordinates for {n} modes")
        return tuple(self.coordinate(c) for c in names)

    def _note_quadrature(self, where: str, region: Region) -> None:
        if region.error > QUADRATURE_ERROR:
            self.parts.add_note(
                f"{where}: integrals by {region.points} points of Gauss have an error of about {region.error:z.1g} of "
                "their size; quadrature= takes more points"
            )

    def _damping(
        self, where: str, given: Any, rayleigh: Any, modal: Any, table: Moments, q: Sequence[Symbol], K: Matrix
    ) -> Matrix:
        said = [n for n, x in (("damping", given), ("rayleigh", rayleigh), ("modal_damping", modal)) if x is not None]
        if len(said) > 1:
            raise ModelError(f"{where}: give one of {listed(said)}")
        if given is not None:
            return fields.given_matrix(where, "damping", given, len(q))
        if rayleigh is not None:
            return rayleigh_damping(where, rayleigh, modal_mass(table, q), K)
        if modal is not None:
            return modal_damping(where, modal, modal_mass(table, q), K)
        return zeros(len(q), len(q))

    def _add_elastic(self, where: str, body: ElasticBody, points: Any, more: Expr = ZERO) -> ElasticBody:
        """more: energy besides ½ q · K q."""
        if points is not None:
            body = replace(body, points=_named_points(where, body, points))
        self.parts.add_body(body)
        for load in internal_loads(body.name, body.coordinates, body.stiffness, body.damping, more):
            for e in load.on_rates.values():
                self.parts.checked(where, e)
            self.parts.add_load(load)
        return body


def whole_number(where: str, option: str, value: Any) -> None:
    """Refuse anything but a number of things."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ModelError(f"{where}: {option}= must be a whole number from 1, got {shown(value)}")


def _section(
    where: str, rho_A: Any, EI: Any, EA: Any, GJ: Any, GA: Any, rho_I: Any, tension: Any, bending: Any
) -> tuple[Section, list[str]]:
    """Quantities by motion, and the kinds of motion that they allow."""
    pair = EI if isinstance(EI, (tuple, list)) else None
    axes = ("yz" if pair is not None else "y" if EI is not None else "") if bending is None else bending
    if not isinstance(axes, str) or any(a not in "yz" for a in axes) or (pair is not None and len(pair) != 2):
        raise ModelError(
            f"{where}: bending= is 'y', 'z' or 'yz', with one EI= for all or two for y and z; got "
            f"{shown(bending)}, {shown(EI)}"
        )
    if EI is None and (axes or (EA is None and GJ is None)):
        raise ModelError(f"{where}: needs EI= to bend, EA= to stretch or GJ= to twist")
    by_axis = {a: EI if pair is None else pair["yz".index(a)] for a in axes}
    stiffness = {f"EI= of {a}" if pair else "EI=": e for a, e in by_axis.items()} | {"EA=": EA, "GJ=": GJ, "GA=": GA}
    for name, given in {**stiffness, "rho_A=": rho_A}.items():
        if given is not None and (e := as_expression(given, f"{where}, {name}")).value is not None and e.value <= 0:
            raise ModelError(f"{where}: {name} must be positive, got {e}")
    inertias = None if rho_I is None else tuple(rho_I) if isinstance(rho_I, (tuple, list)) else (rho_I, rho_I)
    if inertias is None and (GJ is not None or GA is not None):
        what = "torsion" if GJ is not None else "shear"
        raise ModelError(
            f"{where}: {what} needs rho_I=, the moments of inertia of its sections per length (rho times I), "
            "or (∫ y² dm, ∫ z² dm)"
        )
    if inertias is not None and len(inertias) != 2:
        raise ModelError(f"{where}: rho_I= must be one number, or two for y and z; got {shown(rho_I)}")
    kinds = [*axes, *(f"turn {a}" for a in axes if GA is not None)]
    kinds += ["x"] * (EA is not None) + ["twist"] * (GJ is not None)
    return Section(rho_A, by_axis, EA, GJ, GA, inertias, tension), kinds


def _counts(where: str, kinds: Sequence[str], modes: Any, elements: Any) -> dict[str, int]:
    """How many modes each motion has."""
    if (modes is None) == (elements is None):
        raise ModelError(f"{where}: give modes=, a number of polynomials, or elements=, a number of finite elements")
    count = modes if elements is None else elements
    by_kind = dict(count) if isinstance(count, dict) else dict.fromkeys(kinds, count)
    if strange := [k for k in by_kind if k not in SUFFIX and (k != "shortening" or elements is not None)]:
        raise ModelError(
            f"{where}: modes= has the motions {listed(SUFFIX)}, and shortening; elements= has none of the latter; got "
            f"{shown(strange[0])}"
        )
    if idle := [k for k in by_kind if k not in kinds and k != "shortening" and by_kind[k]]:
        option = {"y": "bending='y' or 'yz'", "z": "bending='z' or 'yz'", "x": "EA=", "twist": "GJ="}.get(
            idle[0], "GA="
        )
        raise ModelError(
            f"{where}: {'modes' if elements is None else 'elements'}= has {idle[0]!r}, and this beam moves in {listed(kinds)} only; it needs {option}, or leave "
            "it out"
        )
    by_kind |= {k: by_kind[k[-1]] for k in kinds if k.startswith("turn") and k[-1] in by_kind and k not in by_kind}
    for k in kinds:
        n = by_kind.get(k)
        if not isinstance(n, int) or isinstance(n, bool) or n < 1:
            option = "modes" if elements is None else "elements"
            raise ModelError(
                f"{where}: {option}= must be a whole number from 1, for each of {listed(kinds)}; got {shown(n)} for {k!r}"
            )
    return by_kind


def _shortening(where: str, modes: Any, shortens: bool) -> int | None:
    """The number of shapes of foreshortening between the ends, where it is given."""
    n = modes.get("shortening") if isinstance(modes, dict) else None
    if n is not None and (not isinstance(n, int) or isinstance(n, bool) or n < 0):
        raise ModelError(f"{where}: modes= has a whole number from 0 for 'shortening', got {shown(n)}")
    if n is not None and not shortens:
        raise ModelError(
            f"{where}: modes= has 'shortening', and there is none: it needs EI=, and no stiffening=False; leave it out"
        )
    return n


def _named_points(where: str, body: ElasticBody, points: Any) -> dict[str, Frame]:
    if not isinstance(points, dict):
        raise ModelError(f"{where}: points= must be a mapping from names to places, got {shown(points)}")
    if body.shapes is not None:
        return {n: body.at(*three(p, f"{where}, point {n!r}").entries) for n, p in points.items()}
    out = {}
    for n, given in points.items():
        if not isinstance(given, (tuple, list)) or len(given) != 3:
            raise ModelError(
                f"{where}: point {n!r} must be (place at rest, shifts, angles), the latter mode by mode; got {shown(given)}"
            )
        rest, shifts, angles = given
        offset, turn = three(rest, f"{where}, point {n!r}"), zeros(3)
        for q, s, a in zip(body.coordinates, shifts, angles, strict=True):
            offset = offset + q * three(s, f"{where}, point {n!r}, shift by {q}")
            turn = turn + q * three(a, f"{where}, point {n!r}, angles by {q}")
        x, y, z = turn.entries
        out[n] = turned_frame(body.frame, offset, (z, y, x), f"{body.frame.name}.{n}")
    return out
