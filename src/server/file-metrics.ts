// What `/metrics` tells of the files of the store. A database on a server has none here, and its disk is not ours.

import { Gauge, type Registry } from 'prom-client';

export interface StoreFiles {
  readonly storeBytes: number;
  readonly logBytes: number;
  /** On the disk of the store. */
  readonly freeBytes: number;
}

export class FileMetrics {
  readonly #files: () => StoreFiles;
  readonly #store: Gauge;
  readonly #log: Gauge;
  readonly #free: Gauge;

  constructor(registry: Registry, files: () => StoreFiles) {
    this.#files = files;
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
    this.#store = gauge('muster_store_bytes', 'Size of the database file');
    this.#log = gauge('muster_store_log_bytes', "Size of the database's log");
    this.#free = gauge('muster_disk_free_bytes', 'Free space on the disk of the database');
  }

  /** Before they are told. */
  set(): void {
    const { storeBytes, logBytes, freeBytes } = this.#files();
    this.#store.set(storeBytes);
    this.#log.set(logBytes);
    this.#free.set(freeBytes);
  }
}
