// More devices than can each have their slots: a cell for each, or counts by kind and state. What is not well is named
// however many there are.

import { useRef, useState } from 'preact/hooks';
import { Glyph, KindGlyph, State } from '../../look/glyphs.tsx';
import { kindNames, workerStates } from '../../look/states.ts';
import { type Worker, workersHeardToMs } from '../../store/cluster.ts';
import { grouped } from '../../text/numbers.ts';
import { capitalized, counted, nameOf } from '../../text/words.ts';
import {
  type DeviceGroup,
  type DeviceView,
  fillOf,
  headOf,
  pageOfDevice,
  told,
  unwell,
} from './devices.ts';

const mostNamed = 24;

interface ManyDevicesProps {
  readonly view: DeviceView;
  readonly groups: readonly DeviceGroup[];
  readonly workers: readonly Worker[];
}

export function ManyDevices({ view, groups, workers }: ManyDevicesProps) {
  return (
    <>
      {view === 'counts' ? (
        <Counts groups={groups} />
      ) : (
        <div class="overview-kinds">
          {groups.map((group) => (
            <div key={group.kind} class={`overview-kind ${group.kind}`}>
              <h3>{headOf(group)}</h3>
              <Cells group={group} />
            </div>
          ))}
        </div>
      )}
      <Unwell workers={workers} />
    </>
  );
}

/** One tab stop; arrows go from device to device, and a line says which one it is. */
function Cells({ group }: { readonly group: DeviceGroup }) {
  const [active, setActive] = useState(0);
  const [pointed, setPointed] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const press = (event: KeyboardEvent): void => {
    const way = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (way === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(group.workers.length - 1, active + way));
    setActive(next);
    (box.current!.children[next] as HTMLElement).focus();
  };
  const named = group.workers.find(({ id }) => id === pointed);
  return (
    <>
      <div
        ref={box}
        class="overview-cells"
        onKeyDown={press}
        onPointerLeave={() => setPointed(null)}
      >
        {group.workers.map((worker, place) => {
          const wrong = unwell(worker, workersHeardToMs.value);
          return (
            <a
              key={worker.id}
              href={pageOfDevice(worker)}
              tabIndex={place === active ? 0 : -1}
              aria-label={told(worker, workersHeardToMs.value)}
              class={wrong === null ? `cell fill-${fillOf(worker)}` : 'cell unwell'}
              onPointerEnter={() => setPointed(worker.id)}
              onFocus={() => {
                setActive(place);
                setPointed(worker.id);
              }}
            >
              {wrong === null ? null : <Glyph name={wrong} size={12} />}
            </a>
          );
        })}
      </div>
      <p class="overview-pointed" aria-hidden="true">
        {named === undefined ? '' : told(named, workersHeardToMs.value)}
      </p>
    </>
  );
}

/** By name, whatever the number of devices. */
function Unwell({ workers }: { readonly workers: readonly Worker[] }) {
  const found = workers.flatMap((worker) => {
    const wrong = unwell(worker, workersHeardToMs.value);
    return wrong === null ? [] : [{ worker, wrong }];
  });
  if (found.length === 0) return null;
  const left = found.length - mostNamed;
  return (
    <ul class="overview-unwell" aria-label="Devices that are not well">
      {found.slice(0, mostNamed).map(({ worker, wrong }) => (
        <li key={worker.id}>
          <a class="state" href={pageOfDevice(worker)} title={told(worker, workersHeardToMs.value)}>
            <Glyph name={wrong} size={12} />
            {nameOf(worker)}
          </a>
        </li>
      ))}
      {left > 0 ? (
        <li>
          <a class="link" href="/workers">
            {counted(left, 'more', 'more')}
          </a>
        </li>
      ) : null}
    </ul>
  );
}

function Counts({ groups }: { readonly groups: readonly DeviceGroup[] }) {
  const states = workerStates.filter((state) => groups.some(({ byState }) => byState[state] > 0));
  return (
    <div class="table-box wide" tabIndex={0} role="region" aria-label="Devices by kind and state">
      <table>
        <thead>
          <tr>
            <th scope="col">Kind</th>
            {states.map((state) => (
              <th key={state} scope="col" class="number">
                <State name={state} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map(({ kind, byState }) => (
            <tr key={kind}>
              <th scope="row">
                <span class="state">
                  <KindGlyph kind={kind} />
                  {capitalized(kindNames[kind].many)}
                </span>
              </th>
              {states.map((state) => (
                <td key={state} class="number">
                  <a href={`/workers?state=${state}&kind=${kind}`}>{grouped(byState[state])}</a>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
