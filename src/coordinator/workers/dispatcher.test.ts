import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ScriptedWorker } from '../../../test/support/scripted-worker.ts';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import type { AssignMessage, KeptPrograms } from '../../protocol/messages.ts';

const keeping: KeptPrograms = { most: 10, most_characters: 1000, kept: [] };

/** What the frames brought: `job: source`, or `job: -` when only its hash was named. */
function brought(frames: readonly AssignMessage[]): string[] {
  return frames.map(({ programs }) =>
    Object.entries(programs)
      .map(([job, { program }]) => `${job}: ${program.source ?? '-'}`)
      .join(', '),
  );
}

function hashOf(source: string): string {
  return hash('sha256', JSON.stringify({ kind: 'javascript', source }));
}

test('large inputs go in frames of their own, each with its sequence, the program once', async () => {
  const cluster = await VirtualCluster.start();
  const worker = await cluster.join('w', { slots: 4 }, keeping);
  await cluster.submit('j', ['small', 'x'.repeat(3_000_000), 'y'.repeat(3_000_000), 'small']);
  const frames = worker.takeOnly('assign');
  expect(
    frames.map(({ sequence, assignments }) => [sequence, assignments.map(({ index }) => index)]),
  ).toEqual([
    [1, [0, 1]],
    [2, [2]],
    [3, [3]],
  ]);
  expect(brought(frames)).toEqual(['j: export default (x) => x', 'j: -', 'j: -']);
});

describe('a program', () => {
  /** A worker with a slot for each job, and the sources of the jobs. */
  async function stage(sources: Readonly<Record<string, string>>, keeps: KeptPrograms | null) {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 100 }, keeps);
    for (const [job, source] of Object.entries(sources)) {
      await cluster.submit(job, [1], { program: { kind: 'javascript', source } });
    }
    return { cluster, worker };
  }

  test('goes out once for all jobs that have it, and is named by its hash', async () => {
    const { worker } = await stage({ j: 'same', k: 'same', l: 'other' }, keeping);
    const frames = worker.takeOnly('assign');
    expect(brought(frames)).toEqual(['j: same', 'k: -', 'l: other']);
    const names = frames.flatMap(({ programs }) =>
      Object.values(programs).map(({ program }) => program.sha256),
    );
    expect(names).toEqual([hashOf('same'), hashOf('same'), hashOf('other')]);
  });

  test('goes with every frame to a worker that says nothing of programs', async () => {
    const { worker } = await stage({ j: 'same', k: 'same' }, null);
    expect(brought(worker.takeOnly('assign'))).toEqual(['j: same', 'k: same']);
  });

  test('that was forgotten for newer ones goes out again, by the order of use', async () => {
    const sources = { a: 'a', b: 'b', c: 'a', d: 'd', e: 'a', f: 'b' };
    const { worker } = await stage(sources, { ...keeping, most: 2 });
    expect(brought(worker.takeOnly('assign'))).toEqual([
      'a: a',
      'b: b',
      'c: -',
      'd: d',
      'e: -',
      'f: b',
    ]);
  });

  test('is remembered within the bounds of the coordinator, whatever a worker says to keep', async () => {
    const { cluster, worker } = await stage({}, { ...keeping, most: 1e9, most_characters: 1e9 });
    const submit = async (job: string, source: string) => {
      await cluster.submit(job, [1], { program: { kind: 'javascript', source } });
      worker.complete(`${job}.0`);
      await cluster.settle();
      return brought(worker.takeOnly('assign'));
    };
    for (let i = 0; i <= 256; i++) expect(await submit(`j${i}`, `s${i}`)).toEqual([`j${i}: s${i}`]);
    expect(await submit('again', 's1')).toEqual(['again: -']);
    expect(await submit('first', 's0')).toEqual(['first: s0']);
  });

  test('that a worker comes back with is not sent again, unless it is new there', async () => {
    const { cluster, worker } = await stage({}, keeping);
    const kept = [{ sha256: hashOf('same'), characters: 4 }];
    worker.keeps = { ...keeping, kept };
    worker.drop();
    worker.connect(cluster.coordinator);
    const program = { kind: 'javascript', source: 'same' } as const;
    await cluster.submit('j', [1], { program });
    expect(brought(worker.takeOnly('assign'))).toEqual(['j: -']);
    worker.drop();
    const stranger = await cluster.join('stranger', {}, { ...keeping, kept });
    await cluster.submit('k', [1], { program });
    expect(brought(stranger.takeOnly('assign'))).toContain('k: same');
  });

  test('that the worker lacks goes out again with its task, which is not charged', async () => {
    const { cluster, worker } = await stage({ j: 'same', k: 'same' }, keeping);
    worker.take();
    worker.lack('k.0', hashOf('same'));
    await cluster.settle();
    expect(brought(worker.takeOnly('assign'))).toEqual(['k: same']);
    expect(cluster.coordinator.state.jobs.get('k')?.tasks.get(0)).toMatchObject({
      errors: 0,
      losses: 0,
    });
    expect(worker.closedFor).toBeNull();
  });

  test('that is long ends its frame', async () => {
    const long = 'x'.repeat(1_000_000);
    const cluster = await VirtualCluster.start();
    for (const job of ['j', 'k', 'l']) {
      await cluster.submit(job, [1], { program: { kind: 'javascript', source: `${job}${long}` } });
    }
    const worker = await cluster.join('w', { slots: 4 }, { ...keeping, most_characters: 3e6 });
    await cluster.settle();
    const frames = worker.takeOnly('assign');
    expect(frames.map(({ assignments }) => assignments.length)).toEqual([2, 1]);
  });

  test('that cannot be read fails its task only where it has to be sent', async () => {
    const errors: string[] = [];
    const onError = ({ message }: Error) => void errors.push(message);
    const cluster = await VirtualCluster.start({ onError });
    const kept = [{ sha256: hashOf('good'), characters: 4 }];
    const worker = await cluster.join('w', { slots: 3 });
    worker.drop();
    const sources = { j: 'good', k: 'bad' };
    for (const [job, source] of Object.entries(sources)) {
      const program = { kind: 'javascript', source } as const;
      await cluster.submit(job, [1], { program, maxAttempts: 1 });
    }
    await cluster.crash();
    cluster.gate.override({ findProgram: () => Promise.reject(new Error('the page is torn')) });
    worker.keeps = { ...keeping, kept };
    worker.connect(cluster.coordinator);
    await cluster.settle();
    expect(brought(worker.takeOnly('assign'))).toEqual(['j: -']);
    expect(cluster.lines).toContain('k.0 failed: payload_unreadable');
    expect(errors[0]).toContain('The program cannot be read: the page is torn');
  });
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

