// What the coordinator takes at most, of everybody.

import { useEffect } from 'preact/hooks';
import { Panel, PartOfPage } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { usePartOfCluster, workerList } from '../../store/cluster.ts';
import { read, sentenceOf } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { grouped } from '../../text/numbers.ts';
import { amountOfLimit, shareUsed, wordsOf } from './quota-bounds.ts';
import { Meter } from './quota-panel.tsx';

interface Row {
  readonly name: string;
  readonly bound: number;
  /** Null where no answer tells it. */
  readonly used: number | null;
}

const columns: readonly Column<Row>[] = [
  {
    id: 'name',
    head: 'Limit',
    card: 'lead',
    cell: ({ name }) => <span title={name}>{wordsOf(name.replace(/_bytes$/, ''))}</span>,
  },
  {
    id: 'used',
    head: 'In use',
    isNumber: true,
    card: 'hidden',
    cell: ({ used }) => (used === null ? null : grouped(used)),
  },
  {
    id: 'share',
    head: <span class="unseen">Share</span>,
    width: '22%',
    card: 'hidden',
    cell: ({ used, bound }) => <Meter share={shareUsed(used, bound)} />,
  },
  {
    id: 'bound',
    head: 'At most',
    isNumber: true,
    cell: ({ name, bound }) => amountOfLimit(name, bound),
  },
];

export function LimitsPanel() {
  useEffect(() => usePartOfCluster('workers'), []);
  const part = usePart('limits', (signal) =>
    read<Readonly<Record<string, number>>>('/api/limits', {}, signal),
  );
  const workers = workerList.value?.length ?? null;
  return (
    <Panel
      title="Limits of this coordinator"
      note="set where it is started: serve --limit"
      isFlush
      span={6}
    >
      <PartOfPage part={part} what="the limits" sentenceOf={sentenceOf} lines={8}>
        {(limits) => (
          <div class="settings-tall" tabIndex={0} role="region" aria-label="All limits">
            <Table
              label="Limits"
              rows={Object.entries(limits).map(([name, bound]) => ({
                name,
                bound,
                used: name === 'workers' ? workers : null,
              }))}
              keyOf={({ name }) => name}
              columns={columns}
            />
          </div>
        )}
      </PartOfPage>
    </Panel>
  );
}
