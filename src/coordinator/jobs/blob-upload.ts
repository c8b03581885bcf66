// Blobs that are being sent: what bounds them, and how they end. The bytes come here, or to another member of the cluster,
// which stages them and tells how many there are.

import { createHash } from 'node:crypto';
import type { ErrorCode } from '../../protocol/error-codes.ts';
import type { BlobReading } from '../../store/reading.ts';
import type { BlobDraft, BlobStaging, StagedBlob } from '../../store/staging.ts';
import { StoreFault } from '../../store/store.ts';
import type { BlobUpload, StagedUpload } from '../port/blobs.ts';
import type { Rejection, Result } from '../port/rejection.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';
import type { JobQuotas } from './job-quotas.ts';
import type { Holding } from './owner-bytes.ts';

/** Who sends a blob, and what bounds that; undefined: nothing. */
export interface Sender {
  readonly owner: string;
  readonly quotas: JobQuotas | undefined;
}

interface ArrivalOptions {
  readonly store: BlobReading & BlobStaging;
  readonly loop: Pick<WriterLoop, 'assertRunning'>;
  readonly now: () => number;
  readonly limitBytes: number;
  /** Undefined: somebody who sees all of them. */
  readonly sender: Sender | undefined;
  readonly sha256: string;
}

type Finished = Awaited<ReturnType<BlobUpload['finish']>>;

/** The account of one blob that is being sent. */
export class Arrivals {
  sizeBytes = 0;
  private readonly options: ArrivalOptions;
  /** Of the sender's room; undefined when nothing bounds it. */
  private readonly holding: Holding | undefined;
  private hasLeft = false;

  constructor(options: ArrivalOptions, holding: Holding | undefined) {
    this.options = options;
    this.holding = holding;
  }

  take(bytes: number): Result<null> {
    const { limitBytes, loop, sender } = this.options;
    loop.assertRunning();
    this.sizeBytes += bytes;
    if (this.sizeBytes > limitBytes) {
      const detail = `The blob is larger than ${limitBytes} bytes (limit blob_bytes).`;
      return refused({ code: 'payload_too_large', detail });
    }
    this.holding?.take(bytes);
    const rejection = this.holding && sender?.quotas?.refuseBytes(this.holding);
    return rejection === undefined ? { ok: true, value: null } : refused(rejection);
  }

  /** Undefined when the bytes have the hash under which they were sent. */
  refuseHash(actual: string): Result<never> | undefined {
    const { sha256, loop } = this.options;
    if (actual === sha256) {
      loop.assertRunning();
      return undefined;
    }
    const detail = `The SHA-256 of these ${this.sizeBytes} bytes is ${actual}, not ${sha256}.`;
    return refused({ code: 'validation_failed', detail });
  }

  /** Names the bytes of the draft. */
  async name(draft: BlobDraft): Promise<Finished> {
    const { now, sender, sha256 } = this.options;
    const owner = sender?.owner;
    const isNew = await draft.finish(sha256, now(), owner);
    this.holding?.land();
    this.leave();
    return { ok: true, value: { sizeBytes: this.sizeBytes, isNew: isNew || owner !== undefined } };
  }

  /** Of bytes that were there when it began, and were only compared. */
  async touch(): Promise<Finished> {
    const { now, sender, sha256, store } = this.options;
    if (!(await store.touchBlob(sha256, now()))) return refused(removedMeanwhile);
    if (sender !== undefined) await store.ownBlob(sha256, sender.owner);
    return { ok: true, value: { sizeBytes: this.sizeBytes, isNew: false } };
  }

  resume(staged: StagedBlob): BlobDraft {
    return this.options.store.resumeBlob(staged);
  }

  leave(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.holding?.leave();
  }
}

export class Upload implements BlobUpload {
  private readonly arrivals: Arrivals;
  /** Null for bytes that are there already. */
  private readonly draft: BlobDraft | null;
  private readonly hash = createHash('sha256');

  constructor(arrivals: Arrivals, draft: BlobDraft | null) {
    this.arrivals = arrivals;
    this.draft = draft;
  }

  async append(bytes: Uint8Array): Promise<Result<null>> {
    const taken = this.arrivals.take(bytes.length);
    if (!taken.ok) return taken;
    this.hash.update(bytes);
    await this.draft?.append(bytes);
    return taken;
  }

  async finish(): Promise<Finished> {
    const rejected = this.arrivals.refuseHash(this.hash.digest('hex'));
    if (rejected === undefined) {
      return this.draft === null ? this.arrivals.touch() : this.arrivals.name(this.draft);
    }
    this.abandon();
    return rejected;
  }

  abandon(): void {
    this.draft?.abandon();
    this.arrivals.leave();
  }
}

/** What was staged is abandoned by the member that has staged it. */
export class RemoteUpload implements StagedUpload {
  readonly isKnown: boolean;
  private readonly arrivals: Arrivals;

  constructor(arrivals: Arrivals, isKnown: boolean) {
    this.arrivals = arrivals;
    this.isKnown = isKnown;
  }

  arrived(bytes: number): Result<null> {
    return this.arrivals.take(bytes - this.arrivals.sizeBytes);
  }

  async finish(actual: string, staged: StagedBlob | null): Promise<Finished> {
    const rejected = this.arrivals.refuseHash(actual);
    if (rejected !== undefined) return rejected;
    if (this.isKnown || staged === null) return this.arrivals.touch();
    try {
      return await this.arrivals.name(this.arrivals.resume(staged));
    } catch (error) {
      // Its member was not seen for a while: whoever sent the bytes can send them again.
      const isSwept = error instanceof StoreFault && error.code === 'store_deposed';
      if (isSwept) return refused(removedMeanwhile);
      throw error;
    }
  }

  abandon(): void {
    this.arrivals.leave();
  }
}

const removedMeanwhile: Rejection<'overloaded'> = {
  code: 'overloaded',
  detail: 'The blob was removed while it was sent; send it again.',
};

function refused(rejection: Rejection<ErrorCode>): Result<never> {
  return { ok: false, rejection };
}
