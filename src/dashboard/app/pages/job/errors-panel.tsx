// What went wrong, by kinds, and whose fault it seems to be.

import type { JobErrorKind, JobErrors } from '../../../../protocol/resources.ts';
import { Panel, PartOfPage } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { setQuery } from '../../shell/address.ts';
import type { JobHead } from '../../store/cluster.ts';
import { sentenceOf } from '../../store/endpoint.ts';
import type { Part } from '../../store/resource.ts';
import { grouped } from '../../text/numbers.ts';
import { counted } from '../../text/words.ts';
import { failedAttempts, verdictOf, whereOf } from './error-verdict.ts';
import { pathOfTask } from './hold-ups.ts';

interface ErrorsPanelProps {
  readonly head: JobHead;
  readonly errors: Part<JobErrors>;
}

export function ErrorsPanel({ head, errors }: ErrorsPanelProps) {
  const kinds = errors.value?.kinds ?? [];
  const attempts = failedAttempts(errors.value);
  const partly = errors.value?.complete === false ? ' among those that were looked at' : '';
  return (
    <Panel
      id="errors"
      title="Errors"
      isFlush
      note={
        kinds.length === 0
          ? undefined
          : `${counted(attempts, 'failed attempt')} of ${counted(kinds.length, 'kind')}${partly}`
      }
      actions={
        head.counts.failed === 0 ? undefined : (
          <a class="link reach" href="#tasks" onClick={() => setQuery({ state: 'failed' })}>
            Show {counted(head.counts.failed, 'failed task')}
          </a>
        )
      }
    >
      <PartOfPage part={errors} what="the errors" sentenceOf={sentenceOf}>
        {({ kinds: rows }) => (
          <Table
            label="Errors by kind"
            rows={rows}
            keyOf={({ type, message }) => `${type} ${message}`}
            columns={columnsOf(head.id)}
            empty={<p class="empty">No attempt of this job has failed.</p>}
          />
        )}
      </PartOfPage>
    </Panel>
  );
}

function columnsOf(jobId: string): readonly Column<JobErrorKind>[] {
  return [
    {
      id: 'kind',
      head: 'Kind and message',
      card: 'wide',
      cell: ({ type, message, example_message: example }) => (
        <span class="job-error" title={example}>
          <b>{type}</b> <span class="soft">{message}</span>
        </span>
      ),
    },
    {
      id: 'where',
      head: 'Where',
      card: 'wide',
      width: '300px',
      cell: (kind) => (
        <span class="job-where">
          {whereOf(kind)}
          <small>{verdictOf(kind)}</small>
        </span>
      ),
    },
    {
      id: 'attempts',
      head: 'Attempts',
      isNumber: true,
      width: '90px',
      label: 'attempts',
      cell: ({ attempts }) => grouped(attempts),
    },
    {
      id: 'tasks',
      head: 'Tasks',
      isNumber: true,
      width: '80px',
      label: 'tasks',
      cell: ({ tasks }) => grouped(tasks),
    },
    {
      id: 'examples',
      head: 'For example',
      width: '150px',
      card: 'wide',
      cell: ({ examples }) => (
        <span class="row">
          {examples.map((index) => (
            <a key={index} class="link" href={pathOfTask(jobId, index)}>
              {grouped(index)}
            </a>
          ))}
        </span>
      ),
    },
  ];
}
