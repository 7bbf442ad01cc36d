"""All error classes of the package, and the wording that messages share.

There is one class for each stage of the pipeline: `ExpressionError` (an expression), `ModelError` (the description of a
mechanism), `CallError` (the arguments of a call), `DerivationError` (equations without a unique solution),
`ProgramError` (a request to compile), `CompileError` (the tool chain), `AssemblyError` (the values of a state). A
message names the part, the value, the alternatives and the remedy.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "AssemblyError", "CallError", "CompileError", "DerivationError", "EvaluationError", "ExpressionError", "ModelError", "ModelFileError",
    "ProgramError", "SimulationError", "StabilityError", "StudyError", "SymbodyError", "ViewError",
]  # fmt: skip
_LONG_WORD: Final = re.compile(r"\S{300,}")  # in a message: shown by its two ends


class SymbodyError(Exception):
    """Base class of all errors that symbody raises deliberately. All of them can be pickled, whatever their
    constructors take, because errors are passed between processes.

    on_command_line   the message for the command line, if the advice concerns arguments of Python; set by
                      `advised_error`

    >>> try:
    ...     sb.Model("m").parameter("1x")
    ... except sb.SymbodyError as reason:
    ...     print(type(reason).__name__)
    ExpressionError

    See also: `ModelError`, `errors.SimulationError`.
    """

    on_command_line = ""

    def __str__(self) -> str:
        return _LONG_WORD.sub(lambda word: f"{word[0][:100]}...{word[0][-20:]}", super().__str__())

    def __reduce__(self) -> Any:
        return _error_again, (type(self), self.args, self.__dict__)


def _error_again(kind: type[SymbodyError], args: tuple[Any, ...], attributes: dict[str, Any]) -> SymbodyError:
    made = kind.__new__(kind, *args)
    made.args = args
    made.__dict__.update(attributes)
    return made


def advised_error(kind: type[SymbodyError], problem: str, python: str, command: str) -> SymbodyError:
    """An error with advice, worded for Python and for the command line."""
    made = kind(problem + python)
    made.on_command_line = problem + command
    return made


class ExpressionError(SymbodyError, TypeError, ValueError):
    """An argument is not valid in an expression.

    >>> try:
    ...     sb.sin("x")
    ... except sb.errors.ExpressionError:
    ...     print("a text is no expression")
    a text is no expression

    See also: `SymbodyError`, `errors.EvaluationError`.
    """


class CallError(SymbodyError, TypeError):
    """The arguments of a call do not fit its signature: one is misspelt, missing, or given twice.

    >>> try:
    ...     sb.Model("m").body("b", mass=1, intertia=(1, 1, 1))
    ... except sb.errors.CallError as reason:
    ...     print(str(reason)[:45], "...", str(reason)[-23:])
    body 'b': there is no argument 'intertia'; th ... Did you mean 'inertia'?

    See also: `SymbodyError`.
    """


class NodeLimitError(ExpressionError):
    """An expression exceeds the allowed number of nodes."""


class EvaluationError(SymbodyError, ArithmeticError):
    """An expression has no value at the given numbers.

    >>> x = sb.symbol("x")
    >>> try:
    ...     sb.evaluate(sb.log(x), {x: 0.0})
    ... except sb.errors.EvaluationError as reason:
    ...     print(reason)
    log has no value at these numbers (math domain error); arguments 0.0

    See also: `evaluate`, `SymbodyError`.
    """


class ModelError(SymbodyError, ValueError):
    """The description of a mechanism is wrong or incomplete.

    >>> m = sb.Model("m")
    >>> body = m.body("arm", mass=1.0)
    >>> try:
    ...     m.revolute("q", m.ground, "amr")
    ... except sb.ModelError as reason:
    ...     print(reason)
    joint 'q', child: expected a body or a frame, got 'amr'

    See also: `Model`, `audit`, `SymbodyError`.
    """


class ExpressionTextError(ExpressionError):
    """Syntax error in the text of an expression: `at` and `length` give the part of the text, `plain` the fault."""

    def __init__(self, plain: str, text: str, at: int, length: int = 1) -> None:
        shift = max(0, at - 60)
        shown_text = text[shift : shift + 120].replace("\n", " ")
        super().__init__(f"{plain}\n    {shown_text}\n    {' ' * (at - shift)}{'^' * max(1, min(length, 120))}")
        self.plain, self.text, self.at, self.length = plain, text, at, length


class ModelFileError(ModelError):
    r"""A model file is not valid. The message names the file, line and column (from 1) and shows the line.

    >>> try:
    ...     sb.study.read_model_text("symbody: 1\nname: x\nbodys: {}\n")
    ... except sb.errors.ModelFileError as reason:
    ...     print(reason.line, reason.column)
    3 1

    See also: `read_model`, `ModelError`.
    """

    def __init__(self, plain: str, file: str, line: int, column: int, shown_line: str = "", length: int = 1) -> None:
        mark = f"\n    {shown_line}\n    {' ' * (column - 1)}{'^' * max(1, length)}" if shown_line else ""
        if len(shown_line) > 160:
            first = max(0, column - 61)
            mark = (
                f"\n    {shown_line[first : first + 120]}\n    "
                f"{' ' * (column - 1 - first)}{'^' * max(1, min(length, 60))}"
            )
        super().__init__(f"{file}:{line}:{column}: {plain}{mark}")
        self.plain, self.file, self.line, self.column = plain, file, line, column


class DerivationError(SymbodyError, ValueError):
    """The description does not lead to a unique solution.

    >>> m = sb.Model("massless")
    >>> x = m.coordinate("x")
    >>> point = m.particle("point", m.ground.point(x, 0, 0), mass=0)
    >>> try:
    ...     eq = sb.derive(m)
    ... except sb.SymbodyError as reason:
    ...     print(type(reason).__name__)
    DerivationError

    See also: `derive`, `audit`.
    """


class ProgramError(SymbodyError, ValueError):
    """The requested program cannot be built.

    >>> x, y = sb.symbols("x y")
    >>> try:
    ...     sb.program("f", {"x": x}, {"z": x + y})
    ... except sb.errors.ProgramError as reason:
    ...     print(str(reason).split(";")[0])
    program 'f': its outputs depend on y, not among the inputs

    See also: `program`, `compile`.
    """


class StabilityError(SymbodyError, ValueError):
    """The requested steady motion, linear system or property of one does not exist.

    >>> k = sb.symbol("k")
    >>> try:
    ...     sb.linear_system([[k]]).eigenvalues()
    ... except sb.errors.StabilityError as reason:
    ...     print(str(reason)[:39])
    linear system 'system': no value for k;

    See also: `steady`, `linearize`.
    """


class CompileError(SymbodyError, RuntimeError):
    """The tool chain failed or is not installed.

    >>> issubclass(sb.errors.CompileError, sb.SymbodyError)
    True

    See also: `compile`, `integrate.cuda_motions`.
    """


class SimulationError(SymbodyError, ValueError):
    """The requested simulation cannot start.

    >>> x = sb.symbol("x", "variable")
    >>> try:
    ...     sb.simulate(sb.from_equations({x: -x}), 1.0, y=1.0)
    ... except sb.SymbodyError as reason:
    ...     print(type(reason).__name__)
    SimulationError

    See also: `simulate`, `integrate.Outcome`.
    """


class StudyError(SymbodyError, ValueError):
    """The requested sweep or identification is not possible, or the study on disk belongs to another request.

    >>> try:
    ...     sb.sweep(lambda a: a, {})
    ... except sb.errors.StudyError:
    ...     print("nothing is varied")
    nothing is varied

    See also: `sweep`, `identify`.
    """


class ViewError(SymbodyError, ValueError):
    """The requested figure or scene cannot be drawn.

    >>> try:
    ...     sb.plot(3)
    ... except sb.errors.ViewError as reason:
    ...     print(str(reason)[:24])
    there is no plot of int;

    See also: `plot`, `scene`.
    """


class AssemblyError(SymbodyError, ValueError):
    """No state that satisfies the constraints exists for the given values, or the search did not find one.

    >>> x = sb.symbol("x", "variable")
    >>> try:
    ...     sb.assemble(sb.from_equations({x: -x}, name="decay"), y=1.0)
    ... except sb.errors.AssemblyError as reason:
    ...     print(str(reason)[:65])
    assemble 'decay': 'y' is neither a name of the model nor an optio

    See also: `assemble`, `integrate.violation`.
    """


def listed(names: Iterable[object], most: int = 12) -> str:
    """Names for a message: `a, b, c and 5 more`."""
    texts = [str(n) for n in names]
    if len(texts) <= most:
        return ", ".join(texts) or "none"
    return f"{', '.join(texts[:most])} and {len(texts) - most} more"


def in_groups(names: Iterable[object], most: int = 12) -> str:
    """Names; of many those that differ by numbers only are one group: `link 0 to link 99 (100), hook`."""
    texts = [str(n) for n in names]
    if len(texts) <= most:
        return listed(texts, most)
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(without_numbers(text), []).append(text)
    if len(groups) == len(texts):
        return listed(texts, most)
    shown = [g[0] if len(g) == 1 else f"{g[0]} to {g[-1]} ({len(g)})" for g in list(groups.values())[:most]]
    left = sum(len(g) for g in list(groups.values())[most:])
    return ", ".join(shown) + (f" and {left} more" if left else "")


def without_numbers(text: str) -> str:
    """The text with a sign in the place of each number: equal for `link 1` and `link 25`."""
    return re.sub(r"\d+", "#", text)


def in_number(names: Iterable[object], one: str, many: str) -> str:
    """Names in a singular or plural phrase: `in_number(lost, "body {} hangs", "bodies {} hang")`."""
    texts = [str(n) for n in names]
    return (one if len(texts) == 1 else many).replace("{}", in_groups(texts), 1)


def with_article(noun: str) -> str:
    """A noun with its indefinite article: `an input`."""
    return f"{'an' if noun[0] in 'aeiouAEIOU' else 'a'} {noun}"


def existing(names: Iterable[object], most: int = 12) -> str:
    """The existing names as a phrase: `there are a, b`, `there is only a`, `there are none`."""
    texts = [str(n) for n in names]
    return f"there is only {texts[0]}" if len(texts) == 1 else f"there are {listed(texts, most)}"


def unknown(
    where: str, what: str, got: object, known: Iterable[str], kind: type[SymbodyError] = ModelError, meant: str = "",
) -> SymbodyError:  # fmt: skip
    """`where: there is no <what> 'got'; there are ...` with a suggestion: what is meant, or a name that is similar."""
    names = list(known)
    near = f" Did you mean {meant!r}?" if meant else hint(got, names) if isinstance(got, str) else ""
    return kind(f"{where}: there is no {what} {shown(got, 120)}; {existing(names)}.{near}")


def hint(got: str, names: Iterable[str]) -> str:
    """A question that suggests the most similar name."""
    near = most_similar(got, names)
    return f" Did you mean {near!r}?" if near else ""


def most_similar(got: str, names: Iterable[str]) -> str:
    """The name that differs in case, in the order of letters, or slightly; empty if no name does."""
    names = list(names)
    near = [n for n in names if n.lower() == got.lower()] or [n for n in names if sorted(n) == sorted(got)]
    return next(iter(near or get_close_matches(got, names, n=1, cutoff=0.6)), "")


def undeclared_symbol(where: str, kind: str, name: str, stem: str, model: str, known: Iterable[str]) -> SymbodyError:
    """The error for a symbol that the model has not declared; it names the method that declares one of its kind."""
    names = [n for n in known if n != "t"]
    others = f", or use one of {listed(names)}.{hint(name, names)}" if names else ""
    if kind == "multiplier":
        advice = (
            "multipliers exist once the equations are derived: outputs may contain them, loads, constraints and "
            "equations may not"
        )
    elif kind == "time":
        advice = "the time of a model is m.time"
    else:
        method = "coordinate" if kind in ("speed", "acceleration") and stem != name else kind
        advice = f"declare it with m.{method}({stem!r}){others}"
    return ModelError(f"{where}: the {kind} {name!r} is not declared in model {model!r}; {advice}")


def unknown_keyword(
    where: str, got: str, names: Iterable[str], options: Iterable[str], kind: type[SymbodyError]
) -> SymbodyError:
    """The error for a keyword that is neither an option of the call nor a name of the model."""
    known, others = list(names), list(options)
    there_are = f"names are {listed(known)}; options are {listed(others, 30)}.{hint(got, [*known, *others])}"
    return kind(f"{where}: {got!r} is neither a name of the model nor an option; {there_are}")


def ambiguous_keyword(
    where: str, name: str, value: object, what: str, call: str, is_option: bool, kind: type[SymbodyError]
) -> SymbodyError:
    """The error for a keyword that is both a name of the model and an argument of the call."""
    one = f"{name} is {with_article(what)} of the model and an {'option' if is_option else 'argument'} of {call}"
    other = f" or options={{{name!r}: {shown(value)}}} for the option" if is_option else ""
    return kind(f"{where}: {one}; write values={{{name!r}: {shown(value)}}} for the {what}{other}")


def finite_number(value: Any, where: str, kind: type[SymbodyError]) -> float:
    """Convert to a finite float; raise `kind` for non-numbers, overflow, inf and nan."""
    try:
        number = float(value)
    except OverflowError:
        raise kind(f"{where}: {shown(value)} is larger than any number of the machine (1.8e308)") from None
    except (TypeError, ValueError):
        raise kind(f"{where} must be one number, got {shown(value)}") from None
    if not math.isfinite(number):
        raise kind(f"{where} = {number} is not a finite number")
    return number


def finite_interval(ends: Any, where: str, kind: type[SymbodyError]) -> tuple[float, float]:
    """Convert to an interval of two numbers, the lower one first; refuse anything else."""
    if not hasattr(ends, "__len__") or len(ends) != 2:
        raise kind(f"{where}: an interval has two ends, (low, high); got {shown(ends)}")
    low, high = (finite_number(x, where, kind) for x in ends)
    if not low < high:
        raise kind(f"{where}: the interval must be (low, high) with low < high; got {shown(ends)}")
    return low, high


def why_no_file(path: Path) -> str:
    """The reason why a path is not a regular file that can be opened; empty if it is one."""
    try:
        return "" if path.is_file() else "is not a plain file" if path.exists() else "there is no such file"
    except (OSError, ValueError) as reason:  # too long, or with characters that no path has
        return getattr(reason, "strerror", None) or str(reason)


def shown(value: object, most: int = 60) -> str:
    """A value as shown in messages: short, on one line."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python prints no integers of more than 4300 digits
        text = f"a {type(value).__name__} that is too long to print"
    return text if len(text) <= most else text[: most - 3] + "..."
