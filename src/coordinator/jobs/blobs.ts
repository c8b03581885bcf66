// Blobs between server and store: bytes under their SHA-256, taken in and given out in parts, and
// collected when nothing has referred to them for a while.

import { hash } from 'node:crypto';
import type { Limits } from '../../protocol/limits.ts';
import type { BlobReading } from '../../store/reading.ts';
import type { BlobStaging } from '../../store/staging.ts';
import type { Writing } from '../../store/writing.ts';
import { Arrivals, RemoteUpload, type Sender, Upload } from './blob-upload.ts';
import type { BlobPort, BlobUpload, StagedUpload, StoredBlob } from '../port/blobs.ts';
import type { Submission } from '../port/jobs.ts';
import type { Rejection, Result } from '../port/rejection.ts';
import type { Runtime } from '../runtime.ts';
import { type BlobReferences, programReferences } from './blob-references.ts';
import { refuseLargeProgram } from './program-blobs.ts';
import { findStoredBlob } from './stored-blob.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';

/** How long a blob stays that nothing refers to: long enough to submit a job, or to report. */
export const defaultBlobKeepMs = 3_600_000;

/** Blobs looked at in one go, and the pause before the next; rounds per time that they are kept. */
const collectRows = 500;
const collectPauseMs = 20;
const roundsPerKeep = 12;
/** Written in a millisecond or two. */
const pieceBytes = 256 * 1024;

export interface BlobOptions {
  readonly store: BlobReading & BlobStaging;
  readonly loop: Pick<WriterLoop, 'assertRunning'>;
  readonly collect: Writing['collectBlobs'];
  readonly runtime: Runtime;
  readonly limits: Limits;
  readonly keepMs: number;
  /** Called when collected blobs wait to be swept. */
  readonly onCollected: () => void;
}

export class Blobs implements BlobPort {
  private readonly options: BlobOptions;
  private cancelTimer: (() => void) | undefined;
  private hasStopped = false;

  /** The collector does not look before there is a blob. */
  constructor(options: BlobOptions, hasBlobs: boolean) {
    this.options = options;
    if (hasBlobs) this.collectLater(this.pauseMs);
  }

  async find(sha256: string): Promise<StoredBlob | undefined> {
    return findStoredBlob(this.options.store, sha256);
  }

  async receive(sha256: string): Promise<BlobUpload> {
    return this.receiveFrom(sha256, undefined, true);
  }

  /** From an owner. What is not known to that one is taken as if nobody had it. */
  async receiveFrom(
    sha256: string,
    sender: Sender | undefined,
    mayKnow: boolean,
  ): Promise<BlobUpload> {
    const { isKnown, arrivals } = await this.admit(sha256, sender, mayKnow);
    return new Upload(arrivals, isKnown ? null : this.options.store.beginBlob());
  }

  async receiveStaged(sha256: string): Promise<StagedUpload> {
    return this.receiveStagedFrom(sha256, undefined, true);
  }

  async receiveStagedFrom(
    sha256: string,
    sender: Sender | undefined,
    mayKnow: boolean,
  ): Promise<StagedUpload> {
    const { isKnown, arrivals } = await this.admit(sha256, sender, mayKnow);
    return new RemoteUpload(arrivals, isKnown);
  }

  /**
   * Touches the blobs that a job refers to, so that they are not collected before it is stored. Rejects the first one
   * that does not exist, or not for that owner.
   */
  async touch(
    references: BlobReferences,
    owner?: string,
  ): Promise<Rejection<'validation_failed'> | undefined> {
    const { store, runtime } = this.options;
    for (const [sha256, place] of references) {
      const isKnown = owner === undefined || (await store.isBlobOf(sha256, owner));
      if (isKnown && (await store.touchBlob(sha256, runtime.now()))) continue;
      const detail =
        `${typeof place === 'string' ? place : `inputs[${place}]`} refers to the blob ${sha256}, which is not there; ` +
        'upload it first (PUT /api/blobs/{sha256}).';
      return { code: 'validation_failed', detail };
    }
    return undefined;
  }

  /** The same for those that all of its tasks need, which may be too much together. */
  async touchProgram(
    job: Pick<Submission, 'program' | 'shared'>,
    owner?: string,
  ): Promise<Rejection<'validation_failed'> | undefined> {
    const missing = await this.touch(programReferences(job), owner);
    if (missing !== undefined) return missing;
    const { store, limits } = this.options;
    const sizeOf = async (sha256: string) => (await store.findBlob(sha256))?.sizeBytes;
    return refuseLargeProgram(job, limits, sizeOf);
  }

  /** Stores a text that came with something else; its hash. */
  async put(text: string, sender: Sender | undefined): Promise<Result<string>> {
    const bytes = Buffer.from(text);
    const sha256 = hash('sha256', bytes);
    // Sent once more, it is neither stored nor counted again.
    const mayKnow =
      sender === undefined || (await this.options.store.isBlobOf(sha256, sender.owner));
    const upload = await this.receiveFrom(sha256, sender, mayKnow);
    try {
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        const taken = await upload.append(bytes.subarray(at, at + pieceBytes));
        if (!taken.ok) return taken;
      }
      const finished = await upload.finish();
      return finished.ok ? { ok: true, value: sha256 } : finished;
    } finally {
      upload.abandon();
    }
  }

  private async admit(
    sha256: string,
    sender: Sender | undefined,
    mayKnow: boolean,
  ): Promise<{ readonly isKnown: boolean; readonly arrivals: Arrivals }> {
    const { store, loop, runtime, limits } = this.options;
    loop.assertRunning();
    // The bytes of a blob that is there already are only compared with its hash.
    const isKnown = mayKnow && (await store.touchBlob(sha256, runtime.now()));
    if (this.cancelTimer === undefined) this.collectLater(this.pauseMs);
    const { now } = runtime;
    const options = { store, loop, now, limitBytes: limits.blobBytes, sender, sha256 };
    const holding = isKnown ? undefined : await sender?.quotas?.hold();
    return { isKnown, arrivals: new Arrivals(options, holding) };
  }

  stop(): void {
    this.hasStopped = true;
    this.cancelTimer?.();
  }

  private get pauseMs(): number {
    return this.options.keepMs / roundsPerKeep;
  }

  private collectLater(pauseMs: number): void {
    const { runtime } = this.options;
    this.cancelTimer = runtime.setTimer(runtime.now() + pauseMs, () => void this.collect());
  }

  private async collect(): Promise<void> {
    const { collect, runtime, keepMs, onCollected } = this.options;
    let hasMore = false;
    try {
      hasMore = await collect(runtime.now() - keepMs, collectRows);
    } catch {
      // The disk refuses: blobs that are not collected only take room.
    }
    if (this.hasStopped) return;
    if (!hasMore) onCollected();
    this.collectLater(hasMore ? collectPauseMs : this.pauseMs);
  }
}
