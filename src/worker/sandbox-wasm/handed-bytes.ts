// Bytes that are handed to a program that is called, and bytes that it hands back, by their place in its memory.

import { failure } from './ends.ts';
import type { ExportedFunction } from './engine.ts';
import type { Surroundings } from './surroundings.ts';

/** Asks the program for room and puts the input there. Null: it is left, for it gave a place that it does not have. */
export function handIn(
  { memory, calls }: Surroundings,
  alloc: ExportedFunction,
  input: Uint8Array,
): number | null {
  const pointer = Number(alloc(input.length)) >>> 0;
  memory.refresh();
  if (memory.has(pointer, input.length)) {
    memory.bytes.set(input, pointer);
    return pointer;
  }
  calls.leave(failure('wasm_trap', 'muster_alloc gave a place that lies outside of its memory'));
  return null;
}

/**
 * A view on what a program returned: the place in the high half of the number, the length in the low one. Null:
 * it does not lie in its memory.
 */
export function partOf({ memory }: Surroundings, returned: unknown): Uint8Array | null {
  const packed = returned as bigint;
  const length = Number(BigInt.asUintN(32, packed));
  const pointer = Number(BigInt.asUintN(32, packed >> 32n));
  return memory.has(pointer, length) ? memory.part(pointer, length) : null;
}
