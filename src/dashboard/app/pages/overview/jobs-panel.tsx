// Jobs that are open, then those that ended today; where there is none, three to try.

import { useMemo } from 'preact/hooks';
import { Glyph } from '../../look/glyphs.tsx';
import { Bones, Empty, Panel } from '../../parts/panel.tsx';
import { StateBar } from '../../parts/state-bar.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { NotTold, Time } from '../../parts/time.tsx';
import { go } from '../../shell/address.ts';
import type { JobHead } from '../../store/cluster.ts';
import { isOpen, shareDone } from '../../store/job-share.ts';
import { grouped, ratePerSecond, shortened } from '../../text/numbers.ts';
import { durationRange, roughDuration } from '../../text/times.ts';
import { nameOf } from '../../text/words.ts';
import { useFirstSteps } from './late-parts.ts';
import { todaysJobs } from './todays-jobs.ts';

const pageOf = ({ id }: JobHead): string => `/jobs/${encodeURIComponent(id)}`;

const columns: readonly Column<JobHead>[] = [
  {
    id: 'name',
    head: 'Job',
    width: '34%',
    class: 'cuts',
    cell: (job) => (
      <span class="overview-job">
        <Glyph name={isOpen(job) && job.held_since !== null ? 'held' : job.status} />
        <a class="strong cut" href={pageOf(job)}>
          {nameOf(job)}
        </a>
        <span class="unseen">{job.status}</span>
        <span class="mute cut">{job.client_id}</span>
      </span>
    ),
    card: 'wide',
  },
  {
    id: 'bar',
    head: 'Progress',
    cell: ({ counts }) => <StateBar counts={counts} />,
    width: '30%',
    card: 'wide',
  },
  {
    id: 'share',
    head: 'Done',
    cell: (job) => (
      <>
        <b class="strong">{shareDone(job)}</b>{' '}
        <span class="mute">{`of ${shortened(job.task_count)}`}</span>
      </>
    ),
    isNumber: true,
  },
  {
    id: 'rate',
    head: 'Tasks/s',
    cell: (job) =>
      job.rate_per_second === null || job.rate_per_second === undefined ? (
        <NotTold
          why={isOpen(job) ? 'Nothing was completed in the last minute.' : 'It has ended.'}
        />
      ) : (
        ratePerSecond(job.rate_per_second)
      ),
    isNumber: true,
    card: 'hidden',
    class: 'full-only',
  },
  { id: 'end', head: 'Ends', cell: (job) => <End job={job} />, isNumber: true },
];

function End({ job }: { readonly job: JobHead }) {
  if (job.completed_at !== null) {
    return (
      <span class="mute">
        <Time at={job.completed_at} isAgo />
      </span>
    );
  }
  const { eta } = job;
  if (eta?.seconds === null || eta?.seconds === undefined) {
    return <NotTold why={eta?.reason ?? 'It cannot be told yet.'} />;
  }
  const range = durationRange(eta.low, eta.high);
  const hint =
    range === null ? undefined : `${range}, as in the fastest and slowest of the last minutes`;
  return <span title={hint}>{roughDuration(eta.seconds)}</span>;
}

export function JobsPanel({ jobs }: { readonly jobs: readonly JobHead[] | null }) {
  const shown = useMemo(() => (jobs === null ? null : todaysJobs(jobs, new Date())), [jobs]);
  return (
    <Panel
      title="Jobs"
      note={
        shown === null
          ? undefined
          : `${grouped(shown.open)} open, ${grouped(shown.ended)} ended today`
      }
      span={8}
      isFlush
      actions={
        <a class="link overview-all reach" href="/jobs">
          All jobs
        </a>
      }
    >
      {shown === null ? (
        <Bones lines={5} />
      ) : jobs!.length === 0 ? (
        <FirstJobs />
      ) : (
        <Table
          label="Open jobs, then those that ended today"
          rows={shown.jobs}
          keyOf={({ id }) => id}
          columns={columns}
          onOpen={(job) => go(pageOf(job))}
          empty={<Empty>Nothing is open, and nothing ended today.</Empty>}
        />
      )}
    </Panel>
  );
}

function FirstJobs() {
  const steps = useFirstSteps();
  return steps === null ? <Bones lines={5} /> : <steps.Examples />;
}
