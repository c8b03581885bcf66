// A checkpoint of a program in steps: its memory and its mutable global variables, its clock and random numbers.
// Memory that is zero is left out, the rest is deflated (RFC 1951), in pieces, so that no second memory is needed.
//
// An image may come from anybody: what is read from one is bounded by the memory that the program may have.

// The entry for browsers runs everywhere; that for Node would load threads.
import { Deflate, Inflate } from 'fflate/browser';
import type { RandomState } from '../sandbox/seeded-random.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { pageBytes } from './bounded-module.ts';
import type { GlobalVariable, Instance } from './engine.ts';
import type { GuestMemory } from './guest-memory.ts';
import { randomOf } from './saved-state.ts';

/** Memory is looked through in blocks of so many bytes, of which those with something in them are kept. */
const blockBytes = 4096;
const blockWords = blockBytes / 4;
const blocksAtOnce = 16;
const globalBytes = 8;
/** Fast: a checkpoint is packed once more on its way. */
const level = 1;

export interface ImageOf {
  readonly memory: GuestMemory;
  readonly instance: Instance;
  /** Names of the global variables. */
  readonly globals: readonly string[];
}

export interface TakenWith {
  readonly passedNs: bigint;
  readonly random: RandomState | null;
}

export interface MemoryImage extends TakenWith {
  readonly pages: number;
  readonly globals: Uint8Array;
  /** Deflated: which blocks there are, a bit each, then the blocks. */
  readonly blocks: Uint8Array;
}

/** Null: it would have more than `mostBytes`, as JSON text. */
export function imageJsonOf(
  of: ImageOf,
  { passedNs, random }: TakenWith,
  mostBytes: number,
): string | null {
  const blocks = packBlocks(of.memory.bytes, (mostBytes / 4) * 3);
  if (blocks === null) return null;
  const json = JSON.stringify({
    $wasm: 1,
    pages: of.memory.size / pageBytes,
    globals: toBase64(readGlobals(of)),
    passed_ns: String(passedNs),
    random,
    blocks: toBase64(blocks),
  });
  return json.length <= mostBytes ? json : null;
}

/** Null when it is none. */
export function readImage(json: string): MemoryImage | null {
  const { $wasm, pages, globals, passed_ns, random, blocks } = fieldsOf(json);
  const isImage =
    $wasm === 1 && typeof pages === 'number' && Number.isSafeInteger(pages) && pages >= 0;
  if (!isImage || typeof globals !== 'string' || typeof blocks !== 'string') return null;
  if (typeof passed_ns !== 'string' || !/^\d{1,18}$/.test(passed_ns)) return null;
  const state = randomOf(JSON.stringify(random) ?? '');
  const [globalsRead, blocksRead] = [fromBase64(globals), fromBase64(blocks)];
  if (state === undefined || globalsRead === null || blocksRead === null) return null;
  return {
    pages,
    globals: globalsRead,
    passedNs: BigInt(passed_ns),
    random: state,
    blocks: blocksRead,
  };
}

function fieldsOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** False, and the instance is of no use, when the image is not one of its module. Throws when there is no room. */
export function restore(of: ImageOf, image: MemoryImage, pagesMost: number): boolean {
  const { memory, globals } = of;
  if (image.pages > pagesMost || image.pages * pageBytes < memory.size) return false;
  if (image.globals.length !== globals.length * globalBytes) return false;
  memory.growTo(image.pages * pageBytes, pageBytes);
  if (!unpackBlocks(image.blocks, memory.bytes)) return false;
  writeGlobals(of, image.globals);
  return true;
}

function packBlocks(bytes: Uint8Array, mostBytes: number): Uint8Array | null {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const count = bytes.length / blockBytes;
  const map = new Uint8Array(Math.ceil(count / 8));
  for (let block = 0; block < count; block++) {
    if (!isZero(words, block * blockWords)) map[block >> 3]! |= 1 << (block & 7);
  }
  const packed = new PackedBytes(mostBytes);
  packed.push(map);
  let block = 0;
  while (block < count && !packed.isTooLarge) {
    const begin = block;
    // Blocks beside each other go together: each push costs something.
    while (block < count && block - begin < blocksAtOnce && isSet(map, block)) block++;
    if (block > begin) packed.push(bytes.subarray(begin * blockBytes, block * blockBytes));
    else block++;
  }
  return packed.end();
}

