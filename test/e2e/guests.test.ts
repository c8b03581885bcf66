// Programs that are not JavaScript, in real child processes: what the driver makes of the steps of a guest, and which
// child is given which kind. What runs them is a stand-in (sandbox/testing/stand-in-guest.ts).

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { type ChildCode, childSources } from '../../src/worker/node/entry-points.ts';
import type { ExecutorProgram } from '../../src/worker/executor.ts';
import { ExecutorHarness } from '../support/executor-harness.ts';
import { programOf, valueOf } from '../support/task-harness.ts';

const entry = fileURLToPath(new URL('../fixtures/stand-in-child.ts', import.meta.url));

function standInCode(): ChildCode {
  const { folders, files } = childSources();
  const testing = join(dirname(entry), '..', '..', 'src', 'worker', 'sandbox', 'testing');
  return { entry, folders: [...folders, testing], files: [...files, entry], isWhole: false };
}

const code = standInCode();
let jobs = 0;

/** Each a job of its own. */
function guest(does: string, more: Partial<ExecutorProgram> = {}, kind = 'wasm'): ExecutorProgram {
  const about = { jobId: `guest-${++jobs}`, source: JSON.stringify({ does, name: 'f00' }) };
  // Which kinds there are is known where programs are submitted; here they are names.
  const named = { kind } as Pick<ExecutorProgram, 'kind'>;
  return { ...about, ...named, checkpointIntervalMs: null, keepOutput: 'always', ...more };
}

