// What a device has that is a page in a browser: final reports that outlive it, written a moment after it was told to
// keep them, and the mark of a proper closing. Who crashes loses what was not written, and leaves no mark.

import type { AttemptRef } from '../../protocol/messages.ts';
import type { AttemptKey } from '../../worker/executor.ts';
import type { KeptReport } from '../../worker/machine/machine.ts';
import { PageChecker } from '../checkers/page-checker.ts';
import type { Clock } from '../clock.ts';
import type { Coverage } from '../coverage.ts';
import type { Prng } from '../prng.ts';

export interface PageOptions {
  /** Of the device. */
  readonly name: string;
  readonly clock: Clock;
  /** Its own, so that other devices go as they would without it. */
  readonly prng: Prng;
  readonly count: Coverage['count'];
  readonly onBug: (error: Error) => void;
}

interface Stored {
  readonly report: KeptReport;
  readonly workerId: string | null;
}

/** How the next life of the page begins. */
export interface PageBegin {
  readonly kept: readonly KeptReport[];
  readonly heldBefore: readonly AttemptRef[];
}

export class Page {
  readonly checker: PageChecker;
  private readonly options: PageOptions;
  private readonly reports = new Map<AttemptKey, Stored>();
  private held: readonly AttemptRef[] = [];
  /** Changes on their way to the disk, in order. */
  private unwritten: (() => void)[] = [];

  constructor(options: PageOptions) {
    this.options = options;
    this.checker = new PageChecker(options.name, options.onBug);
  }

  /** Reports of another worker are of no use. What was held is told once. */
  open(workerId: string | null): PageBegin {
    const { count } = this.options;
    const stored = [...this.reports.values()];
    const kept = stored
      .filter((each) => workerId !== null && each.workerId === workerId)
      .map(({ report }) => report);
    const heldBefore = workerId === null ? [] : this.held;
    this.reports.clear();
    for (const report of kept) this.reports.set(report.key, { report, workerId });
    this.held = [];
    if (kept.length > 0) count('reports_of_before');
    if (heldBefore.length > 0) count('held_before');
    this.checker.opened(workerId, kept, heldBefore);
    return { kept, heldBefore };
  }

  keep(reports: readonly KeptReport[], workerId: string | null): void {
    this.options.count('reports_kept');
    this.checker.keeps(reports);
    this.write(() => {
      for (const report of reports) this.reports.set(report.key, { report, workerId });
    });
  }

  letGo(keys: readonly AttemptKey[]): void {
    this.checker.letsGo(keys);
    this.write(() => {
      for (const key of keys) this.reports.delete(key);
    });
  }

  /** Everything is written before the page is gone. */
  close(held: readonly AttemptRef[]): void {
    this.options.count('pages_closed');
    for (const change of this.unwritten.splice(0)) change();
    this.held = held;
    this.checker.ended();
  }

  crash(): void {
    this.unwritten = [];
    this.checker.ended();
  }

  private write(change: () => void): void {
    const { clock, prng } = this.options;
    this.unwritten.push(change);
    clock.after(prng.spread(1, 200), () => {
      // In order: what was told later is written later.
      const place = this.unwritten.indexOf(change);
      if (place >= 0) for (const each of this.unwritten.splice(0, place + 1)) each();
    });
  }
}
