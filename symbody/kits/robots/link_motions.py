"""Velocities and accelerations of frames, by a recursion from the ground outwards."""

from __future__ import annotations

from typing import Any

import symbody as sb


class FrameMotions:
    """Velocities and accelerations of frames, by a recursion from the ground outwards, in components of each frame."""

    def __init__(self, m: sb.bodies.Mechanism) -> None:
        self.u = m.u
        self.rates = dict(m.rates)
        self.dots = {q.dot: r for q, r in self.rates.items() if r is not q.dot}
        self.table: dict[Any, Any] = {**self.rates, **{u: u.dot for u in m.u}}
        still = sb.vector(0, 0, 0)
        g = still if m.gravity is None else m.gravity.components(m.ground)
        self.known: dict[sb.Frame, tuple[sb.Matrix, ...]] = {
            m.ground: (still, still, still, -g)
        }  # ω, v, α, a - g of each frame

    def of(self, frame: sb.Frame) -> tuple[sb.Matrix, ...]:
        for parent, f in zip(frame.path, frame.path[1:], strict=False):
            if f not in self.known:
                self.known[f] = self._next(parent, f)
        return self.known[frame]

    def _next(self, parent: sb.Frame, f: sb.Frame) -> tuple[sb.Matrix, ...]:
        w, v, alpha, a = self.known[parent]
        R = f.dcm(parent)  # components in the parent -> in f
        p = (f.origin - parent.origin).components(parent)
        own = f.angular_velocity(parent).components(f)
        own, slide = self._in_speeds(own), self._in_speeds(sb.time_derivative(p))
        turned = R @ w
        w_f = turned + own
        v_f = R @ (v + sb.cross(w, p) + slide)
        own_rate, slide_rate = sb.time_derivative(own, self.table), sb.time_derivative(slide, self.table)
        alpha_f = R @ alpha + own_rate + sb.cross(turned, own)
        a_f = R @ (a + sb.cross(alpha, p) + sb.cross(w, sb.cross(w, p) + 2 * slide) + slide_rate)
        return w_f, v_f, alpha_f, a_f

    def _in_speeds(self, thing: sb.Matrix) -> sb.Matrix:
        found: sb.Matrix = sb.substitute(thing, self.dots) if self.dots else thing
        return found
