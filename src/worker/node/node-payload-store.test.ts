// Packing, and blobs of a small HTTP server that the test plays the coordinator with.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BlobClient } from '../payloads/blob-client.ts';
import type { BlobPayloadStore } from '../payloads/blob-payload-store.ts';
import { createNodePayloadStore } from './node-payload-store.ts';

const shaOf = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

class BlobServer {
  readonly blobs = new Map<string, Buffer>();
  readonly asked: string[] = [];
  readonly paths: string[] = [];
  /** Answers for the next calls, before anything else. */
  readonly moods: number[] = [];
  readonly others: ((response: ServerResponse) => void)[] = [];
  readonly server = createServer((request, response) => void this.#answer(request, response));

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, headers } = request;
    const sha256 = url!.replace('/api/blobs/', '');
    this.asked.push(`${method} ${headers.authorization}`);
    this.paths.push(url!);
    const body = Buffer.concat(await request.toArray());
    const other = this.others.shift();
    if (other !== undefined) return other(response);
    const mood = this.moods.shift();
    if (mood === 0) return void request.socket.destroy();
    if (mood !== undefined) return void response.writeHead(mood).end('{}');
    if (method === 'PUT') {
      this.blobs.set(sha256, body);
      return void response.writeHead(201).end(JSON.stringify({ sha256, size_bytes: body.length }));
    }
    const found = this.blobs.get(sha256);
    response.writeHead(found === undefined ? 404 : 200).end(found);
  }
}

let server: BlobServer;
let payloads: BlobPayloadStore;
/** Of this worker. */
let folder: string;
let token: string | null;
/** Bytes of each transfer that was told, in order. */
let transfers: number[];

beforeEach(async () => {
  token = 'secret';
  folder = mkdtempSync(join(tmpdir(), 'muster-blobs-'));
  server = new BlobServer();
  server.server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  transfers = [];
  const blobs = new BlobClient(
    () => `http://127.0.0.1:${port}`,
    () => token,
    (bytes, ms) => transfers.push(ms > 0 ? bytes : 0),
  );
  payloads = createNodePayloadStore(blobs, 1000, join(folder, 'blobs'));
});

afterEach(() => {
  payloads.close();
  server.server.closeAllConnections();
  server.server.close();
  rmSync(folder, { recursive: true });
});

/** Hard to compress: hexadecimal digits of hashes. */
const noise = (characters: number) =>
  Array.from({ length: Math.ceil(characters / 64) }, (_, i) => shaOf(`${i}`)).join('');

describe('a state', () => {
  test('of up to 1024 bytes travels as it is', () => {
    const largest = JSON.stringify('x'.repeat(1022));
    expect(payloads.pack(largest)).toEqual({ encoding: 'json', text: largest });
    expect(payloads.pack(JSON.stringify('é'.repeat(511)))).toMatchObject({ encoding: 'json' });
    expect(payloads.pack(JSON.stringify('é'.repeat(512)))).toBeInstanceOf(Promise);
  });

  test('that is larger is gzipped, with the hash and the size of its text', async () => {
    const text = JSON.stringify({ é: Array.from({ length: 1000 }, (_, i) => i) });
    const state = await payloads.pack(text);
    expect(state).toMatchObject({
      encoding: 'gzip',
      whole: { sha256: shaOf(text), sizeBytes: Buffer.byteLength(text) },
    });
    const base64 = state.encoding === 'gzip' ? state.base64 : '';
    expect(gunzipSync(Buffer.from(base64, 'base64')).toString()).toBe(text);
    expect(server.asked).toEqual([]);
  });

  test('of more than 64 KiB when gzipped is uploaded as a blob, with the token', async () => {
    const text = JSON.stringify(noise(300_000));
    const state = await payloads.pack(text);
    const whole = { sha256: shaOf(text), sizeBytes: text.length };
    const [[name, bytes]] = [...server.blobs] as [[string, Buffer]];
    expect(state).toEqual({ encoding: 'blob', blobSha256: name, whole });
    expect(shaOf(bytes)).toBe(name);
    expect(gunzipSync(bytes).toString()).toBe(text);
    expect(server.asked).toEqual(['PUT Bearer secret']);
  });

  test.each([500, 0])('whose upload fails (%i) is not tried again', async (mood) => {
    server.moods.push(mood);
    const packing = payloads.pack(JSON.stringify(noise(300_000)));
    await expect(packing).rejects.toThrow(
      mood === 500 ? /answered with 500/ : /could not be asked/,
    );
    expect(server.asked).toHaveLength(1);
  });
});

