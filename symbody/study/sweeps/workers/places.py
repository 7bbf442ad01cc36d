"""Executors of batches: threads or processes of this computer, or a Dask cluster. All take a batch and return a
future."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Protocol

from ....errors import StudyError, shown, unknown
from ....optional_packages import optional_package
from ..questions.answers import Answers, Schema
from .job import BatchReport, BatchTask, Job, packed_job, run_members, run_task

LOCAL_EXECUTORS = ("threads", "processes", "cuda")  # executors on this computer
NAMES = ("threads", "processes", "dask", "cuda")


class LostWorkerError(Exception):
    """A worker process ended before its result arrived."""


class Place(Protocol):
    """An executor of batches."""

    def submit(self, task: BatchTask) -> Future[BatchReport]:
        """A batch."""

    def members(self, numbers: range, schema: Schema | None = None) -> Future[Answers]:
        """Run some members individually."""

    @property
    def width(self) -> int:
        """How many batches should be under way."""

    def close(self, at_once: bool = False) -> None:
        """End pending work, with or without waiting for it."""


class Threads:
    """Threads of this process. Compiled motions run in parallel in them; Python functions take turns."""

    def __init__(self, job: Job, workers: int) -> None:
        self.job, self.width = job, workers
        self._pool = ThreadPoolExecutor(workers, "symbody-sweep")

    def submit(self, task: BatchTask) -> Future[BatchReport]:
        return self._pool.submit(task.run, self.job)

    def members(self, numbers: range, schema: Schema | None = None) -> Future[Answers]:
        return self._pool.submit(self.job.answers, numbers, schema)

    def close(self, at_once: bool = False) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


class Processes:
    """Processes of this computer, each owned by a thread that sends requests and waits for answers; a process that
    dies is replaced."""

    def __init__(self, job: Job, workers: int) -> None:
        self.width, self._body = workers, packed_job(job)
        self._own = threading.local()
        self._lock, self._all = threading.Lock(), set[WorkerProcess]()
        self._pool = ThreadPoolExecutor(workers, "symbody-sweep")

    def submit(self, task: BatchTask) -> Future[BatchReport]:
        return self._pool.submit(self._ask, "task", task)

    def members(self, numbers: range, schema: Schema | None = None) -> Future[Answers]:
        return self._pool.submit(self._ask, "members", numbers, schema)

    def _ask(self, *request: Any) -> Any:
        worker: WorkerProcess | None = getattr(self._own, "worker", None)
        if worker is None or not worker.is_alive:
            worker = self._own.worker = WorkerProcess(self._body)
            with self._lock:
                self._all.add(worker)
        try:
            return worker.ask(request)
        except LostWorkerError:
            with self._lock:
                self._all.discard(worker)
            raise

    @property
    def processes(self) -> list[int]:
        """Numbers of the processes that are running."""
        with self._lock:
            return [w.number for w in self._all if w.is_alive]

    def close(self, at_once: bool = False) -> None:
        if at_once:
            self._end()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._end()

    def _end(self) -> None:
        with self._lock:
            for worker in self._all:
                worker.end()


class WorkerProcess:
    """A process that runs `worker.serve` with the paths of this one."""

    def __init__(self, body: bytes) -> None:
        code = f"import sys; sys.path[:] = {sys.path!r}; from symbody.study.sweeps.workers.worker import serve; serve()"
        self._process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._body: bytes | None = body

    @property
    def number(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: tuple[Any, ...]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            if self._body is not None:
                pickle.dump(self._body, self._process.stdin)
                self._body = None
            pickle.dump(request, self._process.stdin)
            self._process.stdin.flush()
            is_good, answer = pickle.load(self._process.stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            self.end()
            raise LostWorkerError(_ending(self._process.returncode)) from None
        if not is_good:
            raise answer
        return answer

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def _ending(code: int) -> str:
    if code < 0:
        return f"the process that computed it was ended by {signal.Signals(-code).name}"
    return f"the process that computed it ended with code {code}"


class Dask:
    """A Dask cluster, which schedules batches and repeats them when a worker is lost."""

    def __init__(self, job: Job, on: Any, workers: int | None) -> None:
        distributed = optional_package("distributed", "sweep on a cluster of Dask", StudyError)
        self._cluster: Any = None
        self._owns_client = not isinstance(on, distributed.Client)
        if on == "dask":
            count = workers or os.cpu_count() or 1
            self._cluster = distributed.LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None)
        self._client = distributed.Client(self._cluster or on, set_as_default=False) if self._owns_client else on
        self._lost = distributed.KilledWorker
        self._pool = self._client.get_executor(pure=False)
        # a separate task, which Dask repeats if its result is lost, so that a batch is sent as a number
        self._body = self._client.submit(_itself, packed_job(job), pure=False)

    @property
    def width(self) -> int:
        """Some more than run at once, so that no worker waits for the next one."""
        cores = sum(self._client.nthreads().values())
        return max(4, 2 * cores)

    def submit(self, task: BatchTask) -> Future[BatchReport]:
        return self._with_own_errors(self._pool.submit(run_task, self._body, task))

    def members(self, numbers: range, schema: Schema | None = None) -> Future[Answers]:
        return self._with_own_errors(self._pool.submit(run_members, self._body, numbers, schema))

    def _with_own_errors(self, future: Any) -> Any:
        """A future that raises our error if workers were lost too often."""
        out: Future[Any] = Future()
        out.set_running_or_notify_cancel()

        def done(f: Any) -> None:
            if f.cancelled():
                out.set_exception(
                    StudyError(
                        "sweep: the cluster abandoned the task; repeat the call to continue from the finished members"
                    )
                )
            elif isinstance(f.exception(), self._lost):
                out.set_exception(LostWorkerError("the worker that computed it died, as did those that retried"))
            elif f.exception() is not None:
                out.set_exception(f.exception())
            else:
                out.set_result(f.result())

        future.add_done_callback(done)
        return out

    def close(self, at_once: bool = False) -> None:
        self._body.release()
        if self._owns_client:
            self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _itself(body: bytes) -> bytes:
    return body


def place_of(on: Any, job: Job, workers: int | None) -> Place:
    """`on` of `sweep`: "threads", "processes", "dask", the address of a scheduler, a client or cluster of Dask."""
    if workers is not None and (not isinstance(workers, int) or workers < 1):
        raise StudyError(f"sweep: workers must be a whole number of at least 1, got {shown(workers)}")
    count = workers or os.cpu_count() or 1
    if on in (None, "threads", "cuda"):
        return Threads(job, 1 if on == "cuda" else count)
    if isinstance(on, str) and on == "processes":
        return Processes(job, count)
    if isinstance(on, str) and on != "dask" and "://" not in on:
        raise unknown("sweep", "place", on, [*NAMES, "the address of a scheduler (tcp://...)"], StudyError)
    return Dask(job, on, workers)
