// Programs in Python, in a child that is locked as one of an agent is. Interpreters start from an image, which the
// first test makes; it is compared with a cold start.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LoadFault, PythonChild, valueOf } from '../support/python-child.ts';

/** A cold start computes for seconds, on a machine that may have other things to do. */
const startsAtMostMs = 300_000;
let child: PythonChild;
/** What a cold interpreter answered before there was an image. */
let cold: unknown;

const samples = `
import collections, datetime, hashlib, json, math, random, re, statistics, sys, time, uuid

def run(input, task):
    return {
        "version": sys.version.split()[0],
        "float": math.fsum(math.sin(i) for i in range(1000)),
        "random": [task.random.random(), random.randint(1, 10**6), random.gauss(0, 1)],
        "set": list({"a", "b", "c", "muster"}),
        "uuid": str(uuid.uuid4()),
        "hash": hashlib.sha256(b"muster").hexdigest(),
        "year": datetime.datetime.now().isoformat()[:16],
        "zone": [time.timezone, time.tzname[0]],
        "counter": collections.Counter("mississippi").most_common(2),
        "words": re.findall(r"\\w+", "one two"),
        "mean": statistics.mean([1, 2, 4]),
    }
`;

beforeAll(async () => {
  child = await PythonChild.start();
  cold = valueOf((await child.try(samples)).step);
  await child.makeImage();
}, startsAtMostMs);

afterAll(() => child.close());

describe('the interpreter', () => {
  test('answers from its image as it does from a cold start', async () => {
    expect(valueOf((await child.try(samples)).step)).toEqual(cold);
    expect(child.notes).toEqual([]);
    expect(cold).toEqual({
      version: '3.14.2',
      float: -0.012909906458836213,
      random: [0.47997512385678676, 888083, 0.040083897360060856],
      set: ['a', 'muster', 'c', 'b'],
      uuid: 'e7ee4c78-a49f-4818-9718-a71fd1bd1cbf',
      hash: '74cd18c016d902f940554dfd07545f219064b27fe6e890e9447f0c9e377903a8',
      year: '2000-01-01T00:00',
      zone: [0, 'UTC-0000'],
      counter: [
        ['i', 4],
        ['s', 4],
      ],
      words: ['one', 'two'],
      mean: 2.3333333333333335,
    });
  });
});

