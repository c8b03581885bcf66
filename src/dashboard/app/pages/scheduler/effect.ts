// What another algorithm can change: where a task has one device only, or no slot is free, there is nothing to choose.

import type { SchedulerPreview } from '../../../../protocol/explanations.ts';
import { grouped } from '../../text/numbers.ts';
import { counted } from '../../text/words.ts';
import { noDifference } from './next-tasks.ts';

type Ranked = Pick<SchedulerPreview['workers'][number], 'eligible' | 'reasons'>;

/** Of a job that waits. */
export interface Chances {
  readonly pending: number;
  /** Devices that may run it, busy ones too. */
  readonly devices: number;
  readonly isSlotFree: boolean;
}

/** Now, or when one of its slots is free. */
export function mayRun({ eligible, reasons }: Ranked): boolean {
  return eligible || reasons.every(({ code }) => code === 'no_free_slot');
}

export function chancesOf(pending: number, { workers, placements }: SchedulerPreview): Chances {
  const isSlotFree = (placements ?? []).length > 0;
  return { pending, devices: workers.filter(mayRun).length, isSlotFree };
}

/** `chances`: of all that waits; null: not known of all, and nothing is claimed. */
export function effectSentence(chances: readonly Chances[] | null, openJobs: number): string {
  const jobs = (count: number): string => counted(count, 'open job');
  if (chances === null) {
    return `It counts for what waits of ${jobs(openJobs)}, from the next decision on.`;
  }
  const sum = (those: readonly Chances[]): number =>
    those.reduce((all, { pending }) => all + pending, 0);
  const open = chances.filter(({ pending, devices }) => pending > 0 && devices > 1);
  const bound = sum(chances) - sum(open);
  const parts = [
    `It affects ${counted(sum(open), 'waiting task')} of ${jobs(open.length)}, from the next decision on.`,
  ];
  if (bound > 0)
    parts.push(
      `${grouped(bound)} of ${jobs(chances.length - open.length)} have no two devices to choose from.`,
    );
  if (open.length > 0 && open.every(({ isSlotFree }) => !isSlotFree)) {
    parts.push(`Every slot that may run them is taken. ${noDifference}`);
  }
  return parts.join(' ');
}
