"""The derivation of equations of motion, step by step, by Lagrange, Kane, or Newton and Euler.

Every step is computed from the mechanism (positions, velocities, energies, forces), and not read off the result: the last formula
of each step is the equation that `derive` gives, which tests compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import symbody as sb

from ...argument_kinds import answered
from ...errors import unknown
from ...escaping import in_html, in_latex
from .sheet import (
    Heading,
    Notation,
    Sentence,
    Sheet,
    SheetBlock,
    SheetFormula,
    SheetTable,
    mathml_inside,
    tidy_or_plain,
)

MOST_FORMULAS: Final = 150  # on a sheet
MOST_OPERATIONS: Final = 600  # of equations that are written line by line
ROUTES: Final = ("lagrange", "kane", "newton-euler")


@answered
def derivation(eq: sb.Equations, route: str = "lagrange") -> Sheet:
    r"""The derivation of the equations of motion as a sheet, step by step.

    route   "lagrange": kinematics, energies, ∂L/∂q', d/dt ∂L/∂q', ∂L/∂q, generalised forces of each load;
            "kane": partial velocities, generalised active and inertia forces;
            "newton-euler": momentum and moment of momentum of each body, forces and reactions on it

    Formulas of more than 90 operations are given by their size, and a sheet ends after 150 formulas, with a remark.

    >>> from symbody.kits import teaching
    >>> m = sb.Model("pendulum")
    >>> mass, l, g = m.parameters("m l g", 1.0, 0.5, 9.81)
    >>> joint = m.revolute("theta", m.ground, m.body("bob", mass=mass, com=(0, -l, 0)))
    >>> m.gravity(0, -g, 0)
    >>> sheet = teaching.derivation(sb.derive(m), "lagrange")
    >>> print(*sheet.formulas[3:6], sep="\n")
    T = \frac{m l^{2} \dot{\theta}^{2}}{2}
    V_{\text{gravity}} = -m g l \cos\left(\theta\right)
    \frac{\partial L}{\partial \dot{\theta}} = m l^{2} \dot{\theta}

    See also: `derive`, `kits.teaching.Sheet`, `kits.teaching.compare`.
    """
    if route not in ROUTES:
        raise unknown(f"derivation of {eq.name!r}", "route", route, ROUTES)
    eq = eq.whole
    if eq.mechanism.has_written_motion:
        raise sb.ModelError(f"derivation of {eq.name!r}: its equations were given, not derived from bodies")
    steps: Callable[[sb.Equations], Iterator[SheetBlock]] = {"lagrange": _lagrange, "kane": _kane}.get(
        route, _newton_euler
    )
    by = {"lagrange": "Lagrange", "kane": "Kane", "newton-euler": "Newton and Euler"}[route]
    blocks = [*_description(eq), *_kinematics(eq), *steps(eq), *_result(eq)]
    return Sheet(f"{eq.name}: derivation by {by}", tuple(_first_blocks(blocks)))


def _first_blocks(blocks: Iterable[SheetBlock]) -> Iterator[SheetBlock]:
    """Blocks up to the largest number of formulas, and a remark where some are left out or shown by their size."""
    count, left, long = 0, 0, 0
    for block in blocks:
        count += isinstance(block, SheetFormula)
        if count > MOST_FORMULAS:
            left += isinstance(block, SheetFormula)
            continue
        long += isinstance(block, SheetFormula) and block.is_long
        yield block
    if long:
        yield Sentence(
            f"{long} of the formulas are given by their size, as they are too long for a sheet; sb.sequence(...) prints them.",
            True,
        )
    if left:
        yield Sentence(f"{left} further formulas are omitted: the system is too large for a sheet.", True)


# --------------------------------------------------------------------------------------------------------- left sides


def _letter_with_name(letter: str, below: str = "", above: str = "", is_bold: bool = False) -> Notation:
    """v_bob: a letter with a name below it."""
    letter_tex = rf"\mathbf{{{letter}}}" if is_bold else letter
    greek = {r"\omega": "ω", r"\alpha": "α"}
    if is_bold and letter in greek:
        letter_tex = rf"\boldsymbol{{{letter}}}"
    tex = letter_tex + (rf"_{{\text{{{in_latex(below)}}}}}" if below else "") + (f"^{{{above}}}" if above else "")
    shown = greek.get(letter, letter)
    inner = f"<mi mathvariant='{'bold' if is_bold else 'italic'}'>{in_html(shown)}</mi>"
    if below:
        inner = f"<msub>{inner}<mtext>{in_html(below)}</mtext></msub>"
    return Notation(tex, f"<msup>{inner}<mo>{in_html(above)}</mo></msup>" if above else inner)


def _ratio(top: Notation | str, bottom: sb.Expr) -> Notation:
    """∂L/∂q."""
    over = top if isinstance(top, Notation) else _letter_with_name(top)
    return Notation(
        rf"\frac{{\partial {over.latex}}}{{\partial {sb.latex(bottom)}}}",
        f"<mfrac><mrow><mo>∂</mo>{over.mathml}</mrow><mrow><mo>∂</mo>{mathml_inside(bottom)}</mrow></mfrac>",
    )


def _rate(of: Notation) -> Notation:
    return Notation(
        rf"\frac{{\mathrm{{d}}}}{{\mathrm{{d}}t}} {of.latex}",
        f"<mrow><mfrac><mi mathvariant='normal'>d</mi><mrow><mi mathvariant='normal'>d</mi><mi>t</mi></mrow></mfrac>{of.mathml}</mrow>",
    )


# ----------------------------------------------------------------------------------------------------- description, result


def _description(eq: sb.Equations) -> Iterator[SheetBlock]:
    yield Heading("The system")
    rows = [(v.symbol, v.kind, v.shown_in) for v in eq.variables.of("q u r p")]
    yield SheetTable(("symbol", "kind", "unit"), tuple(rows))
    if eq.mechanism.elastic_bodies:
        names = ", ".join(b.name for b in eq.mechanism.elastic_bodies)
        yield Sentence(f"Elastic bodies ({names}) enter the result, and are not written out here.", True)


def _bodies(eq: sb.Equations) -> tuple[Any, ...]:
    return tuple(eq.mechanism.rigid_bodies)


def _kinematics(eq: sb.Equations) -> Iterator[SheetBlock]:
    yield Heading("Kinematics")
    yield Sentence(
        "Positions and velocities of mass centres in the axes of the ground, angular velocities in those of the body."
    )
    for q, rate in zip(eq.q, eq.rates.entries, strict=True):
        if rate is not q.dot:
            yield SheetFormula(q.dot, tidy_or_plain(rate))
    for body in _bodies(eq):
        yield SheetFormula(_letter_with_name("r", body.name, is_bold=True), tidy_or_plain(body.mass_centre.in_ground))
        yield SheetFormula(_letter_with_name("v", body.name, is_bold=True), tidy_or_plain(_velocity(eq, body)))
        spin = _spin(eq, body)
        if not body.is_point and any(e.value != 0 for e in spin.entries):
            yield SheetFormula(_letter_with_name(r"\omega", body.name, is_bold=True), tidy_or_plain(spin))


def _velocity(eq: sb.Equations, body: Any) -> sb.Matrix:
    return _in_speeds(eq, body.mass_centre.velocity().components(eq.mechanism.ground))


def _spin(eq: sb.Equations, body: Any) -> sb.Matrix:
    return _in_speeds(eq, body.frame.angular_velocity().components(body.frame))


def _in_speeds(eq: sb.Equations, thing: Any) -> Any:
    rates = {q.dot: rate for q, rate in zip(eq.q, eq.rates.entries, strict=True) if rate is not q.dot}
    return sb.substitute(thing, rates) if rates else thing


def _result(eq: sb.Equations) -> Iterator[SheetBlock]:
    yield Heading("Equations of motion")
    if sb.algebra.operations(eq.M, eq.f, eq.Jc) > MOST_OPERATIONS:
        for row in eq.residual().entries:
            yield SheetFormula(sb.algebra.as_expr(0), row)
        return
    for line in eq.readable.lines:
        left = sum((c * s for c, s in line.left), start=sb.algebra.as_expr(0))
        yield SheetFormula(left, line.right)
    for remark in eq.readable.remarks:
        yield Sentence(f"Remark: {remark}.", is_remark=True)


# ------------------------------------------------------------------------------------------------------------- Lagrange


def lagrange_rows(eq: sb.Equations) -> list[dict[str, sb.Expr]]:
    """For each coordinate: momentum ∂L/∂q', its rate, ∂L/∂q, and what stands on the right."""
    T, V = sb.kinetic_energy(eq), sb.potential_energy(eq)
    conservative = {load.name for load in eq.mechanism.loads if load.potential is not None}
    forces = [sb.derivation.generalized_force(eq, x.name) for x in eq.mechanism.loads if x.name not in conservative]
    rows = []
    for i, q in enumerate(eq.q):
        momentum = sb.derivative(T, q.dot)
        right = sum((Q[i] for Q in forces), start=sb.algebra.as_expr(0))
        right = right + sum((eq.Jc[k, i] * lam for k, lam in enumerate(eq.lam)), start=sb.algebra.as_expr(0))
        rows.append(
            {
                "momentum": momentum,
                "rate": sb.time_derivative(momentum),
                "slope": sb.derivative(T - V, q),
                "right": right,
            }
        )
    return rows


