// What both sides of a move have in common when they are files.

import type { DatabaseSync } from 'node:sqlite';
import type { MovedFacts, MovedTable } from '../../move/moved-tables.ts';
import type { Bounds, MoveSide, Page, Place } from '../../move/sides.ts';
import { asFault } from '../file/faults.ts';
import { fileAddress } from '../file/half-file.ts';
import { readFacts } from './facts.ts';
import { PageReader } from './page-reader.ts';

export abstract class FileSide implements MoveSide {
  readonly path: string;
  #reader: PageReader | undefined;

  constructor(path: string) {
    this.path = path;
  }

  get address(): string {
    return fileAddress(this.path);
  }

  get identity(): string {
    return this.address;
  }

  protected abstract get db(): DatabaseSync;

  async readFacts(): Promise<MovedFacts> {
    return this.attempt('read', () => readFacts(this.db));
  }

  /** In a turn of its own, so that what was read before can be worked on. */
  async readPage(table: MovedTable, after: Place | null, bounds: Bounds): Promise<Page> {
    await new Promise((resolve) => void setImmediate(resolve));
    return this.attempt('read', () => {
      this.#reader ??= new PageReader(this.db);
      return this.#reader.read(table, after, bounds);
    });
  }

  /** The file is locked for this process. */
  async confirm(): Promise<void> {}

  abstract close(): Promise<void>;

  protected attempt<T>(action: 'read' | 'write', work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw asFault(error, this.path, action);
    }
  }
}
