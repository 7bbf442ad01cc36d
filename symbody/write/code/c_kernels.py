"""Kernels as C text."""

from __future__ import annotations

import ast
from typing import Final

from ...emit.loops.kernels import RIGHT_SIDES, Kernel, Translator

_SIGNS: Final = {
    ast.Add: " + ",
    ast.Sub: " - ",
    ast.Mult: " * ",
    ast.Div: " / ",
    ast.Mod: " % ",
    ast.Lt: " < ",
    ast.Gt: " > ",
}
_PRODUCTS: Final = (ast.Mult, ast.Div, ast.Mod)
_ASCII: Final = str.maketrans({"ᵀ": "'", "₁": "1"})


class CKernel(Translator):
    """One kernel as a static C function; sizes are arguments, so that one text serves all of them.

    width   how many right sides lie side by side: an element of x, and every number computed from it, is one of each
    """

    def __init__(self, kernel: Kernel, name: str, width: int = 1) -> None:
        super().__init__(kernel, {})
        self.name, self.width = name, width
        self.wide = {RIGHT_SIDES, *(v for v, kind in self.kinds.items() if kind == "number")} if width > 1 else set()
        self.lines: list[str] = []
        self.scopes: list[set[str]] = [set()]  # numbers declared in each block that is open

    def text(self) -> str:
        self.run()
        args = ", ".join(self.argument(a.arg) for a in self.tree.args.args)
        body = "\n".join(self.lines)
        return f"{self.comment()}\nstatic void {self.name}({args})\n{{\n{body}\n}}\n"

    def comment(self) -> str:
        lines = (ast.get_docstring(self.tree) or "").translate(_ASCII).splitlines()
        return "/* " + "\n".join(f"   {line}".rstrip() for line in lines)[3:] + " */"

    def argument(self, name: str) -> str:
        kind = self.kinds[name]
        if kind == "index":
            return f"int {name}"
        element = "double" if kind == "numbers" else "int"
        return f"{element} *{name}" if name in self.stored() else f"const {element} *{name}"

    def stored(self) -> set[str]:
        """Arrays that the kernel writes to."""
        targets = [n.targets[0] for n in ast.walk(self.tree) if isinstance(n, ast.Assign)]
        return {t.value.id for t in targets if isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name)}

    def line(self, text: str) -> None:
        self.lines.append("    " * len(self.scopes) + text)

    # ------------------------------------------------------------------------------------------------ expressions

    def expression(self, e: ast.expr, is_index: bool) -> str:
        if isinstance(e, ast.Constant):
            assert isinstance(e.value, int)
            return str(e.value) if is_index else f"{e.value}.0"
        if isinstance(e, ast.Name):
            return f"{e.id}[r]" if e.id in self.wide else e.id
        if isinstance(e, ast.BinOp):
            return self.left(e, is_index) + _SIGNS[type(e.op)] + self.right(e, is_index)
        if isinstance(e, ast.Call):  # abs, the only function of the subset
            return f"fabs({self.expression(e.args[0], False)})"
        assert isinstance(e, ast.Subscript)
        return self.element(e)

    def left(self, e: ast.BinOp, is_index: bool) -> str:
        text = self.expression(e.left, is_index)
        is_sum = isinstance(e.left, ast.BinOp) and not isinstance(e.left.op, _PRODUCTS)
        return f"({text})" if is_sum and isinstance(e.op, _PRODUCTS) else text

    def right(self, e: ast.BinOp, is_index: bool) -> str:
        text = self.expression(e.right, is_index)
        looser = isinstance(e.right, ast.BinOp) and (
            isinstance(e.op, _PRODUCTS) or not isinstance(e.right.op, _PRODUCTS)
        )
        return f"({text})" if looser else text

    def element(self, e: ast.Subscript) -> str:
        assert isinstance(e.value, ast.Name)
        at = self.expression(e.slice, True)
        if e.value.id in self.wide:
            at = f"({at}) * {self.width} + r" if isinstance(e.slice, ast.BinOp) else f"{at} * {self.width} + r"
        return f"{e.value.id}[{at}]"

    # ------------------------------------------------------------------------------------------------ statements

    def scope(self, statements: list[ast.stmt]) -> None:
        self.scopes.append(set())
        self.block(statements)
        self.scopes.pop()

    def loop(self, name: str, start: ast.expr, stop: ast.expr, step: int, body: list[ast.stmt]) -> None:
        first, end = self.expression(start, True), self.expression(stop, True)
        onward = f"{name}++" if step == 1 else f"{name} += {step}"
        self.line(f"for (int {name} = {first}; {name} < {end}; {onward}) {{")
        self.scope(body)
        self.line("}")

    def choose(self, test: ast.expr, yes: list[ast.stmt], no: list[ast.stmt]) -> None:
        assert isinstance(test, ast.Compare)
        is_index = self.is_index(test.left)
        left, right = (self.expression(e, is_index) for e in (test.left, test.comparators[0]))
        self.line(f"if ({left}{_SIGNS[type(test.ops[0])]}{right}) {{")
        self.scope(yes)
        if no:
            self.line("} else {")
            self.scope(no)
        self.line("}")

    def assign(self, name: str, value: ast.expr) -> None:
        is_new = not any(name in s for s in self.scopes)
        self.scopes[-1].add(name)
        if name not in self.wide:
            self.line(f"{'double ' if is_new else ''}{name} = {self.expression(value, False)};")
            return
        if is_new:
            self.line(f"double {name}[{self.width}];")
        self.for_each_side(f"{name}[r] = {self.expression(value, False)};")

    def store(self, target: ast.Subscript, value: ast.expr) -> None:
        assert isinstance(target.value, ast.Name)
        is_index = self.kinds[target.value.id] == "indices"
        put = self.for_each_side if target.value.id in self.wide else self.line
        put(f"{self.element(target)} = {self.expression(value, is_index)};")

    def for_each_side(self, text: str) -> None:
        self.line(f"for (int r = 0; r < {self.width}; r++) {{")
        self.line(f"    {text}")
        self.line("}")
