// How devices are shown: each with its slots while there are few, a cell each, or counted where they are too many to
// be told apart.

import {
  type DeviceKind,
  deviceKindOf,
  deviceKinds,
  kindNames,
  workerStates,
  type WorkerState,
} from '../../look/states.ts';
import { stateInWords, stateOf } from '../../text/worker-states.ts';
import type { GlyphName } from '../../look/glyphs.tsx';
import { restText } from '../../../../protocol/resting.ts';
import type { Worker } from '../../store/cluster.ts';
import { grouped } from '../../text/numbers.ts';
import { wholeDuration } from '../../text/times.ts';
import { capitalized, compareNames, nameOf } from '../../text/words.ts';
import { isHere } from '../../store/presence.ts';
import { silentSeconds } from './attention.ts';

export type DeviceView = 'slots' | 'cells' | 'counts';

const mostWithSlots = 60;
const mostWithCells = 600;

export function viewOf(count: number): DeviceView {
  if (count <= mostWithSlots) return 'slots';
  return count <= mostWithCells ? 'cells' : 'counts';
}

export interface DeviceGroup {
  readonly kind: DeviceKind;
  readonly here: number;
  /** By name, so that a place stays a place. */
  readonly workers: readonly Worker[];
  readonly byState: Readonly<Record<WorkerState, number>>;
}

export function groupsOf(workers: readonly Worker[]): readonly DeviceGroup[] {
  return deviceKinds
    .map((kind) => {
      const own = workers
        .filter(({ type }) => deviceKindOf(type) === kind)
        .map((worker) => ({ worker, name: nameOf(worker) }))
        .toSorted((a, b) => compareNames(a.name, b.name) || (a.worker.id < b.worker.id ? -1 : 1))
        .map(({ worker }) => worker);
      const byState = Object.fromEntries(workerStates.map((state) => [state, 0])) as Record<
        WorkerState,
        number
      >;
      for (const worker of own) byState[stateOf(worker)]++;
      return { kind, here: own.filter(isHere).length, workers: own, byState };
    })
    .filter((group) => group.workers.length > 0);
}

/** `PCs · 11 of 12` */
export function headOf({ kind, here, workers }: DeviceGroup): string {
  return `${capitalized(kindNames[kind].many)} · ${grouped(here)} of ${grouped(workers.length)}`;
}

export const pageOfDevice = ({ id }: Worker): string => `/workers/${encodeURIComponent(id)}`;

/** The shape of what is not well, or null. A rest is no fault. */
export function unwell(worker: Worker, nowMs: number): GlyphName | null {
  const state = stateOf(worker);
  if (state !== 'online' && state !== 'busy' && state !== 'resting') return state;
  return silentSeconds(worker, nowMs) === null ? null : 'attention';
}

/** All about it in a line, for hints and for those who do not see it. */
export function told(worker: Worker, nowMs: number): string {
  const { active_tasks: taken, slots, rests_because: rest } = worker;
  const silent = silentSeconds(worker, nowMs);
  return [
    `${nameOf(worker)}: ${stateInWords(stateOf(worker))}`,
    ...(rest === null ? [] : [restText(rest)]),
    ...(silent === null ? [] : [`silent for ${wholeDuration(silent)}`]),
    `${taken} of ${slots} ${slots === 1 ? 'slot' : 'slots'} at work`,
  ].join(', ');
}

/** Share of the slots that are at work, in fifths: a cell is too small for more. */
export function fillOf({ active_tasks: taken, slots }: Worker): number {
  if (taken === 0 || slots === 0) return 0;
  return Math.max(1, Math.min(5, Math.round((5 * taken) / slots)));
}
