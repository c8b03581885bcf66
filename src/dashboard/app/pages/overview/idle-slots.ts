// Why slots are free while tasks wait, as far as jobs and devices tell it.

import type { JobHead, Worker } from '../../store/cluster.ts';
import { isOpen } from '../../store/job-share.ts';
import { meets } from '../../store/meets.ts';
import { isHere, takesNothingNew } from '../../store/presence.ts';
import { grouped } from '../../text/numbers.ts';
import { requirementsInWords } from '../../text/requirements.ts';
import { counted, listed } from '../../text/words.ts';

const reasons = {
  unfit: (count: number) => `${grouped(count)} no open job may use`,
  rest: (count: number) => `${grouped(count)} ${count === 1 ? 'rests' : 'rest'}`,
  quarantined: (count: number) => `${grouped(count)} ${are(count)} in quarantine`,
  free: (count: number) => `${grouped(count)} ${are(count)} free for them`,
};
type Reason = keyof typeof reasons;

/** Null: nothing waits, or what is free is about to be taken. */
export function idleSlots(
  workers: readonly Worker[],
  jobs: readonly JobHead[] | null,
): string | null {
  const waiting = (jobs ?? []).filter(
    (job) => isOpen(job) && job.held_since === null && job.counts.pending > 0,
  );
  if (waiting.length === 0) return null;
  const counts = new Map<Reason, number>();
  let [all, out] = [0, 0];
  for (const worker of workers) {
    const idle = worker.slots - worker.active_tasks;
    // These are no slots of those that are here.
    if (worker.status === 'draining') out += Math.max(0, idle);
    const reason = reasonOf(worker, waiting);
    if (idle <= 0 || reason === null) continue;
    all += idle;
    counts.set(reason, (counts.get(reason) ?? 0) + idle);
  }
  if (all === (counts.get('free') ?? 0)) return null;
  const tasks = waiting.reduce((sum, job) => sum + job.counts.pending, 0);
  const told = Object.entries(reasons).flatMap(([reason, inWords]) => {
    const count = counts.get(reason as Reason);
    return count === undefined ? [] : [inWords(count) + (reason === 'unfit' ? asked(waiting) : '')];
  });
  return `${counted(all, 'slot is', 'slots are')} idle while ${counted(tasks, 'task waits', 'tasks wait')}: ${listed(told)}.${out === 0 ? '' : ` ${counted(out, 'more is', 'more are')} out of service.`}`;
}

/** Null: it is not here, or out of service. */
function reasonOf(worker: Worker, waiting: readonly JobHead[]): Reason | null {
  if (!isHere(worker) || takesNothingNew(worker)) return null;
  if (worker.status === 'quarantined') return 'quarantined';
  if (worker.rests_because !== null) return 'rest';
  return waiting.some(({ options }) => meets(worker, options?.requirements)) ? 'free' : 'unfit';
}

/** ` (they require gpu=yes or site=lab)` */
function asked(jobs: readonly JobHead[]): string {
  const all = new Set(
    jobs.map(({ options }) => requirementsInWords(options?.requirements)).filter((each) => each),
  );
  return all.size > mostAsked ? '' : ` (they require ${[...all].join(' or ')})`;
}

const mostAsked = 3;

function are(count: number): string {
  return count === 1 ? 'is' : 'are';
}
