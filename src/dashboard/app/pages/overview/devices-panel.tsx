// The muster: every device with its slots. What is not well is named however many there are.

import type { ComponentProps } from 'preact';
import { Glyph, Icon, icons } from '../../look/glyphs.tsx';
import { stateOf } from '../../text/worker-states.ts';
import { MiddleCut } from '../../parts/middle-cut.tsx';
import { Bones, Panel } from '../../parts/panel.tsx';
import { roomOf } from '../../store/presence.ts';
import { jobList, type Worker, workersHeardToMs } from '../../store/cluster.ts';
import { grouped } from '../../text/numbers.ts';
import { nameOf } from '../../text/words.ts';
import { groupsOf, headOf, pageOfDevice, told, unwell, viewOf } from './devices.ts';
import { useManyDevices } from './late-parts.ts';
import { idleSlots } from './idle-slots.ts';
import type * as many from './many-devices.tsx';

const notes = {
  slots: 'each box is a slot',
  cells: 'each cell is a device, filled by its slots at work; point at one for its name',
  counts: 'counted by kind and state; their names are on the page of workers',
};

export function DevicesPanel({ workers }: { readonly workers: readonly Worker[] }) {
  const view = viewOf(workers.length);
  const groups = groupsOf(workers);
  const { slots, taken } = roomOf(workers);
  const idle = idleSlots(workers, jobList.value);
  return (
    <Panel
      title="Devices"
      note={`${notes[view]}: ${grouped(taken)} of ${grouped(slots)} at work`}
      actions={
        view === 'slots' ? (
          <span class="key wide-only">
            <span>
              <i class="fill-running" />
              at work
            </span>
            <span>
              <i class="overview-free" />
              free
            </span>
            {workers.some((worker) => stateOf(worker) === 'resting') ? (
              <span>
                <i class="overview-rest" />
                resting
              </span>
            ) : null}
            {workers.some((worker) => stateOf(worker) === 'out') ? (
              <span>
                <i class="overview-out" />
                out of service
              </span>
            ) : null}
          </span>
        ) : undefined
      }
    >
      {view === 'slots' ? (
        <div class="overview-kinds">
          {groups.map((group) => (
            <div
              key={group.kind}
              class={`overview-kind ${group.kind}`}
              style={{ flexGrow: group.workers.length }}
            >
              <h3>{headOf(group)}</h3>
              <ul class="overview-devices">
                {group.workers.map((worker) => (
                  <Device key={worker.id} worker={worker} kind={group.kind} />
                ))}
              </ul>
            </div>
          ))}
        </div>
      ) : (
        <ManyDevices view={view} groups={groups} workers={workers} />
      )}
      {idle === null ? null : <p class="soft overview-idle">{idle}</p>}
    </Panel>
  );
}

type ManyProps = ComponentProps<typeof many.ManyDevices>;

function ManyDevices(props: ManyProps) {
  const many = useManyDevices();
  return many === null ? <Bones lines={4} /> : <many.ManyDevices {...props} />;
}

function Device({ worker, kind }: { readonly worker: Worker; readonly kind: string }) {
  const wrong = unwell(worker, workersHeardToMs.value);
  const { slots, active_tasks: taken } = worker;
  const hint = told(worker, workersHeardToMs.value);
  const state = stateOf(worker);
  return (
    <li>
      <a class={`overview-device ${kind} ${state}`} href={pageOfDevice(worker)} title={hint}>
        <span class="overview-name">
          {wrong === null ? null : <Glyph name={wrong} size={10} />}
          {state === 'resting' ? <Icon path={icons.pause} size={10} /> : null}
          <MiddleCut text={nameOf(worker)} />
        </span>
        <span class="overview-slots">
          {Array.from({ length: Math.min(slots, 64) }, (_, slot) => (
            <i key={slot} class={slot < taken ? 'on' : ''} />
          ))}
        </span>
        <span class="unseen">{hint}</span>
      </a>
    </li>
  );
}
