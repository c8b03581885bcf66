// The audit log while the coordinator runs. What is told waits for the next commit that is made anyhow, and asks
// for one only when none comes.

import type { AuditResource } from '../../protocol/audit.ts';
import type { AuditReading } from '../../store/reading.ts';
import type { AuditEntry, AuditRow } from '../../store/rows.ts';
import type { Writing } from '../../store/writing.ts';
import { isoTime } from '../iso-time.ts';
import { askedByNobody } from '../port/asking.ts';
import type { AuditAsked, AuditPort, Told } from '../port/audit.ts';
import type { Runtime } from '../runtime.ts';
import type { WriterLoop } from '../writer/writer-loop.ts';
import { Gathered } from './gathered.ts';

/** The same within this time is one entry. */
const gatherMs = 10_000;
/** Without a commit anyhow it is written so late. */
const idleMs = 1_000;
const trimMs = 3_600_000;
const trimRows = 1_000;
const trimPauseMs = 50;
const dayMs = 86_400_000;

/** How much of the past is kept. */
export interface AuditKeeping {
  readonly days: number;
  /** Of what was done; a quarter as many refusals beside them. */
  readonly entries: number;
}

/** Years of a lab, and some 200 MB at the most. */
export const usualAuditKeeping: AuditKeeping = { days: 1_095, entries: 1_000_000 };

export interface AuditTrailOptions {
  readonly store: AuditReading & Pick<Writing, 'trimAudit'>;
  readonly runtime: Runtime;
  readonly loop: Pick<WriterLoop, 'ask' | 'settled'>;
  readonly keeping: AuditKeeping;
  readonly isReady: () => boolean;
}

export class AuditTrail implements AuditPort {
  private readonly options: AuditTrailOptions;
  private readonly gathered = new Gathered();
  private waiting: AuditEntry[] = [];
  private cancelGathering: (() => void) | undefined;
  private cancelIdle: (() => void) | undefined;
  private cancelTrim: (() => void) | undefined;

  constructor(options: AuditTrailOptions) {
    this.options = options;
  }

  tell(told: Told): void {
    const { runtime } = this.options;
    const at = runtime.now();
    this.waiting.push({ ...told, at, count: 1 });
    this.writeSoon();
    // It grows only where it is told something: the start, to begin with.
    if (this.cancelTrim === undefined) askedByNobody(() => this.trimLater(trimPauseMs));
  }

  gather(told: Told): void {
    const { runtime } = this.options;
    const at = runtime.now();
    this.gathered.add(told, at);
    this.cancelGathering ??= askedByNobody(() =>
      runtime.setTimer(at + gatherMs, () => this.gatherAnew()),
    );
  }

  /** For the commit that is made now. */
  takeWaiting(): readonly AuditEntry[] {
    if (this.waiting.length === 0) return none;
    const taken = this.waiting;
    this.waiting = [];
    return taken;
  }

  async list(
    filter: AuditAsked,
    beforeId: number | null,
    limit: number,
  ): Promise<readonly AuditResource[]> {
    const { loop, store } = this.options;
    this.gatherAnew();
    if (this.waiting.length > 0) await this.write();
    await loop.settled();
    return (await store.listAudit(filter, beforeId, limit)).map(resourceOf);
  }

  /** What was told before is in the last commit. */
  stop(): void {
    this.cancelTrim?.();
    this.gatherAnew();
    this.cancelIdle?.();
    if (this.waiting.length > 0) this.write().catch(() => undefined);
  }

  private gatherAnew(): void {
    this.cancelGathering?.();
    this.cancelGathering = undefined;
    const taken = this.gathered.take();
    if (taken.length === 0) return;
    this.waiting.push(...taken);
    this.writeSoon();
  }

  private writeSoon(): void {
    const { runtime } = this.options;
    this.cancelIdle ??= askedByNobody(() =>
      runtime.setTimer(runtime.now() + idleMs, () => {
        this.cancelIdle = undefined;
        // That the coordinator has failed, or has stopped, is told elsewhere.
        if (this.waiting.length > 0) this.write().catch(() => undefined);
      }),
    );
  }

  private write(): Promise<void> {
    return this.options.loop.ask((batch) => {
      for (const entry of this.takeWaiting()) batch.addAudit(entry);
      return () => undefined;
    });
  }

  private trimLater(ms: number): void {
    const { runtime } = this.options;
    this.cancelTrim = runtime.setTimer(runtime.now() + ms, () => void this.trim());
  }

  private async trim(): Promise<void> {
    const { store, runtime, keeping, isReady } = this.options;
    if (!isReady()) return;
    const since = runtime.now() - keeping.days * dayMs;
    const kept = { since, done: keeping.entries, refused: Math.ceil(keeping.entries / 4) };
    // When the disk refuses, entries only take room for an hour more.
    const hasMore = await store.trimAudit(kept, trimRows).catch(() => false);
    if (isReady()) this.trimLater(hasMore ? trimPauseMs : trimMs);
  }
}

const none: readonly AuditEntry[] = [];

export function resourceOf(row: AuditRow): AuditResource {
  const { id, at, action, object, outcome, code, count, tokenId, role, owner, address } = row;
  const who = { token_id: tokenId, role, owner, address };
  return { id, at: isoTime(at), action, object, outcome, code, count, ...who };
}