def _lagrange(eq: sb.Equations) -> Iterator[SheetBlock]:
    if any(rate is not q.dot for q, rate in zip(eq.q, eq.rates.entries, strict=True)) or len(eq.u) != len(eq.q):
        raise sb.ModelError(
            f"derivation of {eq.name!r}: Lagrange's equations are in the rates of coordinates, but this model defines its own speeds; use route='kane'"
        )
    yield Heading("Energies")
    if len(_bodies(eq)) > 1:
        for body in _bodies(eq):
            yield SheetFormula(_letter_with_name("T", body.name), tidy_or_plain(sb.kinetic_energy(eq, body.name)))
    yield SheetFormula(_letter_with_name("T"), tidy_or_plain(sb.kinetic_energy(eq)))
    for load in eq.mechanism.loads:
        if load.potential is not None:
            yield SheetFormula(_letter_with_name("V", load.name), tidy_or_plain(sb.potential_energy(eq, load.name)))
    yield Heading("Derivatives of L = T - V")
    rows = lagrange_rows(eq)
    for q, row in zip(eq.q, rows, strict=True):
        by_speed = _ratio("L", q.dot)
        yield SheetFormula(by_speed, tidy_or_plain(row["momentum"]))
        yield SheetFormula(_rate(by_speed), tidy_or_plain(row["rate"]))
        yield SheetFormula(_ratio("L", q), tidy_or_plain(row["slope"]))
    yield from _generalized_forces(eq, lambda load: load.potential is None)
    yield Sentence(
        "Lagrange's equations: the time derivative of each generalised momentum, minus the derivative of L with respect to the "
        "coordinate, is the generalised force."
    )


