// What was done and by whom, newest first.

import { useState } from 'preact/hooks';
import {
  auditActions,
  auditOutcomes,
  type AuditAction,
  type AuditResource,
} from '../../../../protocol/audit.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Panel, PartOfPage } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { query, setQuery } from '../../shell/address.ts';
import { attempt } from '../../shell/asking.tsx';
import { read, sentenceOf } from '../../store/endpoint.ts';
import { session } from '../../store/session.ts';
import { usePart } from '../../store/resource.ts';
import { grouped, none } from '../../text/numbers.ts';
import { shortId } from '../../text/words.ts';

const pageLength = 50;
const soonMs = 10_000;

const meaningOf = (action: string): string =>
  auditActions[action as AuditAction]?.means ?? 'A newer coordinator knows what it is.';

const columns: readonly Column<AuditResource>[] = [
  { id: 'at', head: 'At', width: '130px', card: 'lead', cell: ({ at }) => <Time at={at} /> },
  {
    id: 'action',
    head: 'Action',
    cell: ({ action }) => <span title={meaningOf(action)}>{action}</span>,
  },
  {
    id: 'outcome',
    head: 'Outcome',
    cell: ({ outcome, code }) => (
      <span class={outcome === 'done' ? '' : 'bad'}>
        {code === null ? outcome : `${outcome}: ${code}`}
      </span>
    ),
  },
  {
    id: 'object',
    head: 'What',
    cell: ({ object }) =>
      object === null ? (
        <span class="mute">{none}</span>
      ) : (
        <span title={object}>{object.startsWith('/') ? object : shortId(object)}</span>
      ),
  },
  {
    id: 'who',
    head: 'Who',
    cell: ({ owner, token_id: id }) =>
      owner === null && id === null ? (
        <span class="mute">{none}</span>
      ) : (
        <span title={id ?? undefined}>{owner ?? id}</span>
      ),
  },
  {
    id: 'from',
    head: 'From',
    card: 'hidden',
    cell: ({ address }) => address ?? <span class="mute">{none}</span>,
  },
  {
    id: 'times',
    head: 'Times',
    isNumber: true,
    width: '70px',
    card: 'hidden',
    cell: ({ count }) => grouped(count),
  },
];

export function AuditPanel() {
  const { value: asked } = query;
  const filter = {
    action: asked.get('action') ?? undefined,
    outcome: asked.get('outcome') ?? undefined,
    owner: asked.get('owner') ?? undefined,
  };
  const key = `audit ${JSON.stringify(filter)}`;
  const part = usePart(
    key,
    (signal) =>
      read<readonly AuditResource[]>('/api/audit', { ...filter, limit: pageLength }, signal),
    { everyMs: soonMs },
  );
  const [older, setOlder] = useState<{
    readonly key: string;
    readonly rows: readonly AuditResource[];
    readonly isAll: boolean;
  }>({ key, rows: [], isAll: false });
  const more = older.key === key ? older : { key, rows: [], isAll: false };
  return (
    <Panel title="What was done, and by whom" isFlush>
      <div class="row settings-filters">
        <Select label="Action" name="action" all="every action" words={Object.keys(auditActions)} />
        <Select label="Outcome" name="outcome" all="every outcome" words={auditOutcomes} />
        <input
          class="input"
          aria-label="Owner"
          placeholder="every owner"
          value={filter.owner ?? ''}
          onInput={({ currentTarget }) => setQuery({ owner: currentTarget.value.trim() })}
        />
      </div>
      {session.value?.needs_token === false && !session.value.open ? (
        <p class="soft settings-filters">
          Without tokens only starts, stops, certificates and tokens are written down, unless the
          coordinator has --audit on.
        </p>
      ) : null}
      <PartOfPage part={part} what="what was done" sentenceOf={sentenceOf} lines={6}>
        {(newest) => {
          const known = new Set(newest.map(({ id }) => id));
          const rows = [...newest, ...more.rows.filter(({ id }) => !known.has(id))];
          const last = rows.at(-1);
          const loadOlder = (): Promise<boolean> =>
            attempt('Not shown', async () => {
              const next = await read<readonly AuditResource[]>('/api/audit', {
                ...filter,
                limit: pageLength,
                before: last?.id,
              });
              const isAll = next.length < pageLength;
              setOlder({ key, rows: [...more.rows, ...next], isAll });
            });
          return (
            <>
              <Table
                label="What was done"
                rows={rows}
                keyOf={({ id }) => String(id)}
                columns={columns}
                empty={<Nothing isFiltered={Object.values(filter).some((each) => each)} />}
              />
              {rows.length < pageLength || more.isAll ? null : (
                <div class="row settings-filters">
                  <Button isSmall onPress={loadOlder}>
                    Show older
                  </Button>
                </div>
              )}
            </>
          );
        }}
      </PartOfPage>
    </Panel>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  if (!isFiltered) {
    return <Empty>Nothing yet.</Empty>;
  }
  const clear = (): void => setQuery({ action: null, outcome: null, owner: null });
  return (
    <Empty
      actions={
        <Button isSmall onPress={clear}>
          Show everything
        </Button>
      }
    >
      Nothing is as these filters say.
    </Empty>
  );
}

interface SelectProps {
  readonly label: string;
  readonly name: string;
  readonly all: string;
  readonly words: readonly string[];
}

function Select({ label, name, all, words }: SelectProps) {
  return (
    <select
      class="input"
      aria-label={label}
      value={query.value.get(name) ?? ''}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
    >
      <option value="">{all}</option>
      {words.map((word) => (
        <option key={word} value={word}>
          {word}
        </option>
      ))}
    </select>
  );
}
