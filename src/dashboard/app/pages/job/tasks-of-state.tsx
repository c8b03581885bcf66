// The tasks of a state, a page at a time.

import { useState } from 'preact/hooks';
import type { TaskListing, TaskStatus } from '../../../../protocol/resources.ts';
import { Button } from '../../parts/button.tsx';
import { PartOfPage } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { NotTold, Time } from '../../parts/time.tsx';
import { pathOfJob, read, sentenceOf } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { grouped } from '../../text/numbers.ts';
import { duration } from '../../text/times.ts';
import { indexColumn } from './index-column.tsx';
import { useAgain } from './job-reads.ts';

interface TasksOfStateProps {
  readonly jobId: string;
  readonly state: TaskStatus;
  readonly total: number;
  readonly changes: number;
  readonly nameOfWorker: (id: string) => string;
}

const pageSize = 100;
const againMs = 2_000;

export function TasksOfState({ jobId, state, total, changes, nameOfWorker }: TasksOfStateProps) {
  const [limit, setLimit] = useState(pageSize);
  const tasks = usePart(`tasks ${jobId} ${state} ${limit}`, (signal) =>
    read<readonly TaskListing[]>(`${pathOfJob(jobId)}/tasks`, { status: state, limit }, signal),
  );
  useAgain(changes, againMs, tasks);
  const columns: readonly Column<TaskListing>[] = [
    indexColumn(jobId),
    {
      id: 'worker',
      head: 'Worker',
      cell: ({ worker_id: worker }) =>
        worker === null ? <NotTold /> : <a href={`/workers/${worker}`}>{nameOfWorker(worker)}</a>,
    },
    {
      id: 'attempt',
      head: 'Attempt',
      isNumber: true,
      label: 'attempts',
      cell: ({ attempt }) => grouped(attempt),
    },
    {
      id: 'took',
      head: 'Took',
      isNumber: true,
      cell: ({ run_seconds: seconds }) => (seconds === null ? <NotTold /> : duration(seconds)),
    },
    {
      id: 'ended',
      head: 'Ended',
      isNumber: true,
      card: 'hidden',
      cell: ({ completed_at: at }) => <Time at={at} />,
    },
    {
      id: 'error',
      head: 'Error',
      card: 'wide',
      cell: ({ error }) =>
        error === null ? null : (
          <span class="job-error" title={error.message}>
            <b>{error.type}</b> {error.message}
          </span>
        ),
    },
  ];
  const shown = columns.filter(({ id }) => (id === 'error' ? state === 'failed' : true));
  return (
    <PartOfPage part={tasks} what={`the tasks that are ${state}`} sentenceOf={sentenceOf}>
      {(rows) => (
        <>
          <Table
            label={`Tasks that are ${state}`}
            rows={rows}
            keyOf={({ index }) => String(index)}
            columns={shown}
            empty={<p class="soft">No task of this job is {state} now.</p>}
          />
          {rows.length === limit && limit < 1_000 ? (
            <Button isSmall onPress={() => setLimit(Math.min(1_000, limit + 300))}>
              Show more of {grouped(total)}
            </Button>
          ) : null}
        </>
      )}
    </PartOfPage>
  );
}
