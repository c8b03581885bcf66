// The attempts that the worker names to the coordinator: all that it holds in `hello`, the older
// ones in a heartbeat.

import type { HeartbeatAttempt, HeldAttempt } from '../../protocol/messages.ts';
import type { AttemptKey } from '../executor.ts';
import { attemptRef, type LocalAttempt } from './local-attempt.ts';

/** In the order of arrival. */
type Held = ReadonlyMap<AttemptKey, LocalAttempt>;

/** The list for `hello`: exactly the attempts that are held. */
export function heldAttempts(held: Held, nowMs: number): HeldAttempt[] {
  const attempts: HeldAttempt[] = [];
  for (const attempt of held.values()) {
    const { startedAtMs } = attempt;
    const entry = { ...attemptRef(attempt), state: stateOf(attempt) };
    const isTimed = entry.state === 'running' && startedAtMs !== null;
    attempts.push(isTimed ? { ...entry, run_ms: Math.round(nowMs - startedAtMs) } : entry);
  }
  return attempts;
}

/** Attempts that arrived before then. They come first in `held`, so no others are looked at. */
export function attemptsOlderThan(held: Held, receivedBeforeMs: number): HeartbeatAttempt[] {
  const attempts: HeartbeatAttempt[] = [];
  for (const attempt of held.values()) {
    if (attempt.receivedAtMs >= receivedBeforeMs) break;
    const { progress, checkpoints } = attempt;
    const sequence = checkpoints?.acknowledged ?? 0;
    attempts.push({
      ...attemptRef(attempt),
      ...(progress === null ? {} : { progress }),
      ...(sequence === 0 ? {} : { checkpoint_sequence: sequence }),
    });
  }
  return attempts;
}

/**
 * A loss is charged to attempts that are named `running`. So a handed attempt is named so only when it
 * has reported `started`, or is the first of a slot where none has.
 */
function stateOf(attempt: LocalAttempt): HeldAttempt['state'] {
  const { place } = attempt;
  if (place.at === 'reported') return 'finished';
  if (place.at === 'saving') return 'running';
  if (place.at !== 'handed') return 'queued';
  const { running, handed } = place.slot;
  const isFirst = running === null && handed.values().next().value === attempt;
  return running === attempt || isFirst ? 'running' : 'queued';
}
