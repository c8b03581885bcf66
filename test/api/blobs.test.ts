// Blobs: data that is too large for a message, stored under the SHA-256 of its bytes.

import { request } from 'node:http';
import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blobOf } from '../../src/store/conformance/rows.ts';
import { HandWorker } from './support/hand-worker.ts';
import { type LiveServer, program, startLiveServer } from './support/live-server.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer({ blobBytes: 48 * 2 ** 20 });
});
afterAll(() => live.close());

test('gives back the bytes that were uploaded, for ever', async () => {
  const { sha256, path } = await put(blobOf(700_001));
  const response = await fetch(`${live.url}${path}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/octet-stream');
  expect(response.headers.get('content-length')).toBe('700001');
  expect(response.headers.get('etag')).toBe(`"${sha256}"`);
  expect(response.headers.get('cache-control')).toContain('immutable');
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(Buffer.compare(bytes, blobOf(700_001).bytes)).toBe(0);

  const known = await fetch(`${live.url}${path}`, { headers: { 'if-none-match': `"${sha256}"` } });
  expect([known.status, await known.text()]).toEqual([304, '']);
  const head = await fetch(`${live.url}${path}`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
    200,
    '700001',
    '',
  ]);
});

test('an upload that is repeated is a 200, an empty blob is one, too', async () => {
  const empty = blobOf(0);
  const first = await live.call('PUT', `/api/blobs/${empty.sha256}`);
  expect([first.status, first.body]).toEqual([201, { sha256: empty.sha256, size_bytes: 0 }]);
  const { path, bytes } = await put(blobOf(10, 2));
  const again = await live.call('PUT', path, { body: bytes, headers: { 'content-type': 'x/y' } });
  expect([again.status, again.body.size_bytes]).toEqual([200, 10]);
  expect((await live.call('GET', `/api/blobs/${empty.sha256}`)).text).toBe('');
});

test('bytes of another hash are refused, also under the name of a blob that is there', async () => {
  const { path, bytes } = await put(blobOf(1_000, 3));
  const actual = createHash('sha256').update('else').digest('hex');
  for (const at of [path, `/api/blobs/${'ab'.repeat(32)}`]) {
    const { status, body } = await live.call('PUT', at, { body: 'else' });
    expect(status).toBe(422);
    expect(body.detail).toContain(`The SHA-256 of these 4 bytes is ${actual}, not `);
  }
  expect((await live.call('GET', `/api/blobs/${'ab'.repeat(32)}`)).status).toBe(404);
  const kept = await fetch(`${live.url}${path}`);
  expect(Buffer.compare(new Uint8Array(await kept.arrayBuffer()), bytes)).toBe(0);
});

test('a name that is no SHA-256 cannot be uploaded, and is not there', async () => {
  for (const name of ['x', 'AB'.repeat(32), '__proto__', 'ab'.repeat(33), '%2e%2e%2f']) {
    const sent = await live.call('PUT', `/api/blobs/${name}`, { body: 'x' });
    expect([sent.status, sent.body.errors?.[0]?.path]).toEqual([422, 'sha256']);
    const { status, body } = await live.call('GET', `/api/blobs/${name}`);
    expect([status, body.code]).toEqual([404, 'unknown_blob']);
  }
  const headers = { 'content-encoding': 'gzip' };
  const { path } = await put(blobOf(9, 4));
  expect((await live.call('PUT', path, { body: 'x', headers })).status).toBe(422);
});

test('a large blob goes in and out in bounded memory', async () => {
  const { sha256, bytes } = blobOf(40 * 2 ** 20, 5);
  const path = `/api/blobs/${sha256}`;
  // Garbage must not count. Sender and receiver share this process.
  const held = () => {
    // The second collection finishes what the first one leaves to a background sweep.
    collectGarbage();
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  const before = held();
  const during: number[] = [];
  await send(path, bytes, () => during.push(held() - before));
  const hash = createHash('sha256');
  const response = await fetch(`${live.url}${path}`);
  let size = 0;
  for await (const piece of response.body!) {
    hash.update(piece);
    const isHalfway = size < bytes.length / 2 && size + piece.length >= bytes.length / 2;
    if (isHalfway) during.push(held() - before);
    size += piece.length;
  }
  expect(hash.digest('hex')).toBe(sha256);
  expect(during).toHaveLength(2);
  for (const more of during) expect(more).toBeLessThan(15 * 2 ** 20);
});

test('an upload that breaks off leaves nothing', async () => {
  const { sha256, bytes } = blobOf(3_000_000, 6);
  const path = `/api/blobs/${sha256}`;
  await new Promise<void>((resolve) => {
    const half = request(`${live.url}${path}`, { method: 'PUT' });
    half.on('error', () => resolve());
    half.write(bytes.subarray(0, 1_500_000), () => half.destroy(new Error('gone')));
  });
  expect((await live.call('GET', path)).status).toBe(404);
  await put({ sha256, bytes });
});

test('an input that is a reference goes to the worker as it is', async () => {
  const worker = await HandWorker.register(live);
  const { sha256 } = await put(blobOf(20, 7));
  const ref = { $blob: sha256 };
  await live.submit([1, ref]);
  const lines = `${JSON.stringify({ program })}\n2\n{ "$blob": "${sha256}" }\n`;
  const headers = { 'content-type': 'application/x-ndjson' };
  expect((await live.call('POST', '/api/jobs', { body: lines, headers })).status).toBe(201);
  const inputs = (await worker.claim()).map(({ input }) => input as unknown);
  expect(inputs).toEqual([1, ref, 2, ref]);
});

test('a reference to a blob that is not there refuses the job, by index and hash', async () => {
  const sha256 = 'cd'.repeat(32);
  const ref = { $blob: sha256 };
  const { length } = (await live.call('GET', '/api/jobs')).body;
  const inline = await live.call('POST', '/api/jobs', { json: { program, inputs: [1, 2, ref] } });
  const many = await live.call('POST', '/api/jobs', {
    json: { program, inputs: [...Array(1_500).fill(0), ref] },
  });
  const body = `${JSON.stringify({ program })}\n1\n${JSON.stringify(ref)}\n`;
  const headers = { 'content-type': 'application/x-ndjson' };
  const lines = await live.call('POST', '/api/jobs', { body, headers });
  expect([inline.status, many.status, lines.status]).toEqual([422, 422, 422]);
  expect(inline.body.detail).toContain(
    `inputs[2] refers to the blob ${sha256}, which is not there`,
  );
  expect(many.body.detail).toContain(`inputs[1500] refers to the blob ${sha256}`);
  expect(lines.body.detail).toContain(`inputs[1] refers to the blob ${sha256}`);
  expect((await live.call('GET', '/api/jobs')).body).toHaveLength(length);
  // Objects of another form are plain data, not references.
  await live.submit([{ $blob: 'x' }, { $blob: sha256.toUpperCase() }, { ...ref, more: 1 }, sha256]);
});

test('"Removes … blobs too": a database that was cleared has none', async () => {
  const { path } = await put(blobOf(30, 8));
  await live.call('DELETE', '/api/database/clear');
  expect((await live.call('GET', path)).status).toBe(404);
});

async function put<T extends { sha256: string; bytes: Uint8Array }>(blob: T) {
  const path = `/api/blobs/${blob.sha256}`;
  const { status, body } = await live.call('PUT', path, { body: bodyOf(blob.bytes) });
  expect(status).toBe(201);
  expect(body).toEqual({ sha256: blob.sha256, size_bytes: blob.bytes.length });
  return { ...blob, path };
}

/** In pieces that are not copied first. */
function send(path: string, bytes: Uint8Array, onHalfway: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(`${live.url}${path}`, { method: 'PUT' }, (response) => {
      expect(response.statusCode).toBe(201);
      response.resume().on('end', resolve);
    });
    call.on('error', reject);
    let from = 0;
    const next = () => {
      if (from >= bytes.length) return void call.end();
      const piece = bytes.subarray(from, from + 60_000);
      const half = bytes.length / 2;
      if (from < half && from + 60_000 >= half) onHalfway();
      from += 60_000;
      call.write(piece, next);
    };
    next();
  });
}

function bodyOf(bytes: Uint8Array): RequestInit['body'] {
  return bytes as Uint8Array<ArrayBuffer>;
}
