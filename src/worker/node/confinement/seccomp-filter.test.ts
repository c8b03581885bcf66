import { describe, expect, test } from 'vitest';
import { seccompFilter } from './seccomp-filter.ts';
import { allowedCalls, cloneCall, deniedCalls, type Machine } from './system-calls.ts';

const auditNames = { x64: 0xc000003e, arm64: 0xc00000b7 };
const allowed = 0x7fff0000;
const notPermitted = 0x00050001;
const notImplemented = 0x00050026;
const killed = 0x80000000;

interface Call {
  readonly machine: Machine;
  readonly number: number;
  readonly firstArgument?: number;
  /** As the kernel calls the architecture that the call came from; the machine's own by default. */
  readonly audit?: number;
}

/** What the kernel would answer: the few instructions of classic BPF that filters are made of. */
function answerOf({
  machine,
  number,
  firstArgument = 0,
  audit = auditNames[machine],
}: Call): number {
  const program = seccompFilter(machine)!;
  const view = new DataView(program.buffer);
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, audit, true);
  data.setUint32(16, firstArgument, true);
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const code = view.getUint16(at, true);
    const value = view.getUint32(at + 4, true);
    const jump = (isTrue: boolean) => (at += 8 * view.getUint8(at + (isTrue ? 2 : 3)));
    if (code === 0x20) accumulator = data.getUint32(value, true);
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0;
    else if (code === 0x15) jump(accumulator === value);
    else if (code === 0x25) jump(accumulator > value);
    else if (code === 0x35) jump(accumulator >= value);
    else if (code === 0x06) return value;
    else throw new Error(`${code.toString(16)} at ${at} is no instruction of a filter`);
  }
  throw new Error('the filter has no answer');
}

describe.each(['x64', 'arm64'] as const)('on %s', (machine) => {
  const numbersOf = (calls: typeof allowedCalls) =>
    [...calls.values()].map((each) => each[machine]).filter((number) => number >= 0);

  test('every call of the list is allowed', () => {
    const answers = numbersOf(allowedCalls).map((number) => answerOf({ machine, number }));
    expect(new Set(answers)).toEqual(new Set([allowed]));
    expect(answers.length).toBeGreaterThan(100);
  });

  test('every call of the other list is refused with a reason', () => {
    const answers = numbersOf(deniedCalls).map((number) => answerOf({ machine, number }));
    expect(new Set(answers)).toEqual(new Set([notPermitted]));
    expect(answers.length).toBeGreaterThan(100);
  });

  test('every number that is in neither is unknown', () => {
    const listed = new Set([
      ...numbersOf(allowedCalls),
      ...numbersOf(deniedCalls),
      cloneCall[machine],
    ]);
    expect(listed.size).toBe(numbersOf(allowedCalls).length + numbersOf(deniedCalls).length + 1);
    for (let number = 0; number < 1_000; number++) {
      if (!listed.has(number)) expect(answerOf({ machine, number })).toBe(notImplemented);
    }
    // clone3 and io_uring are among them.
    for (const number of [425, 426, 427, 435]) expect(listed.has(number)).toBe(false);
  });

  test.each([
    ['a thread', 0x003d0f00, allowed],
    ['a process', 0x00000011, notPermitted],
    ['a process that shares its memory', 0x00004111, notPermitted],
    ['a mount namespace', 0x00020011, notPermitted],
    ['a thread in a user namespace', 0x10010f00, notPermitted],
    ['a thread in a network namespace', 0x40010f00, notPermitted],
    ['a thread in a process namespace', 0x20010f00, notPermitted],
  ])('clone for %s', (_what, firstArgument, answer) => {
    expect(answerOf({ machine, number: cloneCall[machine], firstArgument })).toBe(answer);
  });

  test('a call of another architecture ends the process', () => {
    const others = [0x40000003, 0x40000028, auditNames[machine === 'x64' ? 'arm64' : 'x64']];
    for (const audit of others) expect(answerOf({ machine, number: 0, audit })).toBe(killed);
  });
});

test('the third set of numbers of an x86_64 kernel ends the process', () => {
  for (const number of [0, 1, 59, 512]) {
    expect(answerOf({ machine: 'x64', number: 0x40000000 + number })).toBe(killed);
  }
});

test.each(['ia32', 'riscv64', 's390x'])('there is none for %s', (architecture) => {
  expect(seccompFilter(architecture)).toBeNull();
});
