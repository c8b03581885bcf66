import { expect, test } from 'vitest';
import type { MusterClient } from '../../client/index.ts';
import { withLargeInputs } from './large-inputs.ts';

test('inputs beyond the limit become blobs, and what no blob can hold is told with its place', async () => {
  const uploaded: number[] = [];
  const client = {
    limits: async () => ({ input_bytes: 500_000, blob_bytes: 1_000_000 }),
    putBlob: async (bytes: Uint8Array) => ({ $blob: String(uploaded.push(bytes.length)) }),
  } as unknown as MusterClient;
  async function* values() {
    yield 'short';
    yield 'x'.repeat(400_000);
    yield 'é'.repeat(400_000);
    yield 'x'.repeat(1_000_000);
  }
  const placeOf = (number: number) => `stdin:${number}`;
  const inputs = withLargeInputs(client, { type: 'list', values: values(), placeOf });
  const sent: unknown[] = [];
  const sending = (async () => {
    for await (const value of inputs.values) sent.push(value);
  })();
  await expect(sending).rejects.toThrow(
    'stdin:4 has 1000002 bytes, and an input may have 1000000 (limit blob_bytes).',
  );
  expect(sent).toEqual(['short', 'x'.repeat(400_000), { $blob: '1' }]);
  expect(uploaded).toEqual([800_002]);
});
