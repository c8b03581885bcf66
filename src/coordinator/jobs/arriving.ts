// A submission whose inputs arrive, here or at another member of the cluster: the key of its job, and what is known of
// them so far. What bounds it is asked before they are stored.

import type { State } from '../../core/state.ts';
import type { InputReferences } from '../../protocol/blob-reference.ts';
import type { InputStaging } from '../../store/staging.ts';
import type { DiskRoom } from '../port/disk-room.ts';
import type { Result } from '../port/rejection.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';
import type { Blobs } from './blobs.ts';
import type { JobKeys } from './job-keys.ts';
import type { JobQuotas } from './job-quotas.ts';
import { StreamRoom } from './stream-room.ts';

export interface ArrivingOptions {
  readonly state: State;
  readonly store: InputStaging;
  readonly loop: Pick<WriterLoop, 'assertRunning'>;
  readonly jobKeys: Pick<JobKeys, 'take'>;
  readonly disk: DiskRoom;
  /** Of whoever submits; undefined: nothing bounds that. */
  readonly quotas: JobQuotas | undefined;
  /** Whether the blobs are there, for whoever submits. */
  readonly touch: (references: InputReferences['blobs']) => ReturnType<Blobs['touch']>;
  /** The member that stages them, when it is another. */
  readonly by?: string | undefined;
}

export class Arriving {
  /** Undefined where nothing bounds what is kept. */
  readonly room: StreamRoom | undefined;
  count = 0;
  characters = 0;
  /** The generation in which the blobs were found; null when no input refers to any. */
  blobGeneration: number | null = null;
  /** An input stands for bytes. */
  haveBytes = false;
  private readonly options: ArrivingOptions;
  private readonly key: number | Promise<number>;
  readonly generation: number;

  constructor(options: ArrivingOptions) {
    this.options = options;
    this.generation = options.state.generation;
    this.room = options.quotas && new StreamRoom(options.quotas);
    this.key = options.jobKeys.take();
    // The failure is met where the key is awaited.
    if (typeof this.key !== 'number') this.key.catch(() => undefined);
  }

  get jobKey(): number | Promise<number> {
    return this.key;
  }

  /**
   * So many have come by now. False when there is no room for them: that is said at the end, where it is known whether the same
   * was accepted before, and until then nothing is to be kept.
   */
  async grow(count: number, characters: number): Promise<Result<boolean>> {
    const { loop, disk } = this.options;
    // The next coordinator drops what is staged when it loads; what comes later would stay.
    loop.assertRunning();
    if (disk.isFull) {
      return { ok: false, rejection: { code: 'disk_full', detail: disk.detail } };
    }
    this.count = count;
    this.characters = characters;
    return { ok: true, value: this.room === undefined || (await this.room.grow(characters)) };
  }

  async refer({ blobs, haveBytes }: InputReferences): Promise<Result<null>> {
    if (blobs.size === 0) return { ok: true, value: null };
    this.haveBytes ||= haveBytes;
    this.blobGeneration = this.generation;
    const rejection = await this.options.touch(blobs);
    return rejection === undefined ? { ok: true, value: null } : { ok: false, rejection };
  }

  /** Whether anything of it was to be kept. */
  get isKept(): boolean {
    return this.count > 0 && this.room?.refusal === undefined;
  }

  /** False when some of them were lost. */
  async seal(): Promise<boolean> {
    if (!this.isKept) return true;
    const { store, loop, by } = this.options;
    // Whoever came after has dropped them: that is no loss.
    loop.assertRunning();
    return store.sealStaged(await this.key, this.count, by);
  }

  /**
   * True when something may wait to be swept. What cannot be dropped now is dropped later: how the submission has ended is to be told
   * all the same.
   */
  async drop(): Promise<boolean> {
    if (this.count === 0) return false;
    const { store, by } = this.options;
    const jobKey = await Promise.resolve(this.key).catch(() => undefined);
    if (jobKey === undefined) return false;
    await store.dropStaged(jobKey, by).catch(() => undefined);
    return true;
  }

  leave(): void {
    this.room?.leave();
  }
}
