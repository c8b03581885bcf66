// The executor with real children, on well-behaved tasks: order, progress, checkpoints and resuming,
// determinism, the life of children.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ExecutorEvent } from '../../src/worker/executor.ts';
import { chooseConfinement } from '../../src/worker/node/confinement.ts';
import { sandboxEntry } from '../../src/worker/node/entry-points.ts';
import { PidFiles } from '../../src/worker/node/pid-files.ts';
import { ExecutorHarness, programOf, valueOf } from '../support/executor-harness.ts';

const harness = new ExecutorHarness({
  bubblewrap: 'off',
  checkpointIntervalMs: 2,
  softKillMs: 10_000,
});
afterAll(() => harness.executor.close());

function eventsOf<T extends ExecutorEvent['type']>(
  type: T,
  key: string,
): Extract<ExecutorEvent, { type: T }>[] {
  return harness.events.filter(
    (event): event is Extract<ExecutorEvent, { type: T }> =>
      event.type === type && 'key' in event && event.key === key,
  );
}

describe('tasks', () => {
  test('are functions, async functions and generators', async () => {
    const sources = [
      'export default (input) => input.n + 1',
      'export default async (input) => { await null; return input.n + 1 }',
      'export default function* (input) { yield; yield 1; yield { state: 1 }; return input.n + 1 }',
      'const run = ({ n }) => n + 1; export { run as default }',
    ];
    for (const source of sources) expect(valueOf(await harness.run(source, { n: 41 }))).toBe(42);
  });

  test('see what is told of them', async () => {
    const source = `export default (input, task) => {
      const { progress, checkpoint, checkpoint_due, random, ...told } = task;
      return [told, typeof progress, typeof checkpoint, typeof checkpoint_due(), random() < 1] }`;
    const task = { taskId: 'job-7', index: 7, attempt: 3, stateJson: '{"i":5}' };
    const program = programOf(source);
    const [end] = await harness.ends(harness.give(program, [[1]], task));
    const told = {
      input: [1],
      index: 7,
      task_id: 'job-7',
      job_id: program.jobId,
      attempt: 3,
      resumed: true,
      state: { i: 5 },
      cancelled: false,
    };
    expect(valueOf(end!)).toEqual([told, 'function', 'function', 'boolean', true]);
  });

  test('report in the order in which they were handed over, many at a time', async () => {
    const program = programOf('export default (n) => n * 2');
    const before = harness.events.length;
    const inputs = Array.from({ length: 1000 }, (_, i) => i);
    const keys = harness.give(program, inputs);
    expect((await harness.ends(keys)).map(valueOf)).toEqual(inputs.map((i) => i * 2));
    const finished = harness.events.slice(before).filter(({ type }) => type === 'finished');
    expect(finished.length).toBeLessThan(200);
    const reported = finished.flatMap((event) =>
      event.type === 'finished' ? event.outcomes.map(({ key }) => key) : [],
    );
    expect(reported).toEqual(keys);
  });

  test('get an input with any characters as it is', async () => {
    const input = { text: 'é\u2028\n"\\ \u{1F600} </script>', __proto__x: [null, 1e-7] };
    expect(valueOf(await harness.run('export default (input) => input', input))).toEqual(input);
  });

  test('say when they began, once, if they run for some milliseconds', async () => {
    const long = await harness.run(
      'export default () => new Promise((resolve) => setTimeout(resolve, 50))',
    );
    expect(eventsOf('started', long.key)).toHaveLength(1);
  });

  test('measure their time and their CPU time', async () => {
    const source =
      'export default (n) => { let s = 0; for (let i = 0; i < n; i++) s += Math.sin(i); return s }';
    const end = await harness.run(source, 3_000_000);
    expect(end.type).toBe('result');
    if (end.type !== 'result') return;
    expect(end.runMs).toBeGreaterThan(1);
    expect(end.cpuSeconds).toBeGreaterThan(0.001);
  });
});

