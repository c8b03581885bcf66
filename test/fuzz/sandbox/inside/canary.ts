// The canary: a program of a third job that uses a little of everything. Its result changes only if
// another job has changed something that no property shows.

export const canarySource = `export default () => {
  const out = [];
  const note = (make) => { try { out.push(make()) } catch (x) { out.push(x.name + ': ' + x.message) } };
  note(() => [3, 1, 2].toSorted().map((x) => x * 2).join());
  note(() => 'a1b22'.replace(/[0-9]+/g, (x) => '<' + x + '>'));
  note(() => JSON.stringify({ x: [1, { y: new Date(0) }], z: undefined }));
  note(() => null.x);
  note(() => new Array(-1));
  note(() => { using x = { [Symbol.dispose]() { throw 1 } }; throw 2 });
  note(() => String(new Error('x', { cause: 1 })));
  note(() => typeof new Error('x').stack);
  note(() => Object.entries(Object.groupBy([1, 2, 3], (x) => x % 2 ? 'odd' : 'even')).join(';'));
  note(() => [...new Map([[1, 2]]).keys(), ...new Set('aab')].join());
  note(() => { class A { #x = 1; get x() { return this.#x } } class B extends A {} return new B().x });
  note(() => [...(function* () { yield* [1, 2]; yield 3 })()].join());
  note(() => Math.max(...[1, 5, 2]) + parseInt('12px') + Number('0x1f'));
  note(() => ((x, ...y) => x.raw.join('|') + y.join())\`a\${1}b\\n\${2}c\`);
  note(() => Reflect.ownKeys(Object.getPrototypeOf(async () => {})).map(String).join());
  note(() => String(Object.getPrototypeOf(Promise.resolve()) === Promise.prototype));
  note(() => new Proxy({}, { get: (x, y) => y }).abc + [...'xy'].reverse().join(''));
  note(() => decodeURIComponent('%'));
  note(() => BigInt('12') ** 3n);
  return out.join('\\n');
}`;