describe('an input', () => {
  const stored = (text: string) => {
    server.blobs.set(shaOf(text), Buffer.from(text));
    return shaOf(text);
  };

  test('is fetched once, however many tasks have it', async () => {
    const sha256 = stored('["é"]');
    const texts = await Promise.all([1, 2, 3].map(() => payloads.fetchInput(sha256)));
    expect([...texts, await payloads.fetchInput(sha256)]).toEqual(Array(4).fill('["é"]'));
    expect(server.asked).toEqual(['GET Bearer secret']);
  });

  test('is asked for again while the coordinator does not answer', async () => {
    server.moods.push(503, 0);
    expect(await payloads.fetchInput(stored('1'))).toBe('1');
    expect(server.asked).toHaveLength(3);
  });

  test('that is not there is a sentence at once', async () => {
    await expect(payloads.fetchInput(shaOf('no'))).rejects.toThrow(/answered with 404/);
    expect(server.asked).toHaveLength(1);
  });

  test('is forgotten when newer ones need the room', async () => {
    const texts = [1, 2, 3].map((n) => JSON.stringify(`${n}`.repeat(15 * 1024 * 1024)));
    const hashes = texts.map(stored);
    for (const each of hashes) await payloads.fetchInput(each);
    await payloads.fetchInput(hashes[2]!);
    await payloads.fetchInput(hashes[0]!);
    expect(server.asked).toHaveLength(4);
  });

  test('with other bytes than its name says is not taken', async () => {
    server.blobs.set(shaOf('1'), Buffer.from('2'));
    const asked = payloads.fetchInput(shaOf('1')).catch((error: unknown) => String(error));
    await expect.poll(() => server.asked.length).toBeGreaterThan(1);
    payloads.close();
    expect(await asked).toMatch(/holds other bytes|could not be asked/);
  });
});

describe('bytes', () => {
  const stored = (bytes: Uint8Array) => {
    server.blobs.set(shaOf(bytes), Buffer.from(bytes));
    return shaOf(bytes);
  };

  test('of an input are fetched once, and come as they are', async () => {
    const bytes = new Uint8Array([0, 255, 10, 13]);
    const sha256 = stored(bytes);
    const found = [await payloads.fetchBytes(sha256), await payloads.fetchBytes(sha256)];
    expect(found.map((each) => [...each])).toEqual([[...bytes], [...bytes]]);
    expect(server.asked).toHaveLength(1);
  });

  test('of a result are uploaded as they are', async () => {
    const bytes = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
    expect(await payloads.storeBytes(bytes)).toBe(shaOf(bytes));
    expect([...server.blobs.get(shaOf(bytes))!]).toEqual([2, 3]);
    server.moods.push(413);
    await expect(payloads.storeBytes(bytes)).rejects.toMatchObject({
      isFinal: true,
      message: expect.stringContaining('The result is 2 bytes, and they are in no blob. PUT of'),
    });
  });

  test('that a program names lie in files, which the next start finds', async () => {
    expect(existsSync(folder) && existsSync(join(folder, 'blobs'))).toBe(false);
    const sha256 = stored(new Uint8Array(1000).fill(7));
    const held = await payloads.hold([sha256]);
    expect(held.contents.get(sha256)).toEqual({
      path: join(folder, 'blobs', sha256),
      sizeBytes: 1000,
    });
    held.release();
    const { port } = server.server.address() as AddressInfo;
    const client = new BlobClient(
      () => `http://127.0.0.1:${port}`,
      () => token,
    );
    const again = createNodePayloadStore(client, 1000, join(folder, 'blobs'));
    (await again.hold([sha256])).release();
    expect(server.asked).toEqual(['GET Bearer secret']);
    again.close();
  });
});

describe('of a coordinator that means ill', () => {
  const tooLarge = 65 * 1024 * 1024;

  test('an input larger than it was announced is not read to its end', async () => {
    server.others.push((response) => {
      response.write(Buffer.alloc(tooLarge));
      response.on('close', () => response.destroy());
    });
    await expect(payloads.fetchInput(shaOf('1'))).rejects.toThrow(/too large/);
  });

  test('nor one that grows when it is unpacked', async () => {
    const packed = gzipSync(Buffer.alloc(tooLarge));
    server.others.push((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    });
    await expect(payloads.fetchInput(shaOf('1'))).rejects.toThrow(/too large/);
  });

  test.each([302, 307])('nobody else is asked, whoever it says has it (%i)', async (status) => {
    server.others.push((response) => {
      response.writeHead(status, { location: '/a-service-of-this-machine' }).end();
    });
    const stored = payloads.storeResult('[1]');
    expect(await stored).toBe(shaOf('[1]'));
    // The second is the next try.
    expect(server.paths).toEqual([`/api/blobs/${shaOf('[1]')}`, `/api/blobs/${shaOf('[1]')}`]);
  });
});

describe('a result', () => {
  test('is large when the coordinator would not take it as it is', () => {
    expect([998, 999].map((n) => payloads.isLarge(JSON.stringify('x'.repeat(n))))).toEqual([
      false,
      true,
    ]);
  });

  test('is stored as its text, tried until the coordinator answers', async () => {
    server.moods.push(502);
    token = null;
    const value = JSON.stringify(['é'.repeat(1000)]);
    expect(await payloads.storeResult(value)).toBe(shaOf(value));
    expect(server.blobs.get(shaOf(value))?.toString()).toBe(value);
    expect(server.asked).toEqual(['PUT undefined', 'PUT undefined']);
  });

  test('that is refused is not tried again', async () => {
    server.moods.push(413);
    await expect(payloads.storeResult('[1]')).rejects.toThrow(
      /^The result has 3 bytes as JSON, the limit is 1000, and .*answered with 413/,
    );
    expect(server.asked).toHaveLength(1);
  });
});

test('every payload that travels is told with its size, and none that came from the shelf', async () => {
  const text = JSON.stringify(noise(5000));
  const sha256 = await payloads.storeResult(text);
  await payloads.fetchInput(sha256);
  await payloads.fetchInput(sha256);
  expect(transfers).toEqual([text.length, text.length]);
});
