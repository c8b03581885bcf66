import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { connect } from './connect.ts';
import { MusterError } from './errors.ts';

/** A coordinator that keeps blobs, and is overloaded at first. */
function startBlobs() {
  const blobs = new Map<string, Uint8Array<ArrayBuffer>>();
  let refusals = 1;
  const answer = (status: number, body: object, headers = {}) =>
    new Response(JSON.stringify(body), { status, headers });
  const muster = connect('http://coordinator', {
    fetch: async (url, init) => {
      const sha256 = url.slice('http://coordinator/api/blobs/'.length);
      if (refusals-- > 0) return answer(429, { detail: 'Later.', code: 'overloaded' });
      if (init.method === 'PUT') {
        blobs.set(sha256, init.body as Uint8Array<ArrayBuffer>);
        return answer(201, {});
      }
      const bytes = blobs.get(sha256);
      if (bytes !== undefined) return new Response(bytes);
      return answer(404, { detail: 'No blob has this hash.', code: 'unknown_blob' });
    },
  });
  return { blobs, muster };
}

const sha256Of = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('a value is uploaded as JSON under its hash, and comes back as the value', async () => {
  const { muster, blobs } = startBlobs();
  const value = { list: [1, 'é'], more: null };
  const ref = await muster.putBlob(value);
  expect(ref).toEqual({ $blob: sha256Of(JSON.stringify(value)) });
  expect([...blobs.keys()]).toEqual([ref.$blob]);
  expect(await muster.getBlob(ref)).toEqual(value);
});

test('bytes are uploaded as they are, from whatever holds them', async () => {
  const { muster } = startBlobs();
  const bytes = Uint8Array.of(0, 1, 2, 255);
  for (const given of [bytes, bytes.buffer, new DataView(bytes.buffer), Buffer.from(bytes)]) {
    const ref = await muster.putBlob(given);
    expect(ref).toEqual({ $blob: sha256Of(bytes) });
    expect(await muster.getBlobBytes(ref)).toEqual(bytes);
  }
  const part = await muster.putBlob(bytes.subarray(1, 3));
  expect(await muster.getBlobBytes(part)).toEqual(Uint8Array.of(1, 2));
  await expect(muster.getBlob(part)).rejects.toThrow('is not JSON');
});

test('a value that JSON would change is refused', async () => {
  const { muster, blobs } = startBlobs();
  const value: unknown = { table: new Map() };
  await expect(muster.putBlob(value)).rejects.toThrow('value.table is a Map: use Array.from(it)');
  await expect(muster.putBlob(undefined as unknown)).rejects.toThrow(
    'value is undefined: use null',
  );
  expect(blobs.size).toBe(0);
});

test('a blob that does not exist is reported as such', async () => {
  const { muster } = startBlobs();
  const asked = muster.getBlob({ $blob: 'ab'.repeat(32) });
  await expect(asked).rejects.toBeInstanceOf(MusterError);
  await expect(asked).rejects.toMatchObject({ status: 404, code: 'unknown_blob' });
});
