// Bytes under their SHA-256, as 64 hexadecimal digits in lower case. They come and go in parts.

import type { Result } from './rejection.ts';

export interface BlobPort {
  find(sha256: string): Promise<StoredBlob | undefined>;
  receive(sha256: string): Promise<BlobUpload>;
}

/** A blob that is being sent. It ends by `finish` or by `abandon`. */
export interface BlobUpload {
  /** The bytes must not change afterwards. Rejects what passes the limit; `abandon` it then. */
  append(bytes: Uint8Array): Promise<Result<null>>;
  /** Rejects bytes that have another SHA-256; otherwise resolves when they are durable. */
  finish(): Promise<Result<{ readonly sizeBytes: number; readonly isNew: boolean }>>;
  abandon(): void;
}

export interface StoredBlob {
  readonly sizeBytes: number;
  /** Throws when it is removed while it is read. */
  parts(): AsyncIterable<Uint8Array>;
}
