// Who may do what here: all tokens but those of workers, without what is secret.

import type { TokenResource } from '../../../../protocol/tokens.ts';
import { quotaNames } from '../../../../protocol/quotas.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Panel, PartOfPage } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { ask } from '../../shell/asking.tsx';
import { change, sentenceOf } from '../../store/endpoint.ts';
import type { Part } from '../../store/resource.ts';
import { none } from '../../text/numbers.ts';
import { askForToken, NewTokenDialog } from './new-token.tsx';
import { amountOf, wordsOf } from './quota-bounds.ts';

const statusWords: Readonly<Record<TokenResource['status'], string>> = {
  good: 'good',
  revoked: 'revoked',
  expired: 'expired',
  used_up: 'used up',
};

function columnsOf(onChange: () => void): readonly Column<TokenResource>[] {
  return [
    {
      id: 'label',
      head: 'For',
      card: 'lead',
      cell: ({ label, id }) => (
        <span>
          {label ?? <span class="mute">no label</span>} <code class="mute">{id}</code>
        </span>
      ),
    },
    { id: 'kind', head: 'Kind', width: '80px', cell: ({ kind }) => kind },
    { id: 'owner', head: 'Owner', label: 'is the owner', cell: ({ owner }) => owner },
    {
      id: 'status',
      head: 'Is',
      width: '90px',
      cell: ({ status }) => (
        <span class={status === 'good' ? '' : 'mute'}>{statusWords[status]}</span>
      ),
    },
    {
      id: 'quota',
      head: 'Quotas of its own',
      card: 'hidden',
      cell: ({ quota }) => {
        const own = quotaNames.filter((name) => quota[name] !== undefined);
        if (own.length === 0) return <span class="mute">{none}</span>;
        return own.map((name) => `${wordsOf(name)}: ${amountOf(name, quota[name]!)}`).join(', ');
      },
    },
    {
      id: 'used',
      head: 'Last used',
      width: '110px',
      card: 'hidden',
      cell: ({ last_used_at: at }) => <Time at={at} isAgo without="It was not used yet." />,
    },
    {
      id: 'expires',
      head: 'Ends',
      width: '130px',
      card: 'hidden',
      cell: ({ expires_at: at }) => (at === null ? 'never' : <Time at={at} />),
    },
    {
      id: 'deeds',
      head: <span class="unseen">Actions</span>,
      width: '100px',
      class: 'number',
      cell: (token) =>
        token.status === 'good' ? (
          <Button
            isSmall
            label={`Revoke ${token.label ?? token.id}`}
            onPress={() => revoke(token, onChange)}
          >
            Revoke…
          </Button>
        ) : null,
    },
  ];
}

function revoke({ id, label, kind, owner }: TokenResource, onChange: () => void): void {
  ask({
    title: `Revoke ${label ?? id}?`,
    body: (
      <p>
        {`It is a token of the kind ${kind} of ${owner}. What is open in its name ends at once, and it is never good again. Jobs that were submitted with it go on.`}
      </p>
    ),
    action: 'Revoke the token',
    keep: 'Keep it',
    onAction: async () => {
      await change('DELETE', `/api/tokens/${encodeURIComponent(id)}`);
      onChange();
    },
  });
}

export function TokensPanel({ part }: { readonly part: Part<readonly TokenResource[]> }) {
  return (
    <Panel
      title="Tokens"
      note="of people and programs; those of workers are theirs alone"
      isFlush
      actions={
        <Button isSmall onPress={askForToken}>
          New token
        </Button>
      }
    >
      <PartOfPage part={part} what="the tokens" sentenceOf={sentenceOf}>
        {(tokens) => (
          <>
            <Table
              label="Tokens"
              rows={tokens}
              keyOf={({ id }) => id}
              columns={columnsOf(part.again)}
              empty={
                <Empty>
                  There is none: nobody is asked for one, and only this machine is served, unless it
                  was started with --open. The first has to be one of an admin.
                </Empty>
              }
            />
            <NewTokenDialog
              isFirst={!tokens.some(({ kind, status }) => kind === 'admin' && status === 'good')}
              onMade={part.again}
            />
          </>
        )}
      </PartOfPage>
    </Panel>
  );
}
