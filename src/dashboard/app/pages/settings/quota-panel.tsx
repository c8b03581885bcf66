// What whoever looks may use, and how much of it is used.

import type { QuotaUse } from '../../../../client/quotas.ts';
import { Panel, PartOfPage } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { NotTold } from '../../parts/time.tsx';
import { sentenceOf } from '../../store/endpoint.ts';
import type { Part } from '../../store/resource.ts';
import { amountOf, shareUsed, wordsOf } from './quota-bounds.ts';

type Row = QuotaUse['quotas'][number];

const counts: Readonly<Record<Row['per'], string>> = {
  owner: 'of the owner',
  token: 'of the token',
  submission: 'of each job',
};

const columns: readonly Column<Row>[] = [
  {
    id: 'name',
    head: 'Quota',
    card: 'lead',
    cell: ({ name, meaning }) => <span title={meaning}>{wordsOf(name)}</span>,
  },
  {
    id: 'used',
    head: 'Used',
    isNumber: true,
    label: 'used',
    cell: ({ name, used }) =>
      used === null ? <NotTold why="This is not counted." /> : amountOf(name, used),
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
    head: 'Bound',
    isNumber: true,
    cell: ({ name, bound }) =>
      bound === null ? (
        <span class="mute">not bounded</span>
      ) : (
        <>
          <span class="narrow-only">of </span>
          {amountOf(name, bound)}
        </>
      ),
  },
  {
    id: 'per',
    head: 'Counted',
    card: 'hidden',
    cell: ({ per }) => <span class="soft">{counts[per]}</span>,
  },
];

export function QuotaPanel({ part }: { readonly part: Part<QuotaUse> }) {
  return (
    <Panel title="What you may use" isFlush span={6}>
      <PartOfPage part={part} what="the quotas" sentenceOf={sentenceOf} lines={6}>
        {({ quotas }) => (
          <Table label="Quotas" rows={quotas} keyOf={({ name }) => name} columns={columns} />
        )}
      </PartOfPage>
    </Panel>
  );
}

/** How full something is; the numbers stand beside it. */
export function Meter({ share }: { readonly share: number | null }) {
  if (share === null) return null;
  return (
    <span class={share >= 0.9 ? 'settings-meter full' : 'settings-meter'} aria-hidden="true">
      <i style={{ width: `${100 * share}%` }} />
    </span>
  );
}
