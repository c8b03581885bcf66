// How jobs come in: at once or as a stream, visible as a whole or not at all.

import { describe, expect, test } from 'vitest';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';

async function jobIds(cluster: VirtualCluster): Promise<string[]> {
  const pages = await cluster.answer(Array.fromAsync(cluster.coordinator.reads.jobs({})));
  return pages.flat().map(({ id }) => id);
}

describe('a submission', () => {
  test('with many inputs leaves none of them behind when its key cannot be read', async () => {
    const cluster = await VirtualCluster.start({ onError: () => undefined });
    const readVisitors = () => Promise.reject(new Error('a damaged page'));
    cluster.gate.override({ readVisitors });
    const inputs = { type: 'list', inputs: Array.from({ length: 1001 }, String) } as const;
    const key = { key: 'k', bodyHash: 'h' };
    const asked = cluster.coordinator.submissions.submit(submission({}), inputs, key);
    await expect(cluster.answer(asked)).rejects.toThrow('a damaged page');
    await cluster.advance(1000);
    expect(cluster.disk.staged.size).toBe(0);
  });

  test('is answered with the job', async () => {
    const cluster = await VirtualCluster.start();
    const given = { name: 'pi', clientId: 'lab', priority: 3 };
    expect(await cluster.submit('j', [1, 2], given)).toEqual({
      id: 'j',
      name: 'pi',
      status: 'pending',
      task_count: 2,
      created_at: '1970-01-01T00:00:00.000Z',
      completed_at: null,
      held_since: null,
      client_id: 'lab',
    });
  });

  test('hands its inputs and its program to the workers as they are', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 2 });
    await cluster.submit('j', [{ deep: [1, null] }, 'text'], { attemptTimeoutMs: 2500 });
    const [assign] = worker.takeOnly('assign');
    expect(assign?.programs).toEqual({
      j: {
        program: {
          kind: 'javascript',
          sha256: '73d4e24e08d096378274dd62e632944aeb3023a269284f05777571fe19f250aa',
          source: 'export default (x) => x',
        },
        attempt_timeout_seconds: 2.5,
        checkpoint_interval_seconds: null,
      },
    });
    expect(assign?.assignments.map(({ input }) => input)).toEqual([{ deep: [1, null] }, 'text']);
  });

  test('of a range has its numbers as inputs, and sends the program once', async () => {
    const cluster = await VirtualCluster.start();
    const keeps = { most: 1, most_characters: 100, kept: [] };
    const worker = await cluster.join('w', {}, keeps);
    await cluster.submit('j', { type: 'range', start: 40, count: 1_000_000 });
    worker.complete('j.0');
    await cluster.settle();
    const assigns = worker.takeOnly('assign');
    expect(assigns.map(({ assignments }) => assignments.map(({ input }) => input))).toEqual([
      [40],
      [41],
    ]);
    const sources = assigns.map(({ programs }) => programs['j']?.program.source);
    expect(sources).toEqual(['export default (x) => x', undefined]);
  });

  test('with many inputs is staged in chunks, and has them all', async () => {
    const cluster = await VirtualCluster.start();
    await cluster.submit(
      'j',
      Array.from({ length: 2500 }, (_, i) => `input ${i}`),
    );
    const worker = await cluster.join('w', { slots: 1024 });
    const inputs = worker.takeOnly('assign').flatMap(({ assignments }) => assignments);
    expect(inputs).toHaveLength(1024);
    expect(inputs.every(({ input, index }) => input === `input ${index}`)).toBe(true);
    expect((await cluster.answer(cluster.coordinator.reads.findJob('j')))?.task_count).toBe(2500);
  });
});