describe('a task in Python', () => {
  test('doubles a number, again and again', async () => {
    await child.load({ jobId: 'double', program: 'def run(input, task):\n    return input * 2\n' });
    for (const n of [21, -1, 0.5]) {
      const { step } = await child.run({ jobId: 'double', taskId: 'd', inputJson: `${n}` });
      expect(valueOf(step)).toBe(2 * n);
    }
  });

  test('is told who it is', async () => {
    const names = 'input index task_id job_id attempt resumed state shared cancelled';
    const source = `def run(input, task):\n    return [getattr(task, name) for name in "${names}".split()]\n`;
    const { step } = await child.try(source, {
      jobId: 'job',
      taskId: 'job-7',
      index: 7,
      attempt: 2,
      inputJson: '{"a":[1,null,true]}',
      shared: { json: '{"rate":0.5}' },
    });
    const input = { a: [1, null, true] };
    expect(valueOf(step)).toEqual([input, 7, 'job-7', 'job', 2, false, null, { rate: 0.5 }, false]);
  });

  test('runs the function that the program names', async () => {
    const program = { kind: 'python', source: 'def main(i, t): return "main"', function: 'main' };
    await child.load({ jobId: 'named', program });
    const { step } = await child.run({ jobId: 'named', taskId: 'n-0' });
    expect(valueOf(step)).toBe('main');
  });

  test('fails with the name, the message and the frames of its exception', async () => {
    const source = `
class OutOfPaper(Exception):
    retryable = False

def total(items):
    if not items:
        raise OutOfPaper("no paper in 3")
    return sum(items)

def run(input, task):
    return total(input)
`;
    const { step } = await child.try(source, { inputJson: '[]' });
    expect(step).toEqual({
      type: 'failure',
      errorType: 'OutOfPaper',
      message: 'no paper in 3',
      stack: 'at total (program:7:9)\nat run (program:11:12)',
      isRetryable: false,
    });
  });

  test('tells the causes of an exception, and may be tried again', async () => {
    const source = `
def run(input, task):
    try:
        {}["a"]
    except KeyError as error:
        raise ValueError("no entry") from error
`;
    expect((await child.try(source)).step).toEqual({
      type: 'failure',
      errorType: 'ValueError',
      message: 'no entry',
      stack: "at run (program:6:9)\ncaused by KeyError: 'a'\nat run (program:4:9)",
      isRetryable: true,
    });
  });

  test.each([
    ['raise SystemExit(3)', 'SystemExit'],
    ['import os; os._exit_code = 1; raise KeyboardInterrupt()', 'KeyboardInterrupt'],
    ['raise type("sandbox_crashed", (Exception,), {})()', 'Error'],
    ['def deep(): deep()\n    deep()', 'RecursionError'],
  ])('fails with what it raised: %s', async (body, errorType) => {
    const { step } = await child.try(`def run(input, task):\n    ${body}\n`);
    expect(step).toMatchObject({ type: 'failure', errorType });
    const again = await child.try('def run(input, task): return 1');
    expect(valueOf(again.step)).toBe(1);
  });

  test('prints, and what it prints while it is loaded is of its first task', async () => {
    const source = `
import sys
print("loaded")

def run(input, task):
    print("naïve", "😀")
    print("!", file=sys.stderr)
    sys.stdout.write("no end")
`;
    const { printed } = await child.try(source);
    expect(printed).toBe('loaded\nnaïve 😀\n!\nno end');
    const next = await child.run({ jobId: 'job', taskId: 'job-1' });
    expect(next.printed).toBe('naïve 😀\n!\nno end');
  });

  test('has no input to read', async () => {
    const { step } = await child.try('def run(i, task): return input()');
    expect(step).toMatchObject({ type: 'failure', errorType: 'EOFError' });
  });

  test('says how far it is', async () => {
    const source = `
def run(input, task):
    task.progress(0.25)
    task.progress(0.5, "half of it")
    yield {"progress": 0.75, "message": "nearly"}
`;
    const { reports } = await child.try(source);
    expect(reports).toEqual([
      [0.25, null],
      [0.5, 'half of it'],
      [0.75, 'nearly'],
    ]);
  });

  test('has random numbers that depend on it alone', async () => {
    const source = `
import os, random, secrets, uuid
def run(input, task):
    return [random.random(), task.random.random(), random.random(), os.urandom(4).hex(),
            secrets.token_hex(2), str(uuid.uuid4())]
`;
    await child.load({ jobId: 'job', program: source });
    const values: unknown[] = [];
    for (const taskId of ['job-0', 'job-1', 'job-0']) {
      const { step } = await child.run({ jobId: 'job', taskId, inputJson: '0' });
      values.push(valueOf(step));
    }
    expect(values[2]).toEqual(values[0]);
    expect(values[1]).not.toEqual(values[0]);
    expect(new Set(values[0] as unknown[]).size).toBe(6);
  });

  test('has a clock that begins anew', async () => {
    const source = `
import time
def run(input, task):
    started = time.time()
    while time.time() < started + 0.05: pass
    return [round(started, 1), time.monotonic() > 0.04, time.localtime().tm_year]
`;
    await child.load({ jobId: 'job', program: source });
    for (const taskId of ['job-0', 'job-1']) {
      const { step } = await child.run({ jobId: 'job', taskId });
      expect(valueOf(step)).toEqual([946684800, true, 2000]);
    }
  });
});

const summing = `
import os, random

def run(input, task):
    s = task.state or {"i": 0, "sum": 0.0, "bytes": 0}
    while s["i"] < input:
        s["sum"] += random.random() + random.gauss(0, 1)
        s["bytes"] += os.urandom(1)[0]
        s["i"] += 1
        yield {"state": s, "progress": s["i"] / input}
    return s
`;

