// What a worker measured over the last minutes: a line for each, all on 0 to 100 %.

import type { ComponentChildren } from 'preact';
import { NotTold } from '../../parts/time.tsx';
import type { Worker } from '../../store/cluster.ts';
import { latency, measured, memory, wholePercent, withUnit } from '../../text/numbers.ts';
import { wholeDuration } from '../../text/times.ts';
import { Battery } from '../workers/telemetry.tsx';
import { rangeOf, seriesPath } from './series-path.ts';

const box = { width: 400, height: 56, most: 100 };
const notTold = 'This device does not tell it.';

export function TelemetryCharts({ worker }: { readonly worker: Worker }) {
  const { telemetry: told, series } = worker;
  const total = told.ram_total_mb ?? null;
  const available = told.ram_available_mb ?? null;
  const used = (free: number | null): number | null =>
    free === null || total === null ? null : 100 * (1 - free / total);
  return (
    <div class="stack">
      <div class="worker-charts">
        <Chart name="CPU load" values={series?.cpu ?? []} now={told.cpu_load_percent ?? null} />
        <Chart name="RAM used" values={(series?.ram ?? []).map(used)} now={used(available)} />
        <Chart
          name="Battery"
          values={series?.battery ?? []}
          now={told.battery_level_percent ?? null}
          without={<Battery worker={worker} />}
        />
      </div>
      {series === undefined ? null : (
        <p class="mute">{`Over ${wholeDuration((series.cpu?.length ?? 0) * series.seconds_per_point)}, a point each ${wholeDuration(series.seconds_per_point)}.`}</p>
      )}
      <dl class="figures">
        <Now name="RAM free" text={available === null ? null : memory(available)} />
        <Now
          name="latency"
          text={
            typeof told.network_latency_ms === 'number' ? latency(told.network_latency_ms) : null
          }
        />
        <Now
          name="network"
          text={
            typeof told.network_bandwidth_mbps === 'number'
              ? withUnit(measured(told.network_bandwidth_mbps), 'Mbit/s')
              : (told.network_type ?? null)
          }
        />
        <Now
          name="power"
          text={
            typeof told.power_watts === 'number' ? withUnit(measured(told.power_watts), 'W') : null
          }
        />
        <Now
          name="cores"
          text={typeof told.cpu_cores === 'number' ? String(told.cpu_cores) : null}
        />
      </dl>
    </div>
  );
}

interface ChartProps {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly now: number | null;
  readonly without?: ComponentChildren;
}

function Chart({ name, values, now, without }: ChartProps) {
  const range = rangeOf(values);
  const finding =
    range === null
      ? `${name}: not told`
      : `${name} ${wholePercent(range.last)}, between ${wholePercent(range.least)} and ${wholePercent(range.most)}`;
  return (
    <figure class="worker-chart">
      <figcaption>
        <span class="soft">{name}</span>
        <b class="number">
          {now === null ? (without ?? <NotTold why={notTold} />) : wholePercent(now)}
        </b>
      </figcaption>
      {range === null ? null : (
        <svg
          viewBox={`0 0 ${box.width} ${box.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={finding}
        >
          <path class="grid-line" d={`M0 .5H${box.width}M0 28H${box.width}M0 55.5H${box.width}`} />
          <path class="line" d={seriesPath(values, box)} />
        </svg>
      )}
    </figure>
  );
}

function Now({ name, text }: { readonly name: string; readonly text: string | null }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{text ?? <NotTold why={notTold} />}</dd>
    </div>
  );
}
