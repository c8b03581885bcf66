// How long the jobs took that were completed.

import { Empty, Panel, PartOfPage } from '../../parts/panel.tsx';
import { type BehindColumn, useTableBehind } from '../../parts/table-behind.tsx';
import { Time } from '../../parts/time.tsx';
import { roundTop } from '../../parts/chart-scale.ts';
import type { JobHead } from '../../store/cluster.ts';
import { sentenceOf } from '../../store/endpoint.ts';
import { grouped } from '../../text/numbers.ts';
import { duration } from '../../text/times.ts';
import { counted, nameOf } from '../../text/words.ts';
import { DotRows } from './dot-rows.tsx';
import type { Findings } from './findings.ts';

const columns: readonly BehindColumn<JobHead>[] = [
  {
    id: 'job',
    head: 'Job',
    cell: (head) => (
      <a class="strong" href={`/jobs/${encodeURIComponent(head.id)}`}>
        {nameOf(head)}
      </a>
    ),
    sortBy: nameOf,
    card: 'lead',
  },
  {
    id: 'tasks',
    head: 'Tasks',
    cell: (head) => grouped(head.task_count),
    sortBy: (head) => head.task_count,
    isNumber: true,
    isDescending: true,
    label: 'tasks',
  },
  {
    id: 'time',
    head: 'Time',
    cell: (head) => duration(secondsOf(head)),
    sortBy: secondsOf,
    isNumber: true,
    isDescending: true,
  },
  {
    id: 'ended',
    head: 'Ended',
    cell: (head) => <Time at={head.completed_at} />,
    sortBy: (head) => head.completed_at,
    isNumber: true,
    isDescending: true,
  },
];

export function JobsPanel({
  findings,
  name,
  span,
}: {
  readonly findings: Findings;
  readonly name: string;
  readonly span: 6 | 12;
}) {
  const part = findings.jobs;
  const jobs = (part.value ?? [])
    .filter(({ status }) => status === 'completed')
    .toSorted((a, b) => (secondsOf(b) ?? 0) - (secondsOf(a) ?? 0));
  const behind = useTableBehind({
    label: `Jobs that were completed in ${name}`,
    rows: jobs,
    keyOf: ({ id }) => id,
    columns,
  });
  const most = secondsOf(jobs[0]) ?? 0;
  return (
    <Panel
      title="Time of a job"
      note={`${counted(jobs.length, 'completed job')}, longest first`}
      span={span}
      actions={behind.button}
    >
      <PartOfPage part={part} what="the jobs" sentenceOf={sentenceOf} lines={4}>
        {() =>
          behind.isOpen ? (
            behind.table
          ) : jobs.length === 0 ? (
            <Empty>
              {findings.subject.kind === 'job'
                ? 'It has not been completed.'
                : `No job was completed in ${name}.`}
            </Empty>
          ) : (
            <DotRows
              rows={jobs.map((head) => ({
                key: head.id,
                name: (
                  <a class="strong" href={`/jobs/${encodeURIComponent(head.id)}`}>
                    {nameOf(head)}
                  </a>
                ),
                shown: { dot: secondsOf(head) ?? 0 },
                text: `${duration(secondsOf(head))} · ${counted(head.task_count, 'task')}`,
              }))}
              top={roundTop(most)}
              tick={(value) => (value === 0 ? '0' : duration(value))}
            />
          )
        }
      </PartOfPage>
    </Panel>
  );
}

function secondsOf(head: JobHead | undefined): number | null {
  if (head === undefined || head.completed_at === null) return null;
  return (Date.parse(head.completed_at) - Date.parse(head.created_at)) / 1000;
}
