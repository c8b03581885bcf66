// Workers at a member that follows: their sockets end there, and the trunk carries what they say.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { type Store, StoreFault } from '../../src/store/store.ts';
import { connect, type MusterClient, type TaskResult } from '../../src/client/index.ts';
import { GatewaySessions } from '../../src/coordinator/gateway/gateway-sessions.ts';
import type { CoreSettings } from '../../src/core/settings.ts';
import { createRealRuntime } from '../../src/coordinator/real-runtime.ts';
import type {
  Assignment,
  CoordinatorMessage,
  JobDescription,
} from '../../src/protocol/messages.ts';
import { gated } from '../support/gated-store.ts';
import { clusterSecret, type Couple, lineOf, startCouple } from './support/members.ts';
import { ScriptedWorker } from './support/scripted-worker.ts';

let couple: Couple;
let client: MusterClient;
afterEach(() => couple.close());

const program = { kind: 'javascript', source: 'export default (x) => x' } as const;
const heartbeatIntervalMs = 100;

async function start(store?: Store, settings: Partial<CoreSettings> = {}): Promise<void> {
  couple = await startCouple({}, store, settings);
  client = connect(couple.follower.url);
}

const echo = ({ input }: Assignment) => ({ value: input });
const nothing = () => undefined;

function join(work: Parameters<typeof ScriptedWorker.connect>[1], slots = 4) {
  return ScriptedWorker.connect(couple.follower.url, work, { slots });
}

function assignsOf({ received }: ScriptedWorker) {
  return received.filter((message) => message.type === 'assign');
}

function assigned(worker: ScriptedWorker): readonly Assignment[] {
  return assignsOf(worker).flatMap(({ assignments }) => assignments);
}

function valueOf(result: TaskResult): unknown {
  return 'value' in result ? result.value : result;
}

/** The newest heartbeat that was answered. */
function heard({ received }: ScriptedWorker): number {
  const answers = received.filter((message) => message.type === 'ack');
  return Math.max(0, ...answers.map(({ heartbeat }) => heartbeat?.heartbeat_id ?? 0));
}

const ref = ({ task_id, attempt, token }: Assignment) => ({ task_id, attempt, token });

test('they are handed programs of any kind, and what tasks share, as the member reads them', async () => {
  await start();
  const [module, large] = await Promise.all([
    client.putBlob(new Uint8Array(1000)),
    client.putBlob('x'.repeat(100_000)),
  ]);
  const wasm = { kind: 'wasm', module, env: { B: '1', A: '2' } } as const;
  const device = { slots: 4, kinds: ['javascript', 'wasm'], hands: ['shared'] };
  const worker = await ScriptedWorker.connect(couple.follower.url, echo, device);
  const jobs = [
    await client.submit({ program: wasm, inputs: [1] }),
    await client.submit({ program, inputs: [2], shared: { table: ['ü'] } }),
    await client.submit({ program, inputs: [3], shared: large }),
  ];
  for (const { id } of jobs) {
    for await (const result of client.results(id, { follow: true })) {
      expect(result.status).toBe('completed');
    }
  }
  const programs = Object.assign({}, ...assignsOf(worker).map((each) => each.programs)) as Record<
    string,
    JobDescription
  >;
  expect(jobs.map(({ id }) => programs[id]?.program)).toMatchObject([
    { kind: 'wasm', definition: wasm },
    { kind: 'javascript', source: program.source, shared: { table: ['ü'] } },
    { kind: 'javascript', source: program.source, shared: large },
  ]);
});

