// Inputs that are bytes, or beyond the limit, become blobs on their way: what is sent is a reference, and the worker puts
// the value in its place. One is in hand at a time.

import type { Limits } from '../protocol/limits.ts';
import { putBlob } from './blobs.ts';
import { type Endpoint, requestJson } from './request.ts';

/** Characters that fit into any sensible limit for inputs: of shorter ones nobody asks for the limit. */
const CERTAINLY_SHORT = 32 * 1024;

interface InputLimits {
  readonly input_bytes: Limits['inputBytes'];
  readonly blob_bytes: Limits['blobBytes'];
}

export class LargeInputs {
  readonly #endpoint: Endpoint;
  readonly #signal: AbortSignal | undefined;
  #limits: Promise<InputLimits> | undefined;

  constructor(endpoint: Endpoint, signal: AbortSignal | undefined) {
    this.#endpoint = endpoint;
    this.#signal = signal;
  }

  isShort(text: string): boolean {
    return text.length <= CERTAINLY_SHORT;
  }

  /** The JSON text to send for bytes: they are uploaded. Throws likewise. */
  async bytesToSend(bytes: Uint8Array, index: number): Promise<string> {
    const { blob_bytes: most } = await this.#limitsOf();
    if (bytes.length > most) throw tooLarge(bytes, index, most);
    const signal = this.#signal;
    const { $blob } = await putBlob(this.#endpoint, bytes, signal === undefined ? {} : { signal });
    return JSON.stringify({ $bytes: $blob });
  }

  /** The JSON text to send for this one. Throws a `RangeError` about one that not even a blob can hold. */
  async toSend(text: string, index: number): Promise<string> {
    const signal = this.#signal;
    const { input_bytes: most, blob_bytes: mostOfBlob } = await this.#limitsOf();
    // A character takes three bytes at most.
    if (text.length * 3 <= most) return text;
    const bytes = new TextEncoder().encode(text);
    if (bytes.length <= most) return text;
    if (bytes.length > mostOfBlob) throw tooLarge(bytes, index, mostOfBlob);
    const ref = await putBlob(this.#endpoint, bytes, signal === undefined ? {} : { signal });
    return JSON.stringify(ref);
  }

  #limitsOf(): Promise<InputLimits> {
    const signal = this.#signal;
    this.#limits ??= requestJson<InputLimits>(this.#endpoint, '/api/limits', { signal });
    return this.#limits;
  }
}

function tooLarge({ length }: Uint8Array, index: number, most: number): RangeError {
  return new RangeError(
    `inputs[${index}] has ${length} bytes, and an input may have ${most} (limit blob_bytes).`,
  );
}
