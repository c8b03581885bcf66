// Blobs of two owners: bytes are stored once, and nobody learns from it that another had them.

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import type { BlobPort } from '../port/blobs.ts';
import type { Principal } from '../port/principal.ts';

const ann: Principal = { role: 'client', tokenId: 'ann00000', owner: 'ann', seesAll: false };
const bob: Principal = { ...ann, tokenId: 'bob00000', owner: 'bob' };
/** The principal of the worker with this id. */
const workerW: Principal = { role: 'worker', tokenId: 'w0000000', owner: 'w', seesAll: false };

const text = 'x'.repeat(300_000);

async function put(cluster: VirtualCluster, blobs: BlobPort, bytes = text) {
  const upload = await cluster.answer(blobs.receive(hashOf(bytes)));
  await cluster.answer(upload.append(Buffer.from(bytes)));
  return cluster.answer(upload.finish());
}

function hashOf(bytes: string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function sees(cluster: VirtualCluster, who: Principal, bytes = text): Promise<boolean> {
  const found = cluster.coordinator.for(who).blobs.find(hashOf(bytes));
  return (await cluster.answer(found)) !== undefined;
}

function submit(cluster: VirtualCluster, who: Principal, id: string, inputs: readonly unknown[]) {
  cluster.runtime.names.push(id);
  const list = { type: 'list', inputs: inputs.map((input) => JSON.stringify(input)) } as const;
  return cluster.answer(cluster.coordinator.for(who).submissions.submit(submission(), list));
}

describe('a blob', () => {
  test('that another has put is taken as a new one, and stored once', async () => {
    const cluster = await VirtualCluster.start();
    const { coordinator, disk } = cluster;
    const begun: string[] = [];
    const { gate } = cluster;
    const begin = gate.store.beginBlob.bind(gate.store);
    gate.override({
      beginBlob: () => {
        begun.push('draft');
        return begin();
      },
    });
    const first = await put(cluster, coordinator.for(ann).blobs);
    const second = await put(cluster, coordinator.for(bob).blobs);
    expect(first).toEqual({ ok: true, value: { sizeBytes: text.length, isNew: true } });
    expect(second).toEqual(first);
    // The work is the same, too: as if nobody had the bytes.
    expect(begun).toHaveLength(2);
    expect(disk.blobs.size).toBe(1);
    expect(await put(cluster, coordinator.for(bob).blobs)).toMatchObject({
      value: { isNew: false },
    });
    expect(begun).toHaveLength(2);
  });

  test('that is damaged can be sent again by who has put it', async () => {
    const cluster = await VirtualCluster.start();
    const { blobs } = cluster.coordinator.for(ann);
    await put(cluster, blobs);
    // As the store answers about one that it has found damaged.
    cluster.gate.override({ touchBlob: async () => false });
    expect(await put(cluster, blobs)).toMatchObject({ ok: true });
  });

  test('is not there for another, before and after a restart', async () => {
    const cluster = await VirtualCluster.start();
    await put(cluster, cluster.coordinator.for(ann).blobs);
    for (let life = 1; life <= 2; life++) {
      expect([await sees(cluster, ann), await sees(cluster, bob)]).toEqual([true, false]);
      await cluster.crash();
    }
  });

  test('cannot be had by naming it: the bytes must be sent', async () => {
    const cluster = await VirtualCluster.start();
    const sha256 = hashOf(text);
    const { coordinator } = cluster;
    await put(cluster, coordinator.for(ann).blobs);
    const upload = await cluster.answer(coordinator.for(bob).blobs.receive(sha256));
    await cluster.answer(upload.append(Buffer.from('something else')));
    expect(await cluster.answer(upload.finish())).toMatchObject({ ok: false });
    const given = await cluster.answer(coordinator.for(bob).blobs.receive(sha256));
    given.abandon();
    expect(await sees(cluster, bob)).toBe(false);
  });

  test('of another is to inputs as one that is not there', async () => {
    const cluster = await VirtualCluster.start();
    await put(cluster, cluster.coordinator.for(ann).blobs);
    const [foreign, unknown] = [hashOf(text), hashOf('nobody has this')];
    const [one, other] = await Promise.all(
      [foreign, unknown].map((sha256) => submit(cluster, bob, 'never', [{ $blob: sha256 }])),
    );
    expect(JSON.stringify(one)).toBe(JSON.stringify(other).replace(unknown, foreign));
    const stream = cluster.coordinator.for(bob).submissions.stream(submission());
    expect(await cluster.answer(stream.append([`{"$blob":"${foreign}"}`]))).toEqual(one);
    await cluster.answer(stream.abort());
    expect(await submit(cluster, ann, 'a', [{ $blob: foreign }])).toMatchObject({ ok: true });
  });

  test('is collected when nothing refers to it, for all who have put it', async () => {
    const cluster = await VirtualCluster.start();
    for (const who of [ann, bob]) await put(cluster, cluster.coordinator.for(who).blobs);
    await cluster.advance(70 * 60_000);
    expect([await sees(cluster, ann), await sees(cluster, bob)]).toEqual([false, false]);
    expect(cluster.disk.blobs.size).toBe(0);
  });
});

describe('a worker', () => {
  test('reads the blobs of the attempts that it has, and no others', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    const other = 'y'.repeat(10);
    for (const bytes of [text, other])
      await put(cluster, cluster.coordinator.for(ann).blobs, bytes);
    const both = [{ $blob: hashOf(text) }, { $blob: hashOf(other) }];
    await submit(cluster, ann, 'a', both);
    expect([...worker.given.keys()]).toEqual(['a.0']);
    expect(await sees(cluster, workerW)).toBe(true);
    expect(await sees(cluster, workerW, other)).toBe(false);
    expect(await sees(cluster, { ...workerW, owner: 'another' })).toBe(false);
    worker.complete('a.0');
    await cluster.settle();
    expect(await sees(cluster, workerW)).toBe(false);
    expect(await sees(cluster, workerW, other)).toBe(true);
  });

  test('hands its owner the result that it has put', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await submit(cluster, ann, 'a', [1]);
    await put(cluster, cluster.coordinator.for(workerW).blobs);
    expect(await sees(cluster, ann)).toBe(false);
    worker.complete('a.0', { $blob: hashOf(text) });
    await cluster.settle();
    expect([await sees(cluster, ann), await sees(cluster, bob)]).toEqual([true, false]);
  });

  test('cannot hand out what is another owner’s: a program may return any reference', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await put(cluster, cluster.coordinator.for(ann).blobs);
    await submit(cluster, bob, 'b', [1]);
    worker.complete('b.0', { $blob: hashOf(text) });
    await cluster.settle();
    const refused = worker.takeOnly('reject').flatMap(({ rejected }) => rejected);
    expect(refused).toMatchObject([{ task_id: 'b.0', code: 'unknown_blob' }]);
    expect(await sees(cluster, bob)).toBe(false);
    // A reference to what its owner sees anyway is passed on.
    await put(cluster, cluster.coordinator.for(bob).blobs);
    worker.complete('b.0', { $blob: hashOf(text) });
    await cluster.settle();
    expect(worker.takeOnly('ack')).toMatchObject([{ accepted: [{ task_id: 'b.0' }] }]);
  });
});

