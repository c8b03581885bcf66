// Blobs in chunks, and what refers to them. A blob has no name while its chunks are written, and loses its
// name before they are deleted: a blob that is found by its name is whole.

import type { DatabaseSync } from 'node:sqlite';
import { adminOwner } from '../../../core/owner.ts';
import { damagedBlob, valueFault } from '../../damage.ts';
import type { BlobReference, BlobRow } from '../../rows.ts';
import { prepare, type Row, type Statement } from './statement.ts';
import { chunkKind, type ValueGuard, valueHash } from './value-hash.ts';

/** A row of the table: a blob of this generation, or one that is to be swept. */
export interface BlobEntry extends BlobRow {
  readonly key: number;
  readonly generation: number;
}

/** Where the next search for blobs to collect goes on. */
export type BlobPlace = Pick<BlobEntry, 'touchedAt' | 'key'>;

/** Before any blob. */
export const firstPlace: BlobPlace = { touchedAt: -Number.MAX_VALUE, key: -1 };

/** Written or read in a millisecond or two. */
export const chunkBytes = 256 * 1024;

export const chunksPerBlob = 2 ** 16;
const columns = 'key, generation, sha256, size_bytes, touched_at';

export class BlobTable {
  readonly #guard: ValueGuard;
  /** Keys of blobs that are being written: they have no name, and must not be swept. */
  readonly #drafts = new Set<number>();
  /** Names of damaged blobs: they count as absent until they are stored again. */
  readonly #damaged = new Set<string>();
  readonly #insert: Statement;
  readonly #insertChunk: Statement;
  readonly #name: Statement;
  readonly #hide: Statement;
  readonly #find: Statement;
  readonly #touch: Statement;
  readonly #chunk: Statement;
  readonly #older: Statement;
  readonly #referredTo: Statement;
  readonly #keptAsState: Statement;
  readonly #refer: Statement;
  readonly #referStaged: Statement;
  readonly #reveal: Statement;
  readonly #own: Statement;
  readonly #ownReferred: Statement;
  readonly #bytesOf: Statement;
  readonly #isOwn: Statement;
  readonly #isAdmins: Statement;
  readonly #deleteOwners: Statement;
  readonly #gone: Statement;
  readonly #deleteChunks: Statement;
  readonly #delete: Statement;

