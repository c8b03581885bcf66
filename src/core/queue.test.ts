import { describe, expect, test } from 'vitest';
import { createJob } from './create/job.ts';
import { Queue } from './queue.ts';
import type { JobRecord, JobSpec } from './records.ts';
import { jobSpec } from './testing/job-spec.ts';

function job(key: number, given: Partial<JobSpec> = {}): JobRecord {
  return createJob(jobSpec({ id: `j${key}`, key, ...given }));
}

function addAll(queue: Queue, ...jobs: JobRecord[]): void {
  for (const { entries } of jobs) for (const entry of entries) queue.add(entry);
}

/** The entries of the only lane, in order. */
function order(queue: Queue): string[] {
  const [lane] = [...queue.lanes()];
  return lane!.entries
    .slice(lane!.head)
    .map(({ job: { spec }, priority }) => `${spec.id}:${priority}`);
}

describe('the queue', () => {
  test('keeps submission order, whatever the order in which entries come', () => {
    const queue = new Queue();
    addAll(queue, job(3), job(1, { priority: 9 }), job(2));
    expect(order(queue)).toEqual(['j1:9', 'j2:0', 'j3:0']);
  });

  test('sorts anew when the order changes, and back', () => {
    const queue = new Queue();
    addAll(
      queue,
      job(1),
      job(2, { priority: 5 }),
      job(3, { priority: 5 }),
      job(4, { priority: -1 }),
    );
    queue.setOrder('priority');
    expect(order(queue)).toEqual(['j2:5', 'j3:5', 'j1:0', 'j4:-1']);
    queue.setOrder('submission');
    expect(order(queue)).toEqual(['j1:0', 'j2:5', 'j3:5', 'j4:-1']);
  });

  test('puts an entry that comes back where it belongs', () => {
    const queue = new Queue();
    const [one, two, three] = [job(1), job(2), job(3)];
    addAll(queue, one, two, three);
    queue.remove(one.entries[0]!);
    queue.remove(two.entries[0]!);
    addAll(queue, two);
    expect(order(queue)).toEqual(['j2:0', 'j3:0']);
    addAll(queue, one);
    expect(order(queue)).toEqual(['j1:0', 'j2:0', 'j3:0']);
    expect(queue.first([...queue.lanes()][0]!)).toBe(one.entries[0]);
  });

  test('takes the smallest index of a job first in submission order, its priority in the other', () => {
    const queue = new Queue();
    const mixed = job(1, { taskCount: 3, taskPriorities: Int16Array.of(0, 7, 0) });
    addAll(queue, mixed, job(2, { priority: 3 }));
    const first = () => queue.first([...queue.lanes()][0]!)!.priority;
    expect(first()).toBe(0);
    mixed.entries[1]!.cursor = 1;
    expect(first()).toBe(7);
    mixed.entries[1]!.cursor = 0;
    queue.setOrder('priority');
    expect(order(queue)).toEqual(['j1:7', 'j2:3', 'j1:0']);
    expect(first()).toBe(7);
  });

  test('has a lane for each set of requirements, and none for nobody', () => {
    const queue = new Queue();
    const plain = job(1);
    const gpu = job(2, { requirements: { labels: { gpu: 'yes' } } });
    const alike = job(3, { requirements: { labels: { gpu: 'yes' } } });
    addAll(queue, plain, gpu, alike);
    expect([...queue.lanes()].map(({ entries }) => entries.length)).toEqual([1, 2]);
    queue.remove(plain.entries[0]!);
    expect([...queue.lanes()]).toHaveLength(1);
    queue.clear();
    expect(queue.isEmpty).toBe(true);
    expect([plain, gpu, alike].some(({ entries }) => entries[0]!.queued)).toBe(false);
  });

  test('stays in order while thousands are taken from its front', () => {
    const queue = new Queue();
    const jobs = Array.from({ length: 3000 }, (_, i) => job(i + 1));
    addAll(queue, ...jobs);
    for (let taken = 0; taken < 2900; taken++) {
      const entry = queue.first([...queue.lanes()][0]!)!;
      expect(entry).toBe(jobs[taken]!.entries[0]);
      queue.remove(entry);
    }
    addAll(queue, jobs[0]!);
    expect(order(queue)).toHaveLength(101);
    expect(order(queue)[0]).toBe('j1:0');
    // Entries that were taken are removed from the array in time.
    expect([...queue.lanes()][0]!.entries.length).toBeLessThan(2000);
  });
});
