// Reads what was done, and by whom.

import type { AuditFilter, AuditReading } from '../reading.ts';
import type { AuditRow } from '../rows.ts';
import type { Reader } from './driver/reader.ts';
import { listAudit } from './tables/audit-table.ts';

export class PostgresAuditReading implements AuditReading {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  async listAudit(
    filter: AuditFilter,
    beforeId: number | null,
    limit: number,
  ): Promise<readonly AuditRow[]> {
    return listAudit(this.#reader.query, filter, beforeId ?? Number.MAX_SAFE_INTEGER, limit);
  }
}
