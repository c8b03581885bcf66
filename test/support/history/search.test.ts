// The search finds an order exactly where trying all of them does.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { someOrder } from './every-order.ts';
import type { Call } from './history.ts';
import { linearize, type Model } from './search.ts';

/** A number that is read, written, and written if it was what was thought. */
type Operation =
  | { readonly type: 'read'; readonly value: number }
  | { readonly type: 'write'; readonly value: number }
  | {
      readonly type: 'swap';
      readonly from: number;
      readonly value: number;
      readonly done: boolean;
    };

const register: Model<number, Operation> = {
  initial: 0,
  step(state, operation) {
    switch (operation.type) {
      case 'read':
        return operation.value === state ? state : undefined;
      case 'write':
        return operation.value;
      case 'swap':
        if ((state === operation.from) !== operation.done) return undefined;
        return operation.done ? operation.value : state;
    }
  },
  effect(state, operation) {
    if (operation.type === 'read') return undefined;
    if (operation.type === 'swap' && state !== operation.from) return undefined;
    return operation.value;
  },
};

const value = fc.integer({ min: 0, max: 2 });
const operations: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ type: fc.constant('read' as const), value }),
  fc.record({ type: fc.constant('write' as const), value }),
  fc.record({ type: fc.constant('swap' as const), from: value, value, done: fc.boolean() }),
);

/** Calls that begin and end in any order, some without an end. */
const histories = fc
  .array(
    fc.record({ operation: operations, from: fc.nat(40), lasts: fc.nat(20), isLost: fc.nat(4) }),
    {
      maxLength: 6,
    },
  )
  .map((all) =>
    all.map(({ operation, from, lasts, isLost }, i): Call<Operation> => {
      const called = from * 10 + i;
      const returned = isLost === 0 ? Number.POSITIVE_INFINITY : called + lasts * 10 + 5;
      return { key: '', operation, called, returned, calledMs: called, returnedMs: returned };
    }),
  );

test('says the same as trying every order of every choice of what took effect', () => {
  const found = { consistent: 0, inconsistent: 0 };
  fc.assert(
    fc.property(histories, (calls) => {
      const verdict = linearize(register, calls);
      found[verdict.isConsistent ? 'consistent' : 'inconsistent']++;
      expect(verdict.isConsistent).toBe(someOrder(register, calls));
    }),
    { numRuns: 3_000 },
  );
  expect(Math.min(...Object.values(found))).toBeGreaterThan(300);
});

test('gives an order that real time allows and the register has', () => {
  fc.assert(
    fc.property(histories, (calls) => {
      const { isConsistent, order } = linearize(register, calls);
      let state: number | undefined = register.initial;
      for (const [i, call] of order.entries()) {
        expect(order.slice(i + 1).some(({ returned }) => returned < call.called)).toBe(false);
        const act = call.returned === Number.POSITIVE_INFINITY ? register.effect : register.step;
        state = act(state!, call.operation);
        expect(state).toBeDefined();
      }
      const missing = calls.filter((call) => !order.includes(call));
      if (isConsistent) {
        expect(missing.every(({ returned }) => returned === Number.POSITIVE_INFINITY)).toBe(true);
      } else expect(missing).not.toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test('judges a long history of many at once before anybody has looked away', () => {
  const calls = Array.from({ length: 400 }, (_, i): Call<Operation> => {
    const called = i * 10;
    const times = { called, returned: called + 35, calledMs: called, returnedMs: called + 35 };
    return {
      key: '',
      operation: { type: i % 2 === 0 ? 'write' : 'read', value: i >> 1 },
      ...times,
    };
  });
  expect(linearize(register, calls).isConsistent).toBe(true);
});