describe('a streamed submission', () => {
  test('is seen by nobody before it is finished', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    worker.take();
    cluster.runtime.names.push('j');
    const stream = cluster.coordinator.submissions.stream(submission());
    await cluster.answer(stream.append(['1', '2']));
    await cluster.answer(stream.append(['3']));
    expect(stream.count).toBe(3);
    expect([await jobIds(cluster), worker.take()]).toEqual([[], []]);
    expect(await cluster.answer(stream.finish())).toMatchObject({ ok: true, value: { id: 'j' } });
    expect(await jobIds(cluster)).toEqual(['j']);
    expect(worker.takeOnly('assign')[0]?.assignments[0]).toMatchObject({ input: 1 });
  });

  test('lets others submit while it takes its time', async () => {
    const cluster = await VirtualCluster.start();
    const stream = cluster.coordinator.submissions.stream(submission());
    await cluster.answer(stream.append(['1']));
    await cluster.submit('other');
    cluster.runtime.names.push('j');
    await cluster.answer(stream.finish());
    // Newest first: the stream took its place when it began.
    expect(await jobIds(cluster)).toEqual(['other', 'j']);
  });

  test('leaves nothing when it is aborted', async () => {
    const cluster = await VirtualCluster.start();
    const stream = cluster.coordinator.submissions.stream(submission());
    await cluster.answer(stream.append(['1', '2']));
    await cluster.answer(stream.abort());
    expect(await jobIds(cluster)).toEqual([]);
    await cluster.advance(120_000);
    expect(cluster.disk.staged.size).toBe(0);
  });

  test('leaves nothing when the coordinator dies in the middle', async () => {
    const cluster = await VirtualCluster.start();
    const stream = cluster.coordinator.submissions.stream(submission());
    await cluster.answer(stream.append(['1', '2']));
    await cluster.crash();
    expect(await jobIds(cluster)).toEqual([]);
    await cluster.submit('j', ['mine']);
    await cluster.advance(120_000);
    expect(cluster.disk.staged.size).toBe(0);
    const worker = await cluster.join('w');
    expect(worker.takeOnly('assign')[0]?.assignments[0]).toMatchObject({ input: 'mine' });
  });

  test('belongs to the database in which it is finished', async () => {
    const cluster = await VirtualCluster.start();
    cluster.runtime.names.push('j');
    const stream = cluster.coordinator.submissions.stream(submission());
    await cluster.answer(stream.append(['1']));
    await cluster.answer(cluster.coordinator.clear());
    await cluster.answer(stream.finish());
    expect(await jobIds(cluster)).toEqual(['j']);
  });
});

describe('the sweep', () => {
  test('goes on after a disk that refused once', async () => {
    const cluster = await VirtualCluster.start();
    const sweep = cluster.gate.store.sweep.bind(cluster.gate.store);
    let refusals = 0;
    cluster.gate.override({
      sweep: (rows) => (refusals++ === 0 ? Promise.reject(new Error('busy')) : sweep(rows)),
    });
    const stream = cluster.coordinator.submissions.stream(submission());
    await cluster.answer(stream.append(['1']));
    await cluster.answer(stream.abort());
    await cluster.advance(200_000);
    expect(refusals).toBeGreaterThan(1);
    expect(cluster.disk.staged.size).toBe(0);
    expect(cluster.coordinator.health).toBe('ready');
  });
});

test('what is submitted after a clear was asked for is not removed by it', async () => {
  const cluster = await VirtualCluster.start();
  // The disk takes its time to count what there is.
  let counted = () => undefined as void;
  cluster.gate.override({
    sumCheckpoints: () =>
      new Promise((resolve) => {
        counted = () => resolve({ count: 0, storedBytes: 0 });
      }),
  });
  const cleared = cluster.coordinator.clear();
  await cluster.settle();
  cluster.runtime.names.push('j');
  const submitted = cluster.coordinator.submissions.submit(submission(), {
    type: 'list',
    inputs: ['1'],
  });
  await cluster.settle();
  counted();
  expect(await cluster.answer(Promise.all([cleared, submitted]))).toMatchObject([
    { ok: true },
    { ok: true, value: { id: 'j' } },
  ]);
  expect(await cluster.answer(cluster.coordinator.reads.findJob('j'))).toBeDefined();
});
