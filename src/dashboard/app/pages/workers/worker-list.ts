// Which workers the list shows, in which groups, and the sums of them.

import {
  type DeviceKind,
  deviceKindOf,
  deviceKinds,
  kindNames,
  workerStates,
  type WorkerState,
} from '../../look/states.ts';
import { stateInWords, stateOf } from '../../text/worker-states.ts';
import type { Worker } from '../../store/cluster.ts';
import { isHere, type Room, roomOf } from '../../store/presence.ts';
import { capitalized, compareNames, nameOf } from '../../text/words.ts';

export interface Wanted {
  readonly state: WorkerState | null;
  readonly kind: DeviceKind | null;
  /** All of them, as `gpu=yes`. */
  readonly labels: readonly string[];
  /** A part of the name, the id, the platform or a label. */
  readonly find: string;
}

/** The places in the order of these names, as it was made last: comparing names takes long, and they seldom change. */
let ordered: { readonly names: string; readonly places: readonly number[] } | null = null;

/** `desk-2` before `desk-10`. */
export function byName(workers: readonly Worker[]): readonly Worker[] {
  const all = workers.map(nameOf);
  const names = JSON.stringify(all);
  if (ordered?.names !== names) {
    const places = [...all.keys()].toSorted((one, other) => compareNames(all[one]!, all[other]!));
    ordered = { names, places };
  }
  return ordered.places.map((place) => workers[place]!);
}

export function matching(
  workers: readonly Worker[],
  { state, kind, labels, find }: Wanted,
): readonly Worker[] {
  const part = find.trim().toLowerCase();
  return workers.filter(
    (worker) =>
      (state === null || stateOf(worker) === state) &&
      (kind === null || deviceKindOf(worker.type) === kind) &&
      labels.every((label) => labelTexts(worker).includes(label)) &&
      (part === '' || textOf(worker).includes(part)),
  );
}

/** `gpu=yes` */
export function labelTexts({ labels }: Pick<Worker, 'labels'>): readonly string[] {
  return Object.entries(labels).map(([label, value]) => `${label}=${value}`);
}

function textOf(worker: Worker): string {
  const { name, id, type, platform } = worker;
  return [name ?? '', id, type, platform, ...labelTexts(worker)].join('\n').toLowerCase();
}

export interface Chips {
  readonly states: readonly { readonly state: WorkerState; readonly count: number }[];
  readonly kinds: readonly { readonly kind: DeviceKind; readonly count: number }[];
}

/** States and kinds that are there, and the one that is chosen though none of it is left. */
export function chipsOf(workers: readonly Worker[], { state, kind }: Wanted): Chips {
  const ofState = counts(workers, stateOf);
  const ofKind = counts(workers, (worker) => deviceKindOf(worker.type));
  return {
    states: workerStates
      .map((each) => ({ state: each, count: ofState.get(each) ?? 0 }))
      .filter((each) => each.count > 0 || each.state === state),
    kinds: deviceKinds
      .map((each) => ({ kind: each, count: ofKind.get(each) ?? 0 }))
      .filter((each) => each.count > 0 || each.kind === kind),
  };
}

function counts<Key>(workers: readonly Worker[], keyOf: (worker: Worker) => Key): Map<Key, number> {
  const sums = new Map<Key, number>();
  for (const worker of workers) sums.set(keyOf(worker), (sums.get(keyOf(worker)) ?? 0) + 1);
  return sums;
}

export type Grouping = 'none' | 'kind' | 'state' | `label:${string}`;

export interface Group {
  readonly key: string;
  readonly name: string;
  readonly workers: readonly Worker[];
}

/** Labels that workers have, by which they can be grouped. */
export function labelsOf(workers: readonly Worker[]): readonly string[] {
  return [...new Set(workers.flatMap(({ labels }) => Object.keys(labels)))].toSorted((a, b) =>
    compareNames(a, b),
  );
}

export function groupsOf(workers: readonly Worker[], grouping: Grouping): readonly Group[] {
  if (grouping === 'none') return [{ key: '', name: '', workers }];
  const found = new Map<string, Worker[]>();
  for (const worker of workers) {
    const key = keyIn(grouping, worker);
    const known = found.get(key);
    if (known === undefined) found.set(key, [worker]);
    else known.push(worker);
  }
  const keys = [...found.keys()].toSorted(orderOf(grouping));
  return keys.map((key) => ({
    key,
    name: groupName(grouping, key),
    workers: found.get(key)!,
  }));
}

function keyIn(grouping: Grouping, worker: Worker): string {
  if (grouping === 'kind') return deviceKindOf(worker.type);
  if (grouping === 'state') return stateOf(worker);
  return worker.labels[grouping.slice('label:'.length)] ?? '';
}

function orderOf(grouping: Grouping): (a: string, b: string) => number {
  if (grouping === 'kind') {
    return (a, b) => deviceKinds.indexOf(a as DeviceKind) - deviceKinds.indexOf(b as DeviceKind);
  }
  if (grouping === 'state') {
    return (a, b) =>
      workerStates.indexOf(a as WorkerState) - workerStates.indexOf(b as WorkerState);
  }
  // Those without the label come last.
  return (a, b) => (a === '' ? 1 : b === '' ? -1 : compareNames(a, b));
}

function groupName(grouping: Grouping, key: string): string {
  if (grouping === 'kind') return capitalized(kindNames[key as DeviceKind].many);
  if (grouping === 'state') return capitalized(stateInWords(key));
  const label = grouping.slice('label:'.length);
  return key === '' ? `Without ${label}` : `${label}: ${key}`;
}

export interface Sums extends Room {
  readonly workers: number;
  /** Out of service. */
  readonly out: number;
  readonly completed: number;
  readonly failed: number;
}

export function sumsOf(workers: readonly Worker[]): Sums {
  return {
    ...roomOf(workers),
    workers: workers.length,
    out: workers.filter((worker) => stateOf(worker) === 'out').length,
    completed: workers.reduce((sum, worker) => sum + worker.total_completed, 0),
    failed: workers.reduce((sum, worker) => sum + worker.total_failed, 0),
  };
}

/** Mean load of those who are here and told it, 0 to 100, oldest first; null where none did. */
export function meanLoad(workers: readonly Worker[]): readonly (number | null)[] {
  const here = workers.filter(isHere);
  const lines = here.map(({ series }) => series?.cpu ?? []).filter((line) => line.length > 0);
  const length = Math.max(0, ...lines.map((line) => line.length));
  return Array.from({ length }, (_, place) => {
    // All end at the same time.
    const told = lines
      .map((line) => line[place - length + line.length])
      .filter((value) => typeof value === 'number');
    return told.length === 0 ? null : told.reduce((sum, value) => sum + value, 0) / told.length;
  });
}
