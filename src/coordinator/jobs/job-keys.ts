// Keys for jobs. A key is handed out before its job is committed, and inputs are stored under it: so keys
// are reserved in the store before they are handed out, many at a time and ahead of need.

import type { Writing } from '../../store/writing.ts';

/** Those that are left when the coordinator ends are never used. */
const reservedInARow = 1000;

export class JobKeys {
  private readonly store: Pick<Writing, 'reserveJobKeys'>;
  private readonly ranges: { next: number; readonly end: number }[] = [];
  private left = 0;
  private reserving: Promise<void> | undefined;

  constructor(store: Pick<Writing, 'reserveJobKeys'>) {
    this.store = store;
  }

  /** Returns at once, unless more keys are needed than were reserved ahead. Throws `StoreFault`. */
  take(): number | Promise<number> {
    const key = this.takeReserved();
    if (this.left < reservedInARow / 2) void this.reserveAhead();
    return key ?? this.takeLater();
  }

  /** A failure is ignored here: the next `take` that needs a key meets it again. */
  async reserveAhead(): Promise<void> {
    await this.reserve().catch(() => undefined);
  }

  private takeReserved(): number | undefined {
    const range = this.ranges[0];
    if (range === undefined) return undefined;
    const key = range.next++;
    if (range.next === range.end) this.ranges.shift();
    this.left--;
    return key;
  }

  private async takeLater(): Promise<number> {
    for (;;) {
      await this.reserve();
      const key = this.takeReserved();
      if (key !== undefined) return key;
    }
  }

  private reserve(): Promise<void> {
    this.reserving ??= this.askStore().finally(() => {
      this.reserving = undefined;
    });
    return this.reserving;
  }

  private async askStore(): Promise<void> {
    const next = await this.store.reserveJobKeys(reservedInARow);
    this.ranges.push({ next, end: next + reservedInARow });
    this.left += reservedInARow;
  }
}
