// "Code that reads a file, opens a socket, starts a process, reaches `process`, signals its parent,
// escapes through a constructor or an async trap, loops forever, floods the output: each is stopped,
// reported as what it is, and the worker goes on with its next task." The same cases for every place in
// which children live. No test waits for a length of time to be right.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { escapes } from '../fixtures/sandbox-escapes.ts';
import type { SandboxPlace } from '../support/sandbox-place.ts';
import { type End, programOf, type TaskHarness, valueOf } from '../support/task-harness.ts';

const goodProgram = 'export default (n) => n + 1';

export function sandboxCases(place: SandboxPlace): void {
  describe(`in ${place.name}`, () => {
    let harness: TaskHarness;
    beforeAll(async () => {
      harness = await place.open();
    });
    afterAll(() => harness.close());

    async function expectGoesOn(): Promise<void> {
      expect(valueOf(await harness.run(goodProgram, 41))).toBe(42);
    }

    describe('ways out', () => {
      const hostTask =
        '{ progress() {}, checkpoint: async () => {}, get cancelled() { return false } }';
      const runOf = (body: string) =>
        `async function run(input, task) {
          const found = await (async () => { ${body} })();
          return found === undefined || found === '' ? 'held' : 'escaped';
        }`;
      test.each(escapes)('$name', async (escape) => {
        const body = place.bodyOf(escape);
        // The positive control: outside, the same code gets there.
        const outside = await place.outside(
          `async () => (${runOf(body)}).call(${hostTask}, null, ${hostTask})`,
        );
        expect(outside === 'escaped').toBe(place.isOpen(escape));

        const end = await harness.run(`export default ${runOf(body)}`);
        expect(end.type === 'result' ? valueOf(end) : end.type).toMatch(/^(held|failure)$/);
        await expectGoesOn();
      });

      test('is not reached by the functions of a value that the host calls', async () => {
        const grab = `(() => { try { return this.constructor.constructor('return process')() } catch {} })()`;
        const hooks = [
          `{ toJSON() { return typeof process + typeof require } }`,
          `{ get a() { return typeof process + typeof require } }`,
          `Object.defineProperty(Promise.resolve(1), 'then', { value(f) { f(typeof process) } })`,
          `new Proxy([1], { get(t, k) { return k === '0' ? typeof process : t[k] } })`,
        ];
        for (const hook of hooks) {
          const end = await harness.run(
            `export default () => { const p = ${grab}; return p ?? ${hook} }`,
          );
          expect(JSON.stringify(valueOf(end))).not.toContain('object');
          expect(end.type).toBe('result');
        }
      });
    });

    describe('hostile code is reported as what it is', () => {
      const programs: Readonly<Record<string, readonly [string, string]>> = {
        'reads a file': ["require('node:fs').readFileSync('/etc/passwd')", 'TypeError'],
        'opens a socket': ["process.binding('tcp_wrap')", 'TypeError'],
        fetches: ["fetch('http://127.0.0.1:1/')", 'TypeError'],
        'starts a process': [
          "process.getBuiltinModule('child_process').execSync('id')",
          'TypeError',
        ],
        'signals its parent': ['process.kill(process.ppid)', 'TypeError'],
        'exits its process': ['process.exit(0)', 'TypeError'],
        'aborts its process': ['process.abort()', 'TypeError'],
        throws: ["throw new RangeError('too far')", 'RangeError'],
        'throws what cannot be read': [
          'throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 1 } })',
          'Error',
        ],
        'claims a failure of the sandbox': [
          "throw Object.assign(new Error('x'), { name: 'out_of_memory' })",
          'Error',
        ],
        'overflows the stack': ['const f = () => f() + 1; return f()', 'RangeError'],
        'changes a prototype': ['Object.prototype.polluted = 1', 'TypeError'],
        'replaces a method of arrays': ['Array.prototype.map = () => []', 'TypeError'],
        'replaces JSON': ['JSON.stringify = () => "1"', 'TypeError'],
        'looks at the clock behind its own': [
          'return Object.getPrototypeOf(Date.prototype).constructor.now()',
          'TypeError',
        ],
        'returns a function': ['return () => 1', 'result_not_json'],
        'returns a cycle': ['const a = {}; a.a = a; return a', 'result_not_json'],
        'returns a BigInt': ['return 1n', 'result_not_json'],
        'returns NaN': ['return 0 / 0', 'result_not_json'],
        'returns too much': ["return 'x'.repeat(2 ** 21)", 'result_too_large'],
      };
      test.each(Object.entries(programs))('%s', async (_name, [body, errorType]) => {
        expect(failureOf(await harness.run(`export default () => { ${body} }`))).toBe(errorType);
        await expectGoesOn();
      });

      test.each([
        ['does not parse', 'export default () => {'],
        ['is no JavaScript', 'export default ()=> 1 2 3'],
        ['exports no function', 'export default 42'],
        ['exports nothing', 'const a = 1'],
        ['imports', "import fs from 'node:fs'; export default () => 1"],
        ['imports later', "export default () => import('node:fs')"],
      ])('a module that %s', async (_name, source) => {
        const end = await harness.run(source);
        expect(end).toMatchObject({ errorType: 'program_invalid', retryable: false });
        await expectGoesOn();
      });

      test('an async generator is told what to be instead', async () => {
        const end = await harness.run('export default async function* () { yield 1 }');
        expect(end).toMatchObject({
          errorType: 'TypeError',
          errorMessage: expect.stringContaining('use an async function with task.checkpoint()'),
        });
        await expectGoesOn();
      });

      test('a module that does not parse is told its line', async () => {
        const end = await harness.run('export default () => {\n\n  let a = = 1\n}');
        expect(end).toMatchObject({ errorMessage: "Unexpected token '=' (line 3)" });
      });

      test('a module that throws when it is loaded', async () => {
        const end = await harness.run("throw new RangeError('at the top'); export default () => 1");
        expect(end).toMatchObject({ errorType: 'RangeError', retryable: false });
        await expectGoesOn();
      });

      test('an error keeps its message and says whether to try again', async () => {
        const source =
          "export default () => { throw Object.assign(new Error('no'), { retryable: false }) }";
        const end = await harness.run(source);
        expect(end).toMatchObject({ errorType: 'Error', errorMessage: 'no', retryable: false });
      });

      test('what it printed is known when it had to be killed, though it never gave way', async () => {
        const source =
          "export default () => { console.log('one'); console.log('two', { n: 2 }); for (;;); }";
        const end = await harness.run(source, null, { timeoutMs: 100 });
        const output = 'one\ntwo {"n":2}\n';
        expect(end).toMatchObject({ type: 'failure', errorType: 'attempt_timeout', output });
      });

      test('a flood of output is cut at 64 KiB', async () => {
        const source =
          "export default () => { for (let i = 0; i < 1e5; i++) console.log('x'.repeat(99)); return 1 }";
        const end = await harness.run(source);
        expect(valueOf(end)).toBe(1);
        const { output = '' } = end as { readonly output?: string };
        expect(output.length).toBeLessThan(65 * 1024);
        expect(output).toMatch(
          /^x{99}\nx{99}\n[^]*\n… \d+ characters are left out here …\n[^]*x{99}\n$/,
        );
        await expectGoesOn();
      });

      test.each([
        ['on_failure', undefined, 'hello\n'],
        ['always', 'hello\n', 'hello\n'],
        ['never', undefined, undefined],
      ] as const)('what it printed is reported: %s', async (keepOutput, ofResult, ofFailure) => {
        const source =
          "export default (n) => { console.log('hello'); if (n === 1) throw new Error('no'); return n }";
        const program = { ...programOf(`/* ${keepOutput} */ ${source}`), keepOutput };
        const ends = await harness.ends(harness.give(program, [0, 1]));
        expect(ends.map((end) => (end as { readonly output?: string }).output)).toEqual([
          ofResult,
          ofFailure,
        ]);
      });
    });

    describe('the stack of an error', () => {
      const source = [
        'const early = () => { throw new TypeError("early") };',
        'class Deep {',
        '  constructor(n) { if (n === 0) early(); this.inner = new Deep(n - 1) }',
        '}',
        'export default async (n) => {',
        '  if (n === "await") { await null; null.x }',
        '  if (n === "read") try { early() } catch (error) { if (error.stack === "") throw error }',
        '  if (n === "own") throw Object.defineProperty(new Error("own"), "stack", { get() { return Deep } })',
        '  if (n === "text") throw "text"',
        '  if (n === "proxy") throw new Proxy(new Error("x"), { get: (t, k) => k === "stack" ? Deep : t[k] })',
        '  if (n === "made") Function("\\n\\nthrow new Error(1)")()',
        '  if (n === "json") JSON.parse("{")',
        '  if (n === "host") setTimeout(7)',
        '  new Deep(n)',
        '}',
      ].join('\n');

      test.each([
        ['await', /^at default \(program:6:\d+\)$/],
        ['read', /^at early \(program:1:29\)\nat default \(program:7:\d+\)$/],
        ['own', /^at default \(program:8:\d+\)$/],
        ['text', undefined],
        ['proxy', undefined],
        ['made', /^at default \(program:11:\d+\)$/],
        ['json', /^at default \(program:12:\d+\)$/],
        ['host', /^at default \(program:13:\d+\)$/],
        [
          1,
          /^at early \(program:1:29\)\nat new Deep \(program:3:33\)\nat new Deep \(program:3:55\)\nat default \(program:14:3\)$/,
        ],
      ])('has the frames of the program and no others: %s', async (input, expected) => {
        const end = (await harness.run(source, input)) as { readonly errorStack?: string };
        if (expected === undefined) expect(end.errorStack).toBeUndefined();
        else expect(end.errorStack).toMatch(expected);
      });

      test('is there for what is thrown while the module loads', async () => {
        const end = await harness.run('const a = undefined;\nexport default () => 1;\n  a.Symbol;');
        expect(end).toMatchObject({ errorType: 'TypeError', errorStack: 'at program:3:5' });
      });

      test('of an endless recursion is bounded, and the child goes on', async () => {
        const name = 'n'.repeat(3000);
        const end = await harness.run(`export default function ${name}() { return ${name}() + 1 }`);
        const { errorStack = '' } = end as { readonly errorStack?: string };
        expect(errorStack.split('\n')).toHaveLength(20);
        expect(errorStack.length).toBeLessThan(4000);
        await expectGoesOn();
      });

      test('tells a task nothing, even one that makes its own errors and functions', async () => {
        const spy = `export default () => {
          const seen = [];
          for (const E of [Error, TypeError, Error.prototype.constructor]) {
            try { E.prepareStackTrace = (e, s) => { seen.push(String(s)); return 'x' } } catch {}
            try { E.stackTraceLimit = 99 } catch {}
          }
          const error = new Error('x');
          Error.captureStackTrace?.(error);
          seen.push(error.stack, typeof error.stack);
          return seen;
        }`;
        expect(valueOf(await harness.run(spy))).toEqual(['', 'string']);
      });
    });

    describe('code that does not end', () => {
      const loops: Readonly<Record<string, string>> = {
        'a busy loop': 'export default () => { for (;;); }',
        'a busy loop at the top level': 'for (;;); export default () => 1',
        'a promise that never resolves': 'export default () => new Promise(() => {})',
        'a generator that never returns': 'export default function* () { for (;;) yield }',
        'an endless chain of promises': 'export default async () => { for (;;) await null }',
        'a regular expression without end': `export default () => /^(a+)+$/.test('${'a'.repeat(60)}b')`,
        'a result that takes forever to write': 'export default () => ({ toJSON() { for (;;); } })',
        'a promise beside its result':
          'export default async () => { (async () => { for (;;) await null })(); return 1 }',
      };
      test.each(Object.entries(loops))('%s is ended at its deadline', async (_name, source) => {
        const program = programOf(source);
        const [first] = harness.give(program, [1], { timeoutMs: 100 });
        const after = harness.give(programOf(goodProgram), [41]);
        const [end] = await harness.ends([first!]);
        expect(end).toMatchObject({ errorType: 'attempt_timeout', retryable: true });
        // What waited behind it is not blamed: it ran, or it comes back.
        const [next] = await harness.ends(after);
        expect(next!.type).toMatch(/^(result|returned)$/);
        await expectGoesOn();
      });

      test('promises left behind by a function do not hang the slot', async () => {
        const source = 'export default () => { (async () => { for (;;) await null })(); return 1 }';
        expect(valueOf(await harness.run(source))).toBe(1);
        const [next] = await harness.ends(harness.give(programOf(goodProgram), [41]));
        expect(next!.type).toMatch(/^(result|returned)$/);
        await expectGoesOn();
      });

      test('is stopped on request, at the next yield or by the end of its child', async () => {
        for (const source of [loops['a generator that never returns']!, loops['a busy loop']!]) {
          const [key] = harness.give(programOf(source), [1]);
          await harness.untilStarted(key!);
          harness.executor.stop(0, key!, 'cancelled');
          expect(await harness.ends([key!])).toEqual([
            { type: 'stopped', key, reason: 'cancelled' },
          ]);
          await expectGoesOn();
        }
      });

      test('an attempt that has not begun is dropped on request', async () => {
        const generator = loops['a generator that never returns']!;
        const [running, waiting] = harness.give(programOf(generator), [1, 2]);
        await harness.untilStarted(running!);
        harness.executor.stop(0, waiting!, 'revoked');
        harness.executor.stop(0, running!, 'cancelled');
        const ends = await harness.ends([running!, waiting!]);
        expect(ends).toMatchObject([{ reason: 'cancelled' }, { reason: 'revoked' }]);
      });
    });

    describe('memory', () => {
      test('a size that cannot be is only an error', async () => {
        const end = await harness.run('export default () => new ArrayBuffer(2 ** 50).byteLength');
        expect(failureOf(end)).toBe('RangeError');
      });
    });

    describe('a child that ends by itself', () => {
      test('is the fault of the attempt that ran; those behind it come back', async () => {
        const inner = await place.open();
        try {
          const source = 'export default function* (n) { if (n === 0) for (;;) yield; return n }';
          await inner.ends(inner.give(programOf(source), [1]));
          const keys = inner.give(programOf(source), [1, 0, 2, 3]);
          await inner.ends([keys[0]!]);
          await inner.untilStarted(keys[1]!);
          await inner.crash();
          const ends = await inner.ends(keys);
          expect(ends.map(({ type }) => type)).toEqual([
            'result',
            'failure',
            'returned',
            'returned',
          ]);
          expect(failureOf(ends[1]!)).toBe('sandbox_crashed');
          expect(valueOf(await inner.run(goodProgram, 41))).toBe(42);
        } finally {
          await inner.close();
        }
      });
    });

    describe('what packages know', () => {
      test('is there, and made of nothing of the host', async () => {
        const end = await harness.run(`
          function Odd() {} Odd.prototype = new RangeError('x'); Odd.prototype.constructor = Odd;
          export default () => [
            self === globalThis && global === globalThis && Function('return this')() === globalThis,
            Function('return this').call(5) === 5 && Function('return () => this')()() === globalThis,
            new URL('../c?d=1', 'http://a/b/').searchParams.get('d'),
            new TextDecoder().decode(new TextEncoder().encode('hé')), atob(btoa('hi')),
            structuredClone(new Map([[1, [2]]])).get(1)[0], crypto.randomUUID().length,
            new Date().getTime(), new Date(0).constructor === Date, new Odd().constructor === Odd,
            typeof Intl, typeof WebAssembly, typeof performance, typeof process,
          ]`);
        const there = [true, true, '1', 'hé', 'hi', 2, 36, 0, true, true];
        const missing = ['undefined', 'undefined', 'undefined', 'undefined'];
        expect(valueOf(end)).toEqual([...there, ...missing]);
      });

      test('is the time of submission, in UTC, for the time', async () => {
        const source = 'export default () => [Date.now(), new Date(2020, 0, 1).toISOString()]';
        const jobId = '019ac1a0-5c00-7abc-8def-0123456789ab';
        const end = await harness.run({ ...programOf(source), jobId });
        expect(valueOf(end)).toEqual([0x019ac1a05c00, '2020-01-01T00:00:00.000Z']);
      });

      test("is each job's own", async () => {
        const change =
          'URL.left = crypto.left = Date.left = atob.left = TextEncoder.left = true; self.URL = 1;';
        await harness.run(`${change} export default () => 1`);
        const look = 'typeof URL + [URL.left, crypto.left, Date.left, atob.left, TextEncoder.left]';
        expect(valueOf(await harness.run(`export default () => ${look}`))).toBe('function,,,,');
      });

      test("waits in a microtask, whose error is the task's", async () => {
        const source =
          'export default async () => { const seen = []; queueMicrotask(() => seen.push(1)); await null; return seen }';
        expect(valueOf(await harness.run(source))).toEqual([1]);
        const failing =
          "export default () => { queueMicrotask(() => { throw new EvalError('x') }); return new Promise(() => {}) }";
        expect(failureOf(await harness.run(failing))).toBe('EvalError');
      });
    });

    describe('one task and the next', () => {
      test('see the module-level variables of their own job only', async () => {
        const counter = (name: string) => `let n = 0; /* ${name} */
          export default () => { globalThis.seen = (globalThis.seen ?? 0) + 1; return [++n, globalThis.seen] }`;
        const keys = [
          ...harness.give(programOf(counter('a')), [1, 2]),
          ...harness.give(programOf(counter('b')), [1]),
        ];
        const values = (await harness.ends(keys)).map(valueOf);
        // The second task of a job may find what the first left; another job never does.
        expect(values).toEqual([
          [1, 1],
          [2, 2],
          [1, 1],
        ]);
      });

      test('do not meet through anything that both can reach', async () => {
        const leave = `export default (input, task) => {
          for (const target of [Array, Object, Math, JSON, console, Promise, task.constructor, setTimeout,
            (function* () {}).constructor.prototype, Error, Symbol, Reflect, Date, RegExp])
            try { target.left = 1 } catch {}
          try { task.left = 1 } catch {}
          return 1 }`;
        const look = `export default (input, task) => [Array, Object, Math, JSON, console, Promise, task,
          task.constructor, setTimeout, (function* () {}).constructor.prototype, Error, Symbol, Reflect,
          Date, RegExp].filter((target) => 'left' in target).length`;
        const keys = [
          ...harness.give(programOf(leave), [1]),
          ...harness.give(programOf(look), [1]),
        ];
        expect((await harness.ends(keys)).map(valueOf)).toEqual([1, 0]);
      });

      test('do not get the timers of the one before', async () => {
        const source = `let rings = 0; export default async (n) => {
          if (n === 1) setTimeout(() => { rings++ }, 40);
          else await new Promise((resolve) => setTimeout(resolve, 80));
          return rings }`;
        const ends = await harness.ends(harness.give(programOf(source), [1, 2]));
        expect(ends.map(valueOf)).toEqual([0, 0]);
      });
    });
  });
}

function failureOf(end: End): string {
  return end.type === 'failure' ? end.errorType : `not a failure: ${JSON.stringify(end)}`;
}
