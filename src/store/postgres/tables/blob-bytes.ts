// The bytes of blobs, in chunks: how they are written, named, read and deleted. Bytes without a name are those of a
// draft, which belongs to the process that writes it, or are to be swept.

import { damagedBlob, valueFault } from '../../damage.ts';
import type { BlobRow } from '../../rows.ts';
import type { Query } from '../driver/statement.ts';
import { disown } from './blob-table.ts';
import { bytes, text } from './kinds.ts';
import { isLiving } from './coordinator-table.ts';
import { generation, isVisible } from './visible.ts';

/** Written or read in a millisecond or two. */
export const chunkBytes = 256 * 1024;
const mostChunks = 2 ** 31 - 1;

const names = text();

export interface Draft {
  readonly key: number;
  /** Whose it is. */
  readonly member: string;
}

/** A blob without a name, for its chunks. It is not swept before its member lets it go or is gone. */
export async function beginDraft(query: Query, member: string): Promise<Draft> {
  const [row] = await query(
    `insert into blobs (generation, size_bytes, touched_at, member) values (0, 0, 0, $1)
      returning key`,
    [member],
  );
  return { key: row![0] as number, member };
}

/** False when the draft was swept. It cannot be meanwhile: that would leave chunks of nothing. */
export async function writeChunk(
  query: Query,
  { key, member }: Draft,
  number: number,
  chunk: Uint8Array,
): Promise<boolean> {
  const rows = await query(
    `insert into blob_chunks (blob_key, number, bytes)
      select key, $3, $4 from blobs where key = $1 and member = $2 for share
      returning number`,
    [key, member, number, chunk],
  );
  return rows.length > 0;
}

/** Nobody else gives a blob this name before the end of the transaction. Returns the present generation. */
export async function lockName(query: Query, sha256: string): Promise<number> {
  const [row] = await query(
    'select generation, pg_advisory_xact_lock(hashtextextended($1, 0)) from meta',
    [names.encode(sha256)],
  );
  return row![0] as number;
}

/** A blob of any generation. One that is being swept has no name. */
export interface NamedBlob {
  readonly key: number;
  readonly generation: number;
  readonly touchedAt: number;
}

/** It stays until the end of the transaction. */
export async function findNamed(query: Query, sha256: string): Promise<NamedBlob | undefined> {
  const [row] = await query(
    'select key, generation, touched_at from blobs where sha256 = $1 for update',
    [names.encode(sha256)],
  );
  if (row === undefined) return undefined;
  const [key, of, touchedAt] = row as readonly number[];
  return { key: key!, generation: of!, touchedAt: touchedAt! };
}

/** Shows it in this generation. */
export async function revive(
  query: Query,
  key: number,
  present: number,
  touchedAt: number,
): Promise<void> {
  await query('update blobs set generation = $2, touched_at = $3 where key = $1', [
    key,
    present,
    touchedAt,
  ]);
}

/**
 * False when the draft was swept, or is not whole: chunks are written without a sync, and a server that has crashed meanwhile
 * has lost the newest of them, though their writer has gone on. How long they are is known without reading them.
 */
export async function nameDraft(
  query: Query,
  { key, member }: Draft,
  { sha256, sizeBytes, touchedAt }: BlobRow,
  present: number,
): Promise<boolean> {
  const rows = await query(
    `update blobs set generation = $3, sha256 = $4, size_bytes = $5, touched_at = $6, member = null
      where key = $1 and member = $2
        and $5 = (select coalesce(sum(octet_length(bytes)), 0) from blob_chunks where blob_key = $1)
      returning key`,
    [key, member, present, names.encode(sha256), sizeBytes, touchedAt],
  );
  return rows.length > 0;
}

/** From now on it is swept. */
export async function letGo(query: Query, { key, member }: Draft): Promise<void> {
  await query('update blobs set member = null where key = $1 and member = $2', [key, member]);
}

const chunkText = `select blobs.size_bytes, blob_chunks.bytes
  from blobs left join blob_chunks on blob_chunks.blob_key = blobs.key and blob_chunks.number = $2
  where blobs.sha256 = $1 and ${isVisible('blobs')}`;

/** Bytes up to the end of the chunk; undefined when there is no such blob. */
export async function readChunk(
  query: Query,
  sha256: string,
  fromByte: number,
): Promise<Uint8Array | undefined> {
  const number = Math.min(Math.floor(fromByte / chunkBytes), mostChunks);
  const [row] = await query(chunkText, [names.encode(sha256), number]);
  if (row === undefined) return undefined;
  const sizeBytes = row[0] as number;
  if (fromByte >= sizeBytes) return new Uint8Array();
  const from = number * chunkBytes;
  const chunk = bytes.decode(row[1] ?? new Uint8Array());
  if (chunk.length !== Math.min(chunkBytes, sizeBytes - from)) {
    throw valueFault(damagedBlob(sha256));
  }
  return chunk.subarray(fromByte - from);
}

const goneText = `update blobs set generation = 0, sha256 = null, member = null
  where key = (select key from blobs
    where generation < ${generation} and (member is null or (member <> $1 and not ${isLiving('blobs.member')}))
    order by generation, touched_at, key limit 1 for update skip locked)
  returning key`;
const deleteText = `with deleted as (
    delete from blob_chunks where blob_key = $1 and number = any(array(
      select number from blob_chunks where blob_key = $1 order by number limit $2))
    returning 1)
  select count(*) from deleted`;

/**
 * Deletes some chunks of a blob that nobody can see, and the blob once it has none; returns how many rows. In one
 * transaction its name goes with the first of them.
 */
export async function sweepBlob(query: Query, member: string, chunks: number): Promise<number> {
  const [blob] = await query(goneText, [member]);
  if (blob === undefined) return 0;
  const key = blob[0] as number;
  const [row] = await query(deleteText, [key, chunks]);
  const deleted = row![0] as number;
  if (deleted >= chunks) return deleted;
  await disown(query, [key]);
  await query('delete from blobs where key = $1', [key]);
  return deleted + 1;
}
