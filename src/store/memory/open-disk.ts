// A memory disk as it is seen by the store that has it open. Opening a disk shuts out the store that had it
// open before, as a crash does; a shared one is open to all who share it.

import type { WorkerRow } from '../rows.ts';
import { StoreFault } from '../store.ts';
import type { JobFolder, MemoryDisk } from './memory-disk.ts';

interface Whose {
  readonly jobKey?: number | undefined;
  readonly owner?: string | undefined;
}

export class OpenDisk {
  readonly #disk: MemoryDisk;
  readonly #opened: number | undefined;
  #isClosed = false;

  constructor(disk: MemoryDisk, isShared = false) {
    this.#disk = disk;
    this.#opened = isShared ? undefined : ++disk.opened;
  }

  get disk(): MemoryDisk {
    const isShutOut = this.#opened !== undefined && this.#disk.opened !== this.#opened;
    if (this.#isClosed || isShutOut) {
      throw new StoreFault('store_closed', 'The store is closed.');
    }
    return this.#disk;
  }

  /** The job, or undefined when it cannot be seen. */
  see(jobKey: number | undefined): JobFolder | undefined {
    const { jobs, generation } = this.disk;
    const folder = jobKey === undefined ? undefined : jobs.get(jobKey);
    return folder?.row.spec.generation === generation ? folder : undefined;
  }

  /** A worker of this generation, deregistered or not. */
  worker(id: string): WorkerRow | undefined {
    const { workers, generation } = this.disk;
    const row = workers.get(id);
    return row?.generation === generation ? row : undefined;
  }

  /** All jobs that can be seen, those of an owner, or the given one if it can. */
  folders({ jobKey, owner }: Whose = {}): JobFolder[] {
    const { jobs, generation } = this.disk;
    return [...jobs.values()].filter(
      ({ row: { spec } }) =>
        spec.generation === generation &&
        (jobKey === undefined || spec.key === jobKey) &&
        (owner === undefined || spec.owner === owner),
    );
  }

  close(): void {
    this.#isClosed = true;
  }
}
