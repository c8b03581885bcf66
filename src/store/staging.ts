// The part of the port for large data that is stored before the batch that refers to it. After a crash in
// between it is invisible, and is swept or collected.

export interface Staging extends InputStaging, BlobStaging {}

/** Inputs of submissions that arrive. */
export interface InputStaging {
  /**
   * Stores inputs of a job that is not visible yet, in a transaction of their own: about a thousand inputs,
   * or a megabyte, at a time, in the order of their indices. A crash of the database may undo it before `sealStaged`, though the
   * caller lives on. The commit that writes the job shows them. The caller has reserved the key
   * (`Writing.reserveJobKeys`); nothing here keeps others from using it. `blobs` are the hashes that these
   * inputs refer to; the staged job keeps these blobs from being collected.
   *
   * False when they may not be there afterwards: the input before them was lost, all of them were dropped, or the database was
   * cut off. The submission is to be given up then.
   */
  stageInputs(
    jobKey: number,
    fromIndex: number,
    inputs: readonly string[],
    blobs?: readonly string[],
  ): Promise<boolean>;
  /**
   * No more inputs come. False when it cannot say that all `count` of them are there; otherwise no crash of the database that the caller
   * outlives takes any of them back. `by`: the coordinator that has staged them, when it is another; they are the caller's from
   * now on.
   */
  sealStaged(jobKey: number, count: number, by?: string): Promise<boolean>;
  /**
   * Drops the inputs that the caller has staged, or sealed, for a job that never became visible, and from now on never may.
   * Those of another coordinator stay, unless it is `by`: of a seal that was cut off nobody knows whose they are.
   */
  dropStaged(jobKey: number, by?: string): Promise<void>;
}

export interface BlobStaging {
  /**
   * Stores bytes under their SHA-256, which the caller has checked; durable when it resolves, and
   * visible only as a whole. Large blobs are written in turns of some milliseconds. A blob that
   * exists already is touched.
   */
  putBlob(sha256: string, bytes: Uint8Array, at: number): Promise<void>;
  /** The same for a blob that arrives in pieces: each is stored as it comes. */
  beginBlob(): BlobDraft;
  /** A draft of which another coordinator has staged all bytes, to be ended in its place. Nothing is appended to it. */
  resumeBlob(staged: StagedBlob): BlobDraft;
  /**
   * False when there is no such blob. Otherwise `collectBlobs` counts its age from `at` on, or from the
   * touch before if that is less than a minute older.
   */
  touchBlob(sha256: string, at: number): Promise<boolean>;
  /** From now on the blob, if it is there, is also one that this owner has put. */
  ownBlob(sha256: string, owner: string): Promise<void>;
}

/** All bytes of a draft, as coordinators of one database tell each other of them. */
export interface StagedBlob {
  readonly key: number;
  /** Whose draft it is: it is swept when that one is gone. */
  readonly member: string;
  readonly sizeBytes: number;
}

/** Await each call before the next. The draft ends by `finish` or by `abandon`. */
export interface BlobDraft {
  /** The bytes are kept as they are given: they must not change afterwards. */
  append(bytes: Uint8Array): Promise<void>;
  /**
   * Names the blob by the SHA-256 of all bytes, which the caller has checked. Durable when it resolves. A
   * blob that exists already is touched instead. With an owner, that is one that has put it. True when the blob is new.
   * Throws `StoreFault` with `store_deposed` when the bytes were swept meanwhile, or a server that has crashed has lost some.
   */
  finish(sha256: string, at: number, owner?: string): Promise<boolean>;
  /**
   * Stores what was appended last, so that the draft can be ended elsewhere (`resumeBlob`): what makes it durable is the
   * `finish` there. Nothing is appended any more; `abandon` does nothing when it was finished by then.
   */
  stage(): Promise<StagedBlob>;
  /** The bytes stored so far are swept. After `finish` it does nothing. */
  abandon(): void;
}