describe('a checkpoint in Python', () => {
  test('lets a lost task go on to the same digits, in another interpreter', async () => {
    const order = { jobId: 'sum', taskId: 'sum-0', inputJson: '20000' };
    const whole = await child.try(summing, order);
    const lost = await child.try(summing, { ...order, isDue: true, loseAfter: 2, sliceMs: 20 });
    expect(lost.step.type).toBe('more');
    const stateJson = lost.states.at(-1)!;
    expect(stateJson).toMatch(
      /^\{"\$muster_random":\{"numbers":\[3, \[.*\],"bytes":\[.*\]\},"state":/,
    );
    const resumed = await child.try(summing, { ...order, stateJson, attempt: 2 });
    expect(valueOf(resumed.step)).toEqual(valueOf(whole.step));
    expect(valueOf(whole.step)).toMatchObject({ i: 20_000 });
  });

  test('is the state alone when nothing was drawn', async () => {
    const source = 'def run(input, task):\n    yield {"state": {"i": 1}}\n';
    const { states } = await child.try(source, { isDue: true });
    expect(states).toEqual(['{"i":1}']);
  });

  test('comes back as it was when it looks like one with random numbers', async () => {
    const source = `
def run(input, task):
    task.checkpoint({"$muster_random": [1], "state": 2})
    return task.state
`;
    const { states } = await child.try(source, { isDue: true });
    const resumed = await child.try(source, { stateJson: states[0]! });
    expect(valueOf(resumed.step)).toEqual({ $muster_random: [1], state: 2 });
  });

  test('is written only when one is due', async () => {
    const source = `
class Costly(dict):
    def items(self):
        print("written")
        return super().items()

def run(input, task):
    task.checkpoint(Costly(a=1))
    return task.checkpoint_due()
`;
    const quiet = await child.try(source);
    expect(valueOf(quiet.step)).toBe(false);
    expect(quiet.printed).toBe('');
    const due = await child.try(source, { isDue: true });
    expect(valueOf(due.step)).toBe(true);
    expect(due.printed).toBe('written\n');
    expect(due.states).toEqual(['{"a":1}']);
  });

  test.each([
    ['{1, 2}', 'state is a set: use sorted(it)'],
    ['"x" * 100', 'the state has 102 bytes as JSON, the limit is 50'],
  ])('that cannot be saved is told in the output: %s', async (state, why) => {
    const source = `def run(input, task):\n    task.checkpoint(${state})\n    return "on"\n`;
    const { step, printed, states } = await child.try(source, { isDue: true, stateLimitBytes: 50 });
    expect(valueOf(step)).toBe('on');
    expect(states).toEqual([]);
    expect(printed).toBe(`a checkpoint was not saved: ${why}\n`);
  });
});

describe('the order to stop', () => {
  test('ends an endless loop, and the next task runs', async () => {
    const source = 'def run(input, task):\n    while input is None: pass\n    return input\n';
    const stopped = await child.try(source, { stopAfterMs: 100 });
    expect(stopped.step).toEqual({ type: 'stopped' });
    expect(stopped.runMs).toBeLessThan(5_000);
    const next = await child.run({ jobId: 'job', taskId: 'job-1', inputJson: '5' });
    expect(valueOf(next.step)).toBe(5);
  });

  test.each([
    'sum(range(10**5))',
    'sorted(range(10**5), key=lambda n: [n for n in range(10**4)])',
    '[n for n in range(10**12)]',
    'list(map(str, range(10**5)))',
  ])('ends a loop over what C does: %s', async (expression) => {
    const source = `def run(input, task):\n    while True: ${expression}\n`;
    const { step, runMs } = await child.try(source, { stopAfterMs: 50 });
    expect(step).toEqual({ type: 'stopped' });
    expect(runMs).toBeLessThan(4_000);
  });

  test('lets a generator leave its state', async () => {
    const source = `
def run(input, task):
    i = task.state or 0
    try:
        while True:
            i += 1
            yield {"state": i}
    finally:
        print("left")
`;
    const { step, states, printed } = await child.try(source, { stopAfterMs: 50, isDue: true });
    expect(step).toEqual({ type: 'stopped' });
    expect(states.length).toBeGreaterThan(0);
    expect(printed).toBe('left\n');
  });

  test('is seen by a task that looks after it, which may leave a state', async () => {
    const source = `
def run(input, task):
    i = 0
    while True:
        i += 1
        if task.cancelled:
            task.checkpoint({"i": i})
`;
    const { step, states } = await child.try(source, { stopAfterMs: 50, isDue: true });
    expect(step).toEqual({ type: 'stopped' });
    expect(states).toHaveLength(1);
  });

  test('interrupts a generator that does not yield for a second', async () => {
    const source = 'def run(input, task):\n    yield {"state": 1}\n    while True: pass\n';
    const { step, runMs } = await child.try(source, { stopAfterMs: 10 });
    expect(step).toEqual({ type: 'stopped' });
    expect(runMs).toBeGreaterThan(1_000);
  });

  test('is always there for what a task has left behind', async () => {
    const source = `
import pyodide_js
from pyodide.ffi import create_proxy

def endless(value):
    while True: pass

def run(input, task):
    if input: pyodide_js._api.lockFilePromise.then(create_proxy(endless))
    return "done"
`;
    const first = await child.try(source, { inputJson: 'true' });
    expect(valueOf(first.step)).toBe('done');
    const next = await child.run({ jobId: 'job', taskId: 'job-1', inputJson: 'false' });
    expect(valueOf(next.step)).toBe('done');
  });

  test('runs what a task puts into `finally`', async () => {
    const source = `
def run(input, task):
    try:
        while True: pass
    finally:
        print("cleared")
`;
    const { step, printed } = await child.try(source, { stopAfterMs: 20 });
    expect(step).toEqual({ type: 'stopped' });
    expect(printed).toBe('cleared\n');
  });
});

describe('values of Python', () => {
  /** What the expression gives, as a result. */
  const given = (expression: string) =>
    child.run({ jobId: 'values', taskId: 'v-0', inputJson: JSON.stringify(expression) });

  beforeAll(async () => {
    const program = `
def nested(levels):
    value = []
    for _ in range(levels): value = [value]
    return value

async def later(): pass

def run(input, task): return eval(input)
`;
    await child.load({ jobId: 'values', program });
  });

  test.each([
    ['(1, [2.5, None])', [1, [2.5, null]]],
    ['{1: "a", "b": True}', { '1': 'a', b: true }],
    ['"naïve 😀 \\u2028 \\x00"', 'naïve 😀 \u2028 \u0000'],
    ['"\\ud800"', '\ud800'],
    ['2**53 - 1', 9007199254740991],
    ['"12345678901234567890"', '12345678901234567890'],
    ['__import__("array").array("i", [1, 2])', [1, 2]],
    ['0.1 + 0.2', 0.30000000000000004],
    ['None', null],
  ])('leave as JSON: %s', async (expression, value) => {
    expect(valueOf((await given(expression)).step)).toEqual(value);
  });

  test.each([
    ['2**53', 'result is an integer beyond 2**53 - 1, which is not exact elsewhere: use str(it)'],
    ['{"a": [1, -2**70]}', 'result.a[1] is an integer beyond 2**53 - 1'],
    ['[1, float("nan")]', 'result[1] is nan, which JSON does not have'],
    ['{"a": float("inf")}', 'result.a is inf, which JSON does not have'],
    ['{"a": {1}}', 'result.a is a set: use sorted(it)'],
    ['{(1, 2): 3}', 'result has a key that is a tuple: JSON has strings only'],
    ['[b"x"]', 'result[0] is a bytes: bytes are a whole result, or none of it'],
    ['run', 'result is a function'],
    ['(a := [], a.append(a), a)[2]', 'the result is nested too deep, or contains itself'],
    ['nested(2000)', 'the result is nested'],
    ['later()', 'result is a coroutine that nobody awaited: `async def` does not run here'],
  ])('are refused when JSON does not have them: %s', async (expression, why) => {
    const { step } = await given(expression);
    expect(step).toMatchObject({
      type: 'failure',
      errorType: 'result_not_json',
      isRetryable: false,
    });
    expect(step.type === 'failure' && step.message).toContain(why);
  });

  test('of a MiB go in and come out', async () => {
    const text = 'a😀ü'.repeat(150_000);
    const source = 'def run(input, task): return input[::-1][::-1]';
    const { step } = await child.try(source, { inputJson: JSON.stringify(text) });
    expect(valueOf(step)).toBe(text);
  });

  test('are refused beyond the limit', async () => {
    const source = 'def run(input, task): return "x" * 1000 if input else b"x" * 1000';
    await child.load({ jobId: 'job', program: source });
    for (const inputJson of ['true', 'false']) {
      const order = { jobId: 'job', taskId: 'job-0', inputJson, resultLimitBytes: 900 };
      const { step } = await child.run(order);
      expect(step).toMatchObject({ errorType: 'result_too_large', isRetryable: false });
    }
  });

  test('are bytes when they are bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256));
    const source = `
def run(input, task):
    assert type(input) is bytes and type(task.shared) is bytes
    return memoryview(input + task.shared)
`;
    const { step, resultBase64 } = await child.try(source, {
      inputBase64: bytes.toString('base64'),
      shared: { base64: Buffer.from([1, 2, 255]).toString('base64') },
    });
    expect(step.type).toBe('result');
    expect(Buffer.from(resultBase64!, 'base64')).toEqual(
      Buffer.concat([bytes, Buffer.from([1, 2, 255])]),
    );
  });
});

describe('the memory of a program in Python', () => {
  test('has a limit, at which the task fails and the interpreter lives on', async () => {
    const source = `
def run(input, task):
    kept = []
    while input: kept.append(bytearray(1 << 20))
    return "small"
`;
    const large = await child.try(source, { memoryMb: 128, inputJson: 'true' });
    expect(large.step).toMatchObject({
      type: 'failure',
      errorType: 'out_of_memory',
      isRetryable: true,
    });
    const next = await child.run({ jobId: 'job', taskId: 'job-1', inputJson: 'false' });
    expect(valueOf(next.step)).toBe('small');
  });

  test('can be watched by the task itself', async () => {
    const source = `
def run(input, task):
    kept = []
    try:
        while True: kept.append(bytearray(1 << 20))
    except MemoryError:
        return len(kept)
`;
    const { step } = await child.try(source, { memoryMb: 128 });
    expect(valueOf(step)).toBeGreaterThan(70);
    expect(valueOf(step)).toBeLessThan(128);
  });
});

describe('a bad program in Python', () => {
  test.each([
    [
      'def run(input, task):\n  return (',
      'program_invalid',
      "SyntaxError: '(' was never closed (line 2)",
    ],
    ['x = 1', 'program_invalid', 'the program has no function `run`'],
    ['run = 3', 'program_invalid', 'the program has no function `run`'],
    [
      'async def run(input, task): pass',
      'program_invalid',
      '`run` is an `async def`: a plain function or a generator is needed',
    ],
    [
      'async def run(input, task): yield 1',
      'program_invalid',
      '`run` is an `async def`: a plain function or a generator is needed',
    ],
    [
      '\n\nx = 1 / 0',
      'program_invalid',
      'ZeroDivisionError: division by zero (line 3) (at the top level)',
    ],
    ['import numpy', 'missing_package', "No module named 'numpy' (line 1)"],
    ['import os\nos._exit(3)', 'program_invalid', 'breaks the interpreter when it is loaded'],
  ])('is refused: %j', async (source, errorType, message) => {
    const fault = await child
      .load({ jobId: 'bad', program: source })
      .catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(LoadFault);
    expect((fault as LoadFault).errorType).toBe(errorType);
    expect((fault as LoadFault).message).toContain(message);
  });

  test.each([
    [{ kind: 'python' }, '`source` is not a text'],
    [{ kind: 'python', source: '', function: 1 }, '`function` is not a text'],
    [{ kind: 'python', source: '', packages: {} }, '`packages` is not a list'],
    [{ kind: 'python', source: '', packages: [{}] }, 'packages[0] has no name'],
    [{ kind: 'python', source: '', packages: [{ name: 'a.whl' }] }, 'packages[0] names no blob'],
  ])('is refused for its form: %j', async (program, why) => {
    await expect(child.load({ jobId: 'bad', program })).rejects.toThrow(why);
  });
});

describe('the programs of the guide', () => {
  const guide = readFileSync(new URL('../../docs/guides/python.md', import.meta.url), 'utf8');
  const marked = /<!-- test: not run, python: (.*) -> (.*) -->\n\n```python\n([^`]*)```/g;
  const programs = [...guide.matchAll(marked)].map(([, input, result, source]) => ({
    inputJson: input!,
    result: JSON.parse(result!) as unknown,
    source: source!,
  }));

  test('are two', () => {
    expect(programs).toHaveLength(2);
  });

  test.each(programs)('give what it says for $inputJson', async ({ inputJson, result, source }) => {
    const { step } = await child.try(source, { jobId: 'docs', inputJson });
    expect(valueOf(step)).toEqual(result);
  });
});

describe('an interpreter that a task has broken', () => {
  test.each([
    ['os._exit', 'import os\n    os._exit(0)'],
    ['a wild pointer', 'import ctypes\n    ctypes.memset(-64, 1, 1 << 20)'],
    [
      'a recursion without a limit',
      'import sys\n    sys.setrecursionlimit(10**9)\n    f = lambda n: [f(n + 1) for _ in [1]]\n    f(0)',
    ],
  ])('says so: %s', async (_name, body) => {
    const own = await PythonChild.start();
    const { step } = await own.try(`def run(input, task):\n    ${body}\n    return "fine"\n`);
    await own.close();
    expect(['broken', 'failure']).toContain(step.type);
    if (step.type === 'failure') expect(step.errorType).toBe('RecursionError');
    else expect(step.type === 'broken' && step.why).not.toBe('');
  });
});