test('a job runs on them, and the leader has no socket of theirs', async () => {
  await start();
  const worker = await join(echo);
  const [range, texts] = await Promise.all([
    client.submit({ program, inputs: { range: { start: 5, count: 30 } } }),
    client.submit({ program, inputs: Array.from({ length: 30 }, (_, i) => ({ text: `Ä${i}` })) }),
  ]);
  const values: unknown[] = [];
  for await (const result of client.results(range.id, { follow: true }))
    values.push(valueOf(result));
  expect(values).toHaveLength(30);
  expect(new Set(values)).toEqual(new Set(Array.from({ length: 30 }, (_, i) => i + 5)));
  for await (const result of client.results(texts.id, { follow: true })) {
    expect(valueOf(result)).toEqual({ text: `Ä${result.index}` });
  }
  expect([couple.sessions.size, couple.follower.server.workerSockets]).toEqual([1, 1]);
  expect(couple.leader.server.workerSockets).toBe(0);
  const [row] = await client.workers();
  expect(row).toMatchObject({ id: worker.id, total_completed: 60, status: 'online' });
  const sequences = assignsOf(worker).map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.map((_, i) => i + 1));
});

test('a dispatch with large inputs comes in several frames, and what has not come is not taken for lost', async () => {
  await start(undefined, { heartbeatIntervalMs });
  const worker = await join(nothing);
  const long = 'x'.repeat(700_000);
  const job = await client.submit({ program, inputs: [long, long, long, 'short'] });
  await expect.poll(() => assigned(worker).length).toBe(4);
  const sequences = assignsOf(worker).map(({ sequence }) => sequence);
  expect(sequences.length).toBeGreaterThan(1);
  const [first] = assignsOf(worker);
  const beat = async (id: number, assign_sequence: number, held: readonly Assignment[]) => {
    // As often as it was told, and for longer than it takes to miss an attempt.
    await new Promise((resolve) => setTimeout(resolve, heartbeatIntervalMs));
    const said = { heartbeat_id: id, telemetry: {}, assign_sequence, running: held.map(ref) };
    worker.say({ type: 'heartbeat', ...said });
    await expect.poll(() => heard(worker)).toBe(id);
  };
  // As a worker to which only the first frame has come by now.
  for (let id = 1; id <= 5; id++) await beat(id, 1, first!.assignments);
  expect((await client.job(job.id)).counts.assigned).toBe(4);
  // All have come, and the worker does not have the last.
  const last = sequences.at(-1)!;
  for (let id = 6; id <= 10; id++) await beat(id, last, assigned(worker).slice(0, 3));
  await expect
    .poll(() => assigned(worker).map(({ index, attempt }) => [index, attempt]))
    .toContainEqual([3, 2]);
  expect(assigned(worker).map(({ input }) => (input as string).length)).toEqual([
    700_000, 700_000, 700_000, 5, 5,
  ]);
});

test.each(['as JSON', 'packed'])(
  'a state of a checkpoint goes to the next worker: %s',
  async (how) => {
    await start();
    const one = await join(nothing, 1);
    await client.submit({ program, inputs: ['a'] });
    await expect.poll(() => assigned(one).length).toBe(1);
    const [task] = assigned(one);
    const state = { at: 'x'.repeat(2_000_000) };
    const text = JSON.stringify(state);
    const kept =
      how === 'packed'
        ? {
            state_gzip: gzipSync(text).toString('base64'),
            sha256: createHash('sha256').update(text).digest('hex'),
            size_bytes: text.length,
          }
        : { state };
    const report = { ...ref(task!), sequence: 1, progress: 0.5, ...kept };
    one.say({ type: 'checkpoint', checkpoints: [report] });
    await expect
      .poll(() => one.received.at(-1))
      .toMatchObject({ accepted: [{ kind: 'checkpoint' }] });
    one.say({ type: 'bye', reason: 'enough' });
    expect(await one.closed).toBe(1000);
    const other = await join(nothing, 1);
    await expect.poll(() => assigned(other).length).toBe(1);
    expect(assigned(other)[0]).toMatchObject({
      attempt: 2,
      checkpoint: { sequence: 1, progress: 0.5, state },
    });
  },
);

