"""Runs the tasks of one program inside of the interpreter.

The host calls the functions without an underscore, one at a time. Texts go in and come out: values
cross as JSON, and what came of a step is a word, with a text behind it. All that a program does to
these modules it does to itself.
"""

from __future__ import annotations

import importlib
import inspect
import io
import json
import linecache
import sys
import types
from collections.abc import Callable, Generator
from time import perf_counter
from typing import Any, Protocol

from muster_driver.failures import PROGRAM, failure, fault, line_of, message_of
from muster_driver.tasks import (
    Host,
    Ports,
    Run,
    Task,
    connected,
    generator_of_module,
    ports,
    program,
)
from muster_driver.values import Refused, written
from muster_driver.wheels import install_wheel
from pyodide.ffi import to_js  # type: ignore[import-not-found]

# What programs use most: it lies in the image of the memory, so that nobody waits for it.
for _name in (
    "collections",
    "datetime",
    "functools",
    "itertools",
    "operator",
    "statistics",
    "string",
):
    importlib.import_module(_name)

LOOK_SECONDS = 0.005


class Bytes(Protocol):
    """Bytes of the host."""

    def to_bytes(self) -> bytes: ...


def version() -> str:
    """The version of Python, which nothing but a sound interpreter can say."""
    return ".".join(map(str, sys.version_info[:3]))


def connect(host: Host) -> None:
    """The first call."""
    connected[:] = [Ports(host)]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True, errors="backslashreplace")


def install(name: str, data: Bytes, folder: str, tag: str) -> str:
    """Unpacks a wheel; returns a fault as JSON, or nothing."""
    try:
        install_wheel(name, data.to_bytes(), folder, tag)
    except Refused as refused:
        return fault(refused.name, str(refused))
    except BaseException as error:
        return fault(
            "program_invalid",
            f"{name} cannot be unpacked: {type(error).__name__}: {message_of(error)}",
        )
    return ""


def load(
    source: str, function: str, shared_json: str | None, shared_bytes: Bytes | None, seed: str
) -> str:
    """Executes the program; returns a fault as JSON, or nothing."""
    generator_of_module.seed(seed)
    try:
        if shared_bytes is not None:
            program.shared = shared_bytes.to_bytes()
        elif shared_json is not None:
            program.shared = json.loads(shared_json)
        return _load(source, function)
    except ModuleNotFoundError as error:
        return fault("missing_package", f"{message_of(error)}{line_of(error)}")
    except BaseException as error:
        said = f"{type(error).__name__}: {message_of(error)}{line_of(error)}"
        return fault("program_invalid", f"{said} (at the top level)")
    finally:
        _leave()


def _load(source: str, name: str) -> str:
    try:
        code = compile(source, PROGRAM, "exec", dont_inherit=True)
    except SyntaxError as error:
        return fault(
            "program_invalid", f"{type(error).__name__}: {error.msg} (line {error.lineno})"
        )
    module = types.ModuleType(PROGRAM)
    sys.modules[PROGRAM] = module
    linecache.cache[PROGRAM] = (len(source), None, source.splitlines(keepends=True), PROGRAM)
    exec(code, module.__dict__)
    function = module.__dict__.get(name)
    if not callable(function):
        return fault("program_invalid", f"the program has no function `{name}`")
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return fault(
            "program_invalid",
            f"`{name}` is an `async def`: a plain function or a generator is needed",
        )
    program.function = function
    return ""


def begin(
    task_id: str,
    job_id: str,
    index: int,
    attempt: int,
    input_json: str | None,
    input_bytes: Bytes | None,
    state_json: str | None,
    slice_ms: float,
) -> str:
    """Begins an attempt and takes its first step."""

    def step() -> str:
        value: object = (
            json.loads(input_json or "null") if input_bytes is None else input_bytes.to_bytes()
        )
        run = program.run = Run(task_id, job_id, index, attempt, value)
        if state_json is not None:
            run.resume(state_json)
        return _call(run, slice_ms)

    return _ended(step)


def step(slice_ms: float) -> str:
    """Goes on with a generator."""
    run = program.run

    def go_on() -> str:
        if run is None or run.generator is None:
            raise RuntimeError("no task is running")
        return _advance(run, run.generator, slice_ms)

    return _ended(go_on)


def _call(run: Run, slice_ms: float) -> str:
    """Begins an attempt, and works for a slice of time."""
    function = program.function
    if function is None:
        raise Refused("program_invalid", "no program is loaded")
    value = function(run.input, Task(run, program.shared))
    if not inspect.isgenerator(value):
        return _result(value)
    run.generator = value
    run.look_after_stop()
    return _advance(run, value, slice_ms)


def _advance(run: Run, generator: Generator[Any, Any, Any], slice_ms: float) -> str:
    """Runs a generator to the end of the slice, if it has not ended by then."""
    is_stopped = ports().is_stopped
    ends_at = perf_counter() + slice_ms / 1000
    looks_at = 0.0
    step = generator.__next__
    while True:
        try:
            value = step()
        except StopIteration as end:
            return _result(end.value)
        now = perf_counter()
        if now >= looks_at:
            looks_at = now + LOOK_SECONDS
            run.is_stopped = run.is_stopped or is_stopped()
            _yielded(run, value, True)
        else:
            _yielded(run, value, run.is_stopped)
        # The state that was offered before may be half changed by now.
        if run.is_stopped and (not run.has_offered or run.offered is not None):
            generator.close()
            return "stopped"
        if now >= ends_at:
            return "more"


def _yielded(run: Run, value: object, looks: bool) -> None:
    """Takes what a generator yields. A state is only written when somebody would save it."""
    run.offered = None
    if not isinstance(value, dict):
        return
    state = value.get("state")
    if state is not None:
        run.offered = state
        run.has_offered = True
    if not looks:
        return
    if "progress" in value:
        run.report(value["progress"], value.get("message"))
    if state is not None:
        run.offer(state)


def _result(value: object) -> str:
    if isinstance(value, bytes | bytearray | memoryview):
        ports().give(to_js(bytes(value)))
        return "bytes"
    return "result" + written(value, "result")


def _ended(step: Callable[[], str]) -> str:
    """Takes a step, and says what came of it."""
    try:
        said = step()
    except BaseException as error:
        # After the order to stop it does not matter how a task leaves.
        said = "stopped" if _was_stopped() else "failure" + failure(error)
    if said != "more":
        _leave()
    return said


def _was_stopped() -> bool:
    run = program.run
    return run is not None and (run.is_stopped or ports().is_stopped())


def _leave() -> None:
    run, program.run = program.run, None
    if run is not None:
        run.generator = None
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            continue
