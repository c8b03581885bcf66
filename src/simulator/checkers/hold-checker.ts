// Checks by committed events that a job which is held starts nothing: neither fresh tasks, nor retries and
// resumptions, nor copies; also when the coordinator was restarted meanwhile.

import type { ToldEvent } from '../../core/told-events.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { visibleJobs } from './disk-view.ts';

export class HoldChecker {
  private readonly disk: MemoryDisk;
  private readonly held = new Set<string>();

  constructor(disk: MemoryDisk) {
    this.disk = disk;
  }

  /** Called with committed events, in order. */
  observe(event: ToldEvent): void {
    switch (event.type) {
      case 'job_submitted':
        if (event.spec.hold) this.held.add(event.spec.id);
        return;
      case 'job_held':
        this.held.add(event.job.spec.id);
        return;
      case 'job_released':
      case 'job_finished':
      case 'job_deleted':
        this.held.delete(event.job.spec.id);
        return;
      case 'task_assigned': {
        const { id } = event.job.spec;
        if (this.held.has(id))
          throw new BrokenPromise(`Job ${id} is held, and a task of it begins.`);
        return;
      }
      case 'database_cleared':
        this.held.clear();
        return;
      default:
        return;
    }
  }

  /** After a crash: what is held is stored. */
  resume(): void {
    this.held.clear();
    for (const { row } of visibleJobs(this.disk)) {
      if (row.heldAt !== null) this.held.add(row.spec.id);
    }
  }
}
