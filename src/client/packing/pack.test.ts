import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { ProgramError } from '../errors.ts';
import { pack, packSource } from './pack.ts';
import { belongsElsewhere, sandboxGlobals } from './sandbox-globals.ts';

// What the functions below refer to.
const offset = 3;
const helper = (n: number): number => n + offset;
const missing = undefined as unknown as { deep: number };

type Task = (input: unknown, task: unknown) => unknown;
type Any = Function;

/** The default export of the module that is sent, evaluated far from this file. */
async function landed(fn: Any, along?: Record<string, unknown>): Promise<Task> {
  const module: unknown = await import(
    `data:text/javascript,${encodeURIComponent(pack(fn, along))}`
  );
  return (module as { default: Task }).default;
}

function problemsOf(fn: Any, along?: Record<string, unknown>): readonly string[] {
  try {
    pack(fn, along);
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    return error.problems.map(({ message }) => message);
  }
  throw new Error('it was packed');
}

const outside = (name: string) =>
  `"${name}" is defined outside of it and does not travel: send it along with { with: { ${name} } }, or make it a part of the input`;

/** Of a name that may be a minifier's. */
const anyones = (name: string) =>
  `"${name}" is defined outside of it and does not travel: send it along and take it from the third parameter, (input, task, { value }) => …, or make it a part of the input`;

describe('a function that can travel', () => {
  test.each<[string, Any]>([
    ['an arrow function', (n: number) => n * 2],
    [
      'a function',
      function (n: number) {
        return n * 2;
      },
    ],
    [
      'one that calls itself',
      function twice(n: number): number {
        return n === 0 ? 0 : 2 + twice(n - 1);
      },
    ],
    [
      'one with everything inside',
      (n: number) => {
        const { a, ...rest } = { b: n, a: 2 };
        class Sum {
          #n = a - 1;
          value(m = this.#n): number {
            return m * [rest.b, rest.b].reduce((x, y) => x + y);
          }
        }
        label: for (const i of [1]) for (;;) if (i === 1) continue label;
        try {
          throw new RangeError(String(Math.max(1, 2)));
        } catch (error) {
          const { message } = error as Error;
          return message === '2' ? new Sum().value() : JSON.stringify({ offset: null });
        }
      },
    ],
    ['one that asks before it uses', (n: number) => (typeof process === 'object' ? n * 2 : n)],
    [
      'one with its own arguments',
      function () {
        return (arguments[0] as number) * 2;
      },
    ],
    [
      'one with a `this` of a function inside',
      (n: number) => {
        const o = {
          n,
          twice() {
            return this.n * 2;
          },
        };
        return o.twice();
      },
    ],
    ['text that looks like an import', (n: number) => 'import(x) eval(y) this'.length - 22 + n * 2],
  ])('%s', async (_what, fn) => {
    expect((await landed(fn))(21, {})).toBe(42);
  });

  test('an async function and a generator stay what they are', async () => {
    const later = await landed(async (n: number) => (await Promise.resolve(n)) + 1);
    await expect(later(1, {})).resolves.toBe(2);
    const steps = await landed(function* (n: number) {
      yield { state: n };
      return n + 1;
    });
    const run = steps(1, {}) as Generator<unknown, number>;
    expect([run.next(), run.next()]).toEqual([
      { done: false, value: { state: 1 } },
      { done: true, value: 2 },
    ]);
  });
});

