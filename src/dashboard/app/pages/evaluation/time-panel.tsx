// How long tasks took on each worker: the middle and the spread of attempts that are kept, and the mean of all.

import { useMemo } from 'preact/hooks';
import type { WorkerPerformance } from '../../../../protocol/evaluation.ts';
import { Empty, Panel, PartOfPage } from '../../parts/panel.tsx';
import { type BehindColumn, useTableBehind } from '../../parts/table-behind.tsx';
import { coordinatorTime } from '../../store/clock.ts';
import { sentenceOf } from '../../store/endpoint.ts';
import { grouped, none } from '../../text/numbers.ts';
import { duration, moment } from '../../text/times.ts';
import { counted } from '../../text/words.ts';
import { DotRows } from './dot-rows.tsx';
import type { Findings } from './findings.ts';
import { type Spread, spreadOf, timesByWorker } from './spread.ts';
import { WorkerName } from './worker-name.tsx';

interface Row {
  readonly worker: WorkerPerformance;
  readonly spread: Spread | null;
}

const numbers = (
  head: string,
  value: (row: Row) => number | null,
  tell: (value: number) => string = duration,
): BehindColumn<Row> => ({
  id: head,
  head,
  cell: (row) => {
    const told = value(row);
    return told === null ? none : tell(told);
  },
  sortBy: value,
  isDescending: true,
  isNumber: true,
  label: head.toLowerCase(),
});

const columns: readonly BehindColumn<Row>[] = [
  {
    id: 'worker',
    head: 'Worker',
    cell: ({ worker }) => <WorkerName worker={worker} />,
    sortBy: ({ worker: { name, worker_id: id } }) => name ?? id,
    card: 'lead',
  },
  numbers('Mean', ({ worker }) => worker.average_task_time_seconds),
  numbers('Tasks', ({ worker }) => worker.tasks_completed, grouped),
  numbers('Median', ({ spread }) => spread?.median ?? null),
  numbers('p5', ({ spread }) => spread?.p5 ?? null),
  numbers('p95', ({ spread }) => spread?.p95 ?? null),
  numbers('n kept', ({ spread }) => spread?.n ?? 0, grouped),
];

interface TimePanelProps {
  readonly findings: Findings;
  readonly name: string;
  readonly top: number;
}

export function TimePanel({ findings, name, top }: TimePanelProps) {
  const { performance, attempts } = findings;
  const rows = useMemo(() => {
    const times = timesByWorker(attempts.value?.attempts ?? []);
    return (performance.value ?? [])
      .filter(({ tasks_completed: count }) => count > 0)
      .map((worker): Row => ({ worker, spread: spreadOf(times.get(worker.worker_id) ?? []) }))
      .toSorted((a, b) => middleOf(a) - middleOf(b));
  }, [performance.value, attempts.value]);
  const behind = useTableBehind({
    label: `Time of a task on each worker in ${name}`,
    rows,
    keyOf: ({ worker }) => worker.worker_id,
    columns,
  });
  const n = rows.reduce((sum, { spread }) => sum + (spread?.n ?? 0), 0);
  const since = attempts.value && moment(attempts.value.kept_since, coordinatorTime());
  const isCut = (attempts.value?.left_out ?? 0) > 0;
  return (
    <Panel
      title="Time of a task, by worker"
      note={
        attempts.value === null
          ? name
          : `${isCut ? 'the newest ' : ''}${counted(n, 'attempt')}, kept since ${since}`
      }
      span={6}
      actions={behind.button}
    >
      <PartOfPage part={performance} what="the times" sentenceOf={sentenceOf} lines={6}>
        {() =>
          behind.isOpen ? (
            behind.table
          ) : rows.length === 0 ? (
            <Empty>{`No task was completed in ${name}.`}</Empty>
          ) : (
            <>
              <DotRows
                rows={rows.map(({ worker, spread }) => ({
                  key: worker.worker_id,
                  name: <WorkerName worker={worker} />,
                  shown: spread === null ? null : { spread },
                  text:
                    spread === null
                      ? `mean ${duration(worker.average_task_time_seconds)} · n ${grouped(worker.tasks_completed)}`
                      : `${duration(spread.median)} · n ${grouped(spread.n)}`,
                }))}
                top={top}
                tick={(value) => (value === 0 ? '0' : duration(value))}
              />
              <p class="mute evaluation-note">
                Line: median. Whisker: from the 5th to the 95th percentile. Under n = 5 dots only.
              </p>
            </>
          )
        }
      </PartOfPage>
    </Panel>
  );
}

function middleOf({ spread, worker }: Row): number {
  return spread?.median ?? worker.average_task_time_seconds ?? 0;
}
