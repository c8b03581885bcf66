import { expect, test } from 'vitest';
import { VirtualCluster } from '../../test/support/virtual-cluster.ts';

test('large inputs go in frames of their own, each with its sequence, the program once', async () => {
  const cluster = await VirtualCluster.start();
  const worker = await cluster.join('w', { slots: 4 });
  await cluster.submit('j', ['small', 'x'.repeat(3_000_000), 'y'.repeat(3_000_000), 'small']);
  const frames = worker.takeOnly('assign');
  expect(
    frames.map(({ sequence, programs, assignments }) => [
      sequence,
      Object.keys(programs),
      assignments.map(({ index }) => index),
    ]),
  ).toEqual([
    [1, ['j'], [0, 1]],
    [2, [], [2]],
    [3, [], [3]],
  ]);
});

/** Two workers; the first comes back for a task whose checkpoint the disk does not give out yet. */
async function waitingForAState() {
  const errors: string[] = [];
  const cluster = await VirtualCluster.start({
    onError: ({ message }) => void errors.push(message),
  });
  const first = await cluster.join('first');
  await cluster.submit('j');
  first.start('j.0');
  first.checkpoint('j.0', 1, 0.5, { half: true });
  await cluster.settle();
  const { store } = cluster.gate;
  const read: typeof store.readCheckpointState = store.readCheckpointState.bind(store);
  let release = () => undefined as void;
  const opened = new Promise<void>((resolve) => {
    release = resolve;
  });
  cluster.gate.override({ readCheckpointState: (id) => opened.then(() => read(id)) });
  first.drop();
  first.connect(cluster.coordinator);
  await cluster.settle();
  first.take();
  return { cluster, first, release, errors };
}

test('a state that takes long to read holds up nobody else', async () => {
  const { cluster, first, release } = await waitingForAState();
  const second = await cluster.join('second');
  await cluster.submit('k');
  expect(second.takeOnly('assign')).toHaveLength(1);
  expect(first.takeOnly('assign')).toEqual([]);
  release();
  await cluster.settle();
  expect(first.takeOnly('assign')).toMatchObject([
    { sequence: 1, assignments: [{ checkpoint: { state: { half: true } } }] },
  ]);
});

test('what is said later on a connection leaves after what is still being read for it', async () => {
  const { cluster, first, release } = await waitingForAState();
  await cluster.answer(cluster.coordinator.drainWorker('first'));
  expect(first.take()).toEqual([]);
  release();
  await cluster.settle();
  expect(first.take().map(({ type }) => type)).toEqual(['assign', 'drain', 'recall']);
});

test('what ended while it was read is not sent any more', async () => {
  const { cluster, first, release } = await waitingForAState();
  await cluster.answer(cluster.coordinator.cancelJob('j'));
  release();
  await cluster.settle();
  expect(first.take().map(({ type }) => type)).toEqual(['revoke']);
});

test('an input that cannot be read fails its task, and neither its worker nor its neighbours', async () => {
  const errors: string[] = [];
  const cluster = await VirtualCluster.start({
    onError: ({ message }) => void errors.push(message),
  });
  await cluster.submit('j', ['good', 'bad', 'good'], { maxAttempts: 2, retryDelayMs: 0 });
  const { store } = cluster.gate;
  const read: typeof store.readInputs = store.readInputs.bind(store);
  cluster.gate.override({
    readInputs: (key, indices) =>
      indices.includes(1) ? Promise.reject(new Error('the page is torn')) : read(key, indices),
  });
  const worker = await cluster.join('w', { slots: 3 });
  await cluster.settle();
  const given = worker.takeOnly('assign').flatMap(({ assignments }) => assignments);
  expect(given.map(({ index }) => index)).toEqual([0, 2]);
  expect(cluster.lines).toContain('j.1 failed: payload_unreadable');
  expect(cluster.coordinator.state.workers.get('w')).toMatchObject({ totalFailed: 0 });
  expect(errors[0]).toBe('Task j.1 cannot be sent. The input cannot be read: the page is torn');
  expect(cluster.coordinator.health).toBe('ready');
});
