import { expect, test } from 'vitest';
import { bareGlobal } from './bare-global.ts';

/** A scope as browsers make it: functions on the object itself, others on what it inherits from. */
function makeScope(): { scope: object; events: object } {
  const events = { addEventListener: () => {}, [Symbol.toStringTag]: 'EventTarget' };
  const middle = Object.create(events, {
    close: { value: () => {}, configurable: true },
  }) as object;
  const scope = Object.create(middle, {
    Array: { value: Array, configurable: true },
    fetch: { value: () => {}, configurable: true },
    navigator: { get: () => ({}), configurable: true },
    [Symbol.for('new in this browser')]: { value: {}, configurable: true },
  }) as object;
  return { scope, events };
}

test('takes away all that is not kept, also from what the scope inherits from', () => {
  const { scope, events } = makeScope();
  expect(bareGlobal(scope, new Set(['Array']))).toEqual([]);
  expect(Reflect.ownKeys(scope)).toEqual(['Array']);
  expect(Reflect.ownKeys(events)).toEqual([]);
  for (const name of ['fetch', 'navigator', 'close', 'addEventListener']) {
    expect(name in scope).toBe(false);
  }
});

test('leaves the language alone, from which everything inherits', () => {
  const before = Reflect.ownKeys(Object.prototype);
  bareGlobal(makeScope().scope, new Set());
  expect(Reflect.ownKeys(Object.prototype)).toEqual(before);
});

test('names what the browser does not give up, but for numbers that never change', () => {
  const scope = {};
  Object.defineProperties(scope, {
    PERSISTENT: { value: 1, writable: false, configurable: false },
    counter: { value: 1, writable: true, configurable: false },
    socket: { value: {}, writable: false, configurable: false },
    storage: { get: () => ({}), configurable: false },
  });
  expect(bareGlobal(scope, new Set())).toEqual(['counter', 'socket', 'storage']);
});
