"""A chain of n spherical pendulums, by recursions in body frames (Lennartsson, thesis, section 5.4).

Bar k hangs on bar k - 1 (bar 0 on a fixed point) by two relative angles: q[2k] about its x axis, then q[2k + 1] about
its y axis. Its own axis is z; the next joint is at (0, 0, -length), the mass centre half way there. Gravity pulls
along -z.

    M(q) u' + b(q, u) = 0,   q' = u

The functions use arithmetic only, on whatever scalars they are given: expressions of symbody, CasADi's SX, floats,
complex numbers. `sin` and `cos` of that kind of scalar are passed in. Vectors are 3-tuples in the frame of the bar at
hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

Vector = tuple[Any, Any, Any]
Function = Callable[[Any], Any]


@dataclass(frozen=True)
class Bar:
    """One bar. Inertias are central: `transverse` about x and y, `axial` about z."""

    mass: Any = 1
    length: Any = 1
    transverse: Any = Fraction(1, 12)
    axial: Any = Fraction(1, 100)

    @property
    def half(self) -> Any:
        return Fraction(self.length, 2) if isinstance(self.length, int) else self.length / 2

    def in_floats(self) -> Bar:
        """For scalars that do not know exact fractions."""
        return Bar(float(self.mass), float(self.length), float(self.transverse), float(self.axial))


BAR = Bar()


class Joint(NamedTuple):
    """The rotation from the parent bar to a bar: sines and cosines of the angles about x, then y."""

    sx: Any
    cx: Any
    sy: Any
    cy: Any

    def inwards_x(self, v: Vector) -> Vector:
        """Components before the rotation about x, of a vector given after it."""
        x, y, z = v
        return x, self.cx * y - self.sx * z, self.sx * y + self.cx * z

    def inwards_y(self, v: Vector) -> Vector:
        """Components before the rotation about y, of a vector given after it."""
        x, y, z = v
        return self.cy * x + self.sy * z, y, self.cy * z - self.sy * x

    def outwards_x(self, v: Vector) -> Vector:
        x, y, z = v
        return x, self.cx * y + self.sx * z, self.cx * z - self.sx * y

    def outwards_y(self, v: Vector) -> Vector:
        x, y, z = v
        return self.cy * x - self.sy * z, y, self.sy * x + self.cy * z

    def inwards(self, v: Vector) -> Vector:
        """Components in the parent of a vector given in the bar."""
        return self.inwards_x(self.inwards_y(v))

    def outwards(self, v: Vector) -> Vector:
        """Components in the bar of a vector given in the parent."""
        return self.outwards_y(self.outwards_x(v))


def joints(q: Sequence[Any], sin: Function, cos: Function) -> list[Joint]:
    pairs = zip(q[::2], q[1::2], strict=True)
    return [Joint(sin(x), cos(x), sin(y), cos(y)) for x, y in pairs]


def plus(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def times(k: Any, a: Vector) -> Vector:
    return k * a[0], k * a[1], k * a[2]


# ---------------------------------------------------------------------------------------------------- mass matrix


class Composite(NamedTuple):
    """A bar and all that hangs on it as one rigid body: mass, first moment and inertia tensor about the bar's joint."""

    mass: Any
    moment: Vector
    xx: Any
    yy: Any
    zz: Any
    xy: Any
    xz: Any
    yz: Any

    def inwards_x(self, j: Joint) -> Composite:
        """The same in components before the rotation about x.

        t = c² (yy - zz) - 2 c s yz,   yy' = zz + t,   zz' = yy - t,   yz' = yz + (s/c) t
        """
        r = j.cx * (self.yy - self.zz) - 2 * (j.sx * self.yz)
        t = j.cx * r
        xy, xz = j.cx * self.xy - j.sx * self.xz, j.sx * self.xy + j.cx * self.xz
        moment = j.inwards_x(self.moment)
        return Composite(self.mass, moment, self.xx, self.zz + t, self.yy - t, xy, xz, self.yz + j.sx * r)

    def inwards_y(self, j: Joint) -> Composite:
        """The same in components before the rotation about y (x, y, z of the above are z, x, y here)."""
        r = j.cy * (self.zz - self.xx) - 2 * (j.sy * self.xz)
        t = j.cy * r
        yz, xy = j.cy * self.yz - j.sy * self.xy, j.sy * self.yz + j.cy * self.xy
        moment = j.inwards_y(self.moment)
        return Composite(self.mass, moment, self.zz - t, self.yy, self.xx + t, xy, self.xz + j.sy * r, yz)

    def hung_on(self, bar: Bar) -> Composite:
        """Together with the bar at whose end it hangs: parallel axes, I + m (r·r 1 - r rᵀ) + 2 r·h 1 - r hᵀ - h rᵀ."""
        hx, hy, hz = self.moment
        l, c = bar.length, bar.half
        shift = bar.transverse + bar.mass * c * c + self.mass * l * l - 2 * (l * hz)
        return Composite(
            mass=self.mass + bar.mass,
            moment=(hx, hy, hz - (self.mass * l + bar.mass * c)),
            xx=self.xx + shift,
            yy=self.yy + shift,
            zz=self.zz + bar.axial,
            xy=self.xy,
            xz=self.xz + l * hx,
            yz=self.yz + l * hy,
        )


