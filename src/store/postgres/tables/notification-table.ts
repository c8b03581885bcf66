// Notifications of the ends of jobs.

import type { DueWanted } from '../../reading.ts';
import type { NotificationRow } from '../../rows.ts';
import type { Query, Row, Statement } from '../driver/statement.ts';
import { integer, real, small, text } from './kinds.ts';
import { inLayers, RowShape } from './row-shape.ts';
import { isVisible, joinVisible } from './visible.ts';

/** The id of the job is in the table of jobs. */
type NotificationCells = Omit<NotificationRow, 'jobId'>;

const shape = new RowShape<NotificationCells>({
  id: integer,
  jobKey: integer,
  target: small,
  host: text(),
  status: text<NotificationRow['status']>(),
  completed: small,
  failed: small,
  cancelled: small,
  startedAt: real,
  endedAt: real,
  attempts: small,
  outcome: text<NotificationRow['outcome']>(),
  nextAt: real,
  answer: text(),
  triedAt: real,
});
const texts = text();

/**
 * So many of what is due are looked at in order. When all of them are of hosts that are busy, the hosts are
 * gone through instead: however many wait for a slow one, the others are found behind them.
 */
const mostLookedAt = 1000;
/** As many as one host gets of one look. */
const mostOfOneHost = 2;

const upsertText = `insert into notifications (${shape.columns()})
  select r.* from ${shape.unnest('r')} ${joinVisible('r')}
  on conflict (id) do update set ${shape.replaced(['id'])}`;

/** Those of jobs that can be seen are written. */
export function notificationStatements(rows: readonly NotificationRow[]): Statement[] {
  return inLayers(
    rows,
    ({ id }) => id,
    (some) => ({ text: upsertText, values: shape.arrays(some) }),
  );
}

const cells = `${shape.columns('n')}, jobs.id as job_id`;
/** The job is named in a list that is a part of the order: only one index has it. */
const ofJobText = `select ${cells}
  from jobs cross join lateral (
      select * from notifications where job_key = any(array[jobs.key])
      order by job_key desc, id desc limit $2
    ) as n
  where jobs.key = $1 and ${isVisible('jobs')} order by n.id desc`;

/** Those of a job, newest first. */
export async function listNotificationsOf(
  query: Query,
  jobKey: number,
  limit: number,
): Promise<readonly NotificationRow[]> {
  return (await query(ofJobText, [jobKey, limit])).map(toNotification);
}

interface DueTexts {
  readonly first: string;
  /** Gives a row when there are more than `first` looks at. */
  readonly more: string;
  readonly ofHosts: string;
}

const dueTexts = textsOf('next_at <= $1');
const beyondTexts = textsOf('next_at > $1');

/** Those that may be tried now, longest due first. */
export async function listDue(
  query: Query,
  { at, beyond, exceptIds, exceptHosts, limit }: DueWanted,
): Promise<readonly NotificationRow[]> {
  const rest = [exceptIds, exceptHosts.map((host) => texts.encode(host)), limit];
  const find = async ({ first, more, ofHosts }: DueTexts, when: number) => {
    const rows = await query(first, [when, ...rest]);
    if (rows.length > 0 || (await query(more, [when])).length === 0) return rows;
    return query(ofHosts, [when, ...rest]);
  };
  const due = await find(dueTexts, at);
  return (due.length > 0 ? due : await find(beyondTexts, beyond)).map(toNotification);
}

const nextText = `select n.next_at from notifications as n ${joinVisible('n')}
  where n.next_at > $1 order by n.next_at limit 1`;

/** When the first is due that is due after `at`. */
export async function nextDueAfter(query: Query, at: number): Promise<number | null> {
  return ((await query(nextText, [at]))[0]?.[0] ?? null) as number | null;
}

/** 0 when there is none. */
export async function largestNotificationId(query: Query): Promise<number> {
  const [row] = await query('select coalesce(max(id), 0) from notifications');
  return row![0] as number;
}

function textsOf(when: string): DueTexts {
  const inOrder = `from notifications where ${when} order by next_at, id`;
  const host = (condition: string) =>
    `(select host from notifications where next_at is not null ${condition} order by host limit 1)`;
  return {
    first: `select ${cells}
      from (select * ${inOrder} limit ${mostLookedAt}) as n ${joinVisible('n')}
      where not n.id = any($2::bigint[]) and not n.host = any($3::text[])
      order by n.next_at, n.id limit $4`,
    more: `select true ${inOrder} limit 1 offset ${mostLookedAt}`,
    ofHosts: `with recursive hosts(host) as (
        select ${host('')}
        union all
        select ${host('and host > hosts.host')} from hosts where hosts.host is not null
      )
      select found.* from hosts cross join lateral (
          select ${cells} from notifications as n ${joinVisible('n')}
          where n.host = any(array[hosts.host]) and n.${when} and not n.id = any($2::bigint[])
          order by n.host, n.next_at, n.id limit ${mostOfOneHost}
        ) as found
      where hosts.host is not null and not hosts.host = any($3::text[])
      order by found.next_at, found.id limit $4`,
  };
}

function toNotification(row: Row): NotificationRow {
  return { ...shape.decode(row), jobId: texts.decode(row[shape.fields.length]!) };
}
