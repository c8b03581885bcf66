// The text of failures.py: see driver-modules.ts.

export const failuresText = `"""Describes exceptions in words: their names, their messages, and the frames of the program."""

from __future__ import annotations

import json
import types

from muster_driver.values import Refused

PROGRAM = "program"
MESSAGE_LIMIT = 4000
STACK_LIMIT = 4000
FRAMES_MOST = 20
CAUSES_MOST = 3


def failure(error: BaseException) -> str:
    """An exception as JSON: its name, its message and the frames of the program."""
    name = type(error).__name__
    message = message_of(error)
    if isinstance(error, Refused):
        name = error.name
    elif isinstance(error, MemoryError):
        name, message = "out_of_memory", message or "the program took more memory than it may have"
    retryable = True
    try:
        retryable = getattr(error, "retryable", True) is not False and not isinstance(
            error, Refused
        )
    except Exception:
        retryable = True
    return json.dumps(
        {"type": name, "message": message, "retryable": retryable, "stack": _stack(error)}
    )


def message_of(error: BaseException) -> str:
    try:
        return str(error)[:MESSAGE_LIMIT]
    except Exception:
        return "an exception that cannot be read"


def _stack(error: BaseException) -> str:
    """\`at total (program:3:14)\`, innermost first, and behind it the same for the causes."""
    lines = _frames(error)
    cause = _cause(error)
    for _ in range(CAUSES_MOST):
        if cause is None:
            break
        lines.append(
            " ".join(f"caused by {type(cause).__name__}: {message_of(cause)}".split())[:300]
        )
        lines.extend(_frames(cause))
        cause = _cause(cause)
    while len("\\n".join(lines)) > STACK_LIMIT:
        lines.pop()
    return "\\n".join(lines)


def _cause(error: BaseException) -> BaseException | None:
    return error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _frames(error: BaseException) -> list[str]:
    lines: list[str] = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == PROGRAM:
            lines.append(
                f"at {code.co_qualname[:100]} ({PROGRAM}:{trace.tb_lineno}:{_column(trace)})"
            )
        trace = trace.tb_next
    return lines[::-1][:FRAMES_MOST]


def _column(trace: types.TracebackType) -> int:
    for at, place in enumerate(trace.tb_frame.f_code.co_positions()):
        if at * 2 == trace.tb_lasti:
            return (place[2] or 0) + 1
    return 1


def line_of(error: BaseException) -> str:
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == PROGRAM:
            line = trace.tb_lineno
        trace = trace.tb_next
    return "" if line is None else f" (line {line})"


def fault(name: str, message: str) -> str:
    return json.dumps({"type": name, "message": message[:MESSAGE_LIMIT]})
`;
