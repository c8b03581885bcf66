import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import type { AttemptRef } from '../../protocol/messages.ts';

/** A cluster with one worker over plain HTTP, which makes only the calls that a test makes. */
async function stage(onLine?: (line: string) => void, slots = 1, given?: VirtualCluster) {
  const options = onLine === undefined ? {} : { onLine };
  const cluster = given ?? (await VirtualCluster.start(options));
  cluster.runtime.names.push('w');
  const device = { type: 'pc', platform: 'linux', slots };
  const registered = await cluster.answer(cluster.coordinator.pullWorkers.register({ device }));
  if (!registered.ok) throw new Error(registered.rejection.detail);
  const { worker_id: id, worker_token: token } = registered.value;
  const claim = async (how: { max?: number; waitMs?: number; signal?: AbortSignal } = {}) => {
    const asked = { max: 1, waitMs: 0, ...how };
    const answer = await cluster.answer(cluster.coordinator.pullWorkers.claim(id, token, asked));
    if (!answer.ok) throw new Error(answer.rejection.detail);
    return answer.value;
  };
  const beat = async (running: readonly AttemptRef[] = []) => {
    await cluster.advance(5000);
    const message = { telemetry: {}, running };
    return cluster.answer(cluster.coordinator.pullWorkers.heartbeat(id, token, message));
  };
  /** Claims every five seconds, and says nothing else. */
  const claimFor = async (ms: number) => {
    const claimed = [];
    for (let passed = 0; passed < ms; passed += 5000) {
      await cluster.advance(5000);
      claimed.push(...(await claim()));
    }
    return claimed;
  };
  return { cluster, id, token, claim, claimFor, beat };
}

describe('a worker over plain HTTP that sends heartbeats and never claims', () => {
  test('is not taken to have dropped what still waits for its claim', async () => {
    const { cluster, beat } = await stage();
    await cluster.submit('j');
    cluster.takeLines();

    await beat();
    await beat();
    // Two lists without it say nothing about an attempt that was never handed out.
    expect(cluster.takeLines()).toEqual([]);

    await beat();
    // After a lease it is taken back: the attempt keeps its number, and the worker has to ask first.
    expect(cluster.takeLines()).toEqual([
      'worker w lease renewed',
      'j.0 #1 withdrawn',
      'j.0 requeued',
      'worker w slept',
    ]);
  });
});

test('a call in the very batch that removes its worker is told to stay away, not to register anew', async () => {
  const { cluster, id, token } = await stage();
  const { workers, pullWorkers } = cluster.coordinator;
  void workers.deregister(id);
  const called = pullWorkers.heartbeat(id, token, { telemetry: {}, running: [] });
  const guessed = pullWorkers.heartbeat(id, 'guessed', { telemetry: {}, running: [] });
  expect(await cluster.answer(called)).toMatchObject({ rejection: { code: 'deregistered' } });
  expect(await cluster.answer(guessed)).toMatchObject({ rejection: { code: 'unknown_worker' } });
});

test('a claim that waits is answered at the end of the coordinator', async () => {
  const { cluster, id, token } = await stage();
  const { coordinator } = cluster;
  const waiting = coordinator.pullWorkers.claim(id, token, { max: 1, waitMs: 30_000 });
  await cluster.settle();
  await cluster.answer(coordinator.stop());
  expect(await cluster.answer(waiting)).toEqual({ ok: true, value: [] });
});

