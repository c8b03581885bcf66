// Lists of the jobs of one owner, by keys. Every list has an index of its own that begins with the owner, so
// that the jobs of others cost nothing, whatever is asked for. The admin's jobs, which have none in the table, are
// found among all.

import type { DatabaseSync } from 'node:sqlite';
import { adminOwner } from '../../../core/owner.ts';
import { handlePart } from '../../../core/handle.ts';
import type { JobFilter } from '../../reading.ts';
import type { EndedJob } from '../../rows.ts';
import { jobStatusCode, jobStatuses } from '../../enumerations.ts';
import { type Cell, prepare, type Row, type Statement } from './statement.ts';

/** As the table has it. */
export function ownerCell(owner: string): string | null {
  return owner === adminOwner ? null : owner;
}

type Lists = Readonly<
  Record<'byStatus' | 'byClient' | 'byName' | 'byBeginning' | 'byEnd' | 'ended', Statement>
>;

export class OwnJobList {
  readonly #ofOwner: Lists;
  readonly #ofAdmin: Lists;

  constructor(db: DatabaseSync) {
    this.#ofOwner = prepareLists(db, 'owner = ?1', (name) => `own_jobs_${name}`);
    const ofAll = (name: string) =>
      name === 'by_beginning' ? 'sqlite_autoindex_jobs_1' : `jobs_${name}`;
    this.#ofAdmin = prepareLists(db, '?1 is null and owner is null', ofAll);
  }

  /** Newest first: one range of an index per status. */
  list(
    generation: number,
    owner: string,
    { statuses = jobStatuses, clientId }: JobFilter,
    beforeKey: number | null,
    limit: number,
  ): readonly number[] {
    const before = beforeKey ?? Number.MAX_SAFE_INTEGER;
    const { byStatus, byClient } = this.#lists(owner);
    const of = [ownerCell(owner), generation] as const;
    const rows = statuses.flatMap((each) =>
      clientId === undefined
        ? byStatus.all(...of, jobStatusCode[each], before, limit)
        : byClient.all(...of, jobStatusCode[each], before, limit, clientId),
    );
    return newestKeys(rows, limit);
  }

  /** Newest first. */
  listMeant(generation: number, owner: string, handle: string, limit: number): readonly number[] {
    const { byName, byBeginning, byEnd } = this.#lists(owner);
    const part = handlePart(handle);
    const of = [ownerCell(owner), generation] as const;
    return newestKeys(
      [
        ...byName.all(...of, handle, limit),
        ...(part === null ? [] : byBeginning.all(...of, part, limit)),
        ...(part === null ? [] : byEnd.all(...of, part, limit)),
      ],
      limit,
    );
  }

  /** The columns of `JobTable.listEnded`, in its order. */
  listEnded(
    generation: number,
    owner: string,
    since: number,
    { completedAt, key }: Pick<EndedJob, 'completedAt' | 'key'>,
    limit: number,
  ): readonly Row[] {
    const asked: Cell[] = [ownerCell(owner), generation, since, completedAt, key, limit];
    return this.#lists(owner).ended.all(...asked);
  }

  #lists(owner: string): Lists {
    return owner === adminOwner ? this.#ofAdmin : this.#ofOwner;
  }
}

function prepareLists(db: DatabaseSync, isOwn: string, index: (name: string) => string): Lists {
  const keys = (name: string, where: string) =>
    prepare(db, `select key from jobs indexed by ${index(name)} where ${isOwn} and ${where}`);
  const page = 'status = ?3 and key < ?4 order by key desc limit ?5';
  return {
    byStatus: keys('by_status', `generation = ?2 and ${page}`),
    byClient: keys('by_client', `generation = ?2 and client_id = ?6 and ${page}`),
    byName: keys('by_name', 'generation = ?2 and name = ?3 order by key desc limit ?4'),
    byBeginning: keys(
      'by_beginning',
      'id >= ?3 and id < ?3 || char(0x10ffff) and generation = ?2 order by id desc limit ?4',
    ),
    byEnd: keys(
      'by_end',
      `substr(id, -4) = substr(?3, -4) and substr(id, -length(?3)) = ?3 and generation = ?2
        order by key desc limit ?4`,
    ),
    ended: prepare(
      db,
      `select key, status, created_at, completed_at, task_count, completed, failed
        from jobs indexed by ${index('ended')}
        where ${isOwn} and generation = ?2 and completed_at >= ?3 and (completed_at, key) < (?4, ?5)
        order by completed_at desc, key desc limit ?6`,
    ),
  };
}

function newestKeys(rows: readonly Row[], limit: number): readonly number[] {
  return [...new Set(rows.map((row) => row[0] as number))].sort((a, b) => b - a).slice(0, limit);
}
