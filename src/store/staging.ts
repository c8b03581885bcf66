// What is stored beside the batches: large things that come before the batch that refers to them. A
// crash in between leaves what nobody sees, and what is swept or collected.

export interface Staging extends InputStaging, BlobStaging {}

/** Inputs of submissions that arrive. */
export interface InputStaging {
  /**
   * Stores inputs of a job that is not visible yet, in a transaction of their own. Its key was reserved
   * (`Writing.reserveJobKeys`): nothing here keeps others from using it. They are shown by the commit that writes the job. About a thousand inputs, or a megabyte, at a time. `blobs` are
   * the hashes that these inputs refer to; the staged job keeps them from being collected.
   */
  stageInputs(
    jobKey: number,
    fromIndex: number,
    inputs: readonly string[],
    blobs?: readonly string[],
  ): Promise<void>;
  /** Drops what was staged for a job that never became visible, and now never may. */
  dropStaged(jobKey: number): Promise<void>;
}

export interface BlobStaging {
  /**
   * Stores bytes under their SHA-256, which the caller has checked; durable when it resolves, and
   * visible only as a whole. Large ones are written in turns of some milliseconds. One that is there
   * already is touched.
   */
  putBlob(sha256: string, bytes: Uint8Array, at: number): Promise<void>;
  /** The same for a blob that arrives in pieces: they are stored as they come. */
  beginBlob(): BlobDraft;
  /**
   * False when there is none; otherwise `collectBlobs` counts its age from `at` on, or from the touch
   * before if that is less than a minute older.
   */
  touchBlob(sha256: string, at: number): Promise<boolean>;
}

/** One call at a time: await it before the next. It ends by `finish` or by `abandon`. */
export interface BlobDraft {
  /** The bytes are kept as they are given: they must not change afterwards. */
  append(bytes: Uint8Array): Promise<void>;
  /**
   * Under the SHA-256 of all bytes, which the caller has checked. Durable when it resolves. One that
   * is there already is touched instead. True when it is new.
   */
  finish(sha256: string, at: number): Promise<boolean>;
  /** What was stored is swept. After `finish` it does nothing. */
  abandon(): void;
}
