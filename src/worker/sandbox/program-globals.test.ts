import { expect, test } from 'vitest';
import { programGlobals, type ProgramPorts, seededMath } from './program-globals.ts';

function portsOf(more: Partial<ProgramPorts> = {}): ProgramPorts {
  const none = { random: () => 0.5, timeMs: 0, current: null, timersAtMost: 1 };
  return { ...none, onTimerError: () => {}, ...more };
}

const timers = { startTimer: () => 1, stopTimer: () => {} };

/** Everything that a program gets at from here, but for what is of the language. */
function reachedFrom(root: object): object[] {
  const found = new Set<object>();
  const language = new Set<unknown>(Reflect.ownKeys(Math).map((key) => Reflect.get(Math, key)));
  const visit = (value: unknown): void => {
    const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
    if (!isObject || language.has(value) || found.has(value)) return;
    found.add(value);
    for (const key of Reflect.ownKeys(value)) {
      const { value: member, get, set } = Reflect.getOwnPropertyDescriptor(value, key)!;
      for (const each of [member, get, set] as unknown[]) visit(each);
    }
  };
  visit(root);
  return [...found];
}

test('every function and object that the globals lead to is frozen', () => {
  const { globals } = programGlobals(portsOf(), timers);
  const reached = Object.values(globals).flatMap((value) => reachedFrom(value as object));
  expect(reached.filter((each) => !Object.isFrozen(each))).toEqual([]);
  expect(reached.length).toBeGreaterThan(8);
  const math = reachedFrom(seededMath(portsOf()));
  expect(math.every((each) => Object.isFrozen(each))).toBe(true);
  expect(math).toHaveLength(2);
});

test('two programs have no function or object of the globals in common', () => {
  const [one, other] = [portsOf(), portsOf()].map((ports) => {
    const { globals } = programGlobals(ports, timers);
    return reachedFrom({ ...globals, Math: seededMath(ports) });
  });
  expect(one!.filter((each) => other!.includes(each))).toEqual([]);
});

test('Math has everything of the language, and the random numbers of the program', () => {
  const math = seededMath(portsOf({ random: () => 0.25 })) as typeof Math;
  expect(math.random()).toBe(0.25);
  expect(math.max(1, 2)).toBe(2);
  expect(Object.getOwnPropertyNames(math)).toEqual(Object.getOwnPropertyNames(Math));
  expect(Object.keys(math)).toEqual([]);
});
