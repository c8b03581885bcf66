// What a worker did last: the newest attempts that have ended, and how.

import type { AttemptHistory, AttemptOfHistory } from '../../../../protocol/evaluation.ts';
import { State } from '../../look/glyphs.tsx';
import { Empty, PartOfPage } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { NotTold, Time } from '../../parts/time.tsx';
import { read, sentenceOf } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { grouped } from '../../text/numbers.ts';
import { pageOfTask } from '../workers/task-place.ts';
import { JobLink } from './job-link.tsx';
import { glyphOf, lengthOf, outcomeOf, resumedFrom } from './ended-attempt.ts';

const everyMs = 5_000;
const asked = 60;
const shown = 20;

export function LastAttempts({ worker }: { readonly worker: string }) {
  const part = usePart(
    `attempts ${worker}`,
    (signal) =>
      read<AttemptHistory>('/api/evaluation/attempts', { worker_id: worker, limit: asked }, signal),
    { everyMs },
  );
  return (
    <PartOfPage part={part} what="what it did last" sentenceOf={sentenceOf}>
      {({ attempts, kept_since: since }) => (
        <Table
          label="What it did last"
          rows={attempts.filter(({ ended_at: end }) => end !== null).slice(0, shown)}
          keyOf={({ task_id: task, attempt }) => `${task} ${attempt}`}
          columns={columns}
          empty={
            <Empty>
              Nothing has ended here since <Time at={since} />: what was before is told by its
              tasks.
            </Empty>
          }
        />
      )}
    </PartOfPage>
  );
}

const columns: readonly Column<AttemptOfHistory>[] = [
  {
    id: 'task',
    head: 'Task',
    cell: ({ job_id: job, index }) => (
      <a class="link" href={pageOfTask(job, index)}>{`task ${grouped(index)}`}</a>
    ),
    card: 'lead',
  },
  {
    id: 'outcome',
    head: 'Outcome',
    cell: (attempt) => <State name={glyphOf(attempt)} text={outcomeOf(attempt)} />,
  },
  {
    id: 'job',
    head: 'Job',
    cell: ({ job_id: job }) => <JobLink id={job} />,
    card: 'hidden',
  },
  {
    id: 'resumed',
    head: 'Went on',
    cell: (attempt) => resumedFrom(attempt) ?? <span class="mute">from the start</span>,
    card: 'hidden',
  },
  {
    id: 'slot',
    head: 'Slot',
    cell: ({ slot }) => (slot === null ? <NotTold why="it never began" /> : grouped(slot + 1)),
    isNumber: true,
    card: 'hidden',
  },
  { id: 'ran', head: 'Ran for', cell: lengthOf, isNumber: true },
  {
    id: 'ended',
    head: 'Ended',
    cell: ({ ended_at: end }) => <Time at={end} isAgo />,
    isNumber: true,
  },
];
