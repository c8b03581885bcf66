// What needs a person: worked out of what is known of the cluster, worst first. Each says what, why, and the way out.

import type { GlyphName } from '../../look/glyphs.tsx';
import { stateOf } from '../../text/worker-states.ts';
import type { TaskWaiting } from '../../../../protocol/explanations.ts';
import type { JobHead, Worker } from '../../store/cluster.ts';
import { cureOf, heldBack, whyHeldBack } from '../../store/held-back.ts';
import { isHere } from '../../store/presence.ts';
import { isOpen } from '../../store/job-share.ts';
import { bytes, grouped, percentOf } from '../../text/numbers.ts';
import { requirementsInWords } from '../../text/requirements.ts';
import { wholeDuration } from '../../text/times.ts';
import { counted, listedFirst, nameOf } from '../../text/words.ts';

export interface Attention {
  /** The same trouble has the same key … */
  readonly key: string;
  /** … and another state once it has changed: what was put aside is shown again. */
  readonly state: string;
  readonly glyph: GlyphName;
  readonly title: string;
  readonly why: string;
  readonly wayOut: WayOut | null;
}

export type WayOut =
  | { readonly kind: 'link'; readonly text: string; readonly href: string }
  | { readonly kind: 'retry'; readonly text: string; readonly jobId: string };

export interface Health {
  readonly store?: { readonly damaged: number; readonly checked_at: string };
  readonly disk?: {
    readonly is_full: boolean;
    readonly free_bytes: number;
    readonly floor_bytes: number;
  };
}

export interface QuotaFill {
  readonly name: string;
  readonly bound: number | null;
  readonly used: number | null;
  readonly meaning: string;
}

export interface Facts {
  /** Of the coordinator. */
  readonly nowMs: number;
  /** The silence of devices counts up to here. */
  readonly heardToMs: number;
  readonly jobs: readonly JobHead[];
  readonly workers: readonly Worker[];
  /** Why the first waiting task of a job waits, of those that were asked about. */
  readonly waiting: ReadonlyMap<string, TaskWaiting>;
  /** In the last five minutes. */
  readonly recent: { readonly completed: number; readonly failed: number };
  readonly health: Health | null;
  readonly quotas: readonly QuotaFill[];
  /** When the coordinator began; null: not known. */
  readonly startedAtMs: number | null;
  readonly maySubmit: boolean;
}

const day = 86_400_000;
const restartToldMs = 3_600_000;
const stuckAfterMs = 5_000;
const leastEnded = 20;
const mostFailedShare = 0.05;
const nearShare = 0.9;
/** Of the free space at which the coordinator takes nothing more. */
const nearFloor = 2;

export function attentionOf(facts: Facts): readonly Attention[] {
  return [
    ...noDevice(facts),
    ...storeTroubles(facts),
    ...stuckJobs(facts),
    ...workersOf(facts),
    ...failedJobs(facts),
    ...manyFailures(facts),
    ...nearLimits(facts),
    ...restart(facts),
  ];
}

const link = (text: string, href: string): WayOut => ({ kind: 'link', text, href });

function noDevice({ jobs, workers }: Facts): readonly Attention[] {
  const waiting = jobs.filter(isOpen).reduce((sum, { counts }) => sum + counts.pending, 0);
  if (waiting === 0 || workers.some(isHere)) return [];
  const waits = `${counted(waiting, 'task')} ${waiting === 1 ? 'waits' : 'wait'}`;
  const gone =
    workers.length === 1 ? 'the only device is' : `all ${grouped(workers.length)} devices are`;
  const hasOut = workers.some((worker) => stateOf(worker) === 'out');
  return [
    {
      key: 'no-device',
      state: String(workers.length),
      glyph: 'attention',
      title: 'No device is here',
      why:
        workers.length === 0
          ? `${waits}, and no device has ever joined.`
          : `${waits}; ${gone} offline${hasOut ? ' or out of service' : ''}.`,
      wayOut: hasOut ? link('See the workers', '/workers') : link('Connect a device', '/connect'),
    },
  ];
}

function storeTroubles({ health }: Facts): readonly Attention[] {
  const found: Attention[] = [];
  const { store, disk } = health ?? {};
  if (store !== undefined && store.damaged > 0) {
    found.push({
      key: 'damaged',
      state: String(store.damaged),
      glyph: 'failed',
      title: 'The database is damaged',
      why: `${counted(store.damaged, 'value')} cannot be read as written. A backup has them.`,
      wayOut: null,
    });
  }
  if (disk !== undefined && (disk.is_full || disk.free_bytes < nearFloor * disk.floor_bytes)) {
    found.push({
      key: 'disk',
      state: String(disk.is_full),
      glyph: disk.is_full ? 'failed' : 'attention',
      title: disk.is_full ? 'The disk is full' : 'The disk is nearly full',
      why: `${bytes(disk.free_bytes)} are free; below ${bytes(disk.floor_bytes)} no new jobs are taken. Delete ended jobs, or make room.`,
      wayOut: link('Ended jobs', '/jobs?status=completed'),
    });
  }
  return found;
}

