// The slots of a device, a box each: what is at work, what is free, and what is held back.

import type { Worker } from '../../store/cluster.ts';
import { stateOf } from '../../text/worker-states.ts';
import { takesNothingNew } from '../../store/presence.ts';
import { grouped } from '../../text/numbers.ts';

const mostBoxes = 16;

export function Slots({ worker }: { readonly worker: Worker }) {
  const { slots, status } = worker;
  const taken = Math.min(slots, worker.active_tasks);
  const isAway = status === 'offline' || status === 'waiting';
  const isShut = takesNothingNew(worker);
  const label = isAway
    ? `${grouped(slots)} slots, not here`
    : isShut
      ? `${grouped(taken)} of ${grouped(slots)} slots at work, the others out of service`
      : `${grouped(taken)} of ${grouped(slots)} slots at work${stateOf(worker) === 'resting' ? ', the others rest' : ''}`;
  if (slots > mostBoxes) {
    return (
      <span class="slots-bar" role="img" aria-label={label}>
        <i style={{ width: `${(100 * taken) / slots}%` }} />
        <small aria-hidden="true">{`${grouped(taken)} / ${grouped(slots)}`}</small>
      </span>
    );
  }
  return (
    <span
      class={isAway ? 'slots away' : isShut ? 'slots shut' : 'slots'}
      role="img"
      aria-label={label}
      title={label}
    >
      {Array.from({ length: slots }, (_, slot) => (
        <i key={slot} class={slot < taken ? 'taken' : ''} />
      ))}
    </span>
  );
}
