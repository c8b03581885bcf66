// The text of tasks.py: see driver-modules.ts.

export const tasksText = `"""One attempt, and the argument \`task\` that a program gets for it."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Generator
from typing import Any, Protocol

from muster_driver.values import Refused, written

RANDOM_PREFIX = '{"$muster_random":'


class Host(Protocol):
    """What the host offers. Between two attempts nothing of it does anything."""

    is_stopped: Callable[[], bool]
    is_due: Callable[[], bool]
    offer: Callable[[str], None]
    report: Callable[[float, str | None], None]
    # The task looks after the order to stop by itself: it is interrupted later.
    gives_way: Callable[[], None]
    # The state of the random bytes as JSON, if any were taken.
    entropy: Callable[[], str | None]
    set_entropy: Callable[[str], None]
    # Takes the bytes of a result.
    give: Callable[[object], None]


class Ports:
    """The same, looked up once: that takes longer than to call it."""

    __slots__ = (
        "entropy",
        "give",
        "gives_way",
        "is_due",
        "is_stopped",
        "offer",
        "report",
        "set_entropy",
    )

    def __init__(self, host: Host) -> None:
        self.is_stopped = host.is_stopped
        self.is_due = host.is_due
        self.offer = host.offer
        self.report = host.report
        self.gives_way = host.gives_way
        self.entropy = host.entropy
        self.set_entropy = host.set_entropy
        self.give = host.give


class Stopped(KeyboardInterrupt):
    """Ends a task at a checkpoint when its attempt was asked to stop."""


class Task:
    """The argument \`task\` of a program."""

    __slots__ = (
        "_run",
        "attempt",
        "index",
        "input",
        "job_id",
        "random",
        "shared",
        "state",
        "task_id",
    )

    def __init__(self, run: Run, shared: object) -> None:
        self._run = run
        self.input = run.input
        self.index = run.index
        self.task_id = run.task_id
        self.job_id = run.job_id
        self.attempt = run.attempt
        self.state = run.state
        self.shared = shared
        # The functions of the module \`random\` are those of this object.
        self.random: random.Random = generator_of_module

    @property
    def resumed(self) -> bool:
        """Whether there was a checkpoint to go on from."""
        return self._run.resumed

    @property
    def cancelled(self) -> bool:
        """Whether the attempt shall stop."""
        return self._run.sees_stop()

    def progress(self, share: float, message: str | None = None) -> None:
        """Says how much is done, from 0 to 1."""
        self._run.report(share, message)

    def checkpoint(self, state: object, progress: float | None = None) -> None:
        """Offers a state to go on from. It is written down when a checkpoint is due."""
        run = self._run
        if progress is not None:
            run.report(progress, None)
        is_stopped = run.sees_stop()
        run.offer(state)
        if is_stopped:
            raise Stopped("the attempt was asked to stop")

    def checkpoint_due(self) -> bool:
        """Whether a state that is offered now would be written down."""
        run = self._run
        run.look_after_stop()
        return run is program.run and ports().is_due()


class Run:
    """One attempt."""

    __slots__ = (
        "attempt",
        "generator",
        "has_offered",
        "index",
        "input",
        "is_stopped",
        "job_id",
        "looks_after_stop",
        "offered",
        "random_went_on",
        "resumed",
        "state",
        "task_id",
        "unsaved",
    )

    def __init__(
        self, task_id: str, job_id: str, index: int, attempt: int, input_value: object
    ) -> None:
        self.task_id = task_id
        self.job_id = job_id
        self.index = index
        self.attempt = attempt
        self.input = input_value
        self.state: Any = None
        self.resumed = False
        self.generator: Generator[Any, Any, Any] | None = None
        self.has_offered = False
        self.offered: object = None
        self.is_stopped = False
        self.looks_after_stop = False
        self.unsaved: str | None = None
        self.random_went_on = False
        generator_of_module.seed(task_id)

    def resume(self, state_json: str) -> None:
        """Goes on from a checkpoint, in the middle of its sequence of random numbers."""
        self.resumed = True
        saved = json.loads(state_json)
        if not state_json.startswith(RANDOM_PREFIX):
            self.state = saved
            return
        self.state = saved["state"]
        kept = saved["$muster_random"]
        if kept["bytes"] is not None:
            ports().set_entropy(json.dumps(kept["bytes"]))
        if kept["numbers"] is not None:
            version, words, gauss = kept["numbers"]
            generator_of_module.setstate((version, tuple(words), gauss))
            self.random_went_on = True

    def look_after_stop(self) -> None:
        if not self.looks_after_stop:
            self.looks_after_stop = True
            ports().gives_way()

    def sees_stop(self) -> bool:
        self.look_after_stop()
        if not self.is_stopped:
            self.is_stopped = self is not program.run or ports().is_stopped()
        return self.is_stopped

    def report(self, share: float, message: str | None) -> None:
        if self is program.run:
            ports().report(float(share), None if message is None else str(message)[:200])

    def offer(self, state: object) -> None:
        if self is not program.run or not ports().is_due():
            return
        try:
            text = written(state, "state")
        except Refused as refused:
            self.complain(str(refused))
            return
        ports().offer(self.with_random(text))

    def with_random(self, state_json: str) -> str:
        entropy = ports().entropy()
        numbers = generator_of_module.getstate()
        is_used = self.random_went_on or numbers != random.Random(self.task_id).getstate()
        if entropy is None and not is_used and not state_json.startswith(RANDOM_PREFIX):
            return state_json
        kept = json.dumps(numbers) if is_used else "null"
        place = f'{{"numbers":{kept},"bytes":{entropy or "null"}}}'
        return f'{RANDOM_PREFIX}{place},"state":{state_json}}}'

    def complain(self, why: str) -> None:
        """Says once why a state was not saved: the task goes on without it."""
        if self.unsaved is None:
            self.unsaved = why
            print(f"a checkpoint was not saved: {why}", file=sys.stderr)


class Program:
    """What is loaded."""

    __slots__ = ("function", "run", "shared")

    def __init__(self) -> None:
        self.function: Callable[[object, Task], object] | None = None
        self.shared: object = None
        self.run: Run | None = None


# The one behind the functions of the module: what a task draws there and here is one sequence.
generator_of_module: random.Random = random._inst
program = Program()
connected: list[Ports] = []


def ports() -> Ports:
    return connected[0]
`;