test('a worker saves no state that it has not put: whoever goes on from it may read it', async () => {
  const cluster = await VirtualCluster.start();
  const worker = await cluster.join('w', { slots: 3 });
  const { blobs, tokens } = cluster.coordinator;
  await put(cluster, cluster.coordinator.for(ann).blobs);
  await put(cluster, blobs, 'of the admin');
  await submit(cluster, bob, 'b', [1]);
  await cluster.submit('early');
  const save = async (task: string, bytes = text) => {
    const sha256 = hashOf(bytes);
    const state = { state_blob: sha256, sha256, size_bytes: 9 };
    const report = { ...worker.ref(task), sequence: 1, progress: 0.5, ...state };
    worker.say({ type: 'checkpoint', checkpoints: [report] });
    await cluster.settle();
    const refused = worker.takeOnly('reject').flatMap(({ rejected }) => rejected);
    return refused[0]?.code ?? 'saved';
  };
  expect(await save('b.0')).toBe('unknown_blob');
  // Where nobody needs a token, nobody says whose bytes are.
  expect(await save('early.0')).toBe('saved');
  await cluster.answer(tokens.create({ kind: 'admin' }));
  await cluster.submit('late');
  expect(await save('late.0', 'of the admin')).toBe('unknown_blob');
  await put(cluster, cluster.coordinator.for(workerW).blobs);
  expect([await save('b.0'), await save('late.0')]).toEqual(['saved', 'saved']);
});

