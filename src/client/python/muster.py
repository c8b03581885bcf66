"""The Muster client for Python: one file, no packages, Python 3.9 or newer.

    import muster

    def simulate(seed):
        import random
        numbers = random.Random(seed)
        return sum(numbers.random() for _ in range(1_000_000))

    for value in muster.map(simulate, range(100)):
        print(value)

The function runs on the devices of the coordinator that MUSTER_URL names (http://127.0.0.1:8000 by
default; MUSTER_TOKEN or MUSTER_TOKEN_FILE where tokens are used). It is sent as source, with the functions,
imports and constants that it refers to. Values cross as JSON, bytes as they are.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import http.client
import inspect
import json
import os
import random as _random
import ssl
import symtable
import sys
import sysconfig
import textwrap
import time
import types
import urllib.parse
import uuid
from typing import (
    Any,
    Callable,
    Dict,
    Generic,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
    cast,
)

__all__ = [
    "Client",
    "ConnectionFailed",
    "JobCancelled",
    "MusterError",
    "ProgramError",
    "Progress",
    "Run",
    "TaskError",
    "connect",
    "map",
    "program_of",
]

T = TypeVar("T")

DEFAULT_URL = "http://127.0.0.1:8000"
_ANSWER_SECONDS = 30.0
# The coordinator gives a sign of life every 15 s.
_SILENCE_SECONDS = 45.0
_PATIENCE_SECONDS = 60.0
_SHORTEST_PAUSE = 0.25
_LONGEST_PAUSE = 5.0
# Indices that need not be sent again, in the address of a request.
_HAVE_CHARACTERS = 4_000
# Texts up to this fit into any sensible limit for inputs: of shorter ones nobody asks for the limit.
_CERTAINLY_SHORT = 32 * 1024
_CONSTANT_CHARACTERS = 64 * 1024
_STANDING_QUOTAS = {
    "open_jobs",
    "queued_tasks",
    "stored_bytes",
    "sockets",
    "highest_priority",
}


class MusterError(Exception):
    """The coordinator refused; nothing has changed. The message is the sentence it gave."""

    def __init__(self, status: int, code: str, detail: str, quota: Optional[str] = None,
                 retry_after: Optional[float] = None) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.quota = quota
        self.retry_after = retry_after


class ConnectionFailed(ConnectionError):
    """No coordinator answered, or it stopped answering halfway."""


class ProgramError(ValueError):
    """The function cannot run on other devices. Nothing has been sent."""


class JobCancelled(Exception):
    """The job was cancelled before all of its tasks had completed."""

    def __init__(self, job_id: str, why: str = "") -> None:
        super().__init__(f"Job {job_id} was cancelled{': ' + why if why else ''}.")
        self.job_id = job_id


class TaskError(Exception):
    """A task failed for good. `type` is the name of its error, like `ValueError`."""

    def __init__(self, index: int, task_id: str, type: str, message: str) -> None:  # noqa: A002
        super().__init__(f"inputs[{index}]: {type}: {message}")
        self.index = index
        self.task_id = task_id
        self.type = type
        self.message = message


class Progress:
    """How far a job is, as far as its results have been read. `total` is known once the job is there."""

    def __init__(self) -> None:
        self.total = 0
        self.completed = 0
        self.failed = 0
        self.cancelled = 0

    @property
    def fraction(self) -> float:
        return (self.completed + self.failed) / self.total if self.total else 1.0

    def __repr__(self) -> str:
        return f"Progress({self.completed} of {self.total} completed, {self.failed} failed)"


class Run(Generic[T]):
    """A job that was submitted. Iterated, it gives the values in the order of the inputs, each as soon as it and
    those before it are there; `as_completed()` gives each as it comes, and `result()` all of them as a list.
    """

    def __init__(self, client: "Client", job: Mapping[str, Any], on_error: str = "raise",
                 begun: Optional["_Lines"] = None) -> None:
        if on_error not in ("raise", "return"):
            raise ValueError('on_error is "raise" or "return"')
        self._client = client
        self._on_error = on_error
        self._begun = begun
        self.job_id = str(job["id"])
        self.progress = Progress()
        self.progress.total = int(job["task_count"])

    def __iter__(self) -> Iterator[T]:
        waiting: Dict[int, Any] = {}
        due = 0
        for index, value in self._outcomes():
            waiting[index] = value
            while due in waiting:
                yield self._give(waiting.pop(due))
                due += 1

    def as_completed(self) -> Iterator[Tuple[int, T]]:
        """Pairs of index and value, in the order in which the tasks end."""
        for index, value in self._outcomes():
            yield index, self._give(value)

    def result(self) -> List[T]:
        """All values, in the order of the inputs. Waits for the end of the job."""
        return list(self)

    def cancel(self) -> None:
        """Nothing of the job runs any more when this has returned."""
        try:
            self._client._json("POST", f"/api/jobs/{self.job_id}/cancel")
        except MusterError as refused:
            if refused.code != "job_is_final":
                raise

    def status(self) -> Dict[str, Any]:
        """The job as the coordinator has it now."""
        return cast(Dict[str, Any], self._client._json("GET", f"/api/jobs/{self.job_id}?tasks=false"))

    def __repr__(self) -> str:
        return f"<muster.Run {self.job_id}: {self.progress!r}>"

    def _give(self, value: Any) -> T:
        if isinstance(value, TaskError) and self._on_error == "raise":
            raise value
        return cast(T, value)

    def _outcomes(self) -> Iterator[Tuple[int, Any]]:
        begun, self._begun = self._begun, None
        for line in self._client._results(self.job_id, begun, self.progress):
            index = int(line["index"])
            if line["status"] == "completed":
                yield index, self._client._value(line["value"])
                continue
            error = line.get("error") or {}
            if line["status"] == "cancelled":
                raise JobCancelled(self.job_id, str(error.get("message", "")))
            kind, message = str(error.get("type", "Error")), str(error.get("message", ""))
            yield index, TaskError(index, str(line.get("task_id", "")), kind, message)


class Client:
    """A coordinator. Nothing is opened before the first call. A client may be used by many threads; a `Run` by one.

    `pin` is the pin of the coordinator's certificate, which may also stand behind `#k=` in the address.
    `timeout` is how many seconds the coordinator may take to answer.
    """

    def __init__(self, url: Optional[str] = None, *, token: Optional[str] = None, pin: Optional[str] = None,
                 timeout: float = _ANSWER_SECONDS) -> None:
        address, _, behind = (url or os.environ.get("MUSTER_URL") or DEFAULT_URL).partition("#")
        parts = urllib.parse.urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f'"{address}" is no address of a coordinator: it begins with http:// or https://.')
        told = dict(part.partition("=")[::2] for part in behind.replace(".", "&").split("&"))
        self.url = address.rstrip("/")
        self._parts = parts
        self._base = parts.path.rstrip("/")
        self._token = token if token is not None else _token_from_environment()
        self._pin = pin or told.get("k") or os.environ.get("MUSTER_PIN") or None
        self._timeout = timeout
        self._input_bytes: Optional[int] = None
        if self._pin is not None and parts.scheme != "https":
            raise ValueError(f"A pin is of a certificate, and {self.url} has none: use the address with https.")

    def map(self, function: Union[Callable[..., T], str], inputs: Iterable[Any], *, shared: Any = None,
            packages: Sequence[Union[str, "os.PathLike[str]"]] = (), on_error: str = "raise",
            **options: Any) -> Run[T]:
        """Runs `function(input)` or `function(input, task)` for each input, on other devices.

        `shared` is a value that all tasks get as `task.shared`, sent once to each device. `packages` are wheels
        (files) for the interpreter of the devices. `on_error="return"` gives a `TaskError` in the place of a value
        instead of raising it. All else goes into the job: `name`, `priority`, `max_attempts`,
        `timeout_seconds`, `requirements`, …
        """
        program = program_of(function)
        if packages:
            program["packages"] = [self._package(path) for path in packages]
        return self.submit(program, inputs, shared=shared, on_error=on_error, **options)

    def submit(self, program: Mapping[str, Any], inputs: Iterable[Any], *, shared: Any = None,
               on_error: str = "raise", **options: Any) -> Run[Any]:
        """Submits a job with a program of any kind, and gives back what follows it. The job is durable then."""
        head: Dict[str, Any] = {"program": dict(program), **options}
        if shared is not None:
            head["shared"] = self._shared(shared)
        texts = [_json_text(head, "the job")]
        texts.extend(self._input_text(value, index) for index, value in enumerate(inputs))
        body = "\n".join(texts).encode() + b"\n"
        headers = {"content-type": "application/x-ndjson", "idempotency-key": str(uuid.uuid4())}

        def ask() -> Tuple[Dict[str, Any], Optional[_Lines]]:
            answer = self._open("POST", "/api/jobs?follow=true", body, headers)
            if not answer.is_lines:
                return cast(Dict[str, Any], answer.json()), None
            for line in answer.lines():
                return cast(Dict[str, Any], line["job"]), answer
            raise answer.broken()

        job, begun = _patiently(_PATIENCE_SECONDS, ask)
        return Run(self, job, on_error, begun)

    def job(self, job_id: str, *, on_error: str = "raise") -> Run[Any]:
        """A job that was submitted before, from anywhere."""
        path = f"/api/jobs/{urllib.parse.quote(job_id, safe='')}?tasks=false"
        return Run(self, cast(Dict[str, Any], self._json("GET", path)), on_error)

    def put_blob(self, data: bytes) -> str:
        """Stores bytes and returns their SHA-256 in hexadecimal digits, by which they are known."""
        sha256 = hashlib.sha256(data).hexdigest()
        headers = {"content-type": "application/octet-stream"}
        self._json("PUT", f"/api/blobs/{sha256}", data, headers)
        return sha256

    def get_blob(self, sha256: str) -> bytes:
        """The bytes of a blob, checked."""

        def ask() -> bytes:
            data = self._open("GET", f"/api/blobs/{sha256}").read()
            if hashlib.sha256(data).hexdigest() != sha256:
                raise ConnectionFailed(f"Blob {sha256} came damaged from {self.url}.")
            return data

        return _patiently(_PATIENCE_SECONDS, ask)

    def _package(self, path: Union[str, "os.PathLike[str]"]) -> Dict[str, Any]:
        name = os.path.basename(os.fspath(path))
        if not name.endswith(".whl"):
            raise ValueError(f"{name} is not a wheel: packages are files that end with .whl.")
        with open(path, "rb") as file:
            return {"name": name, "content": {"$blob": self.put_blob(file.read())}}

    def _shared(self, value: Any) -> Any:
        if isinstance(value, (bytes, bytearray, memoryview)):
            return {"$bytes": self.put_blob(bytes(value))}
        text = _json_text(value, "shared")
        return value if len(text) <= _CERTAINLY_SHORT else {"$blob": self.put_blob(text.encode())}

    def _input_text(self, value: Any, index: int) -> str:
        if isinstance(value, (bytes, bytearray, memoryview)):
            return json.dumps({"$bytes": self.put_blob(bytes(value))})
        text = _json_text(value, f"inputs[{index}]")
        if len(text) <= _CERTAINLY_SHORT:
            return text
        if self._input_bytes is None:
            self._input_bytes = int(cast(Dict[str, Any], self._json("GET", "/api/limits"))["input_bytes"])
        data = text.encode()
        return text if len(data) <= self._input_bytes else json.dumps({"$blob": self.put_blob(data)})

    def _value(self, value: Any) -> Any:
        if isinstance(value, dict) and len(value) == 1:
            if isinstance(value.get("$bytes"), str):
                return self.get_blob(value["$bytes"])
            if isinstance(value.get("$blob"), str):
                return json.loads(self.get_blob(value["$blob"]))
        return value

    def _results(self, job_id: str, begun: Optional["_Lines"], progress: Progress) -> Iterator[Dict[str, Any]]:
        """Each result once, until the job is final. What broke off is asked for again, without what has come."""
        have = _Indices()
        others: Dict[int, str] = {}
        patience = _Patience(_PATIENCE_SECONDS)
        progress.completed = progress.failed = progress.cancelled = 0
        while True:
            answer: Optional[_Lines] = None
            try:
                answer = begun or self._open("GET", f"/api/jobs/{job_id}/results?follow=true{have.query()}")
                begun = None
                for line in answer.lines():
                    patience.renew()
                    if "job" in line:
                        if line["job"].get("completed_at") is not None:
                            return
                        continue
                    index, status = int(line["index"]), str(line["status"])
                    if index in have or others.get(index) == status:
                        continue
                    if status == "completed":
                        have.add(index)
                    before = others.pop(index, None)
                    if before is not None:
                        setattr(progress, before, getattr(progress, before) - 1)
                    if status != "completed":
                        others[index] = status
                    setattr(progress, status, getattr(progress, status) + 1)
                    yield line
                if self._is_final(job_id):
                    return
            except (MusterError, ConnectionFailed) as error:
                patience.exercise(error)
            finally:
                if answer is not None:
                    answer.close()

    def _is_final(self, job_id: str) -> bool:
        job = cast(Dict[str, Any], self._json("GET", f"/api/jobs/{job_id}?tasks=false"))
        return job.get("completed_at") is not None

    def _json(self, method: str, path: str, body: Optional[bytes] = None,
              headers: Optional[Mapping[str, str]] = None) -> Any:
        return _patiently(_PATIENCE_SECONDS, lambda: self._open(method, path, body, headers).json())

    def _open(self, method: str, path: str, body: Optional[bytes] = None,
              headers: Optional[Mapping[str, str]] = None) -> "_Lines":
        sent = {"accept": "application/json, application/x-ndjson", **(headers or {})}
        if self._token:
            sent["authorization"] = f"Bearer {self._token}"
        connection = self._connection()
        try:
            self._send(connection, method, self._base + path, body, sent)
            response = connection.getresponse()
        except ssl.SSLError as error:
            connection.close()
            raise _Untrusted(f"The certificate of {self.url} is not trusted ({error}). Nothing was sent.") from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise self._unreachable(error) from error
        if connection.sock is not None:
            connection.sock.settimeout(_SILENCE_SECONDS)
        answer = _Lines(self.url, connection, response)
        if response.status < 400:
            return answer
        raise _refusal(response, answer.read())

    def _unreachable(self, error: Exception) -> ConnectionFailed:
        sentence = f"No coordinator answers at {self.url}{_why(error)}. Is it running, and is this its address?"
        return ConnectionFailed(sentence)

    @staticmethod
    def _send(connection: http.client.HTTPConnection, method: str, path: str, body: Optional[bytes],
              headers: Mapping[str, str]) -> None:
        try:
            connection.request(method, path, body, dict(headers))
        except (BrokenPipeError, ConnectionResetError):
            # A large body may be refused before it has been read: the answer is there.
            if body is None or connection.sock is None:
                raise

    def _connection(self) -> http.client.HTTPConnection:
        host, port = cast(str, self._parts.hostname), self._parts.port
        if self._parts.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=self._timeout)
        if self._pin is None:
            return http.client.HTTPSConnection(host, port, timeout=self._timeout)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        connection = http.client.HTTPSConnection(host, port, timeout=self._timeout, context=context)
        try:
            connection.connect()
        except OSError as error:
            raise self._unreachable(error) from error
        certificate = cast(ssl.SSLSocket, connection.sock).getpeercert(binary_form=True) or b""
        found = _pin_of(certificate)
        if found != self._pin:
            connection.close()
            raise _Untrusted(
                f"The certificate of {self.url} is not the one that was pinned: its pin is {found}, "
                f"expected is {self._pin}. Nothing was sent."
            )
        return connection


class _Untrusted(ConnectionFailed):
    """Trying again is of no use."""


class _Lines:
    """An answer that is open."""

    def __init__(self, url: str, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        self._url = url
        self._connection = connection
        self._response = response

    def close(self) -> None:
        self._response.close()
        self._connection.close()

    # Whoever submits and never reads leaves it open.
    __del__ = close

    @property
    def is_lines(self) -> bool:
        return (self._response.getheader("content-type") or "").startswith("application/x-ndjson")

    def read(self) -> bytes:
        try:
            return self._response.read()
        except (OSError, http.client.HTTPException) as error:
            raise self.broken(error) from error
        finally:
            self.close()

    def json(self) -> Any:
        data = self.read()
        if not data:
            return None
        try:
            return json.loads(data)
        except ValueError as error:
            sentence = f"What answers at {self._url} is not a coordinator. Is this its address?"
            raise _Untrusted(sentence) from error

    def lines(self) -> Iterator[Dict[str, Any]]:
        """Ends without an error only when the answer came to its end."""
        while True:
            try:
                line = self._response.readline()
            except (OSError, http.client.HTTPException) as error:
                raise self.broken(error) from error
            if not line:
                return
            if line.endswith(b"\n") and line.strip():
                yield cast(Dict[str, Any], json.loads(line))

    def broken(self, error: Optional[Exception] = None) -> ConnectionFailed:
        why = _why(error)
        return ConnectionFailed(f"The connection to the coordinator at {self._url} broke{why}. Is it still running?")


def _why(error: Optional[Exception]) -> str:
    return f" ({error})" if error is not None and str(error) else ""


class _Indices:
    """Indices of results that have come."""

    def __init__(self) -> None:
        self._marks = bytearray()

    def __contains__(self, index: int) -> bool:
        return index < len(self._marks) and self._marks[index] == 1

    def add(self, index: int) -> None:
        if index >= len(self._marks):
            self._marks.extend(bytes(max(index + 1, 2 * len(self._marks)) - len(self._marks)))
        self._marks[index] = 1

    def query(self) -> str:
        """The longest ranges, as many as an address may hold."""
        ranges: List[Tuple[int, int]] = []
        start = self._marks.find(1)
        while start >= 0:
            end = self._marks.find(0, start)
            end = len(self._marks) if end < 0 else end
            ranges.append((start, end - 1))
            start = self._marks.find(1, end)
        chosen: List[Tuple[int, int]] = []
        left = _HAVE_CHARACTERS
        for first, last in sorted(ranges, key=lambda each: each[0] - each[1]):
            left -= len(f"{first}-{last},")
            if left < 0:
                break
            chosen.append((first, last))
        texts = [str(first) if first == last else f"{first}-{last}" for first, last in sorted(chosen)]
        return "&have=" + ",".join(texts) if texts else ""


class _Patience:
    """How often, and for how long, something is asked for again that got no answer, or the answer "later"."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._broken_at: Optional[float] = None
        self._pause = _SHORTEST_PAUSE

    def renew(self) -> None:
        self._broken_at = None
        self._pause = _SHORTEST_PAUSE

    def exercise(self, error: Exception) -> None:
        """Waits until it is time to ask again, or raises the error."""
        if not _is_passing(error):
            raise error
        now = time.monotonic()
        if self._broken_at is None:
            self._broken_at = now
        left = self._broken_at + self._seconds - now
        told = (error.retry_after or 0.0) if isinstance(error, MusterError) else 0.0
        if left <= 0 or told > left:
            raise error
        # Spread out: all clients of a coordinator that restarts would ask at the same time.
        time.sleep(max(told, min(self._pause * (0.75 + _random.random() / 2), left)))
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)


