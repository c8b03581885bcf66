// The executor with real children, on well-behaved tasks: order, progress, checkpoints and resuming,
// determinism, the life of children. The same cases for every place in which children live.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExecutorProgram } from '../../src/worker/executor.ts';
import type { SandboxPlace } from '../support/sandbox-place.ts';
import { programOf, type TaskHarness, valueOf } from '../support/task-harness.ts';

export function executorCases(place: SandboxPlace): void {
  describe(`in ${place.name}`, () => {
    let harness: TaskHarness;
    beforeAll(async () => {
      harness = await place.open({ softKillMs: 10_000 });
    });
    afterAll(() => harness.close());

    describe('tasks', () => {
      test('are functions, async functions and generators', async () => {
        const sources = [
          'export default (input) => input.n + 1',
          'export default async (input) => { await null; return input.n + 1 }',
          'export default function* (input) { yield; yield 1; yield { state: 1 }; return input.n + 1 }',
          'const run = ({ n }) => n + 1; export { run as default }',
        ];
        for (const source of sources)
          expect(valueOf(await harness.run(source, { n: 41 }))).toBe(42);
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
          shared: null,
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
        // It does not end before that was told: how long a busy machine takes for it, nobody knows.
        const [key] = harness.give(
          programOf('export default function* () { for (;;) yield; }'),
          [1],
        );
        await harness.untilStarted(key!);
        harness.executor.stop(0, key!, 'cancelled');
        await harness.ends([key!]);
        expect(harness.eventsOf('started', key!)).toHaveLength(1);
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

    /** How often a checkpoint is due in most of these tests. */
    const oftenMs = 2;

    describe('checkpoints', () => {
      const loop = `const s = task.state ?? { i: 0, sum: 0 };
        for (; s.i < input; ) { s.sum += Math.random() + task.random() * s.i; s.i++;`;
      const kinds = {
        generator: `export default function* (input, task) { ${loop}
          if (s.i % 1000 === 0) yield { state: s, progress: s.i / input, message: 'at ' + s.i };
        } return s.sum; }`,
        async: `export default async (input, task) => { ${loop}
          if (s.i % 1000 === 0) await task.checkpoint(s, { progress: s.i / input });
        } return s.sum; }`,
        plain: `export default (input, task) => { ${loop}
          if (s.i % 1000 === 0) task.checkpoint(s, { progress: s.i / input });
        } return s.sum; }`,
      };

      describe.each(Object.entries(kinds))('of a task that is %s', (kind, source) => {
        test('let another executor finish it with the undisturbed result', async () => {
          const rounds = 3_000_000;
          const about = { taskId: `job-${kind}`, key: `whole-${kind}#1` };
          const undisturbed = valueOf(await harness.run(source, rounds, about));
          const killed = await place.open();
          const other = await place.open();
          try {
            const task = { taskId: `job-${kind}`, key: `killed-${kind}#1` };
            // However late the crash comes, it does not come too late.
            const unending = source.replace('return s.sum', 'for (;;)');
            const [key] = killed.give(programOf(unending, oftenMs), [rounds], task);
            await killed.until(() => killed.statesOf(key!).length >= 3);
            await killed.crash();
            expect(await killed.ends([key!])).toMatchObject([{ errorType: 'sandbox_crashed' }]);
            const { sequence, progress } = killed.eventsOf('checkpoint', key!).at(-1)!;
            expect(sequence).toBe(killed.statesOf(key!).length);
            const stateJson = killed.statesOf(key!).at(-1)!;
            expect(JSON.parse(stateJson)).toMatchObject({ state: { i: expect.any(Number) } });

            const resumed = { taskId: `job-${kind}`, attempt: 2, stateJson, progress };
            expect(valueOf(await other.run(source, rounds, resumed))).toBe(undisturbed);
          } finally {
            await killed.close();
            await other.close();
          }
        });
      });

      test('rise in sequence from 1, in every attempt, and progress goes on from where it was', async () => {
        const source = `export default function* (input, task) {
          const s = task.state ?? { i: 0 };
          for (; s.i < input; ) { s.i++; if (s.i % 1000 === 0) yield { state: s } }
          return task.resumed }`;
        const [first] = harness.give(programOf(source, oftenMs), [3_000_000], { progress: 0.25 });
        await harness.ends([first!]);
        const checkpoints = harness.eventsOf('checkpoint', first!);
        expect(checkpoints.length).toBeGreaterThan(2);
        expect(checkpoints.map(({ sequence }) => sequence)).toEqual(
          checkpoints.map((_, i) => i + 1),
        );
        expect(new Set(checkpoints.map(({ progress }) => progress))).toEqual(new Set([0.25]));
        const runMs = checkpoints.map((each) => each.runMs);
        expect(runMs).toEqual(runMs.toSorted((a, b) => a - b));
      });

      test('keep the place in the random numbers, drawn anew or not', async () => {
        const source = `export default function* (input, task) {
          const s = task.state ?? { drawn: [], rounds: 0 };
          if (s.drawn.length < 2) s.drawn.push(task.random());
          while (s.rounds < 20) { s.rounds++; for (let t = 0; t < 2e5; t++); yield { state: s } }
          return s.drawn.concat(task.random()) }`;
        const task = { taskId: 'job-random' };
        const program = programOf(source, 0.01);
        // Two attempts end after a checkpoint: one has drawn a number, the next has not.
        const first = await harness.run(program, 1, { ...task, key: 'draw#1' });
        const passed = harness.statesOf(first.key)[0]!;
        const second = await harness.run(program, 1, { ...task, key: 'draw#2', stateJson: passed });
        const again = passed.replace('"drawn":[', '"drawn":[7,');
        const third = await harness.run(program, 1, { ...task, key: 'draw#3', stateJson: again });
        const kept = harness.statesOf(third.key)[0]!;
        const fourth = await harness.run(program, 1, { ...task, key: 'draw#4', stateJson: kept });
        const [a, b] = valueOf(first) as number[];
        expect((valueOf(second) as number[]).slice(0, 2)).toEqual([a, b]);
        expect(valueOf(third)).toEqual([7, a, b]);
        expect(valueOf(fourth)).toEqual([7, a, b]);
      });

      test('bring back a state that looks like the wrapping of one', async () => {
        const source = `export default function* (input, task) {
          if (task.state !== null) return task.state;
          for (;;) yield { state: { $muster_random: [1], state: 2 } } }`;
        const [key] = harness.give(programOf(source, oftenMs), [1]);
        await harness.until(() => harness.statesOf(key!).length > 0);
        harness.executor.stop(0, key!, 'cancelled');
        await harness.ends([key!]);
        const resumed = await harness.run(source, 1, { stateJson: harness.statesOf(key!)[0]! });
        expect(valueOf(resumed)).toEqual({ $muster_random: [1], state: 2 });
      });

      test("are a copy of the attempt's own, that it may change", async () => {
        const source = `export default (input, task) => { task.state.list.push(2); return task.state }`;
        const end = await harness.run(source, 1, { stateJson: '{"list":[1]}' });
        expect(valueOf(end)).toEqual({ list: [1, 2] });
      });

      test('are due when `checkpoint_due` says so', async () => {
        const source = `export default async (input, task) => {
          const s = task.state ?? { i: 0 };
          while (s.i < input) {
            s.i++;
            while (!task.checkpoint_due()) await new Promise((resolve) => setTimeout(resolve, 1));
            await task.checkpoint(s, { progress: s.i / input });
          }
          return [s.i, task.resumed];
        }`;
        const program = programOf(source, oftenMs);
        const end = await harness.run(program, 5);
        expect(valueOf(end)).toEqual([5, false]);
        expect(harness.statesOf(end.key)).toEqual([1, 2, 3, 4, 5].map((i) => `{"i":${i}}`));
        expect(harness.eventsOf('checkpoint', end.key).at(-1)).toMatchObject({ progress: 1 });
        expect(valueOf(await harness.run(program, 5, { stateJson: '{"i":4}' }))).toEqual([5, true]);
      });

      test('are offered, not forced: a short task that says nothing of an interval takes none', async () => {
        const end = await harness.run(kinds.generator, 400_000);
        expect(harness.statesOf(end.key)).toEqual([]);
      });

      const endless = `export default function* () {
        const s = { i: 0 };
        for (;;) { s.i++; yield { state: s, progress: 0.5 }; s.i++; yield } }`;

      test('are taken at the next offer when they are ordered', async () => {
        const [key] = harness.give(programOf(endless), [1]);
        await harness.untilStarted(key!);
        harness.executor.checkpoint(0, key!);
        await harness.until(() => harness.statesOf(key!).length > 0);
        harness.executor.checkpoint(0, key!);
        await harness.until(() => harness.statesOf(key!).length > 1);
        harness.executor.stop(0, key!, 'cancelled');
        await harness.ends([key!]);
        expect(harness.statesOf(key!)).toHaveLength(2);
      });

      test('an attempt of a worker that leaves saves a last one, at a yield that offers a state', async () => {
        const [key] = harness.give(programOf(endless), [1]);
        await harness.untilStarted(key!);
        harness.executor.stop(0, key!, 'leaving');
        expect(await harness.ends([key!])).toEqual([{ type: 'stopped', key, reason: 'leaving' }]);
        const [state] = harness.statesOf(key!);
        expect((JSON.parse(state!) as { i: number }).i % 2).toBe(1);
        expect(harness.events.at(-1)).toMatchObject({ type: 'finished' });
        expect(harness.events.at(-2)).toMatchObject({ type: 'checkpoint', key });
      });

      test.each(['generator', 'async'])(
        'an attempt (%s) leaves a last one at its deadline',
        async (kind) => {
          const waiting = `export default async (input, task) => {
          for (let i = 1; ; i++) await task.checkpoint({ i }) }`;
          const program = programOf(kind === 'async' ? waiting : endless);
          const [key] = harness.give(program, [1], { timeoutMs: 30, key: `deadline-${kind}#1` });
          expect(await harness.ends([key!])).toMatchObject([
            { type: 'failure', errorType: 'attempt_timeout', retryable: true },
          ]);
          expect(harness.statesOf(key!)).toHaveLength(1);
          expect(harness.events.at(-2)).toMatchObject({ type: 'checkpoint', key });
        },
      );

      test.each(['cancelled', 'revoked'] as const)(
        'an attempt that is %s leaves none',
        async (reason) => {
          const [key] = harness.give(programOf(endless), [1]);
          await harness.untilStarted(key!);
          harness.executor.stop(0, key!, reason);
          await harness.ends([key!]);
          expect(harness.statesOf(key!)).toEqual([]);
        },
      );

      test('an async function that is stopped ends at its next checkpoint', async () => {
        const source = `export default async (input, task) => {
          for (let i = 0; ; i++) await task.checkpoint({ i }) }`;
        const [pid] = harness.children();
        const [key] = harness.give(programOf(source), [1]);
        await harness.untilStarted(key!);
        harness.executor.stop(0, key!, 'cancelled');
        expect(await harness.ends([key!])).toMatchObject([
          { type: 'stopped', reason: 'cancelled' },
        ]);
        expect(harness.children()).toEqual([pid]);
      });

      test.each([
        ['{ best: Infinity }', 'state.best is Infinity, which JSON does not have'],
        ['{ at: new Map() }', 'state.at is a Map: use Array.from(it)'],
        ["'x'.repeat(2000)", 'the state has 2002 bytes as JSON, the limit is 2000'],
      ])('are dropped with a sentence, once, when the state is %s', async (state, sentence) => {
        const said: string[] = [];
        const inner = await place.open({
          stateLimitBytes: 2000,
          onUnsaved: (key, why) => said.push(`${key}: ${why}`),
        });
        try {
          const source = `export default function* () {
            for (let i = 0; i < 2e4; i++) yield { state: ${state} };
            return 'done' }`;
          const end = await inner.run(programOf(source, 0.1), 1);
          expect(valueOf(end)).toBe('done');
          expect(said).toEqual([`${end.key}: ${sentence}`]);
          expect(inner.events.filter(({ type }) => type === 'checkpoint')).toEqual([]);
        } finally {
          await inner.close();
        }
      });
    });

    describe('progress', () => {
      test('is told while a task runs, with its message', async () => {
        const source = `export default async (input, task) => {
          task.progress(0.25, 'a quarter');
          await new Promise((resolve) => setTimeout(resolve, 150));
          return 1 }`;
        const end = await harness.run(source);
        expect(harness.eventsOf('progress', end.key)).toMatchObject([
          { progress: 0.25, message: 'a quarter' },
        ]);
      });
    });

    describe('random numbers', () => {
      const draws = 'export default (input, task) => [Math.random(), task.random(), Math.random()]';

      test('belong to the task, whatever its attempt', async () => {
        const first = valueOf(await harness.run(draws, 1, { taskId: 'job-1', attempt: 1 }));
        expect(valueOf(await harness.run(draws, 1, { taskId: 'job-1', attempt: 2 }))).toEqual(
          first,
        );
        expect(valueOf(await harness.run(draws, 1, { taskId: 'job-2', attempt: 1 }))).not.toEqual(
          first,
        );
        expect(new Set(first as number[]).size).toBe(3);
      });
    });

    describe('children', () => {
      test('stay warm for the tasks of a job', async () => {
        await harness.run('export default () => 1');
        const before = harness.children();
        const keys = harness.give(programOf('export default () => 1'), [1, 2, 3, 4]);
        await harness.ends(keys);
        expect(harness.children()).toEqual(before);
      });

      test('stay warm for a thousand small jobs of their owner', async () => {
        await harness.run('export default () => 1');
        const before = harness.children();
        const keys = Array.from({ length: 1000 }, (_, i) => harness.give(small(i), [i])).flat();
        expect((await harness.ends(keys)).map(valueOf)).toEqual(keys.map((_, i) => i * 2));
        expect(harness.children()).toEqual(before);
      });

      test('may find the program of a job again that they had to forget', async () => {
        const count = programOf('let n = 10; export default () => ++n');
        expect(valueOf(await harness.run(count))).toBe(11);
        const others = Array.from({ length: 100 }, (_, i) => harness.give(small(i), [i])).flat();
        await harness.ends(others);
        expect(valueOf(await harness.run(count))).toBe(11);
      });

      test('forget the program of a job, and learn it again', async () => {
        const program = programOf('let n = 0; export default () => ++n');
        const count = async () => valueOf((await harness.ends(harness.give(program, [1])))[0]!);
        expect([await count(), await count()]).toEqual([1, 2]);
        harness.executor.forget(program.jobId);
        expect(await count()).toBe(1);
      });

      test('all end with their executor, and no event comes afterwards', async () => {
        const inner = await place.open({ slots: 2 });
        inner.give(programOf('export default () => { for (;;); }'), [1]);
        await inner.until(() => inner.events.some(({ type }) => type === 'started'));
        expect(inner.children()).toHaveLength(2);
        const events = inner.events.length;
        await inner.close();
        expect(inner.events).toHaveLength(events);
      });
    });
  });
}

/** One of many jobs that differ only in their name. */
function small(i: number): ExecutorProgram {
  return { ...programOf('export default (n) => n * 2'), jobId: `small-${i}` };
}
