// The SDK and inputs beyond the limit: they become blobs on their way, one at a time, and the tasks get
// references to them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, type MusterClient } from '../../src/client/index.ts';
import { defaultLimits } from '../../src/protocol/limits.ts';
import { HandWorker } from './support/hand-worker.ts';
import { type LiveServer, program, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let worker: HandWorker;
let client: MusterClient;
/** Paths of the requests that the client has sent. */
const asked: string[] = [];
beforeAll(async () => {
  live = await startLiveServer({ ...defaultLimits, inputBytes: 100_000, blobBytes: 400_000 });
  worker = await HandWorker.register(live, {});
  client = connect(live.url, {
    fetch: (url, init) => {
      asked.push(`${init?.method ?? 'GET'} ${new URL(url).pathname.slice(0, 11)}`);
      return fetch(url, init);
    },
  });
});
afterAll(() => live.close());

const large = 'é'.repeat(60_000);
const small = { n: 1 };

/** The inputs as workers get them, with blobs replaced by what they hold. */
async function arrived(): Promise<unknown[]> {
  const assignments = await worker.claim();
  const inputs = assignments.toSorted((a, b) => a['index'] - b['index']).map(({ input }) => input);
  await worker.report({
    results: assignments.map(({ task_id, attempt, token }) => {
      return { task_id, attempt, token, value: null };
    }),
  });
  return Promise.all(
    inputs.map(async (input: { readonly $blob?: string }) =>
      input.$blob === undefined ? input : { blob: await client.getBlob({ $blob: input.$blob }) },
    ),
  );
}

async function* slowly(...inputs: readonly unknown[]) {
  for (const input of inputs) {
    await new Promise((resolve) => setImmediate(resolve));
    yield input as string;
  }
}

describe('an input over the limit becomes a blob', () => {
  test('of a list, in one body', async () => {
    await client.submit({ program, inputs: [small, large, 'ü'.repeat(20_000)] } as never);
    expect(await arrived()).toEqual([small, { blob: large }, 'ü'.repeat(20_000)]);
  });

  test('of what is read as it is sent', async () => {
    await client.submitStream({ program } as never, slowly(large, small, large));
    expect(await arrived()).toEqual([{ blob: large }, small, { blob: large }]);
  });

  test('of a list that is streamed, as map does it', async () => {
    const run = client.map([large, 'small'], program.source);
    await run.jobId;
    expect(await arrived()).toEqual([{ blob: large }, 'small']);
    await run;
  });
});

test('short inputs cost no further request', async () => {
  asked.length = 0;
  await client.submit({ program, inputs: [small] } as never);
  await client.submitStream({ program } as never, slowly(small, small));
  expect(asked).toEqual(['POST /api/jobs', 'POST /api/jobs']);
  expect(await arrived()).toHaveLength(3);
});

test('the limit is asked for once, and one input is in hand at a time', async () => {
  asked.length = 0;
  let read = 0;
  const uploadsAtReading: number[] = [];
  const uploads = () => asked.filter((each) => each.startsWith('PUT')).length;
  async function* counted() {
    for (; read < 3; read++) {
      uploadsAtReading.push(uploads());
      yield `${read}${large}`;
      await Promise.resolve();
    }
  }
  await client.submitStream({ program } as never, counted());
  expect(uploadsAtReading).toEqual([0, 1, 2]);
  expect(asked.filter((each) => each.startsWith('GET'))).toEqual(['GET /api/limits']);
  expect(await arrived()).toHaveLength(3);
});

test('one that no blob can hold is refused by name, and no job comes of it', async () => {
  const before = (await client.jobs()).length;
  const huge = 'x'.repeat(500_000);
  const sentence = 'inputs[1] has 500002 bytes, and an input may have 400000 (limit blob_bytes).';
  await expect(client.submit({ program, inputs: [1, huge] } as never)).rejects.toThrow(sentence);
  const streaming = client.submitStream({ program } as never, slowly('a', huge));
  await expect(streaming).rejects.toThrow(sentence);
  expect(await client.jobs()).toHaveLength(before);
});