def _patiently(seconds: float, ask: Callable[[], T]) -> T:
    """Repeats a request that is harmless when it is made twice."""
    patience = _Patience(seconds)
    while True:
        try:
            return ask()
        except (MusterError, ConnectionFailed) as error:
            patience.exercise(error)


def _is_passing(error: Exception) -> bool:
    if isinstance(error, MusterError):
        return error.status in (429, 503) and error.quota not in _STANDING_QUOTAS
    return isinstance(error, ConnectionFailed) and not isinstance(error, _Untrusted)


def _refusal(response: http.client.HTTPResponse, data: bytes) -> MusterError:
    try:
        body = json.loads(data)
    except ValueError:
        body = {}
    if not isinstance(body, dict):
        body = {}
    detail = str(body.get("detail") or f"The coordinator answered {response.status} {response.reason}.")
    try:
        retry_after: Optional[float] = float(response.getheader("retry-after") or "")
    except ValueError:
        retry_after = None
    return MusterError(response.status, str(body.get("code", "unknown")), detail, body.get("quota"), retry_after)


def _token_from_environment() -> Optional[str]:
    token = os.environ.get("MUSTER_TOKEN")
    path = os.environ.get("MUSTER_TOKEN_FILE")
    if token or not path:
        return token or None
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


def _json_text(value: Any, what: str) -> str:
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"{what} is not JSON: {error}.") from None


