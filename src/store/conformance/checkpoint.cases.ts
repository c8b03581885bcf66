// Checkpoints: their rows stay with the job, their states as long as somebody may resume from them.

import { expect, test } from 'vitest';
import type { CheckpointState } from '../../core/commands.ts';
import type { Store } from '../store.ts';
import type { StoreBench } from './store-bench.ts';
import { batch, completedRow, jobRow, newCheckpoint, startAt, taskRow } from './rows.ts';
import { visitTasks } from './visiting.ts';

const states: readonly CheckpointState[] = [
  { encoding: 'json', text: '{"é":"\\u0000 🦊"}' },
  { encoding: 'gzip', bytes: Uint8Array.of(0, 31, 139, 255) },
  { encoding: 'gzip', bytes: new Uint8Array(2 ** 20).fill(7) },
  { encoding: 'blob', blobSha256: 'ab'.repeat(32) },
  { encoding: 'json', text: 'null' },
];

export function checkpointCases(bench: StoreBench): void {
  test('gives back a state as it came, and none that was dropped or never was', async () => {
    const checkpoints = states.map((state, i) => newCheckpoint(i + 1, 1, { index: i }, state));
    await bench.store.commit(batch({ jobs: [jobRow(1)], checkpoints }), startAt);
    const reopened = await bench.reopen();
    for (const [i, state] of states.entries()) {
      expect(await reopened.readCheckpointState(i + 1)).toEqual(state);
    }
    await reopened.commit(batch({ sequence: 2, droppedStates: [2, 4, 99] }), startAt);
    const kept = await Promise.all([1, 2, 3, 4, 99].map((id) => reopened.readCheckpointState(id)));
    expect(kept.map((state) => state?.encoding)).toEqual([
      'json',
      undefined,
      'gzip',
      undefined,
      undefined,
    ]);
  });

  test('lists the checkpoints of a job oldest first, dropped states included', async () => {
    const { store } = bench;
    const checkpoints = [1, 2, 4, 7, 9].map((id) => newCheckpoint(id, id === 4 ? 2 : 1));
    await store.commit(batch({ jobs: [jobRow(1), jobRow(2)], checkpoints }), startAt);
    await store.commit(batch({ sequence: 2, droppedStates: [1, 2] }), startAt);
    const ids = async (...asked: Parameters<Store['listCheckpoints']>) =>
      (await store.listCheckpoints(...asked)).map((row) => row.id);
    expect(await ids(1, null, 9)).toEqual([1, 2, 7, 9]);
    expect(await ids(1, 1, 2)).toEqual([2, 7]);
    expect(await ids(1, 9, 2)).toEqual([]);
    expect(await ids(3, null, 9)).toEqual([]);
    expect(await store.listCheckpoints(2, null, 1)).toEqual([checkpoints[2]?.row]);
  });

  test('a batch may take a checkpoint and drop its state', async () => {
    const { store } = bench;
    const checkpoints = [newCheckpoint(1, 1, {}, null), newCheckpoint(2, 1), newCheckpoint(3, 1)];
    const tasks = [taskRow(1, 0)];
    const rows = { jobs: [jobRow(1)], tasks, checkpoints, droppedStates: [1, 2] };
    await store.commit(batch(rows), startAt);
    expect(await store.listCheckpoints(1, null, 9)).toHaveLength(3);
    const found = await visitTasks(store, [{ jobKey: 1, index: 0 }]);
    expect(found[0]?.checkpoints).toEqual([checkpoints[2]?.row]);
  });

  test('reads tasks with the checkpoints whose state is kept, oldest first', async () => {
    const { store } = bench;
    const at = (id: number, jobKey: number, index: number) =>
      newCheckpoint(id, jobKey, { index, attempt: id });
    const checkpoints = [at(1, 1, 3), at(2, 1, 0), at(3, 2, 3), at(4, 1, 3), at(5, 1, 3)];
    const tasks = [
      taskRow(1, 0, { status: 'pending', token: null, attempt: 2 }),
      taskRow(1, 3),
      taskRow(1, 4),
      completedRow(1, 5),
      taskRow(2, 3),
      taskRow(3, 3),
    ];
    const jobs = [jobRow(1), jobRow(2), jobRow(3)];
    await store.commit(batch({ jobs, tasks, checkpoints }), startAt);
    await store.commit(batch({ sequence: 2, droppedStates: [1] }), startAt);

    const idsOf = (found: readonly { checkpoints: readonly { id: number; jobId: string }[] }[]) =>
      found.map((task) => task.checkpoints.map(({ id, jobId }) => `${id} ${jobId}`).join());
    const reopened = await bench.reopen();
    const asked = tasks.map(({ jobKey, index }) => ({ jobKey, index })).toReversed();
    expect(idsOf(await visitTasks(reopened, asked))).toEqual([
      '',
      '3 job-2',
      '',
      '',
      '4 job-1,5 job-1',
      '2 job-1',
    ]);
    expect(idsOf(await reopened.listTasksByStatus(1, 'assigned', 0, 9))).toEqual([
      '4 job-1,5 job-1',
      '',
    ]);
    const loaded = await reopened.load();
    expect(idsOf(loaded.tasks)).toEqual(['2 job-1', '4 job-1,5 job-1', '', '3 job-2', '']);
    expect(loaded.tasks[0]?.checkpoints).toEqual([checkpoints[1]?.row]);
    expect(loaded.nextCheckpointId).toBe(6);
  });

  test('sums checkpoints of a period, dropped states included', async () => {
    const { store } = bench;
    const checkpoints = [1, 2, 3, 4].map((id) => newCheckpoint(id, id % 2));
    const jobs = [jobRow(0), jobRow(1)];
    await store.commit(batch({ jobs, checkpoints, droppedStates: [1, 3] }), startAt);
    expect(await store.sumCheckpoints({})).toEqual({ count: 4, storedBytes: 410 });
    const since = startAt + 3_000;
    expect(await store.sumCheckpoints({ since })).toEqual({ count: 2, storedBytes: 207 });
    expect(await store.sumCheckpoints({ until: since })).toEqual({ count: 2, storedBytes: 203 });
    expect(await store.sumCheckpoints({ since, jobKey: 0 })).toEqual({
      count: 1,
      storedBytes: 104,
    });
  });
}
