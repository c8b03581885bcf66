// The memory of an interpreter that has started, as a file: an interpreter that begins with it is there several times
// sooner. A head says what is in it; whoever finds anything wrong with one starts without it.

import { distributionHash } from './distribution.ts';
import { driverModules } from './driver/driver-modules.ts';

/** Of bytes, in hexadecimal digits. */
export type Sha256 = (bytes: Uint8Array) => string | Promise<string>;

const headBytes = 256;
const form = 'muster-python-image-1';

/** Names everything that an image is made of: one with another name is of no use. */
export async function imageName(sha256: Sha256): Promise<string> {
  return sha256(asciiBytes(`${form} ${distributionHash} ${JSON.stringify(driverModules)}`));
}

/** With its head, for a file. */
export async function wrapImage(
  memory: Uint8Array,
  sha256: Sha256,
): Promise<Uint8Array<ArrayBuffer>> {
  const file = new Uint8Array(headBytes + memory.length);
  file.set(asciiBytes(await headOf(memory, sha256)));
  file.set(memory, headBytes);
  return file;
}

/** The memory in a file; null when it is another one, or damaged. */
export async function unwrapImage(file: Uint8Array, sha256: Sha256): Promise<Uint8Array | null> {
  const memory = file.subarray(headBytes);
  const head = asciiBytes(await headOf(memory, sha256));
  const found = file.subarray(0, headBytes);
  const isSame = found.length === headBytes && found.every((byte, i) => byte === (head[i] ?? 0));
  return isSame ? memory : null;
}

async function headOf(memory: Uint8Array, sha256: Sha256): Promise<string> {
  return `${form} ${await imageName(sha256)} ${await sha256(memory)}`;
}

function asciiBytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
