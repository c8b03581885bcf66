// The filter of system calls that bubblewrap loads for a child (`--seccomp`), as the kernel wants
// it: a classic BPF program over `struct seccomp_data`, assembled here, so that nothing is
// compiled.
//
// It lists what is allowed. Every other call fails with ENOSYS, as on a kernel that is older than
// the call: the C library and libuv have a fallback for every new call, so a later Node still
// starts. A list of what is denied would have to be right about every kernel to come.

import { allowedCalls, cloneCall, deniedCalls, type Machine } from './system-calls.ts';

/** Null on an architecture whose call numbers are not known here. */
export function seccompFilter(architecture: string): Uint8Array | null {
  if (architecture !== 'x64' && architecture !== 'arm64') return null;
  return encode([
    ...checkArchitecture(architecture),
    load(numberOffset),
    ...(architecture === 'x64' ? killFromX32 : []),
    ...rangesOf(numbers(allowedCalls, architecture)).flatMap((range) => answer(range, allow)),
    ...rangesOf(numbers(deniedCalls, architecture)).flatMap((range) => answer(range, refuse)),
    ...checkClone(cloneCall[architecture]),
    give(unknown),
  ]);
}

interface Instruction {
  readonly code: number;
  /** How many instructions are skipped. */
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly value: number;
}

/**
 * From `linux/bpf_common.h`: load a word, jump if equal, if not less, if greater, bitwise and,
 * return.
 */
const codes = { load: 0x20, equal: 0x15, notLess: 0x35, greater: 0x25, and: 0x54, give: 0x06 };

/**
 * Offsets in `struct seccomp_data`. The one of an argument is its lower half: both are
 * little-endian.
 */
const numberOffset = 0;
const architectureOffset = 4;
const firstArgumentOffset = 16;

/** From `linux/audit.h`. */
const auditNames: Readonly<Record<Machine, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** From `linux/seccomp.h`; the lower half of an error is its number. */
const allow = 0x7fff0000;
const refuse = 0x00050000 | 1; // EPERM
const unknown = 0x00050000 | 38; // ENOSYS
const kill = 0x80000000;

/**
 * The numbers of another architecture mean other calls: 32-bit code gets no further than its first.
 */
function checkArchitecture(machine: Machine): Instruction[] {
  return [load(architectureOffset), jump('equal', auditNames[machine], 1, 0), give(kill)];
}

/**
 * Call numbers of the x32 interface have this bit; the kernel names the architecture x86_64 there
 * too.
 */
const x32Bit = 0x40000000;
const killFromX32 = [jump('notLess', x32Bit, 0, 1), give(kill)];

/**
 * `clone` may make a thread and nothing else. `clone3` keeps its flags in memory, where a filter
 * cannot read them, so it is unknown here.
 */
function checkClone(number: number): Instruction[] {
  const thread = 0x00010000;
  // CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
  const namespaces = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x60000000;
  return [
    jump('equal', number, 0, 5),
    load(firstArgumentOffset),
    { code: codes.and, ifTrue: 0, ifFalse: 0, value: thread | namespaces },
    jump('equal', thread, 0, 1),
    give(allow),
    give(refuse),
  ];
}

type Range = readonly [first: number, last: number];

function answer([first, last]: Range, action: number): Instruction[] {
  if (first === last) return [jump('equal', first, 0, 1), give(action)];
  return [jump('notLess', first, 0, 2), jump('greater', last, 1, 0), give(action)];
}

function numbers(calls: typeof allowedCalls, machine: Machine): number[] {
  return [...calls.values()].map((each) => each[machine]).filter((number) => number >= 0);
}

/**
 * Consecutive numbers become one comparison: every system call of a child runs through the filter.
 */
function rangesOf(found: readonly number[]): Range[] {
  const ranges: [number, number][] = [];
  for (const number of found.toSorted((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range !== undefined && number <= range[1] + 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

function load(offset: number): Instruction {
  return { code: codes.load, ifTrue: 0, ifFalse: 0, value: offset };
}

function jump(
  test: 'equal' | 'notLess' | 'greater',
  value: number,
  ifTrue: number,
  ifFalse: number,
): Instruction {
  return { code: codes[test], ifTrue, ifFalse, value };
}

function give(action: number): Instruction {
  return { code: codes.give, ifTrue: 0, ifFalse: 0, value: action };
}

/** `struct sock_filter`: code in 2 bytes, both jumps in one each, value in 4. */
function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, { code, ifTrue, ifFalse, value }] of program.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, ifTrue);
    bytes.setUint8(index * 8 + 3, ifFalse);
    bytes.setUint32(index * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}
