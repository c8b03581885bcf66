// Packs states and keeps blobs over HTTP. Only how it compresses is the platform's.

import type { PackedState } from '../executor.ts';
import type { BlobClient } from './blob-client.ts';
import { PayloadFault, type PayloadStore } from './payload-store.ts';

/** A state up to this size is sent as it is. */
const plainStateBytes = 1024;
/** A gzipped state that is larger goes into a blob. */
const inlineStateBytes = 64 * 1024;
/** Bound of the cache of fetched inputs: tasks of a job often share an input. */
const defaultCachedCharacters = 32 * 1024 * 1024;
const inputPatienceMs = 30_000;
const resultPatienceMs = 600_000;
const longestPauseMs = 5_000;

export interface BlobPayloadOptions {
  readonly blobs: BlobClient;
  /** Size up to which the coordinator takes a result without a blob. */
  readonly resultLimitBytes: number;
  /** Off the event loop. */
  readonly gzip: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>;
  readonly cachedCharacters?: number;
}

export class BlobPayloadStore implements PayloadStore {
  readonly #blobs: BlobClient;
  readonly #options: BlobPayloadOptions;
  /** In the order of their last use. */
  readonly #cache = new Map<string, string>();
  readonly #fetching = new Map<string, Promise<string>>();
  #characters = 0;

  constructor(options: BlobPayloadOptions) {
    this.#blobs = options.blobs;
    this.#options = options;
  }

  pack(stateJson: string): PackedState | Promise<PackedState> {
    return isWithin(stateJson, plainStateBytes)
      ? { encoding: 'json', text: stateJson }
      : this.#packLarge(stateJson);
  }

  isLarge(valueJson: string): boolean {
    return !isWithin(valueJson, this.#options.resultLimitBytes);
  }

  async storeResult(valueJson: string): Promise<string> {
    const bytes = new TextEncoder().encode(valueJson);
    try {
      return await this.#patiently(() => this.#blobs.put(bytes), resultPatienceMs);
    } catch (error) {
      if (!(error instanceof PayloadFault)) throw error;
      const size = `The result has ${bytes.length} bytes as JSON, the limit is`;
      const why = `${size} ${this.#options.resultLimitBytes}, and it is in no blob. ${error.message}`;
      throw new PayloadFault(why, error.isFinal, error);
    }
  }

  async fetchInput(sha256: string): Promise<string> {
    const known = this.#cache.get(sha256);
    if (known !== undefined) {
      this.#keep(sha256, known);
      return known;
    }
    const underway = this.#fetching.get(sha256);
    if (underway !== undefined) return underway;
    const fetching = this.#patiently(() => this.#blobs.get(sha256), inputPatienceMs).then((bytes) =>
      new TextDecoder().decode(bytes),
    );
    this.#fetching.set(sha256, fetching);
    try {
      const text = await fetching;
      this.#keep(sha256, text);
      return text;
    } finally {
      this.#fetching.delete(sha256);
    }
  }

  close(): void {
    this.#blobs.close();
  }

  async #packLarge(stateJson: string): Promise<PackedState> {
    const bytes = new TextEncoder().encode(stateJson);
    const [sha256, packed] = await Promise.all([
      this.#blobs.sha256Of(bytes),
      this.#options.gzip(bytes),
    ]);
    const whole = { sha256, sizeBytes: bytes.length };
    if (packed.length <= inlineStateBytes) {
      return { encoding: 'gzip', base64: base64Of(packed), whole };
    }
    // Not tried again: a newer checkpoint will come.
    return { encoding: 'blob', blobSha256: await this.#blobs.put(packed), whole };
  }

  /** Tries again while the coordinator does not answer, for example during its restart. */
  async #patiently<T>(attempt: () => Promise<T>, patienceMs: number): Promise<T> {
    const until = performance.now() + patienceMs;
    for (let pauseMs = 200; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await attempt();
      } catch (error) {
        const isFinal = !(error instanceof PayloadFault) || error.isFinal || this.#blobs.isClosed;
        if (isFinal || performance.now() + pauseMs > until) throw error;
      }
      await pause(pauseMs);
    }
  }

  #keep(sha256: string, text: string): void {
    const { cachedCharacters = defaultCachedCharacters } = this.#options;
    if (text.length > cachedCharacters) return;
    if (this.#cache.delete(sha256)) this.#characters -= text.length;
    this.#cache.set(sha256, text);
    this.#characters += text.length;
    for (const [oldest, { length }] of this.#cache) {
      if (this.#characters <= cachedCharacters) return;
      this.#cache.delete(oldest);
      this.#characters -= length;
    }
  }
}

/**
 * A UTF-16 unit takes at most three bytes in UTF-8, so the bytes of most texts need not be counted.
 */
function isWithin(text: string, bytes: number): boolean {
  if (text.length > bytes) return false;
  return text.length * 3 <= bytes || new TextEncoder().encode(text).length <= bytes;
}

function base64Of(bytes: Uint8Array): string {
  let characters = '';
  // More than a function takes as arguments would be too many at once.
  for (let at = 0; at < bytes.length; at += 8192) {
    characters += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(characters);
}

/** Keeps no process of Node from its end. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer: unknown = setTimeout(resolve, ms);
    (timer as { readonly unref?: () => void }).unref?.();
  });
}
