"""Functions of equations that their own files cannot check, since `Equations` uses them: with their first argument
checked, for users."""

from __future__ import annotations

from ..equations import constraint_rank as ranks
from ..equations import own_terms, undetermined_forces
from ..equations.equations import of_equations

composed = of_equations(own_terms.composed)
constraint_rank = of_equations(ranks.constraint_rank)
in_own_symbols = of_equations(own_terms.in_own_symbols)
in_own_terms = of_equations(own_terms.in_own_terms)
speed_index = of_equations(own_terms.speed_index)
undetermined = of_equations(undetermined_forces.undetermined)
