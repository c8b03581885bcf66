// Workers that have something in common: their sums, their load over the last minutes, and the list of them.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Icon, icons } from '../../look/glyphs.tsx';
import { grouped, percentOf, wholePercent } from '../../text/numbers.ts';
import { type Group, meanLoad, sumsOf } from './worker-list.ts';

interface WorkerGroupProps {
  readonly group: Group;
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
}

export function WorkerGroup({ group, isOpen: isOpenAtFirst, children }: WorkerGroupProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { workers, here, slots, taken, completed, failed } = sumsOf(group.workers);
  return (
    <section class="panel workers-group">
      <h2>
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span class={isOpen ? 'turn open' : 'turn'}>
            <Icon path={icons.open} size={14} />
          </span>
          <b>{group.name}</b>
          <span class="mute">
            {here === workers ? grouped(workers) : `${grouped(here)} of ${grouped(workers)} here`}
          </span>
        </button>
      </h2>
      <dl class="sums">
        <Sum name="slots at work" value={`${grouped(taken)} of ${grouped(slots)}`} />
        <Sum name="tasks done" value={grouped(completed)} />
        <Sum name="failed" value={percentOf(failed, completed + failed)} />
        <LoadStrip load={meanLoad(group.workers)} />
      </dl>
      {isOpen ? <div class="flush">{children}</div> : null}
    </section>
  );
}

function Sum({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dd>{value}</dd>
      <dt>{name}</dt>
    </div>
  );
}

/** A box for each point: the fuller, the more they did. */
function LoadStrip({ load }: { readonly load: readonly (number | null)[] }) {
  const last = load.at(-1) ?? null;
  return (
    <div class="strip-and-text">
      <span class="strip" aria-hidden="true">
        {load.map((value, place) => (
          <i key={place}>{value === null ? null : <i style={{ height: `${value}%` }} />}</i>
        ))}
      </span>
      <dd>{wholePercent(last)}</dd>
      <dt>mean load, 5 min</dt>
    </div>
  );
}
