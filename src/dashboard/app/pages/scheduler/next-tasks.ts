// Where the next tasks would go, against where they go now.

import { grouped } from '../../text/numbers.ts';
import { counted } from '../../text/words.ts';

export interface Placement {
  readonly worker_id: string;
  readonly tasks: number;
}

export interface NextTasks {
  readonly workerId: string;
  /** Under the draft, and under what is in force. */
  readonly tasks: number;
  readonly before: number;
  /** Parts of a row: as now, more than now, fewer than now. */
  readonly kept: number;
  readonly gained: number;
  readonly lost: number;
}

/** Most first; who loses all comes last. Without `before` nothing is compared. */
export function nextTasks(
  placements: readonly Placement[],
  before: readonly Placement[] | null,
): readonly NextTasks[] {
  const now = new Map(before?.map(({ worker_id, tasks }) => [worker_id, tasks]));
  const then = new Map(placements.map(({ worker_id, tasks }) => [worker_id, tasks]));
  const ids = new Set([...then.keys(), ...now.keys()]);
  return [...ids]
    .map((workerId) => {
      const tasks = then.get(workerId) ?? 0;
      const had = before === null ? tasks : (now.get(workerId) ?? 0);
      return {
        workerId,
        tasks,
        before: had,
        kept: Math.min(tasks, had),
        gained: Math.max(0, tasks - had),
        lost: Math.max(0, had - tasks),
      };
    })
    .toSorted((a, b) => b.tasks - a.tasks || b.before - a.before);
}

/** Of each worker the numbers of its turns, from 0. */
export function turnsOf(order: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const turns = new Map<string, number[]>();
  for (const [turn, id] of order.entries()) {
    const those = turns.get(id);
    if (those === undefined) turns.set(id, [turn]);
    else those.push(turn);
  }
  return turns;
}

const most = 1000;

/** A third of the slots: when all are filled, all methods look alike. */
export function usualCount(slots: number): number {
  const third = Math.max(1, Math.round(slots / 3));
  return Math.min(most, third < 20 ? third : Math.round(third / 10) * 10);
}

/** The counts to choose from, the chosen one and the usual one among them. */
export function countChoices(slots: number, chosen: number): readonly number[] {
  return [...new Set([10, 40, 100, usualCount(slots), chosen])].toSorted((a, b) => a - b);
}

/** From the address; null when it says none. */
export function countOf(text: string | null): number | null {
  const count = Number(text ?? '');
  return Number.isInteger(count) && count >= 1 && count <= most ? count : null;
}

/** Where no slot is free. */
export const noDifference =
  'A slot that becomes free is the only candidate then: another algorithm changes little now.';

interface Told {
  readonly rows: readonly NextTasks[];
  readonly workers: number;
  readonly unplaced: number;
  readonly isCompared: boolean;
}

/** The finding in words. */
export function nextTasksSentence({ rows, workers, unplaced, isCompared }: Told): string {
  const getting = rows.filter(({ tasks }) => tasks > 0).length;
  const moved = rows.reduce((sum, { gained }) => sum + gained, 0);
  const parts = [`${grouped(getting)} of ${counted(workers, 'device')} get some.`];
  if (isCompared) {
    parts.push(
      moved === 0
        ? 'None would go elsewhere than now.'
        : `${counted(moved, 'task')} would go elsewhere than now.`,
    );
  }
  if (unplaced > 0) parts.push(`${counted(unplaced, 'task')} would find no free slot.`);
  return parts.join(' ');
}
