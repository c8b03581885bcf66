// Tasks completed per second over the period, with marks where the algorithm was changed.

import { useMemo } from 'preact/hooks';
import type { ThroughputPoint } from '../../../../protocol/evaluation.ts';
import { type ChartMark, LineChart } from '../../parts/line-chart.tsx';
import { Panel, PartOfPage } from '../../parts/panel.tsx';
import { type BehindColumn, useTableBehind } from '../../parts/table-behind.tsx';
import { coordinatorTime } from '../../store/clock.ts';
import { sentenceOf } from '../../store/endpoint.ts';
import { grouped, ratePerSecond } from '../../text/numbers.ts';
import { moment, wholeDuration } from '../../text/times.ts';
import { counted } from '../../text/words.ts';
import { bucketRates } from './bucket-rates.ts';
import type { Findings } from './findings.ts';

interface ThroughputPanelProps {
  readonly findings: Findings;
  readonly name: string;
  readonly span: 6 | 12;
  readonly marks: readonly ChartMark[];
  /** The top of the scale that two share. */
  readonly most: number | undefined;
}

const columns: readonly BehindColumn<ThroughputPoint>[] = [
  {
    id: 'at',
    head: 'From',
    cell: ({ at }) => moment(at, coordinatorTime()),
    sortBy: ({ at }) => at,
    isDescending: true,
    card: 'lead',
  },
  {
    id: 'completed',
    head: 'Completed',
    cell: (point) => grouped(point.tasks_completed),
    sortBy: (point) => point.tasks_completed,
    isDescending: true,
    isNumber: true,
    label: 'completed',
  },
  {
    id: 'rate',
    head: 'Per second',
    cell: ({ throughput }) => ratePerSecond(throughput),
    sortBy: ({ throughput }) => throughput,
    isDescending: true,
    isNumber: true,
    label: 'per second',
  },
  {
    id: 'failed',
    head: 'Failed',
    cell: (point) => grouped(point.tasks_failed),
    sortBy: (point) => point.tasks_failed,
    isDescending: true,
    isNumber: true,
    label: 'failed',
  },
];

export function ThroughputPanel({ findings, name, span, marks, most }: ThroughputPanelProps) {
  const part = findings.throughput;
  const { value } = part;
  const drawn = useMemo(() => {
    const points = value?.points ?? [];
    return {
      times: points.map(({ at }) => Date.parse(at)),
      failures: points.map((point) => point.tasks_failed),
      lines: [
        {
          name: 'completed',
          values: value === null ? [] : bucketRates(value),
          colour: 'completed',
          isArea: true,
        },
      ],
    };
  }, [value]);
  const completed = value?.points.reduce((sum, point) => sum + point.tasks_completed, 0) ?? 0;
  const failed = drawn.failures.reduce((sum, each) => sum + each, 0);
  const behind = useTableBehind({
    label: `Tasks completed in ${name}`,
    rows: value?.points ?? [],
    keyOf: ({ at }) => at,
    columns,
  });
  const steps = value === null ? '' : `, steps of ${wholeDuration(value.bucket_seconds)}`;
  return (
    <Panel
      title="Tasks completed per second"
      note={`${name}${steps}`}
      span={span}
      actions={behind.button}
    >
      <PartOfPage part={part} what="the throughput" sentenceOf={sentenceOf} lines={8}>
        {({ bucket_seconds: seconds, fromMs, untilMs }) =>
          behind.isOpen ? (
            behind.table
          ) : (
            <LineChart
              label={`In ${name} ${counted(completed, 'task')} completed and ${grouped(failed)} failed attempts ended.`}
              unit="tasks/s"
              bucketMs={seconds * 1000}
              windowMs={untilMs - fromMs}
              untilMs={untilMs}
              marks={marks}
              {...drawn}
              {...(most === undefined ? {} : { most })}
            />
          )
        }
      </PartOfPage>
    </Panel>
  );
}
