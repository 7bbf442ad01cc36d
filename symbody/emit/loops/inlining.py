"""Kernels with the text of those that they call in place of the calls: for languages whose functions cannot change the
arrays that they are given, and for texts that are to stand alone."""

from __future__ import annotations

from dataclasses import replace

from ...errors import CompileError
from .kernel_language import Kernel
from .kernel_nodes import (
    INDEX,
    NUMBER,
    ArrayElement,
    ArrayTail,
    Assign,
    Block,
    CallStatement,
    Constant,
    Expression,
    If,
    KernelCall,
    KernelForm,
    LocalVariable,
    Loop,
    Operation,
    Return,
    Statement,
    Type,
    While,
    all_parts,
    with_changed_expressions,
)
from .kernel_parser import kernel_form

Names = dict[str, Type]


def inlined_form(kernel: Kernel) -> KernelForm:
    """The form of a kernel that takes no records, without calls of kernels that return nothing.

    >>> from symbody.integrate.kernels.stages import fixed_step
    >>> len([part for part in all_parts(inlined(fixed_step).body) if isinstance(part, Called)])
    0
    """
    return _form_without_calls(kernel_form(kernel))


def _form_without_calls(form: KernelForm) -> KernelForm:
    own = {p.name: p.type for p in form.parameters} | _assigned_names(form.body)
    return replace(form, body=_Inliner(form, own).block(form.body, {}))


class _Inliner:
    """taken   names of the caller; `lent` are those of texts that were put in, which others may use again for the same
    type."""

    def __init__(self, form: KernelForm, taken: Names) -> None:
        self.form, self.taken = form, taken
        self.lent: Names = {}

    def block(self, block: Block, loops: Names) -> Block:
        return tuple(part for s in block for part in self.statement(s, loops))

    def statement(self, s: Statement, loops: Names) -> Block:
        match s:
            case CallStatement(value):
                return self.text(value, loops)
            case Loop():
                return (replace(s, body=self.block(s.body, {**loops, s.name: INDEX})),)
            case While():
                return (replace(s, body=self.block(s.body, loops)),)
            case If():
                return (replace(s, yes=self.block(s.yes, loops), no=self.block(s.no, loops)),)
        return (s,)

    def text(self, call: KernelCall, loops: Names) -> Block:
        """The body of a kernel with its arguments in place, under names that mean nothing where it is put."""
        inner = _form_without_calls(kernel_form(call.kernel, call.types))
        given: dict[str, Expression] = dict(zip((p.name for p in inner.parameters), call.arguments, strict=True))
        assigned = _assigned_names(inner.body)
        if any(isinstance(part, Return) for part in all_parts(inner.body)) or assigned.keys() & given.keys():
            raise CompileError(
                f"kernel {self.form.name}: {inner.name} returns, or assigns to an argument, and cannot stand in the "
                "place of its call"
            )
        own = assigned | {part.name: INDEX for part in all_parts(inner.body) if isinstance(part, Loop)}
        new = {name: self.free(name, type_, loops) for name, type_ in own.items()}
        first: list[Statement] = []
        for name, e in given.items():
            if e.type in (INDEX, NUMBER) and not isinstance(e, Constant | LocalVariable):  # computed once
                given[name] = value = LocalVariable(e.type, self.free(name, e.type, loops))
                first.append(Assign(value, e))
        return (*first, *_substituted_block(inner.body, given, new))

    def free(self, name: str, type_: Type, loops: Names) -> str:
        k, free = 2, name
        while free in self.taken or free in loops or self.lent.get(free, type_) != type_:
            k, free = k + 1, f"{name}{k}"
        self.lent[free] = type_
        return free


def _substituted_block(block: Block, given: dict[str, Expression], new: dict[str, str]) -> Block:
    """A text with arguments in place of parameters, and new names for its own."""

    def placed(e: Expression) -> Expression:
        match e:
            case LocalVariable(type_, name):
                return given[name] if name in given else LocalVariable(type_, new[name])
            case ArrayElement(type_, ArrayTail(_, array, start), at):
                return ArrayElement(type_, array, _sum(start, at))
            case ArrayTail(type_, ArrayTail(_, array, start), more):
                return ArrayTail(type_, array, _sum(start, more))
        return e

    def renamed(block: Block) -> Block:
        return tuple(map(loop, block))

    def loop(s: Statement) -> Statement:
        match s:
            case Loop():
                return replace(s, name=new[s.name], body=renamed(s.body))
            case While():
                return replace(s, body=renamed(s.body))
            case If():
                return replace(s, yes=renamed(s.yes), no=renamed(s.no))
        return s

    return renamed(with_changed_expressions(block, placed))


def _assigned_names(block: Block) -> Names:
    return {part.target.name: part.target.type for part in all_parts(block) if isinstance(part, Assign)}


def _sum(a: Expression, b: Expression) -> Expression:
    if isinstance(a, Constant) and a.value == 0:
        return b
    return Operation(INDEX, "+", a, b)
