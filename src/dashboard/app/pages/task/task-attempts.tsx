// Every attempt of a task, the newest first.

import type { AttemptEntry } from '../../../../protocol/resources.ts';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { NotTold, Time } from '../../parts/time.tsx';
import { setQuery } from '../../shell/address.ts';
import { grouped } from '../../text/numbers.ts';
import { duration } from '../../text/times.ts';

interface TaskAttemptsProps {
  readonly attempts: readonly AttemptEntry[];
  readonly nameOfWorker: (id: string) => string;
  readonly nowMs: number;
  /** Of this attempt, and of those before it, no decision is kept any more; 0: of each it may be. */
  readonly withoutDecision: number;
}

export function TaskAttempts({
  attempts,
  nameOfWorker,
  nowMs,
  withoutDecision,
}: TaskAttemptsProps) {
  const columns: readonly Column<AttemptEntry>[] = [
    {
      id: 'attempt',
      head: 'Attempt',
      label: 'attempt',
      isNumber: true,
      width: '90px',
      card: 'lead',
      cell: ({ attempt, count }) =>
        count === 1 ? grouped(attempt) : `${grouped(attempt)}\u2013${grouped(attempt + count - 1)}`,
    },
    {
      id: 'status',
      head: 'Came to',
      width: '110px',
      cell: ({ status }) => status.replace('_', ' '),
    },
    {
      id: 'worker',
      head: 'Worker',
      card: 'wide',
      cell: ({ worker_id: id }) => (
        <a class="link" href={`/workers/${encodeURIComponent(id)}`}>
          {nameOfWorker(id)}
        </a>
      ),
    },
    {
      id: 'started',
      head: 'Began',
      label: 'began',
      width: '110px',
      isNumber: true,
      cell: ({ started_at: at }) => <Time at={at} without="It never began." />,
    },
    {
      id: 'took',
      head: 'Took',
      label: 'took',
      width: '110px',
      isNumber: true,
      cell: ({ started_at: from, ended_at: to }) =>
        from === null ? (
          <NotTold />
        ) : (
          duration(((to === null ? nowMs : Date.parse(to)) - Date.parse(from)) / 1000)
        ),
    },
    {
      id: 'error',
      head: 'Error',
      card: 'wide',
      cell: ({ error }) =>
        error === null ? null : (
          <details class="task-error">
            <summary>
              <b>{error.type}</b> {error.message}
            </summary>
            {error.stack === undefined ? null : <pre>{error.stack}</pre>}
          </details>
        ),
    },
    {
      id: 'shown',
      head: <span class="unseen">Show</span>,
      width: '150px',
      isNumber: true,
      card: 'wide',
      cell: ({ attempt, output_available: hasOutput }) => (
        <span class="row task-shown">
          {attempt <= withoutDecision ? null : (
            <button
              type="button"
              class="link"
              aria-label={`Decision of attempt ${attempt}`}
              onClick={() => setQuery({ attempt: String(attempt) })}
            >
              Decision
            </button>
          )}
          {hasOutput === true ? (
            <button
              type="button"
              class="link"
              aria-label={`Output of attempt ${attempt}`}
              onClick={() => setQuery({ output: String(attempt) })}
            >
              Output
            </button>
          ) : null}
        </span>
      ),
    },
  ];
  return (
    <Panel title="Attempts" isFlush note={grouped(attempts.length)}>
      <Table
        label="Attempts"
        rows={attempts.toReversed()}
        keyOf={({ attempt }) => String(attempt)}
        columns={columns}
        empty={<p class="empty">It has not been given to a worker yet.</p>}
      />
    </Panel>
  );
}