/** Jobs that wait and have nothing at work: these are worth asking about. */
export function stuckCandidates(jobs: readonly JobHead[], nowMs: number): readonly JobHead[] {
  return jobs.filter(
    (job) =>
      isOpen(job) &&
      job.held_since === null &&
      job.counts.pending > 0 &&
      job.counts.running + job.counts.assigned === 0 &&
      nowMs - Date.parse(job.created_at) > stuckAfterMs,
  );
}

function stuckJobs({ jobs, nowMs, waiting, workers }: Facts): readonly Attention[] {
  if (!workers.some(isHere)) return [];
  return stuckCandidates(jobs, nowMs).flatMap((job) => {
    const why = waiting.get(job.id);
    if (why?.code !== 'no_eligible_worker' && why?.code !== 'refused') return [];
    const able = why.code === 'refused' ? [] : heldBack(workers, job.options?.requirements);
    const [first] = why.reasons;
    const asks =
      first?.code === 'requirement' ? requirementsInWords(job.options?.requirements) : null;
    const reason =
      able.length > 0
        ? `${listedFirst(able.map(whyHeldBack))}, and no other may run it. ${cureOf(able)}.`
        : first === undefined
          ? why.reason
          : `${asks === null ? first.text : `it requires ${asks}, which is lacking`} (${grouped(first.workers)} of ${counted(why.worker_count, 'device')}).`;
    return [
      {
        key: `stuck ${job.id}`,
        state: `${why.code} ${able.length > 0 ? 'out' : (first?.code ?? '')}`,
        glyph: 'pending' as const,
        title: `No device can run ${nameOf(job)}`,
        why: `${counted(job.counts.pending, 'task waits', 'tasks wait')}: ${reason}`,
        wayOut:
          able.length === 1 ? link('Look', pageOfWorker(able[0]!)) : link('Why', pageOfJob(job)),
      },
    ];
  });
}

const pageOfJob = ({ id }: JobHead): string => `/jobs/${encodeURIComponent(id)}`;
const pageOfWorker = ({ id }: Worker): string => `/workers/${encodeURIComponent(id)}`;

/** From one and a half heartbeats on; a worker is lost after three. */
export function silentSeconds(worker: Worker, nowMs: number): number | null {
  if (worker.status === 'offline' || worker.status === 'waiting') return null;
  const seconds = (nowMs - Date.parse(worker.last_heartbeat)) / 1000;
  return seconds > worker.lease_seconds / 2 ? seconds : null;
}

const mostByName = 3;

/** More than a few in the same trouble have one cause: they are told as one. Null: they are told one by one. */
function gathered(
  workers: readonly Worker[],
  glyph: GlyphName,
  what: string,
  query: string,
): readonly Attention[] | null {
  if (workers.length <= mostByName) return null;
  const named = workers.slice(0, mostByName).map(nameOf);
  return [
    {
      key: `many ${what}`,
      state: String(workers.length),
      glyph,
      title: `${grouped(workers.length)} devices ${what}`,
      why: `${named.join(', ')} and ${grouped(workers.length - mostByName)} more.`,
      wayOut: link('Look', `/workers${query}`),
    },
  ];
}

function workersOf({ workers, heardToMs }: Facts): readonly Attention[] {
  const quarantined = workers.filter(({ status }) => status === 'quarantined');
  const waiting = workers.filter(({ status }) => status === 'waiting');
  const silent = workers.filter(
    (worker) => worker.status !== 'quarantined' && silentSeconds(worker, heardToMs) !== null,
  );
  const refusing = workers.filter(
    (worker) => worker.refusing !== undefined && worker.status !== 'quarantined',
  );
  return [
    ...(gathered(quarantined, 'quarantined', 'fail what others finish', '?state=quarantined') ??
      quarantined.map((worker) => ({
        key: `quarantined ${worker.id}`,
        state: String(worker.total_failed),
        glyph: 'quarantined' as const,
        title: `${nameOf(worker)} fails what others finish`,
        why: `${counted(worker.total_failed, 'task')} failed here, ${grouped(worker.total_completed)} completed. It is given nothing but a try now and then.`,
        wayOut: link('Look', pageOfWorker(worker)),
      }))),
    ...(gathered(waiting, 'waiting', 'ask to be let in', '?state=waiting') ??
      waiting.map((worker) => ({
        key: `waiting ${worker.id}`,
        state: '',
        glyph: 'waiting' as const,
        title: `${nameOf(worker)} asks to be let in`,
        why: 'Its link asks for the consent of a person for each device.',
        wayOut: link('Decide', '/connect'),
      }))),
    ...(gathered(silent, 'attention', 'are silent', '') ??
      silent.map((worker) => ({
        key: `silent ${worker.id}`,
        state: worker.last_heartbeat,
        glyph: 'attention' as const,
        title: `${nameOf(worker)} is silent`,
        why: `Nothing heard for ${wholeDuration(silentSeconds(worker, heardToMs)!)}; it is lost after ${wholeDuration(worker.lease_seconds)}, and what it has is given to others then.`,
        wayOut: link('Look', pageOfWorker(worker)),
      }))),
    ...(gathered(refusing, 'attention', 'take no task', '') ??
      refusing.map((worker) => ({
        key: `refusing ${worker.id}`,
        state: worker.refusing!.reason ?? '',
        glyph: 'attention' as const,
        title: `${nameOf(worker)} takes no task`,
        why: `It refused ${counted(worker.refusing!.offers, 'offer')}${worker.refusing!.reason === null ? '' : `: ${worker.refusing!.reason}`}.`,
        wayOut: link('Look', pageOfWorker(worker)),
      }))),
  ];
}