def _pin_of(certificate: bytes) -> str:
    """SHA-256 of the public key (SubjectPublicKeyInfo, the seventh part of a certificate's body) in base64url."""
    _, body, _ = _der(certificate, 0)
    _, at, end = _der(certificate, body)
    fields: List[Tuple[int, int, int]] = []
    while at < end:
        tag, _, after = _der(certificate, at)
        fields.append((tag, at, after))
        at = after
    # The version is left out by certificates of the first.
    if fields and fields[0][0] == 0xA0:
        fields = fields[1:]
    _, start, after = fields[5]
    digest = hashlib.sha256(certificate[start:after]).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _der(data: bytes, at: int) -> Tuple[int, int, int]:
    """Tag of the element at this place, where its content begins, and where it ends."""
    tag, length = data[at], data[at + 1]
    at += 2
    if length & 0x80:
        size = length & 0x7F
        length = int.from_bytes(data[at : at + size], "big")
        at += size
    return tag, at, at + length


# ---- functions as programs


def program_of(function: Union[Callable[..., Any], str]) -> Dict[str, Any]:
    """The program that is submitted for a function: its source with all that it refers to. A text is taken as the
    source of a module that defines `run(input, task)`.
    """
    if isinstance(function, str):
        return {"kind": "python", "source": function}
    return {"kind": "python", **_Module().program(function)}