describe('progress and checkpoints', () => {
  const counting = `export default function* (input, task) {
    const s = task.state ?? { i: 0, sum: 0 };
    for (; s.i < input; ) {
      s.sum += Math.random() + task.random(); s.i++;
      if (s.i % 1000 === 0) yield { state: s, progress: s.i / input, message: 'at ' + s.i };
    }
    return s.sum;
  }`;

  test('rise in sequence, and a task resumed from any of them gives the same answer', async () => {
    const task = { taskId: 'job-1' };
    const whole = await harness.run(counting, 400_000, task);
    const checkpoints = eventsOf('checkpoint', whole.key);
    expect(checkpoints.map(({ sequence }) => sequence)).toEqual(
      [...checkpoints.keys()].map((i) => i + 1),
    );
    expect(checkpoints.length).toBeGreaterThan(2);
    for (const { stateJson } of [checkpoints[0]!, checkpoints[checkpoints.length >> 1]!]) {
      const resumed = await harness.run(counting, 400_000, { ...task, attempt: 2, stateJson });
      expect(valueOf(resumed)).toBe(valueOf(whole));
    }
  });

  test('come from async functions too', async () => {
    const source = `export default async (input, task) => {
      const s = task.state ?? { i: 0 };
      while (s.i < input) {
        s.i++;
        while (!task.checkpoint_due()) await new Promise((resolve) => setTimeout(resolve, 1));
        await task.checkpoint(s, { progress: s.i / input });
      }
      return [s.i, task.resumed];
    }`;
    const end = await harness.run(source, 5);
    expect(valueOf(end)).toEqual([5, false]);
    expect(eventsOf('checkpoint', end.key).at(-1)).toMatchObject({
      stateJson: '{"i":5}',
      progress: 1,
    });
    expect(valueOf(await harness.run(source, 5, { stateJson: '{"i":4}' }))).toEqual([5, true]);
  });

  test('are offered, not forced: without an interval none is taken', async () => {
    const quiet = new ExecutorHarness({ bubblewrap: 'off' });
    try {
      await quiet.run(counting, 400_000);
      expect(quiet.events.filter(({ type }) => type === 'checkpoint')).toEqual([]);
    } finally {
      await quiet.executor.close();
    }
  });

  test('a drained attempt leaves a last one', async () => {
    const source = `export default function* () {
      const s = { i: 0 }; for (;;) { s.i++; yield { state: s, progress: 0.5 } } }`;
    const [key] = harness.give(programOf(source), [1]);
    await harness.until(() => eventsOf('started', key!).length > 0);
    harness.executor.stop(0, key!, 'drained');
    expect(await harness.ends([key!])).toEqual([{ type: 'stopped', key, reason: 'drained' }]);
    expect(harness.events.at(-1)).toMatchObject({ type: 'finished' });
    expect(harness.events.at(-2)).toMatchObject({ type: 'checkpoint', key });
  });

  test('an async function that is stopped ends at its next checkpoint', async () => {
    const source = `export default async (input, task) => {
      for (let i = 0; ; i++) await task.checkpoint({ i }) }`;
    const [pid] = harness.executor.childPids();
    const [key] = harness.give(programOf(source), [1]);
    await harness.until(() => eventsOf('started', key!).length > 0);
    harness.executor.stop(0, key!, 'cancelled');
    expect(await harness.ends([key!])).toMatchObject([{ type: 'stopped', reason: 'cancelled' }]);
    expect(harness.executor.childPids()).toEqual([pid]);
  });

  test('progress is told while a task runs, with its message', async () => {
    const source = `export default async (input, task) => {
      task.progress(0.25, 'a quarter');
      await new Promise((resolve) => setTimeout(resolve, 150));
      return 1 }`;
    const end = await harness.run(source);
    expect(eventsOf('progress', end.key)).toMatchObject([{ progress: 0.25, message: 'a quarter' }]);
  });
});

describe('random numbers', () => {
  const draws = 'export default (input, task) => [Math.random(), task.random(), Math.random()]';

  test('belong to the task, whatever its attempt', async () => {
    const first = valueOf(await harness.run(draws, 1, { taskId: 'job-1', attempt: 1 }));
    expect(valueOf(await harness.run(draws, 1, { taskId: 'job-1', attempt: 2 }))).toEqual(first);
    expect(valueOf(await harness.run(draws, 1, { taskId: 'job-2', attempt: 1 }))).not.toEqual(
      first,
    );
    expect(new Set(first as number[]).size).toBe(3);
  });
});

