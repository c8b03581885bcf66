// Bytes under their SHA-256, as 64 hexadecimal digits in lower case. They come and go in parts.

import type { Result } from './rejection.ts';

export interface BlobPort {
  find(sha256: string): Promise<StoredBlob | undefined>;
  receive(sha256: string): Promise<BlobUpload>;
  /** The same of bytes that come to another member of the cluster, which stages them. */
  receiveStaged(sha256: string): Promise<StagedUpload>;
}

/** A blob that is being sent. It ends by `finish` or by `abandon`. */
export interface BlobUpload {
  /** The bytes must not change afterwards. Rejects what passes the limit; `abandon` it then. */
  append(bytes: Uint8Array): Promise<Result<null>>;
  /** Rejects bytes that have another SHA-256; otherwise resolves when they are durable. */
  finish(): Promise<Result<{ readonly sizeBytes: number; readonly isNew: boolean }>>;
  abandon(): void;
}

/** A blob that another member of the cluster is being sent. It ends by `finish` or by `abandon`. */
export interface StagedUpload {
  /** The bytes are there: they are only compared with their hash, and not to be staged. */
  readonly isKnown: boolean;
  /** So many have come by now. Rejects what passes the limit; `abandon` it then. */
  arrived(bytes: number): Result<null>;
  /** As that of a `BlobUpload`, of bytes of which this is the SHA-256; null: nothing was staged. */
  finish(actual: string, staged: StagedBlob | null): ReturnType<BlobUpload['finish']>;
  abandon(): void;
}

/** All bytes of a blob that has no name yet. */
export interface StagedBlob {
  readonly key: number;
  readonly member: string;
  readonly sizeBytes: number;
}

/** Where a member that does not decide puts bytes, for the one that does. */
export interface BlobStage {
  beginBlob(): StageDraft;
}

/** Await each call before the next. */
export interface StageDraft {
  append(bytes: Uint8Array): Promise<void>;
  stage(): Promise<StagedBlob>;
  /** Nothing of it stays, unless it has a name by then. */
  abandon(): void;
}

export interface StoredBlob {
  readonly sizeBytes: number;
  /** Throws when it is removed while it is read. */
  parts(): AsyncIterable<Uint8Array>;
}
