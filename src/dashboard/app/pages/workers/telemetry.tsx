// What a worker measured in the last minutes, as small lines with the newest value beside each.

import type { ComponentChildren } from 'preact';
import { NotTold } from '../../parts/time.tsx';
import { Sparkline } from '../../parts/sparkline.tsx';
import { deviceKindOf } from '../../look/states.ts';
import type { Worker } from '../../store/cluster.ts';
import { latency, measured, memory, wholePercent, withUnit } from '../../text/numbers.ts';

const notTold = 'This device does not tell it.';

export function Telemetry({ worker }: { readonly worker: Worker }) {
  const { telemetry: told, series } = worker;
  const total = told.ram_total_mb ?? null;
  const available = told.ram_available_mb ?? null;
  const used = series?.ram?.map((free) =>
    free === null || total === null ? null : 100 * (1 - free / total),
  );
  return (
    <dl class="telemetry">
      <Line name="CPU load" values={series?.cpu} value={told.cpu_load_percent} />
      <Line
        name="RAM used"
        values={total === null ? undefined : used}
        value={total === null || available === null ? null : 100 * (1 - available / total)}
      />
      <Line
        name="Battery"
        values={series?.battery}
        value={told.battery_level_percent}
        without={<Battery worker={worker} />}
        note={told.battery_charging === true ? 'charging' : undefined}
      />
      <Fact name="RAM free" text={available === null ? null : memory(available)} />
      <Fact
        name="Latency"
        text={typeof told.network_latency_ms === 'number' ? latency(told.network_latency_ms) : null}
      />
      <Fact
        name="Network"
        text={networkText(told.network_type ?? null, told.network_bandwidth_mbps ?? null)}
      />
    </dl>
  );
}

function networkText(type: string | null, megabits: number | null): string | null {
  const speed = megabits === null ? null : withUnit(measured(megabits), 'Mbit/s');
  return [type, speed].filter((part) => part !== null).join(', ') || null;
}

interface LineProps {
  readonly name: string;
  readonly values: readonly (number | null)[] | undefined;
  readonly value: number | null | undefined;
  readonly without?: ComponentChildren;
  readonly note?: string | undefined;
}

function Line({ name, values, value, without, note }: LineProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="spark">
        {values?.some((each) => each !== null) ? <Sparkline values={values} most={100} /> : null}
      </dd>
      <dd class="number">
        {value === null || value === undefined
          ? (without ?? <NotTold why={notTold} />)
          : wholePercent(value)}
        {note === undefined ? null : <small class="mute"> {note}</small>}
      </dd>
    </div>
  );
}

function Fact({ name, text }: { readonly name: string; readonly text: string | null }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="number two">{text ?? <NotTold why={notTold} />}</dd>
    </div>
  );
}

/** What has no battery runs on mains; what does not tell its battery is not known. */
export function Battery({ worker }: { readonly worker: Worker }) {
  const level = worker.telemetry.battery_level_percent;
  if (typeof level === 'number') return <>{wholePercent(level)}</>;
  if (deviceKindOf(worker.type) === 'pc') return <span class="mute">mains</span>;
  return <NotTold why={notTold} />;
}
