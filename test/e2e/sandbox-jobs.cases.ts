// One job and the next in the same child: neither leaves the other a sign, slows it down, or is
// blamed for what the other did; and a task that has ended is over. The same cases for every place in which
// children live; nothing is measured by a clock.

import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { channels } from '../fixtures/sandbox-channels.ts';
import type { SandboxPlace } from '../support/sandbox-place.ts';
import { programOf, type TaskHarness, valueOf } from '../support/task-harness.ts';

export function sandboxJobsCases(place: SandboxPlace): void {
  describe(`in ${place.name}`, () => {
    let harness: TaskHarness;
    beforeAll(async () => {
      harness = await place.open();
    });
    afterAll(() => harness.close());

    describe('a job leaves nothing for the next on', () => {
      const programOfBody = (body: string, job: string) =>
        programOf(`export default async function (input, task) { /* ${job} */
          const self = this ?? task; ${body} }`);

      test.each(channels)('$name', async (channel) => {
        const { name, leave, look } = channel;
        // The positive control.
        expect((await place.inFreshRealm(inOneRealm(leave, look))) === true).toBe(
          place.isOpen(channel),
        );

        // Both are handed over together, so that they run in the same child.
        const keys = [
          ...harness.give(programOfBody(leave, `leaves ${name}`), [1]),
          ...harness.give(programOfBody(look, `looks for ${name}`), [1]),
        ];
        const [, seen] = await harness.ends(keys);
        expect(seen!.type).toMatch(/^(result|failure)$/);
        expect(valueOf(seen!)).not.toBe(true);
      });
    });

    describe('two jobs with the same program', () => {
      /** Handed over together, and so to the same child; the text is told to it once. */
      const twins = (source: string) => {
        const program = programOf(source);
        const sha256 = hash('sha256', source);
        return ['one', 'other'].map((job) => ({ ...program, sha256, jobId: `${job} ${sha256}` }));
      };

      test('have module-level variables of their own', async () => {
        const programs = twins('let calls = 0; export default () => ++calls;');
        const keys = programs.flatMap((program) => harness.give(program, [1, 2]));
        expect((await harness.ends(keys)).map(valueOf)).toEqual([1, 2, 1, 2]);
        // The first job again: its module was not loaded again.
        expect((await harness.ends(harness.give(programs[0]!, [3]))).map(valueOf)).toEqual([3]);
      });

      test.each(channels)('leave each other nothing: $name', async ({ leave, look }) => {
        const programs = twins(`export default async function (input, task) {
          const self = this ?? task;
          if (input === 'leave') { ${leave} } else { ${look} }
        }`);
        const keys = [
          ...harness.give(programs[0]!, ['leave']),
          ...harness.give(programs[1]!, ['look']),
        ];
        const [, seen] = await harness.ends(keys);
        expect(seen!.type).toMatch(/^(result|failure)$/);
        expect(valueOf(seen!)).not.toBe(true);
      });

      test('get objects of their own for the templates that their tags are called with', async () => {
        // Frozen all through: nothing could be left in them anyway.
        const source = `const tag = (pieces) => [Object.isFrozen(pieces), Object.isFrozen(pieces.raw), pieces.raw[0]];
          export default () => tag\`import('x') \${1}\`;`;
        const keys = twins(source).flatMap((program) => harness.give(program, [1]));
        const made = [true, true, "import('x') "];
        expect((await harness.ends(keys)).map(valueOf)).toEqual([made, made]);
      });

      test('are both told what is wrong with it', async () => {
        const keys = twins('export default ((').flatMap((program) => harness.give(program, [1]));
        const ends = await harness.ends(keys);
        expect(ends).toMatchObject([
          { errorType: 'program_invalid' },
          { errorType: 'program_invalid' },
        ]);
      });
    });

    const waitAWhile = `for (let i = 0; i < 20; i++) await new Promise((r) => setTimeout(r, 10))`;

    describe('a task that has ended', () => {
      test('makes no more passes through a loop that checkpoints for ever', async () => {
        const source = `let passes = 0;
          export default async (n, task) => {
            if (n === 1) {
              (async () => { for (;;) { passes++; await task.checkpoint({ passes }) } })();
              return 1;
            }
            const before = passes; ${waitAWhile}; return [before > 0, passes - before] }`;
        const [first] = await harness.ends(harness.give(programOf(source), [1]));
        expect(valueOf(first!)).toBe(1);
        expect(valueOf(await harness.run(programOf(source), 2))).toEqual([true, 0]);
      });

      test('gets no answer from a turn of the event loop that it waited for', async () => {
        // The checkpoint after 50 ms of work waits for a turn, which comes when the attempt is over.
        const source = `let isOver = false, passes = 0;
          export default async (n, task) => {
            if (n === 1) {
              let isWaiting = true;
              while (isWaiting) {
                let isSettled = false;
                const step = task.checkpoint().then(() => { isSettled = true; if (isOver) passes++ });
                await null; await null; await null;
                isWaiting = isSettled;
              }
              isOver = true; return 1;
            }
            ${waitAWhile}; return [isOver, passes] }`;
        expect(valueOf(await harness.run(programOf(source), 1))).toBe(1);
        expect(valueOf(await harness.run(programOf(source), 2))).toEqual([true, 0]);
      });

      test('starts no timer', async () => {
        const source = `let rings = 0, outcome = 'none';
          const leave = async () => {
            for (let i = 0; i < 1000; i++) await null;
            try { setTimeout(() => { rings++ }, 0); outcome = 'started' } catch (e) { outcome = e.message }
          };
          const look = async () => { ${waitAWhile}; return [outcome, rings] };
          export default (n) => { if (n === 2) return look(); leave(); return 1 }`;
        expect(valueOf(await harness.run(programOf(source), 1))).toBe(1);
        const outcome = 'the task is over: no timer can be started';
        expect(valueOf(await harness.run(programOf(source), 2))).toEqual([outcome, 0]);
      });

      test('is told by its argument that it is over', async () => {
        const source = `let old = null;
          export default (n, task) => {
            if (n === 1) { old = task; return [task.cancelled] }
            old.progress(0.9);
            return [old.cancelled, old.checkpoint_due(), task.cancelled] }`;
        const program = programOf(source, 0);
        expect(valueOf(await harness.run(program, 1))).toEqual([false]);
        const key = (await harness.run(program, 2)) as { key: string; valueJson: string };
        expect(JSON.parse(key.valueJson)).toEqual([true, false, false]);
      });

      test('does not cost the next job its memory', async () => {
        const spy = `const all = []; export default (n, task) => {
          (async () => { for (;;) { all.push(new Uint8Array(2 ** 23).fill(1)); await task.checkpoint() } })();
          return 1 }`;
        const victim = `export default async () => { ${waitAWhile}; return 'done' }`;
        const keys = [
          ...harness.give(programOf(spy), [1]),
          ...harness.give(programOf(victim), [1]),
        ];
        expect((await harness.ends(keys)).map(valueOf)).toEqual([1, 'done']);
      });

      test('hangs in promises that it left before the next job has begun', async () => {
        const spy = 'export default () => { (async () => { for (;;) await null })(); return 1 }';
        const victim = `export default async () => { ${waitAWhile}; return 'done' }`;
        const keys = [
          ...harness.give(programOf(spy), [1]),
          ...harness.give(programOf(victim), [1, 2], { timeoutMs: 1000 }),
        ];
        const [first, ...others] = await harness.ends(keys);
        expect(valueOf(first!)).toBe(1);
        expect(others.map(({ type }) => type)).toEqual(['returned', 'returned']);
      });
    });

    describe('a job does not break the next', () => {
      test('by a timer that throws between the slices of a generator', async () => {
        const spy = `export default function* () {
          setTimeout(() => { throw new Error('from the timer') }, 1);
          for (;;) yield }`;
        const victim = `export default async () => { ${waitAWhile}; return 'done' }`;
        const keys = [
          ...harness.give(programOf(spy), [1]),
          ...harness.give(programOf(victim), [1, 2]),
        ];
        const [first, ...others] = await harness.ends(keys);
        expect(first).toMatchObject({ type: 'failure', errorMessage: 'from the timer' });
        expect(others.map(valueOf)).toEqual(['done', 'done']);
      });

      test('by timers that it starts and clears where its stack ends', async () => {
        const delays = 40;
        const spy = `export default () => {
          let tries = 0, started = 0;
          const start = (delay) => { const id = setTimeout(() => {}, delay); started++; clearTimeout(id) };
          const fall = (delay) => {
            try { fall(delay) } catch { tries = 900 }
            if (tries-- > 0) try { start(delay); tries = 0 } catch {}
          };
          start(1);
          for (let delay = 300; delay < ${300 + delays}; delay++) fall(delay);
          return started > 1 }`;
        const victim = `export default async () => {
          let rings = 0;
          for (let delay = 300; delay < ${300 + delays}; delay++) setTimeout(() => { rings++ }, delay);
          await new Promise((resolve) => setTimeout(resolve, 600));
          return rings }`;
        for (let round = 0; round < 3; round++) {
          const keys = [spy, victim].flatMap((source) => harness.give(programOf(source), [round]));
          expect((await harness.ends(keys)).map(valueOf)).toEqual([true, delays]);
        }
      });
    });

    describe('an error that nothing catches', () => {
      /** A promise that throws whatever becomes of it. */
      const throwing = `const fall = (error) => {
          const promise = Promise.resolve(1), raise = () => { throw error };
          promise.constructor = { [Symbol.species]: function (run) { run(raise, raise) } };
          promise.then(() => {});
        };`;

      test.each([
        ['an error', `new Error('FATAL ERROR: heap out of memory')`, 'heap out of memory'],
        ['an object', `{ stack: 'forged', row: 1 }`, '{"stack":"forged","row":1}'],
        ['nothing', 'undefined', 'thrown: undefined'],
      ])('fails its attempt and leaves the child alone: %s', async (_name, thrown, message) => {
        const source = `${throwing} export default function* () { fall(${thrown}); for (;;) yield }`;
        const victim = `export default async () => { ${waitAWhile}; return 'done' }`;
        const [pid] = harness.children();
        const keys = [source, victim].flatMap((text) =>
          harness.give(programOf(text), [thrown], { timeoutMs: 10_000 }),
        );
        const [failed, next] = await harness.ends(keys);
        expect(failed).toMatchObject({ type: 'failure', errorType: 'Error' });
        expect(failed).toHaveProperty('errorMessage', expect.stringContaining(message));
        expect(valueOf(next!)).toBe('done');
        expect(harness.children()).toEqual([pid]);
      });

      test("of an attempt that is over is nobody else's", async () => {
        const source = `${throwing} export default () => {
          (async () => { for (let i = 0; i < 100; i++) await null; fall(new Error('late')) })(); return 1 }`;
        const victim = `export default async () => { ${waitAWhile}; return 'done' }`;
        const keys = [source, victim].flatMap((text) => harness.give(programOf(text), [1]));
        const [first, next] = await harness.ends(keys);
        expect(valueOf(first!)).toBe(1);
        expect(next!.type).toBe('returned');
      });
    });

    describe('an attempt', () => {
      test('has at most 1000 timers, also by recursion', async () => {
        const source = `let started = 0, depth = 0;
      const deep = { valueOf() { if (++depth < 800) try { setTimeout(() => {}, deep); started++ } catch {} return 1e6 } };
      export default () => {
        while (started < 700) { setTimeout(() => {}, 1e6); started++ }
        setTimeout(() => {}, deep); return started }`;
        const end = await harness.run(source);
        expect(end).toMatchObject({ type: 'failure', errorMessage: 'too many timers in one task' });
        const counted = source.replace(
          'setTimeout(() => {}, deep); return started',
          'try { setTimeout(() => {}, deep) } catch {} return started',
        );
        expect(valueOf(await harness.run(counted))).toBe(1000);
      });

      test('whose module was given up while it was loading does not keep the next one waiting', async () => {
        const source = `setTimeout(() => { throw new Error('early') }, 1);
          await new Promise(() => {});
          export default () => 1`;
        const keys = harness.give(programOf(source), [1, 2], { timeoutMs: 5_000 });
        const early = { type: 'failure', errorMessage: 'early' };
        expect(await harness.ends(keys)).toMatchObject([early, early]);
      });

      test('is stopped with an error that has no class of its own', async () => {
        const spoil = `export default async (n, task) => {
          console.log('begun');
          for (;;) try { await new Promise((r) => setTimeout(r, 1)); await task.checkpoint() } catch (e) {
            try { Object.setPrototypeOf(e.constructor, function () { throw new Error('spoiled') }) } catch {}
            try { e.constructor.prototype.left = 1 } catch {}
            console.log(e.name, e.message, e.constructor === Error, 'left' in new Error('x')); return 1 } }`;
        for (const job of ['first', 'second']) {
          const program = programOf(`/* ${job} */ ${spoil}`);
          const [key] = harness.give(program, [1]);
          // Whoever is stopped while its program is loading never begins.
          await harness.until(() => harness.output.get(key!) === 'begun\n');
          harness.executor.stop(0, key!, 'cancelled');
          await harness.ends([key!]);
          const line = 'Cancelled the attempt was asked to stop true false\n';
          expect(harness.output.get(key!)).toBe(`begun\n${line}`);
        }
      });
    });
  });
}

/** A function that returns what the second body returns when both run in one plain realm. */
function inOneRealm(leave: string, look: string): string {
  const bodyOf = (code: string) =>
    `(0, eval)(${JSON.stringify(`(async function (self, task) { ${code} })`)})`;
  return `async () => {
    const task = { checkpoint: async () => {}, get cancelled() { return false } };
    await ${bodyOf(leave)}(task, task);
    return await ${bodyOf(look)}(task, task);
  }`;
}
