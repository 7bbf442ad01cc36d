"""Names of Greek letters, and the letters."""

from __future__ import annotations

from typing import Final

GREEK: Final = {
    **dict(zip((
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau "
            "upsilon phi chi psi omega").split(),
               "αβγδεζηθικλμνξοπρστυφχψω", strict=True)),
    **dict(zip("Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split(), "ΓΔΘΛΞΠΣΥΦΨΩ", strict=True)),
    "lam": "λ", "eps": "ε", "varepsilon": "ε", "varphi": "φ", "vartheta": "ϑ", "varrho": "ϱ", "varsigma": "ς",
}  # fmt: skip
