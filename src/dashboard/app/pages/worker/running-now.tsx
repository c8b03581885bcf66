// The attempts that a worker has now, and how far they are.

import type { WorkerAttempt, WorkerStatus } from '../../../../protocol/workers.ts';
import { State } from '../../look/glyphs.tsx';
import { Empty } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { grouped, percent } from '../../text/numbers.ts';
import { pageOfTask } from '../workers/task-place.ts';
import { JobLink } from './job-link.tsx';

interface RunningNowProps {
  readonly attempts: readonly WorkerAttempt[];
  readonly status: WorkerStatus;
}

export function RunningNow({ attempts, status }: RunningNowProps) {
  return (
    <Table
      label="What it runs now"
      rows={attempts}
      keyOf={({ task_id: task, attempt }) => `${task} ${attempt}`}
      columns={columns}
      empty={<Empty>{status === 'offline' ? 'It is away.' : 'Nothing at the moment.'}</Empty>}
    />
  );
}

const columns: readonly Column<WorkerAttempt>[] = [
  {
    id: 'task',
    head: 'Task',
    cell: ({ job_id: job, index }) => (
      <a class="link" href={pageOfTask(job, index)}>{`task ${grouped(index)}`}</a>
    ),
    card: 'lead',
  },
  { id: 'state', head: 'State', cell: ({ status }) => <State name={status} /> },
  {
    id: 'job',
    head: 'Job',
    cell: ({ job_id: job }) => <JobLink id={job} />,
  },
  {
    id: 'progress',
    head: 'Progress',
    cell: ({ progress }) => (
      <span class="worker-progress">
        <i aria-hidden="true">
          <i style={{ width: `${100 * progress}%` }} />
        </i>
        <span class="number">{progress === 0 ? 'not told yet' : percent(progress)}</span>
      </span>
    ),
  },
  {
    id: 'attempt',
    head: 'Attempt',
    cell: ({ attempt }) => grouped(attempt),
    isNumber: true,
    card: 'hidden',
  },
  {
    id: 'since',
    head: 'Since',
    cell: ({ started_at: started, assigned_at: assigned }) => (
      <Time at={started ?? assigned} isAgo />
    ),
    isNumber: true,
  },
];
