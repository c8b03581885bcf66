// States of tasks, jobs and workers: their order and names. How each looks is in `glyphs.tsx` and `states.css`.

import type { TaskStatus } from '../../../protocol/resources.ts';
import type { WorkerStatus } from '../../../protocol/workers.ts';

/** `out`: out of service; `resting`: by the wish of its owner, or of the device itself. */
export type WorkerState = WorkerStatus | 'out' | 'resting';
export type ShownState = TaskStatus | WorkerState;

/** As parts of a bar, from left to right; what failed is pinned to the right edge. */
export const barOrder: readonly TaskStatus[] = [
  'completed',
  'running',
  'assigned',
  'pending',
  'cancelled',
  'failed',
];

/** As in lists: what is to come first. */
export const taskStates: readonly TaskStatus[] = [
  'pending',
  'assigned',
  'running',
  'completed',
  'failed',
  'cancelled',
];

export const workerStates: readonly WorkerState[] = [
  'online',
  'busy',
  'resting',
  'waiting',
  'draining',
  'out',
  'quarantined',
  'offline',
];

/** What a device is, as people tell devices apart. */
export type DeviceKind = 'pc' | 'phone' | 'browser';

export const deviceKinds: readonly DeviceKind[] = ['pc', 'phone', 'browser'];

export function deviceKindOf(type: string): DeviceKind {
  if (type === 'browser') return 'browser';
  return type.startsWith('android') || type === 'phone' ? 'phone' : 'pc';
}

const typeNames: Readonly<Record<string, string>> = { pc: 'PC', android_node: 'Android' };

/** What a worker says it is: `Android`. One that nobody knows is told as it is. */
export function typeInWords(type: string): string {
  return typeNames[type] ?? type.replaceAll('_', ' ');
}

/** `PC, linux`; what says the same is said once. */
export function makeInWords({
  type,
  platform,
}: {
  readonly type: string;
  readonly platform: string;
}): string {
  const words = typeInWords(type);
  return words.toLowerCase() === platform.toLowerCase() ? words : `${words}, ${platform}`;
}

export const kindNames: Readonly<
  Record<DeviceKind, { readonly one: string; readonly many: string }>
> = {
  pc: { one: 'PC', many: 'PCs' },
  phone: { one: 'phone', many: 'phones' },
  browser: { one: 'browser tab', many: 'browser tabs' },
};
