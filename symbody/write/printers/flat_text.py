"""Program -> the statements of one function, for languages that need no cutting up: what they have in common.

A language says how statements, arrays and calls are written. Linear systems are either loops (`Kernel`s, called for one
right side after the other) or whatever the language has. Loops over equal links are written out where a language does
not say how they are written.
"""

from __future__ import annotations

from typing import Final

from ...algebra.printing.target_names import UniqueNames
from ...emit import ir
from ...errors import ProgramError

MOST_WRITTEN_OUT: Final = 250_000  # operations: 12 MB of text, and minutes for the packages that read it


class FlatText(ir.Infix):
    """Statements for a whole program.

    inputs   the text of each symbol, group by group
    """

    def __init__(self, program: ir.Program, names: UniqueNames, inputs: list[list[str]]) -> None:
        super().__init__(ir.TextPlan(self.printable_program(program), names))
        self.inputs = inputs
        self.blocks: dict[int, str] = {}  # names of factors and solutions
        self.used: set[int] = set()  # groups of inputs

    def write(self) -> list[str]:
        for k, i in enumerate(self.code):
            self.instruction(k, i)
        for o, out in enumerate(self.program.outputs):
            for at, v in enumerate(out.values):
                if not self.is_copied(o, at):
                    self.store(o, out, at, self.finished(v))
        return self.lines

    def instruction(self, k: int, i: ir.Instruction) -> None:
        if i.op in ("input", "const", "true", "sincos"):
            return
        if i.op == "item":
            if k in self.program.labels:
                self.term(k)
                self.give_name(k)
        elif i.op == "factor":
            self.blocks[k] = self.factor(i)
        elif i.op == "solve":
            right = [self.finished(v, ir.ENTRY_WIDTH) for v in i.args[1:]]
            self.blocks[k] = self.solve(i, self.blocks[i.args[0]], right, ir.right_side_count(self.program.code, i))
        elif i.op == "sweeps":
            self.blocks[k] = self.sweeps(k, i)
        else:
            self.define(k)

    def is_copied(self, o: int, at: int) -> bool:
        """Whether an entry of an output is written otherwise."""
        return False

    def outside(self, v: int) -> ir.Term:
        i = self.code[v]
        if i.op == "input":
            group, at = i.data
            self.used.add(group)
            return ir.Term(self.inputs[group][at])
        return ir.Term(self.item(self.blocks[i.args[0]], i.data))

    # ------------------------------------------------------------------------------------------------ languages

    def printable_program(self, program: ir.Program) -> ir.Program:
        """The program without the loops that the language has not; very long ones are refused."""
        if program.cost.total > MOST_WRITTEN_OUT and any(i.op == "sweeps" for i in program.code):
            raise ProgramError(
                f"{program.name}: loops over equal links would be written out in this language, {program.cost.total} operations, of which "
                f"at most {MOST_WRITTEN_OUT} are written; C, Rust, JavaScript, NumPy, Fortran and MATLAB have the loops"
            )
        return ir.straight_line_program(program)

    def store(self, o: int, out: ir.Output, at: int, text: str) -> None:
        """A number of an output."""
        raise NotImplementedError

    def factor(self, i: ir.Instruction) -> str:
        """Factors of a matrix; returns their name."""
        raise NotImplementedError

    def solve(self, i: ir.Instruction, factors: str, right: list[str], sides: int) -> str:
        """Solutions, one right side after the other; returns their name."""
        raise NotImplementedError

    def sweeps(self, k: int, i: ir.Instruction) -> str:
        """Steps of a schedule; returns the name of its memory."""
        raise NotImplementedError

    def item(self, block: str, at: int) -> str:
        """A number of a solution."""
        raise NotImplementedError