test('a damaged state is dropped, and the task resumes from the one before', async () => {
  const gate = gated(openSqliteStore(':memory:'));
  await start(gate.store);
  const one = await join(nothing, 1);
  const job = await client.submit({ program, inputs: ['a'] });
  await expect.poll(() => assigned(one).length).toBe(1);
  for (const sequence of [1, 2]) {
    const report = { ...ref(assigned(one)[0]!), sequence, progress: sequence / 4, state: sequence };
    one.say({ type: 'checkpoint', checkpoints: [report] });
    await expect.poll(() => acks(one)).toBe(sequence);
  }
  const [, newest] = await client.checkpoints(job.id);
  gate.override({
    readCheckpointState: async (id) =>
      String(id) === newest!.id
        ? { encoding: 'json', text: '"other"' }
        : { encoding: 'json', text: '1' },
  });
  one.say({ type: 'bye', reason: 'enough' });
  const other = await join(nothing, 1);
  await expect.poll(() => assigned(other).length).toBe(1);
  expect(assigned(other)[0]!.checkpoint).toEqual({ sequence: 1, progress: 0.25, state: 1 });
  const record = couple.coordinator.state.jobs.get(job.id)!.tasks.get(0)!;
  await expect.poll(() => record.checkpoints.map(({ id }) => String(id))).not.toContain(newest!.id);
});

function acks({ received }: ScriptedWorker): number {
  return received.filter((message) => message.type === 'ack' && message.accepted.length > 0).length;
}

test('an input that is damaged fails its task alone', async () => {
  const gate = gated(openSqliteStore(':memory:'));
  await start(gate.store);
  const readInputs = gate.store.readInputs.bind(gate.store);
  gate.override({
    readInputs: async (key, indices) => {
      if (indices.includes(1)) throw new StoreFault('value_damaged', 'It is damaged.');
      return readInputs(key, indices);
    },
  });
  await join(echo);
  const job = await client.submit({ program, inputs: ['a', 'b', 'c'], max_attempts: 1 });
  await expect.poll(() => client.job(job.id)).toMatchObject({ counts: { failed: 1 } });
  const { counts } = await client.job(job.id);
  expect(counts).toMatchObject({ completed: 2, failed: 1 });
  expect(await client.task(job.id, 1)).toMatchObject({
    status: 'failed',
    error: { type: 'payload_unreadable' },
  });
});

test('a member that cannot reach the database fails no task: the worker comes back elsewhere', async () => {
  const gate = gated(openSqliteStore(':memory:'));
  await start(gate.store);
  couple.follower.cluster.close();
  // The database that this member sees, not that of the leader.
  let isCut = true;
  const cut = new Proxy(gate.store, {
    get: (store, name: keyof Store) =>
      name === 'readInputs' && isCut
        ? async () => {
            throw new StoreFault('store_read_failed', 'Nobody answers.');
          }
        : (store[name] as () => unknown).bind(store),
  });
  const told: string[] = [];
  const runtime = createRealRuntime();
  const onError = ({ message }: Error) => void told.push(message);
  const sessions = new GatewaySessions({ store: cut, runtime, onError });
  const line = lineOf('three', sessions)(couple.leader.place('term-1'));
  await expect.poll(() => line.isOpen).toBe(true);
  const received: CoordinatorMessage[] = [];
  let closedFor: string | undefined;
  const session = sessions.open({
    send: (frame) => void received.push(...([JSON.parse(frame)].flat() as CoordinatorMessage[])),
    close: (reason) => (closedFor = reason),
  });
  const device = { type: 'pc', platform: 'linux' };
  session.receive([{ type: 'hello', protocol: 1, device, attempts: [] }], 100);
  await expect.poll(() => received.map(({ type }) => type)).toEqual(['welcome']);
  const atLeader = connect(couple.leader.url);
  const job = await atLeader.submit({ program, inputs: ['a'] });
  await expect.poll(() => closedFor).toBe('the coordinator failed at this frame');
  expect(told).toEqual(['Nobody answers.']);
  isCut = false;
  const worker = await ScriptedWorker.connect(couple.leader.url, echo, { slots: 4 });
  worker.end();
  const [welcome] = received;
  if (welcome?.type !== 'welcome') throw new Error('no welcome');
  const again = sessions.open({ send: () => undefined, close: () => undefined });
  const { worker_id, worker_token } = welcome;
  again.receive(
    [{ type: 'hello', protocol: 1, worker_id, worker_token: worker_token!, device, attempts: [] }],
    100,
  );
  await ScriptedWorker.connect(couple.leader.url, echo, { slots: 4 });
  // It waits there, or with whoever came.
  const { status, counts } = await atLeader.job(job.id);
  expect([status, counts.failed]).toEqual(['running', 0]);
  line.close();
});

