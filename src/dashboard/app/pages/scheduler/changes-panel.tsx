// What was in force from when on, who set it, and what it did.

import { Panel, PartOfPage } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { jobList } from '../../store/cluster.ts';
import { sentenceOf } from '../../store/endpoint.ts';
import { mostChanges, useSchedulerHistory } from '../../store/scheduler-history.ts';
import { counted } from '../../text/words.ts';
import { type Change, changesOf } from './changes.ts';

export function ChangesPanel() {
  const part = useSchedulerHistory();
  const changes = changesOf(part.value ?? [], jobList.value?.at(-1)?.created_at);
  const isKnownWho = changes.some(({ by }) => by !== null);
  return (
    <Panel
      title="What was in force"
      note={
        changes.length === mostChanges ? `the last ${counted(mostChanges, 'change')}` : undefined
      }
      isFlush
      class="scheduler-changes"
    >
      <PartOfPage part={part} what="what was in force" sentenceOf={sentenceOf}>
        {() => (
          <Table
            label="What was in force"
            rows={changes}
            keyOf={({ at }) => at}
            columns={isKnownWho ? columns : columns.filter(({ id }) => id !== 'by')}
            empty={
              <p class="scheduler-none soft">
                Nothing was changed since this coordinator was set up.
              </p>
            }
          />
        )}
      </PartOfPage>
    </Panel>
  );
}

const columns: readonly Column<Change>[] = [
  { id: 'algorithm', head: 'Algorithm', cell: ({ algorithm }) => algorithm, card: 'lead' },
  { id: 'since', head: 'Since', label: 'since', cell: ({ at }) => <Time at={at} /> },
  {
    id: 'until',
    head: 'Until',
    label: 'until',
    cell: ({ until }) => (until === null ? 'now' : <Time at={until} />),
  },
  {
    id: 'difference',
    head: 'Changed',
    cell: ({ difference }) =>
      difference === '' ? 'nothing' : (difference ?? 'the first that is known'),
    card: 'wide',
  },
  { id: 'by', head: 'By', label: 'by', cell: ({ by }) => by ?? '\u2013' },
  {
    id: 'what',
    head: <span class="unseen">What it did</span>,
    cell: ({ evaluationPath }) => (
      <a class="link" href={evaluationPath}>
        What it did
      </a>
    ),
    card: 'wide',
  },
  {
    id: 'again',
    head: <span class="unseen">Try it again</span>,
    cell: ({ until, draftPath }) =>
      until === null || draftPath === '/scheduler' ? null : (
        <a class="link" href={draftPath}>
          Try it again
        </a>
      ),
    card: 'wide',
  },
];
