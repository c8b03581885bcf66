// Which jobs are found by what is asked: by their ids, by pages of a list, by handles, by the end of their time. The
// admin's jobs, which are in none of the indexes of owners, are found among all.

import { handlePart } from '../../../core/handle.ts';
import { adminOwner } from '../../../core/owner.ts';
import type { JobFilter } from '../../reading.ts';
import type { JobRow } from '../../rows.ts';
import type { ExpiringWanted } from '../../writing.ts';
import type { Query } from '../driver/statement.ts';
import { encodeText } from '../driver/text.ts';
import { jobStatusCode, jobStatuses } from '../../enumerations.ts';
import { glance, type JobGlance, jobsOf, ownerCell, ownerOf } from './job-table.ts';
import { generation, isVisible } from './visible.ts';

/** Behind every text that begins with another one. */
const lastCharacter = '\u{10ffff}';

/** A look-up per id, whatever the planner believes. */
const named = (columns: string) => `select ${columns}
  from unnest($1::text[]) with ordinality as named(id, place) cross join lateral
    (select * from jobs where jobs.id = named.id and ${isVisible('jobs')} offset 0) as jobs
  order by named.place`;
const keysByIdText = named('jobs.key');
const glancesText = named(glance.columns('jobs'));

/** Those that can be seen, with their priorities, in the order of the ids. */
export function findJobs(query: Query, ids: readonly string[]): Promise<readonly JobRow[]> {
  return jobsOf(query, keysByIdText, [ids.map(encodeText)], true);
}

/** Without its priorities. */
export async function findJobHead(query: Query, id: string): Promise<JobRow | undefined> {
  return (await jobsOf(query, keysByIdText, [[encodeText(id)]], false))[0];
}

/** Those that can be seen, in the order of the ids. */
export async function seeJobs(query: Query, ids: readonly string[]): Promise<readonly JobGlance[]> {
  const rows = await query(glancesText, [ids.map(encodeText)]);
  return rows.map((row) => glance.decode(row));
}

const ownerText = `select owner from jobs where id = $1 and ${isVisible('jobs')}`;

/** Undefined when the job cannot be seen. */
export async function findJobOwner(query: Query, id: string): Promise<string | undefined> {
  const [row] = await query(ownerText, [encodeText(id)]);
  return row && ownerOf(row[0]!);
}

/** Whose jobs: of an owner there are indexes of their own. */
type Whose = 'all' | 'owner' | 'admin';

/** The owner, if there is one, is `$1`. */
const isOf: Readonly<Record<Whose, string>> = {
  all: '$1::text is null',
  owner: 'owner = $1',
  admin: '$1::text is null and owner is null',
};

function whoseOf(owner: string | undefined): Whose {
  if (owner === undefined) return 'all';
  return owner === adminOwner ? 'admin' : 'owner';
}

/**
 * The order of lists, newest first, as the indexes of each have it: not the key itself, whose index has the order too. In
 * that one a rare status, or the old jobs of an owner, would be looked for among all jobs, when the planner thinks
 * that they lie everywhere.
 */
const orderOf: Readonly<Record<Whose, string>> = {
  all: 'key + 0',
  owner: '0 + key',
  admin: 'key + 0',
};

/** A filter, and not the beginning of indexes in which all jobs would be read. None is of a later generation. */
const isPresent = `generation + 0 >= ${generation}`;

/** Of each status a range of an index. */
function pageText(whose: Whose, ofClient: boolean): string {
  const order = orderOf[whose];
  const isAsked = ofClient ? 'client_id = $5 and status = asked.status' : 'status = asked.status';
  return `select found.key from unnest($2::smallint[]) as asked(status) cross join lateral
      (select key from jobs where ${isOf[whose]} and ${isVisible('jobs')} and ${isAsked} and ${order} < $3
        order by ${order} desc limit $4) as found
    order by found.key desc limit $4`;
}

/** The handle is `$2`; as a part of an id `$3`, null when it is too short, and `$4` what lies behind all it begins. */
function meantText(whose: Whose): string {
  const of = `select key from jobs where ${isOf[whose]}`;
  const order = orderOf[whose];
  const id = whose === 'owner' ? "id || ''" : 'id';
  return `select key from (
      (${of} and ${isVisible('jobs')} and name = $2 order by ${order} desc limit $5)
      union (${of} and ${isPresent} and ${id} >= $3 and ${id} < $4 order by ${id} desc limit $5)
      union (${of} and ${isPresent} and right(id, 4) = right($3, 4) and right(id, length($3)) = $3
        order by ${order} desc limit $5)
    ) as found order by key desc limit $5`;
}

const everyWhose: readonly Whose[] = ['all', 'owner', 'admin'];
const texts = Object.fromEntries(
  everyWhose.map((whose) => [
    whose,
    { page: pageText(whose, false), ofClient: pageText(whose, true), meant: meantText(whose) },
  ]),
) as Readonly<Record<Whose, Readonly<Record<'page' | 'ofClient' | 'meant', string>>>>;

/** Without priorities, newest first. */
export function listJobs(
  query: Query,
  { statuses = jobStatuses, clientId, owner }: JobFilter,
  beforeKey: number | null,
  limit: number,
): Promise<readonly JobRow[]> {
  const codes = [...new Set(statuses)].map((status) => jobStatusCode[status]);
  const before = beforeKey ?? Number.MAX_SAFE_INTEGER;
  const asked = [cellOf(owner), codes, before, limit];
  const { page, ofClient } = texts[whoseOf(owner)];
  if (clientId === undefined) return jobsOf(query, page, asked, false);
  return jobsOf(query, ofClient, [...asked, encodeText(clientId)], false);
}

/** Without priorities, newest first. Reads at most `limit` entries of three indexes. */
export function listMeantJobs(
  query: Query,
  handle: string,
  limit: number,
  owner?: string,
): Promise<readonly JobRow[]> {
  const part = handlePart(handle);
  const ofId = part === null ? [null, null] : [part, part + lastCharacter].map(encodeText);
  const asked = [cellOf(owner), encodeText(handle), ...ofId, limit];
  return jobsOf(query, texts[whoseOf(owner)].meant, asked, false);
}

function cellOf(owner: string | undefined): string | null {
  return owner === undefined ? null : ownerCell(owner);
}

const ofGeneration = `select key from jobs where ${isVisible('jobs')}`;
const expiringTexts: Readonly<Record<ExpiringWanted['lists'][number], string>> = {
  own: `${ofGeneration} and expires_at is not null order by expires_at, key limit $1`,
  others: `${ofGeneration} and completed_at is not null and expires_at is null
    order by completed_at, key limit $1`,
  all: `${ofGeneration} and completed_at is not null order by completed_at, key limit $1`,
};

/** Each once, without priorities. */
export async function listExpiring(
  query: Query,
  { lists, limit }: ExpiringWanted,
): Promise<readonly JobRow[]> {
  const byKey = new Map<number, JobRow>();
  for (const list of lists) {
    for (const row of await jobsOf(query, expiringTexts[list], [limit], false)) {
      if (!byKey.has(row.spec.key)) byKey.set(row.spec.key, row);
    }
  }
  return [...byKey.values()];
}