NOTHING = Composite(0, (0, 0, 0), 0, 0, 0, 0, 0, 0)


def mass_matrix(q: Sequence[Any], sin: Function, cos: Function, bar: Bar = BAR) -> list[list[Any]]:
    """M(q), symmetric, 2n by 2n: column d holds what a unit acceleration of angle d alone asks of each joint.

    All that hangs on a joint moves as one rigid body when only that joint's angle accelerates. The force and moment
    which this takes are carried inwards, joint after joint; the moments about the joint axes are the column. The force
    is carried as `pull`, force times length of a bar, which is all that is needed of it.
    """
    chain, l = joints(q, sin, cos), bar.length
    M = [[None] * len(q) for _ in q]
    body = NOTHING
    for k in reversed(range(len(chain))):
        body = body.hung_on(bar)
        hx, hy, hz = body.moment
        M[2 * k + 1][2 * k + 1] = body.yy
        about_y = chain[k].inwards_y(times(l, (hz, 0, -hx))), chain[k].inwards_y((body.xy, body.yy, body.yz))
        body = body.inwards_y(chain[k])
        hx, hy, hz = body.moment
        M[2 * k][2 * k] = body.xx
        M[2 * k][2 * k + 1] = M[2 * k + 1][2 * k] = body.xy
        about_x = times(l, (0, -hz, hy)), (body.xx, body.xy, body.xz)
        for column, (pull, moment) in ((2 * k, about_x), (2 * k + 1, about_y)):
            pull, moment = chain[k].inwards_x(pull), chain[k].inwards_x(moment)
            for row, entry in carried_inwards(pull, moment, chain[:k]):
                M[row][column] = M[column][row] = entry
        body = body.inwards_x(chain[k])
    return M


def carried_inwards(pull: Vector, moment: Vector, chain: list[Joint]) -> Iterator[tuple[int, Any]]:
    """Moments about the joint axes of a chain, for a force and moment at its end: (number of the angle, moment)."""
    for k in reversed(range(len(chain))):
        moment = at_joint(pull, moment)
        yield 2 * k + 1, moment[1]
        moment = chain[k].inwards_y(moment)
        yield 2 * k, moment[0]
        moment, pull = chain[k].inwards_x(moment), chain[k].inwards(pull)


def at_joint(pull: Vector, moment: Vector) -> Vector:
    """Moment about the joint of a bar, of a force and moment at its end: n + r × f."""
    return moment[0] + pull[1], moment[1] - pull[0], moment[2]


# ---------------------------------------------------------------------------------------------------- bias


