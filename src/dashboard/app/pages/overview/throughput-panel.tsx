// Tasks completed per second, with what failed below and what happened above.

import { useMemo } from 'preact/hooks';
import { Choice } from '../../parts/choices.tsx';
import { LineChart, type ChartMark } from '../../parts/line-chart.tsx';
import { Panel, PartOfPage } from '../../parts/panel.tsx';
import { type BehindColumn, useTableBehind } from '../../parts/table-behind.tsx';
import { query, setQuery } from '../../shell/address.ts';
import { useKeys } from '../../shell/keys.ts';
import { coordinatorTime } from '../../store/clock.ts';
import { sentenceOf } from '../../store/endpoint.ts';
import type { Part } from '../../store/resource.ts';
import { grouped, measured, ratePerSecond } from '../../text/numbers.ts';
import { exactMoment, moment, wholeDuration } from '../../text/times.ts';
import { counted } from '../../text/words.ts';
import { ratesOf, type Throughput } from './throughput.ts';
import { useThroughput } from './throughput-state.ts';

const periods = [
  { value: '15m', text: '15 min', told: 'last 15 minutes', windowMs: 900_000 },
  { value: '1h', text: '1 h', told: 'last hour', windowMs: 3_600_000 },
  { value: '24h', text: '24 h', told: 'last day', windowMs: 86_400_000 },
] as const;
type Period = (typeof periods)[number]['value'];

interface ThroughputPanelProps {
  readonly ofHour: Part<Throughput>;
  readonly marks: readonly ChartMark[];
}

interface Row {
  readonly beginMs: number;
  readonly completed: number;
  readonly failed: number;
  readonly rate: number | null;
}

const columns: readonly BehindColumn<Row>[] = [
  {
    id: 'time',
    head: 'From',
    cell: ({ beginMs }) => moment(new Date(beginMs).toISOString(), coordinatorTime()),
    sortBy: ({ beginMs }) => beginMs,
    csv: ({ beginMs }) => new Date(beginMs).toISOString(),
    isDescending: true,
    card: 'lead',
  },
  {
    id: 'completed',
    head: 'Completed',
    cell: ({ completed }) => grouped(completed),
    sortBy: ({ completed }) => completed,
    isDescending: true,
    isNumber: true,
    label: 'completed',
  },
  {
    id: 'rate',
    head: 'Per second',
    cell: ({ rate }) => ratePerSecond(rate),
    sortBy: ({ rate }) => rate,
    isDescending: true,
    isNumber: true,
    label: 'per second',
  },
  {
    id: 'failed',
    head: 'Failed',
    cell: ({ failed }) => grouped(failed),
    sortBy: ({ failed }) => failed,
    isDescending: true,
    isNumber: true,
    label: 'failed',
  },
];

export function ThroughputPanel({ ofHour, marks }: ThroughputPanelProps) {
  const asked = query.value.get('period');
  const period = periods.find(({ value }) => value === asked) ?? periods[1];
  const isDay = period.value === '24h';
  const ofDay = useThroughput({ windowMs: 86_400_000, bucketSeconds: 60, isOff: !isDay });
  const part = isDay ? ofDay : ofHour;
  const choose = (value: Period): void => setQuery({ period: value === '1h' ? null : value });
  const step = (by: number): void => {
    const next = periods[periods.indexOf(period) + by];
    if (next !== undefined) choose(next.value);
  };
  useKeys({ '[': () => step(-1), ']': () => step(1) });
  const { value } = part;
  const drawn = useMemo(() => (value === null ? null : drawnOf(value)), [value]);
  const first = coordinatorTime() - period.windowMs;
  const behind = useTableBehind({
    label: `Tasks completed, ${period.told}`,
    rows: drawn?.rows.filter(({ beginMs }) => beginMs > first).toReversed() ?? [],
    keyOf: ({ beginMs }) => String(beginMs),
    columns,
  });
  const note =
    value === null
      ? period.told
      : `${period.told}, steps of ${wholeDuration(value.bucketMs / 1000)}`;
  return (
    <Panel
      title="Tasks completed per second"
      note={note}
      span={8}
      class="overview-throughput"
      actions={
        <>
          <Choice label="Period" options={periods} chosen={period.value} onChoose={choose} />
          {behind.button}
        </>
      }
    >
      <PartOfPage part={part} what="what was completed" sentenceOf={sentenceOf} lines={8}>
        {() =>
          behind.isOpen ? (
            behind.table
          ) : (
            <LineChart
              key={period.value}
              label={finding(drawn!.rows, first, period.told)}
              unit="tasks/s"
              times={drawn!.times}
              bucketMs={value!.bucketMs}
              lines={drawn!.lines}
              failures={drawn!.failures}
              marks={marks}
              windowMs={period.windowMs}
            />
          )
        }
      </PartOfPage>
    </Panel>
  );
}

function drawnOf(throughput: Throughput) {
  const rates = ratesOf(throughput, coordinatorTime());
  const { buckets } = throughput;
  return {
    times: buckets.map(({ beginMs }) => beginMs),
    failures: buckets.map(({ failed }) => failed),
    lines: [{ name: 'completed', values: rates, colour: 'completed', isArea: true }],
    rows: buckets.map((bucket, place) => ({ ...bucket, rate: rates[place] ?? null })),
  };
}

/** What the picture shows, for those who do not see it. */
function finding(rows: readonly Row[], firstMs: number, when: string): string {
  const seen = rows.filter(({ beginMs }) => beginMs > firstMs);
  const most = seen.reduce<Row | null>(
    (found, row) => ((row.rate ?? 0) > (found?.rate ?? 0) ? row : found),
    null,
  );
  const failed = seen.reduce((sum, row) => sum + row.failed, 0);
  if (most === null) return `Nothing was completed in the ${when}; ${counted(failed, 'failure')}.`;
  const at = exactMoment(new Date(most.beginMs).toISOString());
  return `Tasks completed per second in the ${when}: at most ${measured(most.rate!)}, at ${at}; ${counted(failed, 'failure')}.`;
}
