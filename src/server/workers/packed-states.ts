// Whether the packed states of a frame or call are what is said of them. Unpacking happens on the event loop, so
// only small states are looked at, and only so much of one frame: the others are unpacked when an attempt is to
// resume from them, away from the loop.

import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { JsonScanner } from '../../protocol/json-scanner.ts';

/** Of JSON text: some tenths of a millisecond. */
const largestBytes = 16 * 1024;
const mostBytes = 4 * largestBytes;

export class PackedStates {
  private left = mostBytes;

  /** A sentence about a state that is not what its hash or size says; null too when it is not looked at. */
  problemOf(base64: string, sha256: string, sizeBytes: number): string | null {
    if (sizeBytes > Math.min(largestBytes, this.left)) return null;
    this.left -= sizeBytes;
    const text = unpacked(base64, sizeBytes);
    if (text === undefined) {
      return `state_gzip is not gzip, or has more than the ${sizeBytes} bytes of JSON that size_bytes says.`;
    }
    if (text.length < sizeBytes) {
      return `size_bytes is not that of the JSON text in state_gzip: ${sizeBytes} was given, it has ${text.length}.`;
    }
    if (hash('sha256', text) !== sha256) {
      return 'sha256 is not that of the JSON text in state_gzip: it is made of the text, not of the gzip.';
    }
    const scanner = new JsonScanner(text);
    scanner.scan();
    return scanner.problem === null ? null : `The text in state_gzip is ${scanner.problem}.`;
  }
}

function unpacked(base64: string, sizeBytes: number): Buffer | undefined {
  try {
    return gunzipSync(Buffer.from(base64, 'base64'), { maxOutputLength: Math.max(1, sizeBytes) });
  } catch {
    return undefined;
  }
}
