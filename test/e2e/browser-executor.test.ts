// The executor of a browser, with real frames in a real browser.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CageHarness, CagePage } from '../support/cage-harness.ts';
import { programOf, valueOf } from '../support/task-harness.ts';

let cage: CagePage;
let harness: CageHarness;

beforeAll(async () => {
  // Memory that runs out does so soon.
  cage = await CagePage.open({ heapMb: 256 });
  harness = cage.harness();
});
afterAll(async () => {
  await cage.close();
});

const busy = 'export default () => { for (;;); }';
const steps = `
export default function* (input, task) {
  for (let i = task.state ?? 0; i < input; i++) yield { state: i + 1, progress: (i + 1) / input };
  return 'from ' + (task.state ?? 0);
}`;
const endless = `
export default function* (input, task) {
  for (let i = task.state ?? 0; ; i++) yield { state: i, progress: 0.5 };
}`;

test('runs plain, asynchronous and generator tasks', async () => {
  const sources = [
    'export default (n) => n * 2',
    `export default async (n) => {
       await new Promise((resolve) => setTimeout(resolve, 5));
       return n * 2;
     }`,
    'export default function* (n) { yield; return n * 2; }',
  ];
  for (const source of sources) expect(valueOf(await harness.run(source, 21))).toBe(42);
});

test('runs thousands of short tasks in their order', async () => {
  const inputs = Array.from({ length: 3000 }, (_, i) => i);
  const ends = await harness.ends(harness.give(programOf('export default (n) => n'), inputs));
  expect(ends.map(valueOf)).toEqual(inputs);
});

test('a task finds what it may have, and nothing of the browser', async () => {
  const names =
    `fetch XMLHttpRequest WebSocket EventSource WebTransport importScripts indexedDB caches
    navigator location postMessage Worker SharedWorker BroadcastChannel MessageChannel Blob File
    WebAssembly performance OffscreenCanvas Notification addEventListener close`.split(/\s+/);
  const source = `export default (names) => ({
    found: names.filter((name) => globalThis[name] !== undefined || typeof self[name] !== 'undefined'),
    date: Date.now(), url: new URL('/a', 'http://x').href, proxied: new Proxy({}, { get: () => 1 }).x,
  })`;
  expect(valueOf(await harness.run(source, names))).toEqual({
    found: [],
    date: 0,
    url: 'http://x/a',
    proxied: 1,
  });
});

test('tells the error of a task with its place in the program', async () => {
  const end = await harness.run('export default () => {\n  throw new RangeError("too deep");\n}');
  expect(end).toMatchObject({ type: 'failure', errorType: 'RangeError', errorMessage: 'too deep' });
  expect(end).toMatchObject({ errorStack: expect.stringMatching(/program:2:\d+/) as string });
});

test('tells what a task prints, also one that never ends', async () => {
  const key = harness.give(
    programOf('export default () => { console.log("begun"); for (;;); }'),
    [null],
    { timeoutMs: 500 },
  )[0]!;
  await harness.until(() => harness.output.get(key) === 'begun\n');
  expect((await harness.ends([key]))[0]).toMatchObject({ errorType: 'attempt_timeout' });
});

test('takes checkpoints, and goes on from one', async () => {
  const key = harness.give(programOf(steps, 1), [20_000])[0]!;
  const [end] = await harness.ends([key]);
  expect(valueOf(end!)).toBe('from 0');
  const { state } = harness.eventsOf('checkpoint', key).at(-1)!;
  expect(state.encoding).toBe('json');
  expect(valueOf(await harness.run(steps, 10, { stateJson: '7', progress: 0.7 }))).toBe('from 7');
});

test('ends a task in an endless loop at its time limit, and serves the next', async () => {
  const end = await harness.run(busy, null, { timeoutMs: 300 });
  expect(end).toMatchObject({ type: 'failure', errorType: 'attempt_timeout', retryable: true });
  expect(valueOf(await harness.run('export default (n) => n', 1))).toBe(1);
});

