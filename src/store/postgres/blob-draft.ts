// A blob that is being received: whole chunks are written as they come, each in a transaction of its own, the last
// one together with the name. Only that one waits for the disk.

import type { BlobDraft, StagedBlob } from '../staging.ts';
import { StoreFault } from '../store.ts';
import { needsTouch } from '../visibility.ts';
import { closed } from './driver/faults.ts';
import type { Reader } from './driver/reader.ts';
import type { Query } from './driver/statement.ts';
import {
  beginDraft,
  chunkBytes,
  type Draft,
  findNamed,
  letGo,
  lockName,
  nameDraft,
  type NamedBlob,
  revive,
  writeChunk,
} from './tables/blob-bytes.ts';
import { disown, ownBlob } from './tables/blob-table.ts';

export class PostgresBlobDraft implements BlobDraft {
  readonly #reader: Reader;
  readonly #member: string;
  /** Null before the first chunk. */
  #draft: Draft | null = null;
  #chunks = 0;
  #sizeBytes = 0;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #isOver = false;

  /** `staged`: by whoever it belongs to, which may be another member. */
  constructor(reader: Reader, member: string, staged?: StagedBlob) {
    this.#reader = reader;
    this.#member = member;
    if (staged === undefined) return;
    this.#draft = { key: staged.key, member: staged.member };
    this.#sizeBytes = staged.sizeBytes;
  }

  async append(bytes: Uint8Array): Promise<void> {
    let rest = bytes;
    while (this.#pendingBytes + rest.length >= chunkBytes) {
      const fitting = chunkBytes - this.#pendingBytes;
      this.#take(rest.subarray(0, fitting));
      rest = rest.subarray(fitting);
      await this.#writeChunk();
    }
    if (rest.length > 0) this.#take(rest);
  }

  async stage(): Promise<StagedBlob> {
    if (this.#pendingBytes > 0) await this.#writeChunk();
    const draft = await this.#reader.writeUnsynced((query) => this.#begun(query));
    this.#draft = draft;
    if (!this.#isOver) return { ...draft, sizeBytes: this.#sizeBytes };
    this.abandon();
    throw closed();
  }

  async finish(sha256: string, at: number, owner?: string): Promise<boolean> {
    if (this.#isOver) throw closed();
    try {
      const isNew = await this.#reader.write((query) => this.#name(query, sha256, at, owner));
      this.#draft = null;
      return isNew;
    } finally {
      this.abandon();
    }
  }

  abandon(): void {
    this.#isOver = true;
    this.#pending = [];
    const draft = this.#draft;
    this.#draft = null;
    if (draft === null) return;
    // What cannot be let go is swept after the next start.
    this.#reader.write((query) => letGo(query, draft)).catch(() => undefined);
  }

  async #writeChunk(): Promise<void> {
    if (this.#isOver) throw closed();
    this.#draft = await this.#reader.writeUnsynced((query) => this.#flush(query));
    // It may have been abandoned meanwhile.
    if (!this.#isOver) return;
    this.abandon();
    throw closed();
  }

  /** True when it is there from now on, and was not before. */
  async #name(
    query: Query,
    sha256: string,
    at: number,
    owner: string | undefined,
  ): Promise<boolean> {
    const generation = await lockName(query, sha256);
    const found = await findNamed(query, sha256);
    const isNew = found === undefined || found.generation < generation;
    if (found === undefined) {
      const draft = this.#pendingBytes > 0 ? await this.#flush(query) : await this.#begun(query);
      const row = { sha256, sizeBytes: this.#sizeBytes, touchedAt: at };
      if (!(await nameDraft(query, draft, row, generation))) throw swept();
    } else {
      // The same blob was finished by another draft before: these chunks are swept.
      if (this.#draft !== null) await letGo(query, this.#draft);
      await this.#keep(query, found, generation, at);
    }
    if (owner !== undefined) await ownBlob(query, sha256, owner);
    return isNew;
  }

  async #keep(query: Query, found: NamedBlob, generation: number, at: number): Promise<void> {
    const isOld = found.generation < generation;
    if (isOld || needsTouch(found, at)) {
      await revive(query, found.key, Math.max(generation, found.generation), at);
    }
    // Who had it before the database was cleared does not have it now.
    if (isOld) await disown(query, [found.key]);
  }

  /** Writes what is pending as the next chunk. */
  async #flush(query: Query): Promise<Draft> {
    const draft = await this.#begun(query);
    const bytes = this.#pending.length === 1 ? this.#pending[0]! : Buffer.concat(this.#pending);
    if (!(await writeChunk(query, draft, this.#chunks, bytes))) throw swept();
    this.#chunks++;
    this.#pending = [];
    this.#pendingBytes = 0;
    return draft;
  }

  async #begun(query: Query): Promise<Draft> {
    return this.#draft ?? (await beginDraft(query, this.#member));
  }

  #take(bytes: Uint8Array): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#sizeBytes += bytes.length;
  }
}

function swept(): StoreFault {
  const sentence =
    'The blob was removed while it was written: another coordinator has taken over the database, or the database has crashed.';
  return new StoreFault('store_deposed', sentence);
}
