"""Mathematics without mechanics: the expression graph, derivatives, linear solves, printing, the border with SymPy."""

from . import printing as printing  # expressions print themselves