  constructor(db: DatabaseSync, guard: ValueGuard) {
    this.#guard = guard;
    this.#insert = prepare(
      db,
      'insert into blobs (generation, size_bytes, touched_at) values (0, 0, 0) returning key',
    );
    this.#insertChunk = prepare(db, 'insert into blob_chunks (key, bytes, hash) values (?, ?, ?)');
    this.#name = prepare(
      db,
      'update blobs set generation = ?, sha256 = ?, size_bytes = ?, touched_at = ? where key = ?',
    );
    this.#hide = prepare(db, 'update blobs set generation = 0, sha256 = null where key = ?');
    this.#find = prepare(db, `select ${columns} from blobs where sha256 = ? and generation >= ?`);
    this.#touch = prepare(db, 'update blobs set generation = ?, touched_at = ? where key = ?');
    this.#chunk = prepare(db, 'select bytes, hash from blob_chunks where key = ?');
    this.#older = prepare(
      db,
      `select ${columns} from blobs
        where generation = ? and (touched_at, key) > (?, ?) and touched_at < ?
        order by touched_at, key limit ?`,
    );
    const isOfShownJob = (key: string) =>
      `exists (select 1 from jobs where jobs.key = ${key} and generation = ?)`;
    this.#referredTo = prepare(
      db,
      `select 1 from blob_references refs where sha256 = ? and (${isOfShownJob('refs.job_key')}
        or exists (select 1 from staged where staged.job_key = refs.job_key and dropped = 0))
        limit 1`,
    );
    this.#keptAsState = prepare(
      db,
      `select 1 from checkpoint_states where encoding = 2 and content = ?
        and ${isOfShownJob('task_key >> 24')} limit 1`,
    );
    this.#refer = prepare(
      db,
      `insert or ignore into blob_references (job_key, sha256, owner)
        select key, ?, owner from jobs where key = ? and generation = ?`,
    );
    this.#referStaged = prepare(
      db,
      'insert or ignore into blob_references (job_key, sha256) values (?, ?)',
    );
    this.#reveal = prepare(db, 'update blob_references set owner = ? where job_key = ?');
    this.#own = prepare(
      db,
      `insert into blob_owners (blob_key, owner) values (?, ?)
        on conflict do update set is_brought = 0`,
    );
    this.#ownReferred = prepare(
      db,
      `insert or ignore into blob_owners (blob_key, owner, is_brought)
        select blobs.key, jobs.owner, 1 from blobs, jobs
          where blobs.sha256 = ? and jobs.key = ? and jobs.generation = ? and jobs.owner is not null`,
    );
    this.#bytesOf = prepare(db, 'select bytes from owner_bytes where owner = ?');
    this.#isOwn = prepare(
      db,
      `select exists (select 1 from blob_owners where blob_key = ?1 and owner = ?2 and is_brought = 0)
        or exists (select 1 from blob_references refs
          where refs.owner = ?2 and sha256 = ?3 and exists
            (select 1 from jobs where jobs.key = refs.job_key and generation = ?4))`,
    );
    this.#isAdmins = prepare(
      db,
      `select exists (select 1 from blob_owners where blob_key = ?1 and owner = ?2 and is_brought = 0)
        or exists (select 1 from blob_references refs join jobs on jobs.key = refs.job_key
          where refs.sha256 = ?3 and refs.owner is null and jobs.owner is null
            and generation = ?4)`,
    );
    this.#deleteOwners = prepare(db, 'delete from blob_owners where blob_key = ?');
    this.#gone = prepare(db, 'select key from blobs where generation < ? limit ?');
    this.#deleteChunks = prepare(
      db,
      `delete from blob_chunks where key in
        (select key from blob_chunks where key >= ? and key < ? limit ?)`,
    );
    this.#delete = prepare(db, 'delete from blobs where key = ?');
  }

  /** Makes a blob without a name, for its chunks. It is not swept before `end`. */
  begin(): number {
    const key = this.#insert.get()![0] as number;
    this.#drafts.add(key);
    return key;
  }

  writeChunk(key: number, number: number, bytes: Uint8Array): void {
    if (number >= chunksPerBlob) throw new Error('a blob of more than 65536 chunks');
    const chunkKey = key * chunksPerBlob + number;
    this.#insertChunk.run(chunkKey, bytes, valueHash(chunkKind, chunkKey, bytes));
  }

  name(key: number, { sha256, sizeBytes, touchedAt }: BlobRow, generation: number): void {
    this.#name.run(generation, sha256, sizeBytes, touchedAt, key);
    this.#damaged.delete(sha256);
  }

  isDamaged(sha256: string): boolean {
    return this.#damaged.has(sha256);
  }

  /** It is still being written. */
  isDraft(key: number): boolean {
    return this.#drafts.has(key);
  }

  /** The blob is no longer being written. Without a name it is swept. */
  end(key: number): void {
    this.#drafts.delete(key);
  }

  /** Takes the name away: the blob is invisible from now on, and swept. */
  hide(key: number): void {
    this.#hide.run(key);
  }

  /** The blob of this name, if it is of the given generation or a later one. */
  find(sha256: string, generation: number): BlobEntry | undefined {
    const row = this.#find.get(sha256, generation);
    return row && toEntry(row);
  }

  touch(key: number, generation: number, at: number): void {
    this.#touch.run(generation, at, key);
  }

  /** Throws a `StoreFault` when it is damaged or missing. */
  readChunk({ key, sha256, sizeBytes }: BlobEntry, number: number): Uint8Array {
    const chunkKey = key * chunksPerBlob + number;
    const [bytes, hash] = this.#chunk.get(chunkKey) ?? [];
    const isWhole =
      bytes instanceof Uint8Array &&
      bytes.length === Math.min(chunkBytes, sizeBytes - number * chunkBytes);
    if (isWhole && this.#guard.checkChunk(hash, chunkKey, bytes) !== 'damaged') return bytes;
    this.#damaged.add(sha256);
    const sentence = damagedBlob(sha256);
    this.#guard.tell(sentence);
    throw valueFault(sentence);
  }

  /** Blobs after `place`, in the order of their last touch. */
  listOlder(
    generation: number,
    place: BlobPlace,
    before: number,
    limit: number,
  ): readonly BlobEntry[] {
    return this.#older.all(generation, place.touchedAt, place.key, before, limit).map(toEntry);
  }

  hasAny(generation: number): boolean {
    return this.listOlder(generation, firstPlace, Number.MAX_VALUE, 1).length > 0;
  }

  isReferenced(sha256: string, generation: number): boolean {
    return (
      this.#referredTo.get(sha256, generation) !== undefined ||
      this.#keptAsState.get(sha256, generation) !== undefined
    );
  }

  /** Stores a reference, if its job is of this generation. The blob counts among its owner's from then on. */
  refer({ jobKey, sha256 }: BlobReference, generation: number): void {
    this.#refer.run(sha256, jobKey, generation);
    this.#ownReferred.run(sha256, jobKey, generation);
  }

  /** What the staged inputs of the job refer to is its owner's. */
  reveal(jobKey: number, owner: string): void {
    this.#reveal.run(owner, jobKey);
  }

  referStaged({ jobKey, sha256 }: BlobReference): void {
    this.#referStaged.run(jobKey, sha256);
  }

  /** Nobody has put it. */
  disown(key: number): void {
    this.#deleteOwners.run(key);
  }

  own(key: number, owner: string): void {
    this.#own.run(key, owner);
  }

  /** Of the blobs of an owner, each once. */
  bytesOf(owner: string): number {
    return (this.#bytesOf.get(owner)?.[0] as number | undefined) ?? 0;
  }

  /** Whether the owner has put the blob, or a job of that owner refers to it. */
  isOwn({ key, sha256 }: BlobEntry, owner: string, generation: number): boolean {
    const isOwn = owner === adminOwner ? this.#isAdmins : this.#isOwn;
    return isOwn.get(key, owner, sha256, generation)?.[0] === 1;
  }

  /** The key of a blob that nobody can see any more. */
  findGone(generation: number): number | undefined {
    const keys = this.#gone.all(generation, this.#drafts.size + 1).map((row) => row[0] as number);
    return keys.find((key) => !this.#drafts.has(key));
  }

  /** Deletes some chunks of a blob, or the blob once it has none. Returns how many rows. */
  deleteSome(key: number, chunks: number): number {
    // From now on its bytes cannot be read, nor its name be used, while they are deleted.
    this.#hide.run(key);
    const from = key * chunksPerBlob;
    const deleted = this.#deleteChunks.run(from, from + chunksPerBlob, chunks).changes;
    if (deleted) return Number(deleted);
    this.#deleteOwners.run(key);
    return Number(this.#delete.run(key).changes);
  }
}

function toEntry(row: Row): BlobEntry {
  return {
    key: row[0] as number,
    generation: row[1] as number,
    sha256: row[2] as string,
    sizeBytes: row[3] as number,
    touchedAt: row[4] as number,
  };
}
