// The batch that is being made: its events, what is written beside the records, and the answers that are
// given after the commit.
//
// A work that throws fails alone. The commands that it has executed by then stay, each applied in full; what
// it had only prepared is dropped.

import type { Command } from '../../core/commands.ts';
import { execute, type Executed, TornState } from '../../core/execute.ts';
import type { JobRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import type {
  AuditEntry,
  BlobReference,
  IdempotencyRow,
  JobPayload,
  TokenRow,
  TraceRow,
} from '../../store/rows.ts';
import type { Asker } from '../port/asking.ts';
import type { Visitors, Wanted } from './wanted.ts';

export interface Work {
  /** Names what must be in memory before the work runs; undefined when nothing can be missing. */
  wants?(state: State, wanted: Wanted): void;
  run(batch: Batch): void;
  /** The work is not answered: it has failed itself, or the coordinator stops with its batch. */
  abandon(fault: Error, because: 'work_failed' | 'coordinator_failed'): void;
  /** Whether a caller waits for the answer, and so is told of a failure. */
  readonly isAwaited: boolean;
  /** Roughly how many commands the work holds; batches are cut by this. */
  readonly size: number;
  /** Bytes that the work holds in memory while it waits, roughly. */
  readonly bytes?: number;
  /** It is short, and may run before works that came before it; absent: it may not. */
  readonly mayPass?: boolean;
}

/** What a work may do while it runs in a batch. */
export interface Batch {
  readonly at: number;
  readonly visitors: Visitors;
  execute(command: Command): Executed;
  /** Stored together with the job that a command of this batch submits. */
  addPayload(payload: JobPayload): void;
  findJob(id: string): JobRecord | undefined;
  /** The job needs the blob from this batch on. */
  addBlobReference(reference: BlobReference): void;
  addTrace(trace: TraceRow): void;
  /** The submission that came with this key before, in the store or in this very batch. */
  findIdempotencyKey(key: string): IdempotencyRow | undefined;
  addIdempotencyKey(row: IdempotencyRow): void;
  /** Writes it with this batch, instead of what is stored of it. */
  addToken(row: TokenRow): void;
  /** By its hash, from this batch on. */
  revokeToken(hash: string): void;
  dropToken(id: string): void;
  /** Id of what this work has made, for the audit log. */
  about(id: string): void;
  addAudit(entry: AuditEntry): void;
  /** Runs after the commit, in order. */
  afterCommit(release: () => void): void;
}

export class OpenBatch implements Batch {
  readonly at: number;
  readonly visitors: Visitors;
  readonly events: ToldEvent[] = [];
  readonly payloads: JobPayload[] = [];
  readonly blobReferences: BlobReference[] = [];
  readonly traces: TraceRow[] = [];
  readonly tokens: TokenRow[] = [];
  readonly revokedTokens: string[] = [];
  readonly droppedTokens: string[] = [];
  readonly audit: AuditEntry[] = [];
  readonly idempotencyKeys = new Map<string, IdempotencyRow>();
  readonly answers: (() => void)[] = [];
  private readonly state: State;
  private readonly check: ((state: State) => void) | undefined;
  /** What the keys of the work that runs stood for before it. */
  private keysBefore: [key: string, row: IdempotencyRow | undefined][] = [];
  /** What the work that runs has made. */
  private made: string | undefined;

  constructor(
    state: State,
    at: number,
    visitors: Visitors,
    check: ((state: State) => void) | undefined,
  ) {
    this.state = state;
    this.at = at;
    this.visitors = visitors;
    this.check = check;
  }

  /**
   * Undefined when all went well. Throws only when the state cannot be trusted any more. What `asker` has changed
   * is written with who that was.
   */
  run(work: Work, asker?: Asker): Error | undefined {
    const { events, payloads, blobReferences, answers, traces } = this;
    const { tokens, revokedTokens, droppedTokens } = this;
    const eventsBefore = events.length;
    const marks = [
      payloads,
      blobReferences,
      answers,
      traces,
      tokens,
      revokedTokens,
      droppedTokens,
    ].map((list) => [list, list.length] as const);
    this.keysBefore = [];
    this.made = undefined;
    try {
      work.run(this);
      const hasChanged = events.length > eventsBefore || tokens.length > marks[4]![1];
      if (asker !== undefined && hasChanged) this.record(asker);
      return undefined;
    } catch (error) {
      if (error instanceof TornState) throw error;
      // The work is not answered. If it has applied something, what is stored with that must stay.
      answers.length = marks[2]![1];
      if (events.length === eventsBefore) {
        for (const [list, length] of marks) list.length = length;
        this.forgetKeys();
      }
      return error as Error;
    }
  }

  execute(command: Command): Executed {
    const executed = execute(this.state, command);
    for (const event of executed.events) this.note(event);
    this.verify();
    return executed;
  }

  /** Called right after the event was applied. */
  note(event: ToldEvent): void {
    this.events.push(event);
  }

  /** In tests and simulations: a broken invariant ends the coordinator, whoever broke it. */
  verify(): void {
    try {
      this.check?.(this.state);
    } catch (error) {
      throw new TornState(error as Error);
    }
  }

  addPayload(payload: JobPayload): void {
    this.payloads.push(payload);
  }

  findJob(id: string): JobRecord | undefined {
    return this.state.jobs.get(id);
  }

  addBlobReference(reference: BlobReference): void {
    this.blobReferences.push(reference);
  }

  addTrace(trace: TraceRow): void {
    this.traces.push(trace);
  }

  findIdempotencyKey(key: string): IdempotencyRow | undefined {
    return this.idempotencyKeys.get(key) ?? this.visitors.idempotencyKeys.get(key);
  }

  addIdempotencyKey(row: IdempotencyRow): void {
    this.keysBefore.push([row.key, this.idempotencyKeys.get(row.key)]);
    this.idempotencyKeys.set(row.key, row);
  }

  addToken(row: TokenRow): void {
    this.tokens.push(row);
  }

  revokeToken(hash: string): void {
    this.revokedTokens.push(hash);
  }

  dropToken(id: string): void {
    this.droppedTokens.push(id);
  }

  about(id: string): void {
    this.made = id;
  }

  addAudit(entry: AuditEntry): void {
    this.audit.push(entry);
  }

  afterCommit(answer: () => void): void {
    this.answers.push(answer);
  }

  private record(asker: Asker): void {
    const { action, tokenId, role, owner, address } = asker;
    const object = this.made ?? asker.object;
    if (object === undefined) return;
    const who = { tokenId, role, owner, address };
    this.addAudit({ at: this.at, action, object, outcome: 'done', code: null, count: 1, ...who });
    asker.isWritten = true;
  }

  private forgetKeys(): void {
    for (const [key, row] of this.keysBefore.toReversed()) {
      if (row === undefined) this.idempotencyKeys.delete(key);
      else this.idempotencyKeys.set(key, row);
    }
  }
}
