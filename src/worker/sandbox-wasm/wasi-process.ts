// The functions of WASI preview 1 beside those about files: arguments, environment, time, chance, the end.

import { errno, type Errno } from './errno.ts';
import { failure } from './ends.ts';
import { type HostTable, offered } from './host-calls.ts';
import type { Surroundings } from './surroundings.ts';
import { clockStepNs } from './task-clock.ts';

const [realClock, ...otherClocks] = [0, 1, 2, 3];
const [clockEvent, readEvent, writeEvent] = [0, 1, 2];
const subscriptionBytes = 48;
const eventBytes = 32;
/** What one call waits for, at most. */
const subscriptionsMost = 4096;
const absoluteFlag = 1;

/** Texts of a list, each with a zero behind it; their places in a list of their own. */
function writeTexts(
  { memory }: Surroundings,
  texts: readonly Uint8Array[],
  list: number,
  buffer: number,
): Errno {
  const bytes = sizeOf(texts);
  if (!memory.has(list, 4 * texts.length) || !memory.has(buffer, bytes)) return errno.fault;
  let at = buffer;
  for (const [index, text] of texts.entries()) {
    memory.view.setUint32(list + 4 * index, at, true);
    memory.bytes.set(text, at);
    memory.view.setUint8(at + text.length, 0);
    at += text.length + 1;
  }
  return errno.success;
}

function writeSizes(
  { memory }: Surroundings,
  texts: readonly Uint8Array[],
  count: number,
  bytes: number,
): Errno {
  if (!memory.has(count, 4) || !memory.has(bytes, 4)) return errno.fault;
  memory.view.setUint32(count, texts.length, true);
  memory.view.setUint32(bytes, sizeOf(texts), true);
  return errno.success;
}

function sizeOf(texts: readonly Uint8Array[]): number {
  return texts.reduce((sum, { length }) => sum + length + 1, 0);
}

/** The processor's time is not told: those clocks go like the monotonic one. */
function timeOf({ clock }: Surroundings, id: number): bigint | null {
  if (id === realClock) return clock.realNs;
  return otherClocks.includes(id) ? clock.monotonicNs : null;
}

interface Subscription {
  readonly userData: bigint;
  readonly type: number;
  /** Until then, in ns; 0 for all but clocks, which are there already. */
  readonly waitNs: bigint;
  readonly code: Errno;
}

function subscriptionAt(host: Surroundings, at: number): Subscription {
  const { view } = host.memory;
  const userData = view.getBigUint64(at, true);
  const type = view.getUint8(at + 8);
  if (type === readEvent || type === writeEvent) {
    const isOpen = host.descriptors.find(view.getUint32(at + 16, true)) !== null;
    return { userData, type, waitNs: 0n, code: isOpen ? errno.success : errno.badDescriptor };
  }
  const now = type === clockEvent ? timeOf(host, view.getUint32(at + 16, true)) : null;
  if (now === null) return { userData, type, waitNs: 0n, code: errno.invalid };
  const timeout = view.getBigUint64(at + 24, true);
  const isAbsolute = (view.getUint16(at + 40, true) & absoluteFlag) !== 0;
  const waitNs = isAbsolute ? timeout - now : timeout;
  return { userData, type, waitNs: waitNs > 0n ? waitNs : 0n, code: errno.success };
}

export const processFunctions: HostTable<Surroundings> = {
  args_get: offered('ii', (host: Surroundings, list: number, buffer: number) =>
    writeTexts(host, host.args, list, buffer),
  ),

  args_sizes_get: offered('ii', (host: Surroundings, count: number, bytes: number) =>
    writeSizes(host, host.args, count, bytes),
  ),

  environ_get: offered('ii', (host: Surroundings, list: number, buffer: number) =>
    writeTexts(host, host.env, list, buffer),
  ),

  environ_sizes_get: offered('ii', (host: Surroundings, count: number, bytes: number) =>
    writeSizes(host, host.env, count, bytes),
  ),

  clock_res_get: offered('ii', (host: Surroundings, id: number, at: number) => {
    if (timeOf(host, id) === null) return errno.invalid;
    if (!host.memory.has(at, 8)) return errno.fault;
    host.memory.view.setBigUint64(at, clockStepNs, true);
    return errno.success;
  }),

  clock_time_get: offered(
    'iIi',
    (host: Surroundings, id: number, _precision: bigint, at: number) => {
      const time = timeOf(host, id);
      if (time === null) return errno.invalid;
      if (!host.memory.has(at, 8)) return errno.fault;
      host.memory.view.setBigUint64(at, time, true);
      return errno.success;
    },
  ),

  /** Files and streams are always ready; a wait for a clock moves the clock. */
  poll_oneoff: offered(
    'iiii',
    (host: Surroundings, from: number, to: number, count: number, result: number) => {
      const { memory, clock } = host;
      if (count === 0 || count > subscriptionsMost) return errno.invalid;
      const isInMemory =
        memory.has(from, count * subscriptionBytes) &&
        memory.has(to, count * eventBytes) &&
        memory.has(result, 4);
      if (!isInMemory) return errno.fault;
      const waits: Subscription[] = [];
      for (let i = 0; i < count; i++)
        waits.push(subscriptionAt(host, from + i * subscriptionBytes));
      let shortest = waits[0]!.waitNs;
      for (const { waitNs } of waits) if (waitNs < shortest) shortest = waitNs;
      clock.sleep(shortest);
      const due = waits.filter(({ waitNs }) => waitNs <= shortest);
      for (const [index, { userData, type, code }] of due.entries()) {
        const at = to + index * eventBytes;
        memory.part(at, eventBytes).fill(0);
        memory.view.setBigUint64(at, userData, true);
        memory.view.setUint16(at + 8, code, true);
        memory.view.setUint8(at + 10, type);
        // So many bytes can be read or written at once.
        if (type !== clockEvent) memory.view.setBigUint64(at + 16, 65_536n, true);
      }
      memory.view.setUint32(result, due.length, true);
      return errno.success;
    },
  ),

  proc_exit: offered(
    'i',
    (host: Surroundings, code: number) => host.calls.leave({ type: 'exit', code }),
    '()',
  ),

  proc_raise: offered('i', (host: Surroundings, signal: number) =>
    host.calls.leave(failure('wasm_trap', `the program raised signal ${signal}`)),
  ),

  random_get: offered('ii', ({ memory, random }: Surroundings, at: number, length: number) => {
    if (!memory.has(at, length)) return errno.fault;
    random.fill(memory.part(at, length));
    return errno.success;
  }),

  sched_yield: offered('', () => errno.success),

  sock_accept: offered('iii', () => errno.notSupported),
  sock_recv: offered('iiiiii', () => errno.notSupported),
  sock_send: offered('iiiii', () => errno.notSupported),
  sock_shutdown: offered('ii', () => errno.notSupported),
};