describe('a state that a worker names by its blob', () => {
  const bytes = 'not even packed';
  const save = (worker: Awaited<ReturnType<VirtualCluster['join']>>, task: string) => {
    const state = { state_blob: hashOf(bytes), sha256: hashOf('1'), size_bytes: 1 };
    const checkpoint = { ...worker.ref(task), sequence: 1, progress: 0.5, ...state };
    worker.say({ type: 'checkpoint', checkpoints: [checkpoint] });
  };

  test('is not another owner’s, and nothing tells that it is there', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await put(cluster, cluster.coordinator.for(ann).blobs, bytes);
    await submit(cluster, bob, 'b', [1]);
    save(worker, 'b.0');
    await cluster.settle();
    const refused = worker.takeOnly('reject').flatMap(({ rejected }) => rejected);
    expect(refused).toMatchObject([
      {
        code: 'unknown_blob',
        detail: `No blob has the hash ${hashOf(bytes)}; upload it before the checkpoint.`,
      },
    ]);
    await put(cluster, cluster.coordinator.for(workerW).blobs, bytes);
    save(worker, 'b.0');
    await cluster.settle();
    expect(worker.takeOnly('ack')).toMatchObject([{ accepted: [{ kind: 'checkpoint' }] }]);
  });

  test('is read by nobody because of that, the worker included that resumes from it', async () => {
    const cluster = await VirtualCluster.start();
    const worker = await cluster.join('w');
    await put(cluster, cluster.coordinator.for(ann).blobs, bytes);
    await cluster.submit('a');
    save(worker, 'a.0');
    await cluster.settle();
    expect(worker.takeOnly('ack')).toMatchObject([{ accepted: [{ kind: 'checkpoint' }] }]);
    // It is damaged as a state, but that is found only when it has been read.
    const begun = Promise.withResolvers<null>();
    const goOn = Promise.withResolvers<null>();
    const read = cluster.gate.store.readBlob.bind(cluster.gate.store);
    cluster.gate.override({
      readBlob: async (sha256) => {
        begun.resolve(null);
        await goOn.promise;
        return read(sha256);
      },
    });
    worker.fail('a.0');
    await cluster.advance(3_000);
    await begun.promise;
    expect(await sees(cluster, workerW, bytes)).toBe(false);
    goOn.resolve(null);
    await cluster.settle();
  });
});

test('what a worker is told of the owner keeps owners apart', async () => {
  const cluster = await VirtualCluster.start();
  const worker = await cluster.join('w', { slots: 4 });
  await submit(cluster, ann, 'a', [1]);
  await submit(cluster, { ...ann, owner: 'local' }, 'l', [1]);
  await submit(cluster, { ...ann, owner: '@local' }, 'm', [1]);
  await cluster.submit('plain');
  const owners = ['a', 'l', 'm', 'plain'].map((id) => worker.given.get(`${id}.0`)![0]!.owner);
  expect(owners).toEqual(['ann', '@local', '@@local', 'local']);
});

describe('a worker', () => {
  test('sees what the program and the shared value of its attempts name, and nothing of other jobs', async () => {
    const cluster = await VirtualCluster.start();
    const { blobs, submissions } = cluster.coordinator.for(ann);
    const [module, shared, other] = ['a module', '{"table":1}', 'of another job'];
    for (const bytes of [module, shared, other]) await put(cluster, blobs, bytes);
    const list = { type: 'list', inputs: ['1'] } as const;
    const program = (bytes: string) =>
      ({ kind: 'wasm', module: { $blob: hashOf(bytes) } }) as const;
    cluster.runtime.names.push('j', 'k');
    const given = submission({
      program: program(module),
      shared: `{"$blob":"${hashOf(shared)}"}`,
    });
    expect(await cluster.answer(submissions.submit(given, list))).toMatchObject({ ok: true });
    const another = submission({ program: program(other), hold: true });
    expect(await cluster.answer(submissions.submit(another, list))).toMatchObject({ ok: true });
    const all = () =>
      Promise.all([module, shared, other].map((each) => sees(cluster, workerW, each)));
    const worker = await cluster.join('w', { kinds: ['wasm'], hands: ['shared'] });
    expect(await all()).toEqual([true, true, false]);
    worker.complete('j.0');
    await cluster.settle();
    expect(await all()).toEqual([false, false, false]);
  });
});