describe('a worker over plain HTTP that claims and never sends heartbeats', () => {
  test('gets the task again, uncharged, when the answer to its claim was lost', async () => {
    const { cluster, claim, claimFor } = await stage();
    await cluster.submit('j', [1], { maxLostAttempts: 1 });
    expect(await claim()).toMatchObject([{ task_id: 'j.0', attempt: 1 }]);
    expect(await claimFor(10_000)).toEqual([]);
    cluster.takeLines();

    expect(await claimFor(10_000)).toMatchObject([{ task_id: 'j.0', attempt: 2 }]);
    expect(cluster.takeLines()).toContain('j.0 #1 lost (connection_lost)');
    expect(cluster.coordinator.state.jobs.get('j')?.tasks.get(0)?.losses).toBe(0);
  });

  test('gets what lay in its mailbox when the coordinator was restarted', async () => {
    const { cluster, claimFor } = await stage();
    await cluster.submit('j');
    await cluster.crash();
    expect(await claimFor(20_000)).toMatchObject([{ task_id: 'j.0', attempt: 2 }]);
  });

  test('may bring the result of an attempt that it had all the time', async () => {
    const { cluster, id, token, claim, claimFor } = await stage();
    await cluster.submit('j');
    const [first] = await claim();
    await claimFor(20_000);
    const results = [{ task_id: 'j.0', attempt: 1, token: first!.token, value: 7 }];
    const said = [{ type: 'result', results }] as const;
    expect(
      await cluster.answer(cluster.coordinator.pullWorkers.report(id, token, said)),
    ).toMatchObject({
      value: { accepted: [{ task_id: 'j.0', attempt: 1 }], rejected: [] },
    });
  });

  test('loses what it had begun when it begins anew and does not say so', async () => {
    const { cluster, id, token, claim, claimFor } = await stage();
    await cluster.submit('j');
    const [first] = await claim();
    const started = [{ task_id: 'j.0', attempt: 1, token: first!.token }];
    await cluster.answer(
      cluster.coordinator.pullWorkers.report(id, token, [{ type: 'started', started }]),
    );
    expect(await claimFor(20_000)).toMatchObject([{ task_id: 'j.0', attempt: 2 }]);
    expect(cluster.coordinator.state.jobs.get('j')?.tasks.get(0)?.losses).toBe(1);
  });

  test('is told the newest of what it should have stopped, and not everything since ever', async () => {
    const cluster = await VirtualCluster.start();
    cluster.runtime.names.push('w');
    const device = { type: 'pc', platform: 'linux', slots: 120 };
    const registered = await cluster.answer(cluster.coordinator.pullWorkers.register({ device }));
    if (!registered.ok) throw new Error(registered.rejection.detail);
    const { worker_id: id, worker_token: token } = registered.value;
    const { coordinator } = cluster;
    for (const job of ['a', 'b', 'c']) {
      await cluster.submit(job, { type: 'range', start: 0, count: 120 });
      for (let claimed = 0; claimed < 120; ) {
        const answer = await cluster.answer(
          coordinator.pullWorkers.claim(id, token, { max: 120, waitMs: 0 }),
        );
        claimed += answer.ok ? answer.value.length : 120;
      }
      await cluster.answer(coordinator.jobs.cancel(job));
    }
    const beat = await cluster.answer(
      coordinator.pullWorkers.heartbeat(id, token, { telemetry: {}, running: [] }),
    );
    const stopped = beat.ok ? beat.value.stop.map(({ task_id }) => task_id) : [];
    expect(stopped).toHaveLength(256);
    expect(stopped.filter((task) => task.startsWith('c.'))).toHaveLength(120);
  });
});

describe('the answer to a claim', () => {
  const source = 'x'.repeat(2_000_000);
  const inputs = Array.from({ length: 20 }, (_, i) => i);
  const large = { program: { kind: 'javascript', source } } as const;

  test('is bounded in bytes, and what does not fit waits uncharged for the next claims', async () => {
    const { cluster, claim } = await stage(undefined, 20);
    await cluster.submit('j', inputs, large);
    const answers = [await claim({ max: 20 }), await claim({ max: 20 }), await claim({ max: 20 })];
    expect(answers.map(({ length }) => length)).toEqual([8, 8, 4]);
    expect(answers.flat().map(({ index }) => index)).toEqual(inputs);
    expect(answers.flat().every(({ attempt }) => attempt === 1)).toBe(true);
    expect(new Set(answers.flat().map(({ program }) => program)).size).toBe(1);
  });

  test('has its first assignment, however large', async () => {
    const { cluster, claim } = await stage(undefined, 2);
    await cluster.submit('j', ['y'.repeat(17_000_000), 'y'.repeat(17_000_000)]);
    const answers = [await claim({ max: 2 }), await claim({ max: 2 })];
    expect(answers.map((each) => each.map(({ index }) => index))).toEqual([[0], [1]]);
  });

  test('names the program by its content, so that it can be kept', async () => {
    const { cluster, claim } = await stage(undefined, 2);
    await cluster.submit('j', [1], { program: { kind: 'javascript', source: 'same' } });
    await cluster.submit('k', [1], { program: { kind: 'javascript', source: 'same' } });
    const sha256 = hash('sha256', '{"kind":"javascript","source":"same"}');
    const program = { kind: 'javascript', sha256, source: 'same' };
    expect(await claim({ max: 2 })).toMatchObject([{ program }, { program }]);
  });
});

