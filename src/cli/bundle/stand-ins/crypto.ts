// Stands in for Node's `crypto` in a bundle: hashes, and random numbers of the task. A second attempt repeats
// these, and the device that runs a task can read along: nothing secret is made there.

import { hmac } from '@noble/hashes/hmac.js';
import { md5, ripemd160, sha1 } from '@noble/hashes/legacy.js';
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { Buffer } from 'buffer/index.js';

const hashes = { md5, ripemd160, sha1, sha224, sha256, sha384, sha512 };

type Data = string | ArrayBufferView;
type Hash = (bytes: Uint8Array) => Uint8Array;

class Digest {
  readonly #hash: Hash;
  #parts: Uint8Array[] = [];

  constructor(hash: Hash) {
    this.#hash = hash;
  }

  update(data: Data, encoding?: BufferEncoding): this {
    this.#parts.push(bytesOf(data, encoding));
    return this;
  }

  digest(): Buffer;
  digest(encoding: BufferEncoding): string;
  digest(encoding?: BufferEncoding): Buffer | string {
    const bytes = Buffer.from(this.#hash(concatBytes(...this.#parts)));
    return encoding === undefined ? bytes : bytes.toString(encoding);
  }
}

function bytesOf(data: Data, encoding: BufferEncoding = 'utf8'): Uint8Array {
  if (typeof data === 'string') return Uint8Array.from(Buffer.from(data, encoding));
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
}

function hashNamed(name: string): (typeof hashes)[keyof typeof hashes] {
  const known = name.toLowerCase().replace(/^sha-/, 'sha');
  if (!Object.hasOwn(hashes, known)) {
    throw new Error(`there is no hash "${name}" where tasks run: ${getHashes().join(', ')}`);
  }
  return hashes[known as keyof typeof hashes];
}

export function createHash(name: string): Digest {
  return new Digest(hashNamed(name));
}

export function createHmac(name: string, key: Data): Digest {
  const hash = hashNamed(name);
  const secret = bytesOf(key);
  return new Digest((bytes) => hmac(hash, secret, bytes));
}

export function getHashes(): string[] {
  return Object.keys(hashes);
}

export function randomFillSync<T extends Uint8Array>(bytes: T): T {
  for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(Math.random() * 256);
  return bytes;
}

type BytesListener = (error: null, bytes: Buffer) => void;

export function randomBytes(count: number): Buffer;
export function randomBytes(count: number, listener: BytesListener): undefined;
export function randomBytes(count: number, listener?: BytesListener): Buffer | undefined {
  const bytes = randomFillSync(Buffer.alloc(count));
  if (listener === undefined) return bytes;
  setTimeout(listener, 0, null, bytes);
  return undefined;
}

export function randomInt(from: number, to?: number): number {
  const [lowest, end] = to === undefined ? [0, from] : [from, to];
  return lowest + Math.floor(Math.random() * (end - lowest));
}

export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

export const webcrypto = globalThis.crypto;
export const getRandomValues = (bytes: Uint8Array<ArrayBuffer>): Uint8Array =>
  webcrypto.getRandomValues(bytes);
export const randomUUID = (): string => webcrypto.randomUUID();

// oxlint-disable-next-line import/no-default-export -- because Node's module has one
export default {
  createHash,
  createHmac,
  getHashes,
  getRandomValues,
  randomBytes,
  randomFillSync,
  randomInt,
  randomUUID,
  timingSafeEqual,
  webcrypto,
};
