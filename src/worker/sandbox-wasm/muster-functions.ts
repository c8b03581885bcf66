// What a program may import from `muster`, for those that are called; and the two functions that AssemblyScript wants
// from `env`.

import { failure } from './ends.ts';
import { TextPieces } from './engine.ts';
import { type HostTable, offered } from './host-calls.ts';
import type { Surroundings } from './surroundings.ts';

/** A message is cut here before it is decoded. */
const messageBytes = 16_384;
const utf16Characters = 4_000;

/** A place in memory that the program does not have ends it, as it would in its own code. */
function outOfBounds(host: Surroundings, name: string): number {
  return host.calls.leave(failure('wasm_trap', `${name}: memory access out of bounds`));
}

function textAt({ memory }: Surroundings, pointer: number, length: number): string {
  return new TextPieces().next(memory.part(pointer, Math.min(length, messageBytes)));
}

function readInto(
  host: Surroundings,
  bytes: Uint8Array | null,
  pointer: number,
  name: string,
): number {
  if (bytes === null) return 0;
  if (!host.memory.has(pointer, bytes.length)) return outOfBounds(host, name);
  host.memory.bytes.set(bytes, pointer);
  return 0;
}

export const musterFunctions: HostTable<Surroundings> = {
  progress: offered(
    'd',
    ({ task }: Surroundings, share: number) => {
      task.report(share, null);
      return 0;
    },
    '()',
  ),

  cancelled: offered('', (host: Surroundings) => {
    host.stop.asked();
    return host.task.isStopped() ? 1 : 0;
  }),

  checkpoint_due: offered('', ({ task }: Surroundings) => (task.isCheckpointDue() ? 1 : 0)),

  shared_length: offered('', ({ shared }: Surroundings) => shared?.length ?? -1),

  shared_read: offered(
    'i',
    (host: Surroundings, pointer: number) =>
      readInto(host, host.shared, pointer, 'muster.shared_read'),
    '()',
  ),

  random: offered('', ({ random }: Surroundings) => random.next(), 'f64'),

  log: offered(
    'ii',
    (host: Surroundings, pointer: number, length: number) => {
      if (!host.memory.has(pointer, length)) return outOfBounds(host, 'muster.log');
      host.printed.add(host.memory.part(pointer, length));
      host.printed.add(lineEnd);
      return 0;
    },
    '()',
  ),

  fail: offered(
    'ii',
    (host: Surroundings, pointer: number, length: number) => {
      if (!host.memory.has(pointer, length)) return outOfBounds(host, 'muster.fail');
      return host.calls.leave(failure('Error', textAt(host, pointer, length)));
    },
    '()',
  ),
};

const lineEnd = Uint8Array.of(0x0a);

/** Not for a program in steps: its checkpoint is its memory. */
export const stateFunctions: HostTable<Surroundings> = {
  checkpoint: offered(
    'ii',
    (host: Surroundings, pointer: number, length: number) => {
      if (!host.memory.has(pointer, length)) return outOfBounds(host, 'muster.checkpoint');
      host.offer(host.memory.part(pointer, length));
      return 0;
    },
    '()',
  ),

  state_length: offered('', ({ resumed }: Surroundings) => resumed?.length ?? -1),

  state_read: offered(
    'i',
    (host: Surroundings, pointer: number) =>
      readInto(host, host.resumed, pointer, 'muster.state_read'),
    '()',
  ),
};

export const assemblyScriptFunctions: HostTable<Surroundings> = {
  abort: offered(
    'iiii',
    (host: Surroundings, message: number, file: number, line: number, column: number) => {
      const place = `${utf16At(host, file)}:${line}:${column}`;
      const text = utf16At(host, message);
      return host.calls.leave(
        failure('wasm_trap', text === '' ? 'abort' : text, { stack: `at ${place}` }),
      );
    },
    '()',
  ),

  seed: offered('', ({ random }: Surroundings) => random.next(), 'f64'),
};

/** A string of AssemblyScript: UTF-16, with the number of its bytes before it. Empty where there is none. */
function utf16At({ memory }: Surroundings, pointer: number): string {
  if (pointer < 4 || !memory.has(pointer, 0)) return '';
  const bytes = memory.view.getUint32(pointer - 4, true);
  if (!memory.has(pointer, bytes)) return '';
  const units: number[] = [];
  for (let i = 0; i < Math.min(bytes >>> 1, utf16Characters); i++) {
    units.push(memory.view.getUint16(pointer + 2 * i, true));
  }
  return String.fromCharCode(...units).toWellFormed();
}
