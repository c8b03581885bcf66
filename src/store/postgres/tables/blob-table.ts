// Names and ages of blobs, what refers to them, and whose they are. A blob has no name while its bytes are written,
// and loses its name before they are deleted: one that is found by its name is whole.

import { adminOwner } from '../../../core/owner.ts';
import type { BlobReference, BlobRow } from '../../rows.ts';
import type { Query, Statement } from '../driver/statement.ts';
import { integer, real, text } from './kinds.ts';
import { RowShape } from './row-shape.ts';
import { isOfVisible, isVisible, joinVisible } from './visible.ts';

/** Where the next search for blobs to collect goes on. */
export interface BlobPlace {
  readonly touchedAt: number;
  readonly key: number;
}

/** Before any blob. */
export const firstPlace: BlobPlace = { touchedAt: -Number.MAX_VALUE, key: -1 };

const names = text();
const owners = text();
const shape = new RowShape<BlobRow>({ sha256: names, sizeBytes: integer, touchedAt: real });

const referText = `insert into blob_references (job_key, sha256, owner)
  select r.job_key, r.sha256, jobs.owner from unnest($1::bigint[], $2::text[]) as r(job_key, sha256)
    ${joinVisible('r')}
  on conflict do nothing`;
const bringText = `insert into blob_owners (blob_key, owner, brought)
  select blobs.key, jobs.owner, true from unnest($1::bigint[], $2::text[]) as r(job_key, sha256)
    ${joinVisible('r')} and jobs.owner is not null
    join blobs on blobs.sha256 = r.sha256
  on conflict do nothing`;

/** Those of jobs that can be seen are stored. The blobs count among their owners' from then on. */
export function referenceStatements(rows: readonly BlobReference[]): Statement[] {
  if (rows.length === 0) return [];
  const values = [rows.map(({ jobKey }) => jobKey), rows.map(({ sha256 }) => names.encode(sha256))];
  return [
    { text: referText, values },
    { text: bringText, values },
  ];
}

const revealText = `update blob_references set owner = jobs.owner from jobs
  where blob_references.job_key = any($1::bigint[]) and jobs.key = blob_references.job_key
    and blob_references.owner is null and jobs.owner is not null`;

/** What staged inputs of these jobs refer to is their owner's. */
export function revealReferences(jobKeys: readonly number[]): Statement[] {
  if (jobKeys.length === 0) return [];
  return [{ text: revealText, values: [jobKeys] }];
}

export async function hasAnyBlob(query: Query): Promise<boolean> {
  const rows = await query(
    `select key from blobs where ${isVisible('blobs')} order by touched_at, key limit 1`,
  );
  return rows.length > 0;
}

const findText = `select ${shape.columns()} from blobs
  where sha256 = any($1::text[]) and ${isVisible('blobs')}`;

/** Those of this generation, by their hash. */
export async function findBlobs(
  query: Query,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, BlobRow>> {
  const rows = await query(findText, [hashes.map((sha256) => names.encode(sha256))]);
  return new Map(rows.map((row) => shape.decode(row)).map((row) => [row.sha256, row]));
}

/** In the order of keys, as everything that locks several: nobody waits for another who waits for it. */
const touchText = `update blobs set touched_at = greatest(touched_at, $2)
  where key in (select key from blobs where sha256 = any($1::text[]) and ${isVisible('blobs')}
    order by key for update)
  returning sha256`;

/** Returns which were there. */
export async function touchBlobs(
  query: Query,
  hashes: readonly string[],
  at: number,
): Promise<ReadonlySet<string>> {
  const rows = await query(touchText, [hashes.map((sha256) => names.encode(sha256)), at]);
  return new Set(rows.map(([sha256]) => names.decode(sha256!)));
}

const ownText = `insert into blob_owners (blob_key, owner, brought)
  select key, $2, false from blobs where sha256 = $1 and ${isVisible('blobs')} for share
  on conflict (blob_key, owner) do update set brought = false`;

/** The owner has put the blob, if it is there. */
export async function ownBlob(query: Query, sha256: string, owner: string): Promise<void> {
  await query(ownText, [names.encode(sha256), owners.encode(owner)]);
}

/** Those of the admin have no owner, before and after the job is there. */
const isOwnText = (isOwner: string) => `select exists
    (select 1 from blob_owners where blob_key = blobs.key and owner = $2 and not brought)
  or exists (select 1 from blob_references ${joinVisible('blob_references')}
    where blob_references.sha256 = $1 and ${isOwner})
  from blobs where blobs.sha256 = $1 and ${isVisible('blobs')}`;
const isOwnersText = isOwnText('blob_references.owner = $2');
const isAdminsText = isOwnText('blob_references.owner is null and jobs.owner is null');

/** Whether the blob is there, and the owner has put it, or a job of that owner refers to it. */
export async function isOwnBlob(query: Query, sha256: string, owner: string): Promise<boolean> {
  const asked = [names.encode(sha256), owners.encode(owner)];
  const [row] = await query(owner === adminOwner ? isAdminsText : isOwnersText, asked);
  return row?.[0] === true;
}

const bytesText = `select coalesce(sum(blobs.size_bytes), 0)::bigint
  from blob_owners join blobs on blobs.key = blob_owners.blob_key and ${isVisible('blobs')}
  where blob_owners.owner = $1`;

/** Of the blobs of an owner, each once. */
export async function sumBytesOf(query: Query, owner: string): Promise<number> {
  const [row] = await query(bytesText, [owners.encode(owner)]);
  return row![0] as number;
}

const olderText = `select touched_at, key from blobs
  where ${isVisible('blobs')} and (touched_at, key) > ($1, $2) and touched_at < $3
  order by touched_at, key limit $4`;

/** Blobs after `place`, in the order of their last touch. */
export async function listOlder(
  query: Query,
  place: BlobPlace,
  before: number,
  limit: number,
): Promise<readonly BlobPlace[]> {
  const rows = await query(olderText, [place.touchedAt, place.key, before, limit]);
  return rows.map(([touchedAt, key]) => ({ touchedAt: touchedAt as number, key: key as number }));
}

/** Each is looked up by its hash, however many references there are. One that is being touched is passed over. */
const hideText = `update blobs set generation = 0, sha256 = null
  where key in (
    select key from blobs
    where key = any($1::bigint[]) and ${isVisible('blobs')} and touched_at < $2
      and (select true from blob_references refs where refs.sha256 = blobs.sha256
        and (${isOfVisible('refs')} or exists (select 1 from staged where staged.job_key = refs.job_key and not dropped))
        limit 1) is null
      and (select true from checkpoint_states
        where checkpoint_states.blob = blobs.sha256 and ${isOfVisible('checkpoint_states')} limit 1) is null
    for update of blobs skip locked)
  returning key`;

/** Takes the names from those that nothing refers to: from then on they are nobody's, and are swept. */
export async function hideUnneeded(
  query: Query,
  keys: readonly number[],
  before: number,
): Promise<void> {
  const hidden = (await query(hideText, [keys, before])).map(([key]) => key as number);
  if (hidden.length > 0) await disown(query, hidden);
}

/** Nobody has put them. */
export async function disown(query: Query, keys: readonly number[]): Promise<void> {
  await query('delete from blob_owners where blob_key = any($1::bigint[])', [keys]);
}
