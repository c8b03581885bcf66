import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fillHistory, planHistory } from './throughput-history.ts';

const now = Date.parse('2026-05-04T10:00:03.500Z');
const at = (time: string) => Date.parse(`2026-05-04T${time}Z`);

describe('a plan', () => {
  test('is the last hour in buckets of 10 seconds, the current one included', () => {
    expect(planHistory({ now })).toEqual({
      bucketSeconds: 10,
      from: at('09:00:10'),
      to: at('10:00:10'),
    });
  });

  test('begins with the bucket that `since` lies in', () => {
    expect(planHistory({ now, since: at('09:59:51.999') })).toEqual({
      bucketSeconds: 10,
      from: at('09:59:50'),
      to: at('10:00:10'),
    });
    const past = { now, since: at('08:00:00'), until: at('08:00:20') };
    expect(planHistory(past)).toEqual({
      bucketSeconds: 10,
      from: at('08:00:00'),
      to: at('08:00:20'),
    });
    expect(planHistory({ now, since: at('09:59:59'), bucketSeconds: 1 })).toEqual({
      bucketSeconds: 1,
      from: at('09:59:59'),
      to: at('10:00:04'),
    });
  });

  test('of a day has buckets of a minute: 44 seconds would do, and one minute is round', () => {
    const day = { now, since: now - 86_400_000 };
    expect(planHistory(day).bucketSeconds).toBe(60);
    expect(planHistory({ ...day, bucketSeconds: 1 }).bucketSeconds).toBe(60);
    expect(planHistory({ ...day, bucketSeconds: 300 }).bucketSeconds).toBe(300);
  });

  test('of seconds without `since` is the newest 2 000 of the hour', () => {
    const plan = planHistory({ now, bucketSeconds: 1 });
    expect(plan.bucketSeconds).toBe(1);
    expect((plan.to - plan.from) / 1000).toBe(2_000);
  });

  test('rounds the length of a bucket up to whole seconds', () => {
    expect(planHistory({ now, bucketSeconds: 0.1 }).bucketSeconds).toBe(1);
    expect(planHistory({ now, bucketSeconds: 2.5 }).bucketSeconds).toBe(3);
  });

  test('of a future has the current bucket only', () => {
    const plan = planHistory({ now, since: now + 1e9 });
    expect([plan.from, plan.to]).toEqual([at('10:00:00'), at('10:00:10')]);
  });

  test('has 1 to 2 000 whole buckets, and now is in the last of them', () => {
    const sinceOrNot = fc.option(fc.integer({ min: -1e12, max: now + 1e6 }), { nil: undefined });
    const bucketOrNot = fc.option(fc.double({ min: 0.1, max: 4e7, noNaN: true }), {
      nil: undefined,
    });
    fc.assert(
      fc.property(sinceOrNot, bucketOrNot, (since, bucketSeconds) => {
        const plan = planHistory({
          now,
          ...(since === undefined ? {} : { since }),
          ...(bucketSeconds === undefined ? {} : { bucketSeconds }),
        });
        const bucketMs = plan.bucketSeconds * 1000;
        const count = (plan.to - plan.from) / bucketMs;
        expect(Number.isInteger(count) && count >= 1 && count <= 2_000).toBe(true);
        expect(plan.from % bucketMs).toBe(0);
        expect(plan.to > now && plan.to - bucketMs <= now).toBe(true);
        if (since !== undefined) expect(plan.from).toBeLessThanOrEqual(Math.max(since, 0));
        expect(plan.bucketSeconds).toBeGreaterThanOrEqual(bucketSeconds ?? 10);
        expect(fillHistory(plan, [])).toHaveLength(count);
      }),
    );
  });
});

test('buckets without counts are 0', () => {
  const plan = { bucketSeconds: 10, from: at('09:59:40'), to: at('10:00:10') };
  const counts = [{ at: at('09:59:50'), completed: 25, failed: 2 }];
  expect(fillHistory(plan, counts)).toEqual([
    { at: at('09:59:40'), tasksCompleted: 0, tasksFailed: 0, throughput: 0 },
    { at: at('09:59:50'), tasksCompleted: 25, tasksFailed: 2, throughput: 2.5 },
    { at: at('10:00:00'), tasksCompleted: 0, tasksFailed: 0, throughput: 0 },
  ]);
});
