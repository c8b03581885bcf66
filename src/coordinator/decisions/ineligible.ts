// Why a worker could not be chosen in a past decision: as it stood then, and what it lacks for the job as
// it is now.

import { type State, takeSnapshot } from '../../core/state.ts';
import type { Hindrance } from '../../protocol/hindrances.ts';
import type { LoggedDecision } from './decision-log.ts';
import { absenceTexts, mismatch, slotsText } from './hindrances.ts';
import type { ReplayedDecision } from './replay.ts';

/** What is told of the task beside the decision. */
export interface TaskGrounds {
  /** What the worker lacks for the job, as it is now. */
  readonly mismatchOf: (workerId: string, row: number) => readonly Hindrance[];
  /** Whether the worker did not take the task before; else the task failed there, or was lost. */
  readonly hasRefused: (workerId: string) => boolean;
}

/** The grounds that memory has: of a task that is over, who refused it is not known any more. */
export function groundsInMemory(state: State, { placement }: LoggedDecision): TaskGrounds {
  const { jobId, index } = placement;
  const job = state.jobs.get(jobId);
  const { workers } = takeSnapshot(state);
  const untaken = job?.tasks.get(index)?.untaken ?? [];
  return {
    mismatchOf: (workerId, row) => {
      // Mostly it stands where it stood, and need not be looked up.
      const same = workers[row]?.id === workerId ? workers[row] : undefined;
      const worker = same ?? state.workers.get(workerId);
      if (worker === undefined || job === undefined) return [];
      return mismatch(worker, job.spec.programKind, job.spec.requirements);
    },
    hasRefused: (id) => untaken.some(({ workerId }) => workerId === id),
  };
}

/** Of a row that was not eligible; never empty. */
export function whyNot(
  { pass, placement }: LoggedDecision,
  { snapshot }: ReplayedDecision,
  row: number,
  { mismatchOf, hasRefused }: TaskGrounds,
): readonly Hindrance[] {
  const { id, activeTasks, slots } = snapshot.workers[row]!;
  const absence = pass.absenceOf(row);
  const reasons: Hindrance[] = absence === undefined ? [] : [absenceTexts[absence]];
  reasons.push(...mismatchOf(id, row));
  if (placement.except?.includes(row) === true) {
    reasons.push(
      hasRefused(id)
        ? { code: 'refused_here', text: 'it refused the task before' }
        : { code: 'failed_here', text: 'the task failed or was lost here before' },
    );
  }
  if (activeTasks >= slots) {
    reasons.push({ code: 'no_free_slot', text: slotsText(activeTasks, slots) });
  }
  if (reasons.length > 0) return reasons;
  return [{ code: 'no_free_slot', text: 'it held as much as it may' }];
}
