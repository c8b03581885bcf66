// The probe program: a program that collects every object that it can reach: its globals, what syntax
// makes, what the engine throws, what the functions of the host return and throw. It returns a list of
// names and values. A new feature of the language belongs here as soon as it is known.

export const probeSource = String.raw`
const found = [];
const keep = (name, value) => {
  if (value !== null && (typeof value === 'object' || typeof value === 'function'))
    found.push([name, value]);
};
/** Both ways that a call can end. */
const end = (name, run) => {
  try { keep(name, run()); } catch (error) { keep('what is thrown by ' + name, error); }
};
/** The same for what is awaited; nothing here waits for an event. */
const settle = async (name, run) => {
  try {
    const promise = run();
    keep('the promise of ' + name, promise);
    keep(name, await promise);
  } catch (error) { keep('what is thrown by ' + name, error); }
};
const evaluate = (0, eval);
const dispose = Symbol.dispose ?? 'none';
const disposeAsync = Symbol.asyncDispose ?? 'none';
const fail = () => { throw new Error('a probe'); };

const syntax = {
  'a literal': () => [{}, [], /x/dg, () => {}, function () {}, class {}],
  'a regular expression\'s match': () => [/(?<a>.)/d.exec('x'), 'xy'.match(/./g), [...'xy'.matchAll(/./g)]],
  'a template': () => ((...items) => items)${'`a${1}b`'},
  'a template that speaks of imports': () => ((...items) => items)${'`import(${1}`'},
  'the scope of dynamic code': () => [evaluate('this'), evaluate('arguments'), evaluate('valueOf()')],
  'arguments': () => (function () { return arguments; })(1),
  'sloppy code': () => Function('return [this, arguments]')(1),
  'a bound function': () => fail.bind(null),
  'a method and accessors': () => Object.getOwnPropertyDescriptors({ m() {}, get a() { return 1; }, set a(v) {} }),
  'a class': () => {
    class A { #p = 1; static s = 1; static #q = 2; static { A.block = this; } get p() { return this.#p; }
      #m() {} get m() { return this.#m; } static async *g() {} }
    class B extends A { constructor() { super(); this.target = new.target; } get up() { return super.m; } }
    const b = new B();
    return [A, B, b, b.m, b.up];
  },
  'a class of each kind': () => [Array, Error, Promise, Map, Set, Function, RegExp, Uint8Array, Iterator]
    .map((Base) => { class C extends Base {} try { return new C(() => {}); } catch (error) { return error; } }),
  'a generator': () => { const g = (function* () { try { yield 1; } finally { yield 2; } })();
    return [g, g.next(), g.return(3), g.next()]; },
  'a generator that runs': () => { const g = (function* () { g.next(); })(); g.next(); },
  'an async generator': () => (async function* () { yield 1; })(),
  'iterators': () => [[].entries(), new Map([[1, 2]]).entries(), new Set([1]).values(), 'x'[Symbol.iterator](),
    'x'.matchAll(/x/g), new Uint8Array(1).values(), Iterator.from({ next() { return { done: true }; } })],
  'iterator helpers': () => [[1].values().map((x) => x), [1].values().take(1).next(), [1].values().flatMap((x) => [x]),
    Iterator.concat?.([1]), Iterator.zip?.([[1], [2]])],
  'a Proxy that is revoked': () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); proxy.x; },
  'a Proxy against its target': () => new Proxy(Object.freeze({ x: 1 }), { get() { return 2; } }).x,
  'the results of making': () => [Object.groupBy?.([1], () => 'a'), Map.groupBy?.([1], () => 'a'),
    Object.fromEntries([[1, 2]]), Promise.withResolvers?.(), Array.from({ length: 1 }), structured()],
  'boxes': () => [Object(1), Object('x'), Object(1n), Object(Symbol()), Object(true)],
  'bytes': () => [new ArrayBuffer(1, { maxByteLength: 2 }), new Uint8Array(2).subarray(1), new DataView(new ArrayBuffer(1)),
    new Uint8Array(1).buffer, Uint8Array.fromBase64?.('AA=='), new ArrayBuffer(1).transfer?.()],
  'dates and times': () => [new Date(0), Temporal.PlainDate.from('2020-01-01'), Temporal.Instant.from('2020-01-01T00:00Z'),
    new Temporal.Duration(0, 0, 0, 1).add({ hours: 1 }), Temporal.PlainDate.from('2020-01-01').until('2021-01-01')],
  'using': () => { using a = { [dispose]: fail }; throw new Error('in the block'); },
  'using twice': () => { using a = { [dispose]: fail }; using b = { [dispose]: fail }; },
  'using of what cannot be disposed': () => { using a = {}; },
};
const structured = () => JSON.parse('{"a": [{}]}', (key, value) => value);

const errors = {
  'a property of null': () => null.x,
  'a call of nothing': () => undefined(),
  'a name before its declaration': () => { early; const early = 1; },
  'a write to a constant': () => { const a = 1; a = 2; },
  'a write to what is frozen': () => { Object.freeze([]).x = 1; },
  'a definition on what is frozen': () => Object.defineProperty(Object.prototype, 'x', { value: 1 }),
  'a stack overflow': () => { const f = () => f() + 1; f(); },
  'a stack overflow in the engine': () => { const a = []; a.toString = () => String(a); String(a); },
  'a length that cannot be': () => new Array(-1),
  'bytes that cannot be': () => new ArrayBuffer(-1),
  'a text that cannot be': () => 'x'.repeat(2 ** 30),
  'a bad date': () => new Date(NaN).toISOString(),
  'a bad number': () => (1).toFixed(1000),
  'mixed numbers': () => 1n + 1,
  'a bad BigInt': () => BigInt('x'),
  'a symbol as text': () => Symbol() + '',
  'bad JSON': () => JSON.parse('{'),
  'a bad URI': () => decodeURIComponent('%'),
  'a bad regular expression': () => new RegExp('('),
  'a bad code point': () => String.fromCodePoint(-1),
  'a bad normal form': () => 'x'.normalize('x'),
  'bad syntax': () => evaluate('}'),
  'bad syntax in a function': () => Function('}'),
  'a label that is not there': () => evaluate('break x'),
  'what is not iterable': () => { const [a] = 1; },
  'what is not a constructor': () => new fail.x(),
  'what is not a function': () => [].reduce(),
  'a class without new': () => { class A {} A(); },
  'a class of null': () => { class A extends null {} new A(); },
  'this before super': () => { class A extends Object { constructor() { this.x = 1; } } new A(); },
  'a private name of another': () => { class A { #p; static read(x) { return x.#p; } } A.read({}); },
  'the caller of strict code': () => fail.caller,
  'an iterator helper': () => [].values().take(-1),
  'a bad time': () => Temporal.PlainDate.from('x'),
  'the clock': () => [Date.now(), new Date(), Object.getPrototypeOf(Date.prototype).constructor.now()],
  'what is known from the web': () => [crypto, atob, new TextEncoder().encode('x'), structuredClone({})],
  'an import': () => evaluate('imp' + 'ort("node:process")'),
  'an import of a source': () => evaluate('imp' + 'ort.source("node:process")'),
  'the maker of functions': () => fail.constructor('return 1'),
  'the maker of generators': () => (function* () {}).constructor('yield 1'),
};

const waits = {
  'await using': async () => { await using a = { [disposeAsync]: async () => fail() }; throw new Error('in the block'); },
  'await of nothing': async () => null.x,
  'any of none': () => Promise.any([]),
  'all settled': () => Promise.allSettled([Promise.reject(new Error('a probe')), 1]),
  'a promise of itself': () => { const p = Promise.resolve().then(() => p); return p; },
  'a thenable that throws': async () => await { then: fail },
  'the steps of an async generator': async () => { const g = (async function* () { yield 1; yield* [2]; })();
    return [await g.next(), await g.next(), await g.return(3)]; },
  'an async generator that fails': async () => { for await (const x of (async function* () { fail(); })()); },
  'a loop over promises': async () => { for await (const x of [Promise.reject(new Error('a probe'))]); },
  'an array of async values': () => Array.fromAsync?.([1]),
  'a try': () => Promise.try?.(fail),
};

export default async function (input, task) {
  if (task.cancelled) {
    await settle('a checkpoint when stopped', task.checkpoint);
    return found.splice(0);
  }
  keep('globalThis', globalThis);
  for (const [name, run] of Object.entries({ ...syntax, ...errors })) end(name, run);
  for (const [name, run] of Object.entries(waits)) await settle(name, run);
  keep('this', this);
  keep('input', input);
  keep('task', task);
  keep('console', console);
  keep('Math', Math);
  for (const name of ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'queueMicrotask', '__name']) keep(name, globalThis[name]);
  const hosts = { ...Object.getOwnPropertyDescriptors(task), ...Object.getOwnPropertyDescriptors(console) };
  const hostile = { valueOf: fail, toString: fail, toJSON: fail, get progress() { return fail(); } };
  for (const [name, { value, get }] of Object.entries(hosts)) {
    const call = get ?? value;
    if (typeof call !== 'function') continue;
    for (const argument of [undefined, hostile]) {
      await settle(name + '()', () => call(argument, argument));
    }
  }
  for (const start of [setTimeout, setInterval]) {
    end('a timer of nothing', () => start());
    end('a timer of a hostile delay', () => start(fail, hostile));
    end('a timer', () => { const id = start(fail, 1); clearTimeout(id); clearInterval(id); return Object(id); });
  }
  end('too many timers', () => { for (let i = 0; i < 100; i++) setTimeout(fail, 1000); });
  end('a hostile timer', () => clearTimeout(hostile));
  return found.splice(0);
}
`;
