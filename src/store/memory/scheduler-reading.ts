// Reads how the scheduler was configured, from a memory disk.

import type { SchedulerConfig } from '../../core/snapshot.ts';
import type { SchedulerReading } from '../reading.ts';
import type { OpenDisk } from './open-disk.ts';

export class MemorySchedulerReading implements SchedulerReading {
  readonly #open: OpenDisk;

  constructor(open: OpenDisk) {
    this.#open = open;
  }

  async listSchedulerChanges(limit: number): Promise<readonly SchedulerConfig[]> {
    return this.#open.disk.schedulerChanges.toReversed().slice(0, limit);
  }
}
