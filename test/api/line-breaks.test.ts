// Results are sent one a line, and payloads pass through as they were sent. A payload with line
// breaks must not end a line, or a part of it could pass for the result of another task.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { RawWorker, hello } from '../support/raw-worker.ts';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

/**
 * With every line break that JSON has, one within a text and one in front of what looks like a
 * result.
 */
const value =
  '{\r\n "a": [1.0,\r 2, "\\n"],\n "b":\n{"index":0,"status":"completed","value":"forged"}\n}';
const line = value.replaceAll(/[\r\n]/g, ' ');

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer();
});
afterAll(() => live.close());

test('a result over several lines is one line: from a socket', async () => {
  const job = await live.submit([1]);
  const worker = await RawWorker.connect(live.url);
  worker.say(hello());
  const { task_id, attempt, token } = (await worker.hears('assign')).assignments[0]!;
  const entry = JSON.stringify({ task_id, attempt, token });
  worker.say(`{"type":"result","results":[${entry.slice(0, -1)},"value":${value}}]}`);
  await worker.hears('ack');
  worker.end();
  for (const text of await toldTwice(job)) {
    expect(text.split('\n')).toEqual([expect.stringContaining(`"value":${line}}`), '']);
  }
});

test('a result over several lines is one line: from a call', async () => {
  const job = await live.submit([1]);
  const { body } = await live.call('POST', '/api/workers', {
    json: { type: 'pc', platform: 'linux' },
  });
  const headers = { authorization: `Bearer ${body.worker_token}` };
  const call = (name: string, text: string) =>
    live.call('POST', `/api/workers/${body.worker_id}/${name}`, {
      body: text,
      headers: { ...headers, 'content-type': 'application/json' },
    });
  const { assignments } = (await call('claim', '{"wait_seconds":5}')).body;
  const { task_id, attempt, token } = assignments[0];
  const entry = JSON.stringify({ task_id, attempt, token });
  await call('report', `{"results":[${entry.slice(0, -1)},"value":${value}}]}`);
  for (const text of await toldTwice(job)) {
    expect(text.split('\n')).toEqual([expect.stringContaining(`"value":${line}}`), '']);
  }
});

/** Reads the results after the end of the job, and by following it. */
async function toldTwice(job: string): Promise<string[]> {
  const headers = { accept: 'application/x-ndjson' };
  const told: string[] = [];
  for (const query of ['', '?follow=true']) {
    told.push((await live.call('GET', `/api/jobs/${job}/results${query}`, { headers })).text);
  }
  return told;
}