describe('what an assignment over plain HTTP needs', () => {
  /** Those of a small job are at hand, and not read. */
  const long = 'x'.repeat(5_000);

  /** Counts the inputs that are read of the store. */
  async function reading(slots: number) {
    const staged = await stage(undefined, slots);
    const { gate } = staged.cluster;
    const read: typeof gate.store.readInputs = gate.store.readInputs.bind(gate.store);
    const inputs: number[] = [];
    gate.override({
      readInputs: (key, indices) => {
        inputs.push(...indices);
        return read(key, indices);
      },
    });
    return { ...staged, inputs };
  }

  test('is read when it is claimed, a bounded part for each claim, and not before', async () => {
    const { cluster, claim, inputs } = await reading(40);
    const megabytes = Array.from({ length: 40 }, () => 'x'.repeat(1024 * 1024));
    await cluster.submit('j', megabytes);
    expect(cluster.coordinator.state.workers.get('w')?.attempts.size).toBe(40);
    expect(inputs).toEqual([]);
    const answers = [];
    for (let claims = 0; claims < 3; claims++) {
      answers.push((await claim({ max: 40 })).map(({ index }) => index));
    }
    // Sixteen at a time; the one that did not fit is read again.
    expect(inputs).toHaveLength(16 + 16 + 10);
    expect(answers.map(({ length }) => length)).toEqual([15, 15, 10]);
    expect(answers.flat()).toEqual(megabytes.map((_, index) => index));
  });

  test('fails its own attempt when it cannot be read, at the claim, and no other', async () => {
    const errors: string[] = [];
    const cluster = await VirtualCluster.start({
      onError: ({ message }) => void errors.push(message),
    });
    const { claim } = await stage(undefined, 3, cluster);
    await cluster.submit('j', [long, 'bad', long], { maxAttempts: 1 });
    const { store } = cluster.gate;
    const read: typeof store.readInputs = store.readInputs.bind(store);
    cluster.gate.override({
      readInputs: (key, indices) =>
        indices.includes(1) ? Promise.reject(new Error('the page is torn')) : read(key, indices),
    });
    expect((await claim({ max: 3 })).map(({ index }) => index)).toEqual([0, 2]);
    expect(cluster.lines).toContain('j.1 failed: payload_unreadable');
    expect(cluster.coordinator.state.workers.get('w')).toMatchObject({ totalFailed: 0 });
    expect(errors).toEqual(['Task j.1 cannot be sent. The input cannot be read: the page is torn']);
    expect(await claim({ max: 3 })).toEqual([]);
  });

  test('of a small job is at hand when it is claimed, and not read', async () => {
    const { cluster, claim, inputs } = await reading(2);
    await cluster.submit('j', ['a', 'b']);
    const given = await claim({ max: 2 });
    expect(given.map(({ index }) => index)).toEqual([0, 1]);
    expect(inputs).toEqual([]);
  });

  test('is given to one of two claims at the same time', async () => {
    const { cluster, id, token, inputs } = await reading(4);
    await cluster.submit('j', [1, 2, 3, long]);
    const ask = () => cluster.coordinator.pullWorkers.claim(id, token, { max: 3, waitMs: 0 });
    const both = [ask(), ask()];
    await cluster.settle();
    const given = (await Promise.all(both)).flatMap((each) => (each.ok ? each.value : []));
    expect(given.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(inputs).toEqual([0, 1, 2, 3]);
  });

  test('is not handed out when its task ends while it is read, and needs no order to stop', async () => {
    const { cluster, id, token, beat } = await reading(1);
    await cluster.submit('j', [long]);
    const { coordinator, gate } = cluster;
    const read: typeof gate.store.readInputs = gate.store.readInputs.bind(gate.store);
    const cancelled: Promise<unknown>[] = [];
    gate.override({
      readInputs: async (key, indices) => {
        cancelled.push(coordinator.jobs.cancel('j'));
        await cancelled[0];
        return read(key, indices);
      },
    });
    const claimed = coordinator.pullWorkers.claim(id, token, { max: 1, waitMs: 0 });
    expect(await cluster.answer(claimed)).toEqual({ ok: true, value: [] });
    expect(cancelled).toHaveLength(1);
    expect(cluster.lines).not.toContain('j.0 #1 delivered');
    expect(await beat()).toMatchObject({ ok: true, value: { stop: [] } });
  });
});

test('an attempt that ended is named once in the next answer, with the reason why it ended', async () => {
  const { cluster, claim, beat } = await stage();
  await cluster.submit('j');
  const [{ task_id, attempt, token } = { task_id: '', attempt: 0, token: '' }] = await claim();
  await cluster.answer(cluster.coordinator.jobs.cancel('j'));
  const held = [{ task_id, attempt, token }];
  const told = async () => {
    const answer = await beat(held);
    return answer.ok ? answer.value.stop : answer;
  };
  expect(await told()).toEqual([{ task_id: 'j.0', attempt: 1, reason: 'cancelled' }]);
  // Why it ended has been told; that it has is told for as long as the worker names it.
  expect(await told()).toEqual([{ task_id: 'j.0', attempt: 1, reason: 'stale_attempt' }]);
});

test('an attempt that ends in the commit of the heartbeat is named once, with the reason', async () => {
  const { cluster, id, token, claim } = await stage();
  await cluster.submit('j');
  const [held = { task_id: '', attempt: 0, token: '' }] = await claim();
  const { jobs, pullWorkers } = cluster.coordinator;
  const cancelled = jobs.cancel('j');
  const beat = pullWorkers.heartbeat(id, token, { telemetry: {}, running: [held] });
  await cluster.answer(cancelled);
  expect(await beat).toMatchObject({
    value: { stop: [{ task_id: 'j.0', attempt: 1, reason: 'cancelled' }] },
  });
});

describe('a worker over plain HTTP', () => {
  test('is there for as long as its claim waits', async () => {
    const { cluster, id, token } = await stage();
    const claimed = cluster.coordinator.pullWorkers.claim(id, token, { max: 1, waitMs: 30_000 });
    await cluster.advance(29_000);
    await cluster.submit('j');
    expect(await cluster.answer(claimed)).toMatchObject({ value: [{ task_id: 'j.0' }] });
    expect(cluster.lines).not.toContain('worker w lost');
  });

  test('is not given what ends in the same batch', async () => {
    const { cluster, id, token } = await stage();
    await cluster.submit('j');
    const { coordinator, runtime } = cluster;
    const { defer } = runtime;
    let batches = 0;
    let cancelled: ReturnType<typeof coordinator.jobs.cancel> | undefined;
    runtime.defer = (fn) => {
      // The claim is heard in the first batch, and what it gets is handed out in the second.
      if (++batches === 2) cancelled = coordinator.jobs.cancel('j');
      defer(fn);
    };
    expect(
      await cluster.answer(coordinator.pullWorkers.claim(id, token, { max: 1, waitMs: 0 })),
    ).toEqual({
      ok: true,
      value: [],
    });
    expect(await cancelled).toMatchObject({ ok: true });
    expect(cluster.lines).toContain('j.0 #1 delivered');
  });

  test('keeps what its heartbeats name for as long as they do', async () => {
    const { cluster, claim, beat } = await stage();
    await cluster.submit('j');
    const [first] = await claim();
    const ref = { task_id: 'j.0', attempt: 1, token: first!.token };
    for (let beats = 0; beats < 20; beats++) await beat([ref]);
    expect(cluster.coordinator.state.jobs.get('j')?.tasks.get(0)?.live).toHaveLength(1);
  });

  test('that hangs up while its claim is committed leaves the task to another worker', async () => {
    const gone = new AbortController();
    const { cluster, claim } = await stage((line) => {
      if (line === 'j.0 #1 delivered') gone.abort();
    });
    await cluster.submit('j');
    expect(await claim({ signal: gone.signal })).toEqual([]);
    await cluster.settle();
    expect(cluster.takeLines().slice(-4)).toEqual([
      'j.0 #1 delivered',
      'j.0 #1 released',
      'j.0 requeued',
      'j.0 #2 assigned to w',
    ]);
  });
});
