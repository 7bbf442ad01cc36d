"""Kernels with the text of those that they call in place of the calls: for languages whose functions cannot change the
arrays that they are given, and for texts that are to stand alone."""

from __future__ import annotations

from dataclasses import replace

from ...errors import CompileError
from . import kernel_nodes as ir
from .kernel_language import Kernel
from .kernel_parser import kernel_form

Names = dict[str, ir.Type]


def inlined_form(kernel: Kernel) -> ir.KernelForm:
    """The form of a kernel that takes no records, without calls of kernels that return nothing.

    >>> from symbody.integrate.kernels.stages import fixed_step
    >>> len([part for part in all_parts(inlined(fixed_step).body) if isinstance(part, Called)])
    0
    """
    return _form_without_calls(kernel_form(kernel))


def _form_without_calls(form: ir.KernelForm) -> ir.KernelForm:
    own = {p.name: p.type for p in form.parameters} | _assigned_names(form.body)
    return replace(form, body=_Inliner(form, own).block(form.body, {}))


class _Inliner:
    """taken   names of the caller; `lent` are those of texts that were put in, which others may use again for the same
    type."""

    def __init__(self, form: ir.KernelForm, taken: Names) -> None:
        self.form, self.taken = form, taken
        self.lent: Names = {}

    def block(self, block: ir.Block, loops: Names) -> ir.Block:
        return tuple(part for s in block for part in self.statement(s, loops))

    def statement(self, s: ir.Statement, loops: Names) -> ir.Block:
        match s:
            case ir.CallStatement(value):
                return self.text(value, loops)
            case ir.Loop():
                return (replace(s, body=self.block(s.body, {**loops, s.name: ir.INDEX})),)
            case ir.While():
                return (replace(s, body=self.block(s.body, loops)),)
            case ir.If():
                return (replace(s, yes=self.block(s.yes, loops), no=self.block(s.no, loops)),)
        return (s,)

    def text(self, call: ir.KernelCall, loops: Names) -> ir.Block:
        """The body of a kernel with its arguments in place, under names that mean nothing where it is put."""
        inner = _form_without_calls(kernel_form(call.kernel, call.types))
        given: dict[str, ir.Expression] = dict(zip((p.name for p in inner.parameters), call.arguments, strict=True))
        assigned = _assigned_names(inner.body)
        if any(isinstance(part, ir.Return) for part in ir.all_parts(inner.body)) or assigned.keys() & given.keys():
            raise CompileError(
                f"kernel {self.form.name}: {inner.name} returns, or assigns to an argument, and cannot stand in the "
                "place of its call"
            )
        own = assigned | {part.name: ir.INDEX for part in ir.all_parts(inner.body) if isinstance(part, ir.Loop)}
        new = {name: self.free(name, type_, loops) for name, type_ in own.items()}
        first: list[ir.Statement] = []
        for name, e in given.items():
            if e.type in (ir.INDEX, ir.NUMBER) and not isinstance(e, ir.Constant | ir.LocalVariable):  # computed once
                given[name] = value = ir.LocalVariable(e.type, self.free(name, e.type, loops))
                first.append(ir.Assign(value, e))
        return (*first, *_substituted_block(inner.body, given, new))

    def free(self, name: str, type_: ir.Type, loops: Names) -> str:
        k, free = 2, name
        while free in self.taken or free in loops or self.lent.get(free, type_) != type_:
            k, free = k + 1, f"{name}{k}"
        self.lent[free] = type_
        return free


def _substituted_block(block: ir.Block, given: dict[str, ir.Expression], new: dict[str, str]) -> ir.Block:
    """A text with arguments in place of parameters, and new names for its own."""

    def placed(e: ir.Expression) -> ir.Expression:
        match e:
            case ir.LocalVariable(type_, name):
                return given[name] if name in given else ir.LocalVariable(type_, new[name])
            case ir.ArrayElement(type_, ir.ArrayTail(_, array, start), at):
                return ir.ArrayElement(type_, array, _sum(start, at))
            case ir.ArrayTail(type_, ir.ArrayTail(_, array, start), more):
                return ir.ArrayTail(type_, array, _sum(start, more))
        return e

    def renamed(block: ir.Block) -> ir.Block:
        return tuple(map(loop, block))

    def loop(s: ir.Statement) -> ir.Statement:
        match s:
            case ir.Loop():
                return replace(s, name=new[s.name], body=renamed(s.body))
            case ir.While():
                return replace(s, body=renamed(s.body))
            case ir.If():
                return replace(s, yes=renamed(s.yes), no=renamed(s.no))
        return s

    return renamed(ir.with_changed_expressions(block, placed))


def _assigned_names(block: ir.Block) -> Names:
    return {part.target.name: part.target.type for part in ir.all_parts(block) if isinstance(part, ir.Assign)}


def _sum(a: ir.Expression, b: ir.Expression) -> ir.Expression:
    if isinstance(a, ir.Constant) and a.value == 0:
        return b
    return ir.Operation(ir.INDEX, "+", a, b)
