// Nothing runs here: the compiler must accept the calls, and refuse those that say so.

import { expectTypeOf, test } from 'vitest';
import { type BlobRef, type MapInputs, type MusterClient, python, wasm } from './index.ts';
import { clientOf } from './testing/scripted-fetch.ts';

interface Tree {
  readonly value: number;
  readonly name?: string;
  readonly kids: readonly Tree[];
}

const client: MusterClient = clientOf([]).client;
const tree: Tree = { value: 1, kids: [] };

test('interfaces, unions, tuples and what has no type are JSON', () => {
  const accepted = () => [
    client.map([tree], (one) => one.kids),
    client.map([{ a: 1 }, null], (one) => one?.a ?? null),
    client.map([[1, 'a'] as const], ([n, text]) => text.repeat(n)),
    client.map([1, 'a', null], (one) => one),
    client.map([{ a: undefined }], (one) => one.a),
    client.map([JSON.parse('1')], (one) => one as unknown),
    client.map([] as unknown[], () => {}),
    client.map(new Map([['a', 1]]), ([key, value]) => key.repeat(value)),
    client.map<BlobRef, number>([{ $blob: '' }], () => 1),
    client.map<number, number>([], (n) => n),
    client.map([1], 'export default (n) => n'),
    client.submit({ program: { kind: 'javascript', source: '' }, inputs: [tree] }),
    client.submitStream({ program: { kind: 'javascript', source: '' } }, new Set([tree])),
    client.putBlob(tree),
    client.putBlob(new Float64Array(2)),
  ];
  expectTypeOf(accepted).toBeFunction();
});

test('whole inputs and results may be bytes, and programs may be of other kinds', () => {
  const allowed = () => [
    client.map([Uint8Array.of(1)], (bytes) => bytes.length),
    client.map([1], (n) => Uint8Array.of(n)),
    client.map(['a'], python('def run(input, task): return input')),
    client.map([{ n: 1 }], wasm(Uint8Array.of(0))),
  ];
  expectTypeOf(allowed).toBeFunction();
  const squares = () => client.map([1], wasm<number, number>(Uint8Array.of(0)));
  expectTypeOf<Awaited<ReturnType<typeof squares>>>().toEqualTypeOf<number[]>();
  const refused = () => [
    // @ts-expect-error -- bytes inside of an input are no JSON
    client.map([{ bytes: Uint8Array.of(1) }], () => 1),
    // @ts-expect-error -- it takes numbers
    client.map(['a'], wasm<number, number>(Uint8Array.of(0))),
  ];
  expectTypeOf(refused).toBeFunction();
});

test('inputs that JSON would change are refused', () => {
  const source = { program: { kind: 'javascript', source: '' } } as const;
  async function* dates() {
    yield { when: new Date() };
  }
  const refused = () => [
    // @ts-expect-error -- a Date: use toISOString()
    client.map([new Date()], (when) => when.getTime()),
    // @ts-expect-error -- a Date: use toISOString()
    client.map([{ when: new Date() }], () => 1),
    // @ts-expect-error -- a Date: use toISOString()
    client.map(dates(), () => 1),
    // @ts-expect-error -- a Map or a Set: use Array.from(it)
    client.map([new Map([[1, 2]])], () => 1),
    // @ts-expect-error -- binary data: use Array.from(it)
    client.map([new Float64Array(2)], () => 1),
    // @ts-expect-error -- a function
    client.map([() => 1], () => 1),
    // @ts-expect-error -- undefined: use null
    client.map([1, undefined], () => 1),
    // @ts-expect-error -- a BigInt: use String(it)
    client.map([1n], () => 1),
    // @ts-expect-error -- a string is iterated a character at a time
    client.map('abc', () => 1),
    // @ts-expect-error -- a Date: use toISOString()
    client.submit({ ...source, inputs: [new Date()] }),
    // @ts-expect-error -- a BigInt: use String(it)
    client.submitStream(source, [1n]),
    // @ts-expect-error -- a Map or a Set: use Array.from(it)
    client.putBlob(new Map([[1, 2]])),
  ];
  expectTypeOf(refused).toBeFunction();
});

test('results that JSON would change are refused', () => {
  const refused = () => [
    // @ts-expect-error -- a Map or a Set: use Array.from(it)
    client.map([1], (n) => new Map([[n, n]])),
    // @ts-expect-error -- a Date: use toISOString()
    client.map([1], async (n) => ({ when: new Date(n) })),
    // @ts-expect-error -- a BigInt: use String(it)
    client.map({ range: { start: 0, count: 1 } }, (n) => BigInt(n)),
    // @ts-expect-error -- undefined: use null
    client.map([1], () => [undefined]),
  ];
  expectTypeOf(refused).toBeFunction();
});

test('what is sent along has its types in the third parameter', () => {
  const rate = 1.19;
  const gross = (net: number, { rate: factor }: { rate: number }) => net * factor;
  const accepted = () => [
    client.map([100], (net, _task, along) => along.gross(net, along), { with: { gross, rate } }),
    client.map([100], (net, _task, { gross: of }) => of(net, { rate: 1 }).toFixed(), {
      with: { gross },
      failures: 'collect',
    }),
    client.map({ range: { start: 0, count: 1 } }, (net, _task, { rate: r }) => net * r, {
      with: { rate },
      priority: 1,
    }),
    client.map(['a'], (text, task, { words }) => words.length + text.length + task.index, {
      with: { words: ['a', 'b'] },
      failures: 'collect',
    }),
    // As before: by names of their surroundings, and with the types of inputs and results named.
    client.map([100], (net) => net * rate, { with: { rate } }),
    client.map<number, number>([100], (net) => net * rate, { with: { rate } }),
  ];
  const results = async () => {
    const texts = await client.map([1], (n, _task, { rate: r }) => (n * r).toFixed(), {
      with: { rate },
    });
    expectTypeOf(texts).toEqualTypeOf<string[]>();
  };
  const refused = () => [
    // @ts-expect-error -- nothing of this name is sent along
    client.map([100], (_net, _task, { other }) => other, { with: { rate } }),
    // @ts-expect-error -- it is a number
    client.map([100], (_net, _task, { rate: r }) => r.length, { with: { rate } }),
    // @ts-expect-error -- nothing is sent along
    client.map([100], (net, _task, { gross: of }) => of(net), {}),
    // @ts-expect-error -- a Date: use toISOString()
    client.map([1], (_n, _task, { rate: r }) => new Date(r), { with: { rate } }),
  ];
  expectTypeOf(accepted).toBeFunction();
  expectTypeOf(results).toBeFunction();
  expectTypeOf(refused).toBeFunction();
});

test('an algorithm is one of those there are', () => {
  // @ts-expect-error -- no algorithm has this id
  const refused = () => client.scheduler.activate('foo');
  expectTypeOf(refused).toBeFunction();
});

test('a generic function passes on the inputs that it takes', () => {
  const lengths = <Value>(values: MapInputs<Value>) =>
    client.map<Value, number>(values, (value) => JSON.stringify(value).length);
  const used = () => lengths([tree]);
  // @ts-expect-error -- a Date: use toISOString()
  const refused = () => lengths([new Date()]);
  expectTypeOf(used).toBeFunction();
  expectTypeOf(refused).toBeFunction();
});
