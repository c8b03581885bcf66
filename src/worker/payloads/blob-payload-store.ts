// Packs states and keeps blobs over HTTP. Only how it compresses is the platform's.

import type { PackedState } from '../executor.ts';
import type { BlobClient } from './blob-client.ts';
import { type BlobCabinet, BlobShelf, type HeldBlobs } from './blob-shelf.ts';
import { PayloadFault, type PayloadStore } from './payload-store.ts';

/** A state up to this size is sent as it is. */
const plainStateBytes = 1024;
/** A gzipped state that is larger goes into a blob. */
const inlineStateBytes = 64 * 1024;
/** Bound of the cache of fetched inputs, in characters and bytes: tasks of a job often share an input. */
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
  /** Where blobs lie that programs name. */
  readonly cabinet: BlobCabinet;
}

export class BlobPayloadStore implements PayloadStore {
  readonly #blobs: BlobClient;
  readonly #options: BlobPayloadOptions;
  readonly #texts: Cache<string>;
  readonly #bytes: Cache<Uint8Array>;
  readonly #shelf: BlobShelf;

  constructor(options: BlobPayloadOptions) {
    this.#blobs = options.blobs;
    this.#options = options;
    const { cachedCharacters = defaultCachedCharacters, cabinet } = options;
    const fetch = (sha256: string) =>
      this.#patiently(() => this.#blobs.get(sha256), inputPatienceMs);
    const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    this.#texts = new Cache((sha256) => fetch(sha256).then(decode), cachedCharacters);
    this.#bytes = new Cache(fetch, cachedCharacters);
    this.#shelf = new BlobShelf(cabinet, fetch);
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
    const size = `The result has ${bytes.length} bytes as JSON, the limit is`;
    return this.#store(bytes, `${size} ${this.#options.resultLimitBytes}, and it is in no blob.`);
  }

  async storeBytes(bytes: Uint8Array): Promise<string> {
    // Memory that is shared with somebody else could change on its way.
    const own = bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : null;
    const size = `The result is ${bytes.length} bytes`;
    return this.#store(own ?? new Uint8Array(bytes), `${size}, and they are in no blob.`);
  }

  async #store(bytes: Uint8Array<ArrayBuffer>, otherwise: string): Promise<string> {
    try {
      return await this.#patiently(() => this.#blobs.put(bytes), resultPatienceMs);
    } catch (error) {
      if (!(error instanceof PayloadFault)) throw error;
      throw new PayloadFault(`${otherwise} ${error.message}`, error.isFinal, error);
    }
  }

  fetchInput(sha256: string): Promise<string> {
    return this.#texts.get(sha256);
  }

  fetchBytes(sha256: string): Promise<Uint8Array> {
    return this.#bytes.get(sha256);
  }

  hold(names: readonly string[]): Promise<HeldBlobs> {
    return this.#shelf.hold(names);
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
}

/** What was fetched last, as far as it has room. */
class Cache<T extends { readonly length: number }> {
  readonly #fetch: (sha256: string) => Promise<T>;
  readonly #most: number;
  /** In the order of their last use. */
  readonly #kept = new Map<string, T>();
  readonly #fetching = new Map<string, Promise<T>>();
  #length = 0;

  constructor(fetch: (sha256: string) => Promise<T>, most: number) {
    this.#fetch = fetch;
    this.#most = most;
  }

  async get(sha256: string): Promise<T> {
    const known = this.#kept.get(sha256);
    if (known !== undefined) {
      this.#keep(sha256, known);
      return known;
    }
    const underway = this.#fetching.get(sha256);
    if (underway !== undefined) return underway;
    const fetching = this.#fetch(sha256);
    this.#fetching.set(sha256, fetching);
    try {
      const found = await fetching;
      this.#keep(sha256, found);
      return found;
    } finally {
      this.#fetching.delete(sha256);
    }
  }

  #keep(sha256: string, found: T): void {
    if (found.length > this.#most) return;
    if (this.#kept.delete(sha256)) this.#length -= found.length;
    this.#kept.set(sha256, found);
    this.#length += found.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#length <= this.#most) return;
      this.#kept.delete(oldest);
      this.#length -= length;
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