_WRAPPER = "muster_run_"


class _Module:
    """The source of a module that is put together of what a function refers to."""

    def __init__(self) -> None:
        self._head: List[str] = []
        self._parts: List[str] = []
        self._taken: Dict[str, Any] = {}

    def program(self, function: Callable[..., Any]) -> Dict[str, Any]:
        name = self._function_name(function)
        takes_task = _takes_task(function, name)
        self._take(name, function, "")
        source = self.source()
        if takes_task:
            return {"source": source, "function": name}
        source += f"\n\ndef {_WRAPPER}(input, task):\n    return {name}(input)\n"
        return {"source": source, "function": _WRAPPER}

    def source(self) -> str:
        return "\n".join([*self._head, "", *self._parts]).strip() + "\n"

    @staticmethod
    def _function_name(function: Any) -> str:
        if inspect.ismethod(function):
            raise ProgramError(f"{function.__qualname__} is a method: send a function, and its object as input.")
        name = getattr(function, "__name__", None)
        if not callable(function) or name is None or inspect.isclass(function):
            raise ProgramError(f"{function!r} is not a function: write one with def.")
        if name == "<lambda>":
            raise ProgramError("A lambda has no source of its own: write it with def.")
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            raise ProgramError(f"{name} is async: tasks are plain functions or generators.")
        return str(name)

    def _take(self, name: str, value: Any, by: str) -> None:
        if name in self._taken:
            if self._taken[name] is not value and self._taken[name] != value:
                raise ProgramError(f'Two different things are called "{name}": give one of them another name.')
            return
        self._taken[name] = value
        whose = f', to which {by} refers,' if by else ""
        if isinstance(value, types.ModuleType):
            self._take_module(name, value, whose)
        elif inspect.isclass(value) or callable(value) and hasattr(value, "__name__"):
            self._take_definition(name, value, whose)
        else:
            self._take_constant(name, value, whose)

    def _take_module(self, name: str, module: types.ModuleType, whose: str) -> None:
        if not _is_installed(module):
            raise ProgramError(
                f'The module "{module.__name__}"{whose} is a file of your own: import the functions that '
                "you need from it, so that they can be sent."
            )
        # Its own name is that of one platform.
        root = "os.path" if module is os.path else module.__name__
        self._head.append(f"import {root}" if root == name else f"import {root} as {name}")

    def _take_definition(self, name: str, value: Any, whose: str) -> None:
        module = sys.modules.get(getattr(value, "__module__", None) or "")
        own = str(value.__name__)
        if inspect.isbuiltin(value) or (module is not None and module.__name__ != "__main__" and _is_installed(module)):
            root = getattr(value, "__module__", None) or "builtins"
            if inspect.ismethod(value) or inspect.isbuiltin(value) and isinstance(value.__self__, types.ModuleType) is False:
                raise ProgramError(f'"{name}"{whose} is bound to an object, which cannot be sent.')
            self._head.append(f"from {root} import {own}" if own == name else f"from {root} import {own} as {name}")
            return
        source, tree = _source_of(value, name, whose)
        defined = tree.body[0]
        for each in _globals_of(source):
            if each != own:
                self._take_global(each, value, own)
        self._parts.append(source.strip() + "\n")
        if cast(Any, defined).name != name:
            self._parts.append(f"{name} = {cast(Any, defined).name}\n")

    def _take_global(self, name: str, definition: Any, by: str) -> None:
        found, value = _look_up(name, definition)
        if not found:
            # A builtin, or a name that is not there here either: it says so where it is used.
            return
        self._take(name, value, by)

    def _take_constant(self, name: str, value: Any, whose: str) -> None:
        text = repr(value)
        try:
            same = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            same = _Nothing
        if type(same) is not type(value) or same != value:
            kind = type(value).__name__
            raise ProgramError(f'"{name}"{whose} is a {kind}, which cannot be sent. Make it inside of the function.')
        if len(text) > _CONSTANT_CHARACTERS:
            raise ProgramError(
                f'"{name}"{whose} has {len(text)} characters. Give it as shared= and use task.shared: '
                "then it goes once to each device."
            )
        self._parts.append(f"{name} = {text}\n")


