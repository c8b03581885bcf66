// How far a job is: one bar of all its tasks. What failed is at the right edge, and wide enough to be seen.

import type { TaskCounts, TaskStatus } from '../../../protocol/resources.ts';
import { barOrder } from '../look/states.ts';
import { grouped } from '../text/numbers.ts';

const leastWidth: Readonly<Partial<Record<TaskStatus, number>>> = {
  failed: 4,
  completed: 2,
  running: 2,
  assigned: 2,
};

export function StateBar({
  counts,
  isLarge = false,
}: {
  readonly counts: TaskCounts;
  readonly isLarge?: boolean;
}) {
  const total = barOrder.reduce((sum, state) => sum + counts[state], 0);
  const there = barOrder.filter((state) => counts[state] > 0);
  const told = there.map((state) => `${grouped(counts[state])} ${state}`).join(', ');
  return (
    <span
      class={isLarge ? 'bar large' : 'bar'}
      role="img"
      aria-label={told === '' ? 'no tasks' : told}
    >
      {there.map((state) => (
        <i
          key={state}
          class={`fill-${state}`}
          style={{
            flex: `${counts[state] / total} 1 0px`,
            minWidth: `${leastWidth[state] ?? 0}px`,
          }}
        />
      ))}
    </span>
  );
}

/** Names and numbers of the states that are there. */
export function StateKey({
  counts,
  states = barOrder,
}: {
  readonly counts: TaskCounts;
  readonly states?: readonly TaskStatus[];
}) {
  return (
    <div class="key">
      {states
        .filter((state) => counts[state] > 0)
        .map((state) => (
          <span key={state}>
            <i class={`fill-${state}`} />
            {state} <b>{grouped(counts[state])}</b>
          </span>
        ))}
    </div>
  );
}
