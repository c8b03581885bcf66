// Reads who is told of ends of jobs, from a memory disk.

import type { DueWanted, NotificationReading } from '../reading.ts';
import type { DueNotification, NotificationRow } from '../rows.ts';
import type { OpenDisk } from './open-disk.ts';

type Open = NotificationRow & { readonly nextAt: number };

export class MemoryNotificationReading implements NotificationReading {
  readonly #open: OpenDisk;

  constructor(open: OpenDisk) {
    this.#open = open;
  }

  async listNotifications(jobKey: number, limit: number): Promise<readonly NotificationRow[]> {
    const rows = this.#rows().filter((row) => row.jobKey === jobKey);
    return rows.sort((a, b) => b.id - a.id).slice(0, limit);
  }

  async listDueNotifications(wanted: DueWanted): Promise<readonly DueNotification[]> {
    const { at, beyond, exceptIds, exceptHosts, limit } = wanted;
    const open = this.#rows()
      .filter((row): row is Open => row.nextAt !== null)
      .filter(({ id, host }) => !exceptIds.includes(id) && !exceptHosts.includes(host))
      .sort((a, b) => a.nextAt - b.nextAt || a.id - b.id);
    const due = open.filter(({ nextAt }) => nextAt <= at);
    const given = due.length > 0 ? due : open.filter(({ nextAt }) => nextAt > beyond);
    return given.slice(0, limit).map((row) => {
      const job = this.#open.see(row.jobKey)!.row;
      return { row, job: { ...job, spec: { ...job.spec, taskPriorities: null } } };
    });
  }

  async nextNotificationAt(at: number): Promise<number | null> {
    const later = this.#rows().flatMap(({ nextAt }) =>
      nextAt !== null && nextAt > at ? nextAt : [],
    );
    return later.length === 0 ? null : Math.min(...later);
  }

  /** Those that can be seen. */
  #rows(): NotificationRow[] {
    const rows = [...this.#open.disk.notifications.values()];
    return rows.filter(({ jobKey }) => this.#open.see(jobKey) !== undefined);
  }
}
