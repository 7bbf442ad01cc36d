"""Functions that the functions of a C file share."""

from __future__ import annotations

from typing import Final

from ....algebra.graph.functions import ExternalFunction
from ....algebra.printing.target_names import UniqueNames
from ....emit import ir
from .c_kernels import simple_c
from .c_lookup import lookup_text
from .c_style import CStyle

_HELPERS: Final = {  # operations that C has not, or not with the same results where numbers are nan
    "min": ("smaller", "{0} a, {0} b", "a <= b ? a : b"),
    "max": ("larger", "{0} a, {0} b", "a >= b ? a : b"),
    "sign": ("sign_of", "{0} a", "a > 0.0{1} ? 1.0{1} : a < 0.0{1} ? -1.0{1} : a"),
}
_WITHOUT_MATH: Final = {  # and those that the embedded variant has not
    **_HELPERS,
    "abs": ("size_of", "{0} a", "a < 0.0{1} ? -a : a"),
    "tan": ("tangent", "{0} a", "{sin}(a) / {cos}(a)"),
}


class CHelpers:
    """Functions that the functions of one file share: those for operations that C has not, and loops. `texts` has them
    by name, as they are needed."""

    def __init__(self, style: CStyle, names: UniqueNames) -> None:
        self.style, self.names = style, names
        self.texts: dict[str, str] = {}
        self._known: dict[str, str] = {}
        self.operations = _WITHOUT_MATH if style.functions else _HELPERS

    def name(self, wish: str) -> str:
        return self.names.new(f"{self.style.prefix}_{wish}" if self.style.prefix else wish)

    def operation(self, op: str) -> str:
        """Name of a function for an operation that C has not."""
        wish, arguments, result = self.operations[op]
        if wish not in self._known:
            name, number = self.name(wish), self.style.number
            self._known[wish] = name
            parts = (number.type, number.ending)
            body = result.format(*parts, **self.style.functions)
            self.texts[name] = f"static {number.type} {name}({arguments.format(*parts)})\n{{\n    return {body};\n}}\n"
        return self._known[wish]

    def lookup(self, f: ExternalFunction) -> str:
        """Name of a function that a table defines."""
        if f.name not in self._known:
            loop = "on_pieces"
            if loop not in self._known:
                self._known[loop] = self.name(loop)
                self.texts[self._known[loop]] = simple_c(ir.on_pieces, self._known[loop])
            name = self._known[f.name] = self.name(f.name)
            self.texts[name] = lookup_text(f, name, self._known[loop])
        return self._known[f.name]

    def kernel(self, kernel: ir.Kernel, width: int = 1) -> str:
        """Name of a loop."""
        wish = kernel.__name__ + (f"_{width}" if width > 1 else "")
        if wish not in self._known:
            self._known[wish] = self.name(wish)
            self.texts[self._known[wish]] = simple_c(kernel, self._known[wish], width, self.style)
        return self._known[wish]