function isZero(words: Uint32Array, from: number): boolean {
  for (let at = from; at < from + blockWords; at++) if (words[at] !== 0) return false;
  return true;
}

function isSet(map: Uint8Array, block: number): boolean {
  return ((map[block >> 3]! >> (block & 7)) & 1) === 1;
}

/** What was pushed, deflated. */
class PackedBytes {
  readonly #mostBytes: number;
  readonly #parts: Uint8Array[] = [];
  readonly #deflate: Deflate;
  #size = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
    this.#deflate = new Deflate({ level }, (part) => {
      this.#size += part.length;
      if (!this.isTooLarge) this.#parts.push(part);
    });
  }

  get isTooLarge(): boolean {
    return this.#size > this.#mostBytes;
  }

  push(bytes: Uint8Array): void {
    this.#deflate.push(bytes, false);
  }

  /** Null: it is too large. */
  end(): Uint8Array | null {
    this.#deflate.push(new Uint8Array(0), true);
    if (this.isTooLarge) return null;
    const whole = new Uint8Array(this.#size);
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}

/** False: they are not blocks of a memory of this size. */
function unpackBlocks(packed: Uint8Array, bytes: Uint8Array): boolean {
  const filling = new MemoryFilling(bytes);
  const inflate = new Inflate((part) => filling.take(part));
  try {
    // In small pieces: each may become a thousand times as much.
    for (let at = 0; at < packed.length && !filling.isWrong; at += piece) {
      inflate.push(packed.subarray(at, at + piece), at + piece >= packed.length);
    }
  } catch {
    return false;
  }
  return filling.isComplete;
}

const piece = 16_384;

/** Fills a memory from a list of its blocks, and the blocks. */
class MemoryFilling {
  /** There were more bytes than blocks to fill. */
  isWrong = false;
  readonly #bytes: Uint8Array;
  readonly #count: number;
  readonly #map: Uint8Array;
  /** Of the map and of the block, so much is here. */
  #mapped = 0;
  #filled = 0;
  #block = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes.fill(0);
    this.#count = bytes.length / blockBytes;
    this.#map = new Uint8Array(Math.ceil(this.#count / 8));
  }

  get isComplete(): boolean {
    if (this.isWrong || this.#mapped < this.#map.length) return false;
    return this.#filled === 0 && this.#nextBlock() === this.#count;
  }

  take(part: Uint8Array): void {
    let at = Math.min(part.length, this.#map.length - this.#mapped);
    this.#map.set(part.subarray(0, at), this.#mapped);
    this.#mapped += at;
    while (at < part.length && !this.isWrong) at += this.#fill(part.subarray(at));
  }

  /** How many of them were taken. */
  #fill(part: Uint8Array): number {
    const block = this.#nextBlock();
    if (block === this.#count) {
      this.isWrong = true;
      return 0;
    }
    const taken = part.subarray(0, blockBytes - this.#filled);
    this.#bytes.set(taken, block * blockBytes + this.#filled);
    this.#filled += taken.length;
    if (this.#filled === blockBytes) {
      this.#filled = 0;
      this.#block++;
    }
    return taken.length;
  }

  /** The one to fill, or the number of blocks if there is none. */
  #nextBlock(): number {
    while (this.#block < this.#count && !isSet(this.#map, this.#block)) this.#block++;
    return this.#block;
  }
}

function readGlobals({ instance, globals }: ImageOf): Uint8Array {
  const view = new DataView(new ArrayBuffer(globals.length * globalBytes));
  for (const [index, name] of globals.entries()) {
    const { value } = instance.exports[name] as GlobalVariable;
    // A number of 32 bits is a double without loss.
    if (typeof value === 'bigint') view.setBigInt64(index * globalBytes, value, true);
    else view.setFloat64(index * globalBytes, value, true);
  }
  return new Uint8Array(view.buffer);
}

function writeGlobals({ instance, globals }: ImageOf, bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const [index, name] of globals.entries()) {
    const variable = instance.exports[name] as GlobalVariable;
    variable.value =
      typeof variable.value === 'bigint'
        ? view.getBigInt64(index * globalBytes, true)
        : view.getFloat64(index * globalBytes, true);
  }
}
