// States of tasks, jobs and workers: their order and names. How each looks is in `glyphs.tsx` and `states.css`.

import type { TaskStatus } from '../../../protocol/resources.ts';
import type { WorkerStatus } from '../../../protocol/workers.ts';

export type ShownState = TaskStatus | WorkerStatus;

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

export const workerStates: readonly WorkerStatus[] = [
  'online',
  'busy',
  'waiting',
  'draining',
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

export const kindNames: Readonly<
  Record<DeviceKind, { readonly one: string; readonly many: string }>
> = {
  pc: { one: 'PC', many: 'PCs' },
  phone: { one: 'phone', many: 'phones' },
  browser: { one: 'browser tab', many: 'browser tabs' },
};
