// Tells others of the ends of jobs. What is owed lies in the store, written with the end itself; here it is
// read when it is due, handed to the shell for delivery, and what came of it goes back through the core. So
// nothing waits in memory but what is under way, and a coordinator that dies owes what it owed.

import type { State } from '../core/state.ts';
import type { ToldEvent } from '../core/told-events.ts';
import type { JobNotification } from '../protocol/notifications.ts';
import type { NotificationReading, JobReading } from '../store/reading.ts';
import type { DueNotification, NotificationRow } from '../store/rows.ts';
import { isoTime } from './iso-time.ts';
import type { Deliver, DeliveryOutcome, NotificationPort } from './port/notifications.ts';
import { shownUrl } from './reads/views.ts';
import type { Runtime } from './runtime.ts';
import type { WriterLoop } from './writer/writer-loop.ts';

const mostUnderWay = 8;
const mostToOneHost = 2;
/** An answer that takes longer makes its host a slow one, until it answers sooner. */
const slowMs = 5_000;
/** Slow hosts have so many of the places together: those that answer do not wait behind them. */
const mostToSlowHosts = 4;
/** So many of the slow hosts are remembered, those that were so last. */
const mostSlowHosts = 100;
/** Of those of one job. */
const mostListed = 100;
/** Nothing is due later than so many of the longest pauses, unless the clock was set back since. */
const longestPauses = 2;
/** After a look that the disk refused. */
const lookAgainMs = 60_000;

export interface NotifierOptions {
  readonly state: State;
  readonly store: NotificationReading & Pick<JobReading, 'findJobHead'>;
  readonly loop: Pick<WriterLoop, 'ask' | 'settled'>;
  readonly runtime: Runtime;
  /** Absent: nobody is told, and what is owed waits for a coordinator that does. */
  readonly deliver?: Deliver;
  readonly isReady: () => boolean;
  readonly onError: (error: Error) => void;
}

export class Notifier implements NotificationPort {
  private readonly options: NotifierOptions;
  /** Host by the id of a notification. */
  private readonly underWay = new Map<number, string>();
  private readonly slowHosts = new Set<string>();
  private readonly stopping = new AbortController();
  private cancelTimer: (() => void) | undefined;
  private isLooking = false;
  private mustLookAgain = false;

  constructor(options: NotifierOptions) {
    this.options = options;
  }

  /** Events of a commit. */
  observe(events: readonly ToldEvent[]): void {
    // A clock that was set has moved what is due.
    if (events.some(({ type }) => type === 'notification_owed' || type === 'clock_set'))
      this.look();
  }

  stop(): void {
    this.cancelTimer?.();
    this.stopping.abort();
  }

  async ofJob(jobId: string): Promise<readonly JobNotification[] | undefined> {
    const { store, loop, state } = this.options;
    await loop.settled();
    const job = state.jobs.get(jobId) ?? (await store.findJobHead(jobId));
    if (job === undefined) return undefined;
    const rows = await store.listNotifications(job.spec.key, mostListed);
    return rows.map((row) => toView(row, job.spec.notify?.[row.target]?.url ?? ''));
  }

  /** Begins what is due and has room; called when something may be due, or room has come. */
  look(): void {
    if (this.options.deliver === undefined) return;
    this.mustLookAgain = true;
    if (!this.isLooking) void this.lookOften();
  }

  private async lookOften(): Promise<void> {
    const { isReady, onError, runtime } = this.options;
    this.isLooking = true;
    try {
      while (this.mustLookAgain && isReady()) {
        this.mustLookAgain = false;
        await this.lookOnce();
      }
    } catch (error) {
      if (isReady()) {
        onError(error as Error);
        this.lookAt(runtime.now() + lookAgainMs);
      }
    } finally {
      this.isLooking = false;
    }
  }

  private async lookOnce(): Promise<void> {
    const { store, runtime, isReady, state } = this.options;
    const longestMs = longestPauses * state.settings.maxNotifyPauseMs;
    // One moment for both questions: nothing becomes due between them.
    const at = runtime.now();
    while (this.underWay.size < mostUnderWay) {
      const due = await store.listDueNotifications({
        at,
        beyond: at + longestMs,
        exceptIds: [...this.underWay.keys()],
        exceptHosts: this.busyHosts(),
        limit: mostUnderWay - this.underWay.size,
      });
      if (!isReady()) return;
      if (due.length === 0) break;
      for (const each of due) {
        if (this.hasRoom(each.row.host)) void this.perform(each);
      }
    }
    const next = await store.nextNotificationAt(at);
    if (isReady()) this.lookAt(next);
  }

