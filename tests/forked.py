"""Python code in processes of its own, without waiting for imports: forked from a process that has loaded the package and
computed nothing, so that no symbol exists yet.

`python -m tests.forked` is that process: it reads a function and its arguments as JSON from each line, and answers with
what a fork of it gave.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CAN_FORK = sys.platform == "linux"
LOADED = ("Model", "derive", "compile", "simulate", "assemble", "steady", "linearize", "evaluate")  # of symbody
PACKAGES = ("scipy.linalg", "scipy.optimize", "scipy.sparse.linalg", "llvmlite.binding", "matplotlib.figure")
used: list[float] = []  # CPU seconds of forks, which are children of another process


def answer(function: str, *arguments: Any) -> Any:
    """What "module:name" returns for arguments in a process of its own; what it said where it fails."""
    asked = json.dumps([function, arguments])
    if not CAN_FORK:
        said = subprocess.run(
            [sys.executable, "-m", "tests.forked"], cwd=ROOT, input=asked, capture_output=True, text=True, check=True
        ).stdout
    else:
        server = _server()
        assert server.stdin
        assert server.stdout
        server.stdin.write(asked + "\n")
        server.stdin.flush()
        said = server.stdout.readline()
    found = json.loads(said)
    used.append(found.get("cpu_seconds", 0.0))
    if "failed" in found:
        raise RuntimeError(found["failed"])
    return found["value"]


@cache
def _server() -> subprocess.Popen[str]:
    """One for each worker of the tests; it ends with its standard input."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.forked"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(server.communicate)
    return server


def serve() -> None:
    symbody = importlib.import_module("symbody")
    for name in LOADED:
        getattr(symbody, name)
    for name in PACKAGES:
        importlib.import_module(name)
    for line in sys.stdin:
        print(_in_a_fork(*json.loads(line)) if CAN_FORK else _result(*json.loads(line)), flush=True)


def _in_a_fork(function: str, arguments: list[Any]) -> str:
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what it prints is no answer
            file.write(_result(function, arguments))
            file.flush()
            os._exit(0)
        _, status, used = os.wait4(child, 0)
        file.seek(0)
        found = json.loads(file.read() or json.dumps({"failed": f"{function} ended with status {status}"}))
        return json.dumps(found | {"cpu_seconds": used.ru_utime + used.ru_stime})


def _result(function: str, arguments: list[Any]) -> str:
    module, _, name = function.partition(":")
    try:
        return json.dumps({"value": getattr(importlib.import_module(module), name)(*arguments)})
    except BaseException:
        return json.dumps({"failed": traceback.format_exc()})


if __name__ == "__main__":
    serve()