def _generalized_forces(eq: sb.Equations, is_chosen: Callable[[Any], bool]) -> Iterator[SheetBlock]:
    loads = [x for x in eq.mechanism.loads if is_chosen(x)]
    if loads or eq.lam:
        yield Heading("Generalised forces")
    for load in loads:
        for u, force in zip(eq.u, sb.derivation.generalized_force(eq, load.name).entries, strict=True):
            if force.value != 0:
                yield SheetFormula(
                    _letter_with_name("Q", f"{load.name}, {u.name.removesuffix('_dot')}"), tidy_or_plain(force)
                )
    for k, lam in enumerate(eq.lam):
        name = eq.rows.speeds[k].name
        for i, u in enumerate(eq.u):
            if eq.Jc[k, i].value != 0:
                yield SheetFormula(
                    _letter_with_name("Q", f"{name}, {u.name.removesuffix('_dot')}"), tidy_or_plain(eq.Jc[k, i] * lam)
                )


# ----------------------------------------------------------------------------------------------------------------- Kane


def _angular_momentum_rate(eq: sb.Equations, body: Any) -> sb.Matrix:
    """I α + ω × I ω about the mass centre, in the axes of the body."""
    inertia, spin = body.mass.I_BBcm, _spin(eq, body)
    alpha = _with_accelerations(eq, body.frame.angular_acceleration().components(body.frame))
    return inertia @ alpha + sb.cross(spin, inertia @ spin)


def _acceleration(eq: sb.Equations, body: Any) -> sb.Matrix:
    return _with_accelerations(eq, body.mass_centre.acceleration().components(eq.mechanism.ground))


def _with_accelerations(eq: sb.Equations, raw: sb.Matrix) -> sb.Matrix:
    second = {
        q.dot.dot: sb.time_derivative(rate) for q, rate in zip(eq.q, eq.rates.entries, strict=True) if rate is not q.dot
    }
    return _in_speeds(eq, sb.substitute(raw, second) if second else raw)


