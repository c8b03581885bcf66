// Why another algorithm changed nothing, as far as the last decision tells: one device with a free slot leaves no choice.

import type { SchedulingInfo } from '../../../../protocol/scheduling-info.ts';
import { grouped } from '../../text/numbers.ts';

type Told = Pick<SchedulingInfo, 'pending_tasks' | 'last_decision'> & {
  readonly workers: readonly Pick<SchedulingInfo['workers'][number], 'eligible' | 'selected'>[];
};

/** Null: it had a choice, or nothing is known. */
export function whySame({
  pending_tasks: pending,
  last_decision: last,
  workers,
}: Told): string | null {
  if (last === null) return null;
  const open = workers.filter(({ eligible, selected }) => eligible || selected);
  if (open.length !== 1) return null;
  const wait = pending === 0 ? '' : ` while ${grouped(pending)} tasks wait`;
  return `The last decision had one device to choose from${wait}: all others were full or may not run the task. Then no algorithm changes much.`;
}