  private lookAt(at: number | null): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    if (at === null) return;
    this.cancelTimer = this.options.runtime.setTimer(at, () => this.look());
  }

  private async perform(due: DueNotification): Promise<void> {
    const { isReady, onError, runtime } = this.options;
    const { id, host } = due.row;
    const begunAt = runtime.now();
    this.underWay.set(id, host);
    try {
      const told = await this.deliver(due);
      this.noteSpeed(host, runtime.now() - begunAt);
      if (!isReady()) return;
      await this.settle(due.row, told);
    } catch (error) {
      // It is due still. That the loop has ended is told elsewhere.
      if (isReady()) onError(error as Error);
    } finally {
      this.underWay.delete(id);
    }
    this.look();
  }

  private async deliver({ row, job }: DueNotification): Promise<DeliveryOutcome> {
    const { deliver, runtime } = this.options;
    const target = job.spec.notify![row.target]!;
    const { url, secret } = target;
    const notice = toNotice(row, job);
    try {
      const delivery = { id: notice.id, url, secret, at: runtime.now(), notice };
      return await deliver!(delivery, this.stopping.signal);
    } catch (error) {
      this.options.onError(error as Error);
      return { outcome: 'failed', answer: 'it could not be sent' };
    }
  }

  private settle(notification: NotificationRow, { outcome, answer }: DeliveryOutcome) {
    const chance = this.options.runtime.chance();
    return this.options.loop.ask((batch) => {
      const { at } = batch;
      batch.execute({ type: 'settle_notification', notification, outcome, answer, chance, at });
      return () => undefined;
    });
  }

  private noteSpeed(host: string, tookMs: number): void {
    this.slowHosts.delete(host);
    if (tookMs < slowMs) return;
    this.slowHosts.add(host);
    if (this.slowHosts.size > mostSlowHosts) this.slowHosts.delete([...this.slowHosts][0]!);
  }

  /** Hosts that have no room, as `hasRoom` says. */
  private busyHosts(): readonly string[] {
    const hosts = new Set([...this.underWay.values(), ...this.slowHosts]);
    return [...hosts].filter((host) => !this.hasRoom(host));
  }

  private hasRoom(host: string): boolean {
    const isFull = this.countOf((each) => each === host) >= mostToOneHost;
    if (isFull || !this.slowHosts.has(host)) return !isFull;
    return this.countOf((each) => this.slowHosts.has(each)) < mostToSlowHosts;
  }

  private countOf(isCounted: (host: string) => boolean): number {
    return [...this.underWay.values()].filter(isCounted).length;
  }
}

/** The name of a delivery for its receiver. It has no dot: signatures are made over parts with dots between. */
function deliveryId({ jobId, id }: NotificationRow): string {
  return `msg_${jobId}_${id}`;
}

function toNotice(row: NotificationRow, { spec }: DueNotification['job']) {
  const { completed, failed, cancelled } = row;
  const path = `/api/jobs/${spec.id}`;
  return {
    schema: 1,
    type: `job.${row.status}`,
    timestamp: isoTime(row.endedAt),
    id: deliveryId(row),
    attempt: row.attempts + 1,
    data: {
      job_id: spec.id,
      name: spec.name,
      client_id: spec.clientId,
      status: row.status,
      task_count: spec.taskCount,
      counts: { completed, failed, cancelled },
      created_at: isoTime(spec.createdAt),
      started_at: row.startedAt === null ? null : isoTime(row.startedAt),
      completed_at: isoTime(row.endedAt),
      links: { job: path, results: `${path}/results` },
    },
  } as const;
}

function toView(row: NotificationRow, url: string): JobNotification {
  return {
    id: deliveryId(row),
    url: shownUrl(url),
    status: row.status,
    ended_at: isoTime(row.endedAt),
    state: row.outcome,
    attempts: row.attempts,
    last_answer: row.answer,
    last_attempt_at: row.triedAt === null ? null : isoTime(row.triedAt),
    next_attempt_at: row.nextAt === null ? null : isoTime(row.nextAt),
  };
}