_Nothing = object()


def _takes_task(function: Callable[..., Any], name: str) -> bool:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    positional = [
        each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    has_rest = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    required = [each for each in positional if each.default is each.empty]
    needs = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY and each.default is each.empty]
    if len(required) > 2 or needs or (not positional and not has_rest):
        raise ProgramError(f"{name} must take the input, and may take the task after it: {name}(input, task).")
    # A second parameter with a default is an option of the function, unless it is called what it is.
    return len(required) == 2 or (len(positional) > 1 and positional[1].name == "task")


def _source_of(value: Any, name: str, whose: str) -> Tuple[str, ast.Module]:
    try:
        source = textwrap.dedent(inspect.getsource(value))
        tree = ast.parse(source)
    except (OSError, TypeError, SyntaxError):
        raise ProgramError(
            f'The source of "{name}"{whose} cannot be found: put it into a file or a cell of a notebook.'
        ) from None
    if len(tree.body) != 1 or not isinstance(tree.body[0], (ast.FunctionDef, ast.ClassDef)):
        raise ProgramError(f'"{name}"{whose} is not defined with def or class.')
    return source, tree


def _globals_of(source: str) -> List[str]:
    """Names that are looked up outside of this definition, in a fixed order."""
    names: Dict[str, None] = {}

    def visit(table: symtable.SymbolTable) -> None:
        for symbol in table.get_symbols():
            outside = symbol.is_global() if table.get_type() == "function" else not symbol.is_assigned()
            if outside and symbol.is_referenced() and not symbol.is_imported():
                names.setdefault(symbol.get_name())
        for child in table.get_children():
            visit(child)

    visit(symtable.symtable(source, "<task>", "exec"))
    return sorted(names)


