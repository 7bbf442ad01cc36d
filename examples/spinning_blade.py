"""A flexible blade is spun up: with stiffening by rotation it lags behind and recovers, without it bends without limit.

The manoeuvre of Kane, Ryan and Banerjee (1987) with the beam of Simo and Vu-Quoc (1986): 10 m long, to 6 rad/s in 15 s.
"""

import numpy as np

import symbody as sb

TIME = 15.0  # of the manoeuvre, in s
SPEED = 6.0  # at its end, in rad/s


def model(stiffening: bool = True) -> sb.Model:
    m = sb.Model("spinning blade")
    L, EI, mu = m.parameters(L=10.0, EI=1.4e4, mu=1.2)
    t = m.time
    spun = SPEED / TIME * (t**2 / 2 + (TIME / (2 * sb.pi)) ** 2 * (sb.cos(2 * sb.pi * t / TIME) - 1))
    hub = m.ground.rotate("z", sb.where(t < TIME, spun, SPEED * (t - TIME / 2)))
    blade = m.beam("blade", hub, length=L, EI=EI, rho_A=mu, modes=3, stiffening=stiffening)
    m.output("tip", blade.displacement(L)[1])
    return m


def at_speed() -> sb.Model:
    """The same blade at a constant speed W, which flaps out of the plane."""
    m = sb.Model("blade at speed")
    W = m.parameter("W", 0.0)
    m.beam("blade", m.ground.rotate("z", W * m.time), length=10, EI=1.4e4, rho_A=1.2, modes=3, bending="z")
    return m


def main() -> None:
    stiff = sb.simulate(sb.derive(model()), np.linspace(0, 20, 401))
    tip = stiff["tip"]
    print(f"with stiffening: at most {-tip.min():.3f} m, at {stiff.t[tip.argmin()]:.2f} s")
    plain = sb.simulate(sb.derive(model(stiffening=False)), np.linspace(0, 8, 161))
    print(f"without: {-plain['tip'][-1]:.3f} m after 8 s, and growing")
    system = sb.linearize(sb.derive(at_speed()), {})
    for speed in (0, 2, 4, 6):
        print(f"{speed} rad/s: flaps at {min(abs(system.eigenvalues(W=speed).imag)):.4f} rad/s")


if __name__ == "__main__":
    main()
