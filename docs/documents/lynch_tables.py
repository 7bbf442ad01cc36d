"""Tables 3.1 and 3.3 of Lynch's thesis: blocks of the partial velocity matrix B and of its rate, written as printed.

A block belongs to body i and to the joint of body j on the way to it, in components of body i: A turns from j to i, d leads
from the joint to the mass centre of body i, u is the axis of the joint, W the cross product with the angular velocity of i.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import symbody as sb
from symbody.bodies import Body, Joint

AXES = {"x": sb.vector(1, 0, 0), "y": sb.vector(0, 1, 0), "z": sb.vector(0, 0, 1)}


class Block(NamedTuple):
    """Columns of B and of Ḃ, three rows of velocities and three of angular velocities."""

    B: sb.Matrix
    rate: sb.Matrix


class Motion(NamedTuple):
    """A vector or matrix, and its derivative by time in the rotating axes."""

    value: sb.Matrix
    rate: sb.Matrix


def floating(A: Motion, d: Motion, W: sb.Matrix) -> Block:
    """Of a floating base: six columns, for v and ω."""
    turned = A.rate + W @ A.value
    arm = sb.skew(d.rate) @ A.value + sb.skew(d.value) @ A.rate + W @ sb.skew(d.value) @ A.value
    none = sb.zeros(3, 3)
    return Block(
        _beside(sb.stack(A.value, none), sb.stack(-sb.skew(d.value) @ A.value, A.value)),
        _beside(sb.stack(turned, none), sb.stack(-arm, turned)),
    )


def revolute(u: Motion, d: Motion, W: sb.Matrix) -> Block:
    """u is A u of the table: the axis in components of body i."""
    linear = sb.skew(u.rate) @ d.value + sb.skew(u.value) @ d.rate + W @ sb.skew(u.value) @ d.value
    return Block(sb.stack(sb.skew(u.value) @ d.value, u.value), sb.stack(linear, u.rate + W @ u.value))


def translational(u: Motion, W: sb.Matrix) -> Block:
    return Block(sb.stack(u.value, sb.zeros(3, 1)), sb.stack(u.rate + W @ u.value, sb.zeros(3, 1)))


def by_tables(eq: sb.Equations, axes: Mapping[str, str]) -> Block:
    """B and Ḃ of a tree, with columns in the order of its speeds; `axes` of the joints by name."""
    rows = [_rows_of(eq, body, axes) for body in eq.mechanism.bodies]
    return Block(sb.stack(*(r.B for r in rows)), sb.stack(*(r.rate for r in rows)))


def _rows_of(eq: sb.Equations, body: Body, axes: Mapping[str, str]) -> Block:
    at_speeds = dict(zip((q.dot for q in eq.q), eq.rates.entries, strict=True))
    W = sb.skew(sb.substitute(body.frame.angular_velocity().components(body.frame), at_speeds))
    columns = {u: Block(sb.zeros(6, 1), sb.zeros(6, 1)) for u in eq.u}
    for joint in _way_to(eq, body):
        block = _block(eq, body, joint, W, axes)
        speeds = (*eq.u[3:6], *eq.u[:3]) if joint.kind == "free" else (joint.q.dot,)
        columns |= {u: Block(block.B[:, k], block.rate[:, k]) for k, u in enumerate(speeds)}
    return Block(_beside(*(c.B for c in columns.values())), _beside(*(c.rate for c in columns.values())))


def _block(eq: sb.Equations, body: Body, joint: Joint, W: sb.Matrix, axes: Mapping[str, str]) -> Block:
    A = _moving(eq, body.frame.dcm(eq.mechanism.body(joint.child).frame))
    d = _moving(eq, (body.mass_centre - joint.inner.origin).components(body.frame))
    if joint.kind == "free":
        return floating(A, d, W)
    u = _moving(eq, A.value @ AXES[axes[joint.name]])
    return revolute(u, d, W) if joint.kind == "revolute" else translational(u, W)


def _moving(eq: sb.Equations, value: sb.Matrix) -> Motion:
    return Motion(value, sb.time_derivative(value, dict(zip(eq.q, eq.rates.entries, strict=True))))


def _way_to(eq: sb.Equations, body: Body) -> list[Joint]:
    """Joints from the base to a body, by its row of the path matrix."""
    tree = eq.mechanism.topology
    on_the_way = dict(zip(tree.bodies, tree.path[tree.bodies.index(body.name)], strict=True))
    return [j for j in eq.mechanism.joints if on_the_way[j.child]]


def _beside(*parts: sb.Matrix) -> sb.Matrix:
    return sb.stack(*(p.T for p in parts)).T
