import { expect, test } from 'vitest';
import type { DueWanted } from '../reading.ts';
import { batch, jobRow, notificationRow, startAt } from './rows.ts';
import type { StoreBench } from './store-bench.ts';

const later = startAt + 60_000;
const anything: DueWanted = {
  at: later,
  beyond: Infinity,
  exceptIds: [],
  exceptHosts: [],
  limit: 9,
};

export function notificationCases(bench: StoreBench): void {
  const due = async (wanted: Partial<DueWanted> = {}) =>
    (await bench.store.listDueNotifications({ ...anything, ...wanted })).map(({ row }) => row.id);

  test('gives the notifications that are due, longest due first, with their job', async () => {
    const notify = [{ url: 'https://example.org/', host: 'example.org', on: [], secret: 's' }];
    await bench.store.commit(
      batch({
        jobs: [jobRow(1, { notify, taskPriorities: Int16Array.of(1) })],
        notifications: [
          notificationRow(3, 1),
          notificationRow(1, 1),
          notificationRow(4, 1, { nextAt: later + 1 }),
          notificationRow(2, 1, { nextAt: null, outcome: 'delivered' }),
        ],
      }),
      startAt,
    );
    expect(await bench.store.listDueNotifications(anything)).toEqual([
      { row: notificationRow(1, 1), job: jobRow(1, { notify }) },
      { row: notificationRow(3, 1), job: jobRow(1, { notify }) },
    ]);
    expect(await bench.store.nextNotificationAt(startAt + 1_000)).toBe(startAt + 3_000);
    expect(await bench.store.nextNotificationAt(later)).toBe(later + 1);
    expect(await bench.store.nextNotificationAt(later + 1)).toBeNull();
  });

  test('leaves out what is asked to be left out, before it counts', async () => {
    const notifications = [
      notificationRow(1, 1),
      notificationRow(2, 1, { host: 'busy.example' }),
      notificationRow(3, 1),
    ];
    await bench.store.commit(batch({ jobs: [jobRow(1)], notifications }), startAt);
    expect(await due({ exceptIds: [1], limit: 1 })).toEqual([2]);
    expect(await due({ exceptIds: [1], exceptHosts: ['busy.example'], limit: 1 })).toEqual([3]);
    expect(await due({ exceptHosts: ['busy.example', 'example.org'] })).toEqual([]);
  });

  test('finds those of other hosts behind any number of those of busy ones', async () => {
    const busy = Array.from({ length: 1100 }, (_, index) =>
      notificationRow(index + 1, 1, { host: index % 2 === 0 ? 'a.example' : 'z.example' }),
    );
    const others = [
      notificationRow(1101, 1, { host: 'm.example', nextAt: later }),
      notificationRow(1102, 1, { host: 'b.example', nextAt: later }),
      notificationRow(1103, 1, { host: 'm.example', nextAt: later + 1 }),
    ];
    const notifications = [...busy, ...others];
    await bench.store.commit(batch({ jobs: [jobRow(1)], notifications }), startAt);
    const exceptHosts = ['a.example', 'z.example'];
    expect(await due({ exceptHosts, exceptIds: [1, 2] })).toEqual([1101, 1102]);
    expect(await due({ exceptHosts, exceptIds: [1101], limit: 1 })).toEqual([1102]);
    const long = { at: 0, beyond: 0, exceptHosts };
    expect(await due(long)).toEqual([1101, 1102, 1103]);
    expect(await due({ exceptHosts: [...exceptHosts, 'm.example', 'b.example'] })).toEqual([]);
  });

  test('takes what waits for longer than anybody for due, when nothing else is', async () => {
    const far = { nextAt: later + 9_000 };
    const notifications = [notificationRow(1, 1, far), notificationRow(2, 1)];
    await bench.store.commit(batch({ jobs: [jobRow(1)], notifications }), startAt);
    expect(await due({ beyond: later + 8_999 })).toEqual([2]);
    expect(await due({ beyond: later + 8_999, exceptIds: [2] })).toEqual([1]);
    expect(await due({ beyond: later + 9_000, exceptIds: [2] })).toEqual([]);
  });

  test('replaces a notification by what came of it', async () => {
    const jobs = [jobRow(1)];
    await bench.store.commit(batch({ jobs, notifications: [notificationRow(1, 1)] }), startAt);
    const told = notificationRow(1, 1, { attempts: 1, outcome: 'delivered', nextAt: null });
    await bench.store.commit(batch({ sequence: 2, notifications: [told] }), startAt);
    expect(await bench.store.listNotifications(1, 9)).toEqual([told]);
    expect(await due()).toEqual([]);
  });

  test('nobody is told of a job that was deleted, also by what comes after', async () => {
    const jobs = [jobRow(1), jobRow(2)];
    const notifications = [notificationRow(1, 1), notificationRow(2, 2)];
    await bench.store.commit(batch({ jobs, notifications }), startAt);
    await bench.store.commit(batch({ sequence: 2, deletedJobs: [1] }), startAt);
    const late = [notificationRow(1, 1, { attempts: 1 }), notificationRow(3, 1)];
    await bench.store.commit(batch({ sequence: 3, notifications: late }), startAt);
    expect(await due()).toEqual([2]);
    expect(await bench.store.listNotifications(1, 9)).toEqual([]);
    while (await bench.store.sweep(100));
    expect(await due()).toEqual([2]);
    await bench.reopen();
    expect((await bench.store.load()).nextNotificationId).toBe(3);
    await bench.store.commit(batch({ sequence: 4, generation: 2 }), startAt);
    expect([await due(), await bench.store.nextNotificationAt(0)]).toEqual([[], null]);
  });
}
