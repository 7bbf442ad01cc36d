"""`symbody`: derive, simulate and analyse mechanisms from the command line.

MODEL is the name of a built-in model (`symbody examples` lists them), a model file (.yaml), a robot (.urdf, .xml, .sdf), or a
Python file (.py) that defines `model`. A Python file is executed with all your permissions.

Exit codes: 0 done; 1 the answer is no (a check failed, a simulation did not reach its end); 2 the command was not
understood; 3 the model or a number is wrong; 4 a file cannot be read or written; 130 interrupted (by Ctrl-C, or by
SIGTERM). Files are written whole or not at all.
"""

from __future__ import annotations

import io
import json
import math
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from ..errors import SymbodyError
from ..escaping import in_terminal
from .answer import Answer
from .parsers import command_parser

DONE, NO, WRONG, UNREADABLE, INTERRUPTED = 0, 1, 3, 4, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that has not every character gets codes for those it lacks
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    chosen = command_parser(__doc__ or "").parse_args(arguments)
    try:
        with _ending_like_ctrl_c():
            answer: Answer = chosen.run(chosen)
    except SymbodyError as reason:
        return _report_failure(chosen, reason.on_command_line or str(reason), WRONG)
    except OSError as reason:
        return _report_failure(chosen, str(reason), UNREADABLE)
    except KeyboardInterrupt as reason:
        return _report_failure(chosen, str(reason) or "interrupted", INTERRUPTED)
    try:
        print(json.dumps(_plain(answer.data)) if chosen.json else in_terminal(answer.text), flush=True)
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
    return DONE if answer.is_good else NO


def _report_failure(chosen: Any, message: str, code: int) -> int:
    if chosen.json:
        print(json.dumps({"error": message}))
    else:
        print(in_terminal(f"symbody {chosen.command}: {message}"), file=sys.stderr)
    return code


@contextmanager
def _ending_like_ctrl_c() -> Iterator[None]:
    """Make SIGTERM, which batch systems and supervisors send, unwind like Ctrl-C, so that files are not left
    incomplete."""

    def interrupt(*_: Any) -> NoReturn:
        raise KeyboardInterrupt("interrupted by SIGTERM")

    if threading.current_thread() is not threading.main_thread():  # signals are the main thread's
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


def _plain(value: Any) -> Any:
    """Numbers for JSON: complex ones become [re, im], non-finite ones null."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return _plain(value.tolist())
    if isinstance(value, complex):
        return [_plain(value.real), _plain(value.imag)]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