def inertia_forces(eq: sb.Equations) -> list[sb.Expr]:
    """F*_r = -Σ (m a · ∂v/∂u_r + (I α + ω × I ω) · ∂ω/∂u_r), one for each speed."""
    out = [sb.algebra.as_expr(0) for _ in eq.u]
    for body in _bodies(eq):
        a = body.mass.m * _acceleration(eq, body)
        v, w = sb.jacobian(_velocity(eq, body), eq.u), sb.jacobian(_spin(eq, body), eq.u)
        rate = None if body.is_point else _angular_momentum_rate(eq, body)
        for r in range(len(eq.u)):
            out[r] = out[r] - sb.dot(a, sb.vector(*v.column(r)))
            if rate is not None:
                out[r] = out[r] - sb.dot(rate, sb.vector(*w.column(r)))
    return out


def _kane(eq: sb.Equations) -> Iterator[SheetBlock]:
    yield Heading("Partial velocities")
    for body in _bodies(eq):
        for letter, motion in (("v", _velocity(eq, body)), (r"\omega", _spin(eq, body))):
            table = sb.jacobian(motion, eq.u)
            for r, u in enumerate(eq.u):
                column = sb.vector(*table.column(r))
                if any(e.value != 0 for e in column.entries) and not (letter != "v" and body.is_point):
                    yield SheetFormula(
                        _ratio(_letter_with_name(letter, body.name, is_bold=True), u), tidy_or_plain(column)
                    )
    yield Heading("Accelerations")
    for body in _bodies(eq):
        yield SheetFormula(_letter_with_name("a", body.name, is_bold=True), tidy_or_plain(_acceleration(eq, body)))
    yield from _generalized_forces(eq, lambda load: True)
    yield Heading("Generalised inertia forces")
    for u, force in zip(eq.u, inertia_forces(eq), strict=True):
        yield SheetFormula(_letter_with_name("F", u.name.removesuffix("_dot"), "*"), tidy_or_plain(force))
    yield Sentence("Kane's equations: generalised active forces and generalised inertia forces add up to zero.")


# ----------------------------------------------------------------------------------------------------- Newton and Euler


def _newton_euler(eq: sb.Equations) -> Iterator[SheetBlock]:
    ground = eq.mechanism.ground
    for body in _bodies(eq):
        yield Heading(f"Body {body.name}")
        yield SheetFormula(
            _times(body.mass.m, _letter_with_name("a", body.name, is_bold=True)),
            tidy_or_plain(body.mass.m * _acceleration(eq, body)),
        )
        if not body.is_point and any(e.value != 0 for e in body.mass.I_BBcm.entries):
            left = Notation(
                r"\mathbf{I}\,\boldsymbol{\alpha} + \boldsymbol{\omega}\times\mathbf{I}\,\boldsymbol{\omega}",
                "<mrow><mi mathvariant='bold'>I</mi><mi>α</mi><mo>+</mo><mi>ω</mi><mo>×</mo><mi mathvariant='bold'>I</mi><mi>ω</mi></mrow>",
            )
            yield SheetFormula(left, tidy_or_plain(_angular_momentum_rate(eq, body)))
        for load in eq.mechanism.loads:
            for action in load.actions:
                if action.frame is body.frame and action.force is not None:
                    yield SheetFormula(
                        _letter_with_name("F", load.name, is_bold=True), tidy_or_plain(action.force.components(ground))
                    )
                if action.frame is body.frame and action.torque is not None:
                    yield SheetFormula(
                        _letter_with_name("M", load.name, is_bold=True), tidy_or_plain(action.torque.components(ground))
                    )
        joints = [
            j.name for j in eq.mechanism.joints if body.frame in (j.inner, j.outer) or body.name in (j.parent, j.child)
        ]
        if joints:
            yield Sentence(
                f"Reactions act in {', '.join(joints)}: unknown forces and moments, equal and opposite on the two parts."
            )
    yield from _generalized_forces(eq, lambda load: not load.actions)
    yield Sentence(
        "Each balance of forces is multiplied by the partial velocities of its mass centre, each balance of moments by the partial "
        "angular velocities, and all are added: reactions of ideal joints drop out."
    )


def _times(factor: sb.Expr, of: Notation) -> Notation:
    return Notation(rf"{sb.latex(factor)}\,{of.latex}", f"<mrow>{mathml_inside(factor)}{of.mathml}</mrow>")
