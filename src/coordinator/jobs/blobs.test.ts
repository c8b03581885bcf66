// Blobs while time passes: kept as long as something refers to them, then collected.

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { submission, VirtualCluster } from '../../../test/support/virtual-cluster.ts';
import {
  blobReferenceOf,
  bytesReference,
  payloadReferenceOf,
} from '../../protocol/blob-reference.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Uploads the text, and gives its hash. */
async function put(cluster: VirtualCluster, text: string): Promise<string> {
  const sha256 = createHash('sha256').update(text).digest('hex');
  const upload = await cluster.answer(cluster.coordinator.blobs.receive(sha256));
  await cluster.answer(upload.append(Buffer.from(text)));
  expect(await cluster.answer(upload.finish())).toMatchObject({ ok: true });
  return sha256;
}

async function isThere(cluster: VirtualCluster, sha256: string): Promise<boolean> {
  return (await cluster.answer(cluster.coordinator.blobs.find(sha256))) !== undefined;
}

describe('a blob', () => {
  test('that nothing refers to stays for an hour after it was uploaded last', async () => {
    const cluster = await VirtualCluster.start();
    const sha256 = await put(cluster, 'a');
    await cluster.advance(50 * minute);
    await put(cluster, 'a');
    await cluster.advance(55 * minute);
    expect(await isThere(cluster, sha256)).toBe(true);
    await cluster.advance(15 * minute);
    expect(await isThere(cluster, sha256)).toBe(false);
  });

  test('of an input stays as long as its job, also after a restart', async () => {
    const cluster = await VirtualCluster.start();
    const [small, streamed] = [await put(cluster, '1'), await put(cluster, '2')];
    await cluster.submit('j', [{ $blob: small }]);
    cluster.runtime.names.push('k');
    const stream = cluster.coordinator.submissions.stream(submission());
    await cluster.answer(stream.append([`{"$blob":"${streamed}"}`]));
    await cluster.advance(2 * hour);
    await cluster.answer(stream.finish());
    await cluster.crash();
    await cluster.advance(2 * hour);
    expect([await isThere(cluster, small), await isThere(cluster, streamed)]).toEqual([true, true]);
    for (const id of ['j', 'k']) {
      await cluster.answer(cluster.coordinator.jobs.cancel(id));
      await cluster.answer(cluster.coordinator.jobs.delete(id));
    }
    await cluster.advance(10 * minute);
    expect([await isThere(cluster, small), await isThere(cluster, streamed)]).toEqual([
      false,
      false,
    ]);
  });

  test('of a program, of a shared value or in a result stays as long as its job', async () => {
    const cluster = await VirtualCluster.start();
    const module = await put(cluster, 'a module');
    const given = await put(cluster, '"given"');
    const whole = await put(cluster, 'a whole result');
    const part = await put(cluster, 'a part of one');
    const shared = JSON.stringify('y'.repeat(70_000));
    const made = createHash('sha256').update(shared).digest('hex');
    const program = { kind: 'wasm', module: { $blob: module } } as const;
    await cluster.submit('j', [1, 2], { program, shared });
    await cluster.submit('k', [1], { shared: `{"$bytes":"${given}"}` });
    const worker = await cluster.join('w', {
      slots: 3,
      kinds: ['javascript', 'wasm'],
      hands: ['shared'],
    });
    worker.complete('j.0', { $bytes: whole });
    const results = [{ ...worker.ref('j.1'), value: [{ $bytes: part }], blobs: [part] }];
    worker.say({ type: 'result', results });
    await cluster.settle();
    const job = await cluster.answer(cluster.coordinator.reads.findJob('j'));
    expect(job?.status).toBe('completed');
    const all = [module, given, whole, part, made];
    await cluster.crash();
    await cluster.advance(3 * hour);
    const areThere = () => Promise.all(all.map((sha256) => isThere(cluster, sha256)));
    expect(await areThere()).toEqual(all.map(() => true));
    await cluster.answer(cluster.coordinator.jobs.cancel('k'));
    for (const id of ['j', 'k']) await cluster.answer(cluster.coordinator.jobs.delete(id));
    await cluster.advance(10 * minute);
    expect(await areThere()).toEqual(all.map(() => false));
  });

  test('that is about to be referred to is not collected in between', async () => {
    const cluster = await VirtualCluster.start();
    const sha256 = await put(cluster, 'a');
    await cluster.advance(59 * minute);
    const stream = cluster.coordinator.submissions.stream(submission());
    await cluster.answer(stream.append([`{"$blob":"${sha256}"}`]));
    await cluster.answer(stream.abort());
    await cluster.advance(50 * minute);
    expect(await isThere(cluster, sha256)).toBe(true);
    await cluster.advance(20 * minute);
    expect(await isThere(cluster, sha256)).toBe(false);
  });

  test('that was cleared away while inputs referred to it refuses their job', async () => {
    const cluster = await VirtualCluster.start();
    const sha256 = await put(cluster, 'a');
    const stream = cluster.coordinator.submissions.stream(submission());
    await cluster.answer(stream.append([`{"$blob":"${sha256}"}`]));
    await cluster.answer(cluster.coordinator.clear());
    expect(await cluster.answer(stream.finish())).toMatchObject({
      ok: false,
      rejection: { code: 'validation_failed' },
    });
  });

  test('that was cleared away while it was sent once more must be sent again', async () => {
    const cluster = await VirtualCluster.start();
    const sha256 = await put(cluster, 'a');
    const again = await cluster.answer(cluster.coordinator.blobs.receive(sha256));
    await cluster.answer(again.append(Buffer.from('a')));
    await cluster.answer(cluster.coordinator.clear());
    expect(await cluster.answer(again.finish())).toMatchObject({
      ok: false,
      rejection: { code: 'overloaded' },
    });
    expect(await put(cluster, 'a')).toBe(sha256);
    expect(await isThere(cluster, sha256)).toBe(true);
  });
});

test('a payload is a reference only when it is nothing else', () => {
  const sha256 = '0123456789abcdef'.repeat(4);
  for (const text of [`{"$blob":"${sha256}"}`, ` { "$blob" : "${sha256}" }\n`]) {
    expect(blobReferenceOf(text)).toBe(sha256);
    expect(payloadReferenceOf(text)).toEqual({ sha256, isBytes: false });
  }
  const bytes = bytesReference(sha256);
  expect(payloadReferenceOf(bytes)).toEqual({ sha256, isBytes: true });
  expect(blobReferenceOf(bytes)).toBeUndefined();
  for (const text of [
    'null',
    `"${sha256}"`,
    `{"$blob":"${sha256.slice(1)}"}`,
    `{"$blob":"${sha256.toUpperCase()}"}`,
    `{"$blob":"${sha256}","more":1}`,
    `[{"$blob":"${sha256}"}]`,
    `{"blob":"${sha256}"}    `,
    `{"$blob":"${sha256}"}${' '.repeat(100)}`,
  ]) {
    expect(payloadReferenceOf(text)).toBeUndefined();
  }
});
