// What follows from an attempt to tell somebody of the end of a job. A job that was removed meanwhile
// needs no answer here: the store keeps nothing of it.

import type { SettleNotification } from '../commands.ts';
import type { NotificationRecord } from '../notifications.ts';
import type { CoreSettings } from '../settings.ts';
import type { State } from '../state.ts';
import type { Decision } from './decision.ts';

/** How much longer each pause is than the one before. */
const growth = 4;
/** Up to this share is added, so that what failed together does not come back together. */
const jitter = 0.25;

export function decideSettleNotification(
  { settings }: State,
  { notification, outcome, answer, chance, at }: SettleNotification,
): Decision {
  const attempts = notification.attempts + 1;
  const isOver = outcome !== 'failed' || attempts >= settings.notifyAttempts;
  const tried: NotificationRecord = {
    ...notification,
    attempts,
    outcome: outcome === 'delivered' ? 'delivered' : isOver ? 'given_up' : 'due',
    nextAt: isOver ? null : at + notifyPauseMs(settings, attempts, chance),
    answer,
    triedAt: at,
  };
  return { events: [{ type: 'notification_tried', notification: tried, at }] };
}

/** The pause after so many attempts, in whole milliseconds. */
export function notifyPauseMs(settings: CoreSettings, attempts: number, chance: number): number {
  const base = settings.notifyPauseMs * growth ** (attempts - 1);
  return Math.round(Math.min(settings.maxNotifyPauseMs, base) * (1 + jitter * chance));
}
