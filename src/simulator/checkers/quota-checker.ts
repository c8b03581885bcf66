// Checks what quotas are measured by: how much each owner has open, and keeps, is what the disk has of it, whatever
// was ended, removed or lost in between.

import { adminOwner, countersOf } from '../../core/owner.ts';
import type { State } from '../../core/state.ts';
import type { JobFolder, MemoryDisk } from '../../store/memory/memory-disk.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { visibleJobs } from './disk-view.ts';

export class QuotaChecker {
  private readonly disk: MemoryDisk;

  constructor(disk: MemoryDisk) {
    this.disk = disk;
  }

  /** After every batch, by the rows of the jobs. */
  check(state: State): void {
    const byOwner = Map.groupBy(visibleJobs(this.disk), ({ row }) => row.spec.owner);
    for (const owner of new Set([adminOwner, ...state.ownerCounters.keys(), ...byOwner.keys()])) {
      const folders = byOwner.get(owner) ?? [];
      const counted = countersOf(state, owner);
      const open = sum(folders, openTasks);
      if (counted.openTasks !== open) {
        throw new BrokenPromise(
          `${owner} has ${open} tasks that have not ended, counted are ${counted.openTasks}.`,
        );
      }
      const kept = sum(folders, ({ row }) => row.storedBytes);
      if (counted.storedBytes === kept) continue;
      throw new BrokenPromise(
        `The jobs of ${owner} keep ${kept} bytes, counted are ${counted.storedBytes}.`,
      );
    }
  }

  /** After healing, by what is really there. */
  judge(): void {
    for (const folder of visibleJobs(this.disk)) {
      const { spec, storedBytes } = folder.row;
      const kept = spec.owner === adminOwner ? 0 : this.bytesOf(folder);
      if (kept === storedBytes) continue;
      throw new BrokenPromise(`Job ${spec.id} keeps ${kept} bytes, its row says ${storedBytes}.`);
    }
  }

  private bytesOf({ programSha256, inputs, tasks }: JobFolder): number {
    const program = this.disk.programs.get(programSha256 ?? '')!.text.json;
    const { source } = JSON.parse(program) as { source: string };
    const results = sum([...tasks.values()], ({ resultJson }) => resultJson?.length ?? 0);
    return source.length + sum(inputs, (input) => input.length) + results;
  }
}

function openTasks({ row }: JobFolder): number {
  return row.spec.taskCount - row.completed - row.failed - row.cancelled;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