describe('children', () => {
  test('stay warm for the tasks of a job', async () => {
    await harness.run('export default () => 1');
    const before = harness.executor.childPids();
    const keys = harness.give(programOf('export default () => 1'), [1, 2, 3, 4]);
    await harness.ends(keys);
    expect(harness.executor.childPids()).toEqual(before);
  });

  test('are replaced after 100 tasks of other jobs, without losing one', async () => {
    const inner = new ExecutorHarness({ bubblewrap: 'off' });
    try {
      await inner.run('export default () => 0');
      const before = inner.executor.childPids();
      const keys = inner.give(programOf('export default (n) => n'), [...Array(600).keys()]);
      expect((await inner.ends(keys)).map(valueOf)).toEqual([...Array(600).keys()]);
      expect(inner.executor.childPids()).not.toEqual(before);
    } finally {
      await inner.executor.close();
    }
  });

  test('are replaced when they have grown past half their limit', async () => {
    const source = `const kept = []; export default (n) => {
      for (let i = 0; i < n; i++) kept.push(new Uint8Array(1e6).fill(1)); return kept.length }`;
    const inner = new ExecutorHarness({ bubblewrap: 'off', memoryLimitMb: 400 });
    try {
      expect(valueOf(await inner.run(source, 250))).toBe(250);
      // The memory is measured now and then: some tasks may still find the old child.
      const values: unknown[] = [];
      do values.push(valueOf(await inner.run(source, 0)));
      while (values.at(-1) !== 0);
      expect(values.length).toBeLessThan(10_000);
    } finally {
      await inner.executor.close();
    }
  });

  test('forget the program of a job, and learn it again', async () => {
    const program = programOf('let n = 0; export default () => ++n');
    const count = async () => valueOf((await harness.ends(harness.give(program, [1])))[0]!);
    expect([await count(), await count()]).toEqual([1, 2]);
    harness.executor.forget(program.jobId);
    expect(await count()).toBe(1);
  });

  test('all end with their executor, and no event comes afterwards', async () => {
    const inner = new ExecutorHarness({ slots: 2 });
    inner.give(programOf('export default () => { for (;;); }'), [1]);
    await inner.until(() => inner.events.some(({ type }) => type === 'started'));
    const pids = inner.executor.childPids();
    expect(pids).toHaveLength(2);
    const events = inner.events.length;
    await inner.executor.close();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(inner.events).toHaveLength(events);
  });

  test.each(['off', 'auto'])(
    'busy ones end with an agent that is killed (bubblewrap %s)',
    async (bubblewrap) => {
      const script = fileURLToPath(new URL('../fixtures/busy-agent.ts', import.meta.url));
      const agent = spawn(process.execPath, [script, bubblewrap], {
        env: { ...process.env, TMPDIR: temporaryFolder() },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [output] = (await once(agent.stdout, 'data')) as [Buffer];
      const pid = Number(output.toString());
      expect(isAlive(pid)).toBe(true);
      agent.kill('SIGKILL');
      await once(agent, 'exit');
      if (chooseConfinement(process.execPath, 'auto').endsWithAgent) {
        await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 });
      } else {
        process.kill(pid, 'SIGKILL');
      }
    },
  );

  test('left over by an agent without help of the kernel are ended by the next one', async () => {
    const folder = temporaryFolder();
    const loop = 'setInterval(() => {}, 1000); console.log(1)';
    const leftOver = await startProcess(['-e', loop, '--', sandboxEntry]);
    const stranger = await startProcess(['-e', loop]);
    try {
      const pids = new PidFiles(folder);
      pids.add(leftOver.pid!);
      pids.add(stranger.pid!);
      writeFileSync(join(folder, 'not-a-pid'), '');
      const ended = once(leftOver, 'exit');
      new PidFiles(folder).reap();
      expect(await ended).toEqual([null, 'SIGKILL']);
      expect(isAlive(stranger.pid!)).toBe(true);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      leftOver.kill('SIGKILL');
      stranger.kill('SIGKILL');
    }
  });
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-test-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

async function startProcess(args: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return child;
}

/** Runs, and is not just waiting to be reaped. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
