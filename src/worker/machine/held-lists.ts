// The attempts that the worker names to the coordinator: all that it holds in `hello`, the older ones in a
// heartbeat.

import type { HeartbeatAttempt, HeldAttempt } from '../../protocol/messages.ts';
import type { AttemptKey } from '../executor.ts';
import { attemptRef, type LocalAttempt } from './attempt.ts';

/** In the order of arrival. */
type Held = ReadonlyMap<AttemptKey, LocalAttempt>;

/** The exact list for `hello`. */
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

/** Those that arrived before the time given: the cost is that of the list. */
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

/** Handed attempts count as running only where something says so: a loss is charged by it. */
function stateOf(attempt: LocalAttempt): HeldAttempt['state'] {
  const { place } = attempt;
  if (place.at === 'reported') return 'finished';
  if (place.at === 'saving') return 'running';
  if (place.at !== 'handed') return 'queued';
  const { running, handed } = place.slot;
  const isFirst = running === null && handed.values().next().value === attempt;
  return running === attempt || isFirst ? 'running' : 'queued';
}
