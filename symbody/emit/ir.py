"""The intermediate representation: all that a printer of another language needs of this folder (docs/ir.md).

Two forms reach a printer. A `Program` is straight-line code: instructions on numbers, without jumps. A `KernelForm` is a
small function with loops, read from Python. Exporters import this module and nothing else of `emit` that is not public.
"""

from __future__ import annotations

from ..algebra.printing.target_names import UniqueNames
from .loops.inlining import inlined_form
from .loops.kernel_entries import ArgumentRoute, KernelEntry, kernel_entry
from .loops.kernel_language import Function, Indices, Kernel, Numbers, is_finite
from .loops.kernel_nodes import (
    FUNCTION,
    INDEX,
    INDICES,
    NOTHING,
    NUMBER,
    NUMBERS,
    TRUTH,
    ArrayElement,
    ArrayTail,
    Assign,
    BasicType,
    Block,
    BooleanOperation,
    CallStatement,
    Constant,
    Conversion,
    Expression,
    If,
    IsAbsent,
    Jump,
    KernelCall,
    KernelForm,
    LocalVariable,
    Loop,
    MathCall,
    Not,
    Operation,
    Parameter,
    ProgramCall,
    RecordType,
    Return,
    Select,
    Statement,
    Store,
    Type,
    While,
    all_parts,
)
from .loops.kernel_parser import kernel_form
from .loops.program_kernels import (
    ELIMINATION_KERNELS,
    RIGHT_SIDES,
    factor_kernel,
    has_pivots,
    on_pieces,
    solve_kernel,
)
from .loops.records import IS_PRESENT, Struct, known_values, type_of
from .loops.specialisation import Kernels, KnownValues
from .lowering.right_sides import leading_zeros, right_side_layout
from .lowering.straight_line import straight_line_program, without_tree_loops
from .programs.copied_runs import CopiedRuns, copied_runs, pieces_of_rows
from .programs.program import Cost, Group, Instruction, Output, Program, require_program, right_side_count
from .programs.splitting import ScratchMemory, ranges_by_weight
from .programs.sweep_shape import SweepShape
from .text.infix import (
    AND,
    ATOM,
    CHOICE,
    COMPARISON,
    CONDITIONS,
    ENTRY_WIDTH,
    OR,
    POWER,
    SIGN,
    SUM,
    Infix,
    Term,
    TextPlan,
    comma_lines,
    entry_places,
)
from .text.numpy_text import NumpyFunction, kernel_text

__all__ = [  # noqa: RUF022  (by subject)
    # programs: instructions on earlier values, from named inputs to named outputs
    "Program", "Instruction", "Group", "Output", "Cost", "require_program", "straight_line_program",
    "without_tree_loops",
    # schedules of fragments: functions for each type of link, run in loops; numbers that a program only copies
    "SweepShape", "CopiedRuns", "copied_runs", "pieces_of_rows",
    # solves of programs: factors of one matrix, several right sides, and the kernels that do it
    "right_side_count", "right_side_layout", "leading_zeros", "factor_kernel", "solve_kernel", "has_pivots",
    "ELIMINATION_KERNELS", "RIGHT_SIDES",
    # long programs: functions of bounded size, and memory through which they hand values on
    "ranges_by_weight", "ScratchMemory",
    # text of programs: names, parentheses, lines
    "Infix", "TextPlan", "UniqueNames", "Term", "CHOICE", "OR", "AND", "COMPARISON", "SUM", "SIGN", "POWER", "ATOM", "CONDITIONS",
    "ENTRY_WIDTH", "entry_places", "comma_lines", "NumpyFunction",
    # kernels: Python functions with loops, the types of their arguments, and records of these
    "Kernel", "Numbers", "Indices", "Function", "is_finite", "on_pieces", "Struct", "type_of", "known_values", "IS_PRESENT", "kernel_text",
    # the form of a kernel: read from Python, then specialised for known argument values
    "KernelForm", "Parameter", "kernel_form", "inlined_form", "Kernels", "KnownValues", "KernelEntry", "ArgumentRoute", "kernel_entry",
    # types in it
    "Type", "BasicType", "RecordType", "INDEX", "NUMBER", "TRUTH", "NUMBERS", "INDICES", "FUNCTION", "NOTHING",
    # expressions
    "Expression", "Constant", "LocalVariable", "ArrayElement", "ArrayTail", "Operation", "Conversion", "BooleanOperation",
    "Not", "IsAbsent", "Select", "MathCall", "KernelCall",
    # statements
    "Statement", "Block", "Assign", "Store", "Loop", "While", "If", "Jump", "Return", "ProgramCall", "CallStatement", "all_parts",
]  # fmt: skip
