// Receivers on this machine are told of the ends of jobs over the whole way: submission, coordinator, store,
// sender, socket.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createAddressRules } from '../../src/server/webhooks/address-rules.ts';
import { signatureOf } from '../../src/server/webhooks/signature.ts';
import { createWebhookSender } from '../../src/server/webhooks/webhook-sender.ts';
import { eventually, type LiveServer, program, startLiveServer } from './support/live-server.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

interface Message {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers each message with the next status, and the last one for ever. */
async function startReceiver(...statuses: readonly number[]) {
  const messages: Message[] = [];
  const server = createServer((request, response) => {
    const message = { headers: request.headers, body: '' };
    const status = statuses[messages.length] ?? statuses.at(-1)!;
    messages.push(message);
    request.on('data', (piece) => (message.body += piece));
    request.on('end', () => response.writeHead(status).end('\u001b[2J'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { messages, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=1` };
}

async function startTelling(allowed: readonly string[] = ['127.0.0.1']): Promise<LiveServer> {
  const webhooks = createAddressRules(allowed);
  const deliver = createWebhookSender({ rules: webhooks, version: '1.2.3' });
  const settings = { notifyPauseMs: 10 };
  const live = await startLiveServer({}, undefined, settings, { deliver, webhooks });
  onTestFinished(() => live.close());
  return live;
}

const settled = (live: LiveServer, id: string) =>
  eventually(
    () => live.call('GET', `/api/jobs/${id}/notifications`),
    ({ body }) => body.length > 0 && body.every(({ state }: { state: string }) => state !== 'due'),
  );

test('a receiver is told of the end of a job, signed, and again until it takes it', async () => {
  const live = await startTelling();
  const { messages, url } = await startReceiver(503, 302, 200);
  const id = await live.submit([2, 3], { name: 'twice\u001b[2J', notify: [{ url, secret }] });
  expect((await live.call('GET', `/api/jobs/${id}/notifications`)).body).toEqual([]);
  await live.worker(({ input }) => ({ value: input }));
  const { body: told } = await settled(live, id);
  expect(told).toMatchObject([
    {
      url: 'http://127.0.0.1:' + new URL(url).port + '/hook?...',
      status: 'completed',
      state: 'delivered',
      attempts: 3,
      last_answer: '200',
      next_attempt_at: null,
    },
  ]);
  expect(messages).toHaveLength(3);
  expect(new Set(messages.map(({ headers }) => headers['webhook-id']))).toEqual(
    new Set([told[0].id]),
  );
  const { headers, body } = messages[2]!;
  const timestamp = Number(headers['webhook-timestamp']);
  expect(headers['webhook-signature']).toBe(
    signatureOf(secret, { id: told[0].id, timestamp, body }),
  );
  expect(JSON.parse(body)).toMatchObject({
    schema: 1,
    type: 'job.completed',
    attempt: 3,
    data: {
      job_id: id,
      name: 'twice\u001b[2J',
      status: 'completed',
      counts: { completed: 2, failed: 0, cancelled: 0 },
      links: { results: `/api/jobs/${id}/results` },
    },
  });
  const { data } = JSON.parse(body);
  expect((await live.call('GET', data.links.results)).body).toHaveLength(2);
});

test('the secret is in no answer, nor what stands behind the question mark', async () => {
  const live = await startTelling();
  const { url } = await startReceiver(200);
  const submitted = await live.call('POST', '/api/jobs', {
    json: { program, inputs: [1], notify: [{ url, secret, on: ['cancelled', 'cancelled'] }] },
  });
  const { id } = submitted.body;
  await live.call('POST', `/api/jobs/${id}/cancel`);
  await settled(live, id);
  const job = await live.call('GET', `/api/jobs/${id}`);
  expect(job.body.notify).toEqual([
    { url: url.replace('key=1', '...'), on: ['cancelled'], signed: true },
  ]);
  const asked = ['/api/jobs', `/api/jobs/${id}/notifications`, `/api/jobs/${id}?tasks=false`];
  const answers = await Promise.all(asked.map((path) => live.call('GET', path)));
  for (const { text } of [submitted, job, ...answers]) {
    expect(text).not.toContain(secret.slice(6));
    expect(text).not.toContain('key=1');
  }
});

test('only those are told who asked for this end, and nobody of a job that is gone', async () => {
  const live = await startTelling();
  const { messages, url } = await startReceiver(410);
  const id = await live.submit([1], {
    notify: [
      { url, on: ['failed'] },
      { url, on: ['cancelled'] },
    ],
  });
  await live.call('POST', `/api/jobs/${id}/cancel`);
  expect((await settled(live, id)).body).toMatchObject([
    { status: 'cancelled', state: 'given_up', attempts: 1, last_answer: '410' },
  ]);
  expect(messages).toHaveLength(1);
  await live.call('DELETE', `/api/jobs/${id}`);
  const gone = await live.call('GET', `/api/jobs/${id}/notifications`);
  expect([gone.status, gone.body.code]).toEqual([404, 'unknown_job']);
});

test.each([
  [[], 'notify must be an array of 1 to 4 objects like {"url": "https://example.org/hook"}'],
  ['https://example.org', 'notify must be an array of 1 to 4 objects like'],
  [[{}], 'notify[0].url must be an address of at most 2048 characters'],
  [[{ url: `https://example.org/${'a'.repeat(2048)}` }], 'notify[0].url must be an address of at'],
  [[{ url: 'https://exa mple.org/' }], 'notify[0].url must be an address of at most'],
  [[{ url: 'javascript:alert(1)' }], 'notify[0].url must be an address of at most'],
  [[{ url: 'https://a:b@example.org' }], 'notify[0].url must have no name or password in it'],
  [[{ url: 'http://[::1]/' }], 'notify[0].url leads to an address that is not public'],
  [
    [{ url: 'http://0x7f.1/' }],
    'The operator of the coordinator can allow it (--notify-allow 127.0.0.1)',
  ],
  [
    [{ url: 'https://example.org', on: ['ended'] }],
    'must be an array of one or more of completed, failed',
  ],
  [[{ url: 'https://example.org', on: [] }], 'notify[0].on must be an array of one or more'],
  [
    [{ url: 'https://example.org', secret: 'short' }],
    'notify[0].secret must be a text of 16 to 256',
  ],
  [
    [{ url: 'https://example.org', secret: 'whsec_!!!!!!!!!!!!!!!!' }],
    'notify[0].secret begins with whsec_',
  ],
  [[{ url: 'https://example.org', also: 1 }], 'notify[0] has the unknown field "also"'],
])('a submission with %j is refused in a sentence', async (notify, sentence) => {
  const live = await startTelling(['10.0.0.1']);
  const answer = await live.call('POST', '/api/jobs', { json: { program, inputs: [1], notify } });
  expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
  expect(answer.body.detail).toContain(sentence);
  const line = JSON.stringify({ program, notify });
  const streamed = await live.call('POST', '/api/jobs', {
    body: `${line}\n1\n`,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  expect(streamed.status).toBe(422);
});

test('a refused submission does not say its secret again, nor its address', async () => {
  const live = await startTelling();
  for (const target of [
    { url: 'https://example.org', secret: 'too-short' },
    { url: 'https://example.org', secret: 'has a blank in it, too-short' },
    { url: 'https://me:too-short@exa mple.org' },
    { url: 'https://me:too-short@example.org' },
    { url: 'http://10.0.0.1/too-short' },
  ]) {
    const json = { program, inputs: [1], notify: [target] };
    const { status, text } = await live.call('POST', '/api/jobs', { json });
    expect([status, text.includes('too-short')]).toEqual([422, false]);
  }
});

test('a coordinator that tells nobody takes no such job', async () => {
  const live = await startLiveServer({}, undefined, {}, { webhooks: null });
  onTestFinished(() => live.close());
  const notify = [{ url: 'https://example.org/' }];
  const { status, body } = await live.call('POST', '/api/jobs', {
    json: { program, inputs: [1], notify },
  });
  expect([status, body.detail]).toEqual([
    422,
    'notify is not taken here: this coordinator sends no messages (--notify off).',
  ]);
});
