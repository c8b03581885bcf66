// Tells an operator in the log what happens to workers, and what slows the coordinator down. Nobody
// outside can make it write without bound: what comes too often is counted, and told once a minute.

import type { Logger } from 'pino';
import { defaultCoreSettings } from '../../core/settings.ts';
import type { MovedWorker, ToldAs, ToldEvent } from '../../core/told-events.ts';
import { taskId } from '../../core/task-key.ts';
import { restText } from '../../protocol/resting.ts';
import { counted, duration } from '../text/wording.ts';
import { RemovalLog } from './removal-log.ts';

export interface OperatorLogOptions {
  readonly log: Logger;
  readonly now?: () => number;
  /** Lines about workers, and about who is not told, in a minute. */
  readonly linesPerMinute?: number;
  readonly slowCommitMs?: number;
  /** Where the database is: what is slow there is another thing. */
  readonly place?: 'file' | 'server';
}

const defaultLinesPerMinute = 120;
const defaultSlowCommitMs = 1_000;
const minuteMs = 60_000;

export class OperatorLog {
  readonly #log: Logger;
  readonly #removals: RemovalLog;
  readonly #now: () => number;
  readonly #linesPerMinute: number;
  readonly #slowCommitMs: number;
  readonly #slowBecause: string;
  #minuteBeganAt = -Infinity;
  #lines = 0;
  #untold = 0;
  #slowToldAt = -Infinity;
  #slowUntold = 0;

  constructor(options: OperatorLogOptions) {
    this.#log = options.log;
    this.#removals = new RemovalLog(options.log);
    this.#now = options.now ?? (() => performance.now());
    this.#linesPerMinute = options.linesPerMinute ?? defaultLinesPerMinute;
    this.#slowCommitMs = options.slowCommitMs ?? defaultSlowCommitMs;
    this.#slowBecause = slowBecause[options.place ?? 'file'];
  }

  /** Tells what waits to be told. */
  stop(): void {
    this.#removals.flush();
  }

  /** After the commit. */
  readonly hear = (events: readonly ToldEvent[]): void => {
    for (let i = 0; i < events.length; i++) this.#hearOne(events[i]!, events[i - 1]);
  };

  readonly heardCommit = (microseconds: number): void => {
    const ms = microseconds / 1_000;
    if (ms < this.#slowCommitMs) return;
    const now = this.#now();
    if (now - this.#slowToldAt < minuteMs) {
      this.#slowUntold++;
      return;
    }
    const others =
      this.#slowUntold === 0
        ? ''
        : ` (and ${counted(this.#slowUntold, 'other')} since the last line)`;
    this.#slowToldAt = now;
    this.#slowUntold = 0;
    this.#log.warn(
      { commit_ms: Math.round(ms) },
      `A commit took ${duration(ms)}${others}: ${this.#slowBecause}.`,
    );
  };

