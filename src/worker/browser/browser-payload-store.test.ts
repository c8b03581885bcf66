import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createBrowserPayloadStore } from './browser-payload-store.ts';

const shaOf = (text: string) => createHash('sha256').update(text).digest('hex');

function store(hasSubtle: boolean) {
  const asked: { readonly url: string; readonly request: RequestInit }[] = [];
  const transfers: number[] = [];
  const payloads = createBrowserPayloadStore({
    origin: 'https://host',
    token: () => 'secret',
    onTransfer: (bytes) => transfers.push(bytes),
    hasSubtle,
    fetch: ((url: string, request: RequestInit) => {
      asked.push({ url, request });
      return Promise.resolve(new Response('[1]', { status: 200 }));
    }) as typeof fetch,
  });
  return { payloads, asked, transfers };
}

describe.each([true, false])('with hashes of the browser: %s', (hasSubtle) => {
  test('a large state is gzipped, with the hash of its text', async () => {
    const text = JSON.stringify({ é: 'x'.repeat(5_000) });
    const state = await store(hasSubtle).payloads.pack(text);
    const whole = { sha256: shaOf(text), sizeBytes: Buffer.byteLength(text) };
    expect(state).toMatchObject({ encoding: 'gzip', whole });
    const base64 = state.encoding === 'gzip' ? state.base64 : '';
    expect(gunzipSync(Buffer.from(base64, 'base64')).toString()).toBe(text);
  });

  test('an input is fetched with the token of the worker, and compared with its name', async () => {
    const { payloads, asked, transfers } = store(hasSubtle);
    expect(await payloads.fetchInput(shaOf('[1]'))).toBe('[1]');
    expect(asked).toMatchObject([
      {
        url: `https://host/api/blobs/${shaOf('[1]')}`,
        request: { headers: { authorization: 'Bearer secret' }, credentials: 'omit' },
      },
    ]);
    expect(transfers).toEqual([3]);
  });

  test('a result that is too large for a message is stored under its hash', async () => {
    const { payloads, asked } = store(hasSubtle);
    const value = JSON.stringify('x'.repeat(1024 * 1024));
    expect(payloads.isLarge(value)).toBe(true);
    expect(await payloads.storeResult(value)).toBe(shaOf(value));
    expect(asked[0]?.request.method).toBe('PUT');
  });
});