describe('what is sent along', () => {
  test('is there by its name, and functions may use the rest', async () => {
    const task = await landed((n: number) => helper(n), { offset, helper });
    expect(task(39, {})).toBe(42);
  });

  test('is the same value', async () => {
    const table = JSON.parse(
      '{"__proto__": {"a": [1, null, "\u2028</script>"]}, "b": -0.5}',
    ) as unknown;
    const task = await landed(() => JSON.stringify(table), { table });
    expect(task(null, {})).toBe(JSON.stringify(table));
  });

  test.each([
    ['a Map', { a: new Map() }, 'a is a Map: use Array.from(it)'],
    ['what JSON drops', { a: { b: [1, undefined] } }, 'a.b[1] is undefined: use null'],
    ['what JSON changes', { a: [Number.NaN] }, 'a[0] is NaN, which JSON does not have: use null'],
    ['a BigInt', { a: 1n }, 'a is a BigInt: use String(it)'],
    ['a date', { a: new Date(0) }, 'a is a Date: use toISOString()'],
    ['no name', { 'a b': 1 }, '"a b" is not a name that a variable can have'],
    ['a word of the language', { class: 1 }, '"class" is not a name that a variable can have'],
    ['code for a name', { 'a = 1, b': 1 }, '"a = 1, b" is not a name that a variable can have'],
  ])('is refused when it is %s', (_what, along, sentence) => {
    expect(problemsOf(() => 1, along)).toEqual([sentence]);
  });

  test('is refused when it contains itself', () => {
    const loop: Record<string, unknown> = {};
    loop['again'] = loop;
    expect(problemsOf(() => 1, { loop })).toEqual([
      'loop.again contains itself, and JSON has no cycles',
    ]);
  });

  test('is checked as the function is', () => {
    expect(() => pack((n: number) => helper(n), { helper })).toThrow(
      `The function "helper" of \`with\` cannot run on other devices: ${outside('offset')}`,
    );
  });

  test('stands in front of a program that is text', () => {
    const source = packSource('export default (n) => n + offset', { offset });
    expect(source).toBe(
      'const offset = globalThis.JSON.parse("3");\nexport default (n) => n + offset',
    );
  });
});

/** The function that a minifier made. */
function minified(text: string): Any {
  // oxlint-disable-next-line no-eval -- its text is what is tested
  return (0, eval)(`(${text})`) as Any;
}

describe('the third parameter', () => {
  test('has what is sent along, also where nothing has its name any more', async () => {
    const grossOf = minified('(e,{vat:t,round:n})=>n(e*t)');
    const along = { grossOf, vat: 1.19, round: (n: number) => Math.round(n) };
    const byName = await landed(
      minified('(e,t,{grossOf:n,vat:r,round:i})=>n(e,{vat:r,round:i})'),
      along,
    );
    expect(byName(100, {})).toBe(119);
    const whole = await landed(minified('(e,t,n)=>n.grossOf(e,n)'), along);
    expect(whole(200, {})).toBe(238);
  });

  test('comes to async functions, generators and functions with their own `this`, too', async () => {
    const later = await landed(minified('async(e,t,{k:n})=>e+await n'), { k: 2 });
    await expect(later(40, {})).resolves.toBe(42);
    const steps = await landed(minified('function*(e,t,{k:n}){yield{};return e+n}'), { k: 2 });
    const run = steps(40, {}) as Generator<unknown, number>;
    expect([run.next().done, run.next().value]).toEqual([false, 42]);
    const plain = await landed(minified('function t(e,n,{k:r}){return e>0?t(e-1,n,{k:r}):r}'), {
      k: 42,
    });
    expect(plain(3, {})).toBe(42);
  });

  test('comes without a function around it, whatever it is called and however strict it is', async () => {
    const task = await landed(
      minified("function(along,along$,all){'use strict';return[all.k,new Error().stack]}"),
      { k: 2 },
    );
    const [k, stack] = task(1, {}) as [number, string];
    expect(k).toBe(2);
    expect(stack.split('\n').filter((line) => line.includes('data:text/javascript'))).toHaveLength(
      1,
    );
    const clash = await landed(minified('(e,t,{along:n})=>n'), { along: 42 });
    expect(clash(1, {})).toBe(42);
  });

  test('is its own where it has a default, or where nothing is sent along', async () => {
    const counting = (n: number, _task: unknown, depth = 0): number => n + depth;
    expect((await landed(counting, { k: 1 }))(42, {})).toBe(42);
    const asked = (n: number, _task: unknown, extra?: number): unknown => [n, extra];
    expect((await landed(asked))(1, {})).toEqual([1, undefined]);
  });

  test('has what is sent along in the place of a default that is taken apart', async () => {
    const along = { vat: 2, rest: 1 };
    const text = '(n, task, { vat = 5, off = 3 } = (\n{})\n) => [n * vat, off, new Error().stack]';
    const [gross, off, stack] = (await landed(minified(text), along))(21, {}) as [
      number,
      number,
      string,
    ];
    expect([gross, off]).toEqual([42, 3]);
    // One line for each of the two values, and the default's.
    expect(stack).toMatch(/:5:\d+\)?$/m);
    const whole = minified('(n, task, { vat, ...all } = { vat: 77 }) => [vat, all]');
    expect((await landed(whole, along))(1, {})).toEqual([2, { rest: 1 }]);
    expect((await landed(whole))(1, {})).toEqual([77, {}]);
    const own = (await landed(minified(text)))(21, {}) as number[];
    expect(own.slice(0, 2)).toEqual([105, 3]);
  });

  test('is an object also where nothing is in it', async () => {
    const asked = minified('(n, task, along) => along');
    expect((await landed(asked, {}))(1, {})).toEqual({});
    expect((await landed(asked))(1, {})).toBeUndefined();
  });

  test.each([
    '(n, ...rest) => rest[1].vat',
    '(n, task, ...[along]) => along.vat',
    'function (n) { return arguments[2].vat }',
    'function named(n) { return (() => arguments[2].vat)() }',
  ])('is what rest parameters and `arguments` do not have: %s', async (text) => {
    expect(problemsOf(minified(text), { vat: 1 })).toEqual([
      'what is sent along comes neither in `arguments` nor in rest parameters, and nobody uses "vat": name the third ' +
        'parameter, (input, task, { vat }) => …',
    ]);
    const used = minified(text.replace('vat', 'vat ?? vat'));
    expect(() => pack(used, { vat: 1 })).not.toThrow();
    expect(() => pack(minified(text), undefined)).not.toThrow();
  });

  test('asks for nothing that is not sent along', () => {
    const add = ({ a }: { a: number }, _task: unknown, { b, c = 1 }: Record<string, number>) =>
      a + b! + c;
    const sentence =
      '"b" is asked for in its third parameter and not sent along: add it to { with: { b } }';
    expect(problemsOf(add, { c: 1 })).toEqual([sentence]);
    expect(problemsOf(add)).toEqual([sentence]);
  });
});

