"""A worker process on this computer: jobs and numbers of batches come in, reports go out, as pickles through pipes.

It is not started by `multiprocessing`, which would run the user's script again in each worker. When the client ends,
the worker ends at once, even in the middle of a computation: a separate thread notices that the pipe is closed.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from queue import SimpleQueue
from typing import Any, BinaryIO

from .job import run_members, run_task


def serve() -> None:
    """Answer requests until the client is gone."""
    requests: SimpleQueue[Any] = SimpleQueue()
    answers = os.dup(1)
    os.dup2(2, 1)  # what a function prints goes beside the answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the client's, who ends this process
    threading.Thread(target=_read_requests, args=(sys.stdin.buffer, requests), daemon=True).start()
    body = requests.get()
    while True:
        left = memoryview(_answer_to(body, *requests.get()))
        while left:
            left = left[os.write(answers, left) :]


def _read_requests(stream: BinaryIO, requests: SimpleQueue[Any]) -> None:
    while True:
        try:
            requests.put(pickle.load(stream))
        except (EOFError, OSError, pickle.UnpicklingError):
            signal.raise_signal(signal.SIGTERM)  # ends the process, whatever its other thread is doing


def _answer_to(body: bytes, what: str, *arguments: Any) -> bytes:
    try:
        answer: Any = run_task(body, *arguments) if what == "task" else run_members(body, *arguments)
        return pickle.dumps((True, answer))
    except Exception as reason:
        try:
            return pickle.dumps((False, reason))
        except Exception:
            return pickle.dumps((False, RuntimeError(f"{type(reason).__name__}: {reason}")))