def _look_up(name: str, definition: Any) -> Tuple[bool, Any]:
    functions: List[Any] = [definition]
    if inspect.isclass(definition):
        functions = [each for each in vars(definition).values() if inspect.isfunction(each)]
    for each in functions:
        closure = getattr(each, "__closure__", None) or ()
        for free, cell in zip(each.__code__.co_freevars, closure):
            if free == name and free != "__class__":
                return True, cell.cell_contents
        if name in each.__globals__:
            return True, each.__globals__[name]
    module = sys.modules.get(getattr(definition, "__module__", None) or "")
    if module is not None and name in vars(module):
        return True, vars(module)[name]
    return False, None


def _is_installed(module: types.ModuleType) -> bool:
    """Of the standard library, or of an installed package: it is there, or comes as a wheel."""
    path = getattr(module, "__file__", None)
    if path is None:
        return True
    places = {sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")}
    real = os.path.realpath(path)
    inside = any(real.startswith(os.path.realpath(place) + os.sep) for place in places if place)
    return inside or f"{os.sep}site-packages{os.sep}" in real or f"{os.sep}dist-packages{os.sep}" in real


# ---- without a client of one's own


def connect(url: Optional[str] = None, *, token: Optional[str] = None, pin: Optional[str] = None) -> Client:
    """A client; see `Client`."""
    return Client(url, token=token, pin=pin)


def map(function: Union[Callable[..., T], str], inputs: Iterable[Any], **options: Any) -> Run[T]:  # noqa: A001
    """`Client().map(…)`: on the coordinator that MUSTER_URL names."""
    return Client().map(function, inputs, **options)
