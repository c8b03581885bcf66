// Reads what was done, and by whom, from a memory disk.

import type { AuditFilter, AuditReading } from '../reading.ts';
import type { AuditRow } from '../rows.ts';
import type { OpenDisk } from './open-disk.ts';

export class MemoryAuditReading implements AuditReading {
  readonly #open: OpenDisk;

  constructor(open: OpenDisk) {
    this.#open = open;
  }

  async listAudit(
    { since = -Infinity, until = Infinity, ...same }: AuditFilter,
    beforeId: number | null,
    limit: number,
  ): Promise<readonly AuditRow[]> {
    const wanted = Object.entries(same);
    return this.#open.disk.audit
      .filter((row) => row.id < (beforeId ?? Infinity) && row.at >= since && row.at < until)
      .filter((row) => wanted.every(([name, value]) => row[name as keyof AuditRow] === value))
      .toReversed()
      .slice(0, limit);
  }
}
