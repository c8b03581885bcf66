// What share of the tasks each worker completed, beside the share that all would have.

import type { WorkerLoad } from '../../../../protocol/evaluation.ts';
import { Empty, Panel, PartOfPage } from '../../parts/panel.tsx';
import { type BehindColumn, useTableBehind } from '../../parts/table-behind.tsx';
import { sentenceOf } from '../../store/endpoint.ts';
import { grouped, measured, percent, withUnit } from '../../text/numbers.ts';
import { duration } from '../../text/times.ts';
import { counted } from '../../text/words.ts';
import { DotRows } from './dot-rows.tsx';
import { evennessOf } from './figures.ts';
import type { Findings } from './findings.ts';
import { WorkerName } from './worker-name.tsx';

interface LoadPanelProps {
  readonly findings: Findings;
  readonly name: string;
  /** The top of the scale. */
  readonly top: number;
}

const columns: readonly BehindColumn<WorkerLoad>[] = [
  {
    id: 'worker',
    head: 'Worker',
    cell: (worker) => <WorkerName worker={worker} />,
    sortBy: ({ name, worker_id: id }) => name ?? id,
    card: 'lead',
  },
  ...(
    [
      ['Completed', (each: WorkerLoad) => each.tasks_completed, grouped],
      ['Failed', (each: WorkerLoad) => each.tasks_failed, grouped],
      ['Share', (each: WorkerLoad) => each.share, percent],
      ['Busy', (each: WorkerLoad) => each.busy_seconds, duration],
    ] as const
  ).map(([head, value, tell]) => ({
    id: head,
    head,
    cell: (each: WorkerLoad) => tell(value(each)),
    sortBy: value,
    isDescending: true,
    isNumber: true,
    label: head.toLowerCase(),
  })),
];

export function LoadPanel({ findings, name, top }: LoadPanelProps) {
  const part = findings.load;
  const workers =
    part.value?.workers.toSorted((a, b) => b.tasks_completed - a.tasks_completed) ?? [];
  const jain = part.value?.jains_fairness_index ?? null;
  const behind = useTableBehind({
    label: `Load of each worker in ${name}`,
    rows: workers,
    keyOf: ({ worker_id: id }) => id,
    columns,
  });
  const equal = workers.length === 0 ? 0 : 1 / workers.length;
  return (
    <Panel
      title="Load of each worker"
      note={
        jain === null
          ? name
          : `Jain's index ${measured(jain)}: ${evennessOf(jain)}, n = ${counted(workers.length, 'worker')}`
      }
      span={6}
      actions={behind.button}
    >
      <PartOfPage part={part} what="the load" sentenceOf={sentenceOf} lines={6}>
        {() =>
          behind.isOpen ? (
            behind.table
          ) : jain === null ? (
            <Empty>{`No task was completed in ${name}.`}</Empty>
          ) : (
            <DotRows
              rows={workers.map((worker) => ({
                key: worker.worker_id,
                name: <WorkerName worker={worker} />,
                shown: { dot: worker.share },
                text: `${percent(worker.share)} · ${grouped(worker.tasks_completed)}`,
              }))}
              top={top}
              tick={(value) => withUnit(measured(100 * value), '%')}
              line={{ at: equal, text: `dashed: equal, ${percent(equal)}` }}
            />
          )
        }
      </PartOfPage>
    </Panel>
  );
}
