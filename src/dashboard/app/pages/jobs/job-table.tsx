// Jobs as rows.

import { Glyph } from '../../look/glyphs.tsx';
import { StateBar } from '../../parts/state-bar.tsx';
import { type Column, type SortOrder, Table } from '../../parts/table.tsx';
import { NotTold, Time } from '../../parts/time.tsx';
import type { JobHead } from '../../store/cluster.ts';
import { isOpen, shareDone, shareOf } from '../../store/job-share.ts';
import { grouped, ratePerSecond, shortened } from '../../text/numbers.ts';
import { roughDuration } from '../../text/times.ts';
import { nameOf } from '../../text/words.ts';
import { go } from '../../shell/address.ts';

interface JobTableProps {
  readonly jobs: readonly JobHead[];
  readonly sort: SortOrder | null;
  readonly onSort: (sort: SortOrder | null) => void;
}

export function JobTable({ jobs, sort, onSort }: JobTableProps) {
  return (
    <Table
      label="Jobs"
      rows={jobs}
      keyOf={({ id }) => id}
      columns={columns}
      sort={sort}
      onSort={onSort}
      onOpen={({ id }) => go(pageOf(id))}
    />
  );
}

const pageOf = (id: string): string => `/jobs/${encodeURIComponent(id)}`;

const order = ['failed', 'running', 'pending', 'cancelled', 'completed'];

const columns: readonly Column<JobHead>[] = [
  {
    id: 'name',
    head: 'Job',
    width: '30%',
    class: 'cuts',
    card: 'wide',
    sortBy: (job) => nameOf(job).toLowerCase(),
    cell: (job) => {
      const word = job.held_since !== null && isOpen(job) ? 'held' : job.status;
      return (
        <span class="jobs-job">
          <span title={word}>
            <Glyph name={word} />
            <span class="unseen">{word}</span>
          </span>
          <a class="jobs-name cut" href={pageOf(job.id)} title={job.id}>
            {nameOf(job)}
          </a>
          <span class="mute cut">{job.client_id}</span>
        </span>
      );
    },
  },
  {
    id: 'state',
    head: 'State',
    width: '96px',
    class: 'full-only',
    card: 'hidden',
    sortBy: ({ status }) => order.indexOf(status),
    cell: (job) => (job.held_since !== null && isOpen(job) ? 'held' : job.status),
  },
  {
    id: 'bar',
    head: 'Progress',
    width: '24%',
    card: 'wide',
    sortBy: ({ task_count: count }) => count,
    isDescending: true,
    cell: ({ counts }) => <StateBar counts={counts} />,
  },
  {
    id: 'done',
    head: 'Done',
    width: '130px',
    isNumber: true,
    card: 'lead',
    sortBy: shareOf,
    isDescending: true,
    cell: (job) => (
      <>
        {shareDone(job)} <span class="mute">of {shortened(job.task_count)}</span>
      </>
    ),
  },
  {
    id: 'failed',
    head: 'Failed',
    width: '72px',
    isNumber: true,
    label: 'failed',
    sortBy: ({ counts }) => counts.failed,
    isDescending: true,
    cell: ({ counts }) =>
      counts.failed === 0 ? (
        <span class="mute">0</span>
      ) : (
        <b class="bad">{grouped(counts.failed)}</b>
      ),
  },
  {
    id: 'rate',
    head: 'Tasks/s',
    width: '80px',
    isNumber: true,
    class: 'full-only',
    card: 'hidden',
    sortBy: (job) => (isOpen(job) ? (job.rate_per_second ?? null) : null),
    isDescending: true,
    cell: (job) => {
      if (!isOpen(job)) return <NotTold />;
      return job.rate_per_second === null || job.rate_per_second === undefined ? (
        <NotTold why="Nothing completed in the last minute." />
      ) : (
        ratePerSecond(job.rate_per_second)
      );
    },
  },
  {
    id: 'ends',
    head: 'Ends in',
    width: '96px',
    isNumber: true,
    class: 'jobs-ends',
    label: 'left',
    sortBy: ({ eta }) => eta?.seconds ?? null,
    cell: (job) => {
      if (!isOpen(job)) return <NotTold />;
      const seconds = job.eta?.seconds ?? null;
      return seconds === null ? (
        <NotTold why={job.eta?.reason ?? 'It cannot be told.'} />
      ) : (
        roughDuration(seconds)
      );
    },
  },
  {
    id: 'age',
    head: 'Submitted',
    width: '130px',
    isNumber: true,
    sortBy: ({ created_at: at }) => Date.parse(at),
    isDescending: true,
    cell: ({ created_at: at }) => <Time at={at} isAgo />,
  },
];
