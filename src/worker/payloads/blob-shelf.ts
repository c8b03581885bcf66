// Blobs that programs and shared values name, kept by their hash: fetched once for all jobs that name them, the longest
// unused forgotten when there are too many. Where they lie is for the platform to say.

import type { BlobContent } from '../executor.ts';

/** A blob, however many jobs need it, counts once; those that somebody holds may be more. */
export const defaultShelfBytes = 256 * 1024 * 1024;

/** Where blobs lie. */
export interface BlobCabinet {
  /** What lies there from before, the longest unused first. */
  list(): Promise<readonly { readonly sha256: string; readonly sizeBytes: number }[]>;
  /** Undefined when it is not there, or not whole. */
  find(sha256: string): Promise<BlobContent | undefined>;
  put(sha256: string, bytes: Uint8Array): Promise<BlobContent>;
  drop(sha256: string): void;
}

/** Blobs that stay until they are released, once. */
export interface HeldBlobs {
  readonly contents: ReadonlyMap<string, BlobContent>;
  readonly release: () => void;
}

interface Entry {
  sizeBytes: number;
  holders: number;
}

export class BlobShelf {
  readonly #cabinet: BlobCabinet;
  readonly #fetch: (sha256: string) => Promise<Uint8Array>;
  readonly #mostBytes: number;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #coming = new Map<string, Promise<BlobContent>>();
  #listing: Promise<void> | null = null;
  #bytes = 0;

  constructor(
    cabinet: BlobCabinet,
    fetch: (sha256: string) => Promise<Uint8Array>,
    mostBytes = defaultShelfBytes,
  ) {
    this.#cabinet = cabinet;
    this.#fetch = fetch;
    this.#mostBytes = mostBytes;
  }

  /** Rejects when one of them cannot be had; then none is held. */
  async hold(names: readonly string[]): Promise<HeldBlobs> {
    await (this.#listing ??= this.#list());
    const held = new Set(names);
    for (const sha256 of held) this.#use(sha256).holders += 1;
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      for (const sha256 of held) this.#entries.get(sha256)!.holders -= 1;
      this.#trim();
    };
    try {
      const contents = new Map<string, BlobContent>();
      // One after the other: each may be tens of megabytes in memory on its way.
      for (const sha256 of held) contents.set(sha256, await this.#content(sha256));
      this.#trim();
      return { contents, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  #use(sha256: string): Entry {
    const entry = this.#entries.get(sha256) ?? { sizeBytes: 0, holders: 0 };
    this.#entries.delete(sha256);
    this.#entries.set(sha256, entry);
    return entry;
  }

  #content(sha256: string): Promise<BlobContent> {
    let coming = this.#coming.get(sha256);
    if (coming === undefined) {
      coming = this.#load(sha256).finally(() => this.#coming.delete(sha256));
      this.#coming.set(sha256, coming);
    }
    return coming;
  }

  async #load(sha256: string): Promise<BlobContent> {
    const content =
      (await this.#cabinet.find(sha256)) ??
      (await this.#cabinet.put(sha256, await this.#fetch(sha256)));
    const entry = this.#entries.get(sha256)!;
    this.#bytes -= entry.sizeBytes;
    entry.sizeBytes = 'path' in content ? content.sizeBytes : content.bytes.length;
    this.#bytes += entry.sizeBytes;
    return content;
  }

  async #list(): Promise<void> {
    for (const { sha256, sizeBytes } of await this.#cabinet.list()) {
      this.#entries.set(sha256, { sizeBytes, holders: 0 });
      this.#bytes += sizeBytes;
    }
  }

  #trim(): void {
    for (const [sha256, { sizeBytes, holders }] of this.#entries) {
      if (holders > 0) continue;
      // What could not be had has left nothing but its name.
      if (this.#bytes <= this.#mostBytes && sizeBytes > 0) return;
      this.#entries.delete(sha256);
      this.#bytes -= sizeBytes;
      this.#cabinet.drop(sha256);
    }
  }
}

/** In memory, for a platform that has no files. */
export class MemoryCabinet implements BlobCabinet {
  readonly #blobs = new Map<string, Uint8Array>();

  async list(): Promise<readonly []> {
    return [];
  }

  async find(sha256: string): Promise<BlobContent | undefined> {
    const bytes = this.#blobs.get(sha256);
    return bytes && { bytes };
  }

  async put(sha256: string, bytes: Uint8Array): Promise<BlobContent> {
    this.#blobs.set(sha256, bytes);
    return { bytes };
  }

  drop(sha256: string): void {
    this.#blobs.delete(sha256);
  }
}