describe('what a minifier has renamed', () => {
  const way =
    'it looks minified: a minifier has renamed what it refers to, and not the keys of `with`, so take what is sent along ' +
    'from the third parameter: muster.map(inputs, (input, task, { gross, vat }) => …, { with: { gross, vat } })';

  test('is told, with the form that works', () => {
    const gross = minified('e=>/* @__PURE__ */Math.round(e*1.19)');
    expect(problemsOf(minified('e=>/*@__PURE__*/ln(e)'), { gross, vat: 1 })).toEqual([
      '"ln" is defined outside of it and does not travel',
      way,
    ]);
    expect(() => pack(minified('e=>ln(e)'), { gross, vat: 1 })).toThrow(
      'The function cannot run on other devices:\n  "ln" is defined outside of it and does not travel (line 1, column 4)\n  it looks minified',
    );
  });

  test('is told of a function that is sent along', () => {
    const gross = minified('e=>Math.round(e*ln)');
    const main = minified('(e,t,{gross:n})=>n(e)');
    expect(() => pack(main, { gross, vat: 1.19 })).toThrow('The function "gross" of `with` cannot');
    expect(problemsOf(main, { gross, vat: 1.19 })).toEqual([
      '"ln" is defined outside of it and does not travel',
      'it looks minified: a minifier has renamed what it refers to, and not the keys of `with`, so hand it what it ' +
        'needs, as in const gross = (input, { vat }) => … and gross(input, { vat })',
    ]);
  });

  test('is not taken for the value that happens to have its new name', () => {
    // It was written as (x) => x * rate, with { n, rate }.
    const [doubt] = problemsOf(minified('e=>e*n'), { n: 2, rate: 1.19 });
    expect(doubt).toBe('"n" may be another value than the one that `with` calls so');
  });

  test('is missed also where the function asks for it first', () => {
    const asks = minified('e=>typeof n=="function"?n(e):e');
    const [first] = problemsOf(asks, { gross: (net: number) => net * 2 });
    expect(first).toBe('"n" is defined outside of it and does not travel');
    expect(pack(minified('e=>typeof process=="object"?0:e'), { k: 1 })).toContain('process');
  });

  test('is only what a minifier could have named', async () => {
    expect((await landed(minified('e=>e*rate'), { n: 2, rate: 2 }))(21, {})).toBe(42);
    expect(problemsOf(minified('e=>e*n'))).toEqual([anyones('n')]);
    expect(problemsOf(minified('(input)=>input*n'))).toEqual([outside('n')]);
  });

  test('is nothing where a short name can only be the one that was written', async () => {
    expect((await landed(minified('e=>e*n'), { n: 2 }))(21, {})).toBe(42);
    expect((await landed(minified('(e) => e * n * rate'), { n: 2, rate: 3 }))(7, {})).toBe(42);
    const add = minified('(n) => n + base');
    expect((await landed(minified('(n) => add(n)'), { add, base: 2 }))(40, {})).toBe(42);
    const line = minified('(input) => a * input + b');
    expect((await landed(line, { a: 2, b: 2 }))(20, {})).toBe(42);
    const caught = minified('n => { try { return a * n + b } catch (error) { return error } }');
    expect((await landed(caught, { a: 2, b: 2 }))(20, {})).toBe(42);
  });

  test.each([
    ['it', '(n) => a * n + b'],
    // What minifiers may keep, and what compilers add.
    ['a function inside', '(n) => { const scaled = (x) => a * x; return scaled(n) + b }'],
    ['a parameter that is a function', '(n, _t, _k, scaled = (x) => a * x) => scaled(n) + b'],
    ['what a compiler adds', '(_ref) => { let { n } = _ref; return a * n + b }'],
  ])('may be exchanged where nothing but %s has a name', (_what, text) => {
    const problems = problemsOf(minified(text), { a: 2, b: 2 });
    expect(problems).toEqual([
      '"a" may be another value than the one that `with` calls so',
      '"b" may be another value than the one that `with` calls so',
      "a name that short may be a minifier's, which does not rename the keys of `with`, so take what is sent along from the third " +
        'parameter: muster.map(inputs, (input, task, { a, b }) => …, { with: { a, b } })',
    ]);
  });

  test('is perhaps why nobody uses a key', async () => {
    const along = { id: 2, extra: 1 };
    expect(problemsOf(minified('(input) => input + id'), along)).toEqual([
      '"id" may be another value than the one that `with` calls so',
      'a name that short may be a minifier\'s, and nobody uses "extra" of `with`, so take what is sent along from the third ' +
        'parameter: muster.map(inputs, (input, task, { id, extra }) => …, { with: { id, extra } })',
    ]);
    const both = await landed(minified('(input, task, { extra }) => input + extra + id'), along);
    expect(both(39, {})).toBe(42);
  });

  test('is told of functions that go with a text, which may use any of the keys', () => {
    const add = minified('(value) => value + k');
    expect(packSource('export default (n) => add(n) * f', { add, k: 1, f: 2 })).toContain('add(n)');
    expect(() => packSource('export default (n) => add(n)', { add, k: 1, f: 2 })).toThrow(
      'nobody uses "f" of `with`',
    );
  });

  test('is not what a bundler has made for an old target', () => {
    const old = 'old target, such as es2015';
    const later = minified('function(t,n,r){return e.apply(this,arguments)}');
    expect(problemsOf(later, { vat: 1 })).toEqual([
      '"e" is defined outside of it and does not travel',
      '`this` does not travel: the function gets `input` and `task`',
      `it hands its call on to another function: bundlers make that of async functions for an ${old}; build for es2022 or newer`,
    ]);
    const field = minified('(e,t,{vat:n})=>{class r{constructor(){h(this,`x`,n)}}return new r}');
    expect(problemsOf(field, { vat: 1 })).toEqual([
      '"h" is defined outside of it and does not travel',
      `it looks minified, and takes what is sent along from its third parameter: what is left is something that is not sent along, or what a bundler adds for an ${old}; then build for es2022 or newer`,
    ]);
    expect(problemsOf(minified('(input) => __awaiter(input)'))).toEqual([
      `"__awaiter" does not exist where tasks run: a compiler adds it for an ${old}: build for es2022 or newer`,
    ]);
  });

  test('is also what a bundler has numbered, or imported', () => {
    const numbered = minified('(net) => gross$1(net)');
    const imported = minified('(net) => __vi_import_0__.gross(net)');
    for (const fn of [numbered, imported]) {
      const [, second] = problemsOf(fn, { gross: 1, vat: 1 });
      expect(second).toBe(way.replace('it looks minified: a minifier', 'a bundler'));
    }
  });
});

