// The Python client under a Python of this machine, where there is one: what it sends of a function, and jobs at a
// real coordinator. Without one these tests are skipped, and counted so.

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliCoordinator } from '../support/cli-coordinator.ts';

const root = resolve(import.meta.dirname, '../..');
const clientFolder = join(root, 'src/client/python');
const isOldEnough = 'import sys; sys.exit(0 if sys.version_info >= (3, 9) else 1)';
const hasPython = spawnSync('python3', ['-c', isOldEnough]).status === 0;

const helpers = `
import math
RATES = {"de": 0.19}
def rate_of(country):
    return RATES[country]
class Rounded:
    digits = 2
    def of(self, number):
        return math.floor(number * 10 ** self.digits) / 10 ** self.digits
`;

const functions = `
import asyncio, json, os.path as paths, threading
import muster
from collections import Counter as Count
from helpers import rate_of, Rounded

LOCK = threading.Lock()
BIG = "x" * 100_000
TOTAL = 3

def outer():
    step = 5
    def inner(n, task):
        return [rate_of("de"), Rounded().of(n), step, paths.join("a", "b"), sorted(Count("aab"))]
    return inner

def steps(n):
    for i in range(n):
        yield {"progress": i / n}
    return n + TOTAL

def recursive(n):
    return 1 if n == 0 else n * recursive(n - 1)

def shadowed(n):
    TOTAL = 4
    return [step for step in range(n)] + [TOTAL]

def unknown(n):
    return not_there(n)

def locked(n):
    with LOCK:
        return n

def big(n):
    return BIG[n]

async def later(n):
    return n

def nothing():
    return 1

def sent(function):
    program = muster.program_of(function)
    assert program["kind"] == "python"
    scope = {}
    exec(compile(program["source"], "<sent>", "exec"), scope)
    return scope[program["function"]]

def drained(generator):
    try:
        while True: next(generator)
    except StopIteration as end:
        return end.value

told = {
    "outer": sent(outer())(1.239, None),
    "steps": drained(sent(steps)(2, None)),
    "recursive": sent(recursive)(5, None),
    "shadowed": sent(shadowed)(2, None),
    "module": sent(paths.basename)("a/b", None),
    "text": muster.program_of("def run(input, task): return input")["source"],
}
refused = {}
for name, function in {
    "lambda": lambda n: n, "method": Rounded().of, "class": Rounded, "locked": locked, "big": big,
    "async": later, "nothing": nothing, "bound": "".join,
}.items():
    try:
        muster.program_of(function)
    except muster.ProgramError as error:
        refused[name] = str(error)
try:
    sent(unknown)(1, None)
except NameError as error:
    told["unknown"] = str(error)
print(json.dumps({"told": told, "refused": refused}))
`;

const jobs = `
import json, sys
import muster

client = muster.Client()
squares = {"kind": "javascript", "source": """export default (n) => {
  if (n === 3) throw new TypeError('three');
  return n * n;
}"""}
echo = {"kind": "javascript", "source": "export default (value) => value"}

run = client.submit(squares, range(5), on_error="return", max_attempts=1, name="squares")
values = run.result()
failed = values[3]
assert isinstance(failed, muster.TaskError), failed
again = client.job(run.job_id, on_error="return")
text = "\\u00e4\\u20ac" * 600_000
big = client.submit(echo, [text]).result()
refusals = []
for refused in (
    lambda: list(client.submit(squares, [3], max_attempts=1)),
    lambda: client.submit({"kind": "javascript"}, [1]),
    lambda: client.submit(squares, [{1, 2}]),
    lambda: client.job("nobody"),
    lambda: muster.Client("ftp://here"),
):
    try:
        refused()
    except Exception as error:
        refusals.append([type(error).__name__, str(error)])
held = client.submit(squares, [1], hold=True)
held.cancel()
held.cancel()
try:
    held.result()
except muster.JobCancelled as error:
    cancelled = error.job_id == held.job_id
print(json.dumps({
    "values": values[:3] + values[4:],
    "failed": [failed.index, failed.type, failed.message],
    "progress": [run.progress.completed, run.progress.failed, run.progress.total],
    "name": run.status()["name"],
    "again": sorted(index for index, _ in again.as_completed()),
    "many": sum(client.submit(echo, range(20_000))),
    "big": big == [text],
    "refusals": refusals,
    "cancelled": cancelled,
}))
`;

describe.skipIf(!hasPython)('the Python client under a Python of this machine', () => {
  const coordinator = cliCoordinator({ 'helpers.py': helpers, 'functions.py': functions });

  const python = async (name: string, text?: string): Promise<string> => {
    const { folder, url } = coordinator;
    if (text !== undefined) writeFileSync(join(folder, name), text);
    const child = spawn('python3', ['-W', 'error', name], {
      cwd: folder,
      env: {
        ...process.env,
        PYTHONPATH: clientFolder,
        MUSTER_URL: url,
        PYTHONDONTWRITEBYTECODE: '1',
      },
    });
    let [said, complaint] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (part: string) => (said += part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (complaint += part));
    const code = await new Promise((done) => child.once('close', done));
    expect(complaint).toBe('');
    expect(code).toBe(0);
    return said;
  };

  test('a function is sent with what it refers to, or refused with what it cannot take along', async () => {
    expect(JSON.parse(await python('functions.py'))).toEqual({
      told: {
        outer: [0.19, 1.23, 5, 'a/b', ['a', 'b']],
        steps: 5,
        recursive: 120,
        shadowed: [0, 1, 4],
        module: 'b',
        text: 'def run(input, task): return input',
        unknown: "name 'not_there' is not defined",
      },
      refused: {
        lambda: 'A lambda has no source of its own: write it with def.',
        method: 'Rounded.of is a method: send a function, and its object as input.',
        class: "<class 'helpers.Rounded'> is not a function: write one with def.",
        locked:
          '"LOCK", to which locked refers, is a lock, which cannot be sent. Make it inside of the function.',
        big:
          '"BIG", to which big refers, has 100002 characters. Give it as shared= and use task.shared: ' +
          'then it goes once to each device.',
        async: 'later is async: tasks are plain functions or generators.',
        nothing:
          'nothing must take the input, and may take the task after it: nothing(input, task).',
        bound: '"join" is bound to an object, which cannot be sent.',
      },
    });
  });

  test('jobs run, fail, are found again and cancelled, and refusals are sentences', async () => {
    expect(JSON.parse(await python('jobs.py', jobs))).toEqual({
      values: [0, 1, 4, 16],
      failed: [3, 'TypeError', 'three'],
      progress: [4, 1, 5],
      name: 'squares',
      again: [0, 1, 2, 3, 4],
      many: 199_990_000,
      big: true,
      refusals: [
        ['TaskError', 'inputs[0]: TypeError: three'],
        ['MusterError', expect.stringContaining('program.source must be a text')],
        ['TypeError', 'inputs[0] is not JSON: Object of type set is not JSON serializable.'],
        ['MusterError', expect.stringContaining('nobody')],
        ['ValueError', expect.stringContaining('"ftp://here" is no address of a coordinator')],
      ],
      cancelled: true,
    });
  });

  test('the example of its page runs', async () => {
    const page = readFileSync(join(root, 'docs/reference/python-client.md'), 'utf8');
    const [, example] = /```python\n([^]*?)```/.exec(page) ?? [];
    const squares = [0, 1, 4, 9, 16, 25, 36, 49].join('\n');
    const end = 'Progress(8 of 8 completed, 0 failed)\n';
    expect(await python('squares.py', example)).toBe(`${squares}\n${end}`);
  });
});