describe('before the commit', () => {
  const indicesOf = (frames: readonly AssignMessage[]) =>
    frames.flatMap(({ assignments }) => assignments.map(({ task_id: id }) => id));

  /** Submits it while commits are held up. */
  async function submitMeanwhile(cluster: VirtualCluster, name: string, inputs: unknown[]) {
    cluster.gate.shut();
    cluster.runtime.names.push(name);
    const list = { type: 'list', inputs: inputs.map((input) => JSON.stringify(input)) } as const;
    void cluster.coordinator.submissions.submit(submission(), list);
    await cluster.settle();
  }

  test('the tasks of a job that comes with it leave, once', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 2 }, keeping);
    await submitMeanwhile(cluster, 'j', ['a', 'b', 'c']);
    const [early, ...others] = worker.takeOnly('assign');
    expect(early).toMatchObject({
      sequence: 1,
      programs: { j: { program: { source: 'export default (x) => x' } } },
      assignments: [
        { task_id: 'j.0', input: 'a' },
        { task_id: 'j.1', input: 'b' },
      ],
    });
    expect(others).toEqual([]);
    cluster.gate.open();
    await cluster.settle();
    expect(worker.takeOnly('assign')).toEqual([]);
    worker.complete('j.0', 1);
    await cluster.settle();
    expect(worker.takeOnly('assign')).toMatchObject([
      { sequence: 2, assignments: [{ task_id: 'j.2' }] },
    ]);
  });

  test('no task of an earlier job leaves', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 1 });
    await cluster.submit('j', [1, 2]);
    worker.take();
    worker.complete('j.0', 1);
    await submitMeanwhile(cluster, 'k', [3]);
    expect(worker.take()).toEqual([]);
    cluster.gate.open();
    await cluster.settle();
    expect(indicesOf(worker.takeOnly('assign'))).toEqual(['j.1']);
  });

  test('nothing leaves to a worker that comes with it: the welcome is first', async () => {
    const cluster = await VirtualCluster.start();
    const worker = new ScriptedWorker();
    worker.connect(cluster.coordinator);
    await submitMeanwhile(cluster, 'j', ['a']);
    expect(worker.take()).toEqual([]);
    cluster.gate.open();
    await cluster.settle();
    expect(worker.take().map(({ type }) => type)).toEqual(['welcome', 'assign']);
  });

  test('large inputs wait for it: it is not held up by them', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w', { slots: 4 });
    const inputs = ['x'.repeat(40_000), 'y'.repeat(40_000), 'late', 'too'];
    await submitMeanwhile(cluster, 'j', inputs);
    expect(indicesOf(worker.takeOnly('assign'))).toEqual(['j.0', 'j.1']);
    cluster.gate.open();
    await cluster.settle();
    expect(indicesOf(worker.takeOnly('assign'))).toEqual(['j.2', 'j.3']);
  });

  test('nothing overtakes what is still being read for a worker', async () => {
    const { cluster, first, release } = await waitingForAState();
    await submitMeanwhile(cluster, 'k', [1]);
    cluster.gate.open();
    await cluster.settle();
    expect(first.takeOnly('assign')).toEqual([]);
    release();
    await cluster.settle();
    expect(indicesOf(first.takeOnly('assign')).at(0)).toBe('j.0');
  });
});

test('what is said later on a connection leaves after what is still being read for it', async () => {
  const { cluster, first, release } = await waitingForAState();
  await cluster.answer(cluster.coordinator.workers.drain('first'));
  expect(first.take()).toEqual([]);
  release();
  await cluster.settle();
  expect(first.take().map(({ type }) => type)).toEqual(['assign', 'drain', 'recall']);
});

test('what ended while it was read is not sent any more', async () => {
  const { cluster, first, release } = await waitingForAState();
  await cluster.answer(cluster.coordinator.jobs.cancel('j'));
  release();
  await cluster.settle();
  expect(first.take().map(({ type }) => type)).toEqual(['revoke']);
});

test('an input that cannot be read fails its task, and neither its worker nor its neighbours', async () => {
  const errors: string[] = [];
  const cluster = await VirtualCluster.start({
    onError: ({ message }) => void errors.push(message),
  });
  // Of a small job they would be at hand.
  const good = 'x'.repeat(5_000);
  await cluster.submit('j', [good, 'bad', good], { maxAttempts: 2, retryDelayMs: 0 });
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
