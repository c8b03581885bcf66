import { describe, expect, test } from 'vitest';
import { AttemptRing, type OverRow } from './attempt-ring.ts';

const admin = { id: 'job', owner: 'admin' };

function row(index: number, given: Partial<OverRow> = {}): OverRow {
  return {
    job: admin,
    index,
    attempt: 1,
    workerId: 'w',
    slot: 0,
    status: 'completed',
    assignedAt: 1_000 + index,
    startedAt: 1_001 + index,
    endedAt: 1_010 + index,
    progress: 1,
    resumedFrom: null,
    checkpoints: 0,
    errorType: null,
    ...given,
  };
}

const indices = (ring: AttemptRing, ...asked: Parameters<AttemptRing['find']>) =>
  ring.find(...asked).rows.map(({ index }) => index);

describe('the ring of attempts that are over', () => {
  test('gives back what was put in, newest first', () => {
    const ring = new AttemptRing(500);
    const failed = row(1, {
      slot: null,
      status: 'failed',
      startedAt: null,
      progress: 0.25,
      resumedFrom: { attempt: 1, progress: 0.2 },
      checkpoints: 3,
      errorType: 'RangeError',
      attempt: 2,
    });
    ring.add(row(0));
    ring.add(failed);
    expect(ring.find({}, 9)).toMatchObject({ rows: [failed, row(0)], count: 2 });
    expect(ring.find({}, 1)).toMatchObject({ rows: [failed], count: 2 });
    expect(ring.keptSince).toBe(500);
  });

  test('finds by job, worker, owner and time', () => {
    const ring = new AttemptRing(0);
    ring.add(row(0));
    ring.add(row(1, { job: { id: 'other', owner: 'ann' } }));
    ring.add(row(2, { workerId: 'v' }));
    expect(indices(ring, { jobId: 'job' }, 9)).toEqual([2, 0]);
    expect(indices(ring, { jobId: 'none' }, 9)).toEqual([]);
    expect(indices(ring, { workerId: 'w' }, 9)).toEqual([1, 0]);
    expect(indices(ring, { owner: 'ann' }, 9)).toEqual([1]);
    expect(indices(ring, { since: 1_011 }, 9)).toEqual([2, 1]);
    expect(indices(ring, { until: 1_001 }, 9)).toEqual([0]);
  });

  test('drops the oldest when there is too much, and says since when it is whole', () => {
    const ring = new AttemptRing(0, 500_000);
    for (let index = 0; index < 20_000; index++) ring.add(row(index));
    const { rows, count } = ring.find({}, 30_000);
    expect(count).toBeLessThan(6_000);
    expect(count).toBeGreaterThan(3_000);
    const oldest = rows.at(-1)!;
    expect(rows.map(({ index }) => index)).toEqual(
      Array.from({ length: count }, (_, place) => 19_999 - place),
    );
    expect(ring.keptSince).toBe(oldest.endedAt);
    expect(ring.find({ jobId: 'job' }, 0).count).toBe(count);
  });

  test('keeps fewer where texts are long and jobs are many', () => {
    const ring = new AttemptRing(0, 500_000);
    for (let index = 0; index < 20_000; index++) {
      const errorType = `${index}`.padEnd(200, 'x');
      ring.add(row(index, { job: { id: `job-${index}`, owner: 'admin' }, errorType }));
    }
    expect(ring.find({}, 0).count).toBeLessThan(1_100);
    expect(indices(ring, { jobId: 'job-0' }, 9)).toEqual([]);
    expect(indices(ring, { jobId: 'job-19999' }, 9)).toEqual([19_999]);
  });

  test('lets a hundred thousand attempts be there', () => {
    const ring = new AttemptRing(0);
    for (let index = 0; index < 150_000; index++) ring.add(row(index));
    expect(ring.find({}, 0).count).toBeGreaterThan(100_000);
  });

  test('gives out what was given up and has come back, once', () => {
    const ring = new AttemptRing(0);
    const lost = row(0, { status: 'lost', errorType: 'worker_lost' });
    ring.add(lost);
    ring.add(row(1));
    expect(ring.take('job', 1, 1)).toBeUndefined();
    expect(ring.take('none', 0, 1)).toBeUndefined();
    expect(ring.take('job', 0, 1)).toMatchObject(lost);
    expect(ring.take('job', 0, 1)).toBeUndefined();
    expect(indices(ring, {}, 9)).toEqual([1]);
  });

  test('forgets a job that was removed, and everything when all is cleared', () => {
    const ring = new AttemptRing(0);
    ring.add(row(0));
    ring.add(row(1, { job: { id: 'other', owner: 'ann' } }));
    ring.forgetJob('job');
    ring.forgetJob('none');
    expect(indices(ring, {}, 9)).toEqual([1]);
    ring.clear(2_000);
    expect([indices(ring, {}, 9), ring.keptSince]).toEqual([[], 2_000]);
  });
});
