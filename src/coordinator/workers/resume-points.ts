// Checkpoints on the way from the wire to the core, and their states on the way back. A state is stored
// as it came and unpacked only when an attempt is to resume from it: then its hash must be right, and it must
// be JSON, since it becomes a part of what another worker reads.

import { gunzip } from 'node:zlib';
import type { NamedAttempt, CheckpointState, SaveCheckpoint } from '../../core/commands.ts';
import type { AttemptRecord } from '../../core/records.ts';
import { taskId } from '../../core/task-key.ts';
import { payloadText, RawJson } from '../../protocol/codec.ts';
import { JsonScanner } from '../../protocol/json-scanner.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { CheckpointReport } from '../../protocol/messages.ts';
import type { CheckpointRecord as CheckpointResource } from '../../protocol/resources.ts';
import type { CheckpointRow } from '../../store/rows.ts';
import type { OutfitReading } from '../../store/reading.ts';
import { StoreFault } from '../../store/store.ts';
import type { Needing, SavedState } from './needing.ts';
import type { Rejection } from '../port/rejection.ts';
import { isoTime } from '../iso-time.ts';

export interface CheckpointContext {
  readonly workerId: string;
  readonly at: number;
  readonly hash: (text: string) => string;
  readonly limits: Limits;
  /** Sizes of the blobs that the batch has looked up. */
  readonly blobs: ReadonlyMap<string, number>;
}

/** The command for the core, or why the report cannot be taken. */
export function checkpointCommand(
  named: NamedAttempt,
  report: CheckpointReport,
  { workerId, at, hash, limits, blobs }: CheckpointContext,
): SaveCheckpoint | Rejection {
  const packed = unpack(report, hash, blobs);
  if ('code' in packed) return packed;
  const largest = Math.max(packed.sizeBytes, packed.storedBytes);
  if (largest > limits.checkpointBytes) {
    const detail = `The state has ${largest} bytes; the limit is ${limits.checkpointBytes} (limit checkpoint_bytes).`;
    return { code: 'checkpoint_too_large', detail };
  }
  const { sequence, progress, run_ms } = report;
  const runMs = run_ms ?? null;
  return { type: 'save_checkpoint', ...named, workerId, sequence, progress, runMs, ...packed, at };
}

type Packed = Pick<SaveCheckpoint, 'sizeBytes' | 'storedBytes' | 'sha256' | 'state'>;

function unpack(
  report: CheckpointReport,
  hash: (text: string) => string,
  blobs: ReadonlyMap<string, number>,
): Packed | Rejection<'unknown_blob'> {
  const { state, state_gzip, state_blob, sha256 = '', size_bytes: sizeBytes = 0 } = report;
  if (state_gzip !== undefined) {
    const bytes = Buffer.from(state_gzip, 'base64');
    return { sizeBytes, storedBytes: bytes.length, sha256, state: { encoding: 'gzip', bytes } };
  }
  if (state_blob !== undefined) {
    const storedBytes = blobs.get(state_blob);
    if (storedBytes === undefined) {
      const detail = `No blob has the hash ${state_blob}; upload it before the checkpoint.`;
      return { code: 'unknown_blob', detail };
    }
    return { sizeBytes, storedBytes, sha256, state: { encoding: 'blob', blobSha256: state_blob } };
  }
  const text = payloadText(state);
  const bytes = Buffer.byteLength(text);
  const form = { encoding: 'json', text } as const;
  return { sizeBytes: bytes, storedBytes: bytes, sha256: hash(text), state: form };
}

/** Bytes that are scanned at once: about a millisecond. */
const sliceBytes = 64 * 1024;

/** As an assignment carries it. */
export interface ResumePoint {
  readonly sequence: number;
  readonly progress: number;
  readonly state: RawJson;
}

type StateReading = Pick<OutfitReading, 'readCheckpointState' | 'readBlob'>;
type StateOf<A extends Needing> = A['task']['checkpoints'][number];