describe('a function that cannot travel is refused for', () => {
  const bound = helper.bind(null);
  class Box {
    n = 1;
    static make(this: void): number {
      return 1;
    }
    #secret(this: void): number {
      return 1;
    }
    open(): Any {
      return this.#secret;
    }
    arrow = () => this.n;
  }
  const box = new Box();
  const itself = (n: number): number => (n === 0 ? 0 : itself(n - 1));
  const native = 'whose source is not to be had: wrap it in one of your own';
  const method =
    'it is a method: write it as a function, `(input, task) => …` or `function (input, task) { … }`';

  test.each<[string, Any, string[]]>([
    ['a variable', (n: number) => n + offset, [outside('offset')]],
    [
      'a variable that it writes',
      () => {
        missing.deep = 1;
      },
      [outside('missing')],
    ],
    [
      'each of them, once',
      (n: number) => helper(offset) + offset + n,
      [outside('helper'), outside('offset')],
    ],
    ['one in a default', ({ a = offset }) => a, [outside('offset')]],
    ['one in a shorthand', () => ({ offset }), [outside('offset')]],
    ['one in a template', () => `${offset}`, [outside('offset')]],
    [
      'one that is shadowed elsewhere',
      (n: number) => {
        {
          // oxlint-disable-next-line no-shadow -- what is tested
          const offset = n;
          void offset;
        }
        return offset;
      },
      [outside('offset')],
    ],
    ['an import', () => tmpdir(), [outside('tmpdir')]],
    ['a class', () => new Box().n, [anyones('Box')]],
    [
      'itself',
      itself,
      ['"itself" does not travel: to call itself, write it as `function itself(…) { … }`'],
    ],
    [
      'a global of Node',
      () => process.pid,
      [
        '"process" does not exist where tasks run: it belongs to Node, and tasks run in a sandbox without it',
      ],
    ],
    [
      'the network',
      () => fetch('http://x'),
      [
        '"fetch" does not exist where tasks run: tasks have no network: put what they need into their inputs',
      ],
    ],
    [
      'a class of the web',
      () => new Headers().get('x'),
      [
        '"Headers" does not exist where tasks run: tasks have no network: put what they need into their inputs',
      ],
    ],
    ['`this`', box.arrow, ['`this` does not travel: the function gets `input` and `task`']],
    [
      '`import(…)` of what is no package',
      () => import('../errors.ts'),
      [
        '`import(…)` brings a package along by its name, as in `import("lodash-es")`, and nothing else',
      ],
    ],
    ['`import.meta`', () => import.meta.url, ['`import.meta` does not travel']],
    [
      'a direct eval',
      // oxlint-disable-next-line no-eval -- what is refused
      () => eval('1'),
      ['direct `eval(…)` is not available to tasks; `(0, eval)(text)` is'],
    ],
    ['being native', parseInt, [`it is a native function, ${native}`]],
    ['being bound', bound, [`it is a bound function, ${native}`]],
    ['being a class', Box, ['it is a class, not a function']],
    [
      'being a method',
      {
        run(this: void, n: number) {
          return n;
        },
      }.run,
      [method],
    ],
    [
      'being a generator method',
      {
        *run(this: void) {
          yield 1;
        },
      }.run,
      [method],
    ],
    ['being a static method', Box.make, [method]],
    ['being a private method', box.open(), [method]],
    [
      'being an async generator',
      async function* () {
        yield 1;
      },
      [
        'it is an async generator: write a generator, or an async function that awaits task.checkpoint(state)',
      ],
    ],
  ])('%s', (_what, fn, sentences) => {
    expect(problemsOf(fn)).toEqual(sentences);
  });

  test('arguments of the function around it', () => {
    function around(): Any {
      return () => arguments[0] as unknown;
    }
    expect(problemsOf(around())).toEqual([
      '"arguments" is not there in an arrow function: name what it gets',
    ]);
  });

  test('what has no name is called so, bound or not', () => {
    expect(() => pack(minified('() => 1').bind(null) as Any, {})).toThrow(
      /^The function cannot run/,
    );
    expect(() => pack(bound, {})).toThrow(/^The function "bound helper" cannot run/);
  });

  test('its place is reported, from 1, in its own source', () => {
    // oxlint-disable-next-line no-eval -- to know where everything stands
    const fn = (0, eval)('(n) => a(\n  b)') as Any;
    const error = (() => {
      try {
        return pack(fn, {});
      } catch (cause) {
        return cause as ProgramError;
      }
    })() as ProgramError;
    expect(error.problems).toMatchObject([
      { name: 'a', line: 1, column: 8 },
      { name: 'b', line: 2, column: 3 },
    ]);
    expect(error.message).toBe(
      `The function cannot run on other devices:\n  ${anyones('a')} (line 1, column 8)\n  ${anyones('b')} (line 2, column 3)`,
    );
  });
});

test('a name is not both there and elsewhere', () => {
  expect([...sandboxGlobals].filter((name) => belongsElsewhere(name) !== undefined)).toEqual([]);
});
