import { expect, test } from 'vitest';
import type { Worker } from '../../store/cluster.ts';
import { aWorker, before, nowMs } from './testing.ts';
import { reasonOf } from './worker-reason.ts';

const all = { completed: 1_000, failed: 1 };
const reason = (
  differs: Partial<Worker>,
  quarantinedUntil: string | null = null,
  isOwnDrain = false,
) => reasonOf({ worker: aWorker(differs), all, quarantinedUntil, nowMs, isOwnDrain });

test('a quarantine tells until when, and what ends it', () => {
  const { title, text, isTrouble } = reason({ status: 'quarantined' }, before(-45));
  expect(title).toBe('It fails what succeeds elsewhere');
  expect(text).toMatch(/gets nothing until .+, then one task as a probe\..*trusted again/);
  expect(isTrouble).toBe(true);
});

test('after its pause a quarantined worker is probed', () => {
  expect(reason({ status: 'quarantined' }, before(1)).text).toContain(
    'It gets one task as a probe.',
  );
});

test('one that waits is told with its link and its end', () => {
  const { text } = reason({
    status: 'waiting',
    waits_until: before(-600),
    joined_by: { token_id: 'x', label: 'open day' },
  });
  expect(text).toContain('It came by the link "open day".');
  expect(text).toContain('Without an answer it is removed at');
});

test('a silence tells when it counts as lost', () => {
  expect(reason({ last_heartbeat: before(9) }).text).toContain('In 6\u202fs it counts as lost');
});

test('a refusal gives the words of the worker', () => {
  const refusing = { offers: 3, until: before(-20), reason: 'no room on the disk' };
  expect(reason({ refusing }).text).toContain('It says: no room on the disk.');
});

test('a rest is told with its present reason and the age of that, and is no trouble', () => {
  const { title, text, isTrouble } = reason({ rests_because: 'charging', rests_since: before(90) });
  expect(title).toBe('It rests: only while charging');
  expect(text).toContain('it said so 1\u202fs ago');
  expect(isTrouble).toBe(false);
});

test('a drain counts what is left', () => {
  const draining = { since: before(5), deadline: null };
  const { title, text } = reason({ draining, active_tasks: 1 });
  expect(title).toBe('It takes nothing new');
  expect(text).toMatch(/^Somebody drained it at .+ 1 task is left.+Then it is out of service\.$/);
});

test('what is out of service says since when, by whom, and why if it failed', () => {
  const draining = { since: before(5), deadline: null };
  const { title, text } = reason({ draining });
  expect(title).toMatch(/^It is out of service since \d/);
  expect(text).toMatch(
    /^Somebody drained it at .+\. Nothing was given to it since, and nothing is/,
  );
  const failed = reason({ draining, total_failed: 10 }, null, true).text;
  expect(failed).toMatch(/^You drained it at .+ All 10 attempts failed here\.$/);
  const unknown = reason({ draining: { since: null, deadline: null } });
  expect(unknown.title).toBe('It is out of service');
  expect(unknown.text).toMatch(/^Somebody drained it\. /);
});

test('a quarantine counts what failed of all', () => {
  expect(reason({ status: 'quarantined', total_failed: 10 }).text).toMatch(
    /^All 10 attempts failed here, and others completed the same tasks\./,
  );
  expect(reason({ status: 'quarantined', total_failed: 3, total_completed: 9 }).text).toMatch(
    /^3 of 12 attempts failed here, and others/,
  );
});

test('free slots are counted', () => {
  expect(reason({}).text).toMatch(/^All 4 slots are free/);
  expect(reason({ active_tasks: 3 }).text).toMatch(/^1 slot of 4 is free/);
  expect(reason({ status: 'busy', active_tasks: 4 }).text).toBe('All of its 4 slots are taken.');
});

test('one that is away is told with when it was heard', () => {
  const { text, isTrouble } = reason({ status: 'offline', last_heartbeat: before(600) });
  expect(text).toContain('last heard 10\u202fmin ago');
  expect(isTrouble).toBe(false);
});
