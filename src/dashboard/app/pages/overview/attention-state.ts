// What has to be asked to know what needs attention.

import type { QuotaUse } from '../../../../client/quotas.ts';
import type { TaskExplanation, TaskWaiting } from '../../../../protocol/explanations.ts';
import type { SystemStats, TaskListing } from '../../../../protocol/resources.ts';
import { coordinatorTime, now } from '../../store/clock.ts';
import { jobList, workerList, workersHeardToMs } from '../../store/cluster.ts';
import { pathOfJob, read } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { maySubmit } from '../../store/session.ts';
import { type Attention, attentionOf, type Health, stuckCandidates } from './attention.ts';
import { endedWithin, type Throughput } from './throughput.ts';

const askedAtOnce = 5;
const recentMs = 300_000;

/** When the coordinator began, by its own clock; null: not known. */
export function useStart(): number | null {
  const { value } = usePart('start', async (signal) => {
    const { uptime_seconds: seconds } = await read<SystemStats>('/api/stats', {}, signal);
    return performance.now() - seconds * 1000;
  });
  // What time it is by its clock may only be told later.
  return value === null
    ? null
    : 1_000 * Math.round((coordinatorTime() - performance.now() + value) / 1_000);
}

/** Worst first; null while jobs or workers are not known. */
export function useAttention(
  throughput: Throughput | null,
  startedAtMs: number | null,
): readonly Attention[] | null {
  const health = usePart('health', (signal) => read<Health>('/healthz', {}, signal), {
    everyMs: 30_000,
  });
  const quota = usePart('quota', (signal) => read<QuotaUse>('/api/quota', {}, signal), {
    everyMs: 60_000,
  });
  const jobs = jobList.value;
  const nowMs = now.value;
  const stuck = stuckCandidates(jobs ?? [], nowMs)
    .slice(0, askedAtOnce)
    .map(({ id }) => id);
  const waiting = usePart(
    `waiting ${stuck.join(' ')}`,
    async (signal) => {
      const found = await Promise.all(stuck.map((id) => whyWaits(id, signal)));
      return new Map(found.flatMap((why, place) => (why === null ? [] : [[stuck[place]!, why]])));
    },
    { everyMs: 10_000, isOff: stuck.length === 0 },
  );
  if (jobs === null || workerList.value === null) return null;
  return attentionOf({
    nowMs,
    heardToMs: workersHeardToMs.value,
    jobs,
    workers: workerList.value,
    waiting: waiting.value ?? new Map(),
    recent:
      throughput === null ? { completed: 0, failed: 0 } : endedWithin(throughput, nowMs, recentMs),
    health: health.value,
    quotas: quota.value?.quotas ?? [],
    startedAtMs,
    maySubmit: maySubmit.value,
  });
}

/** Of the first task that waits; null: none does any more. */
async function whyWaits(jobId: string, signal: AbortSignal): Promise<TaskWaiting | null> {
  const path = `${pathOfJob(jobId)}/tasks`;
  const [first] = await read<readonly TaskListing[]>(path, { status: 'pending', limit: 1 }, signal);
  if (first === undefined) return null;
  const { waiting } = await read<TaskExplanation>(`${path}/${first.index}/explain`, {}, signal);
  return waiting;
}
