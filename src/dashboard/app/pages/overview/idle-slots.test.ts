import { expect, test } from 'vitest';
import type { JobHead } from '../../store/cluster.ts';
import { roomOf } from '../../store/presence.ts';
import { idleSlots } from './idle-slots.ts';
import { countsOf, jobOf, workerOf } from './testing/cluster-facts.ts';

const asking = (labels: Readonly<Record<string, string>>, pending: number) =>
  jobOf({
    counts: countsOf({ pending }),
    options: { requirements: { labels } } as unknown as NonNullable<JobHead['options']>,
  });
const shut = { since: null, deadline: null };
const lab = workerOf({ slots: 8, active_tasks: 8, labels: { site: 'lab' } });
const other = workerOf({ slots: 16, active_tasks: 0 });
const waiting = asking({ site: 'lab' }, 4_000);

test('slots that no open job may use are told with what the jobs require', () => {
  expect(idleSlots([lab, other], [waiting, asking({ gpu: 'yes' }, 200)])).toBe(
    '16 slots are idle while 4\u202f200 tasks wait: 16 no open job may use (they require site=lab or gpu=yes).',
  );
});

test('a rest and a quarantine count by themselves; what is out of service is no slot', () => {
  const workers = [
    other,
    workerOf({ slots: 2, active_tasks: 0, rests_because: 'charging' }),
    workerOf({ slots: 1, active_tasks: 0, status: 'quarantined' }),
    workerOf({ slots: 3, active_tasks: 1, status: 'draining', draining: shut }),
    { ...lab, active_tasks: 7 },
    workerOf({ slots: 9, active_tasks: 0, status: 'offline' }),
  ];
  expect(idleSlots(workers, [waiting])).toBe(
    '20 slots are idle while 4\u202f000 tasks wait: 16 no open job may use (they require site=lab), 2 rest, 1 is in quarantine and 1 is free for them. 2 more are out of service.',
  );
  // Beside the sum of slots, of which so many are at work.
  const { slots, taken } = roomOf(workers);
  expect(slots - taken).toBe(20);
});

test('without waiting tasks, or when what is free is about to be taken, there is nothing to say', () => {
  expect(idleSlots([other], null)).toBeNull();
  expect(idleSlots([other], [asking({ site: 'lab' }, 0)])).toBeNull();
  expect(idleSlots([other], [{ ...waiting, held_since: '2026-05-04T11:00:00.000Z' }])).toBeNull();
  expect(idleSlots([other], [jobOf()])).toBeNull();
  expect(idleSlots([{ ...lab, active_tasks: 2 }], [waiting])).toBeNull();
});