describe('a task that is stopped', () => {
  let patient: CageHarness;
  beforeAll(() => {
    // A busy machine may take its time to come to the next yield.
    patient = cage.harness({ softKillMs: 60_000 });
  });
  afterAll(() => patient.close());

  test('leaves a last checkpoint when the worker leaves', async () => {
    const key = patient.give(programOf(endless, 3_600_000), [null])[0]!;
    await patient.untilStarted(key);
    patient.executor.stop(0, key, 'leaving');
    expect(await patient.ends([key])).toEqual([{ type: 'stopped', key, reason: 'leaving' }]);
    expect(patient.eventsOf('checkpoint', key)).toHaveLength(1);
  });

  test('leaves none when it was cancelled', async () => {
    const key = patient.give(programOf(endless, 3_600_000), [null])[0]!;
    await patient.untilStarted(key);
    patient.executor.stop(0, key, 'cancelled');
    expect(await patient.ends([key])).toEqual([{ type: 'stopped', key, reason: 'cancelled' }]);
    expect(patient.eventsOf('checkpoint', key)).toEqual([]);
  });

  test('is ended with its frame when it does not give way; those behind it are given back', async () => {
    const [key] = harness.give(programOf(busy), [null]);
    await harness.untilStarted(key!);
    const [behind] = harness.give(programOf(busy), [null]);
    const before = harness.children();
    harness.executor.stop(0, key!, 'cancelled');
    expect(await harness.ends([key!, behind!])).toEqual([
      { type: 'stopped', key, reason: 'cancelled' },
      { type: 'returned', key: behind },
    ]);
    expect(valueOf(await harness.run('export default (n) => n', 1))).toBe(1);
    expect(harness.children()).not.toEqual(before);
  });
});

test('gives each owner a frame of its own', async () => {
  const source = 'let count = 0; export default () => ++count';
  for (const owner of ['a', 'a', 'b', 'a']) await harness.run(source, null, { owner });
  const [a, b] = ['a', 'b'].map((owner) => [...harness.childrenOf.get(owner)!]);
  expect(b).toHaveLength(1);
  expect(a).not.toContain(b![0]);
});

test('attempts are given back when no thread starts, and run once one does', async () => {
  await cage.page.route('**/thread.js', (route) =>
    route.fulfill({ body: 'throw new Error("torn")' }),
  );
  const told: (string | null)[] = [];
  const own = cage.harness({ onFrameless: (why) => told.push(why) });
  const [lost] = await own.ends(own.give(programOf('export default (n) => n'), [1]));
  expect(lost).toMatchObject({ type: 'returned' });
  expect(told).toEqual([expect.stringContaining('torn') as string]);
  await own.close();

  await cage.page.unroute('**/thread.js');
  const again = cage.harness();
  expect(valueOf(await again.run('export default (n) => n', 1))).toBe(1);
  await again.close();
});

test('frames that end together charge nobody at first: what ran goes on from its checkpoint', async () => {
  const own = cage.harness({ slots: 2, spares: 0 });
  const source = `
    export default function* (input, task) {
      if (task.resumed) return 'went on';
      for (let i = 0; ; i++) yield { state: i, progress: 0 };
    }`;
  const program = programOf(source, 50);
  const keys = own.give(program, [null]);
  const other = { key: 'other#1', taskId: 'other', owner: 'another', index: 0, attempt: 1 };
  const fresh = { inputJson: 'null', stateJson: null, progress: 0, timeoutMs: null };
  own.executor.run(1, program, [{ ...other, ...fresh }]);
  keys.push(other.key);
  await own.until(() => keys.every((key) => own.eventsOf('checkpoint', key).length > 0));
  own.crash();
  expect((await own.ends(keys)).map(valueOf)).toEqual(['went on', 'went on']);
  await own.close();
});

test('a task that takes all memory ends its frame alone, is reported, and the page lives on', async () => {
  const own = cage.harness({ spares: 0 });
  // What drives the browser knows at once; that beats are missed is seen below.
  cage.page.once('crash', () => own.crash());
  const end = await own.run(
    'export default () => { const all = []; for (;;) all.push(new Array(1e7).fill(all.length + 0.5)); }',
  );
  expect(end).toMatchObject({ type: 'failure', errorType: 'sandbox_crashed' });
  expect(end).toMatchObject({ errorMessage: expect.stringContaining('memory') as string });
  expect(valueOf(await own.run('export default (n) => n', 1))).toBe(1);
  await own.close();
});

test('a frame whose process crashes is told, and another serves the slot', async () => {
  const own = cage.harness({ spares: 0 });
  const key = own.give(programOf(busy), [null])[0]!;
  await own.untilStarted(key);
  await own.crashProcess();
  const [end] = await own.ends([key]);
  expect(end).toMatchObject({ type: 'failure', errorType: 'sandbox_crashed', retryable: true });
  expect(valueOf(await own.run('export default (n) => n', 1))).toBe(1);
  await own.close();
});