describe.each(['off', 'auto'] as const)('a guest (bubblewrap %s)', (isolation) => {
  const open = (options = {}) => new ExecutorHarness({ isolation, childCode: code, ...options });
  // Whoever is stopped gives way, or the test does not end.
  const harness = open({ softKillMs: 600_000 });
  afterAll(() => harness.close());
  const opened = (options = {}) => {
    const own = open(options);
    onTestFinished(() => own.close());
    return own;
  };
  const goesOn = async () => {
    expect(valueOf(await harness.run('export default (n) => n + 1', 41))).toBe(42);
  };

  describe('ends', () => {
    test('with a result, in the child in which JavaScript runs', async () => {
      const [pid] = harness.children();
      expect(valueOf(await harness.run(guest('double'), 21))).toBe(42);
      await goesOn();
      expect(valueOf(await harness.run(guest('double'), 4))).toBe(8);
      expect(harness.children()).toEqual([pid]);
    });

    test('with bytes, of its input or of a blob that its program names', async () => {
      const bytes = Uint8Array.of(1, 2, 250);
      const echoed = await harness.run(guest('echo'), null, {
        inputJson: 'null',
        inputBytes: bytes,
      });
      expect(echoed).toMatchObject({ type: 'result', valueJson: 'null', valueBytes: bytes });
      const blobs = new Map([['f00', { bytes }]]);
      expect(await harness.run(guest('bytes', { blobs }))).toMatchObject({ valueBytes: bytes });
    });

    test('with what it was told: the shared value, its task, its memory', async () => {
      expect(valueOf(await harness.run(guest('shared')))).toBe('none');
      expect(valueOf(await harness.run(guest('shared', { sharedJson: '[1]' })))).toEqual([1]);
      const about = guest('about', { memoryMb: 300 });
      const told = { jobId: about.jobId, attempt: 3, memoryMb: 300 };
      expect(valueOf(await harness.run(about, 1, { attempt: 3 }))).toMatchObject(told);
    });

    test('with an error of its own', async () => {
      expect(await harness.run(guest('fail'))).toMatchObject({
        type: 'failure',
        errorType: 'ValueError',
        errorMessage: 'no such row',
        errorStack: 'at total (program:3:14)',
        retryable: false,
      });
      await goesOn();
    });

    test('before it began, when its program has a fault or its blob is not there', async () => {
      const fault = await harness.run(guest('fault'));
      const sentence = 'there is no package "x" here';
      expect(fault).toMatchObject({ errorType: 'missing_package', errorMessage: sentence });
      expect(fault).toMatchObject({ retryable: false });
      await goesOn();
    });

    test('with what it printed', async () => {
      expect(await harness.run(guest('print'))).toMatchObject({ output: 'first\nsecond' });
    });

    test.each([
      ['breaks', 'break', 'what runs the program is broken: it was told to break'],
      ['throws', 'throw', 'what runs the program is broken: it threw begun badly'],
      ['stops by itself', 'stop', 'a guest stopped by itself'],
    ])('with its child, when what runs it %s', async (_what, does, why) => {
      const [pid] = harness.children();
      const end = await harness.run(guest(does));
      expect(end).toMatchObject({ errorType: 'sandbox_crashed', retryable: true });
      expect(end).toHaveProperty('errorMessage', expect.stringContaining(why));
      await goesOn();
      expect(harness.children()).not.toContain(pid);
    });
  });

  describe('saves checkpoints', () => {
    test('when they are due, and goes on from one', async () => {
      const counting = guest('count', { checkpointIntervalMs: 0 });
      const [key] = harness.give(counting, [3]);
      const [end] = await harness.ends([key!]);
      expect(valueOf(end!)).toEqual([3, null]);
      expect(harness.statesOf(key!)).toEqual(['{"i":1}', '{"i":2}', '{"i":3}']);
      const resumed = await harness.run(counting, 5, { stateJson: '{"i":3}' });
      expect(valueOf(resumed)).toEqual([5, '{"i":3}']);
    });

    test('not more often than they are due, but one when it is ordered', async () => {
      const [key] = harness.give(guest('leave'), [1]);
      await harness.until(() => harness.eventsOf('progress', key!).length > 0);
      expect(harness.statesOf(key!)).toEqual([]);
      harness.executor.checkpoint(0, key!);
      await harness.until(() => harness.statesOf(key!).length > 0);
      harness.executor.stop(0, key!, 'cancelled');
      await harness.ends([key!]);
      expect(harness.statesOf(key!)).toHaveLength(1);
    });

    test('and a state that is too large is told once', async () => {
      const said: string[] = [];
      const inner = opened({
        stateLimitBytes: 3,
        onUnsaved: (_key: string, why: string) => said.push(why),
      });
      await inner.run(guest('count', { checkpointIntervalMs: 0 }), 3);
      expect(said).toEqual(['the state has 7 bytes as JSON, the limit is 3']);
    });
  });

  describe('that is stopped', () => {
    test.each([
      ['cancelled', []],
      ['leaving', ['{"i":7}']],
    ] as const)(
      '(%s) in a loop that never yields gives way, and its child goes on',
      async (reason, states) => {
        const [pid] = harness.children();
        const [key] = harness.give(guest('loop'), [1]);
        await harness.until(() => harness.output.has(key!));
        harness.executor.stop(0, key!, reason);
        expect(await harness.ends([key!])).toEqual([{ type: 'stopped', key, reason }]);
        expect(harness.statesOf(key!)).toEqual(states);
        expect(valueOf(await harness.run(guest('double'), 2))).toBe(4);
        expect(harness.children()).toEqual([pid]);
      },
    );

    test('at its deadline leaves a last checkpoint', async () => {
      // It is loaded before, which takes of its time.
      const loop = guest('loop');
      const [first] = harness.give(loop, [1]);
      await harness.until(() => harness.output.has(first!));
      harness.executor.stop(0, first!, 'cancelled');
      const [key] = harness.give(loop, [1], { timeoutMs: 50 });
      expect(await harness.ends([key!])).toMatchObject([{ errorType: 'attempt_timeout' }]);
      expect(harness.statesOf(key!)).toEqual(['{"i":7}']);
    });

    test('and does not look is ended with its child', async () => {
      const inner = opened();
      const [key] = inner.give(guest('deaf'), [1]);
      await inner.untilStarted(key!);
      inner.executor.stop(0, key!, 'cancelled');
      expect(await inner.ends([key!])).toMatchObject([{ type: 'stopped', reason: 'cancelled' }]);
      expect(valueOf(await inner.run(guest('double'), 2))).toBe(4);
    });

    test('with another behind it: both have ended', async () => {
      const [first, second] = harness.give(guest('loop'), [1, 2]);
      await harness.until(() => harness.output.has(first!));
      for (const key of [second!, first!]) harness.executor.stop(0, key, 'revoked');
      expect(await harness.ends([first!, second!])).toMatchObject([
        { type: 'stopped', reason: 'revoked' },
        { type: 'stopped', reason: 'revoked' },
      ]);
      await goesOn();
    });
  });

  describe('that asks to be run again', () => {
    test('goes on from the state that it left, as the same attempt', async () => {
      const [key, next] = harness.give(guest('again'), [30, 10]);
      const ends = await harness.ends([key!, next!]);
      expect(ends.map(valueOf)).toEqual([
        [30, '{"i":30}'],
        [10, '{"i":10}'],
      ]);
      const told = harness.eventsOf('checkpoint', key!).map(({ sequence }) => sequence);
      expect(told).toEqual([1, 2, 3]);
    });

    test('for ever is ended by its time limit', async () => {
      const inner = opened();
      const [key] = inner.give(guest('again'), [1e12], { timeoutMs: 100 });
      expect(await inner.ends([key!])).toMatchObject([{ errorType: 'attempt_timeout' }]);
      await goesOn();
    });

    test('and has left no state has failed', async () => {
      const end = await harness.run(guest('quit'));
      expect(end).toMatchObject({ type: 'failure', errorType: 'exit_code', retryable: true });
    });
  });

  describe('whose kind is not shared', () => {
    const python = (does: string, more = {}) => guest(does, more, 'python');

    test('has a child for each job, and none is left when the job is forgotten', async () => {
      const first = python('module');
      const keys = harness.give(first, [1, 2]);
      expect((await harness.ends(keys)).map(valueOf)).toEqual([1, 1]);
      const [pid] = harness.children();
      expect(valueOf(await harness.run(first))).toBe(1);
      expect(harness.children()).toEqual([pid]);
      // Another job finds an interpreter that has loaded nothing else.
      const second = python('module');
      expect(valueOf(await harness.run(second))).toBe(1);
      const [other] = harness.children();
      expect(other).not.toBe(pid);
      harness.executor.forget(second.jobId);
      expect(valueOf(await harness.run('export default (n) => n + 1', 41))).toBe(42);
      expect(harness.children()).not.toContain(other);
    });

    test('is never run where JavaScript is, nor the other way', async () => {
      const children: number[] = [];
      for (const program of [
        programOf('export default () => 1'),
        python('module'),
        guest('module'),
      ]) {
        expect(valueOf(await harness.run(program))).toBe(1);
        children.push(...harness.children());
      }
      expect(new Set(children).size).toBe(3);
    });

    test('that a child has not fails the attempt alone, to be tried elsewhere', async () => {
      const inner = opened({ childCode: undefined });
      const end = await inner.run(guest('double'), 1);
      const errorMessage = 'this child cannot run programs of the kind wasm';
      expect(end).toMatchObject({ errorType: 'sandbox_crashed', errorMessage, retryable: true });
      expect(valueOf(await inner.run('export default (n) => n + 1', 41))).toBe(42);
    });

    test('that cannot be had fails the attempts, and the slot goes on', async () => {
      const end = await harness.run(guest('double', {}, 'cobol'), 1);
      expect(end).toMatchObject({ errorType: 'sandbox_crashed', retryable: true });
      const why = 'this child cannot run programs of the kind cobol';
      expect(end).toHaveProperty('errorMessage', expect.stringContaining(why));
      await goesOn();
    });
  });
});
