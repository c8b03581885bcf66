// How WASI preview 1 lays out what it reads from and writes into the memory of a program. Whoever writes has asked
// whether there is room (https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md).

import { errno, type Errno } from './errno.ts';
import { fromUtf8 } from './engine.ts';
import type { Node } from './file-nodes.ts';
import type { GuestMemory } from './guest-memory.ts';

export const fileType = { terminal: 2, folder: 3, file: 4 } as const;
export const filestatBytes = 64;
export const fdstatBytes = 24;
export const direntBytes = 24;

/** Pieces of memory that one call reads or writes, at most (`IOV_MAX`). */
const vectorsMost = 1024;
const vectorBytes = 8;
/** Bytes that one call moves, at most: less than was asked for is no error, and a call does not last for long. */
const movedMost = 16 * 1024 * 1024;

/**
 * Calls back for each piece of memory that the program names, until all are used or `use` returns false. The pieces
 * may lie over each other.
 */
export function eachVector(
  memory: GuestMemory,
  pointer: number,
  count: number,
  use: (part: Uint8Array) => boolean,
): Errno {
  if (count > vectorsMost) return errno.invalid;
  if (!memory.has(pointer, count * vectorBytes)) return errno.fault;
  // The program could put one of them over the list.
  const vectors: [number, number][] = [];
  let left = movedMost;
  for (let i = 0; i < count; i++) {
    const begin = memory.view.getUint32(pointer + i * vectorBytes, true);
    const length = memory.view.getUint32(pointer + i * vectorBytes + 4, true);
    if (!memory.has(begin, length)) return errno.fault;
    vectors.push([begin, Math.min(length, left)]);
    left -= vectors.at(-1)![1];
  }
  for (const [begin, length] of vectors) {
    if (length > 0 && !use(memory.part(begin, length))) break;
  }
  return errno.success;
}

export function readPath(memory: GuestMemory, pointer: number, length: number): string | Errno {
  if (!memory.has(pointer, length)) return errno.fault;
  if (length > 4 * 4096) return errno.nameTooLong;
  return fromUtf8(memory.part(pointer, length)) ?? errno.badText;
}

/** `filestat`: of a stream when there is no node. */
export function writeFilestat(
  memory: GuestMemory,
  at: number,
  node: Node | null,
  type: number,
): void {
  const { view } = memory;
  memory.part(at, filestatBytes).fill(0);
  view.setBigUint64(at + 8, BigInt(node?.id ?? 0), true);
  view.setUint8(at + 16, type);
  view.setBigUint64(at + 24, 1n, true);
  view.setBigUint64(at + 32, BigInt(node?.size ?? 0), true);
}
