// The text of values.py: see driver-modules.ts.

export const valuesText = `"""Writes values as JSON, or says in a sentence why not: JSON itself loses most of them silently."""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
import re

LARGEST_INTEGER = 2**53 - 1
MANY_DIGITS = re.compile(r"\\d{16}")


class Refused(Exception):
    """A value that cannot leave, in a sentence."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def _converted(value: object) -> object:
    """What arrays and numbers of numpy and its like are in Python."""
    for name in ("tolist", "item"):
        method = getattr(value, name, None)
        if callable(method):
            return method()
    raise TypeError(f"a {type(value).__name__} has no JSON form")


# Made once: that takes as long as to write a small value.
_encoder = json.JSONEncoder(
    allow_nan=False, ensure_ascii=False, separators=(",", ":"), default=_converted
)


def written(value: object, root: str) -> str:
    """The JSON text of a value, or why there is none."""
    try:
        text = _encoder.encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        why = _first_loss(value, root) or f"the {root} cannot be written: {error}"
        raise Refused("result_not_json", why) from None
    # An integer of Python has no end, but a device that reads it has one.
    loss = _first_loss(value, root) if MANY_DIGITS.search(text) else None
    if loss is not None:
        raise Refused("result_not_json", loss)
    return text


def _first_loss(value: object, root: str) -> str | None:
    """The first part of a value that JSON does not have, in a sentence."""
    try:
        return _loss(value, root)
    except RecursionError:
        return f"the {root} is nested too deep, or contains itself"


def _loss(value: object, path: str) -> str | None:
    if value is None or isinstance(value, str | bool):
        return None
    if isinstance(value, int):
        if -LARGEST_INTEGER <= value <= LARGEST_INTEGER:
            return None
        return f"{path} is an integer beyond 2**53 - 1, which is not exact elsewhere: use str(it)"
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{path} is {value}, which JSON does not have"
    if isinstance(value, list | tuple):
        return next(
            filter(None, (_loss(item, f"{path}[{i}]") for i, item in enumerate(value))),
            None,
        )
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str | int | float | bool | None):
                return f"{path} has a key that is a {type(key).__name__}: JSON has strings only"
            found = _loss(item, f"{path}.{key}"[:500])
            if found is not None:
                return found
        return None
    try:
        return _loss(_converted(value), path)
    except TypeError:
        return f"{path} is a {type(value).__name__}{_advice(value)}"


def _advice(value: object) -> str:
    if isinstance(value, set | frozenset):
        return ": use sorted(it)"
    if isinstance(value, bytes | bytearray | memoryview):
        return ": bytes are a whole result, or none of it"
    if dataclasses.is_dataclass(value):
        return ": use dataclasses.asdict(it)"
    if inspect.iscoroutine(value):
        return " that nobody awaited: \`async def\` does not run here"
    return ""
`;