function failedJobs({ jobs, nowMs, maySubmit }: Facts): readonly Attention[] {
  return jobs
    .filter(
      ({ status, completed_at: end }) =>
        status === 'failed' && end !== null && nowMs - Date.parse(end) < day,
    )
    .map((job) => {
      const { failed } = job.counts;
      return {
        key: `failed ${job.id}`,
        state: `${failed} ${job.completed_at}`,
        glyph: 'failed' as const,
        title: `${nameOf(job)} ended with ${grouped(failed)} failed`,
        why: job.error ?? `${percentOf(failed, job.task_count)} of its tasks failed.`,
        wayOut:
          maySubmit && failed > 0
            ? { kind: 'retry' as const, text: `Retry ${grouped(failed)}`, jobId: job.id }
            : link('Look', pageOfJob(job)),
      };
    });
}

function manyFailures({ recent: { completed, failed } }: Facts): readonly Attention[] {
  const ended = completed + failed;
  if (ended < leastEnded || failed / ended <= mostFailedShare) return [];
  return [
    {
      key: 'failures',
      // A tenth more is news, each single failure is not.
      state: String(Math.floor((10 * failed) / ended)),
      glyph: 'failed',
      title: `${percentOf(failed, ended)} of what ends fails`,
      why: `${counted(failed, 'task')} of ${grouped(ended)} failed in the last five minutes.`,
      wayOut: link('Jobs', '/jobs'),
    },
  ];
}

function nearLimits({ quotas }: Facts): readonly Attention[] {
  return quotas
    .filter(({ bound, used }) => bound !== null && used !== null && used >= nearShare * bound)
    .filter(({ bound }) => bound! > 0)
    .map(({ name, bound, used, meaning }) => {
      const told = name === 'stored_bytes' ? bytes : grouped;
      return {
        key: `quota ${name}`,
        state: String(used! >= bound!),
        glyph: 'attention' as const,
        title: `${percentOf(used!, bound!)} of a quota is used`,
        why: `${meaning}: ${told(used!)} of ${told(bound!)}.`,
        wayOut: link('Limits', '/settings'),
      };
    });
}

function restart({ startedAtMs, nowMs, jobs }: Facts): readonly Attention[] {
  if (startedAtMs === null || nowMs - startedAtMs > restartToldMs) return [];
  const older = jobs.filter(
    (job) => isOpen(job) && Date.parse(job.created_at) < startedAtMs - 1_000,
  ).length;
  if (older === 0) return [];
  return [
    {
      key: 'restart',
      // Told as whole minutes: the moment is reckoned from how long it is up.
      state: String(Math.round(startedAtMs / 60_000)),
      glyph: 'held',
      title: 'The coordinator was restarted',
      why: `${wholeDuration((nowMs - startedAtMs) / 1000)} ago. ${counted(older, 'open job')} went on where ${older === 1 ? 'it was' : 'they were'}.`,
      wayOut: link('Recovery', '/recovery'),
    },
  ];
}

/** Of what was put aside, what has not changed since stays there. */
export function withoutAside(
  found: readonly Attention[],
  aside: Readonly<Record<string, string>>,
): readonly Attention[] {
  return found.filter(({ key, state }) => aside[key] !== state);
}

/** Only what is still there needs to be remembered. */
export function keptAside(
  found: readonly Attention[],
  aside: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const states = new Map(found.map(({ key, state }) => [key, state]));
  return Object.fromEntries(
    Object.entries(aside).filter(([key, state]) => states.get(key) === state),
  );
}
