// Reads what was done, and by whom: window by window, since few of many entries may be wanted.

import type { AuditFilter, AuditReading } from '../reading.ts';
import type { AuditRow } from '../rows.ts';
import type { Connection } from './connection.ts';
import type { Tables } from './tables/tables.ts';
import { Turns } from '../turns.ts';

const windowRows = 2_000;

export class SqliteAuditReading implements AuditReading {
  readonly #connection: Connection;
  readonly #tables: Tables;

  constructor(connection: Connection, tables: Tables) {
    this.#connection = connection;
    this.#tables = tables;
  }

  async listAudit(
    filter: AuditFilter,
    beforeId: number | null,
    limit: number,
  ): Promise<readonly AuditRow[]> {
    const { audit } = this.#tables;
    const connection = this.#connection;
    const turns = new Turns();
    const found: AuditRow[] = [];
    const end = (await connection.read(() => audit.newestId())) + 1;
    for (let before = Math.min(beforeId ?? end, end); before > 1 && found.length < limit; ) {
      const from = Math.max(1, before - windowRows);
      const left = limit - found.length;
      found.push(...(await connection.read(() => audit.list(filter, from, before, left))));
      before = from;
      await turns.rest();
    }
    return found;
  }
}
