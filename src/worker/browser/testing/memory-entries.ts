// Plays the database of a browser, as well as one that fails or does not answer.

import type { KeptEntries } from '../kept-entries.ts';

export class MemoryEntries implements KeptEntries {
  readonly entries = new Map<string, unknown>();
  /** The changes of each writing, in order. */
  readonly written: ReadonlyMap<string, unknown>[] = [];
  onLost = (): void => {};
  mood: 'well' | 'fails' | 'silent' = 'well';

  async readAll(): Promise<ReadonlyMap<string, unknown>> {
    await this.#answer();
    return structuredClone(this.entries);
  }

  async write(changes: ReadonlyMap<string, unknown>): Promise<void> {
    const copy = structuredClone(changes);
    await this.#answer();
    this.written.push(copy);
    for (const [key, value] of copy) {
      if (value === undefined) this.entries.delete(key);
      else this.entries.set(key, value);
    }
  }

  async clear(): Promise<void> {
    await this.#answer();
    this.entries.clear();
  }

  #answer(): Promise<void> {
    if (this.mood === 'fails') return Promise.reject(new Error('no'));
    return this.mood === 'silent' ? new Promise(() => {}) : Promise.resolve();
  }
}