export class ResumePoints<A extends Needing = AttemptRecord> {
  private readonly store: StateReading;
  private readonly hash: (text: string) => string;
  private readonly turn: () => Promise<void>;
  private readonly onDamaged: (checkpoint: StateOf<A>, attempt: A) => void;

  /** `turn` resolves after other work had a turn of the event loop. */
  constructor(
    store: StateReading,
    { hash, turn }: { readonly hash: (text: string) => string; readonly turn: () => Promise<void> },
    onDamaged: (checkpoint: StateOf<A>, attempt: A) => void,
  ) {
    this.store = store;
    this.hash = hash;
    this.turn = turn;
    this.onDamaged = onDamaged;
  }

  /**
   * The newest readable state among the checkpoints that existed when the attempt was assigned; undefined
   * for a fresh start.
   */
  async find(attempt: A): Promise<ResumePoint | undefined> {
    const { task } = attempt;
    // The list may change while a state is read.
    for (const checkpoint of resumable(attempt).toReversed()) {
      const text = await this.read(checkpoint);
      if (text !== undefined) {
        const { sequence, progress } = checkpoint;
        return { sequence, progress, state: new RawJson(text) };
      }
      // A checkpoint that was dropped meanwhile, because the task is over, is not damaged.
      if (task.checkpoints.includes(checkpoint)) this.onDamaged(checkpoint, attempt);
    }
    return undefined;
  }

  private async read({ id, sizeBytes, sha256 }: SavedState): Promise<string | undefined> {
    const state = await this.store.readCheckpointState(id);
    const text = state === undefined ? undefined : await this.textOf(state, sizeBytes);
    return text !== undefined && this.hash(text) === sha256 ? text : undefined;
  }

  private async textOf(state: CheckpointState, sizeBytes: number): Promise<string | undefined> {
    if (state.encoding === 'json') return state.text;
    const packed = state.encoding === 'gzip' ? state.bytes : await this.blob(state.blobSha256);
    const bytes = packed === undefined ? undefined : await inflate(packed, sizeBytes);
    return bytes !== undefined && (await this.isJson(bytes)) ? bytes.toString('utf8') : undefined;
  }

  private async isJson(bytes: Buffer): Promise<boolean> {
    const scanner = new JsonScanner(bytes);
    while (!scanner.scan(sliceBytes)) await this.turn();
    return scanner.problem === null;
  }

  /** Undefined for a damaged blob; throws when it cannot be read at the moment. */
  private async blob(sha256: string): Promise<Uint8Array | undefined> {
    try {
      return await this.store.readBlob(sha256);
    } catch (error) {
      if (error instanceof StoreFault && error.code === 'value_damaged') return undefined;
      throw error;
    }
  }
}

/** The states that an attempt may resume from, the oldest first; none for a fresh start. */
export function resumable<A extends Needing>({ task, resumedFrom }: A): readonly StateOf<A>[] {
  if (resumedFrom === null) return [];
  // The original may have saved newer ones since, but a copy was assigned with `resumedFrom`.
  const before = task.checkpoints.filter(({ id }) => id <= resumedFrom.id);
  return before.length > 0 ? before : task.checkpoints;
}

/** Undefined when it is not gzip, or larger than the report said. */
function inflate(bytes: Uint8Array, sizeBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    gunzip(bytes, { maxOutputLength: Math.max(1, sizeBytes) }, (error, text) => {
      resolve(error === null ? text : undefined);
    });
  });
}

export function checkpointResource(row: CheckpointRow): CheckpointResource {
  return {
    id: String(row.id),
    job_id: row.jobId,
    task_id: taskId(row.jobId, row.index),
    task_index: row.index,
    attempt: row.attempt,
    sequence: row.sequence,
    worker_id: row.workerId,
    progress: row.progress,
    kind: 'full',
    size_bytes: row.sizeBytes,
    stored_bytes: row.storedBytes,
    sha256: row.sha256,
    created_at: isoTime(row.createdAt),
  };
}