test('a token that is taken back ends the socket where it is', async () => {
  await start();
  const made = await couple.coordinator.tokens.create({ kind: 'admin' });
  if (!made.ok) throw new Error('no token');
  const asAdmin = connect(couple.follower.url, { token: made.value.token });
  const link = await couple.coordinator.tokens.create({ kind: 'join' });
  if (!link.ok) throw new Error('no token');
  const url = couple.follower.url;
  const worker = await ScriptedWorker.connect(url, nothing, {}, link.value.token);
  expect(couple.sessions.size).toBe(1);
  // It has a token of its own by now.
  await couple.coordinator.tokens.revoke(link.value.resource.id);
  const [own] = await couple.coordinator.tokens.listOfWorkers();
  expect(own!.worker_id).toBe(worker.id);
  await asAdmin.workers();
  await couple.coordinator.tokens.revoke(own!.id);
  expect(await worker.closed).toBe(1000);
  expect(worker.received.map(({ type }) => type)).toContain('deregistered');
  const refused = new WebSocket(`${url.replace('http', 'ws')}/api/workers/connect`, {
    headers: { authorization: `Bearer ${link.value.token}` },
  });
  const [, answer] = await once(refused, 'unexpected-response');
  expect(answer.statusCode).toBe(401);
  refused.on('error', () => undefined);
  refused.terminate();
});

test('a trunk that breaks is told to workers, which come back with what they hold', async () => {
  await start();
  const worker = await join(nothing);
  const job = await client.submit({ program, inputs: ['a', 'b'] });
  await expect.poll(() => assigned(worker).length).toBe(2);
  couple.follower.cluster.follow(couple.leader.place('term-1'));
  expect(await worker.closed).toBe(1001);
  await expect
    .poll(() => couple.coordinator.state.workers.get(worker.id)?.connection.state)
    .toBe('grace');
  // It has the time besides in which it would have noticed by itself.
  const { leaseMs, graceMs } = couple.coordinator.state.settings;
  const { grace } = couple.coordinator.state.workers.get(worker.id)!;
  expect(grace.at - Date.now()).toBeGreaterThan(leaseMs + graceMs - 5_000);
  expect((await client.job(job.id)).counts.assigned).toBe(2);
  await expect.poll(() => couple.follower.cluster.isReady).toBe(true);
});

test('a worker that closes its socket has the usual grace', async () => {
  await start();
  const worker = await join(nothing);
  worker.end();
  await expect
    .poll(() => couple.coordinator.state.workers.get(worker.id)?.connection.state)
    .toBe('grace');
  const { graceMs } = couple.coordinator.state.settings;
  const { grace } = couple.coordinator.state.workers.get(worker.id)!;
  expect(grace.at - Date.now()).toBeLessThanOrEqual(graceMs);
  expect(couple.sessions.size).toBe(0);
});

test.each(['no json', '{}', '[["gone"]]', '[["open",1,null,null],["open",1,null,null]]'])(
  'a trunk on which %j is said is cut',
  async (frame) => {
    await start();
    const socket = new WebSocket(`${couple.leader.url.replace('http', 'ws')}/api/trunk`, {
      headers: { authorization: `Bearer ${clusterSecret}` },
    });
    await once(socket, 'open');
    socket.send(JSON.stringify({ trunk: 1, term: 'term-1', member: 'four', version: '1' }));
    await expect.poll(() => couple.leader.server.trunks).toContain('four');
    const closed = once(socket, 'close');
    socket.send(frame);
    expect((await closed)[0]).toBe(1006);
    expect(couple.leader.server.trunks).toEqual(['two']);
  },
);
