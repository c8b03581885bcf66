// What a worker is: its kind, its program, its labels, and how it joined.

import type { ComponentChildren } from 'preact';
import { makeInWords } from '../../look/states.ts';
import { CopyButton } from '../../parts/copy-line.tsx';
import { NotTold, Time } from '../../parts/time.tsx';
import { type Worker, workersHeardToMs } from '../../store/cluster.ts';
import { isAdmin } from '../../store/session.ts';
import { grouped } from '../../text/numbers.ts';
import { wholeDuration } from '../../text/times.ts';
import { pageOfLabels } from '../workers/workers-view.ts';

export function About({ worker }: { readonly worker: Worker }) {
  const labels = Object.entries(worker.labels);
  return (
    <dl class="worker-about">
      <Fact name="Id">
        <span class="row">
          <code>{worker.id}</code>
          <CopyButton text={worker.id} label="the id" />
        </span>
      </Fact>
      <Fact name="Type">{makeInWords(worker)}</Fact>
      <Fact name="Version">{worker.version ?? <NotTold why="its program does not say" />}</Fact>
      <Fact name="Slots">{grouped(worker.slots)}</Fact>
      <Fact name="Runs">{kindsInWords(worker)}</Fact>
      <Fact name="Walls">{worker.isolation}</Fact>
      <Fact name="Labels">
        {labels.length === 0
          ? 'none'
          : labels.map(([label, value]) => (
              <a key={label} class="label" href={pageOfLabels({ [label]: value })}>
                {`${label}=${value}`}
              </a>
            ))}
      </Fact>
      <Fact name="Joined">
        <Time at={worker.registered_at} />
        <JoinedBy worker={worker} />
      </Fact>
      <Fact name="Last heard">
        {/* As all that is told of its silence. */}
        <Time at={worker.last_heartbeat} isAgo nowMs={workersHeardToMs.value} />
      </Fact>
      <Fact name="Lost after">{`${wholeDuration(worker.lease_seconds)} of silence`}</Fact>
    </dl>
  );
}

/** `javascript, python (3.14.2)` */
function kindsInWords({ kinds, runtimes = {} }: Worker): string {
  const version = (kind: string) => (Object.hasOwn(runtimes, kind) ? ` (${runtimes[kind]})` : '');
  return kinds.map((kind) => kind + version(kind)).join(', ');
}

function JoinedBy({ worker }: { readonly worker: Worker }) {
  if (!isAdmin.value) return null;
  const by = worker.joined_by;
  if (by === undefined) return <span class="mute"> without a token</span>;
  return (
    <span class="mute">
      {by.label === null ? ` by the token ${by.token_id}` : ` by "${by.label}" (${by.token_id})`}
    </span>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
