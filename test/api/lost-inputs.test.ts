// The database crashes while a job is sent, and loses the newest of what has come: the job is refused as a whole, and sent again.

import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type Gate, gated } from '../support/gated-store.ts';
import { type LiveServer, program, startLiveServer } from './support/live-server.ts';

const count = 5_000;

let disk: Store;
let gate: Gate;
let live: LiveServer;
beforeEach(async () => {
  disk = openSqliteStore(':memory:');
  gate = gated(disk);
  live = await startLiveServer({}, gate.store);
});
afterEach(() => live.close());

/** As many times as are left. */
function lose(where: 'in the middle' | 'at the end', times: number): void {
  let left = times;
  if (where === 'at the end') {
    gate.override({
      sealStaged: async (...given) => (left-- > 0 ? false : disk.sealStaged(...given)),
    });
  } else {
    gate.override({
      stageInputs: async (jobKey, from, ...given) =>
        from > 0 && left-- > 0 ? false : disk.stageInputs(jobKey, from, ...given),
    });
  }
}

describe.each(['in the middle', 'at the end'] as const)('what was lost is missed %s', (where) => {
  const lost = {
    code: 'busy',
    detail: expect.stringContaining('Send it again') as string,
  };

  test('of a stream, which leaves nothing behind', async () => {
    lose(where, 1);
    const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'once' };
    const body = `${JSON.stringify({ program })}\n${'1\n'.repeat(count)}`;
    const refused = await live.call('POST', '/api/jobs', { body, headers });
    expect([refused.status, refused.body]).toEqual([503, lost]);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await live.call('GET', '/api/jobs')).body).toEqual([]);
    const again = await live.call('POST', '/api/jobs', { body, headers });
    expect([again.status, again.body.task_count]).toEqual([201, count]);
  });

  test('of a long list', async () => {
    lose(where, 1);
    const body = { program, inputs: Array.from({ length: count }, (_, i) => i) };
    const refused = await live.call('POST', '/api/jobs', { json: body });
    expect([refused.status, refused.body]).toEqual([503, lost]);
    expect((await live.call('GET', '/api/jobs')).body).toEqual([]);
    expect((await live.call('POST', '/api/jobs', { json: body })).status).toBe(201);
  });

  test('and the SDK sends the same again, under the same key', async () => {
    lose(where, 2);
    const told: string[] = [];
    const job = await connect(live.url).submitStream(
      { program } as never,
      Array.from({ length: count }, (_, i) => i),
      { onInterruption: ({ message }) => told.push(message) },
    );
    expect(job.task_count).toBe(count);
    expect(told).toEqual([lost.detail, lost.detail]);
    expect((await live.call('GET', '/api/jobs')).body).toHaveLength(1);
  });
});

test('what comes of a stream after it was refused is not kept', async () => {
  lose('in the middle', 1);
  const staged: number[] = [];
  const losing = gate.store.stageInputs.bind(gate.store);
  gate.override({
    stageInputs: async (jobKey, from, ...given) => {
      const isStaged = await losing(jobKey, from, ...given);
      if (isStaged) staged.push(from);
      return isStaged;
    },
  });
  const headers = { 'content-type': 'application/x-ndjson' };
  const asked = request(`${live.url}/api/jobs`, { method: 'POST', headers });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve).once('error', reject);
  });
  asked.write(`${JSON.stringify({ program })}\n`);
  asked.write('1\n'.repeat(count));
  const told = await answer;
  const before = staged.length;
  asked.end('1\n'.repeat(count));
  expect([told.statusCode, await json(told)]).toMatchObject([503, { code: 'busy' }]);
  expect(staged).toHaveLength(before);
});