  /** A worker said hello while another connection spoke for it. */
  readonly heardTakeover = (workerId: string): void => {
    this.#tell(
      'info',
      { worker_id: workerId },
      `Worker ${workerId} said hello on a second connection, the first is closed: it came back, ` +
        'or another program has a copy of its state folder.',
    );
  };

  /** The clock is ahead of what it was, live or since the last commit before a start. */
  heardJump(byMs: number): void {
    const { clockJumpMs, expiryHoldMs } = defaultCoreSettings;
    if (byMs <= clockJumpMs) return;
    this.#log.warn(
      `The clock is ${duration(byMs)} ahead of what it was. For ${duration(expiryHoldMs)} no job is removed for ` +
        'its age, in case that is wrong: set it right until then.',
    );
  }

  #hearOne(event: ToldEvent, before: ToldEvent | undefined): void {
    switch (event.type) {
      case 'worker_registered':
        return this.#joined(event);
      case 'worker_connected':
        // Who has just joined is connected, too.
        if (before?.type === 'worker_registered') return undefined;
        return this.#moved(event.worker, 'info', 'is back');
      case 'worker_disconnected':
        return this.#moved(event.worker, 'info', 'has lost its connection');
      case 'worker_lost':
        return this.#moved(event.worker, 'warn', 'is lost: nothing was heard of it for too long');
      case 'worker_quarantined': {
        const pause = duration(event.pauseMs);
        const why = `is quarantined for ${pause}: it fails what succeeds elsewhere`;
        return this.#moved(event.worker, 'warn', why);
      }
      case 'worker_released':
        return this.#moved(event.worker, 'info', 'is trusted again');
      case 'worker_drained':
        return this.#moved(event.worker, 'info', `gets nothing new (drained)${untilOf(event)}`);
      case 'worker_resumed':
        return this.#moved(event.worker, 'info', 'gets tasks again (resumed)');
      case 'worker_rest_changed': {
        const { worker, because } = event;
        const rests = because !== null && `rests (${restText(because)}) and gets nothing new`;
        return this.#moved(worker, 'info', rests || 'works again, and gets tasks');
      }
      case 'worker_left':
        return this.#moved(event.worker, 'info', 'has left');
      case 'worker_approved':
        return this.#moved(event.worker, 'info', 'was let in by a person');
      case 'worker_deregistered':
        return this.#moved(event.worker, 'info', removal[event.because]);
      case 'checkpoint_dropped':
        return this.#dropped(event);
      case 'job_deleted':
        return this.#removals.add(event);
      case 'notification_tried':
        return this.#tried(event);
      case 'database_cleared':
        return this.#log.warn('The database was cleared: all jobs, blobs and workers are gone.');
      case 'clock_set':
        return this.heardJump(event.byMs);
      case 'scheduler_configured':
        if (event.config.algorithm === event.before.algorithm) return undefined;
        this.#log.info(
          `Tasks are given out by ${event.config.algorithm} from now on (before: ${event.before.algorithm}).`,
        );
        return undefined;
      default:
        return undefined;
    }
  }

  #joined({ command }: ToldAs<'worker_registered'>): void {
    const { workerId, description } = command;
    const { name, type, platform, slots, version } = description;
    const what = `${type} ${platform}, ${counted(slots, 'slot')}`;
    const of = version === null ? '' : `, version ${version}`;
    this.#tell(
      'info',
      { worker_id: workerId },
      `Worker ${name ?? workerId} has joined: ${what}${of}.`,
    );
  }

  /** Whoever writes a worker learns it from nowhere else before all of its states are needed. */
  #dropped({ checkpoint }: ToldAs<'checkpoint_dropped'>): void {
    const { task, attempt, sequence, workerId } = checkpoint;
    const { index, job } = task;
    const subject = { job_id: job.spec.id, index, attempt, worker_id: workerId };
    this.#tell(
      'warn',
      subject,
      `Checkpoint ${sequence} of task ${taskId(job.spec.id, index)} (attempt ${attempt}, worker ${workerId}) is ` +
        'dropped: its state cannot be read, is not JSON, or is not what its sha256 and size_bytes say. The task goes ' +
        'on from an older one, or begins anew.',
    );
  }

  /** The host is in the job, the rest of the address may be a secret. */
  #tried({ notification }: ToldAs<'notification_tried'>): void {
    const { outcome, jobId, host, attempts, answer } = notification;
    if (outcome !== 'given_up') return;
    const tries = counted(attempts, 'attempt');
    this.#tell(
      'warn',
      { job_id: jobId },
      `${host} is not told any more that job ${jobId} has ended: given up after ${tries}, last answer ${answer}.`,
    );
  }

  #moved({ id, name }: MovedWorker, level: 'info' | 'warn', what: string): void {
    this.#tell(level, { worker_id: id }, `Worker ${name ?? id} ${what}.`);
  }

  #tell(level: 'info' | 'warn', subject: object, sentence: string): void {
    if (!this.#log.isLevelEnabled(level)) return;
    const now = this.#now();
    if (now - this.#minuteBeganAt >= minuteMs) {
      if (this.#untold > 0) {
        this.#log.warn(`${counted(this.#untold, 'more line')} were left out in a minute.`);
      }
      this.#minuteBeganAt = now;
      this.#lines = 0;
      this.#untold = 0;
    }
    if (this.#lines >= this.#linesPerMinute) {
      this.#untold++;
      return;
    }
    this.#lines++;
    this.#log[level](subject, sentence);
  }
}

function untilOf({ deadline, at }: ToldAs<'worker_drained'>): string {
  if (deadline === null) return ', and may finish what it runs';
  return `; in ${duration(Math.max(0, deadline - at))} what it still runs goes to others`;
}

const slowBecause = {
  file: 'the disk is slow, or busy with something else',
  server: 'the server of the database was away, or it or its disk is slow',
} as const;

const removal: Readonly<Record<ToldAs<'worker_deregistered'>['because'], string>> = {
  asked: 'is deregistered',
  away: 'is deregistered',
  refused: 'was not let in',
  unanswered: 'is removed: nobody has let it in',
};