def bias(
    q: Sequence[Any], u: Sequence[Any], sin: Function, cos: Function, bar: Bar = BAR, gravity: Any = 1
) -> list[Any]:
    """b(q, u): the joint moments that hold u constant against gravity and inertia (Newton-Euler recursion, u' = 0)."""
    chain = joints(q, sin, cos)
    loads = list(inertial_loads(chain, u, bar, gravity))
    b = [None] * len(q)
    pull: Vector = (0, 0, 0)
    moment: Vector = (0, 0, 0)
    for k in reversed(range(len(chain))):
        own_pull, own_moment = loads[k]
        moment = plus(at_joint(pull, moment), own_moment)
        b[2 * k + 1] = moment[1]
        moment = chain[k].inwards_y(moment)
        b[2 * k] = moment[0]
        moment, pull = chain[k].inwards_x(moment), chain[k].inwards(plus(pull, own_pull))
    return b


def inertial_loads(chain: list[Joint], u: Sequence[Any], bar: Bar, gravity: Any) -> Iterator[tuple[Vector, Vector]]:
    """For each bar, from the base outwards, where u' = 0: l m a, and I α + ω × I ω + c × m a about its joint."""
    w: Vector = (0, 0, 0)
    alpha: Vector = (0, 0, 0)
    a: Vector = (0, 0, gravity)  # of the joint; gravity is an acceleration of the base
    m, l, c = bar.mass, bar.length, bar.half
    about_joint = bar.transverse + m * c * c
    for k, joint in enumerate(chain):
        w, alpha = turned(joint, u[2 * k], u[2 * k + 1], w, alpha)
        a = joint.outwards(a)
        wxz, wyz = w[0] * w[2], w[1] * w[2]
        e = -(alpha[1] + wxz), alpha[0] - wyz, w[0] * w[0] + w[1] * w[1]  # α × (-z) + ω × (ω × (-z))
        moment = (
            about_joint * e[1] + bar.axial * wyz + m * c * a[1],
            -(about_joint * e[0] + bar.axial * wxz + m * c * a[0]),
            bar.axial * alpha[2],
        )
        yield times(m * l, plus(a, times(c, e))), moment
        a = plus(a, times(l, e))


def turned(joint: Joint, ux: Any, uy: Any, w: Vector, alpha: Vector) -> tuple[Vector, Vector]:
    """Angular velocity and acceleration of a bar from those of its parent, where ux and uy are constant.

    ω' = ω + u e,   α' = α + ω × u e,   about x, then about y
    """
    x, y, z = joint.outwards_x(w)
    ax, ay, az = joint.outwards_x(alpha)
    w, alpha = (x + ux, y, z), (ax, ay + ux * z, az - ux * y)
    x, y, z = joint.outwards_y(w)
    ax, ay, az = joint.outwards_y(alpha)
    return (x, y + uy, z), (ax - uy * z, ay, az + uy * x)


# ---------------------------------------------------------------------------------------------------- energies


def kinetic_energy(q: Sequence[Any], u: Sequence[Any], sin: Function, cos: Function, bar: Bar = BAR) -> Any:
    """T = Σ ½ m v² + ½ ω·I ω, by a recursion of its own (it shares the rotations with the functions above)."""
    w: Vector = (0, 0, 0)
    v: Vector = (0, 0, 0)
    twice: Any = 0
    for k, j in enumerate(joints(q, sin, cos)):
        x, y, z = j.outwards_x(w)
        x, y, z = j.outwards_y((x + u[2 * k], y, z))
        w, v = (x, y + u[2 * k + 1], z), j.outwards(v)
        vx, vy, vz = v[0] - bar.half * w[1], v[1] + bar.half * w[0], v[2]
        twice = twice + bar.mass * (vx * vx + vy * vy + vz * vz)
        twice = twice + bar.transverse * (w[0] * w[0] + w[1] * w[1]) + bar.axial * (w[2] * w[2])
        v = v[0] - bar.length * w[1], v[1] + bar.length * w[0], v[2]
    return twice / 2


def potential_energy(q: Sequence[Any], sin: Function, cos: Function, bar: Bar = BAR, gravity: Any = 1) -> Any:
    """V = Σ m g z, zero at the fixed point."""
    up: Vector = (0, 0, 1)  # the world's z axis in the frame of the bar
    joint: Any = 0  # height of the bar's joint
    energy: Any = 0
    for j in joints(q, sin, cos):
        up = j.outwards(up)
        energy = energy + bar.mass * gravity * (joint - bar.half * up[2])
        joint = joint - bar.length * up[2]
    return energy
